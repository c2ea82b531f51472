"""Evaluates what questions read from states: from the rows that events changed, from many states at once, or singly."""

from __future__ import annotations

from functools import partial
from numbers import Real
from threading import local
from typing import Any, Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.changes import OfThings, WatchedThings, of_states, read_at_once, watched_by
from slotscope.model.questions.counting import code_is_at_hand
from slotscope.model.questions.fields import ThingFields
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.numbered import all_stay, followed, is_away
from slotscope.model.questions.tables import EventTable, Lead
from slotscope.model.questions.versions import column_of
from slotscope.model.running.engine import Engine, EventRun, Task
from slotscope.model.running.slices import MOST_EVENTS, Slices
from slotscope.model.running.timeline import Stretch, Timeline
from slotscope.model.systems.base import EVENT, NEXT_ARRIVAL, PolicySystem
from slotscope.model.systems.state import copied
from slotscope.model.systems.watching import RowChanges

#: Within so many events before a slice, the state read last is run on to it; from further away the slice's start is
#: copied.
NEAR = 1000

#: Most bytes of states that are kept to be read at once: more would not fit into a processor's cache.
MOST_BYTES = 2**19

#: If more than this share of a slice's events is open, the next slice records its changes in its first run.
MANY = 0.1

#: A state, the changes of the events after it, and the number of these events.
Told = tuple[Any, RowChanges, int]

#: The columns that a question reads from states, by their index among its looks.
Looks = dict[int, NDArray[np.float64]]


class _Looker(local):
    """The thread-local engine and state."""

    def __init__(self, another: Callable[[], Engine | None]) -> None:
        self.by = another()
        self.seen: Any = None  # the state that was read last; it is run on while the next slice is near


