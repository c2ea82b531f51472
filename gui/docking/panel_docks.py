"""The docks of the window's own panels: made one by one, placed, and changed with the system."""

from __future__ import annotations

from contextlib import suppress
from typing import Iterator

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtWidgets import QApplication

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.docks import AREAS, PanelDock
from slotscope.gui.docking.layouts import Shares, columns, soon
from slotscope.gui.faults import caught
from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.language.words import tr
from slotscope.gui.panels import SENTENCES, panels_of
from slotscope.gui.plotting.importing import import_in_parts

#: The kind of system whose panels are built where nothing is known yet.
USUAL = next(iter(PANEL_ROOMS))

#: Share of the width that the servers have, of the height below it, and of that at the right for
#: the curves.
_LEFT, _SERVERS, _CURVES = 0.64, 0.54, 0.46

#: The property of a dock that names those with which it shares its tabs.
_GROUP = "group"


class PanelDocks(QObject):
    """Builds the docks of a kind of system, and others when a run of another kind begins.

    Layouts are kept for each kind.
    """

    completed = Signal()  #: all docks are there
    leaving = Signal()  #: they are about to make room for those of another kind

    def __init__(self, area: DockArea, settings: QSettings) -> None:
        super().__init__(area)
        self._area, self._window = area, area.window
        self._settings = settings
        self._finishing = False
        self._turn = soon(self, self.build)
        self._parts = self._build_in_parts()
        self.begin_with(area.system)

    def begin_with(self, system: str) -> None:
        """The panels of this kind of system are the ones to build."""
        self._own_fronts = False  # whether it is settled which tabs are in front
        self._area.follow(system)
        self._pending = list(panels_of(system))

    # Building.

    def build(self) -> None:
        """Import and build the panels in parts, so that the window answers in between."""
        if self._area.complete or self._finishing:
            return
        if self._pending:
            self._turn.start()  # whatever fails in this part, the others come
            next(self._parts)
            self._area.layouts.take(self._shares())  # Qt leaves next to nothing to a column that is not full yet
        else:
            self._close()

    def _build_in_parts(self) -> Iterator[None]:
        """A module or a panel with each step, without end: there may be other panels by the next one."""
        while True:
            with suppress(Exception):  # building the panel raises it again, where it is told
                self._pending[0].load()
            yield
            behind = bool(self._pending) and self._partner(self._pending[0]) is not None
            if self._pending:
                self._build_next()
            if behind:
                continue  # only a dock was made
            yield
            with caught():
                yield from import_in_parts()  # the servers, which come first, do without

    def finish(self) -> None:
        """Build at once what is still missing."""
        while self._pending:
            self._build_next()
        if not self._area.complete:
            self._finishing = True  # the building one by one must not close meanwhile
            QApplication.processEvents()  # docks that are not shown yet take no size
            self._finishing = False
            self._close()

    def _build_next(self) -> None:
        """Make a dock, and its panel if that is seen; one that cannot be is told of, and the others come."""
        entry = self._pending.pop(0)
        with caught():
            dock = self._area.make(entry.load())
            dock.setProperty(_GROUP, entry.group)
            self._place(dock, entry)
            self._area.take(dock)

    def _partner(self, entry: PanelEntry) -> PanelDock | None:
        """A dock behind which, in tabs, a panel is to stand; None if it begins a group."""
        docks = self._area.docks.values()
        return next((other for other in docks if other.property(_GROUP) == entry.group), None)

    def _place(self, dock: PanelDock, entry: PanelEntry) -> None:
        partner = self._partner(entry)
        if partner is not None:
            self._window.tabifyDockWidget(partner, dock)
            partner.raise_()
            dock.seen = False  # Qt tells only later
            return
        below = entry.place == "bottom"
        self._window.addDockWidget(AREAS["left" if below else entry.place], dock)
        if below:
            self._place_below(dock)

    def _place_below(self, dock: PanelDock) -> None:
        """The bottom row stands under the servers: algorithm left, decisions right."""
        docks, servers = self._area.docks, self._area.roles.servers
        if "algorithm" in docks:
            self._window.splitDockWidget(docks["algorithm"], dock, Qt.Orientation.Horizontal)
        elif servers in docks:
            self._window.splitDockWidget(docks[servers], dock, Qt.Orientation.Vertical)

    def _close(self) -> None:
        with caught():
            self._lay_out()
        self.completed.emit()

    def _lay_out(self) -> None:
        """Bring back how the panels stood when somebody last saw them."""
        layouts = self._area.layouts
        layouts.take(self._shares())
        layouts.default = layouts.text()
        saved = str(self._settings.value(f"layout/{self._area.system}", ""))
        if saved and not layouts.restore(saved):
            self._area.said.emit(tr("The saved layout is of another version; the default is shown."))
        self._own_fronts = bool(saved)
        self.choose_fronts()

    def choose_fronts(self) -> None:
        """In tabs that nobody has arranged: to the front the first panel that has what it needs.

        Done once, for the first run of a kind of system.
        """
        area = self._area
        if self._own_fronts or not area.complete or area.info is None:
            return
        self._own_fronts = True
        fronts: dict[str, PanelDock] = {}
        for dock in area.docks.values():
            if dock.shows.needs <= area.info.offers:
                fronts.setdefault(str(dock.property(_GROUP)), dock)
        for dock in fronts.values():
            dock.raise_()

    def _shares(self) -> Shares:
        """The servers have most of the room, the algorithm enough for a whole function."""
        group: dict[str, list[str]] = {"servers": [], "curves": [], "programs": []}
        for name, dock in self._area.docks.items():
            group.setdefault(str(dock.property(_GROUP)), []).append(name)
        return columns(
            (_LEFT, ((_SERVERS, group["servers"]),)),
            (_LEFT / 2, ((1 - _SERVERS, ("algorithm", SENTENCES)),)),
            (1 - _LEFT, ((_CURVES, group["curves"]), (1 - _CURVES, group["programs"]))),
        )

    # Another kind of system.

    def show_system(self, system: str) -> None:
        """Have the panels of this kind of system; nothing happens if they are there.

        No dock stays for the next kind of system: Qt is not up to docks that are put back after
        others of their tabs were deleted.
        """
        if system == self._area.system:
            return
        self.leaving.emit()
        self._area.remove(*list(self._area.docks))
        self._area.layouts.forget()
        self.begin_with(system)
        self._turn.start()
