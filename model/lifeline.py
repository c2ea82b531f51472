"""Processes beside the program: each runs one of its modules, and ends with the program, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

_ROOT = Path(__file__).resolve().parents[1]

#: By how much such a process gives way to the window and its run, where there is not a core for each.
_NICE = 5


def start_beside(
    module: str, *arguments: str, stdout: int = subprocess.PIPE, stderr: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Run a *module* in a process of its own.

    Its standard input takes the task, and stays open: where the program is gone it is closed, which
    :func:`end_with_program` sees there.
    """
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr)


def ending_of(status: int | None) -> str:
    """How a process ended, by its exit status as :mod:`subprocess` has it; None: it only fell silent."""
    if status is None:
        return "its process does not answer any more"
    if status >= 0:
        return f"its process ended with code {status}"
    if -status == signal.SIGKILL:
        return "its process was killed, as a system does that has no memory left"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"its process crashed ({name})"


def end_with_program() -> None:
    """In such a process, once its task is read: give way, and end as soon as nobody waits for what it does."""
    if sys.platform != "win32":
        os.nice(_NICE)
    Thread(target=_wait_for_end, name="lifeline", daemon=True).start()


def _wait_for_end() -> None:
    while os.read(0, 4096):  # of the file itself: Python dies at its end where a thread holds the reader's lock
        pass
    os._exit(1)
