"""The docks of the window's own panels: built one by one, placed, and replaced with the kind of system."""

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

#: The kind of system whose panels are built while none is known.
USUAL = next(iter(PANEL_ROOMS))

#: Shares: of the width for the servers, of the height for them, and of the right column's height for
#: the curves.
_LEFT, _SERVERS, _CURVES = 0.64, 0.54, 0.46

#: Dynamic property of a dock that names its group of tabs.
_GROUP = "group"


class PanelDocks(QObject):
    """Builds the docks of a kind of system, and replaces them when a run of another kind begins.

    Layouts are saved for each kind.
    """

    completed = Signal()  #: all docks have been built
    leaving = Signal()  #: the docks are about to be replaced by those of another kind

    def __init__(self, area: DockArea, settings: QSettings) -> None:
        super().__init__(area)
        self._area, self._window = area, area.window
        self._settings = settings
        self._finishing = False
        self._turn = soon(self, self.build)
        self._parts = self._build_in_parts()
        self.begin_with(area.system)

    def begin_with(self, system: str) -> None:
        """Set the kind of system whose panels are to be built."""
        self._own_fronts = False  # whether the front tabs have been chosen
        self._area.follow(system)
        self._pending = list(panels_of(system))

    # Building.

    def build(self) -> None:
        """Import and build one part of the panels per turn of the event loop, so that the window stays responsive."""
        if self._area.complete or self._finishing:
            return
        if self._pending:
            self._turn.start()  # scheduled first: if this part fails, the others follow
            next(self._parts)
            self._area.layouts.take(self._shares())  # Qt would squeeze a column that is not full yet
        else:
            self._close()

    def _build_in_parts(self) -> Iterator[None]:
        """Import or build one panel per step, endlessly: the list of pending panels may change between steps."""
        while True:
            with suppress(Exception):  # building the panel raises it again and reports it
                self._pending[0].load()
            yield
            behind = bool(self._pending) and self._partner(self._pending[0]) is not None
            if self._pending:
                self._build_next()
            if behind:
                continue  # only a dock was made, which is quick
            yield
            with caught():
                yield from import_in_parts()  # after the servers, which do not need it

    def finish(self) -> None:
        """Build all remaining panels now."""
        while self._pending:
            self._build_next()
        if not self._area.complete:
            self._finishing = True  # keeps :meth:`build` from closing meanwhile
            QApplication.processEvents()  # docks that are not shown yet cannot be resized
            self._finishing = False
            self._close()

    def _build_next(self) -> None:
        """Create the next dock, and its panel if visible; a failure is reported, and the others follow."""
        entry = self._pending.pop(0)
        with caught():
            dock = self._area.make(entry.load())
            dock.setProperty(_GROUP, entry.group)
            self._place(dock, entry)
            self._area.take(dock)

    def _partner(self, entry: PanelEntry) -> PanelDock | None:
        """The dock behind which a panel is tabbed; None if it is the first of its group."""
        docks = self._area.docks.values()
        return next((other for other in docks if other.property(_GROUP) == entry.group), None)

    def _place(self, dock: PanelDock, entry: PanelEntry) -> None:
        partner = self._partner(entry)
        if partner is not None:
            self._window.tabifyDockWidget(partner, dock)
            partner.raise_()
            dock.seen = False  # Qt signals this only later
            return
        below = entry.place == "bottom"
        self._window.addDockWidget(AREAS["left" if below else entry.place], dock)
        if below:
            self._place_below(dock)

    def _place_below(self, dock: PanelDock) -> None:
        """Place a dock in the bottom row below the servers: algorithm left, decisions right."""
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
        """Restore the layout that was saved last."""
        layouts = self._area.layouts
        layouts.take(self._shares())
        layouts.default = layouts.text()
        saved = str(self._settings.value(f"layout/{self._area.system}", ""))
        if saved and not layouts.restore(saved):
            self._area.said.emit(tr("The saved layout is of another version; the default is shown."))
        self._own_fronts = bool(saved)
        self.choose_fronts()

    def choose_fronts(self) -> None:
        """If the user has no layout yet, raise in each group of tabs the first panel that the run has data for.

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
        """The default shares: most for the servers, and room for a whole function in the algorithm."""
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
        """Replace the docks by those of this kind of system, unless they are shown already.

        No dock is reused for the next kind: Qt fails with docks that are added again after others of their tabs were
        deleted.
        """
        if system == self._area.system:
            return
        self.leaving.emit()
        self._area.remove(*list(self._area.docks))
        self._area.layouts.forget()
        self.begin_with(system)
        self._turn.start()
