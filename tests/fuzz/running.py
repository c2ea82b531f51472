"""Runs a command in this process and judges how it ended."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from traceback import walk_stack
from types import FrameType

from slotscope import __main__ as program
from slotscope.model.cli.guard import INTERRUPTED
from tests.fuzz.judging import Fault

#: Seconds that a command may run.
PATIENCE = 1.0

#: Seconds between two looks whether it may be stopped.
AGAIN = 0.05


class _Plain(StringIO):
    """A stream that takes what the program asks of the process's own."""

    def reconfigure(self, **_: object) -> None:
        """As that of a text stream."""


def warmed_up() -> None:
    """Run commands on sound input once: what is imported late must not be interrupted halfway."""
    for scenario in ("dra-example-1", "queues-vqs-unstable", "jrs-two-phases", "moldable-linear"):
        for command in (
            ["verify", "--events", "5"],
            ["bounds", "--json"],
            ["trace", "--events", "2"],
            ["run", "--until", "1", "--engine", "reference"],
        ):
            with redirect_stdout(_Plain()), redirect_stderr(_Plain()):
                program.main([command[0], scenario, *command[1:]])


def _unsafe(frame: FrameType) -> bool:
    """Whether a call compiles, or is one from which Python lets nothing be raised."""
    module = frame.f_globals.get("__name__", "").split(".")[0]
    return module in {"numba", "llvmlite"} or frame.f_code.co_name == "__del__"


@contextmanager
def _patience() -> Iterator[None]:
    """Within, Ctrl+C is pressed after some seconds: who asks for a long run gets one.

    It ends Python alone; compiled code that does not return is found by the worker's own limit.
    The compiler is left to finish: halfway it would leave this process, which goes on, unsound.
    """

    def stop(_: int, frame: FrameType | None) -> None:
        if not any(_unsafe(one) for one, _ in walk_stack(frame)):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    def unheard(one: sys.UnraisableHookArgs) -> None:
        """Where Python can raise nothing it says so, and goes on: Ctrl+C is pressed again."""
        if one.exc_type is KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        else:
            usual(one)

    usual, sys.unraisablehook = sys.unraisablehook, unheard
    before = signal.signal(signal.SIGALRM, stop)
    limit = signal.setitimer(signal.ITIMER_REAL, PATIENCE, AGAIN)  # that of a test, if any
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = usual
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *limit)


def judged(arguments: list[str]) -> str:
    """How a command ended: "ran", "refused" in one line with exit code 2, or "stopped" by Ctrl+C.

    Raises Fault if it ended otherwise, or said something else than it must.
    """
    out, err = _Plain(), _Plain()
    with redirect_stdout(out), redirect_stderr(err), _patience():
        code = program.main(arguments)
    said = err.getvalue()
    command = " ".join(arguments)[:300]
    if code == INTERRUPTED:
        return "stopped"
    if code not in (0, 1, 2):
        raise Fault(f"exit code {code} of {command}: {said[:400]}")
    if "Traceback" in said or "Traceback" in out.getvalue():
        raise Fault(f"a traceback of {command}: ... {(said + out.getvalue())[-400:]}")
    if code == 2:
        lines = said.splitlines()
        if not lines or not lines[-1].startswith("slotscope: "):
            raise Fault(f"exit code 2 of {command} without a line that says why: {said[:300]}")
        return "refused"
    if "--json" in arguments and not {"--help", "--out"} & set(arguments):
        for line in out.getvalue().splitlines():
            json.loads(line, parse_constant=_refuse)
    if code == 1 and "verify" not in arguments:
        raise Fault(f"exit code 1 of {command}: {said[:300]}")
    return "ran"


def _refuse(name: str) -> None:
    raise Fault(f"{name} in JSON")
