"""The numbers of jobs on the two widths of the optimum, on their way to it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QVBoxLayout

from gui.panel import Panel
from model.frame import Frame


class CollapsePanel(Panel):
    """The numbers of jobs on the two widths of the optimum, on their way to it."""

    name = "collapse"
    title = "State-space collapse"
    summary = "The numbers of jobs on the two widths of the optimum, on their way to it."
    place = "right"

    def build(self) -> None:
        """A line of words."""
        self.words = QLabel(self.body)
        QVBoxLayout(self.body).addWidget(self.words)

    def show_frame(self, frame: Frame) -> None:
        """Write X_i."""
        self.words.setText(str(frame.state.jobs.tolist()))
