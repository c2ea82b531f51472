"""Solves a scenario's programs in another process, so that neither run nor window waits."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Callable

from model.bounds import Bounds
from model.scenario.load import Scenario

Receiver = Callable[[Bounds], None]

_ROOT = Path(__file__).resolve().parents[1]


class BoundsService:
    """One process at a time; a new request ends the one that is still solving."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def request(self, scenario: Scenario, receiver: Receiver) -> None:
        """Solve, and call *receiver* (in another thread) with each answer as it comes."""
        self.stop()
        process = subprocess.Popen(
            [sys.executable, "-m", "model.upper_bound"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._process = process
        task = pickle.dumps(scenario)
        threading.Thread(target=_wait, args=(process, task, receiver), daemon=True).start()

    def stop(self) -> None:
        """End a solution that is under way."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()


def _wait(process: subprocess.Popen[bytes], task: bytes, receiver: Receiver) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    answered = False
    with suppress(BrokenPipeError):  # it was ended, or failed: its exit code tells
        process.stdin.write(task)
        process.stdin.close()
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            receiver(pickle.load(process.stdout))
            answered = True
    errors = process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    if process.wait() > 0 and not answered:
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        receiver(Bounds(problem=f"The programs could not be solved: {' '.join(last)}"))
