"""The servers of a queueing system as bins, each filled with its jobs to scale."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from gui.intents import Select
from gui.panel import Panel
from gui.panels.queue.bins_view import BinView
from gui.theme import Theme
from model.frame import Frame


class ServerBinsPanel(Panel):
    """Every server as a bin: its jobs, its active configuration, and what is free."""

    name = "bins"
    title = "Servers"
    summary = "Every server as a bin with its jobs to scale, and its active configuration."
    needs = frozenset({"bins"})
    place = "left"

    def build(self) -> None:
        """One view that fills the panel."""
        self.view = BinView(self.theme, self.body)
        self.view.chosen.connect(self.intent.emit)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)

    def show_frame(self, frame: Frame) -> None:
        """Show a moment."""
        self.view.set_frame(frame)

    def show_selection(self, selection: Select) -> None:
        """Outline what is pointed at."""
        self.view.set_selection(selection)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self.view.set_theme(theme)
