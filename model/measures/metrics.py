"""Averages with warm-up and confidence intervals: batch means and replications.

The integrals of Y_j are part of the state, so that a time average over any stretch is the
difference of two integrals: nothing is sampled, nothing is lost between samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.measures.student import quantile

#: Values that differ by less, relative to their mean, differ by rounding only.
ROUNDING = 1e-13

#: Batches of two runs that differ by less, relative to their values, do so as sums over a whole run are rounded;
#: and so does a mean that is less, relative to how far its values are from each other.
ROUNDED_SUMS = 1e-11

#: Batches that a single run is cut into.
BATCHES = 20


@dataclass(frozen=True)
class Estimate:
    """A mean and the half-width of its confidence interval (nan if it cannot be told)."""

    mean: float
    half_width: float

    def as_dict(self) -> dict[str, float | None]:
        """For JSON; nan becomes null."""
        return {"mean": _or_none(self.mean), "half_width": _or_none(self.half_width)}


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def estimate(values: Sequence[float] | NDArray[np.float64]) -> Estimate:
    """Student's interval for the mean of independent (or batched) values."""
    array = np.asarray(values, float)
    if len(array) == 0:
        return Estimate(np.nan, np.nan)
    if len(array) == 1:
        return Estimate(float(array[0]), np.nan)
    mean = float(np.add.reduce(array)) / len(array)  # NumPy's own mean and std ask more than they compute
    away = array - mean
    spread = sqrt(np.add.reduce(away * away) / (len(array) - 1))
    if spread <= ROUNDING * abs(mean):
        return Estimate(mean, 0.0)
    if abs(mean) <= ROUNDED_SUMS * spread:
        mean = 0.0
    return Estimate(mean, quantile(len(array) - 1) * spread / sqrt(len(array)))


@dataclass(frozen=True, eq=False)
class Batches:
    """One quantity in each of several batches (or replications) of equal weight."""

    values: NDArray[np.float64]  #: [b] the quantity; nan where it cannot be told
    scale: float = 1  #: what the mean is multiplied by: the number of batches where they add up

    def estimate(self) -> Estimate:
        """The mean over the batches where it is known, with its interval."""
        one = estimate(self.values[np.isfinite(self.values)])
        return Estimate(one.mean * self.scale, one.half_width * self.scale)

    def minus(self, other: Batches) -> Batches:
        """The paired differences: what is common to both, such as the same jobs, cancels; so does what was rounded."""
        found = self.values - other.values
        rounded = np.abs(found) <= ROUNDED_SUMS * np.maximum(np.abs(self.values), np.abs(other.values))
        return Batches(np.where(rounded, 0.0, found), self.scale)


def ratio(count: NDArray[np.float64] | Sequence[float], of: NDArray[np.float64] | Sequence[float]) -> Batches:
    """A quotient of two sums over the batches, such as the share of the jobs that are rejected.

    Its mean is the quotient over all batches together; that of the batches' own quotients would
    count a batch of few jobs like one of many.  The batches' values are those of its linearization
    (the delta method), so that intervals and paired differences follow as for any other quantity.

    - *count*, *of*: [b] the two quantities in each batch; nan everywhere where *of* adds up to 0.
    """
    above, below = np.asarray(count, float), np.asarray(of, float)
    if not below.sum() > 0:
        return Batches(np.full(len(below), np.nan))
    mean = above.sum() / below.sum()
    return Batches(mean + (above - mean * below) / below.mean())


def estimates(batches: Mapping[str, Batches]) -> dict[str, Estimate]:
    """The mean of each metric, with its interval by batch means."""
    return {name: one.estimate() for name, one in batches.items()}
