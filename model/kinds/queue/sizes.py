"""Laws of job sizes in integer units: drawing them, and their exact probabilities.

D resources.  A continuous law is drawn on the grid of the unit, each size rounded up to it, so
that P(R <= x) is the law's own at every point x of the grid.  Psychas & Ghaderi (2019),
Section II: F_R.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from math import prod
from typing import Protocol, Sequence

import numpy as np
from numpy.typing import NDArray

Units = tuple[int, ...]
Probability = Fraction | float
Sizes = NDArray[np.int64]

#: Independent laws with more sizes together are not listed.
MOST_TOGETHER = 4096


class SizeLaw(Protocol):
    """What the size R of a job is: a random vector of D whole numbers of units."""

    @property
    def resources(self) -> int:
        """D."""
        ...

    @property
    def smallest(self) -> Units:
        """[D] the smallest size possible of each resource."""
        ...

    @property
    def largest(self) -> Units:
        """[D] the largest size possible of each resource."""
        ...

    @property
    def least(self) -> int:
        """The smallest possible value of the largest component of a size."""
        ...

    @property
    def atoms(self) -> tuple[tuple[Units, Fraction], ...]:
        """Each size with its probability, the largest first; none if the law is continuous."""
        ...

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """[count, D] independent sizes."""
        ...

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Probability:
        """P(low < R_d <= high), a Fraction where it is exact."""
        ...

    def mean(self, d: int = 0) -> Fraction:
        """E[R_d] in units; of a truncated law the nearest floating-point number."""
        ...


class Atoms:
    """Finitely many sizes.

    Parameters
    ----------
    values:
        [m][D] sizes in units, some perhaps equal.
    shares:
        [m] their probabilities, which sum to 1.
    """

    def __init__(self, values: Sequence[Units], shares: Sequence[Fraction]) -> None:
        together: dict[Units, Fraction] = {}
        for value, share in zip(values, shares, strict=True):
            if share:
                together[value] = together.get(value, Fraction(0)) + share
        order = sorted(together, key=lambda value: (max(value), value), reverse=True)
        self.atoms = tuple((value, together[value]) for value in order)
        self.resources = len(order[0])
        self.smallest = tuple(min(column) for column in zip(*order, strict=True))
        self.largest = tuple(max(column) for column in zip(*order, strict=True))
        self.least = max(order[-1])
        self._below = [self._distribution(d) for d in range(self.resources)]

    def _distribution(self, d: int) -> tuple[list[int], list[Fraction]]:
        """The distinct sizes of a resource, and P(R_d <= size), with P(R_d <= nothing) first."""
        mass: dict[int, Fraction] = {}
        for value, share in self.atoms:
            mass[value[d]] = mass.get(value[d], Fraction(0)) + share
        sizes = sorted(mass)
        return sizes, list(accumulate((mass[size] for size in sizes), initial=Fraction(0)))

    @cached_property
    def _table(self) -> tuple[Sizes, NDArray[np.float64]]:
        # Summed exactly first: rounding must not add up over many values.
        total, below = Fraction(0), []
        for _, share in self.atoms:
            total += share
            below.append(float(total))
        return np.array([value for value, _ in self.atoms], np.int64), np.array(below[:-1])

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """See :class:`SizeLaw`."""
        values, below = self._table
        return np.asarray(values[np.searchsorted(below, random.random(count), side="right")])

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Fraction:
        """See :class:`SizeLaw`."""
        sizes, below = self._below[d]
        first, last = bisect_right(sizes, low), bisect_right(sizes, high)
        return below[max(first, last)] - below[first]

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`SizeLaw`."""
        return sum((share * value[d] for value, share in self.atoms), Fraction(0))


class MixedSizes:
    """One of several laws, chosen by their shares, which sum to 1."""

    def __init__(self, laws: Sequence[SizeLaw], shares: Sequence[Fraction]) -> None:
        self.laws, self.shares = tuple(laws), tuple(shares)
        self.resources = self.laws[0].resources
        self.smallest = tuple(min(column) for column in zip(*(law.smallest for law in laws), strict=True))
        self.largest = tuple(max(column) for column in zip(*(law.largest for law in laws), strict=True))
        self.least = min(law.least for law in self.laws)
        self._below = np.cumsum([float(share) for share in self.shares])[:-1]

    @cached_property
    def atoms(self) -> tuple[tuple[Units, Fraction], ...]:
        """See :class:`SizeLaw`."""
        if not all(law.atoms for law in self.laws):
            return ()
        pairs = [
            (value, share * part)
            for law, share in zip(self.laws, self.shares, strict=True)
            for value, part in law.atoms
        ]
        return Atoms([value for value, _ in pairs], [share for _, share in pairs]).atoms

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """See :class:`SizeLaw`."""
        chosen = np.searchsorted(self._below, random.random(count), side="right")
        sizes = np.empty((count, self.resources), np.int64)
        for number, law in enumerate(self.laws):
            mine = np.flatnonzero(chosen == number)
            sizes[mine] = law.sample(random, len(mine))
        return sizes

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Probability:
        """See :class:`SizeLaw`."""
        total: Probability = Fraction(0)
        for law, share in zip(self.laws, self.shares, strict=True):
            part = law.probability(low, high, d)
            total += share * part if isinstance(part, Fraction) else float(share) * part
        return total

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`SizeLaw`."""
        pairs = zip(self.laws, self.shares, strict=True)
        return sum((share * law.mean(d) for law, share in pairs), Fraction(0))


class IndependentSizes:
    """[D] laws of one resource each, independent of one another."""

    def __init__(self, laws: Sequence[SizeLaw]) -> None:
        self.laws = tuple(laws)
        self.resources = len(self.laws)
        self.smallest = tuple(law.smallest[0] for law in self.laws)
        self.largest = tuple(law.largest[0] for law in self.laws)
        self.least = max(self.smallest)

    @cached_property
    def atoms(self) -> tuple[tuple[Units, Fraction], ...]:
        """See :class:`SizeLaw`; also none if there are more than :data:`MOST_TOGETHER`."""
        single = [law.atoms for law in self.laws]
        if not 0 < prod(map(len, single)) <= MOST_TOGETHER:
            return ()
        pairs = [
            (tuple(value[0] for value, _ in chosen), prod((share for _, share in chosen), start=Fraction(1)))
            for chosen in product(*single)
        ]
        return Atoms([value for value, _ in pairs], [share for _, share in pairs]).atoms

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """See :class:`SizeLaw`."""
        return np.concatenate([law.sample(random, count) for law in self.laws], axis=1)

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Probability:
        """See :class:`SizeLaw`."""
        return self.laws[d].probability(low, high)

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`SizeLaw`."""
        return self.laws[d].mean()
