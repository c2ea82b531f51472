"""The docks of further lanes: some are built when a comparison starts, others once asked for.

Every lane has all panels that one run has; what nobody looks at costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMenu

from gui.docks import PanelDock, dock_name, lane_name
from gui.intents import Intent
from gui.kinds.declaration import PanelEntry
from gui.layouts import Shares, columns, named_in, show_whole_titles
from gui.panels import COMPARISON, SENTENCES, companions_of, panels_of

if TYPE_CHECKING:
    from gui.main_window import MainWindow

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
    """Owns the docks that only a comparison has."""

    def __init__(self, window: MainWindow, carry_out: Callable[[int, Intent], None]) -> None:
        super().__init__(window)
        self._window = window
        self._carry_out = carry_out
        self._labels: tuple[str, ...] = ()
        self._built: list[str] = []  # names of docks
        self._menus: list[QMenu] = []  # further panels of each further lane
        self._alone = ""  # the arrangement before
        self._default_alone = ""
        self._allowed = False

    def allow(self) -> None:
        """The window's own docks are complete."""
        self._allowed = True
        if self._labels:
            self._build(self._window.compare.layout_key)
            self._window.lecture.offer()

    def show(self, labels: tuple[str, ...], before: str, key: str) -> None:
        """Show the docks of these lanes; *before* and *key* name the settings of layouts."""
        count, self._labels = self._lanes(), labels
        if not self._allowed:
            return
        if len(labels) != count:
            lecture, on = self._window.lecture, self._window.lecture.on
            if on:  # what is arranged and kept is the usual layout
                lecture.leave()
            self._window.settings.setValue(before, self._window.layouts.text())
            self._change(count, key)
            lecture.offer()
            if on:
                lecture.enter()
        self._name()

    def _change(self, count: int, key: str) -> None:
        if count:
            self._remove()
        if self._labels:
            self._build(key)
        else:
            self._restore_alone()

    def _lanes(self) -> int:
        return len(self._labels) if self._built else 0

    # Building.

    def _build(self, key: str) -> None:
        window = self._window
        if not self._alone:
            self._alone = window.layouts.text()
            self._default_alone = window.layouts.default
        for lane in range(1, len(self._labels)):
            for entry in companions_of(window.panels.system):
                self._add(entry, lane)
        self._add(COMPARISON, 0)
        self._arrange()
        window.layouts.default = window.layouts.text()
        self._offer()
        saved = str(window.settings.value(key, ""))
        if saved:
            self.build_for(saved)
            window.layouts.restore(saved)
        self._name()

    # Panels that are built once somebody asks for them.

    def lanes_of(self, name: str) -> int:
        """How many lanes have a panel of this name, built or not."""
        return 1 if name in _OF_ALL or not self._built else len(self._labels)

    def dock_of(self, name: str, lane: int) -> PanelDock:
        """The dock of a panel in a lane; one that is not there yet is put behind that of the first.

        Raises
        ------
        KeyError
            If no lane has such a panel.
        """
        docks = self._window.docks
        first = docks[name]
        known = lane_name(name, lane)
        if known not in docks:
            entry = next(entry for entry in panels_of(self._window.panels.system) if entry.name == first.panel.name)
            dock = self._add(entry, lane)
            self._window.tabifyDockWidget(first, dock)
            show_whole_titles(self._window)
            self._name()
        return docks[known]

    def bring(self, name: str, lane: int) -> None:
        """Bring the panel of a lane to the front."""
        dock = self.dock_of(name, lane)
        dock.show()
        dock.raise_()

    def _offer(self) -> None:
        """The View menu has the panels that no dock shows yet, policy by policy."""
        window = self._window
        own = [dock.panel for name, dock in window.docks.items() if name == dock.panel.name]
        further = [(one.name, one.title) for one in own if self.lanes_of(one.name) > 1]
        for lane, label in enumerate(self._labels[1:], 1):
            menu = window.view_menu.addMenu(f"Panels of {label}")
            for name, title in further:
                action = menu.addAction(title)
                action.triggered.connect(lambda _=False, n=name, at=lane: self.bring(n, at))
            self._menus.append(menu)

    def build_for(self, layout: str) -> None:
        """Build the docks that a saved layout has and nobody has asked for yet."""
        docks = self._window.docks
        known = {lane_name(name, lane): (name, lane) for name in docks for lane in range(1, self.lanes_of(name))}
        for name in named_in(layout):
            if name in known and name not in docks:
                self.dock_of(*known[name])

    def _add(self, entry: PanelEntry, lane: int) -> PanelDock:
        window = self._window
        panel = entry.load()(window.theme)
        dock = PanelDock(panel, window.theme, window, lane)
        name = dock_name(panel, lane)
        if lane:
            panel.intent.connect(lambda intent: self._carry_out(lane, intent))
        else:
            panel.intent.connect(window.carry_out)
        dock.said.connect(window.say)
        window.layouts.watch(dock)
        dock.visibilityChanged.connect(lambda seen: window.seen_or_hidden(dock, seen))
        window.docks[name] = dock
        window.view_menu.addAction(dock.toggleViewAction())
        self._built.append(name)
        window.show_in(dock)
        return dock

    def _name(self) -> None:
        """Docks say whose they are while several policies run."""
        for dock in self._window.docks.values():
            if dock.panel.name not in _OF_ALL:
                known = dock.lane < len(self._labels)
                dock.name_policy(self._labels[dock.lane] if known else "")

    # Arranging.

    def _arrange(self) -> None:
        """Servers side by side above, logs side by side below, the comparison at the right.

        Docks are taken out and put in anew: what is put beside a dock in tabs would become one.
        """
        window, roles = self._window, self._window.panels.roles
        servers, curve = roles.servers, roles.curve
        lanes = range(1, len(self._labels))
        shown = [name for name, dock in window.docks.items() if not dock.isFloating()]
        for name in shown:
            window.removeDockWidget(window.docks[name])
        window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, window.docks[servers])
        window.splitDockWidget(window.docks[servers], window.docks["decisions"], Vertical)
        for name in (servers, "decisions"):
            self._beside(name)
        window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, window.docks["comparison"])
        curves = [curve, *(f"{curve}-{lane + 1}" for lane in lanes)]
        front = "comparison"
        if tall := window.height() >= _TALL:
            front = curve
            window.splitDockWidget(window.docks["comparison"], window.docks[curve], Vertical)
        for name in shown:
            window.docks[name].show()
        self._tab(servers, *roles.behind)
        self._tab("decisions", "algorithm")
        placed = {*roles.behind, "algorithm", "comparison", *curves}
        placed |= {f"{stem}-{lane + 1}" for stem in (servers, "decisions") for lane in lanes}
        rest = [name for name in shown if name not in placed | {servers, "decisions"}]
        self._tab(front, *(name for name in (*curves, *rest) if name != front))
        for name in (servers, "decisions", "comparison", front):
            window.docks[name].raise_()
        show_whole_titles(window)
        window.layouts.take(self._shares([*curves, *rest] if tall else []))

    def _beside(self, name: str) -> None:
        docks = self._window.docks
        last = name
        for lane in range(1, len(self._labels)):
            following = f"{name}-{lane + 1}"
            self._window.splitDockWidget(docks[last], docks[following], Horizontal)
            last = following

    def _tab(self, front: str, *behind: str) -> None:
        docks = self._window.docks
        for name in behind:
            if name in docks and front in docks:
                self._window.tabifyDockWidget(docks[front], docks[name])

    def _shares(self, rest: Sequence[str]) -> Shares:
        """Every lane has as much room as the others; *rest* stands below the comparison."""
        roles, lanes = self._window.panels.roles, len(self._labels)
        left, below = _LEFT[lanes], 1 - _COMPARISON if rest else 0.0
        rows = {
            stem: [stem, *(f"{stem}-{lane + 1}" for lane in range(1, lanes))] for stem in (roles.servers, SENTENCES)
        }
        return columns(
            (
                left / lanes,
                ((_SERVERS, (*rows[roles.servers], *roles.behind)), (1 - _SERVERS, (*rows[SENTENCES], "algorithm"))),
            ),
            (1 - left, ((1 - below, ("comparison",)), (below, rest))),
        )

    # Removing.

    def _remove(self) -> None:
        window = self._window
        window.inspectors.leave_lanes()
        for name in self._built:
            dock = window.docks.pop(name)
            window.removeDockWidget(dock)
            dock.deleteLater()
        self._built.clear()
        for menu in self._menus:
            menu.deleteLater()
        self._menus.clear()

    def clear(self) -> None:
        """Another kind of system begins: its docks are built once its own panels are there."""
        self._remove()
        self._alone = self._default_alone = ""
        self._allowed = False

    def _restore_alone(self) -> None:
        layouts = self._window.layouts
        layouts.default, self._default_alone = self._default_alone, ""
        layouts.restore(self._alone)
        self._alone = ""
