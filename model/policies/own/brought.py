"""The kernel that a policy's file brings along, as the program meets it: it is compiled and runs in another process."""

from __future__ import annotations

from itertools import count
from time import monotonic
from typing import Any
from weakref import finalize

import numpy as np

from slotscope.model.errors import PolicyError, PolicyFileError
from slotscope.model.phrase import Phrase
from slotscope.model.policies.own import limits, watch
from slotscope.model.policies.own.faults import stopped_kernel
from slotscope.model.policies.own.host import COMPILE, KERNELS, RUN, Child, LostError
from slotscope.model.policies.own.kind import KernelKind
from slotscope.model.policies.own.loaded import Source
from slotscope.model.policies.own.shape import place_in
from slotscope.model.policies.own.shared import Layout, as_bytes, seen, shared_with
from slotscope.model.policies.own.twin import Ran
from slotscope.model.running.waiting import who_waits
from slotscope.model.systems.compiled import AT_LIMIT

#: Seconds of a processor that one request takes: so many that it is worth asking, so few that Esc need not end it.
SHORT, LONG = 0.02, 0.1

#: How quickly requests come to that length, in events.
FASTER = 4

_numbers = count()


class KernelFailedError(Exception):
    """A kernel has not decided."""

    def __init__(self, ran: Ran, events: int) -> None:
        super().__init__(ran.said)
        self.ran = ran  #: what is wrong, and where
        self.events = events  #: those that happened before, at least


class BroughtKernel:
    """What a policy's file brings along to decide in compiled code."""

    def __init__(self, source: Source, line: int, kind: KernelKind) -> None:
        self.where = place_in(source.path, line)  #: the place of the function in its file
        self.kind = kind  #: what its kind of system says of it
        self.source, self.line, self.number = source, line, next(_numbers)
        finalize(self, KERNELS.drop, self.number).atexit = False

    def place(self, line: int) -> str:
        """A line of its file, or where the function is."""
        return place_in(self.source.path, line) if line else self.where


class _Shared:
    """What the process of kernels sees, and what of it the loop of each kernel was told to run on."""

    def __init__(self, child: Child, size: int) -> None:
        def tell(path: str) -> None:
            KERNELS.ask("kernels.share", path, seconds=limits.LIMITS.seconds, of=child)

        try:
            self.child, self.buffer = child, shared_with(tell, size)
        except OSError as error:
            raise PolicyError(f"no room for {size:,} bytes that a kernel shares: {error.strerror}") from None
        self._told: dict[int, Any] = {}

    @classmethod
    def with_room(cls, size: int) -> _Shared:
        """That of now, with room for so many bytes of arrays."""
        global _shared  # noqa: PLW0603
        child = KERNELS.child
        if _shared is None or _shared.child is not child or len(_shared.buffer) < size:
            _shared = cls(child, 2 * size)
        return _shared

    def news(self, kernel: int, told: Any) -> Any:
        """What a kernel's loop is told; None where that is what it was told last."""
        if self._told.get(kernel) == told:
            return None
        self._told[kernel] = told
        return told


_shared: _Shared | None = None


class _LoopTable:
    """What a loop runs on, laid out where the process of kernels sees it.

    - *given*: State, index, jobs and constants.
    - *results*: Such as ``tape, samples, done, outcome`` of the loop are, of those lengths at most.
    """

    def __init__(self, given: tuple[Any, ...], results: tuple[np.ndarray, ...]) -> None:
        self.given, self.results = given, results
        layout = Layout((*given, 0.0, *results))
        self.told = layout.told
        self.shared = _Shared.with_room(layout.size)
        self.tape, self.samples, self.done, self.outcome = seen(layout.told[-4:], self.shared.buffer)
        self.copies = Layout(given).copies(self.shared.buffer)  # they lie first, in the same places

    def serves(self, given: tuple[Any, ...], results: tuple[np.ndarray, ...]) -> bool:
        """Whether it is for these very arrays, and results have room in it."""
        same = len(given) == len(self.given) and all(one is other for one, other in zip(given, self.given, strict=True))
        pairs = zip(results, self.results, strict=True)
        fits = same and all(one.shape[1:] == other.shape[1:] and len(one) <= len(other) for one, other in pairs)
        return fits and self.shared is _Shared.with_room(0)


