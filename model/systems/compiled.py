"""Runs a compiled kernel: feeds it jobs, gives it room, and reads its tape.

A kernel is a function ``advance(state, *index, jobs, constant, until, tape, samples, done,
outcome)`` that runs events until its tape is full, and returns why it came back:

- ``index`` is what :meth:`CompiledEngine.build` gives, ``jobs`` the block of the next arrival;
- ``constant`` is an array of integers: those named here, then the kind's own;
- no event later than ``until`` happens;
- ``done`` counts the rows of ``tape`` [0] and of ``samples`` [1] that are written;
- ``outcome`` holds integers about the event in progress.  They are preserved when the kernel returns in the middle of
  an event to ask for more.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Callable, NamedTuple

import numpy as np

from slotscope.model.jit import at_hand, compiled, compiled_for_disjoint
from slotscope.model.phrase import Phrase
from slotscope.model.running.engine import Advance, Reason, Task
from slotscope.model.running.slices import SLICE_SECONDS
from slotscope.model.running.waiting import who_waits
from slotscope.model.scenario.workload import JobBlock
from slotscope.model.systems.base import EVENT, NEXT_ARRIVAL
from slotscope.model.systems.state import apart
from slotscope.model.systems.watching import DerivedSoFar, RowWatch, follow_nothing, watched

# The reasons for which a kernel returns.
AT_LIMIT, AT_TIME, AT_FLAG, AT_END, NEEDS_JOBS, NEEDS_ROOM, NEEDS_VALUE = range(7)

# Indices in ``constant``; a kind's own follow from COMMON on.
INITIAL_JOBS, LAST_BLOCK, STOP_FLAGS, STRIDE, EXPLAIN = range(5)
COMMON = 5

_REASONS = {AT_LIMIT: Reason.LIMIT, AT_TIME: Reason.TIME, AT_FLAG: Reason.FLAG, AT_END: Reason.END}


#: Most indexes that an engine keeps for the states that it has run.
MOST_KEPT = 2

#: From this many events on it pays to move a state to cache lines of its own (:func:`apart`); not for a policy of a
#: file, which may hold references to its data.
PAYS = 1000


class _Kept(NamedTuple):
    """An index that can be used again if its state is unchanged; the reference keeps the state's identity unique."""

    state: Any
    moment: tuple[int, int]  #: of the state, see :func:`_moment`
    given: tuple[Any, ...]  #: the index
    alone: bool  #: whether both are in cache lines of their own
    followed: DerivedSoFar | None = None  #: what was derived from the state, up to date


