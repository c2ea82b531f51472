"""Service in whole slots: how each distribution is drawn, and its mean.

Distributions of whole slots are exact.  The distributions that are not (exponential, Erlang, ...) are in slots
and rounded up to whole ones, so that every job stays at least one slot.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, expm1
from typing import Callable

import numpy as np
from numpy.typing import NDArray

from slotscope.model.exact import logarithm
from slotscope.model.kinds.queue.scenario.service import (
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

#: Slots that are summed one by one for the mean of a distribution that is rounded up, the sum of P(S > k).
#: After them it is an integral, by the trapezoidal rule: its error is a density there over 12.
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
    """1 / mu: the mean of the distribution in slots; exact for distributions of whole slots, else to 9 digits."""
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
        # Each part has half of the mean, and the rate 2 part / mean.
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
