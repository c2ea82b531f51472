"""Inspectors in the window: docked ones follow the selection, floating ones stay with a thing.

Where policies run side by side, each lane has a docked one from its first click on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer

from gui.dialogs import INSPECTOR
from gui.docks import PanelDock
from gui.intents import Select

if TYPE_CHECKING:
    from gui.main_window import MainWindow
    from model.frame import RunInfo

DOCKED = "inspector"

#: The size of a floating one, in heights of the type.
_WIDTH, _HEIGHT = 24, 30


class Inspectors(QObject):
    """Shows the docked inspectors, opens floating ones, and closes them with their scenario."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._opened = 0
        self._scenario = ""

    # Docked ones.

    def show(self, selection: Select, lane: int) -> None:
        """Bring a lane's docked inspector to the front if there is something to inspect.

        It does not cover the very panel that was clicked.
        """
        window = self._window
        if DOCKED not in window.docks or selection.inspected is None:
            return
        dock = window.compare.docks.dock_of(DOCKED, lane)
        dock.panel.set_selection(selection)
        covered = [other for other in window.tabifiedDockWidgets(dock) if isinstance(other, PanelDock) and other.seen]
        if not window.lecture.on and not any(other.panel.underMouse() for other in covered):
            dock.show()
            dock.raise_()

    # Floating ones.

    def open(self, selection: Select, lane: int = 0) -> None:
        """An inspector that stays with a thing of a lane."""
        from gui.panels.inspector import InspectorPanel

        thing = selection.inspected
        if thing is None:
            return
        window = self._window
        panel = InspectorPanel(window.theme)
        panel.pin(thing)
        dock = PanelDock(panel, window.theme, window, lane)
        self._opened += 1
        name = f"{DOCKED}-of-{self._opened}"
        dock.setObjectName(f"dock-{name}")
        dock.setProperty(INSPECTOR, True)
        panel.intent.connect(lambda intent: window.compare.carry_out(lane, intent))
        dock.said.connect(window.say)
        dock.closed.connect(lambda: QTimer.singleShot(0, self, lambda: self._remove(name)))
        if window.compare.labels:
            dock.name_policy(window.compare.labels[lane])
        window.docks[name] = dock
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        dock.setFloating(True)
        line = panel.fontMetrics().height()
        dock.resize(_WIDTH * line, _HEIGHT * line)
        window.show_in(dock)

    @property
    def _floating(self) -> list[str]:
        return [name for name in self._window.docks if name.startswith(f"{DOCKED}-of-")]

    def _remove(self, name: str) -> None:
        dock = self._window.docks.pop(name, None)
        if dock is not None:
            self._window.removeDockWidget(dock)
            dock.deleteLater()

    # The run.

    def begin(self, info: RunInfo) -> None:
        """Another scenario has other things: those of the last one are not shown any more."""
        if info.scenario_name != self._scenario:
            self._scenario = info.scenario_name
            for name in self._floating:
                self._remove(name)

    def leave_lanes(self) -> None:
        """Further lanes go, and what floats of them."""
        for name in self._floating:
            if self._window.docks[name].lane:
                self._remove(name)
