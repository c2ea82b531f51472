"""Plants every fault in a copy of the program and runs the tests nearest to it.

``python -m tests.faults [TEXT]`` plants those whose label contains TEXT; exits with 1 unless tests fail for each.
A test that only timed out does not count as failed, nor do tests that could not be run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.faults.planted import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]

CAUGHT, SURVIVES = "caught", "SURVIVES"

#: The message of a test's time limit, and that of the limit for code that never returns to Python.
OUT_OF_TIME = re.compile(r"OutOfTime|Timeout \(")


def copy_to(folder: Path) -> None:
    """Copy the tracked files of the program."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target, follow_symlinks=False)


def outcome(fault: Fault, folder: Path) -> str:
    """Plant one fault, run its tests, and return the outcome as a word."""
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
    return judged(run.returncode, run.stdout + run.stderr)


def judged(code: int, said: str) -> str:
    """Classify a run of tests from its exit code and its output."""
    if code == pytest.ExitCode.OK:
        return SURVIVES
    if OUT_OF_TIME.search(said):
        return "HANGS"
    return CAUGHT if code == pytest.ExitCode.TESTS_FAILED else "NOT RUN"


def main(wanted: str = "") -> int:
    """Plant the faults whose label contains *wanted*; return 1 unless all are caught."""
    chosen = [fault for fault in FAULTS if wanted in fault.label]
    caught = 0
    with tempfile.TemporaryDirectory() as name:
        copy_to(Path(name))
        for fault in chosen:
            found = outcome(fault, Path(name))
            caught += found == CAUGHT
            print(f"{found:8}  {fault.label}", flush=True)
    print(f"{caught} of {len(chosen)} faults were caught")
    return int(caught < len(chosen))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
