"""How many jobs run on 1, 2, ... servers, now and on average, against the optimum."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout

from gui.panel import Panel
from model.frame import Frame


class AllocationsPanel(Panel):
    """How many jobs run on 1, 2, ... servers, now and on average, against the optimum."""

    name = "allocations"
    title = "Allocations"
    summary = "How many jobs run on 1, 2, ... servers, now and on average, against the optimum."
    place = "right"

    def build(self) -> None:
        """A line of words."""
        self.words = QLabel(self.body)
        QVBoxLayout(self.body).addWidget(self.words)

    def show_frame(self, frame: Frame) -> None:
        """Write X_i."""
        self.words.setText(str(frame.state.jobs.tolist()))
