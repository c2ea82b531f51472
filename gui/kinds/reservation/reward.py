"""The reward rate over time, against the optimum and the global greedy assignment."""

from __future__ import annotations

import math
from typing import Iterable, Iterator, NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout

from gui.intents import GoTo
from gui.kinds.reservation.reward_table import RewardTable, TypeCounts
from gui.panel import Panel
from gui.panels.sampled import LEAST_GROWTH, Columns, History, SampledSeries, nothing
from gui.panels.tiles import LabelPace, Tiles, TileText, paint_ground
from gui.panels.wording import GREEDY, GREEDY_PLAIN, OPTIMUM, OPTIMUM_PLAIN, THIN, share_of, significant, with_interval
from gui.plotting.curve import PyramidBand
from gui.plotting.time_plot import PlotText, TimePlot
from gui.theme import Theme, current_fonts, type_letter
from model.frame import Frame
from model.kinds.reservation.measures import reward_rate
from model.kinds.reservation.numbers import ReservationNumbers
from model.kinds.reservation.sampling import EVENT_COLUMN, TIME_COLUMN, columns
from model.kinds.reservation.state import ADMITTED, ARRIVED, MIGRATED, REJECTED
from model.metrics import CONFIDENCE, Estimate, batch_rates, estimate

#: Height that the plot keeps, in pixels at the usual size of type; the table gives way, and
#: has a line per type only if there is room for so many lines.
_LEAST_PLOT, _LEAST_LINES = 150, 3


def read_rewards(numbers: ReservationNumbers, samples: np.ndarray) -> Columns:
    """The reward rate of samples, and its exact integral."""
    jobs, areas = (samples[:, columns(name, numbers.types)] for name in ("jobs", "area"))
    return Columns(reward_rate(numbers, jobs)[:, None], reward_rate(numbers, areas)[:, None])


