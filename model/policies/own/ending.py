"""How the policy process reports where it ends, and how the program reads that report."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from contextlib import suppress
from typing import NoReturn

from slotscope.model.lifeline import ending_of
from slotscope.model.policies.own.faults import said_of_memory

#: Precedes a trace written by this module; Python's own traces begin in one of the other ways.
_ENDS = b"\0slotscope ends\0"
_BEGINNINGS = re.compile(re.escape(_ENDS) + rb"|^Fatal Python error: |^Windows fatal exception: ", re.MULTILINE)
_FRAME = re.compile(r'File "(.*)", line (\d+)')

#: The exit status of a process that has reached its memory limit.
OUT_OF_MEMORY = 87

_leave = os._exit


def tell_ends() -> None:
    """Make the process write a trace to its standard error where it crashes, or where code calls ``os._exit``."""
    faulthandler.enable(2, all_threads=False)

    def told_exit(status: int) -> NoReturn:
        with suppress(OSError):
            os.write(2, _ENDS)
            faulthandler.dump_traceback(2, all_threads=False)
        _leave(status)

    os._exit = told_exit


def stay_one() -> None:
    """Keep the process from forking, since a copy would answer the program, too."""

    def refused() -> NoReturn:
        raise RuntimeError("a policy cannot copy its process")

    for name in ("fork", "forkpty"):
        if hasattr(os, name):
            setattr(os, name, refused)


def end(status: int, path: str = "", line: int = 0) -> NoReturn:
    """End the process, reporting a line of a policy's file as the place."""
    with suppress(OSError):
        os.write(2, _ENDS + f'File "{path}", line {line}\n'.encode("ascii", "backslashreplace"))
    _leave(status)


def printed_and_trace(said: bytes) -> tuple[bytes, bytes]:
    """The output of a process, split into what was printed and the trace of how it ends (may be empty)."""
    begins = _BEGINNINGS.search(said)
    return (said, b"") if begins is None else (said[: begins.start()], said[begins.start() :])


def line_of(trace: bytes, path: str) -> int:
    """The innermost line of the file *path* in a trace; 0 if none."""
    name = path.encode("ascii", "backslashreplace").decode()
    lines = (int(line) for file, line in _FRAME.findall(trace.decode("ascii", "replace")) if file == name)
    return next(lines, 0)


def said_of(status: int) -> str:
    """The message about a policy whose process has ended, from its exit status as in :mod:`subprocess`."""
    if status == OUT_OF_MEMORY:
        return said_of_memory()
    if status >= 0:
        return f"it ended its process (exit status {status}), allowed: to yield decisions"
    ended = ending_of(status)
    return ended if -status == signal.SIGKILL else f"{ended}; is this code in C?"
