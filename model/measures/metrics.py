"""Averages with warm-up and confidence intervals: batch means and replications, and the quantiles for them.

The integrals of Y_j are part of the state, so that a time average over any stretch is the
difference of two integrals: nothing is sampled, nothing is lost between samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

#: Two-sided confidence of all intervals.
CONFIDENCE = 0.95

#: The quantiles of 1 to 60 degrees of freedom at that confidence, as SciPy gives them: to import it takes longer than a
#: short run, and batches and replications are rarely more.
_TABLE = """
12.706204736174694 4.302652729749462 3.1824463052837078 2.7764451051977934 2.5705818356363146 2.4469118511449786
2.364624251592784 2.306004135204166 2.262157162798205 2.228138851986274 2.200985160091639 2.1788128296672284
2.1603686564627913 2.144786687917804 2.131449545559776 2.1199052992212546 2.1098155778333156 2.1009220402410382
2.0930240544083087 2.085963447265864 2.0796138447276795 2.0738730679040254 2.0686576104190486 2.0638985616280245
2.0595385527532972 2.0555294386428735 2.0518305164802846 2.0484071417952454 2.045229642132703 2.0422724563012378
2.039513446396408 2.0369333434601016 2.0345152974493383 2.0322445093177186 2.030107928250343 2.0280940009804502
2.0261924630291093 2.0243941639119694 2.022690920036761 2.021075390306273 2.019540970441376 2.0180817028184443
2.016692199227824 2.0153675744437636 2.014103388880846 2.012895598919429 2.0117405137297655 2.010634757624232
2.0095752371292392 2.008559112100761 2.007583770315836 2.006646805061688 2.0057459953178687 2.0048792881880564
2.0040447832891455 2.003240718847872 2.002465459291007 2.0017174841452356 2.000995378088267 2.0002978220142604
"""
_QUANTILES = tuple(map(float, _TABLE.split()))


@lru_cache(maxsize=1024)
def quantile(freedom: int) -> float:
    """How many standard errors a mean's interval reaches to either side, for so many degrees of freedom."""
    if 1 <= freedom <= len(_QUANTILES):
        return _QUANTILES[freedom - 1]
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


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


def last_at(grid: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.intp]:
    """[t] which sample of an increasing *grid* is the last up to each time; the first where there is none."""
    return np.clip(np.searchsorted(grid, times, side="right") - 1, 0, len(grid) - 1)


def between(
    grid: NDArray[np.float64], times: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """[t] the samples of an increasing *grid* around each time, and which share of the way lies before it."""
    before = last_at(grid, times)
    after = np.minimum(before + 1, len(grid) - 1)
    span = grid[after] - grid[before]
    return before, after, np.divide(times - grid[before], span, out=np.zeros(len(times)), where=span > 0)
