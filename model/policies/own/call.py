"""One call of a user policy on one occasion, resumed step by step."""

from __future__ import annotations

from functools import partial
from inspect import CO_GENERATOR
from time import monotonic
from types import CodeType, FunctionType, GeneratorType, MethodType
from typing import Any, Callable

from slotscope.model.errors import PolicyFileError
from slotscope.model.policies.own import limits, watch
from slotscope.model.policies.own.ending import OUT_OF_MEMORY, end
from slotscope.model.policies.own.faults import fault_or_stop, line_in, moment_of, said_by, stopped
from slotscope.model.policies.own.kind import Occasion, OwnKind
from slotscope.model.policies.own.shape import place_in
from slotscope.model.policies.own.watch import CodeStoppedError, watched, watched_in_turn
from slotscope.model.running.engine import SLOW_EVENT
from slotscope.model.systems.view import PolicyView

#: What :meth:`Call.resume` returns when the policy's generator has finished.
END = object()

#: Advice on a missing module that a method imports.
_MISSING_MODULE = "; install it where slotscope runs, or put it beside the file and import it at its head"


def _is_generators(method: Any) -> bool:
    """Whether calling *method* only makes a generator and executes none of its code yet."""
    function = method.__func__ if type(method) is MethodType else None
    return type(function) is FunctionType and bool(function.__code__.co_flags & CO_GENERATOR)


class Call:
    """One occasion on which the policy acts: it runs the policy's generator and turns its faults into errors."""

    line = first_line = 0
    in_file = True
    is_slow = False
    _generator: Any = None
    _substeps = 0
    _seconds = 0.0

    def __init__(
        self, kind: OwnKind, path: str, occasion: Occasion, view: PolicyView, arguments: tuple[Any, ...]
    ) -> None:
        self.path = path
        self.occasion = occasion
        self.arguments = arguments
        self.view = view
        self.answered = not occasion.answers
        self._kind = kind
        self._started = monotonic()

    def begin(self, method: Callable[..., Any]) -> None:
        """Call the method; if it is a generator function, none of its code runs yet."""
        code: CodeType | None = getattr(getattr(method, "__func__", None), "__code__", None)
        self.first_line = self.line = code.co_firstlineno if code is not None else 0
        begin = partial(method, self.view, *self.arguments)
        try:
            result = begin() if _is_generators(method) else watched(begin)
        except BaseException as error:
            raise self._told(error) from None
        if result is None and not self.occasion.answers:
            result = iter(())
        elif not isinstance(result, GeneratorType):
            raise self.fault(
                f"{self.occasion.name} returns {type(result).__name__}, allowed: a generator; decide with yield",
                self.first_line,
            )
        self._generator, self._next = result, partial(next, result, END)

    def resume(self) -> Any:
        """The record that the policy yields next, or :data:`END`."""
        self._substeps += 1
        if self._substeps > limits.LIMITS.substeps:
            raise self.fault(
                f"it takes more than {limits.LIMITS.substeps:,} sub-steps in one event, "
                "allowed: fewer; is this a loop without end?"
            )
        begun = monotonic()
        try:
            given = watched_in_turn(self._next, begun)
        except BaseException as error:
            raise self._told(error) from None
        ended = monotonic()
        self._seconds += min(ended - begun, limits.LIMITS.seconds)  # the process was suspended if it was more
        self.is_slow = ended - self._started > SLOW_EVENT
        self._locate()
        asked = self._seconds > watch.NOTICEABLE and watch.asked_since(self._started)
        if asked or self._seconds > limits.LIMITS.seconds_in_event:
            raise self.fault(stopped(self._seconds, asked), asked=asked)
        return given

    def close(self) -> None:
        """Close the generator; errors while it closes are ignored."""
        if isinstance(self._generator, GeneratorType):
            try:
                watched(self._generator.close)
            except BaseException:
                self._generator = None

    def fault(self, what: str, line: int | None = None, asked: bool = False) -> PolicyFileError:
        """An error of one line: place in the file, event, and *what* is wrong; *asked*: the user stopped it (Esc)."""
        number = self.line if line is None else line
        moment = moment_of(self._kind, self.occasion.name, self.view, self.arguments)
        return fault_or_stop(asked)(f"{moment}: {what}", where=place_in(self.path, number))

    def _told(self, error: BaseException) -> PolicyFileError:
        if isinstance(error, CodeStoppedError):
            line = line_in(error.cause, self.path) or self.line
            return self.fault(stopped(error.seconds, error.asked, grown=error.grown), line, error.asked)
        line = line_in(error, self.path) or self.line
        if isinstance(error, MemoryError):
            end(OUT_OF_MEMORY, self.path, line)  # ending the process is what gives its memory back
        missing = isinstance(error, ModuleNotFoundError)
        return self.fault(said_by(error) + (_MISSING_MODULE if missing else ""), line)

    def _locate(self) -> None:
        """Find the line of the file at which the innermost generator is suspended."""
        self.in_file, generator = True, self._generator
        while isinstance(generator, GeneratorType) and (frame := generator.gi_frame) is not None:
            self.in_file = frame.f_code.co_filename == self.path
            if self.in_file:
                self.line = frame.f_lineno
            generator = generator.gi_yieldfrom