class CompiledEngine:
    """The compiled twin of a reference; a subclass names the kernel, and builds its index."""

    name = "kernel"
    keyframe_every = 10_000
    slice_seconds = SLICE_SECONDS
    watchable = True  #: whether it can record what it changes; not for a file's kernel, as the code is not cached
    kernel: Callable[..., int]  #: the function, to be compiled
    #: whether the compiler is told that no two arrays share memory, which they never do: most kernels reload less then,
    #: others keep more values than there are registers
    disjoint = True
    #: what updates the numbers derived from its states, see :class:`.watching.Derived`
    follow: Callable[..., int] = staticmethod(follow_nothing)
    #: constants, outcomes: the lengths of ``constant`` and ``outcome``
    constants: int
    outcomes: int
    #: the block of jobs when there are no more arrivals
    no_jobs: Any = JobBlock(np.empty(0), np.empty(0, np.int32), np.empty(0), np.zeros(1, np.int64))

    def __init__(self, system: Any) -> None:
        self.system = system
        self.policy: Any = system.policy
        self.constant, self._done, self._outcome = apart(
            (np.zeros(self.constants, np.int64), np.zeros(2, np.int64), np.zeros(self.outcomes, np.int64))
        )
        for place, number in self.options().items():
            self.constant[place] = number
        self._run = self.twin()
        self._kept: list[_Kept] = []

    def twin(self) -> Callable[..., int]:
        """The kernel, compiled or to be compiled at its first call."""
        return (compiled_for_disjoint if self.disjoint else compiled)(self.function)

    @property
    def function(self) -> Callable[..., int]:
        """The kernel for this system: a subclass may have another, with the same decisions, for very many servers."""
        return type(self).kernel

    def options(self) -> dict[int, int]:
        """Constants, by their index in ``constant``, in which policies that share a kernel differ."""
        return {}

    def build(self, state: Any) -> tuple[Any, ...]:
        """The kernel's arguments beside state and jobs: tables, incremental data, and scratch memory."""
        raise TypeError(f"{type(self).__name__} builds no index")

    def learn(self, index: tuple[Any, ...]) -> None:
        """Compute the value that the kernel asks for in *index*; the next index that is built contains it."""
        raise TypeError(f"{type(self).__name__} asks for no value")

    def block_at(self, arrival: int) -> Any:
        """The block of an arrival as the kernel reads it; None if there is no such arrival."""
        return self.system.workload.block_at(arrival)

    @property
    def watches(self) -> bool:
        """Whether it records what it changes: once the code for that, which takes seconds to compile, is ready."""
        return self.watchable and at_hand(self._watched)

    def another(self) -> CompiledEngine | None:
        """See :class:`model.running.engine.Engine`; None for a policy of a file, which may read its own data."""
        return None if self.policy.brought or not self.watchable else type(self)(self.system)

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.running.engine.Engine`; for a task that watches, that code is compiled if necessary."""
        watching = bool(task.watch) and self.watchable
        if not getattr(self._watched if watching else self._run, "overloads", True):
            who_waits().tell(Phrase("Compiling the policy, or loading it compiled"))
        wanted = self.system.initial_jobs, task.stop_flags, task.stride, task.explain
        self.constant[[INITIAL_JOBS, STOP_FLAGS, STRIDE, EXPLAIN]] = wanted
        most = len(tape) // task.stride + 1 if task.stride else 0
        samples = np.empty((most, self.system.sample_width))
        done, outcome = self._done, self._outcome
        done[:] = outcome[:] = 0
        left = self._taken(state)
        index = self.build(state) if left is None else left.given
        alone = left is not None and left.alone
        if not alone and len(tape) >= PAYS and not self.policy.brought:
            (state, index), alone = apart((state, index)), True
        jobs = self._jobs(state)
        watch = self._watch(state, task, tape, left.followed if left is not None else None) if watching else None
        while True:
            given = (jobs, self.constant, float(task.until), tape, samples, done, outcome)
            code = self._called(state, index, given, watch)
            if code == NEEDS_JOBS:
                jobs = self._jobs(state)
                continue
            if code == NEEDS_ROOM:
                state = self.system.prepared(state)
                if watch is not None:
                    watch.grown(state)
            elif code == NEEDS_VALUE:
                self.learn(index)
            else:
                break
            index = self.build(state)
            if alone:
                state, index = apart((state, index))
        followed = None if watch is None else watch.followed(int(done[0]))
        self._kept = [*self._kept, _Kept(state, _moment(state), index, alone, followed)][-MOST_KEPT:]
        changes = None if watch is None else watch.changes(state)
        return Advance(state, int(done[0]), _REASONS[code], samples[: done[1]], changes=changes)

    def _called(self, state: Any, index: tuple[Any, ...], given: tuple[Any, ...], watch: RowWatch | None) -> int:
        """Call the kernel, or its variant that records changes; the reason for which it returned."""
        if watch is None:
            return self._run(state, *index, *given)
        return self._watched(state, index, *given, watch.now(state), watch.log)

    def _taken(self, state: Any) -> _Kept | None:
        """Take out the index kept for a state; None if there is none, or the state has changed since.

        The last few are kept, as questions about a run advance a copy of it in turn with the run, slice by slice.
        """
        mine = next((one for one in self._kept if one.state is state), None)
        self._kept = [one for one in self._kept if one is not mine]
        return mine if mine is not None and mine.moment == _moment(state) else None

    def _watch(self, state: Any, task: Task, tape: np.ndarray, followed: DerivedSoFar | None) -> RowWatch:
        """The watch for the next events, whose rows go to *tape*; it compares after the events that the task names."""
        events = len(tape)
        offsets = np.arange(events)
        if task.moments is not None:
            offsets = task.moments - int(state.number[EVENT]) - 1
            offsets = offsets[(offsets >= 0) & (offsets < events)]
        return RowWatch(
            state, task.watch, offsets, tape, task.settled, task.whole, task.touched, task.derived, task.only, followed
        )

    @cached_property
    def _watched(self) -> Callable[..., int]:
        """The variant of the kernel that records what each event changes."""
        return watched(self.function, type(self).follow, f"{type(self).__module__}.{type(self).__name__}")

    def _jobs(self, state: Any) -> Any:
        block = self.block_at(int(state.number[NEXT_ARRIVAL]))
        self.constant[LAST_BLOCK] = block is None
        return self.no_jobs if block is None else block


def _moment(state: Any) -> tuple[int, int]:
    """The event and running hash of a state, by which to tell whether it has changed."""
    return int(state.number[EVENT]), int(state.trail[0])
