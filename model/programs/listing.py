"""Counting and enumerating the feasible configurations, and the maximal ones.

Enumeration proceeds by job type over whole arrays: each row so far is repeated once for
every count of the next type that still fits.  Compiled loops would be some 7 times faster, but as they
take a second to compile they would pay off only for millions of configurations.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Configuration = tuple[int, ...]
Array = NDArray[np.int64]

#: Most distinct remainders of a server's capacity that counting keeps.
MOST_REMAINDERS = 1_000_000
#: Most combinations of all types but the last in the search for maximal configurations.
MOST_ROWS = 20_000_000
#: Rows that are extended together, which limits the memory to about 100 MB.
CHUNK = 200_000


def count_additive(demand: Sequence[Configuration], capacity: Configuration) -> int:
    """The number of k >= 0 with sum_j k_j demand_j <= capacity, without enumerating them.

    Counts, type by type, the number of ways to reach each remainder of the capacity.
    Raises ValueError if there are more than :data:`MOST_REMAINDERS` distinct remainders.
    """
    usable = [np.array(row, np.int64) for row in demand if _fits(row, capacity)]
    if not usable:
        return 1
    room, ways = np.array([capacity], np.int64), np.ones(1, object)  # Python's integers, which are unbounded
    for size in usable[:-1]:
        room, ways = _with_type(room, ways, size)
    return int((ways * (_most_each(room, usable[-1]) + 1)).sum())


def _with_type(room: Array, ways: NDArray[Any], size: Array) -> tuple[Array, NDArray[Any]]:
    """[n, D] the remainders and [n] the ways to reach each, after any number of jobs of one more type is added.

    Remainders that differ by such jobs form a line: the one filled by most of them comes last, and all ways to earlier
    ones lead to it.
    """
    most = _most_each(room, size)
    filled = room - most[:, None] * size
    order = np.lexsort((-most, *filled.T))
    most, filled, ways = most[order], filled[order], ways[order]
    ends = np.append((filled[1:] != filled[:-1]).any(axis=1), True)
    lengths = most - np.where(ends, -1, np.append(most[1:], 0))
    if lengths.sum() > MOST_REMAINDERS:
        raise ValueError(
            f"a server's load takes more than {MOST_REMAINDERS} different values, too many "
            "to count its configurations: write the sizes with fewer digits"
        )
    total = np.cumsum(ways)
    before = np.append(0, total[ends])[np.append(0, np.cumsum(ends)[:-1])]
    parent = np.repeat(np.arange(len(most)), lengths)
    jobs = most[parent] - (np.arange(len(parent)) - (np.cumsum(lengths) - lengths)[parent])
    return filled[parent] + jobs[:, None] * size, (total - before)[parent]


def list_additive(demand: Sequence[Configuration], capacity: Configuration, limit: int) -> Array | None:
    """[C, J] all k >= 0 with sum_j k_j demand_j <= capacity, lexicographically largest first.

    None if there are more than *limit*.
    """
    rows, room = _start(capacity)
    for row in demand:
        size = np.array(row, np.int64)
        if len(rows) + float(_most_each(room, size).sum(dtype=float)) > limit:
            return None
        rows, room = _extend(rows, room, size)
    return rows


def maximal_additive(demand: Sequence[Configuration], capacity: Configuration, limit: int) -> Array:
    """[m, J] the configurations to which no job can be added, lexicographically largest first.

    The type of which most jobs fit comes last: its count follows from the others.
    Raises ValueError if there are more than *limit*, or if more than :data:`MOST_ROWS` combinations of the other
    types would have to be tried.
    """
    order = sorted(range(len(demand)), key=lambda j: _most(demand[j], capacity))
    sizes = np.array([demand[j] for j in order], np.int64)
    tried = count_additive([demand[j] for j in order[:-1]], capacity)
    if tried > MOST_ROWS:
        raise ValueError(f"finding the maximal configurations would take {tried} trials; at most {MOST_ROWS}")
    # A row is maximal if no type that fits an empty server has room for one more job.
    fitting = sizes[(sizes <= np.array(capacity)).all(axis=1)]
    found = [np.zeros((0, len(demand)), np.int64)]
    for rows, room in _without_last(sizes, *_start(capacity)):
        complete, left = _filled(rows, room, sizes[-1])
        stuck = [(left < row).any(axis=1) for row in fitting]
        found.append(complete[np.logical_and.reduce([np.ones(len(left), bool), *stuck])])
        if sum(map(len, found)) > limit:
            raise ValueError(f"there are more than {limit} maximal configurations")
    return _descending(np.vstack(found)[:, np.argsort(order)])


def _without_last(sizes: Array, rows: Array, room: Array) -> Iterator[tuple[Array, Array]]:
    """Rows over all types but the last, with the room that they leave, in chunks."""
    level = rows.shape[1]
    if level == len(sizes) - 1:
        yield rows, room
        return
    for begin, end in pairwise([*range(0, len(rows), CHUNK), len(rows)]):
        longer = _extend(rows[begin:end], room[begin:end], sizes[level])
        yield from _without_last(sizes, *longer)


def _start(capacity: Configuration) -> tuple[Array, Array]:
    return np.zeros((1, 0), np.int64), np.array([capacity], np.int64)


def _extend(rows: Array, room: Array, size: Array) -> tuple[Array, Array]:
    """Each row, extended by every count of one more type that fits, the largest first."""
    choices = _most_each(room, size) + 1
    parent = np.repeat(np.arange(len(rows)), choices)
    count = np.cumsum(choices)[parent] - 1 - np.arange(len(parent))
    longer = np.column_stack([rows[parent], count])
    return longer, room[parent] - count[:, None] * size


def _filled(rows: Array, room: Array, size: Array) -> tuple[Array, Array]:
    """Each row, extended by the largest count of one more type that fits."""
    count = _most_each(room, size)
    return np.column_stack([rows, count]), room - count[:, None] * size


def _most_each(room: Array, size: Array) -> Array:
    taken = size > 0
    most: Array = (room[:, taken] // size[taken]).min(axis=1)
    return most


def _descending(rows: Array) -> Array:
    if not len(rows):
        return rows
    ordered: Array = rows[np.lexsort(rows.T[::-1])[::-1]]
    return ordered


def undominated(members: Sequence[Configuration]) -> list[Configuration]:
    """Those of *members* (all distinct) that are not below another one, in their order."""
    array = np.array(members, np.int64)
    return [member for member in members if np.count_nonzero((array >= np.array(member, np.int64)).all(axis=1)) == 1]


def count_below(members: Sequence[Configuration]) -> int:
    """The number of k >= 0 below one of *members*."""

    @cache
    def below(remaining: frozenset[Configuration]) -> int:
        if not next(iter(remaining)):
            return 1
        return sum(width * below(rest) for _, width, rest in _bands(remaining))

    return below(frozenset(members))


def list_below(members: Sequence[Configuration]) -> Array:
    """[C, J] all k >= 0 below one of *members*, lexicographically largest first."""

    @cache
    def below(remaining: frozenset[Configuration]) -> Array:
        if not next(iter(remaining)):
            return np.zeros((1, 0), np.int64)
        blocks = []
        for top, width, rest in _bands(remaining):
            tail = below(rest)
            first = np.repeat(np.arange(top, top - width, -1), len(tail))
            blocks.append(np.column_stack([first, np.tile(tail, (width, 1))]))
        return np.vstack(blocks)

    return below(frozenset(members))


def _bands(members: frozenset[Configuration]) -> Iterator[tuple[int, int, frozenset[Configuration]]]:
    """The ranges of the first count within which the possible remaining counts are the same.

    Yields the largest count of each range, its width, and the tails of the members (without their first
    count) that bound the remaining counts there; ranges in descending order.
    """
    tops = sorted({member[0] for member in members}, reverse=True)
    for top, below in pairwise([*tops, -1]):
        yield top, top - below, frozenset(member[1:] for member in members if member[0] >= top)


def _fits(row: Configuration, capacity: Configuration) -> bool:
    return all(size <= room for size, room in zip(row, capacity, strict=True))


def _most(row: Configuration, room: Sequence[int]) -> int:
    return min(left // size for size, left in zip(row, room, strict=True) if size)
