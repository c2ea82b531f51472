"""On how many servers jobs run, now and on average, beside the optimum."""

from __future__ import annotations

from typing import Iterable

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from slotscope.gui.intents import Select
from slotscope.gui.kinds.moldable.allocations_chart import AllocationsChart
from slotscope.gui.kinds.moldable.allocations_marks import event_mark
from slotscope.gui.kinds.moldable.allocations_values import class_rows, tiles
from slotscope.gui.panels.tiled import TiledPanel
from slotscope.gui.theme import current_fonts
from slotscope.gui.widgets.boxes import ChoiceBox
from slotscope.model.reporting.frame import Frame

#: In a lower panel there is no room for numbers above the chart.
_LOW = 300


class AllocationsPanel(TiledPanel):
    """X_1, ..., X_d of each class against n y*, and what became of the last request."""

    name = "allocations"
    title = "Allocations"
    summary = "How many jobs run on 1, 2, ... servers, now and on average, beside the optimum."
    needs = frozenset({"moldable"})

    def build(self) -> None:
        """Numbers, a choice of class where not all fit, and the chart."""
        super().build()
        self.chart = AllocationsChart(self.theme, self.body)
        self.chart.picked.connect(self._pick)
        self.follow_theme(self.chart)
        self.column.addWidget(self._build_choice())
        self.column.addWidget(self.chart, 1)

    def _build_choice(self) -> QWidget:
        self.choice = QWidget(self.body)
        row = QHBoxLayout(self.choice)
        row.setContentsMargins(10, 0, 10, 0)
        caption = QLabel("Class")
        self.job_class = ChoiceBox()
        self.job_class.setAccessibleName("job class")
        self.job_class.setToolTip("Class: choose the class of jobs that is shown; a larger panel shows all.")
        self.job_class.activated.connect(self.chart.choose)
        caption.setBuddy(self.job_class)
        row.addWidget(caption)
        row.addWidget(self.job_class)
        row.addStretch(1)
        return self.choice

    # Frames.

    def begin(self, frame: Frame) -> None:
        """Another run: its classes."""
        self.chart.begin()
        self.job_class.clear()
        self.job_class.addItems(list(frame.info.numbers.class_names))
        self.chart.set_rows(class_rows(frame), None)
        self.arrange()

    def show_frame(self, frame: Frame) -> None:
        """Columns follow each frame, numbers above them a few times a second."""
        self.chart.flashes.take(frame)
        self.chart.set_rows(class_rows(frame), event_mark(frame))
        if self.pace.due(frame.running):
            self.tiles.set_texts(tiles(frame))

    def _pick(self, job_class: int, width: int) -> None:
        """Point at a job of this class and width; at the next one with each further click."""
        if self.frame is None:
            return
        state = self.frame.state
        there = (state.job_number >= 0) & (state.job_class == job_class)
        records = np.flatnonzero(there & (state.job_width == width)).tolist()
        if records:
            before = -1 if self.selection.server is None else self.selection.server
            record = next((one for one in records if one > before), records[0])
            self.intent.emit(Select(server=record, job=int(state.job_number[record])))

    # The window.

    def arrange(self) -> None:
        """The choice of a class appears where there is no room for all of them."""
        self.tiles.setVisible(self.height() >= _LOW * current_fonts().scale)
        self.choice.setVisible(self.job_class.count() > 1 and not self.chart.fits_all())

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """Every class and width."""
        frame = self.frame
        if frame is None or self.needs - frame.info.offers:
            return None
        names = ["class", "servers", "jobs_now", "jobs_on_average", "optimum", "asked", "speedup"]
        return names, (
            (
                frame.info.numbers.class_names[row.job_class],
                width,
                int(row.now[width]),
                float(row.mean[width]),
                float(row.target[width]),
                float(row.asked[width]),
                float(row.speedup[width]),
            )
            for row in class_rows(frame)
            for width in range(1, row.degree + 1)
        )
