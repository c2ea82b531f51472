"""Letters of phases, tokens and timers as small pictures, each made once and drawn often."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from slotscope.gui.kinds.phases.colours import phase_color, phase_ink
from slotscope.gui.painting.colour import letter_ink, mix
from slotscope.gui.theme import Theme

#: So many pictures are kept.
MOST_STAMPS = 512
#: Tokens have letters from this side on, in lines of text; below that from this size in pixels on
#: they are round.
LETTERS_FROM, ROUND_FROM = 0.72, 5
#: Height of digits in lines of text.
DIGITS = 0.72
#: Where the hand of a timer points, in degrees from above.
_HAND = 60.0


class Stamps:
    """The small pictures for one theme, font and ratio of device pixels."""

    def __init__(self, theme: Theme, font: QFont, letters: tuple[str, ...], ratio: float) -> None:
        self._theme, self._letters, self._ratio = theme, letters, ratio
        self._font = QFont(font)
        self._font.setBold(True)
        self._metrics = QFontMetricsF(self._font)
        self.line = self._metrics.height()
        self._made = lru_cache(MOST_STAMPS)(self._make)

    def letter_size(self, phase: int) -> tuple[float, float]:
        """Width and height of a phase's letter with the plate under it."""
        letter = self._letters[phase]
        return self._metrics.horizontalAdvance(letter) + 4, DIGITS * self.line + 3

    def letter(self, phase: int, virtual: bool, dim: float) -> QPixmap:
        """A phase's letter on a plate of its colour; of a virtual job on the panel's."""
        return self._made("letter", phase, virtual, dim)

    def token(self, job_type: int, side: int) -> QPixmap:
        """A token of a type, *side* device pixels wide: a coin."""
        return self._made("token", job_type, False, side)

    def timer(self, side: int) -> QPixmap:
        """A timer that runs, *side* device pixels wide."""
        return self._made("timer", 0, False, side)

    def _make(self, what: str, phase: int, virtual: bool, size: float) -> QPixmap:
        wide, high = self.letter_size(phase) if what == "letter" else (size / self._ratio,) * 2
        pixmap = QPixmap(math.ceil(wide * self._ratio), math.ceil(high * self._ratio))
        pixmap.setDevicePixelRatio(self._ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = QRectF(0, 0, wide, high)
        if what == "letter":
            self._paint_letter(painter, rect, phase, virtual, size)
        else:
            paint: Callable[[QPainter, QRectF, int], None] = self._paint_token if what == "token" else self._paint_timer
            paint(painter, rect, phase)
        painter.end()
        return pixmap

    def _paint_letter(self, painter: QPainter, rect: QRectF, phase: int, virtual: bool, dim: float) -> None:
        theme = self._theme
        color = phase_color(theme, phase)
        ink, plate = (phase_ink(theme, phase), theme.panel) if virtual else (letter_ink(color), color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(plate, theme.panel, dim)))
        painter.drawRoundedRect(rect, 2, 2)
        if dim and not virtual:
            ink = letter_ink(mix(plate, theme.panel, dim))
        self._write(painter, rect, self._letters[phase], ink)

    def _paint_token(self, painter: QPainter, rect: QRectF, job_type: int) -> None:
        theme, side = self._theme, rect.width()
        color = phase_color(theme, job_type)
        if side * self._ratio < ROUND_FROM:
            painter.fillRect(rect, QColor(color))
            return
        width = max(1.0, side / 14)
        painter.setPen(QPen(QColor(theme.run), width))
        painter.setBrush(QColor(color))
        edge = width / 2
        painter.drawEllipse(rect.adjusted(edge, edge, -edge, -edge))
        if side >= LETTERS_FROM * self.line:
            self._write(painter, rect, self._letters[job_type], letter_ink(color), side)

    def _paint_timer(self, painter: QPainter, rect: QRectF, _: int) -> None:
        side = rect.width()
        width = max(1.0, side / 10)
        painter.setPen(QPen(QColor(self._theme.muted), width, c=Qt.PenCapStyle.RoundCap))
        ring = rect.adjusted(width, width + side * 0.08, -width, -width + side * 0.08)
        ring.setBottom(rect.bottom() - width)
        painter.drawEllipse(ring)
        centre, reach = ring.center(), 0.32 * side
        angle = math.radians(_HAND)
        tip = QPointF(reach * math.sin(angle), -reach * math.cos(angle))
        painter.drawLine(centre, centre + QPointF(0, -reach))
        painter.drawLine(centre, centre + tip * 0.75)

    def _write(self, painter: QPainter, rect: QRectF, words: str, ink: str, room: float = math.inf) -> None:
        font, metrics = self._font, self._metrics
        size = min(1.0, 0.66 * room / max(1.0, metrics.horizontalAdvance(words)), 0.7 * room / (DIGITS * self.line))
        if size < 1:
            font = QFont(font)
            font.setPointSizeF(font.pointSizeF() * size)
            metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(QColor(ink))
        x = rect.center().x() - metrics.horizontalAdvance(words) / 2
        baseline = rect.center().y() + metrics.capHeight() / 2
        painter.drawText(QPointF(x, baseline), words)
