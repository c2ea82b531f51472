"""Equivalence classes of things whose values are equal, so that a condition is evaluated once for each class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import compiled, unsigned
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.systems.random_words import mixed

Array = Any


class Alike(NamedTuple):
    """The rows of some columns, grouped into classes of equal rows.

    Classes are sorted by their values, the first column first, and padded to whole blocks by copies of the last class,
    which no row belongs to.
    """

    kind: NDArray[np.int64]  #: [rows] the class of each row; -1: left out
    value: NDArray[np.float64]  #: [k, classes] the values of each class, padding included
    classes: int  #: how many, without the padding


def alike(columns: NDArray[np.float64], there: NDArray[np.bool_], most: int) -> Alike | None:
    """Group the rows of *columns* [k, rows] that are *there*; None if there are more than *most* classes."""
    rows = columns.shape[1]
    room = 1 << (2 * min(rows, most) + 1).bit_length()
    kind, first = np.empty(rows, np.int64), np.empty(rows + 1, np.int64)
    words = np.ascontiguousarray(columns).view(np.int64)
    count = compiled(tell_apart)(words, there, np.full(room, -1, np.int32), kind, first, most)
    if count > most:
        return None
    value = columns[:, first[:count]] if count else np.zeros((len(columns), 1))
    if count > BLOCK and len(columns):
        order = np.lexsort(value[::-1])
        place = np.empty(count + 1, np.int64)
        place[order], place[-1] = np.arange(count), -1
        kind, value = place[kind], value[:, order]
    whole = np.empty((len(value), -(-value.shape[1] // BLOCK) * BLOCK))
    whole[:, : value.shape[1]], whole[:, value.shape[1] :] = value, value[:, -1:]
    return Alike(kind, whole, count)


def tell_apart(words: Array, there: Array, table: Array, kind: Array, first: Array, most: int) -> int:
    """Number the classes of equal rows of *words* [k, rows] in order of appearance; return how many there are.

    It stops at one more than *most*.  It fills in *kind* [rows], and the *first* row of each class.  *table* is an
    empty hash table, filled with -1; its length is a power of 2 larger than the number of classes.
    """
    count, mask = 0, unsigned(len(table) - 1)
    for row in range(len(kind)):
        if not there[row]:
            kind[row] = -1
            continue
        code = unsigned(0)
        for k in range(len(words)):
            code = mixed(code, words[k, row])
        place = code & mask
        while True:
            known = table[place]
            if known < 0:
                table[place], first[count] = count, row
                known = count
                count += 1
                if count > most:
                    return count
                break
            same = True
            for k in range(len(words)):
                same &= words[k, row] == words[k, first[known]]
            if same:
                break
            place = (place + unsigned(1)) & mask
        kind[row] = known
    return count
