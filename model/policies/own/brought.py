"""The kernel that a policy's file brings along, as the program meets it: it is compiled and runs in another process."""

from __future__ import annotations

from itertools import count
from time import monotonic
from typing import Any, NamedTuple
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
from slotscope.model.policies.own.shared import Layout, shared_with
from slotscope.model.policies.own.twin import Ran
from slotscope.model.running.waiting import who_waits
from slotscope.model.systems.compiled import AT_LIMIT

#: Seconds of a processor that one request takes: so many that it is worth asking, so few that Esc need not end it.
SHORT, LONG = 0.02, 0.1

#: How quickly requests come to that length, in events.
FASTER = 4

_numbers = count()


class KernelFailedError(Exception):
    """A kernel has not decided.

    Attributes
    ----------
    ran:
        What is wrong, and where.
    events:
        Those that happened before, at least.
    """

    def __init__(self, ran: Ran, events: int) -> None:
        super().__init__(ran.said)
        self.ran, self.events = ran, events


class BroughtKernel:
    """What a policy's file brings along to decide in compiled code.

    Attributes
    ----------
    where:
        The place of the function in its file.
    kind:
        What its kind of system says of it.
    """

    def __init__(self, source: Source, line: int, kind: KernelKind) -> None:
        self.where, self.kind = place_in(source.path, line), kind
        self.source, self.line, self.number = source, line, next(_numbers)
        finalize(self, KERNELS.drop, self.number).atexit = False

    def place(self, line: int) -> str:
        """A line of its file, or where the function is."""
        return place_in(self.source.path, line) if line else self.where


class _Shared(NamedTuple):
    """What the process of kernels sees."""

    child: Child
    buffer: np.ndarray

    @classmethod
    def with_room(cls, size: int) -> _Shared:
        """That of now, with room for so many bytes of arrays."""
        global _shared  # noqa: PLW0603
        child = KERNELS.child
        if _shared is None or _shared.child is not child or len(_shared.buffer) < size:

            def tell(path: str) -> None:
                KERNELS.ask("kernels.share", path, seconds=limits.LIMITS.seconds, of=child)

            try:
                _shared = cls(child, shared_with(tell, 2 * size))
            except OSError as error:
                raise PolicyError(f"no room for {2 * size:,} bytes that a kernel shares: {error.strerror}") from None
        return _shared


_shared: _Shared | None = None


class FarLoop:
    """A kind's loop with a kernel in it, called as any that is compiled.

    Attributes
    ----------
    example:
        What the kernel is given in it, before the first call.
    """

    def __init__(self, brought: BroughtKernel, room: type) -> None:
        self.example: tuple[Any, ...] = ()
        self._brought, self._room = brought, room
        self._events = 1  # of one request

    def __call__(self, *arguments: Any) -> int:
        """Run events, see :mod:`model.systems.compiled`.

        Raises
        ------
        KernelFailedError
            If the kernel fails; the state is of no use then.
        PolicyFileError
            If it cannot be compiled.
        """
        *given, tape, samples, done, outcome = arguments
        while True:
            part, rows = tape[done[0] : done[0] + self._events], np.zeros(2, np.int64)
            ran = self._run((*given, part, samples[done[1] :], rows, outcome))
            done += rows
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

    def _run(self, given: tuple[Any, ...]) -> Ran:
        layout = Layout(given)
        with KERNELS.lock:
            ran: Ran = self._asked(RUN, layout, seconds=limits.LIMITS.seconds)
            while ran == Ran():
                self._compile(given)
                ran = self._asked(RUN, layout, seconds=limits.LIMITS.seconds)
        return ran

    def _compile(self, given: tuple[Any, ...]) -> None:
        """Compile it; also again where somebody wished that something else be stopped."""
        who_waits().tell(Phrase("Compiling the policy, or loading it compiled"))
        brought, layout = self._brought, Layout((self.example, given))
        begun = monotonic()
        try:
            ran: Ran | None = self._asked(COMPILE, layout, brought.source, brought.line, self._room, seconds=np.inf)
        except PolicyFileError:
            if not watch.asked_since(begun):
                raise
            ran = Ran(asked=True)
        if ran is None or (ran.asked and not who_waits().stop()):
            return
        if ran.asked:
            raise KernelFailedError(ran, 0)
        raise PolicyFileError(f"{ran.said} while it is compiled", where=brought.place(ran.line))

    def _asked(self, verb: str, layout: Layout, *more: Any, seconds: float) -> Any:
        """What the process answers; the arrays are as it leaves them, also where it ends."""
        shared = _Shared.with_room(layout.size)
        layout.put(shared.buffer)
        try:
            return KERNELS.ask(verb, self._brought.number, *more, layout.told, seconds=seconds, of=shared.child)
        except LostError as lost:
            said = f"the kernel: {lost.said}"
            if lost.stopped:
                said = f"the kernel: {stopped_kernel(lost.stopped, True, lost.grown)}"
            return Ran(None, said, lost.line_in(self._brought.source.path), asked=lost.asked, ended=True)
        finally:
            layout.take(shared.buffer)
