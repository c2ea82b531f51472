"""The servers of a system of moldable jobs: every job on its servers, filling as it executes."""

from __future__ import annotations

from gui.panel import Panel
from model.frame import Frame


class MoldableServersPanel(Panel):
    """Every server, and each job on the servers that it was given."""

    name = "moldable-servers"
    title = "Servers"
    summary = "Every server, and each job on the servers that it runs on, filling as it executes."
    needs = frozenset({"moldable"})
    place = "left"

    def show_frame(self, frame: Frame) -> None:
        """Show a moment."""
        self.show_note(f"{frame.state.number[3]} servers in use")
