"""What questions about things read from what events change: only the rows that changed are looked at again."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.counting import MANY, ThingValues, counted_by_event, counted_truths
from slotscope.model.questions.fields import ThingFields
from slotscope.model.questions.operations import Run
from slotscope.model.questions.pairing import Pairing
from slotscope.model.questions.parts import FALSE, Meaning
from slotscope.model.questions.tables import Column, EventTable, Lead
from slotscope.model.systems.watching import MOST_WATCHED, RowChanges, StateRows


class OfThings(NamedTuple):
    """A look that is about things, or about the state itself (None), which need not stop at each state.

    *read* gives a truth of each thing, and how many are true is asked for, or whether *any* is; or the value of the
    thing of a *number*.  It reads the *fields* of each thing from the thing's own rows, and what stands at the places
    *needs* among the question's looks.  At which events it may be true of any *maybe* tells.  One that is *paired*
    reads each thing as it was one event before, too; of a thing that the event left as it was it says what *still*
    does, which is a *pairing* of things and the event where it depends on both.
    """

    things: ThingFields | None
    read: Run
    fields: tuple[Run, ...]
    number: int | None = None
    needs: frozenset[int] = frozenset()
    still: Meaning = FALSE
    pairing: Pairing | None = None
    paired: bool = False
    any: bool = False
    maybe: Callable[[EventTable, bool], Column] = FALSE.where


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
            look.things.there(seen)
        if look.things is not None and not (look.fields and look.things.there is None):
            look.things.numbers(seen)
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
    return np.broadcast_to(_read(look.read, table, states), told.shape)


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
    if look.pairing is not None:
        touched = np.bincount(things.event, minlength=events) if look.paired else 0
        found = things.counted_in_pairs(look.pairing, events, 1 + touched if look.any else MANY)
    else:
        touched, found = (0, np.zeros(events, np.int64)) if look.still is FALSE else things.counted(events)
    if not look.paired:
        return found
    known = look.any & (found > touched)  # of one at least that the event left as it was it is true
    asked = things.maybe(events) & ~known
    others = found - touched if look.pairing is None else found - things.turned(look.still.run, asked & (found > 0))
    return others + things.turned(look.read, asked)


class _TakenRows(Mapping[str, NDArray[Any]]):
    """Rows of arrays that are taken once they are asked for."""

    def __init__(self, names: Iterable[str], take: Callable[[str], NDArray[Any]]) -> None:
        self._names, self._take = tuple(names), cache(take)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._names:
            raise KeyError(name)
        return self._take(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


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
        values = _of(self._things, self._look.read, self._table, self._every, self._every_place, missing=np.nan)
        order = np.lexsort((here, self.event))  # where it changes its place in an event, that it came to
        mine = order[(here | were)[order]]
        changed = np.where(here, values[self._places :], np.nan)[mine]
        told = np.r_[values[: self._places][first][0] if first.any() else np.nan, changed]
        column: Column = told[np.searchsorted(self.event[mine], np.arange(events), "right")]
        return column

    def counted(self, events: int) -> tuple[Column, Column]:
        """[events] of how many things that changed it is true now, and of how many in all, whatever the event is."""
        true = _of(self._things, self._look.still.run, self._table, self._every, self._every_place)
        return counted_truths(true, self._places, self.event, self.place, events)

    def counted_in_pairs(self, pairing: Pairing, events: int, enough: Any) -> Column:
        """[events] of how many things it is true, by what each event is; of no more than are *enough*."""
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
            enough = np.broadcast_to(enough, events)
            for true in pairing.when:
                enough = np.where(true(at), enough, 0)
            others = [np.broadcast_to(read(at), events) for read in pairing.others]
        things = ThingValues(own, versions, self._places, self.event, self.place)
        return counted_by_event(pairing, things, np.array(others, float).reshape(-1, events), enough)

    def maybe(self, events: int) -> NDArray[np.bool_]:
        """[events] whether it may be true of any thing, as far as the event tells."""
        with np.errstate(all="ignore"):
            known = self._look.maybe(self._table, True)
        found = np.broadcast_to(known, (self._table.length,))
        return found[self._start : self._start + events]

    def turned(self, run: Run, asked: NDArray[np.bool_]) -> Column:
        """[events] of how many things that an event changed it is true, at those that are *asked*."""
        mine = slice(None) if asked.all() else np.flatnonzero(asked[self.event])
        place, at = self.place[mine], self._start + self.event[mine]
        rows, before = self._rows, self._before
        state = StateRows(before, _TakenRows(rows, lambda name: rows[name][mine]))
        earlier = _TakenRows(rows, lambda name: self._earlier(rows[name], getattr(before, name), mine))
        known = ~self._begins[mine] | (place < self._places)
        true = _of(self._things, run, self._table, state, place, (earlier, known), at)
        return np.bincount(self.event[mine], true, len(asked))

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

    def _numbers(self) -> NDArray[np.int64]:
        """[versions] what each thing is called; -1 where there is none."""
        there, state = self._there(), self._every
        if there is None:
            return self._every_place + 1
        numbers = np.full(len(there), -1)
        numbers[there] = self._things.numbers(state)
        return numbers

    @property
    def _things(self) -> ThingFields:
        assert self._look.things is not None
        return self._look.things

    def _there(self) -> NDArray[np.bool_] | None:
        return None if self._things.there is None else self._things.there(self._every)

    def _were(self, values: NDArray[Any], nothing: int) -> NDArray[Any]:
        """[m] of *values* [versions] those that things had before each change."""
        was = self._earlier(values[self._places :], values[: self._places], slice(None))
        was[self._begins & (self.place >= self._places)] = nothing
        return was

    def _earlier(self, told: NDArray[Any], first: NDArray[Any], mine: Any) -> NDArray[Any]:
        """[m, ...] what each row was before a change, of *mine*; 0 where there was none."""
        begins, place = self._begins[mine], self.place[mine]
        was: NDArray[Any] = told.take(self._previous[mine], axis=0, mode="wrap")
        was[begins] = 0
        known = begins & (place < len(first))
        was[known] = first[place[known]]
        return was


class _Then(NamedTuple):
    """A state one look before, with things in the places of the present ones: see :attr:`EventTable.lasting`."""

    state: Any
    there: NDArray[np.bool_]
    same: NDArray[np.bool_]
    at: NDArray[np.int64] | None  #: the event before, see :attr:`EventTable.at`


def _of(
    things: ThingFields,
    run: Run,
    table: EventTable,
    state: Any,
    places: NDArray[np.int64],
    earlier: tuple[_TakenRows, NDArray[np.bool_]] | None = None,
    at: NDArray[np.int64] | None = None,
    missing: float = 0,
) -> NDArray[Any]:
    """[m] what a part reads of the things in each of the *places*; *missing* where there is no thing.

    *earlier* are the rows of the same places one look before, and whether there were any, where it reads these, too.
    *at* [m] are the events that go with them.
    """
    where = slice(None) if things.there is None else things.there(state)
    at, then = None if at is None else at[where], None
    if earlier is not None:
        rows, known = earlier
        before = StateRows(state, _TakenRows(rows, lambda name: rows[name][where]))
        then = _lasting(things, state, before, known[where], None if at is None else at - 1)
    found: NDArray[Any] = _read(run, table, state, places[where], then, at)
    if things.there is None:
        return np.broadcast_to(found, places.shape)
    spread = np.full(places.shape, missing, found.dtype if missing == 0 else float)
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
    run: Run,
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
        return run(table)
