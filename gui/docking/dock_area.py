"""All docks of the window, and what they show: frames of a run, and the selection."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPointF, Signal
from PySide6.QtGui import QHoverEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QScrollArea, QTabBar, QWidget

from slotscope.gui.docking.docks import SYSTEM, PanelDock
from slotscope.gui.docking.layouts import Layouts
from slotscope.gui.faults import caught
from slotscope.gui.intents import Select
from slotscope.gui.kinds.declaration import Roles
from slotscope.gui.kinds.rooms import PANEL_ROOMS
from slotscope.gui.panel import Panel
from slotscope.gui.panels.wording import sentence
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.focus_ring import FocusRing
from slotscope.gui.widgets.motion import come_to_rest
from slotscope.gui.widgets.spoken import announce, heard
from slotscope.model.reporting.frame import Frame, RunInfo


class DockArea(QObject):
    """Creates docks, keeps track of them, and updates the visible ones."""

    asked = Signal(object, int)  #: (intent, lane): a panel of a lane emitted an intent
    said = Signal(str)  #: (text): a line for the status bar
    built = Signal()  #: another panel has been built
    parted = Signal(QWidget)  #: (dock): a dock has begun to float

    def __init__(self, window: QMainWindow, theme: Theme, system: str) -> None:
        super().__init__(window)
        self.window = window  #: the window that holds the docks
        self.theme = theme
        self.layouts = Layouts(window)
        self.docks: dict[str, PanelDock] = {}
        self.info: RunInfo | None = None
        self.frame: Frame | None = None
        self.selection = Select()  #: the first lane's selection
        self._announced = ""
        self._leapt = False  # whether the next frame is of a moment not adjacent to the last
        self._veil = ""
        self.follow(system)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._raise_focused)

    @property
    def complete(self) -> bool:
        """Whether all panels of the kind of system are built."""
        return bool(self.layouts.default)

    @property
    def roles(self) -> Roles:
        """Which panels have which role."""
        return PANEL_ROOMS[self.system].roles

    def follow(self, system: str) -> None:
        """Set the kind of system for docks created from now on."""
        self.system = system
        self.window.setProperty(SYSTEM, system)

    # Docks.

    def make(self, shows: type[Panel], lane: int = 0, name: str = "") -> PanelDock:
        """Create a dock for a panel of a lane; after placing it, call :meth:`take` to have it updated."""
        dock = PanelDock(shows, self.theme, self.window, lane, name)
        dock.asked.connect(lambda intent: self.asked.emit(intent, lane))
        dock.built.connect(self.built)
        dock.said.connect(self.said)
        dock.topLevelChanged.connect(lambda floating: self.parted.emit(dock) if floating else None)
        dock.visibilityChanged.connect(lambda seen: self._turn(dock, seen))
        self.layouts.watch(dock)
        return dock

    def take(self, dock: PanelDock) -> None:
        """Register a dock, and show in it what the others show."""
        self.docks[dock.name] = dock
        dock.veil(self._veil)
        self._show_in(dock)

    def remove(self, *names: str) -> None:
        """Remove and delete docks."""
        for name in names:
            dock = self.docks.pop(name)
            self.window.removeDockWidget(dock)
            dock.deleteLater()

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme or font size; hidden panels follow when they become visible."""
        self.theme = theme
        for dock in self.docks.values():
            if dock.seen:
                self._dress(dock)

    def _dress(self, dock: PanelDock) -> None:
        """Apply theme and fonts to a dock; during a rearrangement as a separate step, before the layout."""
        self.layouts.picture.before(dock.titleBarWidget(), lambda: dock.follow(self.theme))

    # What they show.

    def begin(self, info: RunInfo) -> None:
        """Another run begins: clear the frame and the selection."""
        self.frame, self.selection = None, Select()
        if info is not self.info:
            self.info = info
            for dock in self.docks.values():
                dock.forget()

    def leap(self) -> None:
        """Announce a jump: before the next frame panels choose sizes anew, independent of earlier frames."""
        self._leapt = True

    def show_frame(self, frame: Frame) -> None:
        """Show a frame in all visible docks."""
        self.frame = frame
        if self._leapt:
            self._leapt = False
            for dock in self.docks.values():
                if dock.is_built:
                    dock.panel.refit()
        for dock in [*self.docks.values()]:
            self._show_in(dock)
        if heard() and (words := sentence(frame)) != self._announced:
            self._announced = words
            announce(self.window, words)

    def _show_in(self, dock: PanelDock) -> None:
        """Show the last frame in a dock, if visible, after it has been laid out."""
        frame = None if self.frame is None else dock.part(self.frame)
        if not dock.seen or dock.is_up_to(frame):
            return
        if self.layouts.picture.unsettled:
            self.layouts.picture.then(dock, partial(self._show_in, dock))
            return
        with caught():
            panel = dock.panel
            if frame is not None:
                panel.set_frame(frame)
        if not dock.is_built:  # the panel cannot be built
            self.remove(dock.name)

    def _turn(self, dock: PanelDock, seen: bool) -> None:
        seen |= dock.isFloating() and dock.isVisible()  # Qt reports the former tab's state for a restored floating dock
        dock.seen = seen
        if self.docks.get(dock.name) is dock:
            if seen:
                self._dress(dock)
            self._show_in(dock)
            if dock.is_built:
                dock.panel.tell(seen)

    def _raise_focused(self, _: QWidget | None, now: QWidget | None) -> None:
        """Raise the dock that has received the focus, so that keyboard users see it even if it was behind a tab."""
        while now is not None and not isinstance(now, PanelDock):
            now = now.parentWidget()
        if now is not None and not now.seen and self.docks.get(now.name) is now:
            now.raise_()

    def veil(self, what: str) -> None:
        """Hide, in all panels, *what* an open question asks for; empty: no question is open."""
        self._veil = what
        for dock in self.docks.values():
            dock.veil(what)

    def come_to_rest(self) -> None:
        """End all animations, and show the last frame again in all visible docks at their present sizes."""
        self.layouts.picture.finish()
        come_to_rest(self.window)
        for dock in self.docks.values():
            part = None if self.frame is None else dock.part(self.frame)
            if part is not None and dock.seen:
                dock.panel.set_frame(part)

    def select(self, selection: Select, lane: int = 0) -> None:
        """Set the selection of a lane in every panel."""
        if lane == 0:
            self.selection = selection
        for dock in self.docks.values():
            dock.select(dock.part_of(selection, lane))


