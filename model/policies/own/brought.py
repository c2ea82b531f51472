"""The program's side of a kernel in a policy file: the kernel is compiled and run in another process."""

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

#: CPU seconds of one request: at least SHORT, to be worth its overhead; at most LONG, so that Esc need not kill it.
SHORT, LONG = 0.02, 0.1

#: Factor by which the number of events of a request grows or shrinks until its time lies between these.
FASTER = 4

_numbers = count()


class KernelFailedError(Exception):
    """A kernel failed to decide."""

    def __init__(self, ran: Ran, events: int) -> None:
        super().__init__(ran.said)
        self.ran = ran  #: what went wrong, and where
        self.events = events  #: a lower bound on the number of events completed before the failure


class BroughtKernel:
    """The compiled kernel that a policy file provides."""

    def __init__(self, source: Source, line: int, kind: KernelKind) -> None:
        self.where = place_in(source.path, line)  #: the place of the kernel function in its file
        self.kind = kind  #: what its kind of system declares about kernels
        self.source, self.line, self.number = source, line, next(_numbers)
        finalize(self, KERNELS.drop, self.number).atexit = False

    def place(self, line: int) -> str:
        """A line of the policy file as errors name it; if it is 0, the place of the kernel function."""
        return place_in(self.source.path, line) if line else self.where


class _Shared:
    """The memory shared with the kernel process, and the loop arguments last sent for each kernel."""

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
        """The current shared memory; newly allocated if the process is new or there are fewer than *size* bytes."""
        global _shared  # noqa: PLW0603
        child = KERNELS.child
        if _shared is None or _shared.child is not child or len(_shared.buffer) < size:
            _shared = cls(child, 2 * size)
        return _shared

    def news(self, kernel: int, told: Any) -> Any:
        """The loop arguments to send for a kernel; None if they are the same as last time."""
        if self._told.get(kernel) == told:
            return None
        self._told[kernel] = told
        return told


_shared: _Shared | None = None


class _LoopTable:
    """The arguments of a loop, laid out in the shared memory.

    - *given*: State, index, jobs and constants.
    - *results*: Arrays like the loop's ``tape, samples, done, outcome``; their lengths are the most that fit.
    """

    def __init__(self, given: tuple[Any, ...], results: tuple[np.ndarray, ...]) -> None:
        self.given, self.results = given, results
        layout = Layout((*given, 0.0, *results))
        self.told = layout.told
        self.shared = _Shared.with_room(layout.size)
        self.tape, self.samples, self.done, self.outcome = seen(layout.told[-4:], self.shared.buffer)
        self.copies = Layout(given).copies(self.shared.buffer)  # they come first, so at the same offsets

    def serves(self, given: tuple[Any, ...], results: tuple[np.ndarray, ...]) -> bool:
        """Whether this layout is for the same arrays *given*, in the current memory, with room for the *results*."""
        same = len(given) == len(self.given) and all(one is other for one, other in zip(given, self.given, strict=True))
        pairs = zip(results, self.results, strict=True)
        fits = same and all(one.shape[1:] == other.shape[1:] and len(one) <= len(other) for one, other in pairs)
        return fits and self.shared is _Shared.with_room(0)


def _copy_rows(found: np.ndarray, result: np.ndarray, count: int) -> None:
    its, mine = as_bytes(found[:count], result[:count])
    mine[...] = its


class FarLoop:
    """A kind's loop with a user kernel in it, called like any compiled loop."""

    def __init__(self, brought: BroughtKernel, room: type) -> None:
        self.example: tuple[Any, ...] = ()  #: example arguments of the kernel, set before the first call
        self._brought, self._room = brought, room
        self._events = 1  # of the next request
        self._table: _LoopTable | None = None

    def __call__(self, *arguments: Any) -> int:
        """Run events, see :mod:`model.systems.compiled`.

        Raises KernelFailedError if the kernel fails, after which the state is invalid; PolicyFileError if it cannot
        be compiled.
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
        """Choose the number of events of the next request, from the CPU seconds of this one."""
        if seconds < SHORT:
            self._events *= FASTER
        elif seconds > LONG:
            self._events = max(1, self._events // FASTER)

    def _run(self, given: tuple[Any, ...], until: float, results: tuple[np.ndarray, ...]) -> Ran:
        """Run the events of one request; *results* are the loop's result arrays, to which it appends at ``done``."""
        tape, samples, done, outcome = results
        events, room = min(self._events, len(tape) - done[0]), len(samples) - done[1]
        while True:
            table = self._laid_out(given, results)
            first = len(table.tape) - events  # at the end of the table's tape, so that its length is always the same
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
        """Compile the kernel; if an Esc meant for other work stopped this, just return: the caller then asks again."""
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
        """The answer of the kernel process, or a description of how the process ended."""
        most = limits.LIMITS.seconds if seconds is None else seconds
        try:
            return KERNELS.ask(verb, self._brought.number, *more, seconds=most, of=_Shared.with_room(0).child)
        except LostError as lost:
            said = f"the kernel: {lost.said}"
            if lost.stopped:
                said = f"the kernel: {stopped_kernel(lost.stopped, True, lost.grown)}"
            return Ran(None, said, lost.line_in(self._brought.source.path), asked=lost.asked, ended=True)
