"""MaxWeight's choice among all feasible configurations, where job sizes are discrete."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.programs.configurations import ConfigurationSpace

#: With more sizes than these the search would hold up the window.
MOST_SIZES = 8


@dataclass(frozen=True)
class BestChoice:
    """A feasible configuration of largest weight over all sizes that occur.

    Attributes
    ----------
    counts:
        [n] jobs of each size, the largest size first.
    waiting:
        [n] jobs of each size that wait.
    """

    counts: tuple[int, ...]
    waiting: tuple[int, ...]

    @property
    def weight(self) -> int:
        """<k, Q>, (5)."""
        return sum(k * q for k, q in zip(self.counts, self.waiting, strict=True))


def waiting_by_size(sizes: NDArray[np.int64], values: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """[n] how many of the jobs of *sizes* [m, D] have each of *values* [n][D]."""
    return tuple(int((sizes == np.array(value)).all(axis=1).sum()) for value in values)


def best_choice(values: Sequence[Sequence[int]], capacity: Sequence[int], waiting: Sequence[int]) -> BestChoice | None:
    """The heaviest configuration in a server of *capacity* [D], the ties of MaxWeight.

    None if the search is too long, or the sizes are written too finely for it.
    """
    try:
        # Made anew: a space remembers all its answers, and the queue always changes.
        space = ConfigurationSpace.from_demands(values, capacity)
        counts = space.max_reward(tuple(waiting), (1 << len(values)) - 1)
    except ValueError:
        return None
    return BestChoice(counts, tuple(waiting))
