"""The heaviest configuration where there are many sizes of one resource.

The search for an improving column of (4) is a knapsack.  With many sizes that weigh almost the
same per unit, branch and bound (:mod:`model.programs.knapsack`) has nothing to cut off; but
where the server has few units, filling a table over its units takes a fixed time.  The table is
filled in floating point first, for most columns are found like that, and in Python's integers
where it must be proved that there is none.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.exact import dot
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

#: Units of a server up to which the table is filled (a millisecond for each type).
MOST_UNITS = 20_000


class Packer:
    """Finds heavy configurations of one space.

    - *space*: K, over J types.
    """

    def __init__(self, space: ConfigurationSpace) -> None:
        self.space = space
        #: Whether the table is used: one resource, and few units.
        self.tabled = len(space.capacity) == 1 and space.capacity[0] <= MOST_UNITS

    def above(self, weights: Sequence[int], limit: int) -> Configuration | None:
        """A configuration that weighs more than *limit*; None only if there is none.

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
        """The heaviest configuration up to rounding; asked for only where there is a table."""
        return self._filled(weights)

    def _filled(self, weights: NDArray[Any]) -> Configuration:
        """The heaviest configuration, exact if the weights are Python's integers."""
        counts = [0] * self.space.types
        used = [j for j, fits in enumerate(self.space.fits) if fits and weights[j] > 0]
        if not used:
            return tuple(counts)
        numbers = weights[used]
        sizes = np.array([self.space.demand[j][0] for j in used], np.int64)
        room = self.space.capacity[0]
        best = _table(sizes, numbers, room)
        while room >= sizes.min():
            # Of equally heavy amounts of room the least one has no unit that stays empty.
            room = int(np.searchsorted(best[: room + 1], best[room]))
            fitting = np.flatnonzero(sizes <= room)
            if not len(fitting):
                break
            chosen = fitting[int(np.argmax(best[room - sizes[fitting]] + numbers[fitting]))]
            counts[used[chosen]] += 1
            room -= int(sizes[chosen])
        return tuple(counts)


def _table(sizes: NDArray[np.int64], weights: NDArray[Any], capacity: int) -> NDArray[Any]:
    """[capacity + 1] the highest weight in each number of units."""
    best = np.zeros(capacity + sizes.max(), weights.dtype)
    for size, weight in zip(sizes.tolist(), weights, strict=True):
        # A stretch as long as one job depends on the stretch before it alone; the last one may pass the capacity.
        for before, stretch in pairwise(best[: (capacity // size + 1) * size].reshape(-1, size)):
            np.maximum(stretch, before + weight, out=stretch)
    return best[: capacity + 1]
