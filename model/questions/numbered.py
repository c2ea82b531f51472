"""Things that are asked about by their numbers: whether there can be any in a slice, and where they stand."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.changes import OfThings, WatchedThings
from slotscope.model.systems.watching import RowChanges, StateRows


def is_away(look: OfThings, before: Any, came: tuple[int, int]) -> bool:
    """Whether the thing of a number is not there from a state on: it has left, or comes later.

    *came* are how many things have come up to that state, and up to the end of what is asked about.
    """
    things, number = look.things, look.number
    if number is None or things is None or not things.arrive or came[0] <= number < came[1]:
        return False
    return not bool((things.numbers(before) == number).any())


def followed(watch: WatchedThings, looks: Sequence[OfThings], state: Any) -> WatchedThings:
    """The same watch of the places alone at which the things stand that looks ask about, if all are there."""
    if not watch.by_number or watch.things.there is None:
        return watch
    numbers = _numbers(looks)
    places = np.flatnonzero(watch.things.there(state))[np.isin(watch.things.numbers(state), numbers)]
    return watch._replace(only=tuple(places.tolist())) if len(places) == len(numbers) else watch


def all_stay(watch: WatchedThings, looks: Sequence[OfThings], before: Any, changes: RowChanges) -> bool:
    """Whether in the places that were watched alone stand things that are asked about after each change, too."""
    things = watch.things
    if not watch.only or things.there is None:
        return True
    after = StateRows(before, changes.rows)
    return bool(things.there(after).all() and np.isin(things.numbers(after), _numbers(looks)).all())


def _numbers(looks: Sequence[OfThings]) -> NDArray[np.int64]:
    """The numbers that are asked about, each once."""
    return np.unique([look.number for look in looks if look.number is not None])
