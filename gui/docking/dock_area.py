"""All docks of the window, and what is shown in them: the frames of a run, and what is pointed at."""

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
    """Makes docks, knows which there are, and has them show what somebody sees."""

    asked = Signal(object, int)  #: (intent, lane): a panel of a lane asks for something
    said = Signal(str)  #: (text): a line for the status bar
    built = Signal()  #: another panel is there
    parted = Signal(QWidget)  #: (dock): a panel has a window of its own from now on

    def __init__(self, window: QMainWindow, theme: Theme, system: str) -> None:
        super().__init__(window)
        self.window = window  #: where docks are placed
        self.theme = theme
        self.layouts = Layouts(window)
        self.docks: dict[str, PanelDock] = {}
        self.info: RunInfo | None = None
        self.frame: Frame | None = None
        self.selection = Select()  #: of the first lane
        self._announced = ""
        self._leapt = False  # whether the next frame is of a moment that is no neighbour
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
        """Which panels stand where."""
        return PANEL_ROOMS[self.system].roles

    def follow(self, system: str) -> None:
        """Docks made from now on take frames of this kind of system."""
        self.system = system
        self.window.setProperty(SYSTEM, system)

    # Docks.

    def make(self, shows: type[Panel], lane: int = 0, name: str = "") -> PanelDock:
        """A dock for a panel of a lane; once it has its place, :meth:`take` has it show something."""
        dock = PanelDock(shows, self.theme, self.window, lane, name)
        dock.asked.connect(lambda intent: self.asked.emit(intent, lane))
        dock.built.connect(self.built)
        dock.said.connect(self.said)
        dock.topLevelChanged.connect(lambda floating: self.parted.emit(dock) if floating else None)
        dock.visibilityChanged.connect(lambda seen: self._turn(dock, seen))
        self.layouts.watch(dock)
        return dock

    def take(self, dock: PanelDock) -> None:
        """From now on a dock shows what the others show."""
        self.docks[dock.name] = dock
        dock.veil(self._veil)
        self._show_in(dock)

    def remove(self, *names: str) -> None:
        """Take docks out, for good."""
        for name in names:
            dock = self.docks.pop(name)
            self.window.removeDockWidget(dock)
            dock.deleteLater()

    def set_theme(self, theme: Theme) -> None:
        """Follow another theme or size of type; a panel behind another tab does so once it is seen."""
        self.theme = theme
        for dock in self.docks.values():
            if dock.seen:
                self._dress(dock)

    def _dress(self, dock: PanelDock) -> None:
        """Let a dock follow theme and type; where all are arranged anew in a turn of its own, before it is laid out."""
        self.layouts.picture.before(dock.titleBarWidget(), lambda: dock.follow(self.theme))

    # What they show.

    def begin(self, info: RunInfo) -> None:
        """Another run: nothing of the last one is shown any more."""
        self.frame, self.selection = None, Select()
        if info is not self.info:
            self.info = info
            for dock in self.docks.values():
                dock.forget()

    def leap(self) -> None:
        """The next frame is of a moment that is no neighbour: its picture is the same, whatever was seen before."""
        self._leapt = True

    def show_frame(self, frame: Frame) -> None:
        """Show a frame wherever somebody sees it."""
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
        """Show the last frame in a dock, once that has its size; one behind another tab costs nothing."""
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
        if not dock.is_built:  # it cannot be
            self.remove(dock.name)

    def _turn(self, dock: PanelDock, seen: bool) -> None:
        seen |= dock.isFloating() and dock.isVisible()  # Qt tells where it was as a tab, if a layout brings it back
        dock.seen = seen
        if self.docks.get(dock.name) is dock:
            if seen:
                self._dress(dock)
            self._show_in(dock)
            if dock.is_built:
                dock.panel.tell(seen)

    def _raise_focused(self, _: QWidget | None, now: QWidget | None) -> None:
        """Who goes from panel to panel by keys sees where the keys are: to the front with what stands behind a tab."""
        while now is not None and not isinstance(now, PanelDock):
            now = now.parentWidget()
        if now is not None and not now.seen and self.docks.get(now.name) is now:
            now.raise_()

    def veil(self, what: str) -> None:
        """Let no panel tell *what* a question asks for; empty: none does."""
        self._veil = what
        for dock in self.docks.values():
            dock.veil(what)

    def come_to_rest(self) -> None:
        """Show the last frame once more in all docks that are seen, at their present sizes, and nothing in motion."""
        self.layouts.picture.finish()
        come_to_rest(self.window)
        for dock in self.docks.values():
            part = None if self.frame is None else dock.part(self.frame)
            if part is not None and dock.seen:
                dock.panel.set_frame(part)

    def select(self, selection: Select, lane: int = 0) -> None:
        """Point at something of a lane in every panel."""
        if lane == 0:
            self.selection = selection
        for dock in self.docks.values():
            dock.select(dock.part_of(selection, lane))


class DockWindow(QMainWindow):
    """Lets go of the separator under the pointer before the docks beside it change; and shows what Tab has reached.

    Qt keeps that separator by its place among the docks, and looks there at the next key and at the
    next move of the mouse; if fewer docks stand there by then, it reads beyond them and the program dies.
    """

    def focusNextPrevChild(self, onward: bool) -> bool:
        """Keys go on to what can be seen, and it is seen where they are."""
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
        """Take a dock out; PySide keeps it as a child of the window, which it still is.

        Else, found among the children before it is destroyed, it would be held for ever, with the frame that it shows.
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
    """Whether nothing is to be seen of what has the keys: Qt keeps bars of tabs that it needs no more, out of sight."""
    return focused is not None and (focused.size().isEmpty() or (isinstance(focused, QTabBar) and not focused.count()))


def _scroll_to(focused: QWidget) -> None:
    """Scroll to what has the keys: Qt does where they come from within what scrolls."""
    around = focused.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(focused)
        around = around.parentWidget()
