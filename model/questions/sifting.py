"""Filters the changes of things for those that matter to a condition, in compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import compiled, unsigned
from slotscope.model.systems.watching import RowChanges

Array = Any

#: If more than this share of the changes matters, all are kept: picking some takes longer than evaluating the others.
NEARLY_ALL = 0.8


class PartColumns(NamedTuple):
    """The values of a condition's parts for each version: those before the first event, by place, then the changes."""

    numbers: NDArray[np.float64]  #: [k, versions]
    truths: NDArray[np.bool_]  #: [t, versions]

    @classmethod
    def empty(cls, numbers: int, truths: int, versions: int) -> PartColumns:
        """Uninitialized columns."""
        return cls(np.empty((numbers, versions)), np.empty((truths, versions), np.bool_))


class Sifted(NamedTuple):
    """The changes that matter, in order, or all changes."""

    change: NDArray[np.int64] | None  #: [m] the index of each among all changes; None: these are all
    was: NDArray[np.int64]  #: [m] the version before it; -1: none
    touched: NDArray[np.bool_]  #: [m] whether it differs from that in what is read of one event before


def sifted(then: PartColumns, now: PartColumns, changes: RowChanges, places: int) -> Sifted:
    """The changes that alter a value that the condition reads one event before, *then*, or only after the event, *now*.

    If nearly all do, all changes are returned.
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
    """Compile the code, or load it from the cache, ahead of its first use."""
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
    """As :func:`sifted`, comparing numbers and booleans bit by bit; return how many changes *matter*.

    It fills in the indices of those that *matter*, and for each change the version before it, *was*, and whether
    it *touched* what is read of one event before.
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
