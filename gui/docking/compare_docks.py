"""The docks of further lanes: some are built when a comparison starts, others on first use.

Every lane has all the panels of a single run; panels that nobody looks at cost nothing.  Panels that a comparison will
need at once are built before it is opened.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtWidgets import QMenu

from slotscope.gui.docking.dock_area import DockArea
from slotscope.gui.docking.docks import PanelDock, lane_name
from slotscope.gui.docking.layouts import Shares, columns, named_in, soon
from slotscope.gui.kinds.declaration import PanelEntry
from slotscope.gui.language.words import tr
from slotscope.gui.panels import COMPARISON, SENTENCES, companions_of, panels_of
from slotscope.gui.theme import current_fonts

#: A panel, and the lane that it belongs to.
LanePanel = tuple[PanelEntry, int]


class PanelsAhead(QObject):
    """Builds panels and docks ahead, one part per turn of the event loop, so that the window stays responsive."""

    def __init__(self, area: DockArea) -> None:
        super().__init__(area)
        self._area = area
        self._turns: Iterator[bool] = iter(())
        self._built: dict[LanePanel, PanelDock] = {}
        self._then: list[Callable[[], object]] = []
        self._turn = soon(self, self._build_next)

    def expect(self, wanted: Iterable[LanePanel], then: Callable[[], object]) -> None:
        """Build these panels in turns, then call *then*; a call still outstanding is made at once.

        In lecture mode nothing is built ahead: lecture mode is left before docks are added, and its fonts differ.
        """
        self._go_on()
        self.forget()
        panels, self._then = [] if current_fonts().lecture else list(wanted), [then]
        self._turns = self._build_in_turns(panels)
        if panels:
            self._turn.start()
        else:
            self._go_on()

    def _build_next(self) -> None:
        if next(self._turns, False):
            self._turn.start()
        else:
            self._go_on()

    def _build_in_turns(self, wanted: Iterable[LanePanel]) -> Iterator[bool]:
        """Build a panel, or another part that it needs for its first frame, per step."""
        for one in wanted:
            with suppress(Exception):  # it is raised again, and reported, when the panel is needed
                dock = self._built[one] = self._made(*one)
                parts = dock.panel.build_ahead()
                yield True
                yield from (True for _ in parts)

    def _go_on(self) -> None:
        while self._then:
            self._then.pop()()

    def _made(self, entry: PanelEntry, lane: int) -> PanelDock:
        return self._area.make(entry.load(), lane)

    def dock(self, entry: PanelEntry, lane: int) -> PanelDock:
        """Return a panel's dock, building it now unless it was built ahead."""
        return self._built.pop((entry, lane), None) or self._made(entry, lane)

    def forget(self) -> None:
        """Drop the docks built ahead, the rest of the work and the outstanding call."""
        self._turn.stop()
        self._turns, self._then = iter(()), []
        for dock in self._built.values():
            dock.deleteLater()
        self._built = {}


Horizontal, Vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical

#: Shares: of the width for servers and logs, by the number of lanes; of the height for
#: the servers; and of the right column for the comparison.
_LEFT = {2: 0.62, 3: 0.66}
_SERVERS, _COMPARISON = 0.60, 0.68

#: From this window height in pixels, the first lane's reward is placed below the comparison.
_TALL = 1150


#: Panels that show what all policies have in common.
_OF_ALL = {"comparison", "scenario"}


