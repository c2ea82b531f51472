"""Runs a command in this process and classifies how it ended."""

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

#: Seconds after which a command is interrupted.
PATIENCE = 1.0

#: Seconds between two checks of whether it may be interrupted.
AGAIN = 0.05


class _Plain(StringIO):
    """A stream with the methods that the program calls on stdout and stderr."""

    def reconfigure(self, **_: object) -> None:
        """Accept what a text stream accepts."""


def warmed_up() -> None:
    """Run commands on sound input once: late imports must not be interrupted halfway."""
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
    """Whether a call belongs to the compiler, or is a finaliser, in which Python cannot raise exceptions."""
    module = frame.f_globals.get("__name__", "").split(".")[0]
    return module in {"numba", "llvmlite"} or frame.f_code.co_name == "__del__"


@contextmanager
def _patience() -> Iterator[None]:
    """Interrupt the body as Ctrl+C does after some seconds, as random input may ask for a long run.

    This ends Python code only; compiled code that does not return runs into the worker's own limit.
    The compiler is never interrupted: stopped halfway it would leave this process in a broken state.
    """

    def stop(_: int, frame: FrameType | None) -> None:
        if not any(_unsafe(one) for one, _ in walk_stack(frame)):
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    def unheard(one: sys.UnraisableHookArgs) -> None:
        """Interrupt again if Python ignored the exception, where it cannot be raised."""
        if one.exc_type is KeyboardInterrupt:
            signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        else:
            usual(one)

    usual, sys.unraisablehook = sys.unraisablehook, unheard
    before = signal.signal(signal.SIGALRM, stop)
    limit = signal.setitimer(signal.ITIMER_REAL, PATIENCE, AGAIN)  # the timer of a test's time limit, if any
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = usual
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *limit)


def judged(arguments: list[str]) -> str:
    """Run a command and return "ran", "refused" (one line, exit code 2) or "stopped" (by Ctrl+C).

    Raises Fault if it ended in another way, or if its output is wrong.
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
