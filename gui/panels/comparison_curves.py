"""Curves of the headline measure of policies side by side, and of their differences from the first."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Iterator, Sequence

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from slotscope.gui.panels.comparison_table import LANE_ROLES
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.pyramid import Pyramid
from slotscope.gui.plotting.sampled import (
    MOST_AVERAGES,
    NOTHING,
    Columns,
    History,
    SampledSeries,
    Values,
    average_width,
)
from slotscope.gui.plotting.time_plot import LANE_STYLES, PlotText, TimePlot
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.rows import in_column
from slotscope.model.kinds.spec import Kind
from slotscope.model.reporting.frame import Frame

#: Least height in pixels, at the usual font size, for both plots; with less, the differences are shown
#: alone.
_BOTH = 240

#: Averages are over intervals so many times as long as in the curve of a single run: curves that
#: cross are easier to read when they are smooth.
_COARSER = 4


class LaneCurves(QWidget):
    """Two plots, one above the other, with the same time axis.

    Signals: ``event_picked`` (the first lane's last event at or before the clicked time).
    """

    event_picked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._frame: Frame | None = None
        self._kind: Kind | None = None
        self._histories: tuple[History, ...] = ()
        self._labels: tuple[str, ...] = ()
        self._drawing = False
        self._theme = theme
        self._curves: list[Pyramid] = []
        self._gaps: list[Pyramid] = []
        self._column = in_column(self, spacing=0)

    @cached_property
    def rewards(self) -> TimePlot:
        """The upper plot; both plots are created on first access, as it takes long."""
        return self._placed(0, TimePlot(self._theme, current_fonts(), PlotText("time", "value"), parent=self))

    @cached_property
    def differences(self) -> TimePlot:
        """The lower plot."""
        text = PlotText("time", "difference", "diff.")
        return self._placed(1, TimePlot(self._theme, current_fonts(), text, from_zero=False, parent=self))

    def _placed(self, place: int, plot: TimePlot) -> TimePlot:
        self._column.insertWidget(place, plot, 1)
        plot.picked.connect(self._pick)
        plot.getPlotItem().getViewBox().sigXRangeChanged.connect(self._zoomed)
        plot.setMinimumHeight(60)
        return plot

    def build_ahead(self) -> Iterator[None]:
        """Build one plot per step."""
        for name in ("rewards", "differences"):
            getattr(self, name)
            yield

    def show_frame(self, frame: Frame) -> None:
        """Draw all lanes up to a frame."""
        assert frame.comparison is not None
        labels = frame.comparison.labels
        self._frame = frame
        for plot in (self.rewards, self.differences):
            plot.set_time_unit(frame.info.time_unit)
        other = frame.info.kind is not self._kind
        self._kind = frame.info.kind
        if other:
            name = self._kind.headline
            self.rewards.set_quantity(y=name)
            for plot, what in ((self.rewards, name), (self.differences, f"differences of the {name}")):
                for part in (plot, plot.viewport()):
                    part.setAccessibleName(f"{what} over time")
        if other or len(labels) != len(self._histories):
            self._begin(labels)
        frames = frame.lanes
        anew = [history.update(one) for history, one in zip(self._histories, frames, strict=True)]
        for lane, label in enumerate(labels):
            self.rewards.set_label(f"lane {lane + 1}", label)
            if lane:
                self.differences.set_label(f"lane {lane + 1}", label)
        for plot in (self.rewards, self.differences):
            if any(anew):
                plot.forget()
            elif labels != self._labels:  # a fork was renamed
                plot.fit_anew()
        self._labels = labels
        self.differences.set_reference("none", 0.0, LANE_ROLES[0], labels[0])
        self._show_optimum(frame)
        self._draw(frame)

    def _read(self, _: Any, samples: Values) -> Columns:
        """Read the headline measure and its exact integral, with the constants of the first lane, like all measures."""
        assert self._kind is not None and self._frame is not None
        values, totals = self._kind.headline_series(self._frame.info.numbers, samples)
        return Columns(values[:, None], None if totals is None else totals[:, None])

    def _begin(self, labels: tuple[str, ...]) -> None:
        """Create one curve per lane."""
        for lane in range(len(self._curves)):
            self.rewards.remove(f"lane {lane + 1}")
            if lane:
                self.differences.remove(f"lane {lane + 1}")
        self._histories = tuple(History(self._read) for _ in labels)
        looks = list(enumerate(zip(LANE_ROLES, LANE_STYLES, strict=True)))[: len(labels)]
        self._curves = [self.rewards.add_curve(f"lane {lane + 1}", role, style=style) for lane, (role, style) in looks]
        self._gaps = [
            self.differences.add_curve(f"lane {lane + 1}", role, style=style) for lane, (role, style) in looks[1:]
        ]

    def _show_optimum(self, frame: Frame) -> None:
        value = frame.info.kind.headline_bound(frame.bounds)
        name = frame.info.kind.headline_bound_name
        text = "" if value is None else f"{name}{THIN} {significant(value)}"
        self.rewards.set_reference("optimum", value, "optimum", text)

    def _draw(self, frame: Frame) -> None:
        self._drawing = True
        for plot in (self.rewards, self.differences):
            plot.set_now(frame.time)
            plot.set_cursor(frame.time)
        for plot in (self.rewards, self.differences):
            for _ in range(2):  # drawing can change the range, on which the drawing depends
                self._fill(plot, frame.time)
                plot.refresh()
        self._drawing = False

    def _fill(self, plot: TimePlot, now: float) -> None:
        view: tuple[float, float] = tuple(plot.getPlotItem().getViewBox().viewRange()[0])
        times, values = self.points(view, now)
        if plot is self.rewards:
            drawn = list(zip(self._curves, values, strict=True))
        else:
            drawn = [(curve, values[lane] - values[0]) for lane, curve in enumerate(self._gaps, 1)]
        for curve, heights in drawn:
            curve.replace(times, heights)

    def points(self, view: tuple[float, float], now: float) -> tuple[Values, list[Values]]:
        """The points to draw in the range *view* up to *now*: times, and each lane's values.

        Few samples are drawn one by one, as steps; many as averages.  Curves end at the present value, except averages
        while the run goes on, which would flicker.
        """
        assert self._frame is not None
        series = [history.series[0] for history in self._histories]
        first = max(view[0], 0.0, *(float(one.values.x[0]) for one in series))
        last = min(view[1], now)
        if last < first:
            return NOTHING[0], [NOTHING[1] for _ in series]
        each = max(one.count(*view) for one in series) <= 2 * MOST_AVERAGES
        if each:
            times, heights = _steps(series, first, last)
        else:
            times, heights = _averages(series, first, last, _COARSER * average_width(*view))
        if last < now or (self._frame.running and not each):
            return times, heights
        present = zip(heights, self._present(), strict=True)
        return np.append(times, now), [np.append(one, value) for one, value in present]

    def _present(self) -> list[float]:
        """The headline measure of each lane at the current moment."""
        assert self._frame is not None and self._kind is not None
        return [self._kind.headline_now(self._frame.info.numbers, one.state) for one in self._frame.lanes]

    def _zoomed(self) -> None:
        if not self._drawing and self._frame is not None and self._histories:
            self._draw(self._frame)

    def _pick(self, time: float) -> None:
        if self._frame is not None:  # plots may be built before the first frame
            self.event_picked.emit(self._histories[0].event_at(self._frame, time))

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        for plot in self.findChildren(TimePlot):
            plot.set_theme(theme, current_fonts())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show both plots if there is room, else the differences."""
        super().resizeEvent(event)
        self.rewards.setVisible(self.height() >= _BOTH * current_fonts().scale)


def _steps(series: Sequence[SampledSeries], first: float, last: float) -> tuple[Values, list[Values]]:
    """Corners of piecewise constant curves from *first* to *last*, at the same times for all series."""
    inside = [np.searchsorted(one.values.x, [first, last], side="right") for one in series]
    inner = np.unique(np.concatenate([one.values.x[slice(*ends)] for one, ends in zip(series, inside, strict=True)]))
    starts = np.append(first, inner)
    corners = np.concatenate([[first], np.repeat(inner, 2), [last]])
    places = [np.searchsorted(one.values.x, starts, side="right") - 1 for one in series]
    return corners, [np.repeat(one.values.y[at], 2) for one, at in zip(series, places, strict=True)]


def _averages(series: Sequence[SampledSeries], first: float, last: float, width: float) -> tuple[Values, list[Values]]:
    """Midpoints of intervals of time, and the mean of each series in them.

    The intervals are the same for all series: multiples of *width*, from *first* to the last time at which every
    series has a sample.
    """
    end = min(last, *(float(one.values.x[-1]) for one in series))
    if end <= first:
        return np.zeros(0), [np.zeros(0) for _ in series]
    grid = np.arange(math.floor(first / width), math.ceil(end / width) + 1) * width
    inner = grid[(grid > first + width / 2) & (grid < end - width / 2)]
    edges = np.concatenate([[first], inner, [end]])
    means = [np.diff(np.interp(edges, one.values.x, one.totals())) / np.diff(edges) for one in series]
    middles = (edges[1:] + edges[:-1]) / 2
    return np.append(middles, last), [np.append(one, one[-1]) for one in means]
