"""Which of the changes of things matter to a condition, in compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import compiled, unsigned
from slotscope.model.systems.watching import RowChanges

Array = Any

#: Where a larger share of the changes matters all are kept: to pick some takes longer than to look at the others, too.
NEARLY_ALL = 0.8


class PartColumns(NamedTuple):
    """What is read of versions of things: those before the first event, by their places, then those of the changes."""

    numbers: NDArray[np.float64]  #: [k, versions]
    truths: NDArray[np.bool_]  #: [t, versions]

    @classmethod
    def empty(cls, numbers: int, truths: int, versions: int) -> PartColumns:
        """Room for so many."""
        return cls(np.empty((numbers, versions)), np.empty((truths, versions), np.bool_))


class Sifted(NamedTuple):
    """The changes that matter, in order, or all of them."""

    change: NDArray[np.int64] | None  #: [m] which of all changes it is; None: they are all
    was: NDArray[np.int64]  #: [m] the version before it; -1: none
    touched: NDArray[np.bool_]  #: [m] whether it differs in what is asked about one event before


def sifted(then: PartColumns, now: PartColumns, changes: RowChanges, places: int) -> Sifted:
    """The changes by which something becomes another: what was asked about one event before, *then*, or only *now*.

    They are all changes where nearly all do.
    """
    count = len(changes.place)
    matter, was, touched = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.bool_)
    place, previous = np.ascontiguousarray(changes.place), np.ascontiguousarray(changes.previous)
    columns = [column for one in (then, now) for column in (one.numbers.view(np.int64), one.truths.view(np.uint8))]
    found = compiled(sift)(*columns, place, previous, places, matter, was, touched)
    if found > NEARLY_ALL * count:
        return Sifted(None, was, touched)
    return Sifted(matter[:found], was.take(matter[:found]), touched.take(matter[:found]))


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
    matter: Array,
    was: Array,
    touched: Array,
) -> int:
    """As :func:`sifted`, of numbers and truths as they are in memory; how many [m] *matter*.

    Of each change [m] it is told which version *was* before, and whether it *touched* what was asked about that.
    """
    count = 0
    for change in range(len(place)):
        now, then = places + change, places + previous[unsigned(change)]
        if previous[unsigned(change)] < 0:
            then = place[unsigned(change)] if place[unsigned(change)] < places else -1
        differs = then < 0
        matters = differs
        if not differs:
            for k in range(len(words)):
                differs |= words[unsigned(k), unsigned(now)] != words[unsigned(k), unsigned(then)]
            for k in range(len(truths)):
                differs |= truths[unsigned(k), unsigned(now)] != truths[unsigned(k), unsigned(then)]
            matters = differs
            for k in range(len(more_words)):
                matters |= more_words[unsigned(k), unsigned(now)] != more_words[unsigned(k), unsigned(then)]
            for k in range(len(more_truths)):
                matters |= more_truths[unsigned(k), unsigned(now)] != more_truths[unsigned(k), unsigned(then)]
        was[unsigned(change)], touched[unsigned(change)], matter[unsigned(count)] = then, differs, change
        count += matters
    return count
