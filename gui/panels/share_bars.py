"""Rows of bars side by side: shares of servers by configuration, with numbers."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, TypeVar

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from slotscope.gui.painting.text import LEFT, RIGHT
from slotscope.gui.panels.pages import SteadyRows
from slotscope.gui.theme import Theme

Row = TypeVar("Row")

_MARGIN, _GAP = 10.0, 12.0
_LEAST_BAR = 90.0


class ShareBars(SteadyRows[Row]):
    """A row per configuration, with a bar for each share, from 0 to all servers.

    Subclasses define the rows' contents.
    """

    heads: ClassVar[tuple[tuple[str, str], ...]]  #: heading and colour role of each share
    widest: ClassVar[str]  #: a number for which room is always reserved, so that columns do not move
    most_label: ClassVar[float]  #: the largest share of the width for labels
    about: ClassVar[str]  #: a sentence about all rows

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "shares of the servers by configuration")

    # For subclasses.

    @abstractmethod
    def name_of(self, row: Row) -> str:
        """The configuration in the paper's notation."""

    @abstractmethod
    def words_of(self, row: Row) -> tuple[str, ...]:
        """Wordings, from long to short, for when the notation is too long; empty for the row of all other ones."""

    @abstractmethod
    def shares_of(self, row: Row) -> tuple[float, ...]:
        """The shares, from 0 to 1, one per heading."""

    @abstractmethod
    def numbers_of(self, row: Row) -> tuple[str, ...]:
        """The shares as text."""

    @abstractmethod
    def sentence_of(self, row: Row) -> str:
        """A sentence on the whole row, for the tooltip."""

    # Words.

    def label(self, row: Row, room: float) -> str:
        """The configuration in the paper's notation, or in words if that is too long."""
        name, words, metrics = self.name_of(row), self.words_of(row), self._metrics()
        if not words:
            return name
        for text in (name, *words):
            if metrics.horizontalAdvance(text) <= room:
                return text
        return metrics.elidedText(words[-1], Qt.TextElideMode.ElideRight, room)

    def _columns(self) -> tuple[float, float, float]:
        """Width of the labels, left edge of the numbers, width of one number.

        If there is no room for numbers beside bars and whole labels, numbers are left out and labels may use their
        room.
        """
        measure = self._metrics().horizontalAdvance
        shortest = max((measure((self.name_of(row), *self.words_of(row))[-1]) for row in self.rows), default=0.0)
        label = self._label_width(max(self.most_label * self.width(), shortest))
        numbers = (self.widest, *(text for row in self.rows for text in self.numbers_of(row)))
        number = max(map(measure, numbers)) + _GAP
        left = self.width() - _MARGIN - len(self.heads) * number
        if left - _GAP - (_MARGIN + label + _GAP) < _LEAST_BAR:
            left = self.width() - _MARGIN + _GAP
            label = max(label, self._label_width(left - _MARGIN - 2 * _GAP - _LEAST_BAR))
        return label, left, number

    def _label_width(self, room: float) -> float:
        """The width that labels use of *room*."""
        metrics = self._metrics()
        return max((metrics.horizontalAdvance(self.label(row, room)) for row in self.rows), default=0.0) + 1

    # Painting.

    def paint(self, painter: QPainter) -> None:
        label, left, number = self._columns()
        height = self._row_height()
        bars = QRectF(_MARGIN + label + _GAP, height, left - label - 2 * _GAP - _MARGIN, height * len(self.rows))
        self._paint_heading(painter, bars, left, number)
        for place, row in enumerate(self.rows, start=1):
            top = place * height
            painter.setPen(QColor(self._theme.normal))
            painter.drawText(QRectF(_MARGIN, top, label, height), LEFT, self.label(row, label))
            self._paint_bars(painter, row, QRectF(bars.left(), top, bars.width(), height))
            if left < self.width() - _MARGIN:
                self._paint_numbers(painter, row, QRectF(left, top, number, height))

    def _paint_heading(self, painter: QPainter, bars: QRectF, left: float, number: float) -> None:
        """Paint the names of the shares above their numbers, or in a line if numbers are left out."""
        height, theme = self._row_height(), self._theme
        with_numbers = left < self.width() - _MARGIN
        start, wide = (left, number) if with_numbers else (bars.left(), bars.width() / len(self.heads))
        for place, (name, role) in enumerate(self.heads):
            painter.setPen(QColor(theme.ink(theme.color(role))))
            box = QRectF(start + place * wide, 0, wide, height)
            painter.drawText(box, RIGHT if with_numbers else LEFT, name)
        painter.setPen(QColor(theme.muted))
        if with_numbers:
            room = QRectF(_MARGIN, 0, left - _MARGIN, height)
            painter.drawText(room, LEFT, heading(self._metrics(), room.width()))
        painter.setPen(QPen(QColor(theme.grid)))
        for share in (0.0, 0.5, 1.0):
            x = round(bars.left() + share * bars.width())
            painter.drawLine(x, int(height), x, int(bars.bottom()))

    def _paint_bars(self, painter: QPainter, row: Row, box: QRectF) -> None:
        thick = (box.height() - 6) / len(self.heads)
        for place, (share, (_, role)) in enumerate(zip(self.shares_of(row), self.heads, strict=True)):
            if share > 0:
                top = box.top() + 2 + place * (thick + 1)
                bar = QRectF(box.left(), top, max(1.0, share * box.width()), thick)
                painter.fillRect(bar, QColor(self._theme.color(role)))

    def _paint_numbers(self, painter: QPainter, row: Row, box: QRectF) -> None:
        for text in self.numbers_of(row):
            painter.setPen(QColor(self._theme.muted if text == "0" else self._theme.normal))
            painter.drawText(box, RIGHT, text)
            box.translate(box.width(), 0)

    # Tips.

    def tip_at(self, point: QPointF) -> str:
        """The sentence of the row at this height."""
        place = int(point.y() // self._row_height()) - 1
        return self.sentence_of(self.rows[place]) if 0 <= place < len(self.rows) else self.about


def heading(metrics: QFontMetricsF, room: float) -> str:
    """A heading for the bars, as long as fits in *room* pixels."""
    texts = ("share of servers by configuration", "share of servers", "share")
    return next((text for text in texts if metrics.horizontalAdvance(text) <= room), texts[-1])
