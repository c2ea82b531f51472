"""The docks of further lanes: built and arranged when a comparison starts, removed when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Sequence

from PySide6.QtCore import QObject, Qt, QTimer

from gui.docks import PanelDock, dock_name, restore_layout, saved_layout, show_whole_titles
from gui.intents import Intent
from gui.panels import COMPARISON, PanelEntry, companions_of

if TYPE_CHECKING:
    from gui.main_window import MainWindow

Horizontal, Vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical

#: Share of the window's width, by the number of lanes, that servers and logs get; that of its
#: height for the servers; and that of the right column for the comparison.
_LEFT = {2: 0.62, 3: 0.66}
_SERVERS, _COMPARISON = 0.60, 0.68

#: From this height on the reward of the first lane stands below the comparison.
_TALL = 1150


#: Panels that show what all policies have in common.
_OF_ALL = {"comparison", "lp", "scenario"}


class CompareDocks(QObject):
    """Owns the docks that only a comparison has."""

    def __init__(self, window: MainWindow, carry_out: Callable[[int, Intent], None]) -> None:
        super().__init__(window)
        self._window = window
        self._carry_out = carry_out
        self._labels: tuple[str, ...] = ()
        self._built: list[str] = []  # names of docks
        self._alone = ""  # the arrangement before
        self._default_alone = ""
        self._allowed = False

    def allow(self) -> None:
        """The window's own docks are complete."""
        self._allowed = True
        if self._labels:
            self._build(self._window.compare.layout_key)

    def show(self, labels: tuple[str, ...], before: str, key: str) -> None:
        """Show the docks of these lanes; *before* and *key* name the settings of layouts."""
        count, self._labels = self._lanes(), labels
        if not self._allowed:
            return
        if len(labels) != count:
            lecture = self._window.lecture
            if lecture:  # what is arranged and kept is the usual layout
                self._window.toggle_lecture()
            self._window.settings.setValue(before, saved_layout(self._window))
            self._change(count, key)
            if lecture:
                self._window.toggle_lecture()
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
            self._alone = saved_layout(window)
            self._default_alone = window.default_layout
        for lane in range(1, len(self._labels)):
            for entry in companions_of(window.panels.system):
                self._add(entry, lane)
        self._add(COMPARISON, 0)
        self._arrange()
        window.default_layout = saved_layout(window)
        saved = str(window.settings.value(key, ""))
        if saved:
            restore_layout(window, saved)
        else:
            QTimer.singleShot(0, self.resize)  # once all docks have their places
        self._name()

    def _add(self, entry: PanelEntry, lane: int) -> None:
        window = self._window
        panel = entry.load()(window.theme)
        dock = PanelDock(panel, window.theme, window, lane)
        name = dock_name(panel, lane)
        if lane:
            panel.intent.connect(lambda intent: self._carry_out(lane, intent))
        else:
            panel.intent.connect(window.carry_out)
        dock.said.connect(window.say)
        dock.visibilityChanged.connect(lambda seen: window.seen_or_hidden(dock, seen))
        window.docks[name] = dock
        window.view_menu.addAction(dock.toggleViewAction())
        self._built.append(name)

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
        if window.height() >= _TALL:
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
        self.resize()

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

    def resize(self) -> None:
        """Give every lane as much room as the others."""
        window, lanes = self._window, len(self._labels)
        servers, curve = window.panels.roles.servers, window.panels.roles.curve
        if not self._built:
            return
        width, height = window.width(), window.height() - 130
        names = [f"-{lane + 1}" if lane else "" for lane in range(lanes)]
        left = _LEFT[lanes]
        for stem in (servers, "decisions"):
            share = int(width * left / lanes)
            row = [*(f"{stem}{name}" for name in names), "comparison"]
            self._resize(row, [share] * lanes + [int(width * (1 - left))], Horizontal)
        down = [int(height * _SERVERS), int(height * (1 - _SERVERS))]
        self._resize([servers, "decisions"], down, Vertical)
        if window.height() >= _TALL:
            right = [int(height * _COMPARISON), int(height * (1 - _COMPARISON))]
            self._resize(["comparison", curve], right, Vertical)

    def _resize(
        self, names: Sequence[str], sizes: Sequence[int], direction: Qt.Orientation
    ) -> None:
        docks = [self._window.docks[name] for name in names]
        self._window.resizeDocks(docks, list(sizes), direction)

    # Removing.

    def _remove(self) -> None:
        window = self._window
        for name in [name for name, dock in window.docks.items() if dock.lane]:
            if name not in self._built:  # an inspector of a further lane
                self._built.append(name)
        for name in self._built:
            dock = window.docks.pop(name)
            window.removeDockWidget(dock)
            dock.deleteLater()
        self._built.clear()

    def clear(self) -> None:
        """Another kind of system begins: its docks are built once its own panels are there."""
        self._remove()
        self._alone = self._default_alone = ""
        self._allowed = False

    def _restore_alone(self) -> None:
        window = self._window
        window.default_layout, self._default_alone = self._default_alone, ""
        restore_layout(window, self._alone)
        self._alone = ""
