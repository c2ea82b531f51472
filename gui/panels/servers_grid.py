"""The plain grid of servers, in order of their number."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from gui.intents import Select
from gui.panel import Panel
from gui.panels.servers_grid_view import GridView
from gui.theme import Theme
from model.frame import Frame


class ServerGridPanel(Panel):
    """Every server as a bar of its slots, where it always stands."""

    name = "server-grid"
    title = "Server grid"
    summary = "Every server in order of its number, with its slots and its group."
    needs = frozenset({"servers"})
    place = "centre"

    def build(self) -> None:
        """One view that fills the panel."""
        self.view = GridView(self.theme, self.body)
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
