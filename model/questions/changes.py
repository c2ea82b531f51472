"""What questions about things read from what events change: only the rows that changed are looked at again."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.counting import ThingValues, code_is_at_hand, counted_by_event
from slotscope.model.questions.fields import ThingFields
from slotscope.model.questions.operations import Run
from slotscope.model.questions.pairing import Pairing
from slotscope.model.questions.tables import Column, EventTable, Lead
from slotscope.model.systems.watching import MOST_WATCHED, RowChanges, StateRows

#: Truths of things at events that are found at once: more of them leave a processor's cache.
MOST_TRUTHS = 2**15

#: Events that things are asked about at once, at least and at most.
FEWEST_EVENTS, MOST_EVENTS = 128, 4096


class OfThings(NamedTuple):
    """A look that is about things, or about the state itself (None), which need not stop at each state.

    *read* gives a truth of each thing, and how many are true is asked for; or the value of the thing of a *number*.
    It reads the *fields* of each thing from the thing's own rows.  One that is *paired* reads each thing as it was one
    event before, too, and where it is *turning* it is true only of things that the event changed; one *of_event* reads
    also numbers of the event; and what stands at the places *needs* among the question's looks.
    """

    things: ThingFields | None
    read: Run
    fields: tuple[Run, ...]
    number: int | None = None
    paired: bool = False
    turning: bool = False
    of_event: bool = False
    needs: frozenset[int] = frozenset()
    pairing: Pairing | None = None  #: its truth of each thing at each event, for compiled code
    any: bool = False  #: it is enough to know whether it is true of any

    @property
    def mixed(self) -> bool:
        """Whether a thing's truth depends on the event, too."""
        return self.number is None and (self.of_event or bool(self.needs))


class StateLook(NamedTuple):
    """Something read from a state: from a table of one event, or, where it is known, from what events change."""

    read: Run
    of_things: OfThings | None = None


class WatchedThings(NamedTuple):
    """What is watched of one kind of thing: arrays of the state that have a row for each."""

    things: ThingFields
    names: tuple[str, ...]
    only: tuple[int, ...]  #: the places that are asked about; none: all
    by_number: bool = False  #: only things that arrive are asked about, by their numbers


class _ReadState(StateRows):
    """A state that remembers what was read from it."""

    def __init__(self, state: Any) -> None:
        super().__init__(state, {})
        self.names = dict[str, None]()

    def __getattr__(self, name: str) -> Any:
        self.names[name] = None
        return super().__getattr__(name)


def watched_by(looks: Iterable[StateLook], state: Any, numbers: Any) -> tuple[WatchedThings, ...]:
    """The arrays of the state to be watched for looks at each kind of thing, where that can be."""
    mine = [look.of_things for look in looks if look.of_things is not None]
    kinds = {id(one.things): one.things for one in mine if one.things is not None}
    found = []
    for things in kinds.values():
        seen = state if things.derived is None else things.derived.seen(state)
        looks_at = [one for one in mine if one.things is things]
        names = _read_by(looks_at, seen, numbers)
        places = {len(getattr(seen, name)) for name in names}
        if 0 < len(names) <= MOST_WATCHED and len(places) == 1:
            by_number = things.arrive and all(one.number is not None for one in looks_at)
            found.append(WatchedThings(things, tuple(names), _asked_for(looks_at, places.pop()), by_number))
    return tuple(found)


def _asked_for(looks: Sequence[OfThings], places: int) -> tuple[int, ...]:
    """The places of things that have one each, where only some are asked about by their numbers; else none."""
    numbers = [one.number for one in looks if one.number is not None and one.things and one.things.there is None]
    mine = {number - 1 for number in numbers if 1 <= number <= places}
    return tuple(sorted(mine)) if len(numbers) == len(looks) else ()


def read_at_once(looks: Iterable[StateLook], state: Any, numbers: Any) -> tuple[str, ...]:
    """The arrays that are read by looks at the state itself; none if they are too many."""
    names = _read_by((one.of_things for one in looks if one.of_things and one.of_things.things is None), state, numbers)
    return tuple(names) if len(names) <= MOST_WATCHED else ()


def _read_by(looks: Iterable[OfThings], state: Any, numbers: Any) -> dict[str, None]:
    nobody = np.zeros((0, 0))
    seen = _ReadState(state)
    for look in looks:
        if look.things is not None and look.things.there is not None:  # else each thing is in the place of its number
            look.things.numbers(seen)
            look.things.there(seen)
        table = EventTable(np.zeros(0), nobody, Lead(np.zeros(0), nobody), numbers, state=seen)
        for read in look.fields:
            read(table)
    return seen.names


