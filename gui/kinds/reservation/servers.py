"""Figure 1 alive: the servers of every configuration as stacks, group by group.

Figure 1 of Psychas & Ghaderi (2022), Section 4.  Without reservation there are no groups
and no greedy configurations; then the servers stand in order of their number.
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
    """The names of the columns."""
    names = frame.info.numbers.type_names
    return ["server", *(f"{what} of {name}" for what in ("slots", "jobs") for name in names)]


def rows(frame: Frame) -> Iterator[list[object]]:
    """The slots and the jobs of each server now, by type."""
    state = frame.state
    pairs = zip(state.configuration.tolist(), state.placement.tolist(), strict=True)
    for number, (slots, jobs) in enumerate(pairs, 1):
        yield [number, *slots, *jobs]


class ServersPanel(Panel):
    """The servers of every configuration, stacked as in the paper's Figure 1."""

    name = "servers"
    title = "Servers"
    summary = "Every server in the stack of its configuration, as in Figure 1 of the paper."
    needs = frozenset({"servers"})
    tells = frozenset({"greedy configurations"})

    def build(self) -> None:
        """Stacks for policies that reserve slots, a grid for those that do not."""
        self.stacks = StackView(self.theme, self.body)
        self.grid = GridView(self.theme, self.body)
        self._views = QStackedLayout(self.body)
        self._views.setContentsMargins(0, 0, 0, 0)
        for view in (self.stacks, self.grid):
            self._views.addWidget(view)
            view.chosen.connect(self.intent.emit)

    def begin(self, frame: Frame) -> None:
        """Let stacks have the scale that fits."""
        self.stacks.fit()

    def show_frame(self, frame: Frame) -> None:
        """Show a moment; where stacks have no room, as a grid."""
        view: StackView | GridView = self.grid
        if frame.info.facts.reserves_slots:
            self.stacks.resize(self.body.size())  # it may be the hidden one of the two
            self.stacks.set_frame(frame)
            view = self.grid if self.stacks.scene is None else self.stacks
        if view is self.grid:
            view.set_frame(frame)
        self._views.setCurrentWidget(view)

    def series(self) -> tuple[list[str], Iterable[Iterable[object]]] | None:
        """The slots and the jobs of each server now, by type."""
        if self.frame is None:
            return None
        return header(self.frame), rows(self.frame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size may have room for stacks, or none; stacks that are seen have laid themselves out by now."""
        super().resizeEvent(event)
        stacked = self._views.currentWidget() is self.stacks and self.stacks.scene is not None
        if self.frame is not None and not stacked:
            self.set_frame(self.frame)

    def show_selection(self, selection: Select) -> None:
        """Outline what is pointed at."""
        self.stacks.set_selection(selection)
        self.grid.set_selection(selection)

    def restyle(self, theme: Theme) -> None:
        self.stacks.set_theme(theme)
        self.grid.set_theme(theme)


class ServerGridPanel(PicturePanel):
    """Every server as a bar of its slots, where it always stands."""

    name = "server-grid"
    title = "Server grid"
    summary = "Every server in order of its number, with its slots and its group."
    needs = frozenset({"servers"})
    tells = ServersPanel.tells
    picture = GridView
    header, rows = staticmethod(header), staticmethod(rows)
