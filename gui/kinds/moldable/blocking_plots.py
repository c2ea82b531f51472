"""Two plots over time: the share of jobs that are blocked, and their mean execution time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.run_plot import RunPlot, View
from slotscope.gui.plotting.sampled import Columns, History, Values, average_width, counted_from
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.sampling import COUNTS, JOBS_AREA, PER_CLASS, SCALARS, TIMES
from slotscope.model.kinds.moldable.state import ADMITTED, ARRIVED, BLOCKED, DEPARTED, OF_ADMITTED, OF_DEPARTED
from slotscope.model.reporting.frame import Frame

#: The values kept of each sample: sums over all classes, which never decrease.
_KEPT = (
    COUNTS + BLOCKED,
    COUNTS + ARRIVED,
    TIMES + OF_ADMITTED,
    COUNTS + ADMITTED,
    TIMES + OF_DEPARTED,
    COUNTS + DEPARTED,
    JOBS_AREA,
)

#: The share of blocked jobs is taken over an interval in which so many jobs arrive on average,
#: and at least this part of the visible range.
_ARRIVALS, _PART = 50, 1 / 40

#: Least number of jobs for a mean to be drawn, unless the run has no more.
_FEW = 10


class Ratio(NamedTuple):
    """A statistic: the growth of one sum divided by the growth of another."""

    of: int  #: of, by: indices of the two sums
    by: int


BLOCKED_SHARE = Ratio(0, 1)

#: The mean execution time by three statistics: names of measures, ratios and titles.
STATISTICS = {
    "execution_time": (Ratio(2, 3), "accepted"),
    "execution_time_completed": (Ratio(4, 5), "completed"),
    "execution_time_little": (Ratio(6, 3), "Little"),
}


def read_sums(numbers: MoldableNumbers, samples: NDArray[np.float64]) -> Columns:
    """Extract the kept sums from samples."""
    table = samples[:, SCALARS:].reshape(len(samples), numbers.classes, PER_CLASS)
    return Columns(table[:, :, list(_KEPT)].sum(axis=1))


class Sums(History):
    """The sums at each sample and at the current moment."""

    def __init__(self) -> None:
        super().__init__(read_sums)
        self._now, self._present = 0.0, np.zeros(len(_KEPT))
        self._merged: dict[int, tuple[Values, Values]] = {}  # times and sums by index, including the current moment

    def update(self, frame: Frame) -> bool:
        """Take new samples, and the current moment from its own state: of a long run few samples are kept."""
        anew = super().update(frame)
        self._now = frame.time
        self._present = read_sums(frame.info.numbers, frame.sample).values[0]
        self._merged.clear()
        return anew

    @property
    def ends(self) -> tuple[float, float]:
        """The times of the first sample, and of the last one or the current moment."""
        times = self.series[0].values.x
        return float(times[0]), max(float(times[-1]), self._now)

    def over(self, ratio: Ratio, first: Any, last: Values, least: float = 0.0) -> Values:
        """A statistic over the intervals from *first* to *last*; nan where the divisor grew by *least* or less."""
        of, by = (self._grown(place, first, last) for place in ratio)
        found: Values = np.divide(of, by, out=np.full(len(last), np.nan), where=by > least)
        return found

    def _grown(self, place: int, first: Any, last: Values) -> Values:
        times, sums = self._merged.get(place) or self._up_to_now(place)
        return np.asarray(np.interp(last, times, sums) - np.interp(first, times, sums))

    def _up_to_now(self, place: int) -> tuple[Values, Values]:
        """Times and sums of the samples and the current moment; cached, as each is needed several times."""
        known = self.series[place].values
        start, stop = (int(np.searchsorted(known.x, self._now, side=side)) for side in ("left", "right"))
        now, sums = [self._now], [self._present[place]]
        self._merged[place] = found = (
            np.concatenate([known.x[:start], now, known.x[stop:]]),
            np.concatenate([known.y[:start], sums, known.y[stop:]]),
        )
        return found


def grid(part: tuple[float, float], view: tuple[float, float]) -> Values:
    """The times at which a curve is drawn in *part*; they stay the same while it grows."""
    first, last = max(part[0], view[0]), min(part[1], view[1])
    if last <= first:
        return np.zeros(0)
    step = average_width(*view)
    inner = np.arange(math.floor(first / step) + 1, math.ceil(last / step)) * step
    return np.concatenate([[first], inner, [last]])


def stretch(view: tuple[float, float], rate: float) -> float:
    """Length of the interval over which blocked jobs are counted: a power of two."""
    least = max(_ARRIVALS / rate if rate else 0.0, (view[1] - view[0]) * _PART)
    return float(2.0 ** math.ceil(math.log2(least)))


def arrival_rate(frame: Frame) -> float:
    """Arrivals per unit of time; those so far if the workload does not specify it."""
    known: float = frame.info.numbers.rate
    arrived = int(frame.state.tally[ARRIVED].sum())
    return known or (arrived / frame.time if frame.time > 0 else 0.0)


def fewest(frame: Frame) -> int:
    """Least number of jobs over which a mean is drawn."""
    return _FEW if frame.info.numbers.rate else 0


_PER_CENT = 100.0
_LONGEST_SIGN = 3  # longer units of time are words, with a plural

#: Colours and line styles of the three statistics' curves.
_LOOKS = (("run", Qt.PenStyle.SolidLine), ("second", Qt.PenStyle.DashLine), ("third", Qt.PenStyle.DotLine))


class Level(NamedTuple):
    """A value to compare with, drawn as a line across a plot."""

    name: str
    value: float
    role: str
    text: str


class MomentPlot(RunPlot):
    """A plot of curves of sums that follows a run; subclasses fill the curves."""

    quantity, short, about = "", "", ""  # label of the vertical axis, its short form, and the tooltip

    def __init__(self, sums: Sums, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, self.quantity, self.about, sums, short=self.short, parent=parent)
        self._sums = sums
        self._fresh = True  # nothing of this run was drawn yet
        self._levels: tuple[str, ...] = ()
        self.setMinimumHeight(80)

    def begin(self, frame: Frame) -> None:
        self._fresh = True
        super().begin(frame)

    def draw(self, frame: Frame) -> None:
        """Draw up to a frame; at first set the x range, so that values outside it do not affect the y range."""
        if self._fresh:
            self._fresh = False
            self.set_now(self.end_of(frame))
            self.refresh()
        super().draw(frame)

    def show_times(self, shown: bool) -> None:
        """Show the time axis, or leave it to the plot below."""
        plot = self.getPlotItem()
        plot.getAxis("bottom").setVisible(shown)
        # Without the time axis the lowest number of the left axis needs room for its lower half.
        half = current_fonts().metrics.height() / 2
        plot.setContentsMargins(4, 8, 4, 4 if shown else half)

    def set_levels(self, levels: tuple[Level, ...]) -> None:
        """Show lines at exactly these values, in this order, whatever was known first."""
        names = tuple(level.name for level in levels)
        if names != self._levels:
            self.discard(*self._levels)
        for level in levels:
            self.set_reference(*level)
        self._levels = names


def align(plots: Sequence[MomentPlot]) -> None:
    """Align the time axes of plots by giving their axes and labels equal widths."""
    for side in ("left", "right"):
        axes = [plot.getPlotItem().getAxis(side) for plot in plots]
        widest = max(axis.wanted for axis in axes)  # not their present widths, which may be of another range
        for axis in axes:
            if axis.fixedWidth != widest:
                axis.setWidth(widest)


class BlockedPlot(MomentPlot):
    """The share of jobs blocked in the last interval of time, and on average."""

    quantity, short = "blocked (%)", "%"
    about = "The share of the jobs that are blocked."

    def __init__(self, sums: Sums, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(sums, theme, parent)
        self._ahead = self.add_curve("ahead", "border")
        self._curve = self.add_curve("blocked", "rejection")
        self.stretch = 0.0

    def fill(self, frame: Frame, view: View) -> None:
        """Compute shares over the interval of time that ends at each point."""
        self.stretch = stretch(view, arrival_rate(frame))
        first, last = self._sums.ends
        now, end = min(frame.time, last), min(frame.extent.live_end_time, last)
        for curve, part in ((self._curve, (first, now)), (self._ahead, (now, end))):
            times = grid(part, view)
            starts = np.maximum(times - self.stretch, first)
            shares = _PER_CENT * self._sums.over(BLOCKED_SHARE, starts, times, fewest(frame))
            curve.replace(times, shares)
        self.set_label("blocked", f"last {significant(self.stretch, 2)}{_units(frame) or ' of time'}")


class TimesPlot(MomentPlot):
    """The mean execution time so far, by three statistics."""

    quantity, short = "execution time", "time"
    about = (
        "The mean execution time so far: of all jobs that got servers, of those that "
        "are completed, and by Little's law."
    )

    def __init__(self, sums: Sums, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(sums, theme, parent)
        looks = zip(STATISTICS, _LOOKS, strict=True)
        self._curves = {name: self.add_curve(name, role, style=style) for name, (role, style) in looks}

    def fill(self, frame: Frame, view: View) -> None:
        """Compute means from the warm-up's end to each point."""
        first, last = self._sums.ends
        since = max(first, counted_from(frame))
        times = grid((since, min(frame.time, last)), view)
        for name, (ratio, title) in STATISTICS.items():
            means = self._sums.over(ratio, np.full(len(times), since), times, fewest(frame))
            self._curves[name].replace(times, means)
            known = means[np.isfinite(means)]
            self.set_label(name, f"{title} {significant(float(known[-1]))}" if len(known) else "")


def _units(frame: Frame) -> str:
    """The unit of time after a number, in the plural if it is a word."""
    unit = frame.info.time_unit
    return f" {unit}{'s' if len(unit) > _LONGEST_SIGN else ''}" if unit else ""
