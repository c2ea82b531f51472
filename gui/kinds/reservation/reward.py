"""The reward rate over time, beside the optimum and the global greedy assignment."""

from __future__ import annotations

import math
from typing import Iterable, Iterator, NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from slotscope.gui.kinds.reservation.reward_table import RewardTable, TypeCounts
from slotscope.gui.panels.columns import scrolled
from slotscope.gui.panels.tiles import TiledPanel, TileText
from slotscope.gui.panels.wording import (
    GREEDY,
    GREEDY_PLAIN,
    OPTIMUM,
    OPTIMUM_PLAIN,
    THIN,
    share_of,
    significant,
    with_interval,
)
from slotscope.gui.plotting.run_plot import RunPlot, View
from slotscope.gui.plotting.sampled import Columns, History, warmup
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.reservation.measures import reward_rate
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.sampling import EVENT_COLUMN, TIME_COLUMN, columns
from slotscope.model.kinds.reservation.state import ADMITTED, ARRIVED, MIGRATED, REJECTED
from slotscope.model.measures.metrics import CONFIDENCE, Estimate
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.letters import type_letter

#: Minimum height of the plot beside a table of all types together, and beside a table with a line per type; and the
#: number of lines that must fit for the latter.  In pixels at the usual font size; the table gives way.  In lecture
#: mode, where nobody scrolls, the smaller plot is enough, and either all types have lines or none.
_LEAST_PLOT, _ROOMY_PLOT, _LEAST_LINES = 80, 150, 3


def read_rewards(numbers: ReservationNumbers, samples: np.ndarray) -> Columns:
    """The samples' reward rate, and its exact integral over time."""
    jobs, areas = (samples[:, columns(name, numbers.types)] for name in ("jobs", "area"))
    return Columns(reward_rate(numbers, jobs)[:, None], reward_rate(numbers, areas)[:, None])


class RewardPlot(RunPlot):
    """The reward rate over time, muted after the moment shown; dotted, the reward rate of the infinite system."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        about = "The reward rate over time; grey is its range where averages are drawn."
        super().__init__(theme, "reward rate", about, History(read_rewards), ranged=True, parent=parent)
        self.add_line("reward", "run", ahead=True)
        self._bound = self.add_curve("bound", "muted", style=Qt.PenStyle.DotLine)

    def fill(self, frame: Frame, view: View) -> None:
        """Draw the bound as far as the run has come.

        It is not drawn for a forked run, since its jobs differ from those of the system behind the bound.
        """
        super().fill(frame, view)
        bound = frame.bounds.infinite
        known = bound is not None and frame.extent.keyframes[0] == 0
        self.set_label("bound", "infinite system" if known else "")
        if bound is None or not known:
            self._bound.replace((), ())
            return
        end = int(np.searchsorted(bound.time, frame.extent.live_end_time, side="right"))
        self._bound.replace(bound.time[:end], bound.reward[:end])


class RewardPanel(TiledPanel):
    """The reward rate of the run, and its distance from the optimum."""

    name = "reward"
    title = "Reward"
    summary = "The reward rate per server over time, against the optimum and the greedy assignment."
    needs = frozenset({"reward"})
    spacing = 0

    def build(self) -> None:
        """Tiles above, the curve below them, and the table of types at the bottom."""
        super().build()
        self.mean = Estimate(np.nan, np.nan)
        self.table = RewardTable(self.theme)
        self.table_area = scrolled(self.table, self.body)
        self.ground(self.table)
        self.plot = RewardPlot(self.theme, self.body)
        self.plot.event_picked.connect(self.go_to)
        self.follow_theme(self.table, self.plot)
        self.column.addWidget(self.plot, 1)
        self.column.addWidget(self.table_area)

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Reset the table for another run."""
        self.table.forget()

    def show_frame(self, frame: Frame) -> None:
        """Update tiles, curve and table to this moment."""
        anew = not self.plot.history.continues(frame)
        if self.numbers_due(frame) or anew:
            self.plot.history.update(frame)
            self.mean = self._running_mean(frame)
            self._show_numbers(frame)
            if anew:
                self.plot.begin(frame)
            self._show_lines(frame)
        if anew or self.plot.is_due(frame):
            self.plot.draw(frame)

    def _running_mean(self, frame: Frame) -> Estimate:
        """The mean reward rate from the end of the warm-up to the moment shown."""
        found = frame.info.kind.batches_so_far(frame.info.numbers, (frame.until_now,), warmup(frame), frame.time)
        return found[0]["reward_rate"].estimate() if found else Estimate(np.nan, np.nan)

    # Numbers.

    def _show_numbers(self, frame: Frame) -> None:
        mean, half = with_interval(self.mean.mean, self.mean.half_width)
        interval = f" ± {half}" if half else ""
        start = significant(warmup(frame))
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
        """Tiles of the mean as a share of the optimum and of the greedy assignment."""
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
        below, hall = self.body.height() - self.tiles.sizeHint().height(), current_fonts().lecture
        room = below - round((_LEAST_PLOT if hall else _ROOMY_PLOT) * current_fonts().scale)
        roomy = room >= self.table.height_of(len(lines) if hall else _LEAST_LINES)
        self.table.set_counts((everything, *lines) if roomy else (everything,))
        self.table_area.setMinimumWidth(self.table.minimumSizeHint().width() if hall else 0)
        self.table_area.setFixedHeight(min(self.table.sizeHint().height(), max(room, self.table.height_of(1))))
        self.table_area.setVisible(below - self.table.height_of(1) >= _LEAST_PLOT * current_fonts().scale)

    def _show_lines(self, frame: Frame) -> None:
        """Draw lines at the bounds and at the mean, and the mean's interval over the time that it covers."""
        for bound in _bounds(frame):
            text = f"{bound.plain}{THIN} {significant(bound.value or 0.0)}"
            self.plot.set_reference(bound.role, bound.value, bound.role, text)
        known = math.isfinite(self.mean.mean) and frame.time > warmup(frame)
        text = f"mean{THIN} {with_interval(self.mean.mean, self.mean.half_width)[0]}"
        self.plot.set_reference("mean", self.mean.mean if known else None, "run", text)
        self.plot.show_interval(self.mean if known else None, warmup(frame), frame.time)

    # The window.

    def arrange(self) -> None:
        """Give the table the room that the plot leaves."""
        if (frame := self.current) is not None:
            self._show_counts(frame)
        super().arrange()

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """One row per sample: event, time, reward rate, and the counts of each type."""
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
    """The optimum or the greedy assignment: a bound, or where greedy packing leads; its value is None until known."""

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
