"""Continuous distributions of a job's size on (low, high], in units; see :mod:`model.kinds.queue.sizes`.

``low`` and ``high`` are points of the grid; the other parameters are numbers of units, too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from math import exp, expm1, inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.sizes import Probability, Sizes, Units

Floats = NDArray[np.float64]

_LOG_10 = log(10)


class Interval(ABC):
    """A distribution with a density on (low, high]."""

    resources = 1
    atoms: tuple[tuple[Units, Fraction], ...] = ()

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.smallest, self.largest = (low + 1,), (high,)
        self.least = low + 1

    @abstractmethod
    def _draw(self, random: np.random.Generator, count: int) -> Floats:
        """[count] sizes in units, before rounding."""

    @abstractmethod
    def _below(self, size: float) -> float:
        """F(size) for low < size < high."""

    @abstractmethod
    def mean(self, d: int = 0) -> Fraction:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        sizes = np.ceil(self._draw(random, count))
        return np.clip(sizes, self.low + 1, self.high).astype(np.int64)[:, None]

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Probability:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        if high <= self.low or low >= self.high or high <= low:
            return Fraction(0)
        if low <= self.low and high >= self.high:
            return Fraction(1)
        below_low = self._below(float(low)) if low > self.low else 0.0
        below_high = self._below(float(high)) if high < self.high else 1.0
        return max(0.0, below_high - below_low)


class GridUniform(Interval):
    """Every point of the grid in (low, high] equally likely; probabilities are exact."""

    def sample(self, random: np.random.Generator, count: int) -> Sizes:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        return random.integers(self.low + 1, self.high, (count, 1), endpoint=True)

    def _draw(self, random: np.random.Generator, count: int) -> Floats:
        return random.uniform(self.low, self.high, count)

    def _below(self, size: float) -> float:
        return (size - self.low) / (self.high - self.low)

    def probability(self, low: int | Fraction, high: int | Fraction, d: int = 0) -> Fraction:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        first = max(Fraction(low), Fraction(self.low))
        last = min(Fraction(high), Fraction(self.high))
        return max(Fraction(0), (last - first) / (self.high - self.low))

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        return Fraction(self.low + self.high, 2)


class GridBeta(Interval):
    """A beta variable with parameters a and b, stretched to (low, high]."""

    def __init__(self, low: int, high: int, a: Fraction, b: Fraction) -> None:
        super().__init__(low, high)
        self.a, self.b = a, b

    def _draw(self, random: np.random.Generator, count: int) -> Floats:
        return self.low + (self.high - self.low) * random.beta(float(self.a), float(self.b), count)

    def _below(self, size: float) -> float:
        from scipy.special import betainc

        share = (size - self.low) / (self.high - self.low)
        return float(betainc(float(self.a), float(self.b), share))

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        return self.low + (self.high - self.low) * self.a / (self.a + self.b)


class GridExponential(Interval):
    """Exponential with the given mean before it is truncated to (low, high]."""

    def __init__(self, low: int, high: int, mean: Fraction) -> None:
        super().__init__(low, high)
        self._scale = float(mean)
        self._kept = -expm1(-(high - low) / self._scale)

    def _draw(self, random: np.random.Generator, count: int) -> Floats:
        from scipy.special import log1p  # NumPy's is not the same on every processor

        return np.asarray(self.low - self._scale * log1p(-self._kept * random.random(count)))

    def _below(self, size: float) -> float:
        return -expm1(-(size - self.low) / self._scale) / self._kept

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        width = (self.high - self.low) / self._scale
        # On a short interval the distribution is nearly uniform, and the exact formula suffers from cancellation.
        share = 0.5 - width / 12 if width < 1e-4 else 1 / width - (1 - self._kept) / self._kept
        return self.low + (self.high - self.low) * Fraction(share)


class GridNormal(Interval):
    """Normal with the given mean and deviation before it is truncated to (low, high]."""

    def __init__(self, low: int, high: int, mean: Fraction, deviation: Fraction) -> None:
        super().__init__(low, high)
        self._centre, self._scale = float(mean), float(deviation)
        self._distribution = _StandardNormal(float(low - mean) / self._scale, float(high - mean) / self._scale)

    def _draw(self, random: np.random.Generator, count: int) -> Floats:
        return self._centre + self._scale * self._distribution.draw(random, count)

    def _below(self, size: float) -> float:
        return self._distribution.below((size - self._centre) / self._scale)

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        return Fraction(self._centre + self._scale * self._distribution.mean())


class GridLogNormal(Interval):
    """A lognormal distribution truncated to (low, high], given by the normal distribution of log(size in units)."""

    def __init__(self, low: int, high: int, centre: float, spread: float) -> None:
        super().__init__(low, high)
        self._centre, self._spread = centre, spread
        self._distribution = _StandardNormal(self._standard(low), self._standard(high))

    def _standard(self, size: float) -> float:
        return (log(size) - self._centre) / self._spread if size > 0 else -inf

    def _draw(self, random: np.random.Generator, count: int) -> Floats:
        from scipy.special import exp10  # NumPy's exp is not the same on every processor

        powers = self._centre + self._spread * self._distribution.draw(random, count)
        return np.asarray(exp10(powers / _LOG_10))

    def _below(self, size: float) -> float:
        return self._distribution.below(self._standard(size))

    def mean(self, d: int = 0) -> Fraction:
        """See :class:`model.kinds.queue.sizes.SizeDistribution`."""
        whole = exp(self._centre + self._spread**2 / 2)
        return Fraction(float(whole * self._distribution.tilted(self._spread)))


class _StandardNormal:
    """The standard normal distribution truncated to (low, high].

    An interval above 0 is mirrored, because floating-point probabilities near 0 are more precise
    than those near 1.
    """

    def __init__(self, low: float, high: float) -> None:
        from scipy.special import ndtr

        self._sign = -1.0 if low > 0 else 1.0
        self._low, self._high = (-high, -low) if low > 0 else (low, high)
        self._below_low = float(ndtr(self._low))
        self._chance = float(ndtr(self._high)) - self._below_low

    def draw(self, random: np.random.Generator, count: int) -> Floats:
        """[count] values, by the inverse distribution function."""
        from scipy.special import ndtri

        inner = ndtri(self._below_low + self._chance * random.random(count))
        return np.asarray(self._sign * np.clip(inner, self._low, self._high))

    def below(self, value: float) -> float:
        """P(X <= value)."""
        from scipy.special import ndtr

        inside = (float(ndtr(self._sign * value)) - self._below_low) / self._chance
        return inside if self._sign > 0 else 1.0 - inside

    def mean(self) -> float:
        """E[X]."""
        low, high = (exp(-value * value / 2) for value in (self._low, self._high))
        return self._sign * (low - high) / sqrt(2 * pi) / self._chance

    def tilted(self, spread: float) -> float:
        """E[exp(spread X)] of the truncated distribution, divided by its value without truncation."""
        from scipy.special import ndtr

        shift = self._sign * spread
        return float((ndtr(self._high - shift) - ndtr(self._low - shift)) / self._chance)
