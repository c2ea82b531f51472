"""Solves a scenario's programs in another process, so that neither run nor window waits."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Callable

from model.bounds import Bounds
from model.systems.reservation.numbers import ReservationNumbers

Receiver = Callable[[Bounds], None]

_ROOT = Path(__file__).resolve().parents[1]


class BoundsService:
    """One process at a time; a new request ends the one that is still solving."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def request(self, numbers: ReservationNumbers, receiver: Receiver) -> None:
        """Solve, then call *receiver* (in another thread) with the result."""
        self.stop()
        process = subprocess.Popen(
            [sys.executable, "-m", "model.programs.solving"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._process = process
        task = pickle.dumps((numbers.pool_shares, numbers.rewards, numbers.workload))
        threading.Thread(target=_wait, args=(process, task, receiver), daemon=True).start()

    def stop(self) -> None:
        """End a solution that is under way."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()


def _wait(process: subprocess.Popen[bytes], task: bytes, receiver: Receiver) -> None:
    output, errors = process.communicate(task)
    if process.returncode == 0:
        receiver(pickle.loads(output))
    elif process.returncode > 0:
        last = errors.decode(errors="replace").strip().splitlines()[-1:]
        receiver(Bounds(problem=f"The programs could not be solved: {' '.join(last)}"))
