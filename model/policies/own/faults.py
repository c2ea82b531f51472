"""What is said about code that somebody else wrote when it fails; and where it prints."""

from __future__ import annotations

import dis
import sys
import threading
from types import TracebackType
from typing import Any

from slotscope.model.policies.own import watch
from slotscope.model.policies.own.watch import CodeStoppedError, Overtime, watched

_RAISE = dis.opmap["RAISE_VARARGS"]

#: Characters of an exception's own text that are told.
LONGEST_MESSAGE = 300


def line_in(error: BaseException | None, path: str) -> int:
    """The innermost line of the file *path* that an exception passed; 0 if none."""
    trace: TracebackType | None = error.__traceback__ if error is not None else None
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def said_by(error: BaseException) -> str:
    """An exception in a few words; its own text may come from the user's code."""
    if isinstance(error, SystemExit):
        return "it leaves the program (SystemExit); allowed: to yield decisions"
    try:
        text = watched(lambda: str(error))
    except (Exception, Overtime, SystemExit, KeyboardInterrupt, GeneratorExit):
        text = ""
    text = " ".join(text.split())[:LONGEST_MESSAGE]
    hint = ""
    if isinstance(error, ValueError) and "read-only" in text:
        hint = "; what a policy is shown cannot be changed, it yields decisions instead"
    return f"{type(error).__name__}: {text}{hint}" if text else type(error).__name__


def said_of_memory(error: CodeStoppedError) -> str:
    """What is said where the program came to too much memory; nothing where it did not."""
    if not error.memory:
        return ""
    found, most = error.memory / 2**30, watch.most_resident() / 2**30
    return (
        f"the program came to {found:.1f} GiB of memory, allowed while it runs: {most:.1f} "
        f"({watch.MOST_OF_MEMORY:.0%} of this machine's); does it keep more and more?"
    )


def is_from_outside(error: BaseException) -> bool:
    """Whether Ctrl+C interrupted the code, rather than the code raising this itself."""
    if not isinstance(error, KeyboardInterrupt):
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    trace = error.__traceback__
    if trace is None:
        return True
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] != _RAISE


class _Quiet:
    """While the user's code runs, what it prints goes to stderr: stdout is the program's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._kept: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._kept, sys.stdout = sys.stdout, sys.stderr
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                sys.stdout = self._kept


#: To be entered around every call of such code.
QUIET = _Quiet()