class RewardPanel(Panel):
    """What the run earns, and how far that is from what could be earned."""

    name = "reward"
    title = "Reward"
    summary = "The reward rate per server over time, against the optimum and the greedy assignment."
    needs = frozenset({"reward"})

    def build(self) -> None:
        """Numbers above, the curve below them, and the table of types at the bottom."""
        self._history = History(read_rewards)
        self._pace = LabelPace()
        self._drawing = self._stale = False
        self._drawn = 0.0  # the time up to which the curve is drawn
        self._items: dict[str, PyramidBand | None] = {}  # lines and bands in the plot
        self.mean = Estimate(np.nan, np.nan)
        self.tiles = Tiles(self.theme, self.body)
        self.table = RewardTable(self.theme)
        self.table_area = QScrollArea(self.body)
        self.table_area.setWidgetResizable(True)
        self.table_area.setFrameShape(QFrame.Shape.NoFrame)
        self.table_area.setWidget(self.table)
        self._ground()
        self.plot = self._made_plot()
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(0)
        column.addWidget(self.tiles)
        column.addWidget(self.plot, 1)
        column.addWidget(self.table_area)

    def _made_plot(self) -> TimePlot:
        text = PlotText("time", "reward rate")
        plot = TimePlot(self.theme, current_fonts(), text, parent=self.body)
        plot.setAccessibleName("reward rate over time")
        plot.setToolTip(
            "The reward rate over time; grey is its range where averages are drawn.\n"
            "A click goes to that moment, the wheel enlarges, a double click shows "
            "all."
        )
        self._ahead = plot.add_curve("ahead", "border")
        self._curve = plot.add_curve("reward", "run")
        self._bound = plot.add_curve("bound", "muted", style=Qt.PenStyle.DotLine)
        plot.picked.connect(self._go_to)
        plot.getPlotItem().getViewBox().sigXRangeChanged.connect(self._zoomed)
        return plot

    # Frames.

    def show_frame(self, frame: Frame) -> None:
        """Bring numbers, curve and table up to this moment."""
        anew = not self._history.continues(frame)
        grown = anew or not frame.running or self._shift(frame) >= LEAST_GROWTH
        numbers_due = self._pace.due(frame.running) or anew
        if grown or numbers_due:
            self._history.update(frame)
        if anew:
            self._begin(frame)
        if numbers_due:
            self.mean = self._running_mean(frame)
            self._show_numbers(frame)
            self._show_lines(frame)
        if grown:
            self._draw(frame)

    def _begin(self, frame: Frame) -> None:
        """Another run: its own unit of time at the axis, and ranges that fit it."""
        self._name_axis(frame)
        for name in list(self._items):
            self._remove(name)
        for curve in (self._curve, self._ahead):
            curve.replace(*nothing(0.0))
        extent = self._band("range", "muted")
        extent.low = extent.high = self._history.series[0].values
        self.plot.reset_view()

    def _name_axis(self, frame: Frame) -> None:
        unit = frame.info.time_unit
        axis = self.plot.getPlotItem().getAxis("bottom")
        axis.setLabel(f"time ({unit})" if unit else "time")

    def _running_mean(self, frame: Frame) -> Estimate:
        """The mean since the warm-up, up to the moment shown."""
        series = self._history.series[0]
        times = series.values.x
        start = np.searchsorted(times, _warmup(frame))
        stop = np.searchsorted(times, frame.time, side="right")
        part = slice(int(start), int(stop))
        return estimate(batch_rates(times[part], series.totals()[part]))

    # Numbers.

    def _show_numbers(self, frame: Frame) -> None:
        mean, half = with_interval(self.mean.mean, self.mean.half_width)
        interval = f" ± {half}" if half else ""
        start = significant(_warmup(frame))
        since = f"mean since <i>t</i> = {start}"
        tip = f"The mean reward rate since the warm-up, with its {CONFIDENCE:.0%} interval."
        now = float(reward_rate(frame.info.numbers, frame.state.jobs_in_system))
        self.tiles.set_texts(
            (
                TileText(since, f"{mean}{interval}", "run", tip),
                *self._shares(frame),
                TileText("now", significant(now), "run", "The reward rate at the moment shown."),
            )
        )
        self._show_counts(frame)

    def _shares(self, frame: Frame) -> Iterator[TileText]:
        """The mean as a share of the optimum and of the greedy assignment."""
        for bound in _bounds(frame):
            if bound.value:
                mean, half = self.mean.mean / bound.value, self.mean.half_width / bound.value
                tip = f"The mean reward rate as a share of {bound.said}, {significant(bound.value)}."
                yield TileText(f"of {bound.symbol}", share_of(mean, half), bound.role, tip)

    def _show_counts(self, frame: Frame) -> None:
        names = frame.info.numbers.type_names
        tally = frame.state.tally[:, [ARRIVED, ADMITTED, REJECTED, MIGRATED]]
        lines = [
            TypeCounts(job_type, f"{type_letter(job_type)}\u2002{name}", *row)
            for job_type, (name, row) in enumerate(zip(names, tally.tolist(), strict=True))
        ]
        everything = TypeCounts(None, "all types", *tally.sum(axis=0).tolist())
        room = self.body.height() - self.tiles.sizeHint().height()
        room -= round(_LEAST_PLOT * current_fonts().scale)
        roomy = room >= self.table.height_of(_LEAST_LINES)
        self.table.set_counts((everything, *lines) if roomy else (everything,))
        self.table_area.setFixedHeight(min(self.table.sizeHint().height(), max(room, self.table.height_of(1))))

    def _show_lines(self, frame: Frame) -> None:
        """Lines at the bounds and at the mean, and the mean's interval where it counts."""
        for bound in _bounds(frame):
            text = f"{bound.plain}{THIN} {significant(bound.value or 0.0)}"
            self._show_line(bound.role, bound.value, bound.role, text)
        known = math.isfinite(self.mean.mean) and frame.time > _warmup(frame)
        text = f"mean{THIN} {with_interval(self.mean.mean, self.mean.half_width)[0]}"
        self._show_line("mean", self.mean.mean if known else None, "run", text)
        if not known or not math.isfinite(self.mean.half_width):
            self._remove("interval")
            return
        ends = [_warmup(frame), frame.time]
        half = self.mean.half_width
        band = self._band("interval", "run")
        band.low.replace(ends, [self.mean.mean - half] * 2)
        band.high.replace(ends, [self.mean.mean + half] * 2)

    def _show_line(self, name: str, value: float | None, role: str, text: str) -> None:
        if value is None:
            self._remove(name)
            return
        self._items[name] = None
        self.plot.set_reference(name, value, role, text)

    def _band(self, name: str, role: str) -> PyramidBand:
        """The band of this name, added where there is none yet."""
        band = self._items.get(name) or self.plot.add_band(name, role)
        self._items[name] = band
        return band

    def _remove(self, name: str) -> None:
        if name in self._items:
            self.plot.remove(name)
            del self._items[name]

    # The curve.

    def _draw(self, frame: Frame) -> None:
        """Bring the curve up to the frame, in the range that is in view afterwards."""
        self._drawing = True
        self.plot.set_now(max(frame.time, frame.extent.live_end_time))
        for _ in range(2):
            self._stale = False
            self._fill(frame, self._history.series[0])
            self.plot.refresh()
            if not self._stale:
                break
        self.plot.set_cursor(frame.time)
        self._drawn = frame.time
        self._drawing = False

    def _shift(self, frame: Frame) -> float:
        """How many pixels the cursor would move to stand at the frame's time."""
        view = self.plot.getPlotItem().getViewBox()
        low, high = view.viewRange()[0]
        return float(abs(frame.time - self._drawn) / (high - low) * view.width())

    def _fill(self, frame: Frame, series: SampledSeries) -> None:
        low, high = self.plot.getPlotItem().getViewBox().viewRange()[0]
        self._curve.replace(*series.curve((low, frame.time), (low, high)))
        self._ahead.replace(*series.curve((frame.time, frame.extent.live_end_time), (low, high)))
        self._fill_bound(frame)

    def _fill_bound(self, frame: Frame) -> None:
        """The bound of the infinite system as far as the run has come.

        A forked run meets other jobs than the system whose bound it is.
        """
        bound = frame.bounds.infinite
        known = bound is not None and frame.extent.keyframes[0] == 0
        self.plot.set_label("bound", "infinite system" if known else "")
        if bound is None or not known:
            self._bound.replace((), ())
            return
        end = int(np.searchsorted(bound.time, frame.extent.live_end_time, side="right"))
        self._bound.replace(bound.time[:end], bound.reward[:end])

    def _zoomed(self) -> None:
        if self._drawing:
            self._stale = True
        elif self.frame is not None and self._history.series:
            self._draw(self.frame)

    def _go_to(self, time: float) -> None:
        if self.frame is not None:
            self.intent.emit(GoTo(self._history.event_at(self.frame, time)))

    # The window.

    def _ground(self) -> None:
        for widget in (self.body, self.table):
            paint_ground(widget, self.theme)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._ground()
        self.tiles.restyle(theme)
        self.table.restyle(theme)
        self.plot.set_theme(theme, current_fonts())
        if self.frame is not None:
            self._name_axis(self.frame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.frame is not None:
            self._show_counts(self.frame)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """Every sample: event, time, reward rate, and the counts of each type."""
        if self.frame is None:
            return None
        numbers, samples = self.frame.info.numbers, self.frame.samples
        blocks = ("jobs", "arrived", "admitted", "rejected", "migrated")
        names = ["event", "time", "reward_rate"]
        names += [f"{block} {name}" for block in blocks for name in numbers.type_names]
        counts = np.hstack([samples[:, columns(block, numbers.types)] for block in blocks])
        rates = reward_rate(numbers, samples[:, columns("jobs", numbers.types)])
        rows = zip(samples[:, EVENT_COLUMN], samples[:, TIME_COLUMN], rates, counts, strict=True)
        return names, ([int(event), float(time), float(rate), *map(int, row)] for event, time, rate, row in rows)


class _Bound(NamedTuple):
    """A bound of the reward rate, or of where greedy packing leads; None until known."""

    role: str
    value: float | None
    symbol: str
    plain: str
    said: str


def _bounds(frame: Frame) -> tuple[_Bound, _Bound]:
    optimum, greedy = frame.bounds.optimum, frame.bounds.greedy
    best = None if optimum is None else float(optimum.exact)
    packed = None if greedy is None else float(greedy.objective)
    return (
        _Bound("optimum", best, OPTIMUM, OPTIMUM_PLAIN, "the optimum"),
        _Bound("greedy", packed, GREEDY, GREEDY_PLAIN, "the greedy assignment"),
    )


def _warmup(frame: Frame) -> float:
    return float(frame.info.scenario.run.warmup)
