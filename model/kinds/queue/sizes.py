"""Distributions of job sizes in integer units: drawing them, and their exact probabilities.

D resources.  A continuous distribution is drawn on the grid of the unit, each size rounded up to it, so
that P(R <= x) is the distribution's own at every point x of the grid.  Psychas & Ghaderi (2019),
Section II: F_R.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from math import lcm, prod
from typing import Protocol, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.scenario.streams import drawn_classes

Units = tuple[int, ...]
Probability = Fraction | float
Sizes = NDArray[np.int64]

#: Independent distributions with more sizes together are not listed.
MOST_TOGETHER = 4096


class SizeDistribution(Protocol):
    """What the size R of a job is: a random vector of D whole numbers of units."""

    @property
    def resources(self) -> int:
        """D."""

    @property
    def smallest(self) -> Units:
        """[D] the smallest size possible of each resource."""

    @property
    def largest(self) -> Units:
        """[D] the largest size possible of each resource."""

    @property
    def least(self) -> int:
        """The smallest possible value of the largest component of a size."""

    @property
    def atoms(self) -> tuple[tuple[Units, Fraction], ...]:
        """Each size with its probability, the largest first; none if the distribution is continuous."""

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """[count, D] independent sizes."""

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Probability:
        """P(low < R_d <= high), a Fraction where it is exact."""

    def mean(self, d: int = 0) -> Fraction:
        """E[R_d] in units; of a truncated distribution the nearest floating-point number."""


class Atoms:
    """Finitely many sizes.

    - *values*: [m][D] sizes in units, some perhaps equal.
    - *shares*: [m] their probabilities, which sum to 1.
    """

    def __init__(self, values: Sequence[Units], shares: Sequence[Fraction]) -> None:
        # Whole weights with one total: sums of fractions would take a hundred times as long.
        self._total = lcm(*(share.denominator for share in shares))
        together: dict[Units, int] = {}
        for value, share in zip(values, shares, strict=True):
            if share:
                weight = share.numerator * (self._total // share.denominator)
                together[value] = together.get(value, 0) + weight
        order = sorted(together, key=lambda value: (max(value), value), reverse=True)
        self._weights = {value: together[value] for value in order}
        self.resources = len(order[0])
        self.smallest = tuple(min(column) for column in zip(*order, strict=True))
        self.largest = tuple(max(column) for column in zip(*order, strict=True))
        self.least = max(order[-1])
        self._below = [self._distribution(d) for d in range(self.resources)]

    @cached_property
    def atoms(self) -> tuple[tuple[Units, Fraction], ...]:
        """See :class:`SizeDistribution`."""
        return tuple((value, Fraction(weight, self._total)) for value, weight in self._weights.items())

    def _distribution(self, d: int) -> tuple[list[int], list[int]]:
        """The distinct sizes of a resource, and the weight of all up to each, with that of none first."""
        mass: dict[int, int] = {}
        for value, weight in self._weights.items():
            mass[value[d]] = mass.get(value[d], 0) + weight
        sizes = sorted(mass)
        return sizes, list(accumulate((mass[size] for size in sizes), initial=0))

    @cached_property
    def _table(self) -> tuple[Sizes, NDArray[np.float64]]:
        # Summed exactly first: rounding must not add up over many values.
        below = [weight / self._total for weight in accumulate(self._weights.values())]
        return np.array(list(self._weights), np.int64), np.array(below[:-1])

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """See :class:`SizeDistribution`."""
        values, below = self._table
        return np.asarray(values[drawn_classes(random, below, count)])

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Fraction:
        """See :class:`SizeDistribution`."""
        sizes, below = self._below[d]
        first, last = bisect_right(sizes, low), bisect_right(sizes, high)
        return Fraction(below[max(first, last)] - below[first], self._total)

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`SizeDistribution`."""
        return Fraction(sum(weight * value[d] for value, weight in self._weights.items()), self._total)


class MixedSizes:
    """One of several distributions, chosen by their shares, which sum to 1."""

    def __init__(self, distributions: Sequence[SizeDistribution], shares: Sequence[Fraction]) -> None:
        self.distributions, self.shares = tuple(distributions), tuple(shares)
        self.resources = self.distributions[0].resources
        self.smallest = tuple(
            min(column) for column in zip(*(distribution.smallest for distribution in distributions), strict=True)
        )
        self.largest = tuple(
            max(column) for column in zip(*(distribution.largest for distribution in distributions), strict=True)
        )
        self.least = min(distribution.least for distribution in self.distributions)
        self._below = np.cumsum([float(share) for share in self.shares])[:-1]

    @cached_property
    def atoms(self) -> tuple[tuple[Units, Fraction], ...]:
        """See :class:`SizeDistribution`."""
        if not all(distribution.atoms for distribution in self.distributions):
            return ()
        pairs = [
            (value, share * part)
            for distribution, share in zip(self.distributions, self.shares, strict=True)
            for value, part in distribution.atoms
        ]
        return Atoms([value for value, _ in pairs], [share for _, share in pairs]).atoms

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """See :class:`SizeDistribution`."""
        chosen = drawn_classes(random, self._below, count)
        sizes = np.empty((count, self.resources), np.int64)
        for number, distribution in enumerate(self.distributions):
            mine = np.flatnonzero(chosen == number)
            sizes[mine] = distribution.sample(random, len(mine))
        return sizes

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Probability:
        """See :class:`SizeDistribution`."""
        total: Probability = Fraction(0)
        for distribution, share in zip(self.distributions, self.shares, strict=True):
            part = distribution.probability(low, high, d)
            total += share * part if isinstance(part, Fraction) else float(share) * part
        return total

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`SizeDistribution`."""
        pairs = zip(self.distributions, self.shares, strict=True)
        return sum((share * distribution.mean(d) for distribution, share in pairs), Fraction(0))


class IndependentSizes:
    """[D] distributions of one resource each, independent of one another."""

    def __init__(self, distributions: Sequence[SizeDistribution]) -> None:
        self.distributions = tuple(distributions)
        self.resources = len(self.distributions)
        self.smallest = tuple(distribution.smallest[0] for distribution in self.distributions)
        self.largest = tuple(distribution.largest[0] for distribution in self.distributions)
        self.least = max(self.smallest)

    @cached_property
    def atoms(self) -> tuple[tuple[Units, Fraction], ...]:
        """See :class:`SizeDistribution`; also none if there are more than :data:`MOST_TOGETHER`."""
        single = [distribution.atoms for distribution in self.distributions]
        if not 0 < prod(map(len, single)) <= MOST_TOGETHER:
            return ()
        pairs = [
            (tuple(value[0] for value, _ in chosen), prod((share for _, share in chosen), start=Fraction(1)))
            for chosen in product(*single)
        ]
        return Atoms([value for value, _ in pairs], [share for _, share in pairs]).atoms

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """See :class:`SizeDistribution`."""
        return np.concatenate([distribution.sample(random, count) for distribution in self.distributions], axis=1)

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Probability:
        """See :class:`SizeDistribution`."""
        return self.distributions[d].probability(low, high)

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`SizeDistribution`."""
        return self.distributions[d].mean()
