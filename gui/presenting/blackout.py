"""Black over every window, until any key or click."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import Shiboken

from slotscope.gui.language.words import tr

_MODIFIERS = {Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta}


class BlackCover(QWidget):
    """Hides a window, and takes its keys and clicks: the first one is for the light, and does nothing else."""

    def __init__(self, window: QWidget, back: Callable[[], None]) -> None:
        super().__init__(window)
        self.setObjectName("black")
        self.setAccessibleName(tr("Black: any key brings the picture back"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.BlankCursor)
        self._back = back
        window.installEventFilter(self)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()

    def eventFilter(self, window: QWidget, event: QEvent) -> bool:  # type: ignore[override]
        """It is as large as its window."""
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(window.rect())
        return False

    def event(self, event: QEvent) -> bool:
        """No command takes a key meanwhile."""
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Any key but one that is pressed with others; the one that made it black may still be held."""
        if event.key() not in _MODIFIERS and not event.isAutoRepeat():
            self._back()

    def mousePressEvent(self, _: QMouseEvent) -> None:
        """A click, too."""
        self._back()

    def paintEvent(self, _: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), Qt.GlobalColor.black)


class Blackout:
    """Covers all windows of the program, and uncovers them."""

    def __init__(self, returned: Callable[[], None]) -> None:
        self._returned = returned
        self._covers: list[BlackCover] = []
        self._focus: QWidget | None = None

    @property
    def on(self) -> bool:
        """Whether all is black."""
        return bool(self._covers)

    def begin(self) -> None:
        """Cover what is seen."""
        if self.on:
            return
        self._focus = QApplication.focusWidget()
        seen = [one for one in QApplication.topLevelWidgets() if one.isVisible() and not one.isMinimized()]
        self._covers = [BlackCover(one, self.end) for one in seen]
        for cover in self._covers:
            if cover.window().isActiveWindow():
                cover.setFocus()

    def end(self) -> None:
        """Show everything again."""
        covers, self._covers = self._covers, []
        for cover in filter(Shiboken.isValid, covers):  # a window may have gone meanwhile, with its cover
            cover.hide()
            cover.deleteLater()
        if self._focus is not None and Shiboken.isValid(self._focus):
            self._focus.setFocus()
        self._focus = None
        self._returned()
