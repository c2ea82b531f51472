"""Layouts: the arrangement of a window's docks, and their shares of its size.

Qt stores sizes in pixels, which go wrong when the window, its screen or its tabs change.  Here every dock has a share
of the width and of the height instead.  Only the user, or another arrangement, changes shares; pixels are computed
from them at each change of size.
"""

from __future__ import annotations

import json
from typing import Callable, Iterable, Mapping
from zlib import crc32

from PySide6.QtCore import QByteArray, QChildEvent, QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar

from slotscope.gui.docking.docks import SYSTEM, PanelDock
from slotscope.gui.language.words import tr
from slotscope.gui.panels import panels_of
from slotscope.gui.widgets.kept_picture import KeptPicture

#: Shares of the docks' area, width and height, by the dock's name.
Shares = dict[str, tuple[float, float]]

_Horizontal, _Vertical = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_PREFIX = "dock-"


class Layouts(QObject):
    """Keeps the shares of a window's docks, and saves and restores layouts as text."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._shares: Shares = {}
        self._stands: Mapping[str, frozenset[str]] = {}  # arrangement for which the shares were taken
        self._before = ""
        self.default = ""  #: the default layout of the complete window
        self.aside: str | None = None  #: the layout to be saved while a temporary one is shown
        self._coming = ""  # the layout that is about to be restored
        self._look = soon(self, self.look)
        self._measure = soon(self, self.measure)
        self._again = soon(self, self.apply)
        self.picture = KeptPicture(window)  #: shown while docks are arranged
        self.picture.laid_out.connect(self._again.start)
        window.setAnimated(False)  # so that measured sizes are final
        window.installEventFilter(self)

    def watch(self, dock: QDockWidget) -> None:
        """Connect to a dock's signals of changes made by the user."""
        dock.visibilityChanged.connect(self._look.start)
        dock.topLevelChanged.connect(self._look.start)
        dock.dockLocationChanged.connect(self._measure.start)

    # Shares.

    def take(self, shares: Shares) -> None:
        """Set the shares of all docks, and apply them."""
        self._shares = dict(shares)
        self.apply()
        self._again.start()  # docks that are not shown yet cannot be resized

    def widen(self, share: float) -> None:
        """Give the docks at the right this share of the width; the others keep their proportions."""
        self.finish()
        self.measure()
        docked = self._docked()
        area = self._window.dockWidgetArea
        right = {name for name, dock in docked.items() if area(dock) == Qt.DockWidgetArea.RightDockWidgetArea}
        now = max((self._shares[name][0] for name in right & self._shares.keys()), default=1.0)
        if now < 1.0:
            others = (1 - share) / (1 - now)
            self.take(
                {
                    name: (share if name in right else width * others, height)
                    for name, (width, height) in self._shares.items()
                }
            )

    def apply(self) -> None:
        """Resize every dock to its share of the window's present size."""
        self._look.stop()
        self._measure.stop()
        docks = {name: dock for name, dock in self._docked().items() if name in self._shares}
        self._stands = self._standing()
        if not docks:
            return
        room = self.room
        for side, whole, orientation in ((0, room[0], _Horizontal), (1, room[1], _Vertical)):
            sizes = [max(1, round(self._shares[name][side] * whole)) for name in docks]
            self._window.resizeDocks(list(docks.values()), sizes, orientation)

    def measure(self) -> None:
        """Set the shares from the docks' present sizes."""
        width, height = self.room
        shown = {name: dock for name, dock in self._docked().items() if dock.seen}
        if not shown or width <= 0 or height <= 0:
            return
        for name, dock in shown.items():
            share = dock.width() / width, (dock.height() + self._tabs_of(dock)) / height
            for other in (name, *map(_name_of, self._window.tabifiedDockWidgets(dock))):
                self._shares[other] = share
        self._stands = self._standing()

    def look(self) -> None:
        """Measure the shares anew if a dock was shown, hidden, moved or floated."""
        if self._standing() != self._stands:
            self.measure()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Measure shares after the user has moved a separator; set up the tab bars that Qt creates."""
        if watched is self._window and event.type() == QEvent.Type.MouseButtonRelease:
            self._measure.start()
        if isinstance(event, QChildEvent) and event.polished() and isinstance(bar := event.child(), QTabBar):
            _show_whole_titles(bar)
        return False

    def _docked(self) -> dict[str, PanelDock]:
        """The docks in the layout by name, including those behind a tab."""
        docks = self._window.findChildren(PanelDock, options=_DIRECT)
        area, nowhere = self._window.dockWidgetArea, Qt.DockWidgetArea.NoDockWidgetArea  # a dock absent from the layout
        shown = (dock for dock in docks if not (dock.isHidden() or dock.isFloating()))
        return {_name_of(dock): dock for dock in shown if area(dock) != nowhere}

    def _standing(self) -> Mapping[str, frozenset[str]]:
        """The docks in the layout, each with the docks that share its tabs."""
        tabs = self._window.tabifiedDockWidgets
        return {name: frozenset(map(_name_of, tabs(dock))) for name, dock in self._docked().items()}

    @property
    def room(self) -> tuple[int, int]:
        """Width and height in pixels of the area of all docks."""
        window = self._window
        bars = (window.menuWidget(), window.statusBar())
        taken = sum(bar.height() for bar in bars if bar is not None and not bar.isHidden())
        return window.width(), window.height() - taken

    def _tabs_of(self, dock: QDockWidget) -> int:
        """Height of the tab bar below a dock, which Qt counts as part of the dock's size."""
        if not self._window.tabifiedDockWidgets(dock):
            return 0
        bars = self._window.findChildren(QTabBar, options=_DIRECT)
        return next((bar.height() for bar in bars if bar.isVisible()), 0)

    def free_keys(self) -> None:
        """Move the focus from a dock to the window: otherwise that dock, or another one in its place, would be raised.

        Qt passes the focus of a hidden widget on, and restores it behind a tab when a dialog in front of the window
        closes.
        """
        focused = self._window.focusWidget()
        if any(dock.isAncestorOf(focused) for dock in self._docked().values()):
            self._window.setFocus()

    # Layouts as text.

    def text(self) -> str:
        """The layout to be saved: arrangement and shares, as JSON."""
        if self.aside is not None or self._coming:
            return self.aside or self._coming
        self.look()
        state = self._window.saveState(_version(self._window)).toBase64().data()
        return json.dumps({"arrangement": bytes(state).decode(), "shares": self._shares})

    def restore_soon(self, text: str) -> None:
        """Restore a layout as a separate step, before docks are laid out behind the old picture."""
        self._coming = text
        self.picture.before(self, self.finish)

    def finish(self) -> None:
        """Restore now what :meth:`restore_soon` has put off."""
        if self._coming:
            self.restore(self._coming)

    def restore(self, text: str) -> bool:
        """Restore a layout; returns False if the text is not a layout of this version."""
        self._coming = ""
        arrangement, shares = _read(text)
        state = QByteArray.fromBase64(QByteArray(arrangement.encode()))
        self.free_keys()
        if not self._window.restoreState(state, _version(self._window)):
            return False
        if shares:
            self.take(shares)
        else:
            self.measure()
        return True

    def reset(self) -> None:
        """Restore the default layout."""
        self._before = self.text()
        self.restore(self.default)

    def undo(self) -> None:
        """Undo the last reset."""
        if self._before:
            self.restore(self._before)

    def forget(self) -> None:
        """Forget all layouts, as other panels are about to be built."""
        self.default = self._before = self._coming = ""
        self._shares = {}


