"""Blocked jobs and mean execution times over time, beside the optimum and exact values."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np
from PySide6.QtWidgets import QBoxLayout

from slotscope.gui.kinds.moldable.blocking_plots import BLOCKED_SHARE, STATISTICS, BlockedPlot, Sums, TimesPlot, align
from slotscope.gui.kinds.moldable.blocking_words import blocking_levels, notes, so_far, table, tiles, time_levels
from slotscope.gui.panels.pages import rich_text
from slotscope.gui.panels.tiles import TiledPanel
from slotscope.gui.plotting.sampled import counted_from
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.moldable.sampling import BUSY_COLUMN, EVENT_COLUMN, JOBS_COLUMN, TIME_COLUMN
from slotscope.model.measures.metrics import Estimate
from slotscope.model.reporting.frame import Frame

#: Panel sizes in pixels, at the usual font size: the least height for a table; the height below which
#: the plots are side by side if the panel has the least width for that.
_ROOMY, _FLAT, _WIDE = 480, 380, 620
_PER_CENT = 100.0


class BlockingPanel(TiledPanel):
    """The share of jobs that are blocked, and the execution time of the others."""

    name = "blocking"
    title = "Blocking and time"
    summary = "The share of jobs that are blocked, and their mean execution time, over time."
    needs = frozenset({"moldable"})
    spacing = 0

    def build(self) -> None:
        """Create the tiles, the two plots below them, and a table at the bottom."""
        super().build()
        self._sums = Sums()
        self._bounds: Any = None
        self.measured: dict[str, Estimate] = {}
        self.blocked = BlockedPlot(self._sums, self.theme, self.body)
        self.times = TimesPlot(self._sums, self.theme, self.body)
        self.table = rich_text("measures")
        self.note = rich_text("notes")
        for label in (self.table, self.note):
            label.setMinimumHeight(1)  # they shrink first, see arrange()
        self._plots = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._plots.setSpacing(0)
        for plot in (self.blocked, self.times):
            plot.event_picked.connect(self.go_to)
            plot.getPlotItem().getViewBox().sigResized.connect(self._align)
            self._plots.addWidget(plot, 3 if plot is self.blocked else 4)
        self.follow_theme(self.blocked, self.times)
        self.column.addLayout(self._plots, 1)
        self.column.addWidget(self.table)
        self.column.addWidget(self.note)

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Reset the ranges for another run or step of a lesson."""
        for plot in (self.blocked, self.times):
            plot.begin(frame)

    def show_frame(self, frame: Frame) -> None:
        """Update numbers and curves to a frame."""
        anew = not self._sums.continues(frame)
        learned = frame.bounds is not self._bounds
        self._bounds = frame.bounds
        numbers_due = self.numbers_due(frame) or anew or learned
        due = anew or self.blocked.is_due(frame)
        if not (numbers_due or due):
            return
        self._sums.update(frame)
        if anew:
            for plot in (self.blocked, self.times):
                plot.begin(frame)
        if numbers_due:
            self._measure(frame)
        if due or learned:
            for plot in (self.blocked, self.times):
                plot.draw(frame)
            self._align()

    def _align(self) -> None:
        align((self.blocked, self.times))

    def _measure(self, frame: Frame) -> None:
        """Compute the means since the warm-up, up to the frame."""
        self.measured = so_far(frame, self._sums)
        self.tiles.set_texts(tiles(frame, self.measured))
        self._write(frame)
        mean = self.measured.get("blocking_probability")
        scaled = None
        if mean is not None:
            scaled = Estimate(_PER_CENT * mean.mean, _PER_CENT * mean.half_width)
        self.blocked.show_interval(scaled, counted_from(frame), frame.time, least=0.0)
        self.blocked.set_levels(tuple(blocking_levels(frame, self.measured)))
        self.times.set_levels(tuple(time_levels(frame)))

    def _write(self, frame: Frame) -> None:
        if self._roomy:
            self.table.setText(table(frame, self.measured, self.theme))
        said = f'<span style="color:{self.theme.muted}">{notes(frame)}</span>'
        if said != self.note.text():
            self.note.setText(said)
            self.arrange()

    # The window.

    @property
    def _roomy(self) -> bool:
        """Whether there is room for the table, which is filled only then."""
        return self.height() >= _ROOMY * current_fonts().scale

    def arrange(self) -> None:
        """Show the table if there is room; in a low panel put the plots side by side."""
        scale, roomy, frame = current_fonts().scale, self._roomy, self.current
        if roomy and self.table.isHidden() and frame is not None:
            self.table.setText(table(frame, self.measured, self.theme))
        self.table.setVisible(roomy)
        self.note.setVisible(roomy and frame is not None and bool(notes(frame)))
        flat = self.height() < _FLAT * scale and self.width() >= _WIDE * scale
        way = QBoxLayout.Direction.LeftToRight if flat else QBoxLayout.Direction.TopToBottom
        self._plots.setDirection(way)
        super().arrange()
        self.blocked.show_times(flat)

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        if (frame := self.current) is not None:
            self._write(frame)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """A row per sample: servers in use, jobs, and the statistics of all jobs up to it."""
        if self.frame is None or not self._sums.series:
            return None
        self._sums.update(self.frame)
        samples = self.frame.samples
        times = samples[:, TIME_COLUMN]
        start = np.full(len(times), times[0])
        ratios = [BLOCKED_SHARE, *(ratio for ratio, _ in STATISTICS.values())]
        sums = np.column_stack([self._sums.over(ratio, start, times) for ratio in ratios])
        names = ["event", "time", "busy_servers", "jobs", "blocking_probability", *STATISTICS]
        places = [EVENT_COLUMN, TIME_COLUMN, BUSY_COLUMN, JOBS_COLUMN]
        return names, (
            [int(event), float(time), int(busy), int(jobs), *means]
            for (event, time, busy, jobs), means in zip(samples[:, places].tolist(), sums.tolist(), strict=True)
        )
