"""Averages after a warm-up with confidence intervals, by batch means and replications, and their quantiles.

The integrals of Y_j are part of the state, so that the time average over any interval is a
difference of two integrals: it is exact, without sampling.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

#: The two-sided confidence level of all intervals.
CONFIDENCE = 0.95

#: Student quantiles for 1 to 60 degrees of freedom at that confidence, as computed by SciPy: importing SciPy takes
#: longer than a short run, and there are rarely more batches or replications.
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
    """The Student quantile: the half-width of an interval in standard errors, for so many degrees of freedom."""
    if 1 <= freedom <= len(_QUANTILES):
        return _QUANTILES[freedom - 1]
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


#: Values with a smaller spread, relative to their mean, differ only by rounding.
ROUNDING = 1e-13

#: Batches of two runs with a smaller relative difference differ only by the rounding of sums over a whole run;
#: likewise, a mean that is smaller than this relative to the spread of its values is 0.
ROUNDED_SUMS = 1e-11

#: The number of batches of a single run.
BATCHES = 20


@dataclass(frozen=True)
class Estimate:
    """A mean and the half-width of its confidence interval (nan if unknown)."""

    mean: float
    half_width: float

    def as_dict(self) -> dict[str, float | None]:
        """For JSON; nan becomes null."""
        return {"mean": _or_none(self.mean), "half_width": _or_none(self.half_width)}


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def estimate(values: Sequence[float] | NDArray[np.float64]) -> Estimate:
    """The mean of independent (or batched) values, with Student's confidence interval."""
    array = np.asarray(values, float)
    if len(array) == 0:
        return Estimate(np.nan, np.nan)
    if len(array) == 1:
        return Estimate(float(array[0]), np.nan)
    mean = float(np.add.reduce(array)) / len(array)  # NumPy's mean and std have more overhead than computation
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

    values: NDArray[np.float64]  #: [b] the quantity; nan where it is undefined
    scale: float = 1  #: a factor of the mean: the number of batches, for a quantity that adds up over them

    def estimate(self) -> Estimate:
        """The mean over the batches where the quantity is defined, with its confidence interval."""
        one = estimate(self.values[np.isfinite(self.values)])
        return Estimate(one.mean * self.scale, one.half_width * self.scale)

    def minus(self, other: Batches) -> Batches:
        """The paired differences, in which common influences such as the same jobs cancel; rounding errors become 0."""
        found = self.values - other.values
        rounded = np.abs(found) <= ROUNDED_SUMS * np.maximum(np.abs(self.values), np.abs(other.values))
        return Batches(np.where(rounded, 0.0, found), self.scale)


def ratio(count: NDArray[np.float64] | Sequence[float], of: NDArray[np.float64] | Sequence[float]) -> Batches:
    """The ratio of two sums over the batches, such as the share of jobs that are rejected.

    The mean is the ratio of the sums over all batches; the mean of the batches' ratios would give a
    batch of few jobs the weight of one of many.  The values of the batches are those of the linearized
    ratio (the delta method), so that intervals and paired differences follow as for any other quantity.

    - *count*, *of*: [b] the two quantities in each batch; the values are nan if *of* adds up to 0.
    """
    above, below = np.asarray(count, float), np.asarray(of, float)
    if not below.sum() > 0:
        return Batches(np.full(len(below), np.nan))
    mean = above.sum() / below.sum()
    return Batches(mean + (above - mean * below) / below.mean())


def estimates(batches: Mapping[str, Batches]) -> dict[str, Estimate]:
    """The mean of each metric by batch means, with its confidence interval."""
    return {name: one.estimate() for name, one in batches.items()}


def last_at(grid: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.intp]:
    """[t] the index of the last sample of an increasing *grid* up to each time; 0 if there is none."""
    return np.clip(np.searchsorted(grid, times, side="right") - 1, 0, len(grid) - 1)


def between(
    grid: NDArray[np.float64], times: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """[t] the samples of an increasing *grid* before and after each time, and its fraction of the way between them."""
    before = last_at(grid, times)
    after = np.minimum(before + 1, len(grid) - 1)
    span = grid[after] - grid[before]
    return before, after, np.divide(times - grid[before], span, out=np.zeros(len(times)), where=span > 0)
