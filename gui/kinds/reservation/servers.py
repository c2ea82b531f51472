"""Figure 1 as a live picture: the servers of every configuration in a stack.

Figure 1 of Psychas & Ghaderi (2022), Section 4.  Policies without reservation have neither groups nor greedy
configurations; their servers are shown in the order of their numbers.
"""

from __future__ import annotations

from typing import Iterable, Iterator

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedLayout

from slotscope.gui.intents import Select
from slotscope.gui.kinds.reservation.servers_grid_view import GridView
from slotscope.gui.kinds.reservation.servers_stacks import StackView
from slotscope.gui.panel import Panel
from slotscope.gui.pictures.picture import PicturePanel
from slotscope.gui.theme import Theme
from slotscope.model.reporting.frame import Frame


def header(frame: Frame) -> list[str]:
    """The column names."""
    names = frame.info.numbers.type_names
    return ["server", *(f"{what} of {name}" for what in ("slots", "jobs") for name in names)]


def rows(frame: Frame) -> Iterator[list[object]]:
    """The present slots and jobs of each server, by type."""
    state = frame.state
    pairs = zip(state.configuration.tolist(), state.placement.tolist(), strict=True)
    for number, (slots, jobs) in enumerate(pairs, 1):
        yield [number, *slots, *jobs]


class ServersPanel(Panel):
    """The servers of each configuration, stacked as in the paper's Figure 1."""

    name = "servers"
    title = "Servers"
    summary = "Every server in the stack of its configuration, as in Figure 1 of the paper."
    needs = frozenset({"servers"})
    tells = frozenset({"greedy configurations"})

    def build(self) -> None:
        """Stacks for policies that reserve slots, and a grid for others."""
        self.stacks = StackView(self.theme, self.body)
        self.grid = GridView(self.theme, self.body)
        self._views = QStackedLayout(self.body)
        self._views.setContentsMargins(0, 0, 0, 0)
        for view in (self.stacks, self.grid):
            self._views.addWidget(view)
            view.chosen.connect(self.intent.emit)

    def begin(self, frame: Frame) -> None:
        """Let the stacks choose the scale that fits."""
        self.stacks.fit()

    def show_frame(self, frame: Frame) -> None:
        """Show a moment as stacks, or as a grid if there is no room for stacks."""
        view: StackView | GridView = self.grid
        if frame.info.facts.reserves_slots:
            self.stacks.resize(self.body.size())  # the hidden view of the two is not resized by the layout
            self.stacks.set_frame(frame)
            view = self.grid if self.stacks.scene is None else self.stacks
        if view is self.grid:
            view.set_frame(frame)
        self._views.setCurrentWidget(view)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The present slots and jobs of each server, by type."""
        if self.frame is None:
            return None
        return header(self.frame), rows(self.frame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose again between stacks and grid; visible stacks have already laid themselves out."""
        super().resizeEvent(event)
        stacked = self._views.currentWidget() is self.stacks and self.stacks.scene is not None
        if self.frame is not None and not stacked:
            self.set_frame(self.frame)

    def show_selection(self, selection: Select) -> None:
        """Outline the selection."""
        self.stacks.set_selection(selection)
        self.grid.set_selection(selection)

    def restyle(self, theme: Theme) -> None:
        self.stacks.set_theme(theme)
        self.grid.set_theme(theme)


class ServerGridPanel(PicturePanel):
    """Every server as a bar of its slots, always at the same place."""

    name = "server-grid"
    title = "Server grid"
    summary = "Every server in order of its number, with its slots and its group."
    needs = frozenset({"servers"})
    tells = ServersPanel.tells
    picture = GridView
    header, rows = staticmethod(header), staticmethod(rows)
