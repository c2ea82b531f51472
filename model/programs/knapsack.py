"""The heaviest configuration: an unbounded knapsack problem with several resources.

MaxReward is such a knapsack (Psychas & Ghaderi 2022, Remark 1), and so is the search for
an improving column of LP (3.2).  It is solved exactly by depth-first branch and bound.

The bound: for any resource, and for any non-negative combination of resources, the jobs that still
fit weigh at most the remaining room times the largest weight per unit among the
remaining types.  One combination is taken from the linear relaxation (its dual prices),
which makes the bound as strong as that relaxation; the others are the single resources.

The search is written in the subset of Python that Numba compiles: on lists of Python's integers it is exact
for numbers of any size, on int64 arrays it is fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any, Callable, Sequence

import numpy as np

from slotscope.model.exact import dot
from slotscope.model.jit import compiled, jitable
from slotscope.model.programs.simplex import ExactSimplex


@jitable
def most_of(sizes: Any, room: Any, level: int, columns: int) -> int:
    """The largest number of jobs of the type at *level* that fit in *room*."""
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
    """An upper bound on the weight in *room* of the types from *level* on."""
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
    """Depth-first search, largest counts first; see :class:`Knapsack` for the arrays.

    Writes the best counts to *best_counts*, and returns their weight (*above* if none
    weigh more) and the number of nodes visited (more than *limit*: the search was cut off).
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
    """Take the room of *count* jobs of the type at *level*; a negative *count* gives it back."""
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
    """Remove one job of the deepest type for which that may still lead to a better solution.

    Returns the level after that type (-1: the search is complete) and the weight.
    """
    last = len(room) - 1
    while level > 0:
        level -= 1
        if counts[level] == 0:
            continue
        # In the last column types are sorted by decreasing density: if one job less of this type
        # cannot lead to a better solution there, neither can still fewer.
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


#: Nodes that plain Python visits (about 0.1 s) before the compiled search takes over.
PYTHON_NODES = 20_000
#: Nodes after which a search is given up: compiled (about 10 s), and in plain Python.
MOST_NODES = 500_000_000
MOST_PYTHON_NODES = 5_000_000
#: Upper bound of all numbers in the compiled search.
COMPILED_BOUND = 2**62
#: In the table of densities: the resource gives no bound.
UNBOUNDED = -1
#: In place of a sufficient weight: search for the heaviest.
HEAVIEST = -1

Integers = Sequence[int]


@dataclass(frozen=True)
class Knapsack:
    """One search: m types, by decreasing density, and c columns (resources and a combination)."""

    types: list[int]  #: [m] the numbers of the types
    #: unit, weights: [m] > 0, divided by their greatest common divisor ``unit``
    unit: int
    weights: list[int]
    sizes: list[int]  #: [m * c] the demand of one job in each column
    room: list[int]  #: [c] the room in each column
    #: numerators, denominators: [(m + 1) * c] the largest weight per unit of a column among types i, i+1, ..
    numerators: list[int]
    denominators: list[int]

    def search(self, above: int, enough: int) -> list[int] | None:
        """Counts [m] that weigh more than *above*: *enough* if possible, else the most; None if there are none."""
        counts, best = [0] * len(self.types), [0] * len(self.types)
        weight, nodes = branch_and_bound(
            self.sizes,
            self.weights,
            self.numerators,
            self.denominators,
            self.room[:],
            above,
            enough,
            PYTHON_NODES,
            counts,
            best,
        )
        if nodes > PYTHON_NODES:
            weight, best = self._search_long(above, enough)
        return best if weight > above else None

    def _search_long(self, above: int, enough: int) -> tuple[int, list[int]]:
        """The same search, compiled if the numbers are small enough, with a larger limit on nodes."""
        run: Callable[..., tuple[int, int]] = branch_and_bound
        limit, counts = MOST_PYTHON_NODES, [0] * len(self.types)
        numbers = (self.sizes, self.weights, self.numerators, self.denominators, self.room)
        work: list[Any] = [list(part) for part in (*numbers, counts, counts)]
        if self._largest() < COMPILED_BOUND:
            run, limit = compiled(branch_and_bound), MOST_NODES
            work = [np.array(part, np.int64) for part in work]
        weight, nodes = run(*work[:5], above, enough, limit, *work[5:])
        if nodes > limit:
            raise ValueError(
                f"no proof after {limit} steps of which of {len(self.types)} job types fill a "
                "server best: write their sizes with fewer digits, or use fewer types"
            )
        return int(weight), [int(count) for count in work[-1]]

    def _largest(self) -> int:
        """An upper bound of all numbers that the search computes."""
        columns = len(self.room)
        most = (most_of(self.sizes, self.room, level, columns) for level in range(len(self.types)))
        weight = sum(count * weight for count, weight in zip(most, self.weights, strict=True))
        return weight + max(self.room) * max(self.numerators)


