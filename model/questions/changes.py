"""What questions about things read from what events change: only the rows that changed are looked at again."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.fields import ThingFields
from slotscope.model.questions.operations import Run
from slotscope.model.questions.tables import Column, EventTable, Lead
from slotscope.model.systems.watching import MOST_WATCHED, RowChanges


class OfThings(NamedTuple):
    """A look that is about things, or about the state itself (None), which need not stop at each state.

    It reads of each thing its own rows *alone*; or also others', and many states at once.  *read* gives a truth of
    each thing, and how many are true is asked for; or the value of the thing in one *place*.  One that is *paired*
    reads each thing as it was one event before, too.
    """

    things: ThingFields | None
    read: Run
    place: int | None = None
    alone: bool = True
    paired: bool = False


class StateLook(NamedTuple):
    """Something read from a state: from a table of one event, or, where it is known, from what events change."""

    read: Run
    of_things: OfThings | None = None


class _ReadState:
    """A state that remembers what was read from it."""

    def __init__(self, state: Any) -> None:
        self._state, self.names = state, dict[str, None]()

    def __getattr__(self, name: str) -> Any:
        self.names[name] = None
        return getattr(self._state, name)


def watched_by(looks: Iterable[StateLook], state: Any, numbers: Any) -> tuple[tuple[str, ...], ThingFields | None]:
    """The arrays of the state to be watched for looks at one kind of thing, the first; none if that cannot be."""
    alone = [look.of_things for look in looks if look.of_things is not None and look.of_things.alone]
    things = alone[0].things if alone else None
    names = _read_by((one for one in alone if one.things is things), state, numbers)
    if not 0 < len(names) <= MOST_WATCHED or len({len(getattr(state, name)) for name in names}) > 1:
        return (), None
    return tuple(names), things


def read_at_once(looks: Iterable[StateLook], state: Any, numbers: Any) -> tuple[str, ...]:
    """The arrays of the state that are read by looks at things that depend on each other; none if that cannot be."""
    names = _read_by((one.of_things for one in looks if one.of_things and not one.of_things.alone), state, numbers)
    return tuple(names) if len(names) <= MOST_WATCHED else ()


def _read_by(looks: Iterable[OfThings], state: Any, numbers: Any) -> dict[str, None]:
    seen = _ReadState(state)
    for look in looks:
        _of(look, seen, numbers)
    return seen.names


def of_states(look: OfThings, changes: RowChanges, before: Any, numbers: Any) -> Column:
    """[1 + m] a look at the state *before* and at those that *changes* tells as a whole."""
    arrays = {name: np.concatenate([_first(getattr(before, name), told), told]) for name, told in changes.rows.items()}
    states, count = before._replace(**arrays), 1 + len(changes.event)
    if look.things is None:
        return np.broadcast_to(_read(look, states, numbers), (count,))
    shape = count, len(look.things.numbers(before))
    earlier = states._replace(**{name: array[np.r_[0, : count - 1]] for name, array in arrays.items()})
    spread = np.broadcast_to(_read(look, states, numbers, then=_Then(earlier, *_all(shape))), shape)
    if look.place is None:
        return np.asarray(spread.sum(axis=1))
    return np.asarray(spread[:, look.place] if look.place < shape[1] else np.full(count, np.nan))


def _first(before: NDArray[Any], told: NDArray[Any]) -> NDArray[Any]:
    """[1, ...] an array before; nothing of one that another policy has had, and this one has otherwise."""
    return before[None] if before.shape == told.shape[1:] else np.zeros((1, *told.shape[1:]), told.dtype)


def column_of(look: OfThings, changes: RowChanges, before: Any, events: int, numbers: Any) -> Column:
    """[events] a look after each event, from the state *before* the first one and what they changed."""
    changed = _of(look, before._replace(**changes.rows), numbers, changes.place)
    at_first = _of(look, before, numbers)
    if look.place is not None:
        mine = changes.place == look.place
        first = at_first[look.place] if look.place < len(at_first) else np.nan
        values: Column = np.r_[first, changed[mine]]
        return values[np.searchsorted(changes.event[mine], np.arange(events), "right")]
    order = np.argsort(changes.place, kind="stable")
    place, event, now = changes.place[order], changes.event[order], changed[order]
    begins = np.r_[True, place[1:] != place[:-1]][: len(place)]
    was = _earlier(now, begins, place, at_first)
    steps = now.astype(np.int64) - was
    column = np.asarray(at_first.sum() + np.cumsum(np.bincount(event, steps, events)))
    if look.paired:  # of what the event has changed, as it was before; of all else both are one
        rows = {name: told[order] for name, told in changes.rows.items()}
        earlier = {name: _earlier(told, begins, place, getattr(before, name)) for name, told in rows.items()}
        known = ~begins | (place < len(next(getattr(before, name) for name in rows)))
        turned = _of(look, before._replace(**rows), numbers, place, (earlier, known))
        column += np.bincount(event, turned.astype(np.int64) - now, events)
    return column


def _earlier(told: NDArray[Any], begins: NDArray[np.bool_], place: NDArray[np.int64], first: NDArray[Any]) -> Any:
    """[m, ...] what each row was before, of rows in the order of places and events; 0 where there was none."""
    was = np.zeros_like(told)
    was[1:] = told[:-1]
    was[begins] = 0
    known = begins & (place < len(first))
    was[known] = first[place[known]]
    return was


class _Then(NamedTuple):
    """A state one look before, with things in the places of the present ones: see :attr:`EventTable.lasting`."""

    state: Any
    there: NDArray[np.bool_]
    same: NDArray[np.bool_]


def _all(shape: int | tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    every = np.ones(shape, np.bool_)
    return every, every


def _of(
    look: OfThings,
    state: Any,
    numbers: Any,
    places: NDArray[np.int64] | None = None,
    earlier: tuple[Mapping[str, NDArray[Any]], NDArray[np.bool_]] | None = None,
) -> NDArray[Any]:
    """[m] what a look reads of each of the *places*, or of all; nothing holds where there is no thing.

    *earlier* are the rows of the same places one look before, and whether there were any; without it those of *state*.
    """
    if look.things is None:
        return np.ravel(_read(look, state, numbers))
    there = look.things.there
    where = np.ones(len(look.things.numbers(state) if places is None else places), np.bool_)
    where = where if there is None else there(state)
    then = _Then(state, *_all(int(where.sum())))
    if earlier is not None:
        before = state._replace(**{name: rows[where] for name, rows in earlier[0].items()})
        then = _lasting(look.things, state, before, earlier[1][where])
    found = _read(look, state, numbers, places, then)
    if there is None:
        return np.broadcast_to(found, (len(where),))
    spread = np.zeros(len(where), np.bool_)
    spread[where] = found
    return spread


def _lasting(things: ThingFields, state: Any, before: Any, known: NDArray[np.bool_]) -> _Then:
    """*before*, whose rows are those of the things of *state*: which of them were there, and the same ones."""
    if things.there is None:
        return _Then(before, np.ones(len(known), np.bool_), known)
    there = things.there(before)
    numbers = np.full(len(known), -1)
    numbers[there] = things.numbers(before)
    return _Then(before, there, known & (numbers == things.numbers(state)))


def _read(
    look: OfThings, state: Any, numbers: Any, places: NDArray[np.int64] | None = None, then: _Then | None = None
) -> Column:
    table = _table(state, numbers, places)
    if look.paired and then is not None:
        table.before, table.lasting = _table(then.state, numbers, places), (then.there, then.same)
    with np.errstate(all="ignore"):
        return look.read(table)


def _table(state: Any, numbers: Any, places: NDArray[np.int64] | None) -> EventTable:
    nobody = np.zeros((0, 0))
    return EventTable(np.zeros(0), nobody, Lead(np.zeros(0), nobody), numbers, state=state, places=places)
