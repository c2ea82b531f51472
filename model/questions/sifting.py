"""Which of the changes of things matter to a condition, in compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import compiled, unsigned
from slotscope.model.systems.watching import RowChanges

Array = Any


class PartColumns(NamedTuple):
    """What is read of versions of things: those before the first event, by their places, then those of the changes."""

    numbers: NDArray[np.float64]  #: [k, versions]
    truths: NDArray[np.bool_]  #: [t, versions]

    @classmethod
    def empty(cls, numbers: int, truths: int, versions: int) -> PartColumns:
        """Room for so many."""
        return cls(np.empty((numbers, versions)), np.empty((truths, versions), np.bool_))


class Sifted(NamedTuple):
    """The changes that matter, in order."""

    change: NDArray[np.int64]  #: [m] which of all changes it is
    was: NDArray[np.int64]  #: [m] the version before it; -1: none
    touched: NDArray[np.bool_]  #: [m] whether it differs in what is asked about one event before


def sifted(then: PartColumns, now: PartColumns, changes: RowChanges, places: int) -> Sifted:
    """The changes by which something becomes another: what was asked about one event before, *then*, or only *now*."""
    found: NDArray[np.int64] = np.empty((3, len(changes.place)), np.int64)
    place, previous = np.ascontiguousarray(changes.place), np.ascontiguousarray(changes.previous)
    columns = [column for one in (then, now) for column in (one.numbers.view(np.int64), one.truths.view(np.uint8))]
    count = compiled(sift)(*columns, place, previous, places, found)
    return Sifted(found[0, :count], found[1, :count], found[2, :count] > 0)


def prepare_sifting() -> None:
    """Compile the code, or load it from the cache."""
    none = np.zeros(0, np.int64)
    sifted(PartColumns.empty(0, 0, 0), PartColumns.empty(0, 0, 0), RowChanges(none, none, none, {}, {}), 0)


def sift(
    words: Array,
    truths: Array,
    more_words: Array,
    more_truths: Array,
    place: Array,
    previous: Array,
    places: int,
    found: Array,
) -> int:
    """As :func:`sifted`, of numbers and truths as they are in memory; how many of [3, m] are *found*."""
    count = 0
    for change in range(len(place)):
        now, was = places + change, places + previous[unsigned(change)]
        if previous[unsigned(change)] < 0:
            was = place[unsigned(change)] if place[unsigned(change)] < places else -1
        touched = was < 0
        matters = touched
        if not touched:
            for k in range(len(words)):
                touched |= words[unsigned(k), unsigned(now)] != words[unsigned(k), unsigned(was)]
            for k in range(len(truths)):
                touched |= truths[unsigned(k), unsigned(now)] != truths[unsigned(k), unsigned(was)]
            matters = touched
            for k in range(len(more_words)):
                matters |= more_words[unsigned(k), unsigned(now)] != more_words[unsigned(k), unsigned(was)]
            for k in range(len(more_truths)):
                matters |= more_truths[unsigned(k), unsigned(now)] != more_truths[unsigned(k), unsigned(was)]
        found[0, unsigned(count)], found[1, unsigned(count)], found[2, unsigned(count)] = change, was, touched
        count += matters
    return count