class CompareDocks(QObject):
    """Owns the docks that exist only in a comparison.

    Signals
    -------
    changing(), changed()
        Docks of lanes are about to be added or removed; they have been laid out again.
    """

    changing = Signal()
    changed = Signal()

    def __init__(self, area: DockArea, settings: QSettings, view_menu: QMenu) -> None:
        super().__init__(area)
        self._area, self._window = area, area.window
        self._settings = settings
        self._view_menu = view_menu
        self.labels: tuple[str, ...] = ()  #: labels of the lanes; empty if one policy runs alone
        self._built: list[str] = []  # names of docks
        self._ahead = PanelsAhead(area)
        self._menus: list[QMenu] = []  # menus of the further panels of each further lane
        self._alone = ""  # the layout before the comparison
        self._default_alone = ""
        self._wanted_layout = ""  # the layout of a session, to be restored once all docks exist

    @property
    def layout_key(self) -> str:
        """The settings key of the present layout."""
        several = f"-{len(self.labels)}" if self.labels else ""
        return f"layout/{self._area.system}{several}"

    def keep_layout(self) -> None:
        """Save the present layout in the settings, if all docks have been placed."""
        if self._area.complete:
            self._settings.setValue(self.layout_key, self._area.layouts.text())

    def allow(self) -> None:
        """The window's own docks are complete: build the docks of lanes, and restore a session's layout."""
        if self.labels:
            with self._area.layouts.picture.behind():
                self._build()
        wanted, self._wanted_layout = self._wanted_layout, ""
        if wanted:
            self.arrange(wanted)

    def arrange(self, layout: str) -> None:
        """Restore the layout of a session, as soon as all docks exist."""
        if not self._area.complete:
            self._wanted_layout = layout
            return
        self.build_for(layout)
        if not self._area.layouts.restore(layout):
            self._area.said.emit(tr("The session's layout is of another version; the present one stays."))

    def expect(self, lanes: int, then: Callable[[], object]) -> None:
        """Build the panels that *lanes* lanes need, then call *then*, which opens the lanes."""
        new = self._area.complete and lanes not in (1, self._lanes())
        ahead = (one for one in self._panels_of(lanes) if one[0].name != self._area.roles.curve)  # it is behind tabs
        self._ahead.expect(ahead if new else (), then)

    def _panels_of(self, lanes: int) -> Iterator[LanePanel]:
        """The panels that a comparison of *lanes* lanes shows at once, besides those of a single run."""
        yield from ((entry, lane) for lane in range(1, lanes) for entry in companions_of(self._area.system))
        yield COMPARISON, 0

    def show(self, labels: tuple[str, ...]) -> None:
        """Show the docks of these lanes."""
        same = len(labels) == self._lanes()
        if same or not self._area.complete:
            self.labels = labels
        else:
            self._area.layouts.finish()
            self._area.layouts.free_keys()
            self.changing.emit()  # leaves lecture mode, so that the usual layout is saved
            with self._area.layouts.picture.behind():
                self.keep_layout()
                self._change(labels)
                self.changed.emit()
        if self._area.complete:
            self._name()

    def _change(self, labels: tuple[str, ...]) -> None:
        if self._lanes():
            self._remove()
        self.labels = labels
        if labels:
            self._build()
        else:
            self._restore_alone()

    def _lanes(self) -> int:
        return len(self.labels) if self._built else 0

    # Building.

    def _build(self) -> None:
        layouts = self._area.layouts
        if not self._alone:
            self._alone, self._default_alone = layouts.text(), layouts.default
        for entry, lane in self._panels_of(len(self.labels)):
            self._add(entry, lane)
        self._arrange()
        layouts.default = layouts.text()
        self._offer()
        saved = str(self._settings.value(self.layout_key, ""))
        if saved:
            self.build_for(saved)
            layouts.restore_soon(saved)
        self._name()

    # Panels that are built once somebody asks for them.

    def lanes_of(self, name: str) -> int:
        """The number of lanes that have a panel of this name, built or not."""
        return 1 if name in _OF_ALL or not self._built else len(self.labels)

    def dock_of(self, name: str, lane: int) -> PanelDock:
        """The dock of a panel in a lane; if missing it is built and placed in a tab behind the first lane's.

        Raises KeyError if no lane has such a panel.
        """
        self._area.layouts.finish()
        docks = self._area.docks
        first = docks[name]
        known = lane_name(name, lane)
        if known not in docks:
            entry = next(entry for entry in panels_of(self._area.system) if entry.name == first.shows.name)
            dock = self._add(entry, lane)
            self._window.tabifyDockWidget(first, dock)
            self._name()
        return docks[known]

    def bring(self, name: str, lane: int) -> None:
        """Raise the panel of a lane."""
        dock = self.dock_of(name, lane)
        dock.show()
        dock.raise_()

    def _offer(self) -> None:
        """Fill the View menu with the panels of further lanes, one submenu per policy."""
        own = [dock.shows for name, dock in self._area.docks.items() if name == dock.shows.name]
        further = [(one.name, one.title) for one in own if self.lanes_of(one.name) > 1]
        for lane, label in enumerate(self.labels[1:], 1):
            menu = QMenu(tr("Panels of {label}").format(label=label), self._view_menu)
            self._view_menu.addMenu(menu)
            for name, title in further:
                action = menu.addAction(tr(title))
                action.triggered.connect(lambda _=False, n=name, at=lane: self.bring(n, at))
            self._menus.append(menu)

    def build_for(self, layout: str) -> None:
        """Build the docks that a saved layout contains and that do not exist yet."""
        docks = self._area.docks
        known = {lane_name(name, lane): (name, lane) for name in docks for lane in range(1, self.lanes_of(name))}
        for name in named_in(layout):
            if name in known and name not in docks:
                self.dock_of(*known[name])

    def _add(self, entry: PanelEntry, lane: int) -> PanelDock:
        dock = self._ahead.dock(entry, lane)
        self._view_menu.addAction(dock.toggleViewAction())
        self._built.append(dock.name)
        self._area.take(dock)
        return dock

    def _name(self) -> None:
        """Name the policy in the titles of docks while several policies run."""
        for dock in self._area.docks.values():
            if dock.shows.name not in _OF_ALL:
                known = dock.lane < len(self.labels)
                dock.name_policy(self.labels[dock.lane] if known else "")

    # Arranging.

    def _arrange(self) -> None:
        """Place servers side by side on top, logs side by side below, and the comparison at the right.

        No dock is tabbed with servers, so that their pictures have the same height and scale.  All docks are removed
        and added anew, as splitting a dock that is in tabs would only add a tab.
        """
        window, roles, docks = self._window, self._area.roles, self._area.docks
        servers, curve = roles.servers, roles.curve
        lanes = range(1, len(self.labels))
        shown = [name for name, dock in docks.items() if not dock.isFloating()]
        for name in shown:
            window.removeDockWidget(docks[name])
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, docks[servers])
        window.splitDockWidget(docks[servers], docks["decisions"], Vertical)
        for name in (servers, "decisions"):
            self._beside(name)
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, docks["comparison"])
        curves = [curve, *(f"{curve}-{lane + 1}" for lane in lanes)]
        front = "comparison"
        if tall := window.height() >= _TALL:
            front = curve
            window.splitDockWidget(docks["comparison"], docks[curve], Vertical)
        for name in shown:
            docks[name].show()
        self._tab("decisions", "algorithm")
        placed = {"algorithm", "comparison", *curves}
        placed |= {f"{stem}-{lane + 1}" for stem in (servers, "decisions") for lane in lanes}
        rest = [name for name in shown if name not in placed | {servers, "decisions"}]
        self._tab(front, *(name for name in (*curves, *rest) if name != front))
        for name in (servers, "decisions", "comparison", front):
            docks[name].raise_()
        self._area.layouts.take(self._shares([*curves, *rest] if tall else []))

    def _beside(self, name: str) -> None:
        docks = self._area.docks
        last = name
        for lane in range(1, len(self.labels)):
            following = f"{name}-{lane + 1}"
            self._window.splitDockWidget(docks[last], docks[following], Horizontal)
            last = following

    def _tab(self, front: str, *behind: str) -> None:
        docks = self._area.docks
        for name in behind:
            if name in docks and front in docks:
                self._window.tabifyDockWidget(docks[front], docks[name])

    def _shares(self, rest: Sequence[str]) -> Shares:
        """Equal shares for all lanes; the docks *rest* are below the comparison."""
        roles, lanes = self._area.roles, len(self.labels)
        left, below = _LEFT[lanes], 1 - _COMPARISON if rest else 0.0
        rows = {
            stem: [stem, *(f"{stem}-{lane + 1}" for lane in range(1, lanes))] for stem in (roles.servers, SENTENCES)
        }
        return columns(
            (left / lanes, ((_SERVERS, rows[roles.servers]), (1 - _SERVERS, (*rows[SENTENCES], "algorithm")))),
            (1 - left, ((1 - below, ("comparison",)), (below, rest))),
        )

    # Removing.

    def _remove(self) -> None:
        """Remove the docks of further lanes, floating ones included."""
        docks = self._area.docks
        self._area.remove(*[name for name, dock in docks.items() if dock.lane or name in self._built])
        self._built.clear()
        for menu in self._menus:
            self._view_menu.removeAction(menu.menuAction())
            menu.deleteLater()
        self._menus.clear()

    def clear(self) -> None:
        """Forget the lanes' docks before another kind of system; they are built again after its panels."""
        self._ahead.forget()
        self._remove()
        self._alone = self._default_alone = ""

    def _restore_alone(self) -> None:
        layouts = self._area.layouts
        layouts.default, self._default_alone = self._default_alone, ""
        layouts.restore_soon(self._alone)
        self._alone = ""
