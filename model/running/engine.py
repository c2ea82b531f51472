"""Engines run events on a state: the reference one sub-step at a time, a kernel by millions.

Both are called the same way, write the same rows, and reach the same digest at every event.
"""

from __future__ import annotations

from enum import Enum
from itertools import islice
from time import monotonic
from typing import Any, Callable, Iterator, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import PolicyError, UserError
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.records import Event, Record
from slotscope.model.running.slices import SLICE_SECONDS
from slotscope.model.running.waiting import GivenUpError, who_waits
from slotscope.model.systems.state import State, copied


def _never() -> bool:
    return False


class Reason(Enum):
    """Why an engine stopped."""

    LIMIT = "the number of events asked for is reached"
    TIME = "the next event lies beyond the time asked for"
    FLAG = "an event of the kind asked for has happened"
    END = "nothing will happen any more"
    FAULT = "the event could not happen; the state is that before it"


class Task(NamedTuple):
    """What an engine is to do, besides filling its tape."""

    until: float = np.inf  #: run no event after this time
    stop_flags: int = 0  #: stop after an event with one of these flags
    stride: int = 0  #: take a sample every so many events; 0: none
    explain: bool = False  #: fill in costly counts, too
    overtaken: Callable[[], bool] = _never  #: whether another engine has taken over; called within a slow event
    past: int = 0  #: events up to this one have happened already, and are replayed
    watch: tuple[str, ...] = ()  #: arrays of the state whose changed rows are recorded, if the engine can
    settled: frozenset[str] = frozenset()  #: those of them that change only in rows in which others do
    derived: Any = None  #: numbers derived from the state, see :class:`model.systems.watching.Derived`
    touched: Any = None  #: which columns of rows name changed places, see :class:`model.systems.watching.Touched`
    only: tuple[int, ...] = ()  #: the places whose changes are recorded; empty: all
    whole: bool = False  #: record the watched arrays as a whole
    moments: NDArray[np.int64] | None = None  #: the events, in order, after which to record; None: after each


class Advance(NamedTuple):
    """What an engine did: the state (a new object if it had to grow), the number of rows written, why it stopped."""

    state: Any
    rows: int
    reason: Reason
    samples: np.ndarray = np.zeros((0, 0))  #: [n, width] the samples taken
    fault: UserError | None = None  #: why the event did not happen, with :attr:`Reason.FAULT`
    changes: Any = None  #: what was recorded, see :class:`model.systems.watching.RowChanges`; None: the engine cannot


class System(Protocol):
    """A kind of system under one policy: its events and what they do.

    ``row_dtype`` is that of one row for each event.
    """

    name: str
    sample_width: int
    row_dtype: np.dtype[Any]

    @property
    def may_fail(self) -> bool:
        """Whether the policy is a user's, which may fail in the middle of an event."""

    @property
    def on_drift(self) -> str:
        """What to do if a replay does not reach the same state again."""

    def raw_state(self) -> Any:
        """The state at time 0, before the policy has acted."""

    def start(self, state: Any) -> Iterator[Record]:
        """The policy's initialization, one sub-step at a time."""

    def prepared(self, state: Any, event: Event | None = None) -> Any:
        """The state with room for one more event, *event* where it is known."""

    def next_event(self, state: Any) -> Event | None:
        """What happens next, or None."""

    def run(self, state: Any, event: Event, row: np.ndarray) -> Iterator[Record]:
        """Run an event, one sub-step at a time; fills *row* at the end."""

    def settled(self, state: Any) -> Any:
        """The state with which the run goes on after an event: under new rules, if these change there."""

    def sample(self, state: Any, row: np.ndarray) -> None:
        """Fill one row [sample_width] for curves and averages."""


class Engine(Protocol):
    """Something that runs events on a state.

    ``keyframe_every`` is how many events it replays within a few milliseconds, ``slice_seconds`` the best length of a
    slice (see :class:`model.running.slices.Slices`); ``watches`` is whether it records what it changes.
    """

    name: str
    keyframe_every: int
    slice_seconds: float

    @property
    def watches(self) -> bool:
        """Whether it can record changes now; that may become true once the code for it is compiled."""

    def another(self) -> Engine | None:
        """A second engine, to run the same events concurrently in another thread; None if that is impossible."""

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """Run events until *tape* is full or a condition of *task* holds."""


