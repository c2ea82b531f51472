"""A frame around what has the keys, where its style draws none."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QSlider, QTabBar, QWidget

_WIDTH = 2
_DRAWN = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QSlider, QTabBar)  # by their style
_AWAY = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason, Qt.FocusReason.MenuBarFocusReason)


class FocusRing(QWidget):
    """Lies over a widget and is seen while that has the focus of the keys; the mouse goes through, and brings none."""

    def __init__(self, around: QWidget) -> None:
        super().__init__(around)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._held = False  # whether it is seen while another window, or a menu, has the keys for a while
        around.installEventFilter(self)

    @classmethod
    def of(cls, around: QWidget) -> FocusRing | None:
        """The ring around a widget, made where there is none yet; None where its style shows who has the keys."""
        if isinstance(around, _DRAWN):
            return None
        return around.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly) or cls(around)

    def lie(self) -> None:
        """Be seen, over all that it lies around."""
        around = self.parentWidget()
        assert around is not None
        self.setGeometry(around.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the focus and the size of what it lies over."""
        if watched is not self.parentWidget():
            return False
        if isinstance(event, QFocusEvent):
            self._follow(event)
        elif event.type() == QEvent.Type.Resize and self.isVisible():
            self.lie()
        return False

    def _follow(self, event: QFocusEvent) -> None:
        away = event.reason() in _AWAY
        if event.lostFocus():
            self._held = away and self.isVisible()
            self.hide()
        elif self._held if away else event.reason() != Qt.FocusReason.MouseFocusReason:
            self.lie()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Two pixels in the colour of the focus."""
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), _WIDTH))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()
