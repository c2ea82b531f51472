"""The reward rate over time, against the optimum and the global greedy assignment."""

from __future__ import annotations

import math
from typing import Iterable, Iterator, NamedTuple

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout

from gui.intents import GoTo
from gui.panel import Panel
from gui.panels.reward_table import RewardTable, TypeCounts
from gui.panels.sampled import Columns, History, SampledSeries
from gui.panels.tiles import LabelPace, Tiles, TileText, type_sizes
from gui.panels.wording import (
    GREEDY,
    GREEDY_PLAIN,
    OPTIMUM,
    OPTIMUM_PLAIN,
    THIN,
    significant,
    with_interval,
)
from gui.plotting.time_plot import PlotText, TimePlot
from gui.theme import Theme, type_letter
from model.frame import Frame
from model.metrics import CONFIDENCE, Estimate, batch_rates, estimate
from model.systems.reservation.measures import reward_rate
from model.systems.reservation.numbers import ReservationNumbers
from model.systems.reservation.sampling import EVENT_COLUMN, TIME_COLUMN, columns
from model.systems.reservation.state import ADMITTED, ARRIVED, MIGRATED, REJECTED

#: Height that the plot keeps, in pixels at the usual size of type; the table gives way.
_LEAST_PLOT = 150


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
    place = "right"

    def build(self) -> None:
        """Numbers above, the curve below them, and the table of types at the bottom."""
        self._history = History(read_rewards)
        self._pace = LabelPace()
        self._drawing = self._stale = False
        self.mean = Estimate(np.nan, np.nan)
        self.tiles = Tiles(self.theme, self.body)
        self.table = RewardTable(self.theme, self.body)
        self._column = QVBoxLayout(self.body)
        self._column.setContentsMargins(0, 0, 0, 4)
        self._column.setSpacing(0)
        self._column.addWidget(self.tiles)
        self._column.addWidget(self.table)
        self._unit = ""
        self._add_plot()

    def _add_plot(self) -> None:
        text = PlotText("time", "reward per server", self._unit)
        self.plot = plot = TimePlot(self.theme, type_sizes(), text, parent=self.body)
        plot.setAccessibleName("reward rate over time")
        plot.setToolTip("The reward rate over time; grey is its range where averages are drawn.\n"
                        "A click goes to that moment, the wheel enlarges, a double click shows "
                        "all.")  # fmt: skip
        self._lines: set[str] = set()
        self._range = plot.add_band("range", "muted")
        self._interval = plot.add_band("interval", "run")
        self._ahead = plot.add_curve("ahead", "muted")
        self._mean_line = plot.add_curve("mean", "run")
        self._curve = plot.add_curve("reward", "run")
        plot.picked.connect(self._go_to)
        plot.getPlotItem().getViewBox().sigXRangeChanged.connect(self._zoomed)
        self._column.insertWidget(1, plot, 1)

    # Frames.

    def show_frame(self, frame: Frame) -> None:
        """Bring numbers, curve and table up to this moment."""
        if self._history.update(frame):
            self._begin(frame)
        if self._pace.due(frame.running):
            self.mean = self._running_mean(frame)
            self._show_numbers(frame)
            self._show_references(frame)
        self._draw(frame)

    def _begin(self, frame: Frame) -> None:
        """Another run: its own unit of time at the axis, and ranges that fit it."""
        if frame.info.time_unit != self._unit:
            self._unit = frame.info.time_unit
            self._column.removeWidget(self.plot)
            self.plot.deleteLater()
            self._add_plot()
        self._mean_line.truncate(0)
        for pyramid in (self._interval.low, self._interval.high):
            pyramid.truncate(0)
        self._range.low = self._range.high = self._history.series[0].values
        self.plot.reset_view()

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
        self.tiles.set_texts((
            TileText(since, f"{mean}{interval}", "run", tip),
            *self._shares(frame),
            TileText("now", significant(now), "run", "The reward rate at the moment shown."),
        ))  # fmt: skip
        self._show_counts(frame)

    def _shares(self, frame: Frame) -> Iterator[TileText]:
        """The mean as a share of the optimum and of the greedy assignment."""
        for bound in _bounds(frame):
            if bound.value:
                mean, half = self.mean.mean / bound.value, self.mean.half_width / bound.value
                tip = (f"The mean reward rate as a share of {bound.said}, "
                       f"{significant(bound.value)}.")  # fmt: skip
                share = with_interval(mean, half)[0]
                yield TileText(f"of {bound.symbol}", share, bound.role, tip)

    def _show_counts(self, frame: Frame) -> None:
        names = frame.info.numbers.type_names
        tally = frame.state.tally[:, [ARRIVED, ADMITTED, REJECTED, MIGRATED]]
        lines = [
            TypeCounts(job_type, f"{type_letter(job_type)}\u2002{name}", *row)
            for job_type, (name, row) in enumerate(zip(names, tally.tolist(), strict=True))
        ]
        everything = TypeCounts(None, "all types", *tally.sum(axis=0).tolist())
        self.table.set_counts(tuple([*lines, everything] if self._roomy() else [everything]))

    def _roomy(self) -> bool:
        """Is there room for a line per type below a plot that can still be read?"""
        assert self.frame is not None
        lines = self.frame.info.numbers.types + 1
        room = self.body.height() - self.tiles.sizeHint().height()
        return room - self.table.height_of(lines) >= _LEAST_PLOT * type_sizes().scale

    def _show_references(self, frame: Frame) -> None:
        for bound in _bounds(frame):
            if bound.value is not None:
                self._lines.add(bound.role)
                text = f"{bound.plain}{THIN} {significant(bound.value)}"
                self.plot.set_reference(bound.role, bound.value, bound.role, text)
            elif bound.role in self._lines:
                self.plot.remove(bound.role)
                self._lines.discard(bound.role)

    # The curve.

    def _draw(self, frame: Frame) -> None:
        """Bring the curve up to the frame, in the range that is in view afterwards."""
        self._drawing = True
        self.plot.set_now(max(frame.time, frame.extent.live_end_time))
        self._show_mean(frame)
        for _ in range(2):
            self._stale = False
            self._fill(frame, self._history.series[0])
            self.plot.refresh()
            if not self._stale:
                break
        self.plot.set_cursor(frame.time)
        self._drawing = False

    def _fill(self, frame: Frame, series: SampledSeries) -> None:
        low, high = self.plot.getPlotItem().getViewBox().viewRange()[0]
        self._curve.replace(*series.curve((low, frame.time), (low, high)))
        self._ahead.replace(*series.curve((frame.time, frame.extent.live_end_time), (low, high)))

    def _show_mean(self, frame: Frame) -> None:
        """A line from the end of the warm-up to now, at the height of the mean."""
        for pyramid in (self._mean_line, self._interval.low, self._interval.high):
            pyramid.truncate(0)
        if not math.isfinite(self.mean.mean) or frame.time <= _warmup(frame):
            self.plot.set_label("mean", "")
            return
        ends, mean = [_warmup(frame), frame.time], [self.mean.mean] * 2
        self._mean_line.append(ends, mean)
        if math.isfinite(self.mean.half_width):
            self._interval.append(ends, mean, [self.mean.half_width] * 2)
        text, _ = with_interval(self.mean.mean, self.mean.half_width)
        self.plot.set_label("mean", f"mean{THIN} {text}")

    def _zoomed(self) -> None:
        if self._drawing:
            self._stale = True
        elif self.frame is not None and self._history.series:
            self._draw(self.frame)

    def _go_to(self, time: float) -> None:
        if self.frame is not None:
            self.intent.emit(GoTo(self._history.event_at(self.frame, time)))

    # The window.

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self.tiles.restyle(theme)
        self.table.restyle(theme)
        self.plot.set_theme(theme, type_sizes())

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
        return names, ([int(event), float(time), float(rate), *map(int, row)]
                       for event, time, rate, row in rows)  # fmt: skip


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