def _copy_rows(found: np.ndarray, result: np.ndarray, count: int) -> None:
    its, mine = as_bytes(found[:count], result[:count])
    mine[...] = its


class FarLoop:
    """A kind's loop with a kernel in it, called as any that is compiled."""

    def __init__(self, brought: BroughtKernel, room: type) -> None:
        self.example: tuple[Any, ...] = ()  #: what the kernel is given in it, before the first call
        self._brought, self._room = brought, room
        self._events = 1  # of one request
        self._table: _LoopTable | None = None

    def __call__(self, *arguments: Any) -> int:
        """Run events, see :mod:`model.systems.compiled`.

        Raises KernelFailedError if the kernel fails; the state is of no use then; PolicyFileError if it cannot be
        compiled.
        """
        *given, until, tape, samples, done, outcome = arguments
        while True:
            with KERNELS.lock:
                ran = self._run(tuple(given), until, (tape, samples, done, outcome))
            if ran.code is None:
                raise KernelFailedError(ran, int(done[0]))
            if ran.code != AT_LIMIT or done[0] == len(tape):
                return ran.code
            outcome[:] = 0
            self._take_time(ran.seconds)

    def _take_time(self, seconds: float) -> None:
        """Choose how many events the next request has."""
        if seconds < SHORT:
            self._events *= FASTER
        elif seconds > LONG:
            self._events = max(1, self._events // FASTER)

    def _run(self, given: tuple[Any, ...], until: float, results: tuple[np.ndarray, ...]) -> Ran:
        """Run the events of a request; *results* are those of the loop, of which ``done`` counts on."""
        tape, samples, done, outcome = results
        events, room = min(self._events, len(tape) - done[0]), len(samples) - done[1]
        while True:
            table = self._laid_out(given, results)
            first = len(table.tape) - events  # it ends with its tape, which so has one length in all requests
            table.done[:], table.outcome[:] = (first, 0), outcome
            table.copies.put()
            try:
                ran: Ran = self._asked(RUN, table.shared.news(self._brought.number, table.told), until)
            finally:
                table.copies.take()
                outcome[:] = table.outcome
            if ran != Ran():
                break
            self._compile(table)
        rows = np.clip(table.done - (first, 0), 0, (events, room))
        _copy_rows(table.tape[first:], tape[done[0] :], rows[0])
        _copy_rows(table.samples, samples[done[1] :], rows[1])
        done += rows
        return ran

    def _laid_out(self, given: tuple[Any, ...], results: tuple[np.ndarray, ...]) -> _LoopTable:
        if self._table is None or not self._table.serves(given, results):
            self._table = _LoopTable(given, tuple(map(np.empty_like, results)))
        return self._table

    def _compile(self, table: _LoopTable) -> None:
        """Compile it; also again where somebody wished that something else be stopped."""
        who_waits().tell(Phrase("Compiling the policy, or loading it compiled"))
        brought, layout = self._brought, Layout((self.example, (*table.given, 0.0, *table.results)))
        _Shared.with_room(layout.size)
        begun = monotonic()
        try:
            ran = self._asked(COMPILE, brought.source, brought.line, self._room, layout.told, seconds=np.inf)
        except PolicyFileError:
            if not watch.asked_since(begun):
                raise
            ran = Ran(asked=True)
        if ran is None or (ran.asked and not who_waits().stop()):
            return
        if ran.asked:
            raise KernelFailedError(ran, 0)
        raise PolicyFileError(f"{ran.said} while it is compiled", where=brought.place(ran.line))

    def _asked(self, verb: str, *more: Any, seconds: float | None = None) -> Any:
        """What the process answers; or how it ended."""
        most = limits.LIMITS.seconds if seconds is None else seconds
        try:
            return KERNELS.ask(verb, self._brought.number, *more, seconds=most, of=_Shared.with_room(0).child)
        except LostError as lost:
            said = f"the kernel: {lost.said}"
            if lost.stopped:
                said = f"the kernel: {stopped_kernel(lost.stopped, True, lost.grown)}"
            return Ran(None, said, lost.line_in(self._brought.source.path), asked=lost.asked, ended=True)
