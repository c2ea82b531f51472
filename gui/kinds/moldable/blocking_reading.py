"""Shares of blocked jobs and mean execution times, read from a run's samples."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.gui.plotting.sampled import Columns, History, Values, average_width
from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.sampling import COUNTS, JOBS_AREA, PER_CLASS, SCALARS, TIMES
from slotscope.model.kinds.moldable.state import ADMITTED, ARRIVED, BLOCKED, DEPARTED, OF_ADMITTED, OF_DEPARTED
from slotscope.model.reporting.frame import Frame

#: What is kept of each sample: sums over all classes that only grow.
_KEPT = (
    COUNTS + BLOCKED,
    COUNTS + ARRIVED,
    TIMES + OF_ADMITTED,
    COUNTS + ADMITTED,
    TIMES + OF_DEPARTED,
    COUNTS + DEPARTED,
    JOBS_AREA,
)

#: The share of blocked jobs is over a stretch in which so many jobs arrive on average, and that
#: is at least this part of what is in view.
_ARRIVALS, _PART = 50, 1 / 40

#: A mean of fewer jobs is not drawn, unless there are no more.
_FEW = 10


class Ratio(NamedTuple):
    """A statistic: what one sum grew by over what another did."""

    of: int  #: places in what is kept
    by: int


BLOCKED_SHARE = Ratio(0, 1)

#: The mean execution time by three statistics: names of measures, and what they are called.
STATISTICS = {
    "execution_time": (Ratio(2, 3), "accepted"),
    "execution_time_completed": (Ratio(4, 5), "completed"),
    "execution_time_little": (Ratio(6, 3), "Little"),
}


def read_sums(numbers: MoldableNumbers, samples: NDArray[np.float64]) -> Columns:
    """What is kept of samples."""
    table = samples[:, SCALARS:].reshape(len(samples), numbers.classes, PER_CLASS)
    return Columns(table[:, :, list(_KEPT)].sum(axis=1))


class Sums(History):
    """The sums at each sample."""

    def __init__(self) -> None:
        super().__init__(read_sums)

    @property
    def ends(self) -> tuple[float, float]:
        """The times of the first and of the last sample."""
        times = self.series[0].values.x
        return float(times[0]), float(times[-1])

    def over(self, ratio: Ratio, first: Any, last: Values, least: float = 0.0) -> Values:
        """A statistic of the stretches from *first* to *last*; nan where of *least* or fewer."""
        of, by = (self._grown(place, first, last) for place in ratio)
        found: Values = np.divide(of, by, out=np.full(len(last), np.nan), where=by > least)
        return found

    def _grown(self, place: int, first: Any, last: Values) -> Values:
        known = self.series[place].values
        return np.asarray(np.interp(last, known.x, known.y) - np.interp(first, known.x, known.y))


def grid(part: tuple[float, float], view: tuple[float, float]) -> Values:
    """Times at which a curve is drawn in *part*; they stay where they are while it grows."""
    first, last = max(part[0], view[0]), min(part[1], view[1])
    if last <= first:
        return np.zeros(0)
    step = average_width(*view)
    inner = np.arange(math.floor(first / step) + 1, math.ceil(last / step)) * step
    return np.concatenate([[first], inner, [last]])


def stretch(view: tuple[float, float], rate: float) -> float:
    """How long the stretch is over which blocked jobs are counted: a power of two."""
    least = max(_ARRIVALS / rate if rate else 0.0, (view[1] - view[0]) * _PART)
    return float(2.0 ** math.ceil(math.log2(least)))


def arrival_rate(frame: Frame) -> float:
    """Arrivals in a unit of time; where no workload says it, those so far."""
    known: float = frame.info.numbers.rate
    arrived = int(frame.state.tally[ARRIVED].sum())
    return known or (arrived / frame.time if frame.time > 0 else 0.0)


def fewest(frame: Frame) -> int:
    """How many jobs a mean must be over, to be drawn."""
    return _FEW if frame.info.numbers.rate else 0
