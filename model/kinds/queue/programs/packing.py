"""The configuration of maximum weight for many sizes of one resource.

The search for an improving column of (4) is a knapsack problem.  If many sizes have almost the same
weight per unit, branch and bound (:mod:`model.programs.knapsack`) prunes nothing.  If a server has few
units, dynamic programming with a table over its units takes a fixed time instead.  The table is
computed in floating point first, which finds most columns, and in Python's integers to prove that
there is no improving column.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.exact import dot
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

#: The most units of a server for which the table is used (a millisecond for each type).
MOST_UNITS = 20_000


class Packer:
    """Finds configurations of large weight in one space.

    - *space*: K, over J types.
    """

    def __init__(self, space: ConfigurationSpace) -> None:
        self.space = space
        #: Whether the table is used: one resource, and few units.
        self.tabled = len(space.capacity) == 1 and space.capacity[0] <= MOST_UNITS

    def above(self, weights: Sequence[int], limit: int) -> Configuration | None:
        """A configuration of weight above *limit*; None only if there is none.

        - *weights*: [J] integers of any size; types of negative weight are not used.

        Raises ValueError if there is no table, and the search is too long.
        """
        if self.tabled:
            largest = max(1, *weights)
            found = self.near(np.array([weight / largest for weight in weights]))
            if dot(weights, found) > limit:
                return found
            found = self._filled(np.array(weights, object))
        else:
            found = self.space.heaviest(weights)
        return found if dot(weights, found) > limit else None

    def near(self, weights: NDArray[np.float64]) -> Configuration:
        """The configuration of maximum weight, up to rounding errors; only if the table is used."""
        return self._filled(weights)

    def _filled(self, weights: NDArray[Any]) -> Configuration:
        """The configuration of maximum weight, exact if the weights are Python's integers."""
        counts = [0] * self.space.types
        used = [j for j, fits in enumerate(self.space.fits) if fits and weights[j] > 0]
        if not used:
            return tuple(counts)
        numbers = weights[used]
        sizes = np.array([self.space.demand[j][0] for j in used], np.int64)
        room = self.space.capacity[0]
        best = _table(sizes, numbers, room)
        while room >= sizes.min():
            # The least room with the maximum weight is filled completely.
            room = int(np.searchsorted(best[: room + 1], best[room]))
            fitting = np.flatnonzero(sizes <= room)
            if not len(fitting):
                break
            chosen = fitting[int(np.argmax(best[room - sizes[fitting]] + numbers[fitting]))]
            counts[used[chosen]] += 1
            room -= int(sizes[chosen])
        return tuple(counts)


def _table(sizes: NDArray[np.int64], weights: NDArray[Any], capacity: int) -> NDArray[Any]:
    """[capacity + 1] the maximum weight for each number of units."""
    best = np.zeros(capacity + sizes.max(), weights.dtype)
    for size, weight in zip(sizes.tolist(), weights, strict=True):
        # A block of as many entries as the job has units depends only on the block before; the last may be cut off.
        for before, stretch in pairwise(best[: (capacity // size + 1) * size].reshape(-1, size)):
            np.maximum(stretch, before + weight, out=stretch)
    return best[: capacity + 1]
