"""Inspectors: docked ones follow the selection, floating ones keep one thing.

In a comparison each lane gets a docked inspector at the first click in it.
"""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QObject, Qt, QTimer

from slotscope.gui.docking.compare_docks import CompareDocks
from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.docks import PanelDock
from slotscope.gui.intents import Select
from slotscope.gui.window.dialogs import INSPECTOR
from slotscope.model.reporting.frame import RunInfo

DOCKED = "inspector"

#: Width and height of a floating inspector, in line heights.
_WIDTH, _HEIGHT = 24, 30


class Inspectors(QObject):
    """Shows the docked inspectors, opens floating ones, and closes those when the scenario changes."""

    def __init__(self, area: DockArea, lanes: CompareDocks) -> None:
        super().__init__(area)
        self._area, self._lanes, self._window = area, lanes, area.window
        self._opened = 0
        self._scenario = ""

    def follow(self, selection: Select, lane: int, in_front: bool) -> None:
        """Show a lane's selection: in a floating inspector, or else in the lane's panels and docked inspector."""
        if selection.floating:
            self.open(selection, lane)
        else:
            self._area.select(selection, lane)
            self.show(selection, lane, in_front)

    # Docked ones.

    def show(self, selection: Select, lane: int, in_front: bool) -> None:
        """Show the selected thing, if any, in a lane's docked inspector, and raise that if *in_front*.

        It is not raised over the panel under the mouse, the one that was just clicked.
        """
        if DOCKED not in self._area.docks or selection.inspected is None:
            return
        dock = self._lanes.dock_of(DOCKED, lane)
        dock.select(selection)
        tabs = self._window.tabifiedDockWidgets(dock)
        covered = [other for other in tabs if isinstance(other, PanelDock) and other.seen]
        if in_front and not any(other.panel.underMouse() for other in covered):
            dock.show()
            dock.raise_()

    def bring(self, lane: int) -> None:
        """Show a lane's docked inspector, and raise it over any other tab."""
        if DOCKED in self._area.docks:
            dock = self._lanes.dock_of(DOCKED, lane)
            dock.show()
            dock.raise_()

    def close_answer(self, stop: Callable[[], object]) -> bool:
        """Close a visible answer to *why*, or *stop* the search that it reports; returns whether there was one."""
        from slotscope.gui.panels.inspector import InspectorPanel

        panels = [dock.panel for dock in self._area.docks.values() if dock.seen and dock.is_built]
        answers = [one.why for one in panels if isinstance(one, InspectorPanel) and one.why.isVisible()]
        for why in answers[:1]:
            stop() if why.searching else why.close_answer()
        return bool(answers)

    # Floating ones.

    def open(self, selection: Select, lane: int = 0) -> None:
        """Open a floating inspector that keeps showing one thing of a lane."""
        from slotscope.gui.panels.inspector import InspectorPanel

        thing = selection.inspected
        if thing is None:
            return
        self._opened += 1
        name = f"{DOCKED}-of-{self._opened}"
        dock = self._area.make(InspectorPanel, lane, name)
        panel = dock.panel
        assert isinstance(panel, InspectorPanel)
        panel.pin(thing)
        dock.setProperty(INSPECTOR, True)
        dock.closed.connect(lambda: QTimer.singleShot(0, self, lambda: self._remove(name)))
        if self._lanes.labels:
            dock.name_policy(self._lanes.labels[lane])
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.setFloating(True)
        line = panel.fontMetrics().height()
        dock.resize(_WIDTH * line, _HEIGHT * line)
        self._area.take(dock)

    def _remove(self, name: str) -> None:
        if name in self._area.docks:
            self._area.remove(name)

    # The run.

    def begin(self, info: RunInfo) -> None:
        """Close the floating inspectors when another scenario begins: their things do not exist in it."""
        if info.scenario_name != self._scenario:
            self._scenario = info.scenario_name
            floating = [name for name in self._area.docks if name.startswith(f"{DOCKED}-of-")]
            self._area.remove(*floating)
