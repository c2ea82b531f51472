"""Boxes to choose from that change only when somebody means it; and what keeps its keys.

A notch of the wheel, a presenter's PageDown or a letter, that reaches a box which merely has the
focus, would else begin another run.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QListWidget,
    QMenu,
    QMenuBar,
    QPushButton,
    QToolButton,
    QWidget,
)

from slotscope.gui.language.words import tr

Key = Qt.Key

_CHOOSING = {Key.Key_Return, Key.Key_Enter}
_OPENING = {*_CHOOSING, Key.Key_F4, Key.Key_Space}
_EDITING = {Key.Key_Up, Key.Key_Down, Key.Key_PageUp, Key.Key_PageDown}


class _KeyKeeper(QObject):
    """Lets no shortcut take a key from a menu or a list that is open.

    Enter is no shortcut, and Qt's list chooses as soon as it is asked about it.
    """

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        kept = (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() not in _CHOOSING
            and popup_open()
        )
        if kept:
            event.accept()
        return kept


def popup_open() -> bool:
    """Whether a menu or the list of a box is open."""
    return QApplication.activePopupWidget() is not None


def keep_keys(widget: QWidget) -> None:
    """Leave all keys that reach *widget* to the menu or list that is open, while one is."""
    widget.installEventFilter(_KeyKeeper(widget))


class _Leaver(QObject):
    """Lets Esc in a menu leave its bar, too, to which Qt gives the keys then."""

    def __init__(self, bar: QMenuBar) -> None:
        super().__init__(bar)
        self._bar = bar

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Key.Key_Escape:
            again = QKeyEvent(QEvent.Type.KeyPress, Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
            QApplication.postEvent(self._bar, again)  # once the menu is closed
        return False


class MenuBar(QMenuBar):
    """Menus that leave the keys where they are: a click on a bar without focus is one on the window, and takes them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAccessibleName(tr("Menus"))
        self._clicked = False
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._give_back)

    def take(self, menu: QMenu) -> None:
        """Have one more menu."""
        keep_keys(menu)
        menu.installEventFilter(_Leaver(self))
        self.addMenu(menu)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """By Alt it keeps the keys, and gives them back itself."""
        self._clicked = event.reason() is Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)

    def _give_back(self, before: QWidget | None, now: QWidget | None) -> None:
        if now is self and self._clicked:
            (before or self.window()).setFocus(Qt.FocusReason.PopupFocusReason)


class _Presser(QObject):
    """Lets Enter press a button that has the focus."""

    def __init__(self, button: QAbstractButton) -> None:
        super().__init__(button)
        self._button = button
        button.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        presses = event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _CHOOSING
        if presses:
            self._button.click()
        return presses


class EnterButton(QToolButton):
    """A button that Enter presses while it has the focus; the space bar is the run's.  Its tip begins with its name."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__()
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(tip.partition("\n")[0])
        _Presser(self)


def check_box(text: str, parent: QWidget | None = None) -> QCheckBox:
    """A box that Enter checks, likewise."""
    box = QCheckBox(text, parent)
    _Presser(box)
    return box


class _SpaceTaker(QObject):
    """Lets the space bar check what is chosen of a list that has the focus: it would be the run's."""

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        takes = (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Key.Key_Space
        )
        if takes:
            event.accept()
        return takes


def checked_by_space(listed: QListWidget) -> None:
    """Let the space bar check, or uncheck, what is chosen of a list."""
    listed.installEventFilter(_SpaceTaker(listed))


def push_button(text: str, parent: QWidget | None = None) -> QPushButton:
    """A button with a frame that Enter presses likewise, and in a dialog only while it has the focus."""
    button = QPushButton(text, parent)
    button.setAutoDefault(False)
    _Presser(button)
    return button


class ChoiceBox(QComboBox):
    """A list to choose from; closed, it leaves the wheel and all keys but Enter to the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)  # else those that it had first
        self._keeps = False

    def showPopup(self) -> None:
        """Open the list, at what is chosen: Qt begins where a search in the list has ended, though it was given up."""
        if not self._keeps:
            self._keeps = True
            keep_keys(self.view())
        super().showPopup()
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), self.modelColumn()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Not for a closed box."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the list, as do the keys that do so everywhere."""
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if event.key() in _OPENING or (alt and event.key() in _EDITING):
            self.showPopup()
        else:
            event.ignore()


class _EditedOnly(QObject):
    """Keeps the wheel from a number that nobody edits, and its keys with one that is edited."""

    def eventFilter(self, box: QObject, event: QEvent) -> bool:
        edited = isinstance(box, QWidget) and box.hasFocus()
        if event.type() == QEvent.Type.Wheel and not edited:
            event.ignore()
            return True
        takes = (
            event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _EDITING
        )
        if takes:
            event.accept()
        return takes


def changed_by_editing(box: QAbstractSpinBox) -> None:
    """Let a number change only while it is edited; then arrows and wheel belong to it."""
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.installEventFilter(_EditedOnly(box))
