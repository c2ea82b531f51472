"""Looks at single things by their numbers: whether the thing can exist in a slice, and at which places to watch."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.changes import OfThings, WatchedThings
from slotscope.model.systems.watching import RowChanges, StateRows


def is_away(look: OfThings, before: Any, came: tuple[int, int]) -> bool:
    """Whether the thing with the look's number is absent in a whole slice: it has left before, or arrives later.

    *before* is the state before the slice; *came* is how many things have arrived by the slice's start and by its end.
    """
    things, number = look.things, look.number
    if number is None or things is None or not things.arrive or came[0] <= number < came[1]:
        return False
    return not bool((things.numbers(before) == number).any())


def followed(watch: WatchedThings, looks: Sequence[OfThings], state: Any) -> WatchedThings:
    """The watch, narrowed to the places of the things that the looks ask about, if all of them are there."""
    if not watch.by_number or watch.things.there is None:
        return watch
    numbers = _numbers(looks)
    places = np.flatnonzero(watch.things.there(state))[np.isin(watch.things.numbers(state), numbers)]
    return watch._replace(only=tuple(places.tolist())) if len(places) == len(numbers) else watch


def all_stay(watch: WatchedThings, looks: Sequence[OfThings], before: Any, changes: RowChanges) -> bool:
    """Whether the places of a narrowed watch still hold things that are asked about, after each change."""
    things = watch.things
    if not watch.only or things.there is None:
        return True
    after = StateRows(before, changes.rows)
    return bool(things.there(after).all() and np.isin(things.numbers(after), _numbers(looks)).all())


def _numbers(looks: Sequence[OfThings]) -> NDArray[np.int64]:
    """The distinct numbers that are asked about, sorted."""
    return np.unique([look.number for look in looks if look.number is not None])
