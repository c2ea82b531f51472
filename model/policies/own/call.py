"""One occasion on which a policy of one's own acts, resumption by resumption."""

from __future__ import annotations

from time import monotonic
from types import CodeType, GeneratorType
from typing import Any, Callable

from slotscope.model.errors import PolicyFileError
from slotscope.model.policies.own import watch
from slotscope.model.policies.own.faults import QUIET, is_from_outside, line_in, said_by, said_of_memory
from slotscope.model.policies.own.kind import Occasion, OwnKind
from slotscope.model.policies.own.shown import PrivateNumbers, ShownView
from slotscope.model.policies.own.watch import CodeStoppedError, watched
from slotscope.model.systems.view import PolicyView

#: Sub-steps that a policy may take in one event.
MOST_SUBSTEPS = 100_000
#: Seconds that a policy may take in one event, over all its sub-steps.
MOST_SECONDS_IN_EVENT = 60.0

#: What :meth:`Call.resume` gives when the policy has done all it wanted.
END = object()


class Call:
    """One occasion on which the policy acts: its generator, and what is said about faults."""

    def __init__(
        self,
        kind: OwnKind,
        path: str,
        occasion: Occasion,
        view: PolicyView,
        arguments: tuple[Any, ...],
        numbers: PrivateNumbers,
    ) -> None:
        self.path = path
        self.occasion = occasion
        self.arguments = arguments
        self.shown = ShownView(view, numbers.copy)
        self.answered = not occasion.answers
        self.line = self.first_line = 0
        self.in_file = True
        self._moment = _moment(kind, occasion.name, view, arguments)
        self._generator: Any = None
        self._substeps = 0
        self._seconds = 0.0
        self._started = monotonic()

    def begin(self, method: Callable[..., Any]) -> None:
        """Call the method, which does nothing yet if it is a generator."""
        code: CodeType | None = getattr(getattr(method, "__func__", None), "__code__", None)
        self.first_line = self.line = code.co_firstlineno if code is not None else 0
        result = self._guarded(lambda: method(self.shown.view, *self.arguments))
        if result is None and not self.occasion.answers:
            result = iter(())
        elif not isinstance(result, GeneratorType):
            raise self.fault(
                f"{self.occasion.name} returns {type(result).__name__}, allowed: a generator; decide with yield",
                self.first_line,
            )
        self._generator = result

    def resume(self) -> Any:
        """What the policy yields next, or :data:`END`."""
        self._substeps += 1
        if self._substeps > MOST_SUBSTEPS:
            raise self.fault(
                f"it takes more than {MOST_SUBSTEPS:,} sub-steps in one event, "
                "allowed: fewer; is this a loop without end?"
            )
        begun = monotonic()
        given = self._guarded(lambda: next(self._generator, END))
        self._seconds += monotonic() - begun
        self._locate()
        if names := self.shown.changed():
            raise self.fault(
                f"it changes what it is shown: {', '.join(names)}; allowed: to yield "
                "decisions, which the system carries out"
            )
        asked = watch.asked_since(self._started) and self._seconds > watch.NOTICEABLE
        if asked or self._seconds > MOST_SECONDS_IN_EVENT:
            raise self.fault(_stopped(self._seconds, asked))
        return given

    def close(self) -> None:
        """End the generator; what it does at its end concerns nobody."""
        if isinstance(self._generator, GeneratorType):
            try:
                with QUIET:
                    watched(self._generator.close)
            except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit):
                self._generator = None

    def fault(self, what: str, line: int | None = None) -> PolicyFileError:
        """An error of one line: where in the file, at which event, what."""
        number = self.line if line is None else line
        place = f"{self.path}, line {number}" if number else self.path
        return PolicyFileError(f"{self._moment}: {what}", where=place)

    def _guarded(self, call: Callable[[], Any]) -> Any:
        try:
            with QUIET:
                return watched(call)
        except BaseException as error:
            raise self._told(error) from None

    def _told(self, error: BaseException) -> PolicyFileError:
        if isinstance(error, CodeStoppedError):
            line = line_in(error.cause, self.path) or self.line
            return self.fault(said_of_memory(error) or _stopped(error.seconds, error.asked), line)
        if is_from_outside(error):
            raise error
        return self.fault(said_by(error), line_in(error, self.path) or self.line)

    def _locate(self) -> None:
        """The line of the file at which the innermost generator waits."""
        frame, generator = None, self._generator
        self.in_file = True
        while isinstance(generator, GeneratorType) and generator.gi_frame is not None:
            self.in_file = generator.gi_frame.f_code.co_filename == self.path
            if self.in_file:
                frame = generator.gi_frame
            generator = generator.gi_yieldfrom
        if frame is not None:
            self.line = frame.f_lineno


def _stopped(seconds: float, asked: bool) -> str:
    if asked:
        return f"stopped after {seconds:.1f} seconds in this event, as asked"
    return (
        f"it takes more than {seconds:.0f} seconds, allowed: {watch.MOST_SECONDS:g} in one "
        f"sub-step and {MOST_SECONDS_IN_EVENT:g} in one event; is this a loop without end?"
    )


def _moment(kind: OwnKind, occasion: str, view: PolicyView, arguments: tuple[Any, ...]) -> str:
    if occasion == "start":
        return "at the start"
    return f"at event {view.event + 1} ({kind.about(occasion, view, arguments)}, t = {view.now:.6g})"
