"""A frame around the focused widget, for widgets whose style draws none."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QSlider, QTabBar, QWidget

_WIDTH = 2
_DRAWN = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QSlider, QTabBar)  # their style draws it
_AWAY = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason, Qt.FocusReason.MenuBarFocusReason)


class FocusRing(QWidget):
    """Lies over a widget and is visible while that has the focus, unless by a click; transparent to the mouse."""

    def __init__(self, around: QWidget) -> None:
        super().__init__(around)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._held = False  # whether to show it again when the focus returns from another window or a menu
        around.installEventFilter(self)

    @classmethod
    def of(cls, around: QWidget) -> FocusRing | None:
        """The ring of a widget, created if there is none; None if the widget's style draws the focus itself."""
        if isinstance(around, _DRAWN):
            return None
        return around.findChild(cls, options=Qt.FindChildOption.FindDirectChildrenOnly) or cls(around)

    def lie(self) -> None:
        """Show the ring on top of its widget."""
        around = self.parentWidget()
        assert around is not None
        self.setGeometry(around.rect())
        self.raise_()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the widget's focus and size."""
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
        """Paint a frame of two pixels in the accent colour."""
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), _WIDTH))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()
