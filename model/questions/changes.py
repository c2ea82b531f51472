"""What questions about things read from what events change: only the rows that changed are looked at again."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.fields import ThingFields
from slotscope.model.questions.operations import Run
from slotscope.model.questions.tables import Column, EventTable, Lead
from slotscope.model.systems.watching import MOST_WATCHED, RowChanges


class OfThings(NamedTuple):
    """A look that is about things, and reads of each its own rows *alone*; or also others', and many states at once.

    *read* gives a truth of each thing, and how many are true is asked for; or the value of the thing in one *place*.
    """

    things: ThingFields
    read: Run
    place: int | None = None
    alone: bool = True


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
    arrays = {name: np.concatenate([getattr(before, name)[None], told]) for name, told in changes.rows.items()}
    found = _read(look, before._replace(**arrays), numbers)
    spread = np.broadcast_to(found, (1 + len(changes.event), len(look.things.numbers(before))))
    if look.place is None:
        return np.asarray(spread.sum(axis=1))
    return np.asarray(spread[:, look.place] if look.place < spread.shape[1] else np.full(len(spread), np.nan))


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
    place, now = changes.place[order], changed[order]
    was = np.zeros(len(now), np.bool_)
    was[1:] = now[:-1]
    begins = np.r_[True, place[1:] != place[:-1]][: len(place)]
    was[begins] = np.r_[at_first, np.zeros(max(0, place.max(initial=0) + 1 - len(at_first)), np.bool_)][place[begins]]
    steps = now.astype(np.int64) - was
    return np.asarray(at_first.sum() + np.cumsum(np.bincount(changes.event[order], steps, events)))


def _of(look: OfThings, state: Any, numbers: Any, places: NDArray[np.int64] | None = None) -> NDArray[Any]:
    """[m] what a look reads of each of the *places*, or of all; nothing holds where there is no thing."""
    found = _read(look, state, numbers, places)
    there = look.things.there
    if there is None:
        return np.broadcast_to(found, (len(look.things.numbers(state) if places is None else places),))
    where = there(state)
    spread = np.zeros(len(where), np.bool_)
    spread[where] = found
    return spread


def _read(look: OfThings, state: Any, numbers: Any, places: NDArray[np.int64] | None = None) -> Column:
    nobody = np.zeros((0, 0))
    table = EventTable(np.zeros(0), nobody, Lead(np.zeros(0), nobody), numbers, state=state, places=places)
    with np.errstate(all="ignore"):
        return look.read(table)