class StateLooks:
    """Reads states for some questions; each thread uses its own engine.  *state* is that before all events."""

    def __init__(
        self, system: PolicySystem, timeline: Timeline, questions: Sequence[Question], state: Any, slices: Slices
    ) -> None:
        self._system = system
        self._timeline = timeline
        self._questions = questions
        self._state = state
        self._slices = slices
        self._depth = max(question.depth for question in questions)
        looks = [look for question in questions for look in question.looks]
        self._watches = watched_by(looks, state, system.numbers)
        self._at_once = read_at_once(looks, state, system.numbers)
        self._pairs = any(question.pairs for question in questions)
        self._recalls = any(question.recalls for question in questions)
        self._looker = _Looker(_none)

    def by(self, another: Callable[[], Engine | None]) -> None:
        """Let each thread run events on an engine of its own, made by *another*."""
        self._looker = _Looker(another)

    def task(self, watch: int) -> Task:
        """The task with which a run records the changes of one kind of thing, by the index of its watch."""
        return _watching(self._watches[watch])

    def at_start(self, lead: Lead, question: Question) -> Looks:
        """What a question reads from the state before the first event."""
        looks = {place: np.full(self._depth, np.nan) for place in range(len(question.looks))}
        if self._recalls:
            scene = EventTable(lead.rows[:0], lead.samples[:0], lead, self._system.numbers, looks)
            scene = scene.one(self._depth - 1, self._state)
            for place, look in enumerate(question.looks):
                looks[place][-1] = _one(look.read, scene)
        return looks

    def look(self, tables: list[EventTable], before: Any, stretch: Stretch, told: int | None) -> tuple[bool, ...]:
        """Fill in what the questions read from states, in their *tables* of a *stretch*; *before* is the state before.

        Where possible this is computed from recorded changes (those of the watch *told* come with the stretch), else
        from the states after the events that the questions leave open.  Returns for each watch whether so many events
        were open that the next run should record its changes at each event.
        """
        self._pass_over(tables, before, stretch.state)
        many = [False] * len(self._watches)
        if self._timeline.engine.watches:
            self._look_at_once(tables, before)
            for place, watch in enumerate(self._watches):
                many[place] = self._look_at_changes(tables, before, stretch, watch, place == told)
        self._look_one_by_one(tables, before)
        return tuple(many)

    def _look_one_by_one(self, tables: list[EventTable], start: Any) -> None:
        """Fill in what is still unknown at the open events, from the state after each of them."""
        began = self._slices.clock()
        needed = [self._needed(*pair) for pair in zip(self._questions, tables, strict=True)]
        events = np.flatnonzero(np.logical_or.reduce(needed)).tolist()
        if not events:
            return
        seen = self._looker.seen
        near = seen is not None and int(start.number[EVENT]) - int(seen.number[EVENT]) <= NEAR
        state = seen if near else copied(start)
        for event in events:
            number, before, said = int(tables[0].rows["event"][event]), None, _nothing
            if self._pairs:
                state = self._state_after(state, number - 1)
                before = copied(state)
            if self._pairs or self._timeline.engine.name == "reference":
                state, said = self._made_after(self._state_after(state, number - 1))
            state = self._state_after(state, number)
            met: dict[Any, Any] = {}
            for question, table, mine in zip(self._questions, tables, needed, strict=True):
                if mine[event]:
                    scene = table.one(event + self._depth, state)
                    scene.said, scene.met = said, met
                    if before is not None and event + self._depth:
                        scene.before = table.one(event + self._depth - 1, before)
                    for place, look in enumerate(question.looks):
                        if place not in table.known:
                            table.looks[place][event + self._depth] = _one(look.read, scene)
        self._looker.seen = state
        self._slices.learn(len(tables[0].rows), self._slices.clock() - began)

    def _pass_over(self, tables: list[EventTable], before: Any, after: Any) -> None:
        """Mark as known, with all values missing, looks that their question does not need, or whose job is absent."""
        first, last = (self._system.initial_jobs + int(state.number[NEXT_ARRIVAL]) for state in (before, after))
        for question, table in zip(self._questions, tables, strict=True):
            for place, look in enumerate(question.looks):
                away = look.of_things is not None and is_away(look.of_things, before, (first, last))
                if away or place not in question.part.needs:
                    table.known.add(place)

    def _look_at_changes(
        self, tables: list[EventTable], state: Any, stretch: Stretch, watch: WatchedThings, told: bool
    ) -> bool:
        """Fill in what is read of things, at the open events, from the recorded changes of their rows.

        If the changes were not *told* with the stretch, its events are run once more.  Returns whether many were open.
        """
        rows = stretch.rows
        open_ones = np.logical_or.reduce([self._needed(*pair) for pair in zip(self._questions, tables, strict=True)])
        looks = self._looks_at(tables, watch.things)
        if told and looks:
            _fill(looks, [(state, stretch.changes, len(rows))], watch)
        elif looks:
            few, opened = followed(watch, [look for *_, look in looks], state), rows[open_ones]
            if not _fill(looks, self._again(state, opened, few), few):
                _fill(looks, self._again(state, opened, watch), watch)
        for table, place, _ in looks:
            table.known.add(place)
        return bool(looks) and bool(open_ones.mean() > MANY) and not watch.by_number

    def _looks_at(self, tables: list[EventTable], things: ThingFields | None) -> list[tuple[EventTable, int, OfThings]]:
        """The looks at *things* (None: the state itself) that can be evaluated now, each with its table and index."""
        return [
            (table, place, look.of_things)
            for question, table in zip(self._questions, tables, strict=True)
            for place, look in enumerate(question.looks)
            if look.of_things is not None and look.of_things.things is things
            if place not in table.known and look.of_things.needs <= table.known
            if code_is_at_hand(look.of_things.pairing is not None)
        ]

    def _look_at_once(self, tables: list[EventTable], state: Any) -> None:
        """Fill in what is read from the state itself, at the open events: vectorized over many states."""
        looks = self._looks_at(tables, None) if self._at_once else []
        if not looks:
            return
        rows = tables[0].rows
        needed = [self._needed(*pair) for pair in zip(self._questions, tables, strict=True)]
        events = np.flatnonzero(np.logical_or.reduce(needed))
        together = max(1, MOST_BYTES // sum(getattr(state, name).nbytes for name in self._at_once))
        before, state = state, copied(state)
        for start in range(0, len(events), together):
            mine = events[start : start + together]
            task = Task(watch=self._at_once, whole=True, moments=rows["event"][mine].astype(np.int64))
            number = int(rows["event"][mine[-1]])
            for stretch in self._timeline.onwards(state, number, task, Slices(MOST_EVENTS), self._looker.by, False):
                first = int(stretch.rows["event"][0]) - int(rows["event"][0])
                here = mine[(mine >= first) & (mine < first + len(stretch.rows))]
                told = np.searchsorted(stretch.changes.event, here - first, "right")
                for table, place, look in looks if len(here) else ():
                    at = table.lead.length + here
                    table.looks[place][at] = of_states(look, stretch.changes, before, table, told)
                state = stretch.state
                before = state._replace(**{name: getattr(state, name).copy() for name in self._at_once})
        for table, place, _ in looks:
            table.known.add(place)

    def _again(self, state: Any, rows: np.ndarray, watch: WatchedThings) -> Iterator[Told]:
        """Run on from *state*, and yield what changed up to each event of *rows*."""
        moments = rows["event"].astype(np.int64)
        task = _watching(watch)._replace(moments=moments)
        before = state
        last = int(moments.max(initial=0))
        for stretch in self._timeline.onwards(copied(state), last, task, Slices(MOST_EVENTS), self._looker.by, False):
            yield before, stretch.changes, len(stretch.rows)
            before = copied(stretch.state)

    def _needed(self, question: Question, table: EventTable) -> NDArray[np.bool_]:
        """[n] the events whose states have to be read: those that a question depends on, and the next table's lead."""
        if len(table.known) == len(question.looks):
            return np.zeros(len(table.rows), np.bool_)
        open_ones = question.candidates(table)
        needed = open_ones.copy()
        for back in range(1, question.depth + 1 if question.recalls or question.pairs else 1):
            needed[:-back] |= open_ones[back:]
        if self._recalls:
            needed[-self._depth :] = True
        return np.asarray(needed[self._depth :])

    def _made_after(self, state: Any) -> tuple[Any, Callable[[], dict[str, float]]]:
        """The state one event later, computed by the reference, and a function for what the policy said meanwhile."""
        if self._timeline.system.next_event(state) is None:
            return state, _nothing
        run = EventRun(self._timeline.system, state)
        run.finish()
        return run.state, partial(_said, run)

    def _state_after(self, state: Any, event: int) -> Any:
        for stretch in self._timeline.onwards(state, event, by=self._looker.by, to_take=False):
            state = stretch.state
        return state


def _none() -> None:
    return None


def _nothing() -> dict[str, float]:
    return {}


def _said(run: EventRun) -> dict[str, float]:
    """The numbers that the policy said in an event: the last one under each name."""
    values = [pair for record in run.records for pair in record.values.items()]
    return {name: float(value) for name, value in values if isinstance(value, Real)}


def _fill(looks: Sequence[tuple[EventTable, int, OfThings]], told: Iterable[Told], watch: WatchedThings) -> bool:
    """Fill in looks from recorded changes; False if a thing has left the place at which alone it was watched."""
    first, mine = 0, [look for *_, look in looks]
    for before, changes, count in told:
        if not all_stay(watch, mine, before, changes):
            return False
        for table, place, look in looks:
            start = table.lead.length + first
            table.looks[place][start : start + count] = column_of(look, changes, before, table, start, count)
        first += count
    return True


def _watching(watch: WatchedThings) -> Task:
    """The task with which a run records the changes that a watch asks for."""
    things, derived = watch.things, watch.things.derived
    if watch.only and derived is not None and {*derived.names}.isdisjoint(watch.names):
        derived = None  # it would only tell which places change, and those that are compared are known
    return Task(watch=watch.names, settled=things.settled, derived=derived, touched=things.touched, only=watch.only)


def _one(look: Any, scene: EventTable) -> float:
    with np.errstate(all="ignore"):
        return float(np.ravel(look(scene))[0])
