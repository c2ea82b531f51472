"""The depth-first search for the heaviest configuration, plain or compiled.

Written in the subset of Python that Numba compiles: over lists of Python's integers it is
exact whatever their size, over int64 arrays it is fast.  What the numbers are, and why the
bound holds, stands in :mod:`model.programs.knapsack`.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable


@jitable
def most_of(sizes: Any, room: Any, level: int, columns: int) -> int:
    """How many jobs of the type at *level* fit in *room*."""
    most = -1
    for d in range(columns):
        size = sizes[level * columns + d]
        if size > 0:
            fitting = room[d] // size
            if most < 0 or fitting < most:
                most = fitting
    return most


@jitable
def upper_bound(room: Any, numerators: Any, denominators: Any, level: int) -> int:
    """What the types from *level* on can weigh at most in *room*."""
    columns = len(room)
    bound = -1
    for d in range(columns):
        numerator = numerators[level * columns + d]
        if numerator >= 0:
            weight = room[d] * numerator // denominators[level * columns + d]
            if bound < 0 or weight < bound:
                bound = weight
    return bound


@jitable
def branch_and_bound(
    sizes: Any,
    weights: Any,
    numerators: Any,
    denominators: Any,
    room: Any,
    above: int,
    enough: int,
    limit: int,
    counts: Any,
    best_counts: Any,
) -> tuple[int, int]:
    """Depth first, highest counts first; see :class:`Knapsack` for the arrays.

    Leaves the best counts in *best_counts*, and returns their weight (*above* if nothing
    weighs more) and the nodes visited (more than *limit*: the search was cut off).
    """
    types = len(weights)
    level, weight, best, nodes = 0, 0, above, 0
    while True:
        nodes += 1
        if nodes > limit:
            return best, nodes
        if level < types and weight + upper_bound(room, numerators, denominators, level) > best:
            count = most_of(sizes, room, level, len(room))
            counts[level] = count
            weight += count * weights[level]
            take(room, sizes, level, count)
            level += 1
            continue
        if level == types and weight > best:
            best = weight
            for i in range(types):
                best_counts[i] = counts[i]
            if 0 <= enough <= best:
                return best, nodes
        level, weight = step_back(sizes, weights, numerators, denominators, room, best, counts, level, weight)
        if level < 0:
            return best, nodes


@jitable
def take(room: Any, sizes: Any, level: int, count: int) -> None:
    """Let *count* jobs of the type at *level* take their room (negative: give it back)."""
    columns = len(room)
    for d in range(columns):
        room[d] -= count * sizes[level * columns + d]


@jitable
def step_back(
    sizes: Any,
    weights: Any,
    numerators: Any,
    denominators: Any,
    room: Any,
    best: int,
    counts: Any,
    level: int,
    weight: int,
) -> tuple[int, int]:
    """Take one job off the deepest type where that may still win.

    Returns the level after that type (-1: nothing is left to try) and the weight.
    """
    last = len(room) - 1
    while level > 0:
        level -= 1
        if counts[level] == 0:
            continue
        # In the last column the types stand densest first: if one job less of this type
        # cannot win there, still fewer cannot either.
        after = (level + 1) * len(room) + last
        left = room[last] + sizes[level * len(room) + last]
        rest = left * numerators[after] // denominators[after]
        if weight - weights[level] + rest > best:
            counts[level] -= 1
            take(room, sizes, level, -1)
            return level + 1, weight - weights[level]
        take(room, sizes, level, -counts[level])
        weight -= counts[level] * weights[level]
        counts[level] = 0
    return -1, weight
