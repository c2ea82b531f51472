"""The docks of further lanes: some are built when a comparison starts, others once asked for.

Every lane has all panels that one run has; what nobody looks at costs nothing.  What is about to be needed is built
before what it will show is opened.
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

#: A panel of a lane.
LanePanel = tuple[PanelEntry, int]


class PanelsAhead(QObject):
    """Builds a panel with its dock, or a part of one, in each turn of the event loop: the window answers in between."""

    def __init__(self, area: DockArea) -> None:
        super().__init__(area)
        self._area = area
        self._turns: Iterator[bool] = iter(())
        self._built: dict[LanePanel, PanelDock] = {}
        self._then: list[Callable[[], object]] = []
        self._turn = soon(self, self._build_next)

    def expect(self, wanted: Iterable[LanePanel], then: Callable[[], object]) -> None:
        """Build each of these, and do *then* what needs them; what was to be done before is done at once.

        In a hall none is built: it is left before docks come, and has another type.
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
        """A panel, or what else of it is built for its first frame, with each step."""
        for one in wanted:
            with suppress(Exception):  # it is raised again where the panel is needed, and told there
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
        """One that is there, or is built now."""
        return self._built.pop((entry, lane), None) or self._made(entry, lane)

    def forget(self) -> None:
        """Nobody needs what is left, nor what was to be done with it."""
        self._turn.stop()
        self._turns, self._then = iter(()), []
        for dock in self._built.values():
            dock.deleteLater()
        self._built = {}


Horizontal, Vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical

#: Share of the width, by the number of lanes, that servers and logs get; that of the height for
#: the servers; and that of the right column for the comparison.
_LEFT = {2: 0.62, 3: 0.66}
_SERVERS, _COMPARISON = 0.60, 0.68

#: From this height on the reward of the first lane stands below the comparison.
_TALL = 1150


#: Panels that show what all policies have in common.
_OF_ALL = {"comparison", "scenario"}


class CompareDocks(QObject):
    """Owns the docks that only a comparison has.

    Signals
    -------
    changing(), changed()
        Docks of lanes are about to come or go; they are arranged anew.
    """

    changing = Signal()
    changed = Signal()

    def __init__(self, area: DockArea, settings: QSettings, view_menu: QMenu) -> None:
        super().__init__(area)
        self._area, self._window = area, area.window
        self._settings = settings
        self._view_menu = view_menu
        self.labels: tuple[str, ...] = ()  #: of the lanes; empty where one policy runs alone
        self._built: list[str] = []  # names of docks
        self._ahead = PanelsAhead(area)
        self._menus: list[QMenu] = []  # further panels of each further lane
        self._alone = ""  # the arrangement before
        self._default_alone = ""
        self._wanted_layout = ""  # a session's, to be arranged once all docks are there

    @property
    def layout_key(self) -> str:
        """Where the settings keep the present arrangement of docks."""
        several = f"-{len(self.labels)}" if self.labels else ""
        return f"layout/{self._area.system}{several}"

    def keep_layout(self) -> None:
        """Keep the present arrangement in the settings, if all docks have their places."""
        if self._area.complete:
            self._settings.setValue(self.layout_key, self._area.layouts.text())

    def allow(self) -> None:
        """The window's own docks are complete: those of lanes can follow, and a session's layout."""
        if self.labels:
            with self._area.layouts.picture.behind():
                self._build()
        wanted, self._wanted_layout = self._wanted_layout, ""
        if wanted:
            self.arrange(wanted)

    def arrange(self, layout: str) -> None:
        """Arrange the docks as a session was saved, once they are all there."""
        if not self._area.complete:
            self._wanted_layout = layout
            return
        self.build_for(layout)
        if not self._area.layouts.restore(layout):
            self._area.said.emit(tr("The session's layout is of another version; the present one stays."))

    def expect(self, lanes: int, then: Callable[[], object]) -> None:
        """Do what opens so many lanes, once the panels that they need are built."""
        new = self._area.complete and lanes not in (1, self._lanes())
        ahead = (one for one in self._panels_of(lanes) if one[0].name != self._area.roles.curve)  # which is in tabs
        self._ahead.expect(ahead if new else (), then)

    def _panels_of(self, lanes: int) -> Iterator[LanePanel]:
        """The panels that so many lanes have from the first on, but for those of a single run."""
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
            self.changing.emit()  # what is arranged and kept is the usual layout
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
        """How many lanes have a panel of this name, built or not."""
        return 1 if name in _OF_ALL or not self._built else len(self.labels)

    def dock_of(self, name: str, lane: int) -> PanelDock:
        """The dock of a panel in a lane; one that is not there yet is put behind that of the first.

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
        """Bring the panel of a lane to the front."""
        dock = self.dock_of(name, lane)
        dock.show()
        dock.raise_()

    def _offer(self) -> None:
        """The View menu has the panels that no dock shows yet, policy by policy."""
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
        """Build the docks that a saved layout has and nobody has asked for yet."""
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
        """Docks say whose they are while several policies run."""
        for dock in self._area.docks.values():
            if dock.shows.name not in _OF_ALL:
                known = dock.lane < len(self.labels)
                dock.name_policy(self.labels[dock.lane] if known else "")

    # Arranging.

    def _arrange(self) -> None:
        """Servers side by side above, logs side by side below, the comparison at the right.

        Nothing is put in tabs with servers, so that their pictures are equally high and have one scale.
        Docks are taken out and put in anew: what is put beside a dock in tabs would become one.
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
        """Every lane has as much room as the others; *rest* stands below the comparison."""
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
        """Take the docks of further lanes out, and what floats of them."""
        docks = self._area.docks
        self._area.remove(*[name for name, dock in docks.items() if dock.lane or name in self._built])
        self._built.clear()
        for menu in self._menus:
            self._view_menu.removeAction(menu.menuAction())
            menu.deleteLater()
        self._menus.clear()

    def clear(self) -> None:
        """Another kind of system begins: its docks are built once its own panels are there."""
        self._ahead.forget()
        self._remove()
        self._alone = self._default_alone = ""

    def _restore_alone(self) -> None:
        layouts = self._area.layouts
        layouts.default, self._default_alone = self._default_alone, ""
        layouts.restore_soon(self._alone)
        self._alone = ""
