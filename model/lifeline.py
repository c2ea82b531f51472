"""Helper processes: each runs a module of the program, and ends with the program, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

_ROOT = Path(__file__).resolve().parents[1]

#: The nice value of helper processes, so that the window and its run have priority if there are too few cores.
_NICE = 5


def start_beside(
    module: str, *arguments: str, stdout: int = subprocess.PIPE, stderr: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Run a *module* in a separate process.

    The task is written to its standard input, which then stays open: when the program ends, it is closed, which
    :func:`end_with_program` detects in the helper process.
    """
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=stdout, stderr=stderr)


def ending_of(status: int | None) -> str:
    """How a process ended, from its exit status as in :mod:`subprocess`; None: it does not answer."""
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
    """In a helper process, once its task is read: lower its priority, and end it when the program ends."""
    if sys.platform != "win32":
        os.nice(_NICE)
    Thread(target=_wait_for_end, name="lifeline", daemon=True).start()


def _wait_for_end() -> None:
    while os.read(0, 4096):  # not sys.stdin: Python aborts at exit if a thread holds the lock of its reader
        pass
    os._exit(1)
