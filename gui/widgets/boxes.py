"""Combo and spin boxes that change only on purpose, and event filters that keep keys from being taken.

Otherwise a notch of the wheel, a presenter's PageDown or a letter that reaches a box with the focus would start
another run.
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
    """Keeps shortcuts from taking keys from an open menu or list.

    Enter is let through: it is no shortcut, and Qt's list would choose already at the ShortcutOverride event.
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
    """Whether a menu or the list of a combo box is open."""
    return QApplication.activePopupWidget() is not None


def keep_keys(widget: QWidget) -> None:
    """While a menu or list is open, keep all keys that reach *widget* from shortcuts."""
    widget.installEventFilter(_KeyKeeper(widget))


class _Leaver(QObject):
    """Makes Esc in a menu also leave the menu bar, to which Qt would return the focus."""

    def __init__(self, bar: QMenuBar) -> None:
        super().__init__(bar)
        self._bar = bar

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Key.Key_Escape:
            again = QKeyEvent(QEvent.Type.KeyPress, Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
            QApplication.postEvent(self._bar, again)  # posted, so that the menu is closed by then
        return False


class MenuBar(QMenuBar):
    """A menu bar that returns the focus after a click: if it took none, a click would focus the window."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAccessibleName(tr("Menus"))
        self._clicked = False
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._give_back)

    def take(self, menu: QMenu) -> None:
        """Add a menu."""
        keep_keys(menu)
        menu.installEventFilter(_Leaver(self))
        self.addMenu(menu)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Note whether a click brought the focus; with Alt, Qt returns the focus itself."""
        self._clicked = event.reason() is Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)

    def _give_back(self, before: QWidget | None, now: QWidget | None) -> None:
        if now is self and self._clicked:
            (before or self.window()).setFocus(Qt.FocusReason.PopupFocusReason)


class _Presser(QObject):
    """Makes Enter press a button that has the focus."""

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
    """A tool button that Enter presses while focused; Space belongs to the run.  *tip* begins with the name."""

    def __init__(self, text: str, tip: str) -> None:
        super().__init__()
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(tip.partition("\n")[0])
        _Presser(self)


def check_box(text: str, parent: QWidget | None = None) -> QCheckBox:
    """A check box that Enter toggles while it has the focus."""
    box = QCheckBox(text, parent)
    _Presser(box)
    return box


class _SpaceTaker(QObject):
    """Makes Space toggle the current item of a focused list, instead of running the run."""

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
    """Let Space check or uncheck the current item of a list."""
    listed.installEventFilter(_SpaceTaker(listed))


def push_button(text: str, parent: QWidget | None = None) -> QPushButton:
    """A push button that Enter presses while it has the focus, and only then, also in dialogs."""
    button = QPushButton(text, parent)
    button.setAutoDefault(False)
    _Presser(button)
    return button


class ChoiceBox(QComboBox):
    """A combo box that, while closed, ignores the wheel and all keys except those that open its list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)  # by default only the first contents fit
        self._keeps = False

    def showPopup(self) -> None:
        """Open the list at the chosen item; Qt would begin where a type-ahead search has ended, even if cancelled."""
        if not self._keeps:
            self._keeps = True
            keep_keys(self.view())
        super().showPopup()
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), self.modelColumn()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignore the wheel while closed."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list with Enter, or with the platform's usual keys; ignore all others."""
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if event.key() in _OPENING or (alt and event.key() in _EDITING):
            self.showPopup()
        else:
            event.ignore()


class _EditedOnly(QObject):
    """Keeps the wheel from a spin box without the focus, and editing keys with one that has it."""

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
    """Let a spin box change only while it has the focus; then arrow keys and wheel belong to it."""
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    box.installEventFilter(_EditedOnly(box))
