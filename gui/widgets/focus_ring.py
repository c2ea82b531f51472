"""A frame around what has the keys, where its style draws none."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget

_WIDTH = 2


class FocusRing(QWidget):
    """Lies over a widget and is seen while that has the focus of the keys; the mouse goes through."""

    def __init__(self, around: QWidget) -> None:
        super().__init__(around)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        around.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the focus and the size of what it lies over."""
        kind, around = event.type(), self.parentWidget()
        if watched is not around:
            return False
        if kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.setVisible(kind is QEvent.Type.FocusIn)
        if kind in (QEvent.Type.FocusIn, QEvent.Type.Resize):
            self.setGeometry(around.rect())
            self.raise_()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Two pixels in the colour of the focus."""
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), _WIDTH))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
        painter.end()
