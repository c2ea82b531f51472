"""The actions that a walk may perform on the window; each depends on the random generator of its step alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QHelpEvent, QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QTabBar,
    QWidget,
)
from shiboken6 import Shiboken

from slotscope.gui.docking.docks import PanelDock
from slotscope.gui.experiments.run_bar import RunBar
from slotscope.gui.main_window import MainWindow
from slotscope.gui.window.actions import COMMANDS
from slotscope.gui.window.transport import FROM_A_FILE, FROM_TEMPLATE

One = TypeVar("One")
Key, Button, Modifier = Qt.Key, Qt.MouseButton, Qt.KeyboardModifier

_SIZES = ((900, 560), (1024, 600), (1280, 720), (1600, 1000), (1920, 1080), (3000, 1900), (1, 1))
_LEFT_OUT = {"quit"}  # it ends the walk
_SHORTCUTS = [keys for command in COMMANDS if command.name not in _LEFT_OUT for keys in command.keys]
_MOVING = ("Right", "Left", "Shift+Right", "Shift+Left", "Space", "Shift+Down", "Ctrl+Right", "E")
_PLAIN = (
    Key.Key_Tab,
    Key.Key_Backtab,
    Key.Key_Return,
    Key.Key_Up,
    Key.Key_Down,
    Key.Key_PageUp,
    Key.Key_PageDown,
    Key.Key_Home,
    Key.Key_End,
    Key.Key_Delete,
    Key.Key_Backspace,
    Key.Key_Plus,
    Key.Key_Minus,
    Key.Key_0,
    Key.Key_1,
    Key.Key_2,
    Key.Key_3,
    Key.Key_A,
    Key.Key_Escape,
    Key.Key_Menu,
)
_TEXTS = ("", "0", "-1", "1", "3", "2.5", "1/3", "1e9", "nan", "rejection", "t = 20", "100", "job", "3, 4", "server 1")


class Deeds:
    """Performs one action on a window at a time; *tell* is called with its description before it is performed."""

    def __init__(self, window: MainWindow, scenarios: Sequence[str], folder: Path, tell: Callable[[str], None]) -> None:
        self._window, self._scenarios, self._folder, self._tell = window, scenarios, folder, tell
        self._layouts: list[str] = []
        self._usual: dict[Callable[[Random], None], int] = {
            self.shortcut: 12,
            self.move: 22,
            self.plain_key: 5,
            self.click: 14,
            self.point: 6,
            self.drag: 4,
            self.wheel: 5,
            self.context_menu: 2,
            self.poke: 8,
            self.type_text: 3,
            self.open_scenario: 5,
            self.choose_policy: 5,
            self.choose_seed: 1,
            self.compare: 5,
            self.pace: 3,
            self.go_to: 4,
            self.resize: 5,
            self.float_dock: 3,
            self.hide_dock: 3,
            self.show_dock: 4,
            self.share_room: 2,
            self.keep_layout: 1,
            self.restore_layout: 2,
            self.command: 4,
            self.session: 1,
        }
        self._in_dialog: dict[Callable[[Random], None], int] = {
            self.escape: 5,
            self.plain_key: 4,
            self.click: 3,
            self.poke: 3,
            self.type_text: 3,
        }

        # Qt's file dialog gives warnings of its own, and it can rename and remove files.
        self._among_files: dict[Callable[[Random], None], int] = {self.escape: 1}

    def do(self, dice: Random) -> None:
        """Perform a random action; in a dialog, only one that is possible there."""
        front = self._front()
        table = self._usual if front is self._window else self._in_dialog
        if isinstance(QApplication.activeModalWidget(), QFileDialog):
            table = self._among_files
        deed = dice.choices([*table], [*table.values()])[0]
        deed(dice)

    def _front(self) -> QWidget:
        """The widget that receives keys: a menu, a dialog, or the window."""
        return QApplication.activePopupWidget() or QApplication.activeModalWidget() or self._window

    def _place(self, dice: Random) -> tuple[QWidget, QPoint] | None:
        """A random visible widget and a point in it, often in a panel; None if the widget is disabled."""
        front = self._front()
        seen = [dock.panel for dock in self._docks() if dock.is_built and dock.panel.isVisible()]
        inside = front is self._window and seen and dice.random() < 0.7
        among: QWidget = self._pick(dice, seen) if inside else self._pick(dice, self._tops(front))
        point = QPoint(int(among.width() * dice.random()), int(among.height() * dice.random()))
        child = among.childAt(point) or among
        return (child, child.mapFrom(among, point)) if child.isEnabled() else None

    @staticmethod
    def _tops(front: QWidget) -> list[QWidget]:
        """The front widget, and the other windows that are not blocked by it."""
        if QApplication.activeModalWidget() or QApplication.activePopupWidget():
            return [front]
        others = [top for top in QApplication.topLevelWidgets() if top.isVisible()]
        return [front, *others]

    def _docks(self) -> list[PanelDock]:
        return list(self._window.docks.values())

    @staticmethod
    def _pick(dice: Random, choices: Sequence[One]) -> One:
        return choices[int(dice.random() * len(choices))]

    # Keys.

    def _press(self, keys: str) -> None:
        combination = QKeySequence(keys)[0]
        self._tell(f"press {keys}")
        QTest.keyClick(self._focus(), combination.key(), combination.keyboardModifiers())

    def _focus(self) -> QWidget:
        return QApplication.activePopupWidget() or QApplication.focusWidget() or self._front()

    def shortcut(self, dice: Random) -> None:
        """Press the keys of a command's shortcut."""
        self._press(self._pick(dice, _SHORTCUTS))

    def move(self, dice: Random) -> None:
        """Press a key that moves the run, several times."""
        keys = self._pick(dice, _MOVING)
        for _ in range(dice.choice((1, 1, 2, 5))):
            self._press(keys)

    def plain_key(self, dice: Random) -> None:
        """Press a key that widgets handle."""
        key = self._pick(dice, _PLAIN)
        self._tell(f"key {key.name}")
        QTest.keyClick(self._focus(), key)

    def escape(self, dice: Random) -> None:
        """Leave a menu or a dialog."""
        self._press("Esc")

    def type_text(self, dice: Random) -> None:
        """Type into the field that has the focus, or into another one."""
        fields = [
            field
            for field in self._window_of_front().findChildren(QLineEdit)
            if _usable(field) and not field.isReadOnly()
        ]
        text = self._pick(dice, _TEXTS)
        if fields:
            field = self._pick(dice, fields)
            self._tell(f"type {text!r} into {_name(field)}")
            field.setFocus()
            field.selectAll()
            QTest.keyClicks(field, text)
            if Shiboken.isValid(field):
                QTest.keyClick(field, Key.Key_Return if dice.random() < 0.5 else Key.Key_Tab)

    # The mouse.

    def click(self, dice: Random) -> None:
        """Click or double-click somewhere."""
        place = self._place(dice)
        if place is not None:
            widget, point = place
            press = QTest.mouseDClick if dice.random() < 0.2 else QTest.mouseClick
            modifier = Modifier.ControlModifier if dice.random() < 0.1 else Modifier.NoModifier
            self._tell(f"{press.__name__} {_name(widget)} at {point.toTuple()}")
            press(widget, Button.LeftButton, modifier, point)
            if press is QTest.mouseDClick and Shiboken.isValid(widget):
                QTest.mouseRelease(widget, Button.LeftButton, modifier, point)  # Qt's double click ends pressed

    def point(self, dice: Random) -> None:
        """Move the mouse somewhere and wait for the tooltip."""
        place = self._place(dice)
        if place is not None:
            widget, point = place
            self._tell(f"point at {_name(widget)} at {point.toTuple()}")
            there = widget.mapToGlobal(point)
            QTest.mouseMove(widget, point)
            if Shiboken.isValid(widget):
                QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, point, there))

    def drag(self, dice: Random) -> None:
        """Press, move and release."""
        place = self._place(dice)
        if place is not None:
            widget, point = place
            end = QPoint(int(widget.width() * dice.random()), int(widget.height() * dice.random()))
            button = self._pick(dice, (Button.LeftButton, Button.LeftButton, Button.MiddleButton))
            self._tell(f"drag {_name(widget)} from {point.toTuple()} to {end.toTuple()}")
            QTest.mousePress(widget, button, Modifier.NoModifier, point)
            for share in (0.3, 0.7, 1.0):
                if Shiboken.isValid(widget):
                    QTest.mouseMove(widget, point + (end - point) * share)
            if Shiboken.isValid(widget):
                QTest.mouseRelease(widget, button, Modifier.NoModifier, end)

    def wheel(self, dice: Random) -> None:
        """Turn the wheel."""
        place = self._place(dice)
        if place is not None:
            widget, point = place
            turn = QPoint(0, dice.choice((-960, -120, 120, 960)))
            modifier = dice.choice((Modifier.NoModifier, Modifier.ControlModifier))
            self._tell(f"wheel {turn.y()} over {_name(widget)} at {point.toTuple()}")
            event = QWheelEvent(
                QPointF(point),
                QPointF(widget.mapToGlobal(point)),
                QPoint(),
                turn,
                Button.NoButton,
                modifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(widget, event)

    def context_menu(self, dice: Random) -> None:
        """Open the context menu of a widget."""
        place = self._place(dice)
        if place is not None:
            widget, point = place
            self._tell(f"menu of {_name(widget)} at {point.toTuple()}")
            reason = QContextMenuEvent.Reason.Mouse
            there = widget.mapToGlobal(point)
            QApplication.sendEvent(widget, QContextMenuEvent(reason, point, there))

    # Controls.

    def _window_of_front(self) -> QWidget:
        return self._front().window()

    def poke(self, dice: Random) -> None:
        """Use a control: a button, a combo box, a slider, a tab."""
        kinds = (QAbstractButton, QComboBox, QAbstractSlider, QTabBar, QAbstractSpinBox)
        top = self._pick(dice, self._tops(self._front()))
        found = [
            child for kind in kinds for child in top.findChildren(kind) if _usable(child) and not self._left_out(child)
        ]
        if not found:
            return
        control = self._pick(dice, found)
        self._tell(f"poke {_name(control)}")
        match control:
            case QAbstractButton():
                control.click()
            case QComboBox() if control.count():
                control.setCurrentIndex(int(dice.random() * control.count()))
                control.activated.emit(control.currentIndex())
            case QAbstractSlider():
                span = control.maximum() - control.minimum()
                control.setValue(control.minimum() + int(span * dice.random()))
            case QTabBar() if control.count():
                control.setCurrentIndex(int(dice.random() * control.count()))
            case QAbstractSpinBox():
                control.stepBy(dice.choice((-1, 1, 10)))

    @staticmethod
    def _left_out(control: QWidget) -> bool:
        """Whether a control starts other programs, or minutes of work in other processes."""
        return isinstance(control.parent(), RunBar)

    # The run.

    def open_scenario(self, dice: Random) -> None:
        """Choose a scenario in its combo box."""
        box = self._window.transport.scenario
        name = self._pick(dice, self._scenarios)
        self._tell(f"open {name}")
        box.setCurrentIndex(box.findData(name))
        box.activated.emit(box.currentIndex())

    def choose_policy(self, dice: Random) -> None:
        """Choose a policy in its combo box, but none from a file."""
        box = self._window.transport.policy
        names = [place for place in range(box.count()) if box.itemData(place) not in (None, FROM_A_FILE, FROM_TEMPLATE)]
        if names:
            place = self._pick(dice, names)
            self._tell(f"policy {box.itemText(place)}")
            box.setCurrentIndex(place)
            box.activated.emit(place)

    def choose_seed(self, dice: Random) -> None:
        """Choose another seed."""
        self._tell("seed")
        self._window.transport.seed.setValue(dice.randrange(1000))

    def compare(self, dice: Random) -> None:
        """Choose an entry of the menu of comparisons."""
        control = self._window.compare
        control.fill_menu()
        actions = [
            action
            for action in control.menu.actions()
            if action.isEnabled()
            and not action.isSeparator()
            and not action.menu()
            and action.text() != "Policy file ..."
        ]
        if actions:
            action = self._pick(dice, actions)
            self._tell(f"compare: {action.text()}")
            action.trigger()

    def pace(self, dice: Random) -> None:
        """Choose another speed."""
        self._tell("pace")
        slider = self._window.transport.speed
        slider.setValue(int(slider.maximum() * dice.random()))

    def go_to(self, dice: Random) -> None:
        """Go to another event."""
        event = int(10 ** (3.5 * dice.random()))
        self._tell(f"go to {event}")
        self._window.control.go_to(event, dice.choice((0, 0, 0, 2)))

    def command(self, dice: Random) -> None:
        """Trigger a command of the menus."""
        command = self._pick(dice, [one for one in COMMANDS if one.name not in _LEFT_OUT])
        self._tell(f"command {command.name}")
        self._window.actions_by_name[command.name].trigger()

    def session(self, dice: Random) -> None:
        """Save the session, or open a saved one."""
        path = self._folder / f"{dice.randrange(3)}.slotscope"
        if path.exists() and dice.random() < 0.6:
            self._tell(f"open {path.name}")
            self._window.open_path(path)
        else:
            self._tell(f"save {path.name}")
            self._window.control.save(path, self._window.area.layouts.text())

    # The window.

    def resize(self, dice: Random) -> None:
        """Make the window, or a floating dock, as large or as small as possible."""
        floating = [dock for dock in self._docks() if dock.isFloating() and dock.isVisible()]
        target = self._pick(dice, [self._window, *floating])
        width, height = self._pick(dice, _SIZES)
        share = 0.3 + 0.7 * dice.random() if target is not self._window else 1.0
        self._tell(f"resize {_name(target)} to {width} x {height}")
        target.resize(int(width * share), int(height * share))

    def _dock(self, dice: Random) -> PanelDock | None:
        docks = self._docks()
        return self._pick(dice, docks) if docks else None

    def float_dock(self, dice: Random) -> None:
        """Float a dock, or put it back."""
        dock = self._dock(dice)
        if dock is not None:
            self._tell(f"float {dock.objectName()}")
            dock.setFloating(not dock.isFloating())

    def hide_dock(self, dice: Random) -> None:
        """Close a dock."""
        dock = self._dock(dice)
        if dock is not None:
            self._tell(f"close {dock.objectName()}")
            dock.close()

    def show_dock(self, dice: Random) -> None:
        """Show a dock and raise it."""
        dock = self._dock(dice)
        if dock is not None:
            self._tell(f"show {dock.objectName()}")
            dock.show()
            dock.raise_()

    def share_room(self, dice: Random) -> None:
        """Resize docks, down to size zero."""
        nowhere = Qt.DockWidgetArea.NoDockWidgetArea
        docks = [
            dock
            for dock in self._docks()
            if dock.isVisible() and not dock.isFloating() and self._window.dockWidgetArea(dock) != nowhere
        ]
        if docks:
            some = dice.sample(docks, min(3, len(docks)))
            sizes = [1 + int(900 * dice.random() ** 3) for _ in some]
            way = dice.choice((Qt.Orientation.Horizontal, Qt.Orientation.Vertical))
            self._tell(f"sizes {sizes} {way.name} of {[dock.objectName() for dock in some]}")
            self._window.resizeDocks(some, sizes, way)

    def keep_layout(self, dice: Random) -> None:
        """Keep the present layout."""
        self._tell("keep the layout")
        self._layouts.append(self._window.area.layouts.text())

    def restore_layout(self, dice: Random) -> None:
        """Restore a layout that was kept, possibly one of another kind of system."""
        if self._layouts:
            self._tell("restore a layout")
            self._window.area.layouts.restore(self._pick(dice, self._layouts))


def _usable(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled()


def _name(widget: QWidget) -> str:
    """A widget's class, its name, and the panel that contains it."""
    around, dock = widget, ""
    while around is not None and not dock:
        dock = f" in {around.objectName()}" if isinstance(around, PanelDock) else ""
        around = around.parentWidget()
    text = widget.text() if isinstance(widget, QAbstractButton) else ""
    said = widget.objectName() or text or widget.accessibleName()
    return f"{type(widget).__name__} {said!r}{dock}"
