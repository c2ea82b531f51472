"""Two plots over time: the share of jobs that are blocked, and their mean execution time."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QWidget

from gui.kinds.moldable.blocking_reading import BLOCKED_SHARE, STATISTICS, Sums, arrival_rate, fewest, grid, stretch
from gui.panels.sampled import LEAST_GROWTH, Values, counted_from, nothing
from gui.panels.wording import significant
from gui.plotting.curve import PyramidBand
from gui.plotting.pyramid import Pyramid
from gui.plotting.time_plot import PlotText, TimePlot
from gui.theme import Theme, current_fonts
from model.frame import Frame
from model.metrics import Estimate

View = tuple[float, float]
_PER_CENT = 100.0
_LONGEST_SIGN = 3  # longer units of time are words
_HOW = "A click goes to that moment, the wheel enlarges, a double click shows all."

#: How the curves of the three statistics are told apart.
_LOOKS = (("run", Qt.PenStyle.SolidLine), ("second", Qt.PenStyle.DashLine), ("third", Qt.PenStyle.DotLine))


class Level(NamedTuple):
    """A value to compare with: a line across a plot."""

    name: str
    value: float
    role: str
    text: str


class MomentPlot(TimePlot):
    """Curves of sums that follow a run; a subclass fills them."""

    quantity, short = "", ""  # names of the vertical axis, the latter where there is no room

    def __init__(self, sums: Sums, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, current_fonts(), PlotText("time", self.quantity), parent=parent)
        self.setAccessibleName(f"{self.quantity} over time")
        self._sums = sums
        self._frame: Frame | None = None
        self._drawing = self._stale = False
        self._drawn = 0.0
        self._fresh = True  # nothing of this run was drawn yet
        self._levels: tuple[str, ...] = ()
        self.moving: tuple[Pyramid, ...] = ()  #: all curves
        self.setMinimumHeight(80)
        view = self.getPlotItem().getViewBox()
        view.sigXRangeChanged.connect(self._zoomed)
        view.sigResized.connect(self._fit_name)

    def _fit_name(self) -> None:
        """Name the axis as long as there is room."""
        room = self.getPlotItem().getViewBox().height()
        long = QFontMetricsF(current_fonts().body).horizontalAdvance(self.quantity)
        self.set_quantity(self.quantity if long <= room else self.short)
        self.getPlotItem().getAxis("left").resizeEvent()  # it moves a label when it is resized only

    def fill(self, frame: Frame, view: View) -> None:
        """Put the points for a range of time into the curves; without any there is nothing."""

    def begin(self, frame: Frame) -> None:
        """Another run."""
        self.name_axis(frame)
        for curve in self.moving:
            curve.replace(*nothing(0.0))
        self.set_levels(())
        self._fresh = True
        self.reset_view()

    def name_axis(self, frame: Frame) -> None:
        """Write the unit of time at the axis."""
        unit = frame.info.time_unit
        self.getPlotItem().getAxis("bottom").setLabel(f"time ({unit})" if unit else "time")

    def show_times(self, shown: bool) -> None:
        """Whether the axis of time is seen, or left to the plot below."""
        plot = self.getPlotItem()
        plot.getAxis("bottom").setVisible(shown)
        # Without that axis the lowest number at the left needs room for its lower half.
        half = QFontMetricsF(current_fonts().body).height() / 2
        plot.setContentsMargins(4, 8, 4, 4 if shown else half)

    def set_levels(self, levels: tuple[Level, ...]) -> None:
        """Lines at these values, and at no others."""
        for name in self._levels:
            if name not in [level.name for level in levels]:
                self.remove(name)
        for level in levels:
            self.set_reference(*level)
        self._levels = tuple(level.name for level in levels)

    def is_due(self, frame: Frame) -> bool:
        """Whether anybody could tell that the curves have grown."""
        view = self.getPlotItem().getViewBox()
        low, high = view.viewRange()[0]
        shift = abs(frame.time - self._drawn) / (high - low) * view.width()
        return not frame.running or bool(shift >= LEAST_GROWTH)

    def draw(self, frame: Frame) -> None:
        """Bring the curves up to a frame, in the range that is in view afterwards."""
        self._frame = frame
        self._drawing = True
        self.set_now(max(frame.time, frame.extent.live_end_time))
        if self._fresh:  # first the range, because heights in another one would not count
            self._fresh = False
            self.refresh()
        for _ in range(2):
            self._stale = False
            low, high = self.getPlotItem().getViewBox().viewRange()[0]
            self.fill(frame, (low, high))
            self.refresh()
            if not self._stale:
                break
        self.set_cursor(frame.time)
        self._drawn = frame.time
        self._drawing = False

    def _zoomed(self) -> None:
        if self._drawing:
            self._stale = True
        elif self._frame is not None and self._sums.series:
            self.draw(self._frame)


def align(plots: Sequence[MomentPlot]) -> None:
    """Let times stand below each other: axes and labels are as wide in one plot as in another."""
    for side in ("left", "right"):
        axes = [plot.getPlotItem().getAxis(side) for plot in plots]
        widest = max(axis.fixedWidth or 0 for axis in axes)
        for axis in axes:
            if axis.fixedWidth != widest:
                axis.setWidth(widest)


class BlockedPlot(MomentPlot):
    """The share of jobs blocked in the last stretch of time, and on average."""

    quantity, short = "blocked (%)", "%"

    def __init__(self, sums: Sums, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(sums, theme, parent)
        self._ahead = self.add_curve("ahead", "border")
        self._curve = self.add_curve("blocked", "rejection")
        self.moving = self._curve, self._ahead
        self._band: PyramidBand | None = None
        self.stretch = 0.0
        self.setToolTip(f"The share of the jobs that are blocked.\n{_HOW}")

    def fill(self, frame: Frame, view: View) -> None:
        """Shares over a stretch of time that ends where the point is."""
        self.stretch = stretch(view, arrival_rate(frame))
        first, last = self._sums.ends
        now, end = min(frame.time, last), min(frame.extent.live_end_time, last)
        for curve, part in ((self._curve, (first, now)), (self._ahead, (now, end))):
            times = grid(part, view)
            starts = np.maximum(times - self.stretch, first)
            shares = _PER_CENT * self._sums.over(BLOCKED_SHARE, starts, times, fewest(frame))
            _put(curve, times, shares)
        self.set_label("blocked", f"last {significant(self.stretch)}{_units(frame)}")

    def show_mean(self, since: float, now: float, mean: Estimate | None) -> None:
        """The interval of the mean as a band from *since* to *now*; None takes it away."""
        known = mean is not None and np.isfinite(mean.half_width) and now > since
        if self._band is not None and not known:
            self.remove("interval")
            self._band = None
        if mean is None or not known:
            return
        if self._band is None:
            self._band = self.add_band("interval", "run")
        low, high = mean.mean - mean.half_width, mean.mean + mean.half_width
        self._band.low.replace([since, now], [max(0.0, low)] * 2)
        self._band.high.replace([since, now], [high] * 2)


class TimesPlot(MomentPlot):
    """The mean execution time so far, by three statistics."""

    quantity, short = "execution time", "time"

    def __init__(self, sums: Sums, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(sums, theme, parent)
        looks = zip(STATISTICS, _LOOKS, strict=True)
        self._curves = {name: self.add_curve(name, role, style=style) for name, (role, style) in looks}
        self.moving = tuple(self._curves.values())
        self.setToolTip(
            "The mean execution time so far: of all jobs that got servers, of those "
            "that are completed, and by Little's law.\n" + _HOW
        )

    def fill(self, frame: Frame, view: View) -> None:
        """Means since the warm-up, up to where the point is."""
        first, last = self._sums.ends
        since = max(first, counted_from(frame))
        times = grid((since, min(frame.time, last)), view)
        for name, (ratio, title) in STATISTICS.items():
            means = self._sums.over(ratio, np.full(len(times), since), times, fewest(frame))
            _put(self._curves[name], times, means)
            known = means[np.isfinite(means)]
            self.set_label(name, f"{title} {significant(float(known[-1]))}" if len(known) else "")


def _units(frame: Frame) -> str:
    """The unit of time behind a number of them; words have a plural."""
    unit = frame.info.time_unit
    return f" {unit}{'s' if len(unit) > _LONGEST_SIGN else ''}" if unit else ""


def _put(curve: Pyramid, times: Values, values: Values) -> None:
    if len(times):
        curve.replace(times, values)
    else:
        curve.replace(*nothing(0.0))
