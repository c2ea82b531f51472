"""How the process of policies of one's own says where it ends, and how the program reads that."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from contextlib import suppress
from typing import NoReturn

from slotscope.model.lifeline import ending_of
from slotscope.model.policies.own.faults import said_of_memory

#: Precedes a trace that this module writes; Python's own begin in one of the other ways.
_ENDS = b"\0slotscope ends\0"
_BEGINNINGS = re.compile(re.escape(_ENDS) + rb"|^Fatal Python error: |^Windows fatal exception: ", re.MULTILINE)
_FRAME = re.compile(r'File "(.*)", line (\d+)')

#: The exit status of a process that has come to its limit of memory.
OUT_OF_MEMORY = 87

_leave = os._exit


def tell_ends() -> None:
    """Let the process write to its standard error where it crashes, or where somebody leaves it."""
    faulthandler.enable(2, all_threads=False)

    def told_exit(status: int) -> NoReturn:
        with suppress(OSError):
            os.write(2, _ENDS)
            faulthandler.dump_traceback(2, all_threads=False)
        _leave(status)

    os._exit = told_exit


def stay_one() -> None:
    """Let the process have no copies, which would answer the program, too."""

    def refused() -> NoReturn:
        raise RuntimeError("a policy cannot copy its process")

    for name in ("fork", "forkpty"):
        if hasattr(os, name):
            setattr(os, name, refused)


def end(status: int, path: str = "", line: int = 0) -> NoReturn:
    """End the process at a line of a policy's file."""
    with suppress(OSError):
        os.write(2, _ENDS + f'File "{path}", line {line}\n'.encode("ascii", "backslashreplace"))
    _leave(status)


def printed_and_trace(said: bytes) -> tuple[bytes, bytes]:
    """What a process has written, parted where it says how it ends."""
    begins = _BEGINNINGS.search(said)
    return (said, b"") if begins is None else (said[: begins.start()], said[begins.start() :])


def line_of(trace: bytes, path: str) -> int:
    """The innermost line of the file *path* in a trace; 0: none."""
    name = path.encode("ascii", "backslashreplace").decode()
    lines = (int(line) for file, line in _FRAME.findall(trace.decode("ascii", "replace")) if file == name)
    return next(lines, 0)


def said_of(status: int) -> str:
    """What is said of a policy whose process has ended with an exit status, as :mod:`subprocess` has it."""
    if status == OUT_OF_MEMORY:
        return said_of_memory()
    if status >= 0:
        return f"it ended its process (exit status {status}), allowed: to yield decisions"
    ended = ending_of(status)
    return ended if -status == signal.SIGKILL else f"{ended}; is this code in C?"
