"""The docks of the window's own panels: built one by one, placed, and changed with the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from gui import dialogs
from gui.docks import AREAS, SYSTEM, PanelDock
from gui.kinds.declaration import PanelEntry, Roles
from gui.kinds.rooms import PANEL_ROOMS
from gui.layouts import Shares, columns, show_whole_titles
from gui.panels import SENTENCES, panels_of

if TYPE_CHECKING:
    from gui.main_window import MainWindow

#: The kind of system whose panels are built where nothing is known yet.
USUAL = next(iter(PANEL_ROOMS))

#: Share of the width that the servers have, of the height below it, and of that at the right for
#: the curves.
_LEFT, _SERVERS, _CURVES = 0.64, 0.54, 0.46


class PanelDocks(QObject):
    """Builds the docks of a kind of system, and others when a run of another kind begins.

    Layouts are kept for each kind.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._pending: list[PanelEntry] = []
        self._wanted_layout = ""  # a session's, to be arranged once all docks are there
        self._finishing = False
        self.lecture_wanted = False  # once all docks are there
        self._own_fronts = False  # whether it is settled which tabs are in front
        self.begin_with(USUAL)

    @property
    def complete(self) -> bool:
        """Whether all panels are built."""
        return bool(self._window.layouts.default)

    @property
    def roles(self) -> Roles:
        """Which panels stand where."""
        return PANEL_ROOMS[self.system].roles

    def begin_with(self, system: str) -> None:
        """The panels of this kind of system are the ones to build."""
        self.system, self._own_fronts = system, False
        self._window.setProperty(SYSTEM, system)
        self._pending = list(panels_of(system))

    # Building.

    def build(self) -> None:
        """Build the panels one by one, so that the window answers in between."""
        if self.complete or self._finishing:
            return
        if self._pending:
            self._build_next()
            QTimer.singleShot(0, self, self.build)
        else:
            self._close()

    def finish(self) -> None:
        """Build at once what is still missing."""
        while self._pending:
            self._build_next()
        if not self.complete:
            self._finishing = True  # the building one by one must not close meanwhile
            QApplication.processEvents()  # docks that are not shown yet take no size
            self._finishing = False
            self._close()

    def _build_next(self) -> None:
        window, entry = self._window, self._pending.pop(0)
        dock = self._built(entry)
        self._place(dock, entry.place, entry.group)
        window.docks[dock.panel.name] = dock
        window.show_in(dock)

    def _built(self, entry: PanelEntry) -> PanelDock:
        window = self._window
        panel = entry.load()(window.theme)
        dock = PanelDock(panel, window.theme, window)
        dock.setProperty("group", entry.group)
        panel.intent.connect(window.carry_out)
        dock.said.connect(window.say)
        window.layouts.watch(dock)
        dock.visibilityChanged.connect(lambda seen: window.seen_or_hidden(dock, seen))
        return dock

    def _place(self, dock: PanelDock, place: str, group: str) -> None:
        window = self._window
        partner = next((other for other in window.docks.values() if other.property("group") == group), None)
        if partner is not None:
            window.tabifyDockWidget(partner, dock)
            partner.raise_()
            return
        window.addDockWidget(AREAS["left" if place == "bottom" else place], dock)
        if place == "bottom":
            self._place_below(dock)

    def _place_below(self, dock: PanelDock) -> None:
        """The bottom row stands under the servers: algorithm left, decisions right."""
        docks, servers = self._window.docks, self.roles.servers
        if "algorithm" in docks:
            self._window.splitDockWidget(docks["algorithm"], dock, Qt.Orientation.Horizontal)
        elif servers in docks:
            self._window.splitDockWidget(docks[servers], dock, Qt.Orientation.Vertical)

    def _close(self) -> None:
        window, layouts = self._window, self._window.layouts
        layouts.take(self._shares())
        layouts.default = layouts.text()
        dialogs.fill_view_menu(window)
        saved = str(window.settings.value(f"layout/{self.system}", ""))
        if saved and not layouts.restore(saved):
            window.say("The saved layout is of another version; the default is shown.")
        self._own_fronts = bool(saved)
        self.choose_fronts()
        wanted, self._wanted_layout = self._wanted_layout, ""
        window.compare.panels_complete()
        window.lecture.offer()
        if wanted:
            self.arrange(wanted)
        if self.lecture_wanted:
            self.lecture_wanted = False
            window.lecture.enter()
        window.ready.emit()

    def choose_fronts(self) -> None:
        """In tabs that nobody has arranged: to the front the first panel that has what it needs.

        Done once, for the first run of a kind of system.
        """
        window = self._window
        if self._own_fronts or not self.complete or window.info is None:
            return
        self._own_fronts = True
        offers = window.info.offers
        fronts: dict[str, PanelDock] = {}
        for dock in window.docks.values():
            if dock.panel.needs <= offers:
                fronts.setdefault(str(dock.property("group")), dock)
        for dock in fronts.values():
            dock.raise_()
        show_whole_titles(window)

    def _shares(self) -> Shares:
        """The servers have most of the room, the algorithm enough for a whole function."""
        group: dict[str, list[str]] = {}
        for name, dock in self._window.docks.items():
            group.setdefault(str(dock.property("group")), []).append(name)
        return columns(
            (_LEFT, ((_SERVERS, group["servers"]),)),
            (_LEFT / 2, ((1 - _SERVERS, ("algorithm", SENTENCES)),)),
            (1 - _LEFT, ((_CURVES, group["curves"]), (1 - _CURVES, group["programs"]))),
        )

    # Another kind of system.

    def show_system(self, system: str) -> None:
        """Have the panels of this kind of system; nothing happens if they are there."""
        window = self._window
        if system == self.system:
            return
        if self.complete:
            self.lecture_wanted = window.lecture.on
            if window.lecture.on:  # it goes on with the panels to come
                window.lecture.leave()
            window.settings.setValue(window.compare.layout_key, window.layouts.text())
        window.compare.docks.clear()
        self._put_away()
        window.layouts.forget()
        waiting = bool(self._pending)  # then the next turn goes on with the new ones
        self.begin_with(system)
        if not waiting:
            QTimer.singleShot(0, self, self.build)

    def _put_away(self) -> None:
        """Take all docks out.

        None stays for the next kind of system: Qt is not up to docks that are put back after
        others of their tabs were deleted.
        """
        window = self._window
        for dock in window.docks.values():
            window.removeDockWidget(dock)
            dock.deleteLater()
        window.docks.clear()

    def arrange(self, layout: str) -> None:
        """Arrange the docks as a session was saved, once they are all there."""
        if not self.complete:
            self._wanted_layout = layout
            return
        self._window.compare.docks.build_for(layout)
        if not self._window.layouts.restore(layout):
            self._window.say("The session's layout is of another version; the present one stays.")
