"""Distributions of job sizes in integer units, and of service times in whole slots: sampling and exact values.

D resources.  Sizes of a continuous distribution are rounded up to whole units, so that P(R <= x) is that
of the continuous distribution at every whole number x of units.  Psychas & Ghaderi (2019),
Section II: F_R.

Distributions on whole slots are exact.  Continuous service times (exponential, Erlang, ...) are in slots and
rounded up to whole slots, so that every job stays at least one slot.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, product
from math import ceil, expm1, lcm, prod
from typing import Callable, Protocol, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.exact import logarithm
from slotscope.model.kinds.queue.scenario.distributions import (
    MOST_SLOTS,
    DiscreteSlots,
    Fixed,
    Geometric,
    SlotService,
    UniformSlots,
)
from slotscope.model.scenario.common import Deterministic, Erlang, Exponential, HyperExponential, LogNormal, Pareto
from slotscope.model.scenario.streams import drawn_classes
from slotscope.model.scenario.workload import Sampler, service_sampler

Units = tuple[int, ...]
Probability = Fraction | float
Sizes = NDArray[np.int64]

#: The sizes of independent distributions are not listed if there are more combinations than this.
MOST_TOGETHER = 4096


class SizeDistribution(Protocol):
    """The distribution of the size R of a job, a random vector of D whole numbers of units."""

    @property
    def resources(self) -> int:
        """D."""

    @property
    def smallest(self) -> Units:
        """[D] the smallest possible size in each resource."""

    @property
    def largest(self) -> Units:
        """[D] the largest possible size in each resource."""

    @property
    def least(self) -> int:
        """The smallest possible value of the largest component of a size."""

    @property
    def atoms(self) -> tuple[tuple[Units, Fraction], ...]:
        """Each size with its probability, the largest first; none if the distribution is continuous."""

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """[count, D] independent sizes."""

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Probability:
        """P(low < R_d <= high); a Fraction if it is exact."""

    def mean(self, d: int = 0) -> Fraction:
        """E[R_d] in units; for a truncated distribution a floating-point approximation."""


class Atoms:
    """Finitely many sizes.

    - *values*: [m][D] sizes in units, not necessarily distinct.
    - *shares*: [m] their probabilities, which sum to 1.
    """

    def __init__(self, values: Sequence[Units], shares: Sequence[Fraction]) -> None:
        # Integer weights with a common total, because sums of fractions would take a hundred times as long.
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
        """The distinct sizes of a resource, and the cumulative weights up to each, starting with 0."""
        mass: dict[int, int] = {}
        for value, weight in self._weights.items():
            mass[value[d]] = mass.get(value[d], 0) + weight
        sizes = sorted(mass)
        return sizes, list(accumulate((mass[size] for size in sizes), initial=0))

    @cached_property
    def _table(self) -> tuple[Sizes, NDArray[np.float64]]:
        # Sums are exact before the division, so that rounding errors do not accumulate.
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


#: The mean of a rounded-up distribution is the sum of P(S > k).  So many terms are summed one by one; the rest is an
#: integral, by the trapezoidal rule, with an error of about the density there divided by 12.
SUMMED_SLOTS = 4096


def slot_sampler(distribution: SlotService) -> Sampler:
    """A function (generator, n) -> [n] whole numbers of slots of service, as floats, >= 1."""
    if isinstance(distribution, Geometric):
        chance = float(1 / distribution.mean)
        return lambda random, n: random.geometric(chance, n).astype(np.float64)
    if isinstance(distribution, Fixed):
        return lambda _, n: np.full(n, float(distribution.slots))
    if isinstance(distribution, UniformSlots):
        return lambda random, n: random.integers(distribution.low, distribution.high + 1, n).astype(np.float64)
    if isinstance(distribution, DiscreteSlots):
        values = np.asarray(distribution.values, np.float64)
        below = np.cumsum([float(share) for share in distribution.shares])[:-1]
        return lambda random, n: values[drawn_classes(random, below, n)]
    if isinstance(distribution, Deterministic):
        return lambda _, n: np.full(n, float(ceil(distribution.mean)))
    sample = service_sampler(distribution)
    return lambda random, n: np.clip(np.ceil(sample(random, n)), 1.0, float(MOST_SLOTS))


def mean_slots(distribution: SlotService) -> Fraction:
    """1 / mu: the mean of the distribution in slots; exact for distributions on whole slots, otherwise to 9 digits."""
    if isinstance(distribution, Geometric):
        return distribution.mean
    if isinstance(distribution, Fixed):
        return Fraction(distribution.slots)
    if isinstance(distribution, UniformSlots):
        return Fraction(distribution.low + distribution.high, 2)
    if isinstance(distribution, DiscreteSlots):
        pairs = zip(distribution.values, distribution.shares, strict=True)
        return sum((value * share for value, share in pairs), Fraction(0))
    if isinstance(distribution, Deterministic):
        return Fraction(ceil(distribution.mean))
    if isinstance(distribution, Exponential):
        return Fraction(f"{-1 / expm1(-1 / float(distribution.mean)):.9g}")
    survival, excess = _tail(distribution)
    summed = survival(np.arange(SUMMED_SLOTS, dtype=np.float64)).sum()
    last = np.array([float(SUMMED_SLOTS)])
    return Fraction(f"{float(summed + excess(last)[0] + survival(last)[0] / 2):.9g}")


Function = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _tail(distribution: Erlang | HyperExponential | Pareto | LogNormal) -> tuple[Function, Function]:
    """P(S > s), and its integral from s on, E[max(S - s, 0)]."""
    mean = float(distribution.mean)
    if isinstance(distribution, Erlang):
        return _erlang_tail(distribution.phases, distribution.phases / mean)
    if isinstance(distribution, HyperExponential):
        variation = float(distribution.squared_variation)
        often = (1 + ((variation - 1) / (variation + 1)) ** 0.5) / 2
        parts = np.array([often, 1 - often])
        # Each branch contributes half of the mean, and has the rate 2 part / mean.
        return (
            lambda s: np.exp(-2 * np.outer(s, parts) / mean) @ parts,
            lambda s: np.exp(-2 * np.outer(s, parts) / mean).sum(axis=1) * mean / 2,
        )
    if isinstance(distribution, Pareto):
        return _pareto_tail(mean, float(distribution.shape))
    return _lognormal_tail(mean, logarithm(1 + distribution.squared_variation) ** 0.5)


def _erlang_tail(phases: int, rate: float) -> tuple[Function, Function]:
    from scipy.special import gammaincc

    return (
        lambda s: np.asarray(gammaincc(phases, rate * s)),
        lambda s: np.asarray(phases / rate * gammaincc(phases + 1, rate * s) - s * gammaincc(phases, rate * s)),
    )


def _pareto_tail(mean: float, shape: float) -> tuple[Function, Function]:
    least = mean * (shape - 1) / shape

    def survival(s: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((least / np.maximum(s, least)) ** shape)

    return survival, lambda s: np.where(s < least, mean - s, s * survival(s) / (shape - 1))


def _lognormal_tail(mean: float, spread: float) -> tuple[Function, Function]:
    from scipy.special import ndtr

    def above(s: NDArray[np.float64], shift: float) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.asarray(ndtr((np.log(mean) - np.log(s)) / spread + shift))

    return (lambda s: above(s, -spread / 2), lambda s: mean * above(s, spread / 2) - s * above(s, -spread / 2))
