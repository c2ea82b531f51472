"""The messages about faults of user code."""

from __future__ import annotations

import re
from dataclasses import fields
from types import TracebackType
from typing import Any

from slotscope.model.errors import PolicyFileError, PolicyStoppedError
from slotscope.model.policies.own import limits
from slotscope.model.policies.own.kind import OwnKind
from slotscope.model.policies.own.watch import Overtime, watched
from slotscope.model.reporting.records import Record
from slotscope.model.systems.view import PolicyView

#: The most characters quoted of an exception's own text.
LONGEST_MESSAGE = 300

#: Python's message about a keyword argument that matches no field.
UNKNOWN_FIELD = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")

#: Bytes of memory growth from which the message about stopped code mentions it.
MUCH_MEMORY = 2**27


def line_in(error: BaseException | None, path: str) -> int:
    """The innermost line of the file *path* in an exception's traceback; 0 if none."""
    trace: TracebackType | None = error.__traceback__ if error is not None else None
    line = 0
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def said_by(error: BaseException) -> str:
    """An exception in a few words; its own text is read with a time limit, since user code may produce it."""
    if isinstance(error, SystemExit):
        return "it leaves the program (SystemExit); allowed: to yield decisions"
    if isinstance(error, MemoryError):
        return said_of_memory()
    try:
        text = watched(lambda: str(error))
    except (Exception, Overtime, SystemExit, KeyboardInterrupt, GeneratorExit):
        text = ""
    text = " ".join(text.split())[:LONGEST_MESSAGE]
    if isinstance(error, TypeError) and (told := _unknown_field(text)):
        return told
    hint = ""
    if isinstance(error, ValueError) and ("read-only" in text or "WRITEABLE" in text):
        hint = "; what a policy is shown cannot be changed, it yields decisions instead"
    return f"{type(error).__name__}: {text}{hint}" if text else type(error).__name__


def _unknown_field(text: str) -> str:
    """The message about a record constructed with an unknown field; empty if *text* is about something else."""
    found = UNKNOWN_FIELD.match(text)
    kind = next((one for one in Record.__subclasses__() if found and one.__name__ == found[1]), None)
    if found is None or kind is None:
        return ""
    allowed = [field.name for field in fields(kind) if field.name != "kind"]
    return f"found {kind.__name__}({found[2]}=...), allowed: {', '.join([*allowed[2:], *allowed[:2]])}"


def said_of_memory() -> str:
    """The message about a policy that has reached its memory limit."""
    return (
        f"it needs more than {limits.LIMITS.memory / 2**30:.2g} GiB of memory, "
        f"{limits.SHARE_OF_MEMORY:.0%} of this machine's for all policies of one's own; does it keep more and more?"
    )


def stopped(seconds: float, asked: bool, in_c: bool = False, grown: int = 0) -> str:
    """The message about a policy stopped after so many seconds; *in_c*: by ending its process.

    *grown* is how much the memory of its process had grown by then, in bytes.
    """
    if asked:
        return f"stopped after {seconds:.1f} seconds in this event, as asked"
    in_step, in_event = limits.LIMITS.seconds, limits.LIMITS.seconds_in_event
    return _stopped(seconds, f"{in_step:g} seconds in one sub-step and {in_event:g} in one event", in_c, grown)


def fault_or_stop(asked: bool) -> type[PolicyFileError]:
    """The class of the error for a stopped policy: a fault of its file, unless the user *asked* to stop it."""
    return PolicyStoppedError if asked else PolicyFileError


def stopped_kernel(seconds: float, in_c: bool = False, grown: int = 0) -> str:
    """As :func:`stopped`, for a kernel."""
    return _stopped(seconds, f"{limits.LIMITS.seconds:g} seconds", in_c, grown)


def _stopped(seconds: float, allowed: str, in_c: bool, grown: int) -> str:
    allowed = f"allowed: {allowed}"
    if in_c and grown < MUCH_MEMORY:
        return f"code in C that it calls does not return in {seconds:.0f} seconds, {allowed}"
    found, asks = overtime(seconds, grown)
    return f"it {found}, {allowed}; {asks}"


def overtime(seconds: float, grown: int) -> tuple[str, str]:
    """(what is wrong, question to the author) about code that ran too long while its memory grew by *grown* bytes."""
    if grown >= MUCH_MEMORY:
        return f"fills memory, {grown / 2**30:.1f} GiB more in {seconds:.0f} seconds", "does it keep more and more?"
    return f"takes more than {seconds:.0f} seconds", "is this a loop without end?"


def moment_of(kind: OwnKind, occasion: str, view: PolicyView, arguments: tuple[Any, ...]) -> str:
    """The moment of the event, as errors name it."""
    if occasion == "start":
        return "at the start"
    return f"at event {view.event + 1} ({kind.about(occasion, view, arguments)}, t = {view.now:.6g})"
