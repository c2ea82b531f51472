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
    """The sums at each sample, and at the moment that is shown."""

    def __init__(self) -> None:
        super().__init__(read_sums)
        self._now, self._present = 0.0, np.zeros(len(_KEPT))
        self._merged: dict[int, tuple[Values, Values]] = {}  # times and sums by place, with the moment that is shown

    def update(self, frame: Frame) -> bool:
        """Of a long run few samples are kept: the moment that is shown counts by its own state."""
        anew = super().update(frame)
        self._now = frame.time
        self._present = read_sums(frame.info.numbers, frame.sample).values[0]
        self._merged.clear()
        return anew

    @property
    def ends(self) -> tuple[float, float]:
        """The times of the first sample, and of the last or the moment that is shown."""
        times = self.series[0].values.x
        return float(times[0]), max(float(times[-1]), self._now)

    def over(self, ratio: Ratio, first: Any, last: Values, least: float = 0.0) -> Values:
        """A statistic of the stretches from *first* to *last*; nan where of *least* or fewer."""
        of, by = (self._grown(place, first, last) for place in ratio)
        found: Values = np.divide(of, by, out=np.full(len(last), np.nan), where=by > least)
        return found

    def _grown(self, place: int, first: Any, last: Values) -> Values:
        times, sums = self._merged.get(place) or self._up_to_now(place)
        return np.asarray(np.interp(last, times, sums) - np.interp(first, times, sums))

    def _up_to_now(self, place: int) -> tuple[Values, Values]:
        """Times and sums of the samples, with those of the moment that is shown; each is asked for several times."""
        known = self.series[place].values
        start, stop = (int(np.searchsorted(known.x, self._now, side=side)) for side in ("left", "right"))
        now, sums = [self._now], [self._present[place]]
        self._merged[place] = found = (
            np.concatenate([known.x[:start], now, known.x[stop:]]),
            np.concatenate([known.y[:start], sums, known.y[stop:]]),
        )
        return found


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


_PER_CENT = 100.0
_LONGEST_SIGN = 3  # longer units of time are words

#: How the curves of the three statistics are told apart.
_LOOKS = (("run", Qt.PenStyle.SolidLine), ("second", Qt.PenStyle.DashLine), ("third", Qt.PenStyle.DotLine))


class Level(NamedTuple):
    """A value to compare with: a line across a plot."""

    name: str
    value: float
    role: str
    text: str


class MomentPlot(RunPlot):
    """Curves of sums that follow a run; a subclass fills them."""

    quantity, short, about = "", "", ""  # names of the vertical axis, the second where there is no room

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
        """Draw up to a frame; first the range, because heights in another one would not count."""
        if self._fresh:
            self._fresh = False
            self.set_now(self.end_of(frame))
            self.refresh()
        super().draw(frame)

    def show_times(self, shown: bool) -> None:
        """Whether the axis of time is seen, or left to the plot below."""
        plot = self.getPlotItem()
        plot.getAxis("bottom").setVisible(shown)
        # Without that axis the lowest number at the left needs room for its lower half.
        half = current_fonts().metrics.height() / 2
        plot.setContentsMargins(4, 8, 4, 4 if shown else half)

    def set_levels(self, levels: tuple[Level, ...]) -> None:
        """Lines at these values, and at no others, in this order whatever was known first."""
        names = tuple(level.name for level in levels)
        if names != self._levels:
            self.discard(*self._levels)
        for level in levels:
            self.set_reference(*level)
        self._levels = names


def align(plots: Sequence[MomentPlot]) -> None:
    """Let times stand below each other: axes and labels are as wide in one plot as in another."""
    for side in ("left", "right"):
        axes = [plot.getPlotItem().getAxis(side) for plot in plots]
        widest = max(axis.wanted for axis in axes)  # not what they have: that may be from another range
        for axis in axes:
            if axis.fixedWidth != widest:
                axis.setWidth(widest)


class BlockedPlot(MomentPlot):
    """The share of jobs blocked in the last stretch of time, and on average."""

    quantity, short = "blocked (%)", "%"
    about = "The share of the jobs that are blocked."

    def __init__(self, sums: Sums, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(sums, theme, parent)
        self._ahead = self.add_curve("ahead", "border")
        self._curve = self.add_curve("blocked", "rejection")
        self.stretch = 0.0

    def fill(self, frame: Frame, view: View) -> None:
        """Shares over a stretch of time that ends where the point is."""
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
        """Means since the warm-up, up to where the point is."""
        first, last = self._sums.ends
        since = max(first, counted_from(frame))
        times = grid((since, min(frame.time, last)), view)
        for name, (ratio, title) in STATISTICS.items():
            means = self._sums.over(ratio, np.full(len(times), since), times, fewest(frame))
            self._curves[name].replace(times, means)
            known = means[np.isfinite(means)]
            self.set_label(name, f"{title} {significant(float(known[-1]))}" if len(known) else "")


def _units(frame: Frame) -> str:
    """The unit of time behind a number of them; words have a plural."""
    unit = frame.info.time_unit
    return f" {unit}{'s' if len(unit) > _LONGEST_SIGN else ''}" if unit else ""
