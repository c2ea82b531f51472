"""The heaviest configuration: an unbounded knapsack with several resources.

MaxReward is such a knapsack (Psychas & Ghaderi 2022, Remark 1), and so is the search for
an improving column of LP (3.2).  It is solved exactly by depth-first branch and bound.

The bound: for any resource, and for any non-negative combination of resources, what still
fits weighs at most the room that is left times the highest weight per unit among the types
that are still to come.  One combination is taken from the linear relaxation (its prices),
which makes the bound as strong as that relaxation; the others are the resources themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Sequence

import numpy as np

from model.jit import compiled, jitable
from model.programs.simplex import ExactSimplex

#: Nodes that plain Python visits (some 20 ms) before the compiled twin takes over.
PYTHON_NODES = 20_000
#: Nodes after which a search is given up, compiled (some 10 s) and in plain Python.
MOST_NODES = 500_000_000
MOST_PYTHON_NODES = 5_000_000
#: Numbers of the compiled search stay below this.
COMPILED_BOUND = 2**62
#: Stands in the table of densities where a resource bounds nothing.
UNBOUNDED = -1

Integers = Sequence[int]


@dataclass(frozen=True)
class Found:
    """A configuration and its weight."""

    weight: int
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Knapsack:
    """One search: m types, densest first, and c columns (resources and a combination).

    Attributes
    ----------
    types:
        [m] the types' numbers.
    weights:
        [m] > 0, divided by their greatest common divisor ``unit``.
    sizes:
        [m * c] what one job takes of each column.
    room:
        [c] what is left of each column.
    numerators, denominators:
        [(m + 1) * c] the highest weight per unit of a column among types i, i+1, ...
    """

    types: tuple[int, ...]
    unit: int
    weights: list[int]
    sizes: list[int]
    room: list[int]
    numerators: list[int]
    denominators: list[int]

    def search(self, above: int, enough: int) -> list[int] | None:
        """Counts [m] of the first configuration found that weighs ``enough``, else of the
        heaviest, provided that it weighs more than *above*; None if there is none."""
        counts, best = [0] * len(self.types), [0] * len(self.types)
        lists = (self.sizes, self.weights, self.numerators, self.denominators)
        weight, nodes = branch_and_bound(
            *lists, self.room[:], above, enough, PYTHON_NODES, counts, best
        )
        if nodes > PYTHON_NODES:
            weight, best = self._search_long(above, enough)
        return best if weight > above else None

    def _search_long(self, above: int, enough: int) -> tuple[int, list[int]]:
        counts = [0] * len(self.types)
        lists = [self.sizes, self.weights, self.numerators, self.denominators, self.room]
        if self._largest() < COMPILED_BOUND and enough < COMPILED_BOUND:
            limit, best = MOST_NODES, np.zeros(len(counts), np.int64)
            *arrays, work = (np.array([*numbers, *counts], np.int64) for numbers in [*lists, []])
            found = compiled(branch_and_bound)(*arrays, above, enough, limit, work, best)
            result = best.tolist()
        else:
            limit, result = MOST_PYTHON_NODES, counts[:]
            found = branch_and_bound(
                *lists[:4], self.room[:], above, enough, limit, counts, result
            )
        if found[1] > limit:
            raise ValueError(
                f"no proof after {limit} steps of which of {len(self.types)} job types fill a "
                "server best: write their sizes with fewer digits, or use fewer types"
            )
        return int(found[0]), result

    def _largest(self) -> int:
        """A bound of all numbers that the search computes."""
        columns = len(self.room)
        weight = sum(
            most_of(self.sizes, self.room, level, columns) * weight
            for level, weight in enumerate(self.weights)
        )
        return weight + max(self.room) * max(self.numerators, default=1) + max(self.denominators)


def heaviest(
    demand: Sequence[Integers],
    room: Integers,
    weights: Integers,
    types: Integers,
    *,
    above: int = -1,
    enough: int | None = None,
) -> Found | None:
    """Some heaviest configuration of *types* in *room* (ties are free).

    Parameters
    ----------
    demand, room:
        [J][n] and [n], integers >= 0; each of *types* takes something of some resource.
    weights:
        [J] integers >= 0.
    above:
        None is returned unless some configuration weighs more than this.
    enough:
        Any configuration of this weight will do; None asks for the heaviest.

    Raises
    ------
    ValueError
        If the search is too long (see :data:`MOST_NODES`).
    """
    knapsack = build(demand, room, weights, types)
    counts = [0] * len(demand)
    if knapsack is None:
        return Found(0, tuple(counts)) if above < 0 else None
    unit = knapsack.unit
    stop = COMPILED_BOUND - 1 if enough is None else -(-enough // unit)
    if enough is None and knapsack._largest() >= COMPILED_BOUND:
        stop = knapsack._largest()
    best = knapsack.search(above // unit, stop)
    if best is None:
        return None
    for number, count in zip(knapsack.types, best, strict=True):
        counts[number] = count
    return Found(sum(w * k for w, k in zip(weights, counts, strict=True)), tuple(counts))
