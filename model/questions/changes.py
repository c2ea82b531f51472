"""Finds what questions read from states, so that it can be computed from the rows that events change."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Callable, Iterable, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.fields import ThingFields
from slotscope.model.questions.operations import Run
from slotscope.model.questions.pairing import Pairing
from slotscope.model.questions.parts import FALSE, Meaning
from slotscope.model.questions.tables import Column, EventTable, Lead
from slotscope.model.systems.watching import MOST_WATCHED, RowChanges, StateRows


@dataclass(frozen=True)
class OfThings:
    """A look at *things*, or at the state itself (None), that can be computed from recorded changes.

    *read* evaluates a *condition* on each thing, to count them or to find whether *any* fulfils it; or it gives the
    value of the thing with a *number*.  It reads the *fields* of each thing from the thing's own rows, and the
    question's looks with the indices *needs*.  *maybe* tells at which events the condition may be true of any thing.
    If *paired*, it also reads each thing as it was one event before; *still* is the condition for things that the event
    left unchanged, and *pairing* is that in steps, if it reads both the thing and the event.
    """

    things: ThingFields | None
    read: Run
    fields: tuple[Run, ...]
    number: int | None = None
    needs: frozenset[int] = frozenset()
    condition: Meaning = FALSE
    still: Meaning = FALSE
    pairing: Pairing | None = None
    paired: bool = False
    any: bool = False
    maybe: Callable[[EventTable, bool], Column] = FALSE.where

    @cached_property
    def parts(self) -> dict[Run, Meaning]:
        """The subtrees of its condition that read a thing alone, by their ``run``."""
        return {part.run: part for one in (self.still, self.condition) for part in one.of_things()}

    @cached_property
    def then(self) -> tuple[Meaning, ...]:
        """What its condition reads of things one event before."""
        return tuple(dict.fromkeys(self.condition.of_things_before()))

    @cached_property
    def now(self) -> tuple[Meaning, ...]:
        """What else it reads of things, as they are after the event."""
        return tuple(dict.fromkeys(part for part in self.still.of_things() if part not in self.then))


class StateLook(NamedTuple):
    """A read from a state: by *read* from a table of one event, or by *of_things*, if given, from recorded changes."""

    read: Run
    of_things: OfThings | None = None


class WatchedThings(NamedTuple):
    """The arrays of the state, with a row for each thing of one kind, whose changes are recorded."""

    things: ThingFields
    names: tuple[str, ...]
    only: tuple[int, ...]  #: the places that are asked about; empty: all
    by_number: bool = False  #: whether all looks ask for single things, which arrive, by their numbers


class _ReadState(StateRows):
    """A state that records the names of the arrays read from it."""

    def __init__(self, state: Any) -> None:
        super().__init__(state, {})
        self.names = dict[str, None]()

    def __getattr__(self, name: str) -> Any:
        self.names[name] = None
        return super().__getattr__(name)


def watched_by(looks: Iterable[StateLook], state: Any, numbers: Any) -> tuple[WatchedThings, ...]:
    """What to watch for the looks at each kind of thing; kinds that cannot be watched are left out."""
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
    """The places of the things that are asked about, if all looks are by number and each thing stays at its place."""
    numbers = [one.number for one in looks if one.number is not None and one.things and one.things.there is None]
    mine = {number - 1 for number in numbers if 1 <= number <= places}
    return tuple(sorted(mine)) if len(numbers) == len(looks) else ()


def read_at_once(looks: Iterable[StateLook], state: Any, numbers: Any) -> tuple[str, ...]:
    """The arrays read by looks at the state itself; empty if they are more than :data:`MOST_WATCHED`."""
    names = _read_by((one.of_things for one in looks if one.of_things and one.of_things.things is None), state, numbers)
    return tuple(names) if len(names) <= MOST_WATCHED else ()


def _read_by(looks: Iterable[OfThings], state: Any, numbers: Any) -> dict[str, None]:
    nobody = np.zeros((0, 0))
    seen = _ReadState(state)
    for look in looks:
        if look.things is not None and look.things.there is not None:  # else each thing is at the place of its number
            look.things.there(seen)
        if look.things is not None and not (look.fields and look.things.there is None):
            look.things.numbers(seen)
        table = EventTable(np.zeros(0), nobody, Lead(np.zeros(0), nobody), numbers, state=seen)
        for read in look.fields:
            read(table)
    return seen.names


def of_states(look: OfThings, changes: RowChanges, before: Any, table: EventTable, told: NDArray[np.int64]) -> Column:
    """[n] the value of a look at several states, whose arrays were recorded as a whole in *changes*.

    *told* [n] selects the states: 0 is the state *before*, 1 the first that was recorded.
    """
    arrays = {name: np.concatenate([_first(getattr(before, name), rows), rows]) for name, rows in changes.rows.items()}
    states = StateRows(before, {name: _taken(array, told) for name, array in arrays.items()})
    with np.errstate(all="ignore"):
        return np.broadcast_to(look.read(table.but(state=states)), told.shape)


def _taken(array: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """Rows of an array; a view if they are consecutive."""
    in_order = len(places) > 0 and bool((np.diff(places) == 1).all())
    return array[places[0] : places[-1] + 1] if in_order else array.take(places, axis=0)


def _first(before: NDArray[Any], told: NDArray[Any]) -> NDArray[Any]:
    """[1, ...] the array *before*; zeros if its shape differs, as it belongs to another policy."""
    return before[None] if before.shape == told.shape[1:] else np.zeros((1, *told.shape[1:]), told.dtype)
