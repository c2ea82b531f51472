"""Runs a history in which rules change: legs under one policy each, and events with forced decisions.

A :class:`CourseSystem` takes the place of a system and delegates each event to the leg in which it happens;
a :class:`CourseEngine` runs the engine of each leg up to the next event that needs special care.
An event with a forced decision is run by the reference, also in every replay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from slotscope.model.errors import IMPOSSIBLE, PolicyError, UserError
from slotscope.model.forks.overruled import DECIDED, under
from slotscope.model.reporting.records import Event, Record
from slotscope.model.running.engine import Advance, Engine, EventRun, Reason, Task
from slotscope.model.systems.base import EVENT
from slotscope.model.systems.state import copied
from slotscope.model.systems.watching import changed_rows


@dataclass(frozen=True)
class Leg:
    """The part of a history from after *first* events up to the next leg, and the system that runs it."""

    first: int
    system: Any


class CourseSystem:
    """See :class:`model.running.engine.System`; *forced* are the forced decisions by event."""

    def __init__(self, legs: Sequence[Leg], forced: Mapping[int, str]) -> None:
        self.legs = tuple(legs)
        self.forced = dict(forced)
        self.name = legs[0].system.name
        self.row_dtype = legs[0].system.row_dtype
        self.sample_width = max(leg.system.sample_width for leg in legs)

    @property
    def may_fail(self) -> bool:
        """Whether any of the policies is a user's."""
        return any(leg.system.may_fail for leg in self.legs)

    @property
    def on_drift(self) -> str:
        """The advice of the last leg's system."""
        return str(self.legs[-1].system.on_drift)

    def place(self, event: int) -> int:
        """The index of the leg that runs the events after *event*."""
        return max(place for place, leg in enumerate(self.legs) if place == 0 or leg.first <= event)

    def _system(self, state: Any) -> Any:
        return self.legs[self.place(int(state.number[EVENT]))].system

    def raw_state(self) -> Any:
        """The initial state of the first leg."""
        return self.legs[0].system.raw_state()

    def start(self, state: Any) -> Iterator[Record]:
        """The initialization of the first policy."""
        yield from self.legs[0].system.start(state)

    def settled(self, state: Any) -> Any:
        """The state after an event, taken over by the legs that start there.

        Raises PolicyError if one of them cannot take it over.
        """
        for before, leg in zip(self.legs, self.legs[1:], strict=False):
            if leg.first == state.number[EVENT]:
                try:
                    state = leg.system.take_over(before.system, state)
                except UserError as error:
                    raise PolicyError(error.line) from None
        return state

    def prepared(self, state: Any, event: Event | None = None) -> Any:
        """The state with room for one more event, *event* where it is known."""
        return self._system(state).prepared(state, event)

    def next_event(self, state: Any) -> Event | None:
        """What happens next, or None."""
        following: Event | None = self._system(state).next_event(state)
        return following

    def run(self, state: Any, event: Event, row: np.ndarray) -> Iterator[Record]:
        """Run an event, as its policy or a forced decision decides.

        Raises PolicyError if a forced decision is impossible.
        """
        system, number = self._system(state), int(state.number[EVENT]) + 1
        if number not in self.forced:
            yield from system.run(state, event, row)
            return
        try:
            overruled = system.overruled(event, self.forced[number])
            other = under(system, overruled)
            told = False
            for record in other.run(state, event, row):
                told |= record.kind == DECIDED
                yield record
            if not told:
                raise PolicyError("nothing of the kind is decided there")
            row["flags"] |= overruled.flag
        except UserError as error:
            raise PolicyError(
                f"event {number} cannot be decided so: {error.message.removeprefix(IMPOSSIBLE)}"
            ) from None

    def sample(self, state: Any, row: np.ndarray) -> None:
        """Fill one row; columns that a leg does not have stay 0."""
        system = self._system(state)
        system.sample(state, row[: system.sample_width])


class CourseEngine:
    """See :class:`model.running.engine.Engine`; *engines* are those of the legs."""

    def __init__(self, system: CourseSystem, engines: Sequence[Engine]) -> None:
        self._system = system
        self._engines = tuple(engines)
        self.name = "kernel" if any(engine.name == "kernel" for engine in engines) else "reference"
        self.keyframe_every = min(engine.keyframe_every for engine in engines)
        self.slice_seconds = min(engine.slice_seconds for engine in engines)
        starts = {leg.first for leg in system.legs[1:]}
        #: Events that need special care: those with a forced decision, and those after which rules change.
        self._careful = sorted({*system.forced, *starts} - {0})

    @property
    def watches(self) -> bool:
        """Whether the engines of all legs record what they change."""
        return all(engine.watches for engine in self._engines)

    def another(self) -> CourseEngine | None:
        """A course engine over second engines of all legs; None if one of them has none."""
        others = [engine.another() for engine in self._engines]
        return None if None in others else CourseEngine(self._system, [one for one in others if one is not None])

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.running.engine.Engine`; before an event that fails it ends with the fault.

        If the task watches changes, it ends after one part, as changes are recorded for one part at a time.
        """
        rows, samples = 0, [np.zeros((0, self._system.sample_width))]
        result = Advance(state, 0, Reason.LIMIT)
        while rows < len(tape) and result.reason is Reason.LIMIT and not (rows and task.watch):
            result = self._part(result.state, tape[rows:], task)
            rows += result.rows
            samples.append(self._wide(result.samples))
        return result._replace(rows=rows, samples=np.concatenate(samples))

    def _part(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """Run up to the next event that needs special care, or that event alone."""
        event = int(state.number[EVENT])
        careful = next((number for number in self._careful if number > event), None)
        if careful == event + 1:
            return self._alone(state, tape[:1], task)
        if careful is not None:
            tape = tape[: careful - 1 - event]
        return self._engines[self._system.place(event)].advance(state, tape, task)

    def _alone(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """Run one event by the reference."""
        following = self._system.next_event(state)
        if following is None:
            return Advance(state, 0, Reason.END)
        if following.time > task.until:
            return Advance(state, 0, Reason.TIME)
        before = copied(state)
        try:
            run = EventRun(self._system, state)
            run.finish()
        except PolicyError as error:
            return Advance(before, 0, Reason.FAULT, fault=error)
        tape[0] = run.row[0]
        samples = np.zeros((1, self._system.sample_width))
        self._system.sample(run.state, samples[0])
        wanted = bool(task.stride) and int(run.state.number[EVENT]) % task.stride == 0
        reason = Reason.FLAG if int(tape[0]["flags"]) & task.stop_flags else Reason.LIMIT
        changes = changed_rows(before, run.state, task.watch, task.whole, task.derived) if task.watch else None
        return Advance(run.state, 1, reason, samples if wanted else samples[:0], changes=changes)

    def _wide(self, samples: np.ndarray) -> np.ndarray:
        """*samples*, padded with zeros to the columns of the widest leg."""
        wide = np.zeros((len(samples), self._system.sample_width))
        wide[:, : samples.shape[1]] = samples
        return wide