def _read(text: str) -> tuple[str, Shares]:
    """Qt's arrangement and the shares in a layout; earlier versions stored the arrangement alone."""
    try:
        kept = json.loads(text)
        shares = {str(name): (float(width), float(height)) for name, (width, height) in kept["shares"].items()}
        return str(kept["arrangement"]), shares
    except (ValueError, TypeError, KeyError, AttributeError):
        return text, {}


def named_in(text: str) -> tuple[str, ...]:
    """The names of the docks in a layout."""
    return tuple(_read(text)[1])


def _name_of(dock: QDockWidget) -> str:
    return dock.objectName().removeprefix(_PREFIX)


def soon(parent: QObject, call: Callable[[], object]) -> QTimer:
    """A single-shot timer whose ``start`` schedules one *call* for the next turn of the event loop."""
    timer = QTimer(parent, singleShot=True, interval=0)
    timer.timeout.connect(call)
    return timer


def _version(window: QMainWindow) -> int:
    """A version number for Qt's layout that identifies the set of panels.

    A layout saved with other panels would be restored in disorder, so it is refused.
    """
    modules = [entry.module for entry in panels_of(str(window.property(SYSTEM)))]
    return crc32(" ".join(modules).encode()) & 0x7FFFFFFF


def _show_whole_titles(bar: QTabBar) -> None:
    """Let tab bars of docks scroll when short of room, instead of eliding the titles."""
    bar.setAccessibleName(tr("Panels that share a place"))
    bar.setElideMode(Qt.TextElideMode.ElideNone)
    bar.setUsesScrollButtons(True)


def columns(*stacks: tuple[float, Iterable[tuple[float, Iterable[str]]]]) -> Shares:
    """Shares of docks in columns; each column has a width and rows of docks with a height."""
    return {name: (width, height) for width, rows in stacks for height, names in rows for name in names}
