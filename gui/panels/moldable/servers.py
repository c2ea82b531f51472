"""The servers of a system of moldable jobs: every job on its servers, filling as it executes."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from gui.intents import Select
from gui.panel import Panel
from gui.panels.moldable.servers_view import MoldableServersView
from gui.theme import Theme
from model.frame import Frame


class MoldableServersPanel(Panel):
    """Every server, and each job on the servers that it was given."""

    name = "moldable-servers"
    title = "Servers"
    summary = "Every server, and each job on the servers that it runs on, filling as it executes."
    needs = frozenset({"moldable"})
    place = "left"

    def build(self) -> None:
        """One view that fills the panel."""
        self.view = MoldableServersView(self.theme, self.body)
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