def of_states(look: OfThings, changes: RowChanges, before: Any, table: EventTable, told: NDArray[np.int64]) -> Column:
    """[n] a look at states that *changes* tells as a whole, after the state *before*, which has the number 0.

    *told* [n] are the numbers of those that are asked for.
    """
    arrays = {name: np.concatenate([_first(getattr(before, name), rows), rows]) for name, rows in changes.rows.items()}
    states = StateRows(before, {name: _taken(array, told) for name, array in arrays.items()})
    return np.broadcast_to(_read(look, table, states), told.shape)


def _taken(array: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """Rows of an array; not a copy where they follow each other."""
    in_order = len(places) > 0 and bool((np.diff(places) == 1).all())
    return array[places[0] : places[-1] + 1] if in_order else array.take(places, axis=0)


def _first(before: NDArray[Any], told: NDArray[Any]) -> NDArray[Any]:
    """[1, ...] an array before; nothing of one that another policy has had, and this one has otherwise."""
    return before[None] if before.shape == told.shape[1:] else np.zeros((1, *told.shape[1:]), told.dtype)


def column_of(look: OfThings, changes: RowChanges, before: Any, table: EventTable, start: int, events: int) -> Column:
    """[events] a look after each event, from the state *before* the first one and what they changed.

    The first event stands at *start* in *table*, counted with those before.
    """
    things = _Versions(look, changes, before, table, start)
    if look.number is not None:
        return things.value(events)
    if look.turning:
        return things.turned(events)
    column = things.counted_at_each(events) if look.mixed else things.counted(events)
    return column + things.turned(events) if look.paired else column


class _Versions:
    """The rows of things as they were before the first of some events, and as events changed them."""

    def __init__(self, look: OfThings, changes: RowChanges, before: Any, table: EventTable, start: int) -> None:
        self._look, self._table, self._start = look, table, start
        self._before = StateRows(before, changes.derived) if changes.derived else before
        self.place, self.event, self._rows = changes.place, changes.event, changes.rows
        self._previous = changes.previous
        self._places = len(getattr(self._before, next(iter(self._rows))))

    def value(self, events: int) -> Column:
        """[events] the value of the thing of a number; missing where there is none."""
        numbers, number = self._numbers(), self._look.number
        first = numbers[: self._places] == number
        here, were = numbers[self._places :] == number, self._were(numbers, -1) == number
        values = _of(self._look, self._table, self._every, self._every_place, missing=np.nan)
        order = np.lexsort((here, self.event))  # where it changes its place in an event, that it came to
        mine = order[(here | were)[order]]
        changed = np.where(here, values[self._places :], np.nan)[mine]
        told = np.r_[values[: self._places][first][0] if first.any() else np.nan, changed]
        column: Column = told[np.searchsorted(self.event[mine], np.arange(events), "right")]
        return column

    def counted(self, events: int) -> Column:
        """[events] of how many things it is true, whatever the event is."""
        truths = _of(self._look, self._table, self._every, self._every_place).astype(np.int64)
        steps = truths[self._places :] - self._were(truths, 0)
        return np.asarray(truths[: self._places].sum() + np.cumsum(np.bincount(self.event, steps, events)))

    def counted_at_each(self, events: int) -> Column:
        """[events] of how many things it is true, by what each event is."""
        pairing = self._look.pairing
        if pairing is not None and code_is_at_hand():
            return self._counted_in_pairs(pairing, events)
        return self._counted_alike(events)

    def _counted_in_pairs(self, pairing: Pairing, events: int) -> Column:
        """[events] the same in compiled code, which looks at many things at once."""
        there, count = self._there(), len(self._every_place)
        versions = np.ones(count, np.bool_) if there is None else there.copy()
        mine = slice(None) if there is None else np.flatnonzero(there)
        table = replace(self._table, state=self._every, places=self._every_place[mine])
        own = np.empty((len(pairing.own), count)) if there is None else np.full((len(pairing.own), count), np.nan)
        with np.errstate(all="ignore"):
            for true in pairing.only:
                versions[mine] &= true(table)
            for values, read in zip(own, pairing.own, strict=True):
                values[mine] = read(table)
            at = replace(self._table, at=self._start + np.arange(events))
            others = [np.broadcast_to(read(at), events) for read in pairing.others]
        things = ThingValues(own, versions, self._places, self.event, self.place)
        return counted_by_event(pairing, things, np.array(others, float).reshape(-1, events), self._look.any)

    def _counted_alike(self, events: int) -> Column:
        """[events] the same, where things whose fields are the same are one."""
        alike, shown = self._alike()
        event, now, was = self.event, alike[self._places :], self._were(alike, 0)
        present = np.bincount(alike[: self._places], minlength=len(shown)).astype(np.float64)  # whole, added up faster
        present[0] = 0
        column, first = np.zeros(events, np.int64), 0
        while first < events:
            last = min(events, first + _together(int(np.count_nonzero(present)), len(event) / events, len(shown)))
            mine = slice(*np.searchsorted(event, (first, last)))
            turned = _named(len(shown), now[mine], was[mine])
            kinds = np.flatnonzero((present > 0) | turned)
            truths = self._true_at(shown[kinds], np.arange(first, last)).astype(np.float64)
            counted = truths @ present[kinds]
            steps = _steps(np.flatnonzero(turned), len(shown), event[mine] - first, now[mine], was[mine], last - first)
            counted += np.einsum("ij,ij->i", steps, truths[:, turned[kinds]])
            column[first:last] = counted
            present[turned] += steps[-1]
            first = last
        return column

    def _true_at(self, versions: NDArray[np.int64], event: NDArray[np.int64]) -> NDArray[np.bool_]:
        """[events, versions] whether it is true of a thing that is as a version is, and was so before the event."""
        state, places = self._taken(versions), self._every_place[versions]
        shape, at = (len(event), len(versions)), self._start + event[:, None]
        then = _Then(state, *_all(shape), at - 1) if self._look.paired else None
        return np.broadcast_to(_read(self._look, self._table, state, places, then, at), shape)

    def turned(self, events: int) -> Column:
        """[events] of how many more things it is true, as those that the event changed were otherwise before.

        Of one that is turning: of how many in all.
        """
        at, state = self._start + self.event, StateRows(self._before, self._rows)
        earlier = {name: self._earlier(told, getattr(self._before, name)) for name, told in self._rows.items()}
        known = ~self._begins | (self.place < self._places)
        then = _of(self._look, self._table, state, self.place, (earlier, known), at).astype(np.int64)
        now = 0 if self._look.turning else _of(self._look, self._table, state, self.place, at=at)
        return np.bincount(self.event, then - now, events)

    # Rows.

    @cached_property
    def _every(self) -> Any:
        """A state that has the rows of all versions, those before the first event first."""
        joined = {name: np.concatenate([getattr(self._before, name), told]) for name, told in self._rows.items()}
        return StateRows(self._before, joined)

    @cached_property
    def _begins(self) -> NDArray[np.bool_]:
        """[m] whether a change is the first one of its place."""
        return np.asarray(self._previous < 0)

    @cached_property
    def _every_place(self) -> NDArray[np.int64]:
        return np.concatenate([np.arange(self._places), self.place])

    def _taken(self, versions: NDArray[np.int64]) -> Any:
        state = self._every
        return StateRows(state, {name: getattr(state, name).take(versions, axis=0) for name in self._rows})

    def _numbers(self) -> NDArray[np.int64]:
        """[versions] what each thing is called; -1 where there is none."""
        there, state = self._there(), self._every
        if there is None:
            return self._every_place + 1
        numbers = np.full(len(there), -1)
        numbers[there] = self._things.numbers(state)
        return numbers

    def _alike(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """[versions] a number of what the fields of each are, from 1, 0 of none; and a version of each number."""
        there, state, places = self._there(), self._every, self._every_place
        mine = np.arange(len(places)) if there is None else np.flatnonzero(there)
        table = replace(self._table, state=state, places=places[mine])
        kind = np.zeros(len(mine), np.int64)
        for number, read in enumerate(self._look.fields):
            values = np.unique(np.broadcast_to(read(table), (len(mine),)), return_inverse=True)[1].reshape(-1)
            joined = kind * (values.max(initial=0) + 1) + values
            kind = np.unique(joined, return_inverse=True)[1].reshape(-1) if number else values
        alike = np.zeros(len(places), np.int64)
        alike[mine] = kind + 1
        shown = np.zeros(kind.max(initial=-1) + 2, np.int64)
        shown[alike[mine]] = mine
        return alike, shown

    @property
    def _things(self) -> ThingFields:
        assert self._look.things is not None
        return self._look.things

    def _there(self) -> NDArray[np.bool_] | None:
        return None if self._things.there is None else self._things.there(self._every)

    def _were(self, values: NDArray[Any], nothing: int) -> NDArray[Any]:
        """[m] of *values* [versions] those that things had before each change."""
        was = self._earlier(values[self._places :], values[: self._places])
        was[self._begins & (self.place >= self._places)] = nothing
        return was

    def _earlier(self, told: NDArray[Any], first: NDArray[Any]) -> NDArray[Any]:
        """[m, ...] what each row was before; 0 where there was none."""
        was = told.take(self._previous, axis=0, mode="wrap")
        was[self._begins] = 0
        known = self._begins & (self.place < len(first))
        was[known] = first[self.place[known]]
        return was


def _together(present: int, turning: float, most: int) -> int:
    """At how many events things are asked about at once: of so many kinds as are *present* and come with each event."""
    room = 2 * MOST_TRUTHS / (present + (present**2 + 4 * turning * MOST_TRUTHS) ** 0.5 + 1)
    return max(FEWEST_EVENTS, min(MOST_EVENTS, int(max(room, MOST_TRUTHS / most))))


def _named(most: int, *kinds: NDArray[np.int64]) -> NDArray[np.bool_]:
    """[most] which numbers of kinds are among some; 0 is none."""
    found = np.zeros(most, np.bool_)
    for some in kinds:
        found[some] = True
    found[0] = False
    return found


def _steps(
    kinds: NDArray[np.int64], most: int, event: NDArray[np.int64], now: NDArray[Any], was: NDArray[Any], events: int
) -> NDArray[np.float64]:
    """[events, kinds] how many more there are of each after each event than before the first."""
    steps, place = np.zeros(events * len(kinds)), np.zeros(most, np.int64)
    place[kinds] = np.arange(len(kinds))
    for which, step in ((now, 1.0), (was, -1.0)):
        mine = which > 0
        np.add.at(steps, event[mine] * len(kinds) + place[which[mine]], step)
    return np.asarray(np.cumsum(steps.reshape(events, len(kinds)), axis=0))


class _Then(NamedTuple):
    """A state one look before, with things in the places of the present ones: see :attr:`EventTable.lasting`."""

    state: Any
    there: NDArray[np.bool_]
    same: NDArray[np.bool_]
    at: NDArray[np.int64] | None  #: the event before, see :attr:`EventTable.at`


def _all(shape: int | tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    every = np.ones(shape, np.bool_)
    return every, every


def _of(
    look: OfThings,
    table: EventTable,
    state: Any,
    places: NDArray[np.int64],
    earlier: tuple[Mapping[str, NDArray[Any]], NDArray[np.bool_]] | None = None,
    at: NDArray[np.int64] | None = None,
    missing: float = 0,
) -> NDArray[Any]:
    """[m] what a look reads of each of the *places*; *missing* where there is no thing.

    *earlier* are the rows of the same places one look before, and whether there were any; without it those of *state*.
    *at* [m] are the events that go with them.
    """
    assert look.things is not None
    there = look.things.there
    where = np.ones(len(places), np.bool_) if there is None else there(state)
    at = None if at is None else at[where]
    back = None if at is None else at - 1
    then = _Then(state, *_all(int(where.sum())), back)
    if earlier is not None:
        before = StateRows(state, {name: rows[where] for name, rows in earlier[0].items()})
        then = _lasting(look.things, state, before, earlier[1][where], back)
    found = _read(look, table, state, places[where], then if look.paired else None, at)
    spread = np.full(len(where), missing, found.dtype if missing == 0 else float)
    spread[where] = found
    return spread


def _lasting(
    things: ThingFields, state: Any, before: Any, known: NDArray[np.bool_], back: NDArray[np.int64] | None
) -> _Then:
    """*before*, whose rows are those of the things of *state*: which of them were there, and the same ones."""
    if things.there is None:
        return _Then(before, np.ones(len(known), np.bool_), known, back)
    there = things.there(before)
    numbers = np.full(len(known), -1)
    numbers[there] = things.numbers(before)
    return _Then(before, there, known & (numbers == things.numbers(state)), None if back is None else back[there])


def _read(
    look: OfThings,
    table: EventTable,
    state: Any,
    places: NDArray[np.int64] | None = None,
    then: _Then | None = None,
    at: NDArray[np.int64] | None = None,
) -> Column:
    table = replace(table, state=state, places=places, at=at)
    if then is not None:
        before = replace(table, state=then.state, at=then.at)
        table.before, table.lasting = before, (then.there, then.same)
    with np.errstate(all="ignore"):
        return look.read(table)
