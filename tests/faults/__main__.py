"""Plants every fault in a copy of the program and runs the tests nearest to it.

``python -m tests.faults [TEXT]`` takes those whose label has TEXT; exits with 1 if one survives.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.faults.planted import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]


def copy_to(folder: Path) -> None:
    """A copy of the files that belong to the program."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target, follow_symlinks=False)


def survives(fault: Fault, folder: Path) -> bool:
    """Whether no test notices the fault."""
    path = folder / fault.file
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-n", "0", "-p", "no:cacheprovider", *fault.tests],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(folder / ".installed")},
    )
    path.write_text(text, encoding="utf-8")
    return run.returncode == 0


def main(wanted: str = "") -> int:
    """Plant the faults whose label has *wanted*; 1 if one survives."""
    chosen = [fault for fault in FAULTS if wanted in fault.label]
    survivors = 0
    with tempfile.TemporaryDirectory() as name:
        copy_to(Path(name))
        for fault in chosen:
            alive = survives(fault, Path(name))
            survivors += alive
            print(f"{'SURVIVES' if alive else 'caught  '}  {fault.label}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} faults were caught")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
