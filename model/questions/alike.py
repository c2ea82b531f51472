"""Things that are alike: those of which the same is read, so that a condition is looked at once for all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import compiled, unsigned
from slotscope.model.questions.remainders import BLOCK
from slotscope.model.systems.random_words import mixed

Array = Any


class Alike(NamedTuple):
    """Columns of numbers, whose equal rows are one class.

    Classes are in the order of their numbers, the first column first, and fill whole blocks; those behind
    the last are copies of it that no row has.
    """

    kind: NDArray[np.int64]  #: [rows] the class of each; -1 of those left out
    value: NDArray[np.float64]  #: [k, classes]
    classes: int  #: how many, without the copies


def alike(columns: NDArray[np.float64], there: NDArray[np.bool_], most: int) -> Alike | None:
    """The classes of columns [k, rows], of those rows that are *there*; None where they are more than *most*."""
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
    """Number the classes of rows of *words* [k, rows] as they come, up to one more than *most*; how many there are.

    The *first* row of each is told.

    *table* has room for more than there are, and is filled with -1.
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