class DockWindow(QMainWindow):
    """A main window that makes Tab reach only visible widgets, and works around a crash in Qt's separators.

    Qt remembers the hovered separator by its index among the docks and looks there at the next key or mouse move; if
    fewer docks are there by then, it reads out of bounds and the process dies.  So hovering is ended before docks
    change.
    """

    def focusNextPrevChild(self, onward: bool) -> bool:
        """Move the focus to the next visible widget, scroll to it and show its focus ring."""
        moved = super().focusNextPrevChild(onward)
        first = self.focusWidget()
        while moved and _is_nothing(self.focusWidget()):
            moved = super().focusNextPrevChild(onward) and self.focusWidget() is not first
        focused = self.focusWidget()
        if moved and focused is not None and focused is not self:
            _scroll_to(focused)
            if (ring := FocusRing.of(focused)) is not None:
                ring.lie()
        return moved

    def _let_go(self) -> None:
        nowhere = QPointF()
        QCoreApplication.sendEvent(self, QHoverEvent(QEvent.Type.HoverLeave, nowhere, nowhere, nowhere))

    def addDockWidget(self, *place: Any) -> None:
        self._let_go()
        super().addDockWidget(*place)

    def removeDockWidget(self, dock: QDockWidget) -> None:
        """Remove a dock, and keep it a child of the window for PySide, too.

        Otherwise a dock that PySide finds among the children before it is destroyed would be held for ever, with its
        frame.
        """
        self._let_go()
        super().removeDockWidget(dock)
        dock.setParent(self)

    def splitDockWidget(self, *place: Any) -> None:
        self._let_go()
        super().splitDockWidget(*place)

    def tabifyDockWidget(self, *docks: Any) -> None:
        self._let_go()
        super().tabifyDockWidget(*docks)

    def restoreState(self, *state: Any) -> bool:
        self._let_go()
        return super().restoreState(*state)


def _is_nothing(focused: QWidget | None) -> bool:
    """Whether the focused widget is invisible: Qt keeps tab bars that it no longer needs, hidden."""
    return focused is not None and (focused.size().isEmpty() or (isinstance(focused, QTabBar) and not focused.count()))


def _scroll_to(focused: QWidget) -> None:
    """Scroll the focused widget into view; Qt does so only when the focus moves within the scroll area."""
    around = focused.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(focused)
        around = around.parentWidget()
