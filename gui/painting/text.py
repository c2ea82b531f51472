"""Where a text stands in its box; and short lines of text with symbols in italics, as they stand in the paper."""

from typing import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QStaticText, QTransform

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
WRAPPED = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap


_MARK = "\x1f"

#: Lines of text that are remembered; then all are forgotten.
MOST_REMEMBERED = 4096


def symbol(text: str) -> str:
    """*text* marked as a symbol, to stand in a line."""
    return f"{_MARK}{text}{_MARK}"


class Symbols:
    """Draws and measures lines with symbols in them, see :func:`symbol`."""

    def __init__(self, font: QFont) -> None:
        self.upright = QFont(font)
        self.upright.setBold(False)
        self.italic = QFont(self.upright)
        self.italic.setItalic(True)
        self._metrics = QFontMetricsF(self.upright), QFontMetricsF(self.italic)

    @property
    def height(self) -> float:
        """Height of a line."""
        return self._metrics[0].height()

    @property
    def ascent(self) -> float:
        """From the top of a line to the line on which letters stand."""
        return self._metrics[0].ascent()

    def width(self, text: str) -> float:
        """Width of a line."""
        return sum(self._metrics[i % 2].horizontalAdvance(part) for i, part in enumerate(text.split(_MARK)))

    def elided(self, text: str, width: float) -> str:
        """*text*, shortened at its end to this width; symbols lose their italics then."""
        if self.width(text) <= width:
            return text
        plain = text.replace(_MARK, "")
        return self._metrics[0].elidedText(plain, Qt.TextElideMode.ElideRight, width)

    def draw(self, painter: QPainter, x: float, y: float, text: str, color: str) -> float:
        """Draw a line whose top left corner is (x, y); returns where it ends."""
        painter.setPen(QColor(color))
        y += self._metrics[0].ascent()
        for i, part in enumerate(text.split(_MARK)):
            if part:
                painter.setFont((self.upright, self.italic)[i % 2])
                painter.drawText(QPointF(x, y), part)
                x += self._metrics[i % 2].horizontalAdvance(part)
        return x

    def draw_in(self, painter: QPainter, rect: QRectF, text: str, color: str, align: float = 0.0) -> None:
        """Draw a line in *rect*, shortened to it; *align* is 0 at the left and 1 at the right."""
        line = self.elided(text, rect.width())
        x = rect.x() + align * max(0.0, rect.width() - self.width(line))
        self.draw(painter, x, rect.y() + (rect.height() - self.height) / 2, line, color)

    def draw_first(self, painter: QPainter, rect: QRectF, texts: Sequence[str], color: str, align: float = 0.0) -> None:
        """Draw the first of *texts* that fits into *rect*, else the last one, shortened."""
        fitting = (text for text in texts if self.width(text) <= rect.width())
        self.draw_in(painter, rect, next(fitting, texts[-1]), color, align)


class Lines(Symbols):
    """Lines of text that remembers how wide each is: the same ones come in frame after frame."""

    def __init__(self, font: QFont) -> None:
        super().__init__(font)
        self._widths: dict[str, float] = {}
        self._fitted: dict[tuple[tuple[str, ...], float], tuple[QStaticText, float]] = {}

    def width(self, text: str) -> float:
        known = self._widths.get(text)
        if known is None:
            if len(self._widths) >= MOST_REMEMBERED:
                self._widths.clear()
            known = self._widths[text] = super().width(text)
        return known

    def fitted(self, texts: tuple[str, ...], room: float) -> tuple[QStaticText, float]:
        """The first of *texts* that fits into *room*, else the last one shortened; its width."""
        known = self._fitted.get((texts, room))
        if known is None:
            if len(self._fitted) >= MOST_REMEMBERED:
                self._fitted.clear()
            fitting = (text for text in texts if self.width(text) <= room)
            words = self.elided(next(fitting, texts[-1]), room)
            static = QStaticText(words)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.prepare(QTransform(), self.upright)
            known = self._fitted[texts, room] = static, self.width(words)
        return known
