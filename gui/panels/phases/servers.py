"""The servers of a system with phases: their jobs to scale, tokens, timers and backup servers."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout

from gui.intents import Select
from gui.panel import Panel
from gui.panels.phases.servers_view import PhaseServersView
from gui.theme import Theme
from model.frame import Frame


class PhaseServersPanel(Panel):
    """Every server with its real and virtual jobs, and what it waits for."""

    name = "phase-servers"
    title = "Servers"
    summary = "Every server with its jobs to scale, real and virtual, its tokens and its timer."
    needs = frozenset({"phases"})
    place = "left"

    def build(self) -> None:
        """One view that fills the panel."""
        self.view = PhaseServersView(self.theme, self.body)
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
