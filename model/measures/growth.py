"""Tests whether a queue grows: the verdict is stable, unstable or undecided, with a reason.

A queue is stable if the mean of Q(t) stays bounded (Psychas & Ghaderi (2019), Section II).  A run
shows Q over finitely many slots only, so the test asks two questions about the means of Q over
intervals of equal length ("stretches"), and answers only what both allow:

* *Does it rise?*  The slope with its confidence interval.  An unstable queue is a random walk with
  drift: the increments of its means over stretches have the slope as their mean, and their variance
  gives an interval.  First differences of averages of a random walk are correlated, so that the
  variance of their sum is 3/2 of that of independent ones (H. Working, "Note on the correlation of
  first differences of averages in a random chain", Econometrica 28, 1960).  If the means surely
  return to a line, the slope of this line is a more precise estimate, and is used instead.
* *Does it return?*  The unit root test of D. A. Dickey and W. A. Fuller with a constant
  (Journal of the American Statistical Association 74, 1979).

``unstable``: the interval lies above 0, and the queue does not return to a mean.  ``stable``: it
returns to a mean, and neither interval excludes 0.  Otherwise ``undecided``: the run is too short.
Near the critical load a queue looks like a random walk until the run is some twenty times as long as
its relaxation time; then ``undecided`` is the right answer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb, sqrt
from typing import Literal, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.measures.metrics import CONFIDENCE, estimate, quantile

Verdict = Literal["stable", "unstable", "undecided"]
Values = NDArray[np.float64]

#: The best number of stretches: with fewer the tests lose power, with more they gain none.
STRETCHES = 50

#: The fewest stretches that can decide.
FEWEST = 20

#: The variance of the sum of first differences of averages, relative to independent differences.
WORKING = 1.5

#: Critical values of the tests for a unit root, as functions of the number n of increments:
#: c0 + c1/n + c2/n^2 + c3/n^3.  J. G. MacKinnon, "Critical values for cointegration tests",
#: Queen's University, working paper 1227, 2010, table 2, N = 1: with a constant at 5 %, and with
#: a constant and a trend at 1 %.
AROUND_A_MEAN = (-2.86154, -2.8903, -4.234, -40.040)
AROUND_A_LINE = (-3.95877, -9.0531, -28.428, -134.155)

#: From this number of runs on, the spread of their slopes gives a confidence interval, too.
SEVERAL = 5

#: The largest share of runs called unstable by mistake (reached at the critical load).
MISTAKEN = 0.05

#: Deviations from a line that are smaller than this, relative to the means, are rounding errors and not noise.
ROUNDING = 1e-12


class Slope(NamedTuple):
    """A slope and the half-width of its 95 % confidence interval."""

    slope: float
    half_width: float

    @property
    def rises(self) -> bool:
        """Whether the interval lies above 0."""
        return self.slope - self.half_width > 0

    @property
    def level(self) -> bool:
        """Whether the interval contains 0."""
        return abs(self.slope) <= self.half_width


@dataclass(frozen=True)
class Growth:
    """The growth of a queue."""

    #: slope, half_width: in jobs per slot, with the half-width of the 95 % confidence interval (nan: too few stretches)
    slope: float
    half_width: float
    #: verdict, reason: the verdict, and why, as a clause such as "the queue returns to its mean"
    verdict: Verdict
    reason: str


def growth(edges: NDArray[np.float64] | Sequence[float], areas: NDArray[np.float64] | Sequence[float]) -> Growth:
    """The growth of a queue, from its sums over equal stretches of a run after its warm-up.

    - *edges*: [b + 1] the equidistant slots at which the stretches begin and the last one ends.
    - *areas*: [b] the sum of Q(t) over the slots of each stretch; best :data:`STRETCHES` of them.

    Raises ValueError if the lengths do not match, or the edges do not rise by equal steps.
    """
    length = _length(np.asarray(edges, float), len(areas))
    means = np.asarray(areas, float) / length
    if len(means) < FEWEST:
        known = "is 1 stretch" if len(means) == 1 else f"are {len(means)} stretches"
        return Growth(np.nan, np.nan, "undecided", f"there {known}; at least {FEWEST} are needed")
    found = _judged(means)
    return Growth(found.slope / length, found.half_width / length, found.verdict, found.reason)


def together(several: Sequence[Growth]) -> Growth:
    """The joint verdict of independent runs of one system, with their mean slope.

    ``unstable`` if the interval of the mean slope lies above 0, and more runs are unstable than
    mistakes explain: a stable queue, too, rises on its way from empty to a high mean, and many runs
    together would detect that.  ``stable`` if the interval contains 0, more than half of the runs are
    stable, and no more are unstable than mistakes explain.  From :data:`SEVERAL` runs on the interval is
    at least the one that follows from the spread of their slopes, since a run may be caught in a state for long.
    Raises ValueError if there is no run.
    """
    if not several:
        raise ValueError("at least one run is needed")
    if len(several) == 1:
        return several[0]
    slope = float(np.mean([run.slope for run in several]))
    half_width = float(np.sqrt(np.sum([run.half_width**2 for run in several]))) / len(several)
    if len(several) >= SEVERAL:
        half_width = max(half_width, estimate([run.slope for run in several]).half_width)
    counts = Counter(run.verdict for run in several)
    reason = ", ".join(f"{counts[name]} {name}" for name in ("stable", "unstable", "undecided") if counts[name])
    whole = Slope(slope, half_width)
    verdict: Verdict = "undecided"
    if _chance(counts["unstable"], len(several)) < (1 - CONFIDENCE) / 2:
        verdict = "unstable" if whole.rises else "undecided"
    elif whole.level and 2 * counts["stable"] > len(several):
        verdict = "stable"
    return Growth(slope, half_width, verdict, f"of {len(several)} runs: {reason}")


def _chance(unstable: int, runs: int) -> float:
    """The probability of at least *unstable* mistakes in so many runs."""
    return sum(comb(runs, k) * MISTAKEN**k * (1 - MISTAKEN) ** (runs - k) for k in range(unstable, runs + 1))


def _length(edges: Values, stretches: int) -> float:
    steps = np.diff(edges)
    if len(steps) != stretches or not stretches:
        raise ValueError(f"found {len(edges)} edges of {stretches} stretches")
    length = float(edges[-1] - edges[0]) / stretches
    if length <= 0 or not np.allclose(steps, length, rtol=1e-6):
        raise ValueError("edges must rise by equal steps")
    return length


def _judged(means: Values) -> Growth:
    """The growth from the means over stretches of length 1."""
    scale = float(np.abs(means).max())
    slope, rest = _line(means)
    if np.abs(rest).max() <= ROUNDING * scale:
        return _straight(slope if abs(slope) * len(means) > ROUNDING * scale else 0.0)
    spread = float(means.std())
    scaled = (means - means.mean()) / spread
    line, walk = _slope_of_the_line(scaled), _increments(scaled)
    found = line if _returns(scaled, AROUND_A_LINE, trend=True) else walk
    verdict, reason = _said(found, _returns(scaled, AROUND_A_MEAN), line)
    return Growth(found.slope * spread, found.half_width * spread, verdict, reason)


def _straight(slope: float) -> Growth:
    """The growth for means that lie exactly on a line."""
    verdict: Verdict = "stable"
    if slope:
        verdict = "unstable" if slope > 0 else "undecided"
    return Growth(slope, 0.0, verdict, "the queue changed by the same in every stretch")


def _said(found: Slope, returns: bool, line: Slope) -> tuple[Verdict, str]:
    if returns and found.level and line.level:
        return "stable", "the queue returns to its mean, and the slope may be 0"
    if returns:
        direction = "rises" if line.slope > 0 else "falls"
        return "undecided", f"the queue returns to its mean, and yet it {direction}"
    if found.rises:
        return "unstable", "the slope is above 0, and the queue does not return to a mean"
    return "undecided", "the queue neither surely grows nor surely returns to a mean in this time"


def _increments(means: Values) -> Slope:
    """The mean increment with its interval, if the means are averages of a random walk."""
    steps = np.diff(means)
    spread = sqrt(WORKING * float(steps.var(ddof=1)) / len(steps))
    return Slope(float(steps.mean()), quantile(len(steps) - 1) * spread)


def _slope_of_the_line(means: Values) -> Slope:
    """The slope of a line with its interval, if the deviations from the line are autoregressive of order 1.

    The correlation of successive deviations from a fitted line is underestimated by (2 + 4 r)/n; with
    this correction, the regression is repeated on the innovations of the deviations (S. J. Prais and
    C. B. Winsten, 1954).  If the correlation may be 1, the deviations are treated as a random walk.
    """
    count = len(means)
    _, rest = _line(means)
    found = float(rest[1:] @ rest[:-1]) / float(rest[:-1] @ rest[:-1])
    correlation = max((count * found + 2) / (count - 4), 0.0)
    if correlation >= 1 - 1 / sqrt(count):
        return _increments(means)
    first, columns = sqrt(1 - correlation**2), _ones_and_times(count)
    new = np.vstack([first * columns[:1], columns[1:] - correlation * columns[:-1]])
    values = np.r_[first * means[0], means[1:] - correlation * means[:-1]]
    coefficients, errors = _regression(new, values)
    return Slope(float(coefficients[1]), quantile(count - 3) * float(errors[1]))


def _returns(means: Values, critical: Sequence[float], trend: bool = False) -> bool:
    """Whether the Dickey-Fuller test rejects a unit root, with a constant [and a trend].

    The statistic is the t value of the level in the regression of increments on 1, [time,] level.  Means
    that rise ever more slowly, to a mean beyond all values seen, have not returned to it.
    """
    steps = np.diff(means)
    columns = np.column_stack([_ones_and_times(len(steps))[:, : 1 + trend], means[:-1]])
    if np.linalg.matrix_rank(columns) < columns.shape[1]:
        return False  # the level lay on a line until the last stretch: there is nothing to return from
    coefficients, errors = _regression(columns, steps)
    limit = sum(c / len(steps) ** power for power, c in enumerate(critical))
    if coefficients[-1] >= limit * errors[-1]:
        return False
    mean = -coefficients[0] / coefficients[-1]
    return trend or bool(means.min() <= mean <= means.max())


def _line(means: Values) -> tuple[float, Values]:
    """The slope of the least-squares line, and the deviations from the line."""
    columns = _ones_and_times(len(means))
    coefficients, _ = _regression(columns, means)
    return float(coefficients[1]), means - columns @ coefficients


def _ones_and_times(count: int) -> Values:
    """[count, 2] the regressors of a line: ones and centred times."""
    return np.column_stack([np.ones(count), np.arange(count) - (count - 1) / 2])


def _regression(columns: Values, values: Values) -> tuple[Values, Values]:
    """Least squares: [k] coefficients and [k] their standard errors."""
    inverse = np.linalg.inv(columns.T @ columns)
    coefficients = inverse @ columns.T @ values
    rest = values - columns @ coefficients
    variance = float(rest @ rest) / (len(values) - columns.shape[1])
    return coefficients, np.sqrt(variance * np.maximum(np.diag(inverse), 0.0))
