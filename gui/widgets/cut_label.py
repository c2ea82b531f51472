"""One line of text, cut to the room there is; all of it under the pointer."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy


class CutLabel(QLabel):
    """A label that asks for no width, and ends in dots where it has too little; ``text()`` is all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    @property
    def wanted(self) -> int:
        """The width in pixels in which it is not cut."""
        margins = self.contentsMargins()
        return self.fontMetrics().horizontalAdvance(self.text()) + margins.left() + margins.right() + 2

    @property
    def shown(self) -> str:
        """What there is room for."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def paintEvent(self, event: QPaintEvent) -> None:
        self.style().drawItemText(
            QPainter(self),
            self.contentsRect(),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine,
            self.palette(),
            self.isEnabled(),
            self.shown,
            QPalette.ColorRole.WindowText,
        )
