"""A monkey at the window: random keys, clicks, scenarios, layouts, from a seed that it prints.

``python -m tests.monkey --seconds 900 --seed 7 --kind queue``; under ``xvfb-run``, with
``QT_QPA_PLATFORM=xcb``, in real windows.  It walks for some minutes at a time, each time in
a process and with a seed of its own; the same seed does the same things in the same order.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from random import randrange
from time import monotonic

from slotscope.gui.running.warming import warm_in_background
from slotscope.model.kinds.spec import KINDS

_ROOT = Path(__file__).resolve().parents[2]

#: Seconds of one walk; last lines of its output, and characters of its stderr, shown if it broke off.
_WALK, _LAST_LINES, _LAST_SIGNS = 150, 25, 6000


@dataclass(frozen=True)
class Outcome:
    """The result of a walk."""

    steps: int
    report: str  #: the findings, and where the walk broke off; empty if there were none


def walk(seed: int, kind: str, *limit: str) -> Outcome:
    """Walk in another process with separate settings, up to ``--steps`` or ``--seconds``."""
    with tempfile.TemporaryDirectory() as home:
        places = {f"XDG_{name}_HOME": f"{home}/{name}" for name in ("CONFIG", "DATA", "STATE")}
        done = subprocess.run(
            [sys.executable, "-m", "tests.monkey.walk", f"--seed={seed}", f"--kind={kind}", *limit],
            env=os.environ | places | {"PYTHONPATH": str(_ROOT)},
            cwd=_ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
    lines = done.stdout.splitlines()
    steps = max((int(line.split()[0]) for line in lines if line[:1].isdigit()), default=0)
    if done.returncode == 0:
        return Outcome(steps, "")
    found = done.stdout[done.stdout.find("FOUND") :] if "FOUND" in done.stdout else ""
    if done.returncode == 1 and found:
        return Outcome(steps, _findings(lines))
    died = signal.Signals(-done.returncode).name if done.returncode < 0 else "the watchdog"
    last = "\n".join(lines[-_LAST_LINES:])
    return Outcome(steps, f"{_findings(lines)}\nended by {died} after\n{last}\n{done.stderr[-6000:]}")


def _findings(lines: list[str]) -> str:
    """The findings, each with the step before it."""
    told, before, inside = [], "", False
    for line in lines:
        if line.startswith("FOUND"):
            told.append(f"after {before}")
            inside = True
        elif line[:1].isdigit():
            before, inside = line, False
        if inside:
            told.append(line)
    return "\n".join(told)


def main() -> int:
    """Walk repeatedly; return 1 if there was a finding."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="of the first walk; random if none")
    parser.add_argument("--kind", choices=(*KINDS, "all"), default="all")
    given = parser.parse_args()
    seed = randrange(10**6) if given.seed is None else given.seed
    for process in [warm_in_background(system) for system in KINDS]:
        if process is not None:
            with process:
                process.wait()
    end, faults = monotonic() + given.seconds, 0
    while (left := end - monotonic()) > 1:
        outcome = walk(seed, given.kind, f"--seconds={min(left, _WALK):.0f}")
        faults += bool(outcome.report)
        how = "FAULT" if outcome.report else "no fault"
        print(f"{given.kind}, seed {seed}: {outcome.steps} steps, {how}\n{outcome.report}".rstrip(), flush=True)
        seed += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