class EventRun:
    """One event in progress, sub-step by sub-step; *row* [1] is filled at its end.

    ``state`` is owned by the run and changes in place as sub-steps are taken; ``records`` are those taken so far.
    """

    def __init__(self, system: System, state: State, event: Event | None = None, row: np.ndarray | None = None) -> None:
        self.state: Any = system.prepared(state, event)
        self._system = system
        event = event or system.next_event(self.state)
        if event is None:
            raise ValueError("no event is left to run")
        self.event = event
        self.row = np.zeros(1, system.row_dtype) if row is None else row
        self.records: list[Record] = []
        self._steps = system.run(self.state, self.event, self.row)
        self.finished = False
        self.fault: PolicyError | None = None  #: why it cannot go on

    def step(self) -> Record | None:
        """Take one sub-step; None once the event is over.

        Raises PolicyError if the policy fails; after that the state may only be read.
        """
        self._take(islice(self._steps, 1), 1)
        return None if self.finished else self.records[-1]

    def finish(self, stop: Callable[[], bool] = _never) -> None:
        """Take all remaining sub-steps. Raises GivenUpError if *stop*, called after each of them, returns True."""
        self._take(self._steps if stop is _never else self._until(stop))

    def _until(self, stop: Callable[[], bool]) -> Iterator[Record]:
        """The remaining sub-steps, until *stop* returns True after one of them."""
        for record in self._steps:
            yield record
            if stop():
                raise _given_up(self.state)

    def _take(self, steps: Iterator[Record], count: float = np.inf) -> None:
        """Take *steps*; if there are fewer than *count*, the event is over."""
        if self.fault is not None:
            raise self.fault
        there = len(self.records)
        try:
            self.records.extend(steps)
            if not self.finished and len(self.records) < there + count:
                self.state = self._system.settled(self.state)
                self.finished = True
        except PolicyError as error:
            self.fault = error
            raise


#: An event that takes longer than so many seconds reports its progress, and can be stopped in the middle.
SLOW_EVENT = 0.02

#: Events between two keyframes of a user's policy.
KEYFRAME_EVERY_IF_GUARDED = 50


class ReferenceEngine:
    """Runs a system's reference policy event by event.

    If it *keeps* a copy of the state before an event that may fail, a failure is reported as a fault with that state;
    otherwise it is raised, and the state is unusable.
    """

    name = "reference"
    keyframe_every = 250
    slice_seconds = SLICE_SECONDS
    watches = False

    def __init__(self, system: System, keeps: bool = True) -> None:
        self._system, self._keeps = system, keeps
        self._slow = True  # whether the last event was slow; the first one is treated as if it were
        if system.may_fail:  # a user's policy is guarded in each sub-step, which takes time
            self.keyframe_every = KEYFRAME_EVERY_IF_GUARDED

    def another(self) -> Engine | None:
        """None: Python runs in one thread at a time."""
        return None

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`Engine`.

        If a user's policy fails, the advance ends before that event with the fault; a built-in policy's error is
        raised.  The first event, and one after a slow event, reports its progress and can be cancelled in the middle
        (:mod:`model.running.waiting`), which is a fault, too.  If another engine has taken over by then, the event is
        left to that one.
        """
        samples: list[np.ndarray] = []
        result = self._advance(state, tape, task, samples)
        width = self._system.sample_width
        return result._replace(samples=np.array(samples).reshape(-1, width))

    def _advance(self, state: Any, tape: np.ndarray, task: Task, samples: list[np.ndarray]) -> Advance:
        system, guarded, keeps = self._system, self._system.may_fail, self._keeps
        for place in range(len(tape)):
            event = system.next_event(state)
            if event is None:
                return Advance(state, place, Reason.END)
            if event.time > task.until:
                return Advance(state, place, Reason.TIME)
            careful = guarded or self._slow
            before = copied(state) if careful and keeps else None
            began, row = monotonic(), tape[place : place + 1]
            try:
                state = _told_of(system, state, event, row, task) if careful else happened(system, state, event, row)
            except (PolicyError, GivenUpError) as error:
                if before is None:
                    raise
                if task.overtaken():
                    return Advance(before, place, Reason.LIMIT)
                return Advance(before, place, Reason.FAULT, fault=error)
            self._slow = monotonic() - began > SLOW_EVENT
            if task.stride and int(tape[place]["event"]) % task.stride == 0:
                samples.append(np.zeros(self._system.sample_width))
                system.sample(state, samples[-1])
            if task.stop_flags and int(tape[place]["flags"]) & task.stop_flags:
                return Advance(state, place + 1, Reason.FLAG)
        return Advance(state, len(tape), Reason.LIMIT)


def happened(system: System, state: Any, event: Event, row: np.ndarray) -> Any:
    """Run an event without looking at its sub-steps; the state after it, *state* itself unless it had to grow."""
    state = system.prepared(state, event)
    for _ in system.run(state, event, row):
        pass
    return system.settled(state)


def _told_of(system: System, state: Any, event: Event, row: np.ndarray, task: Task) -> Any:
    """As :func:`happened`, reporting progress once the event is slow; raises GivenUpError if it is to be left."""
    state, began = system.prepared(state, event), monotonic()
    for steps, _ in enumerate(system.run(state, event, row), 1):
        if monotonic() - began > SLOW_EVENT and _to_be_left(state, steps, task):
            raise _given_up(state)
    return system.settled(state)


def _to_be_left(state: Any, steps: int, task: Task) -> bool:
    """Report the progress of a slow event; return whether to leave it before its end."""
    number = grouped(int(state.number[0]) + 1)
    who_waits().tell(Phrase("Within event {event}: {count} sub-steps so far", event=number, count=grouped(steps)))
    return task.overtaken() or who_waits().stop()


def _given_up(state: Any) -> GivenUpError:
    """The error for an event that was left in the middle."""
    return GivenUpError(Phrase("stopped within event {event}", event=int(state.number[0]) + 1))


def started(system: System) -> Any:
    """The state after the policy's initialization: that of event 0."""
    state = system.raw_state()
    for _ in system.start(state):
        pass
    return system.settled(state)
