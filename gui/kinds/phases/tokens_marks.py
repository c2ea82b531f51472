"""The marks on the lines of tokens, cached: a round token, a request, a job."""

from __future__ import annotations

from typing import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPixmap

from slotscope.gui.kinds.phases.colours import paint_phase_mark, phase_color
from slotscope.gui.painting.colour import letter_ink
from slotscope.gui.painting.text import CENTRE
from slotscope.gui.theme import Theme, current_fonts

_DOT = 3.5


class Marks:
    """Pixmaps of *side* pixels; *letters* are those of the types."""

    def __init__(self, theme: Theme, letters: tuple[str, ...], side: int, ratio: float) -> None:
        self.theme, self.letters, self.side, self.ratio = theme, letters, side, ratio
        self._font: QFont = current_fonts().body
        self._known: dict[tuple[str, int, bool], QPixmap] = {}

    def fits(self, theme: Theme, letters: tuple[str, ...], side: int, ratio: float) -> bool:
        """Whether they would be the same with these arguments."""
        wanted = (theme, letters, side, ratio, current_fonts().body)
        return (self.theme, self.letters, self.side, self.ratio, self._font) == wanted

    def token(self, kind: int, waits: bool) -> QPixmap:
        """A round token with the letter of its type; only its rim once it has been used."""
        return self._mark("token", kind, waits, self._token)

    def request(self, kind: int) -> QPixmap:
        """The mark of a request, at the beginning of a line."""
        return self._mark("request", kind, False, self._request)

    def job(self, kind: int, virtual: bool) -> QPixmap:
        """The mark of a job that took a token."""
        return self._mark("job", kind, virtual, self._job)

    def put(self, painter: QPainter, mark: QPixmap, middle: QPointF) -> None:
        """Draw a mark centred at a point."""
        half = self.side / 2
        painter.drawPixmap(QPointF(round(middle.x() - half), round(middle.y() - half)), mark)

    def _mark(self, name: str, kind: int, other: bool, paint: Callable[[QPainter, int, bool], None]) -> QPixmap:
        found = self._known.get((name, kind, other))
        if found is None:
            size = round(self.side * self.ratio)
            found = QPixmap(size, size)
            found.setDevicePixelRatio(self.ratio)
            found.fill(Qt.GlobalColor.transparent)
            painter = QPainter(found)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint(painter, kind, other)
            painter.end()
            self._known[name, kind, other] = found
        return found

    def _token(self, painter: QPainter, kind: int, waits: bool) -> None:
        color, box = phase_color(self.theme, kind), QRectF(0, 0, self.side, self.side)
        painter.setPen(QPen(QColor(color), 1.5))
        painter.setBrush(QColor(color) if waits else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box.adjusted(1.5, 1.5, -1.5, -1.5))
        normal = self.theme.normal
        painter.setPen(QColor(letter_ink(color, self.theme.panel, normal) if waits else normal))
        painter.setFont(self._font)
        painter.drawText(box, CENTRE, self.letters[kind][:1])

    def _request(self, painter: QPainter, kind: int, _other: bool) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(phase_color(self.theme, kind)))
        radius = _DOT * current_fonts().scale
        painter.drawEllipse(QPointF(self.side / 2, self.side / 2), radius, radius)

    def _job(self, painter: QPainter, kind: int, virtual: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        box = QRectF(2, 2, self.side - 5, self.side - 5)
        painter.fillRect(box, QColor(self.theme.panel))
        paint_phase_mark(painter, box, self.theme, kind, virtual)