def heaviest(
    demand: Sequence[Integers],
    room: Integers,
    weights: Integers,
    types: Integers,
    *,
    above: int = -1,
    enough: int = HEAVIEST,
) -> tuple[int, ...] | None:
    """A heaviest configuration [J] of *types* in *room* (ties are broken arbitrarily).

    - *demand*, *room*: [J][n] and [n], integers >= 0; each of *types* demands something of some resource.
    - *weights*: [J] integers >= 0.
    - *above*: None is returned unless some configuration weighs more than this.
    - *enough*: Any configuration of at least this weight may be returned.

    Raises ValueError if the search is too long (see :data:`MOST_NODES`).
    """
    counts = [0] * len(demand)
    knapsack = _knapsack(demand, room, weights, types)
    if knapsack is None:
        return tuple(counts) if above < 0 else None
    unit = knapsack.unit
    best = knapsack.search(above // unit, enough if enough < 0 else -(-enough // unit))
    if best is None:
        return None
    for number, count in zip(knapsack.types, best, strict=True):
        counts[number] = count
    return tuple(counts)


def _knapsack(demand: Sequence[Integers], room: Integers, weights: Integers, types: Integers) -> Knapsack | None:
    """The search over those of *types* that have weight and fit; None if there are none."""
    usable = [j for j in types if weights[j] > 0 and all(s <= r for s, r in zip(demand[j], room, strict=True))]
    if not usable:
        return None
    unit = gcd(*(weights[j] for j in usable))
    light = {j: weights[j] // unit for j in usable}
    columns = _columns([demand[j] for j in usable], room, [light[j] for j in usable])
    place = {j: i for i, j in enumerate(usable)}
    sizes = columns[-1][0]
    usable.sort(key=lambda j: (Fraction(light[j], sizes[place[j]]), sizes[place[j]]), reverse=True)
    ordered = [[column[place[j]] for column, _ in columns] for j in usable]
    ordered_weights = [light[j] for j in usable]
    numerators, denominators = densities(ordered, ordered_weights)
    return Knapsack(
        types=usable,
        unit=unit,
        weights=ordered_weights,
        sizes=[size for row in ordered for size in row],
        room=[left for _, left in columns],
        numerators=numerators,
        denominators=denominators,
    )


def _columns(demand: Sequence[Integers], room: Integers, weights: Integers) -> list[tuple[list[int], int]]:
    """The sizes and the room of each column, in the largest unit; the combination comes last."""
    columns = [([row[d] for row in demand], left) for d, left in enumerate(room) if any(row[d] for row in demand)]
    if len(columns) > 1:
        prices = relaxation_prices(demand, room, weights)
        combined = [dot(prices, row) for row in demand]
        columns.append((combined, dot(prices, room)))
    units = [gcd(*sizes) for sizes, _ in columns]
    return [
        ([size // unit for size in sizes], left // unit) for (sizes, left), unit in zip(columns, units, strict=True)
    ]


def relaxation_prices(demand: Sequence[Integers], room: Integers, weights: Integers) -> tuple[int, ...]:
    """Dual prices [n] of the resources in max weights k, demand k <= room, k >= 0 real.

    They are scaled by a common factor; at these prices each type costs at least its weight.
    """
    resources = range(len(room))
    simplex: ExactSimplex[tuple[str, int]] = ExactSimplex(room, [("room", d) for d in resources], [0] * len(room))
    while True:
        prices, scale = simplex.prices(), simplex.denominator
        gains = [weight * scale - dot(prices, row) for weight, row in zip(weights, demand, strict=True)]
        best = max(range(len(gains)), key=gains.__getitem__)
        cheapest = min(resources, key=prices.__getitem__)
        if gains[best] > 0:
            simplex.enter(("type", best), demand[best], weights[best])
        elif prices[cheapest] < 0:
            simplex.enter(("room", cheapest), [int(d == cheapest) for d in resources], 0)
        else:
            divisor = gcd(*prices)
            return tuple(price // divisor for price in prices)


def densities(sizes: Sequence[Integers], weights: Integers) -> tuple[list[int], list[int]]:
    """The largest weight per unit among types i, i+1, ..., by column: numerators and denominators, [(m + 1) * c] each.

    :data:`UNBOUNDED` if one of those types has no demand in the column.
    """
    columns = len(sizes[0]) if sizes else 0
    rows = [[(0, 1)] * columns]
    for row, weight in zip(reversed(sizes), reversed(weights), strict=True):
        rows.append([_denser(weight, size, *last) for size, last in zip(row, rows[-1], strict=True)])
    flat = [pair for row in reversed(rows) for pair in row]
    return [numerator for numerator, _ in flat], [denominator for _, denominator in flat]


def _denser(weight: int, size: int, numerator: int, denominator: int) -> tuple[int, int]:
    """The larger of weight / size and numerator / denominator, in lowest terms."""
    if numerator == UNBOUNDED or (size == 0 and weight > 0):
        return UNBOUNDED, 1
    if weight * denominator <= numerator * size:
        return numerator, denominator
    divisor = gcd(weight, size)
    return weight // divisor, size // divisor
