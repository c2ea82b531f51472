"""Solves a scenario's linear programs in another process, so that neither run nor window waits."""

from __future__ import annotations

import pickle
import subprocess
import threading
from contextlib import suppress
from dataclasses import replace
from typing import Any, Callable

from slotscope.model.kinds.spec import kind_named
from slotscope.model.lifeline import ending_of, start_beside
from slotscope.model.scenario.load import Scenario

#: Called with the result of the scenario's kind of system.
Receiver = Callable[[Any], None]


class BoundsService:
    """Runs one solver process at a time; a new request ends the previous one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def request(self, scenario: Scenario, receiver: Receiver) -> None:
        """Solve, and call *receiver* (in another thread) with each result as it comes.

        If the process ends early, the last result says why.
        """
        self.stop()
        process = start_beside("slotscope.model.programs.all_bounds", stderr=subprocess.PIPE)
        self._process, self._stopped = process, threading.Event()
        told = (process, scenario, receiver, self._stopped)
        self._thread = threading.Thread(target=_wait, args=told, name="bounds", daemon=True)
        self._thread.start()

    def solve(self, scenario: Scenario) -> Any:
        """The final, complete result, computed in this process; blocks."""
        *_, bounds = kind_named(scenario.system).all_bounds(scenario)
        return bounds

    def stop(self) -> None:
        """End the running solver process; the receiver is not called any more.

        The thread is joined (it ends with its process), so that objects held by the receiver, such as widgets, are
        never destroyed in that thread.
        """
        self._stopped.set()
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
        if self._thread is not None:
            self._thread.join()


def _wait(process: subprocess.Popen[bytes], scenario: Scenario, receiver: Receiver, stopped: threading.Event) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    bounds = None
    with suppress(BrokenPipeError):  # the process was ended or failed: see its exit code
        process.stdin.write(pickle.dumps(scenario))
        process.stdin.flush()
    with suppress(EOFError, pickle.UnpicklingError):
        while True:
            bounds = pickle.load(process.stdout)
            receiver(bounds)
    errors = process.stderr.read()
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()
    if process.wait() and not stopped.is_set():
        lines = errors.decode(errors="replace").strip().splitlines() if process.returncode > 0 else []
        why = lines[-1] if lines else f"{ending_of(process.returncode)}."
        if bounds is None:
            receiver(kind_named(scenario.system).no_bounds(f"The programs could not be solved: {why}"))
        else:
            problem = f"{bounds.problem} Not all programs could be solved: {why}".strip()
            receiver(replace(bounds, problem=problem))
