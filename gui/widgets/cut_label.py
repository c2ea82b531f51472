"""Text cut to the room there is, on one line or on several; a label's tip has all of it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QTextLayout
from PySide6.QtWidgets import QLabel, QSizePolicy


def sentence_lines(text: str, font: QFont, width: float) -> list[str]:
    """*text* broken into lines of at most this width."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    lines: list[str] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        lines.append(text[line.textStart() : line.textStart() + line.textLength()])
    layout.endLayout()
    return lines


def cut_lines(text: str, font: QFont, width: float, height: float) -> list[str]:
    """*text* on as many lines as there is room for; what does not fit ends in an ellipsis."""
    metrics = QFontMetricsF(font)
    room = max(1, int(height / metrics.height() + 0.1))
    lines = [text]
    if room > 1 and metrics.horizontalAdvance(text) > width:
        lines = sentence_lines(text, font, width)
        lines[room - 1 :] = ["".join(lines[room - 1 :])] if len(lines) >= room else []
    return [metrics.elidedText(line.rstrip(), Qt.TextElideMode.ElideRight, width) for line in lines]


def paint_cut(painter: QPainter, rect: QRectF, text: str) -> None:
    """Draw *text* from the top of *rect* on, cut to it."""
    metrics = QFontMetricsF(painter.font())
    for number, line in enumerate(cut_lines(text, painter.font(), rect.width(), rect.height())):
        painter.drawText(rect.topLeft() + QPointF(0, metrics.ascent() + number * metrics.height()), line)


class CutLabel(QLabel):
    """A label that asks for no width, and ends in an ellipsis where it has too little room."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def say(self, text: str) -> None:
        """Show this, with all of it as the tip."""
        if text != self.text():
            self.setText(text)
            self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    @property
    def wanted(self) -> int:
        """The width in pixels in which it is not cut, on one line."""
        margins = self.contentsMargins()
        return self.fontMetrics().horizontalAdvance(self.text()) + margins.left() + margins.right() + 2

    @property
    def shown(self) -> list[str]:
        """The lines that there is room for."""
        room = self.contentsRect()
        return cut_lines(self.text(), self.font(), room.width(), room.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        room = QRectF(self.contentsRect())
        if self.alignment() & Qt.AlignmentFlag.AlignVCenter:
            spare = room.height() - len(self.shown) * QFontMetricsF(self.font()).height()
            room.adjust(0, spare / 2, 0, 0)
        paint_cut(QPainter(self), room, self.text())
