"""A row per type: its tokens as boxes up to the limit, and what happens per unit of time."""

from __future__ import annotations

from functools import cache
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen

from slotscope.gui.kinds.phases.colours import paint_phase_mark, phase_color, virtual_brush
from slotscope.gui.kinds.phases.tokens_words import RecentRates, TokenRow, TypeRates
from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.text import LEFT, RIGHT
from slotscope.gui.painting.textures import type_brush
from slotscope.gui.panels.pages import SteadyRows
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import SteppedRange
from slotscope.gui.theme import Fonts, Theme, current_fonts

_MARGIN, _GAP = 10.0, 12.0
#: Headings of the rates, in the order of :class:`TypeRates`: in full, shorter, and shortest.
HEADINGS = (
    ("requests", "requests", "asked"),
    ("matches", "matches", "met"),
    ("virtual arrivals", "virtual", "virt."),
    ("overflows", "overflows", "over"),
)
_PER_TIME = "per time:"
_DIGITS = (3, 2, 1)  # numbers of significant digits of a rate, to be tried in order
_MOST_BOXES = 24  # most boxes of a type; with a higher limit tokens are shown as a bar
_BOX = 0.55  # side of a box, in row heights
_BAR_SIDES = 8  # length of that bar, in sides of a box
_MOST_TOKENS_SHARE = 0.3  # largest share of the width for tokens


class RateRow(NamedTuple):
    """A type now, and its recent rates."""

    row: TokenRow
    rates: TypeRates
    arrivals: float  #: the scenario's arrival rate; 0 for scripted jobs
    letter: str  #: the type's letter, for when its name does not fit


class RatesChart(SteadyRows[RateRow]):
    """A row per type; the bars of all types and rates have the same scale."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "rates of requests, matches, virtual arrivals, overflows")
        self._tips: tuple[str, ...] = ()
        self._scale = SteppedRange(0.0, 0.0)
        self._span = ""

    def begin(self) -> None:
        super().begin()
        self._scale = SteppedRange(0.0, 0.0)

    def show_rates(
        self, rows: tuple[RateRow, ...], recent: RecentRates, unit: str, tips: tuple[str, ...], running: bool
    ) -> None:
        """Show these rates; *tips* are the types' tooltips."""
        self._tips = tips
        self._span = f"per unit of time, last {significant(recent.span, 2)} {unit}"
        most = max((max(row.rates) for row in rows), default=0.0)
        if self._scale.follow(0.0, most, running):
            self.update()
        self.set_rows(rows)

    @property
    def most(self) -> float:
        """The rate of a full bar."""
        return self._scale.high or 1.0

    # Places.

    @property
    def whole_width(self) -> int:
        """The least width in pixels at which no heading is shortened."""
        return ceil(self._width_beside(self._whole_names) + sum(_widths_of_headings(current_fonts())))

    @property
    def _whole_names(self) -> tuple[str, ...]:
        return tuple(row.row.name for row in self.rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The types' names, or letters if names would leave no room for the headings of rates."""
        return self._whole_names if self.whole_width <= self.width() else tuple(row.letter for row in self.rows)

    def _width_beside(self, names: tuple[str, ...]) -> float:
        """Width of names, counts and gaps."""
        gaps = 2 * _MARGIN + _GAP * (len(HEADINGS) + 1)
        return self._name_width(names) + 1 + self._count_width() + gaps

    def _name_width(self, names: tuple[str, ...]) -> float:
        return self._row_height() + max(map(self._metrics().horizontalAdvance, names), default=0.0)

    def _columns(self) -> tuple[QRectF, QRectF, tuple[QRectF, ...]]:
        """The columns of names, boxes, and the four rates, as rectangles of a row at the top."""
        height = self._row_height()
        boxes = max((self._boxes_width(row.row) for row in self.rows), default=0.0)
        boxes = min(boxes, _MOST_TOKENS_SHARE * self.width())
        names = self.names
        first = QRectF(_MARGIN, 0, self._name_width(names) + 1, height)
        free = self.width() - self._width_beside(names)
        least = _widths_of_headings(current_fonts())
        if free - boxes < sum(least):
            boxes = 0.0  # the numbers beside them tell the same
        second = QRectF(first.right() + _GAP, 0, boxes + self._count_width(), height)
        left, more = second.right() + _GAP, (free - boxes - sum(least)) / len(HEADINGS)
        rates = []
        for wide in least:
            rates.append(QRectF(left, 0, max(1.0, wide + more), height))
            left += wide + more + _GAP
        return first, second, tuple(rates)

    @property
    def _side(self) -> float:
        return _BOX * self._row_height()

    def _count_width(self) -> float:
        most = max((sum(row.row.limits or row.row.tokens) for row in self.rows), default=0)
        measure = self._metrics().horizontalAdvance
        return max(measure(f"{most} / {most}"), measure("tokens")) + _GAP

    def _boxes_width(self, row: TokenRow) -> float:
        if sum(row.limits) > _MOST_BOXES:
            return _BAR_SIDES * self._side
        return sum(row.limits) * (self._side + 2) + max(0, len(row.limits) - 1) * self._side

    # Painting.

    def paint(self, painter: QPainter) -> None:
        columns = self._columns()
        self._heading(painter, columns)
        for place, (row, words) in enumerate(zip(self.rows, self.names, strict=True), start=1):
            down = QPointF(0, place * self._row_height())
            name, boxes, rates = columns
            self._name(painter, row.row, words, name.translated(down))
            self._tokens(painter, row.row, boxes.translated(down))
            for number, box in enumerate(rates):
                self._rate(painter, row, number, box.translated(down))

    def _heading(self, painter: QPainter, columns: tuple[QRectF, QRectF, tuple[QRectF, ...]]) -> None:
        """Write the headings; in a narrow panel "per time" of the rates replaces the heading "tokens"."""
        measure, (names, boxes, rates) = self._metrics().horizontalAdvance, columns
        painter.setPen(QColor(self._theme.muted))
        for texts, box in zip(HEADINGS, rates, strict=True):
            room = box.width() + _GAP / 2
            text = next((text for text in texts if measure(text) <= room), texts[-1])
            text = self._metrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(box.adjusted(0, 0, _GAP / 2, 0), LEFT, text)
        last = rates[-1]
        end = last.adjusted(measure(HEADINGS[-1][0]) + _GAP, 0, 0, 0)
        in_full = measure(self._span) <= end.width()
        if in_full or measure("tokens" + _PER_TIME) + _GAP <= boxes.width():
            painter.drawText(boxes, LEFT, "tokens")
        if in_full:
            painter.drawText(end, RIGHT, self._span)
        else:
            painter.drawText(names.united(boxes), RIGHT, _PER_TIME)

    def _name(self, painter: QPainter, row: TokenRow, words: str, box: QRectF) -> None:
        side = self._metrics().ascent()
        mark = QRectF(box.left(), box.center().y() - side / 2, side, side)
        paint_phase_mark(painter, mark, self._theme, row.type)
        painter.setPen(QColor(self._theme.normal))
        painter.drawText(box.adjusted(box.height(), 0, 0, 0), LEFT, words)

    def _tokens(self, painter: QPainter, row: TokenRow, box: QRectF) -> None:
        """Paint the tokens against their limit as boxes or a bar, then as numbers."""
        room = box.width() - self._count_width()
        if room <= 0 or not row.limits:
            pass  # only the numbers
        elif sum(row.limits) > _MOST_BOXES or self._boxes_width(row) > room:
            self._bar(painter, row, box, min(_BAR_SIDES * self._side, room))
        else:
            self._boxes(painter, row, box)
        painter.setPen(QColor(self._theme.normal))
        painter.drawText(box, RIGHT, _of_limit(row))

    def _boxes(self, painter: QPainter, row: TokenRow, box: QRectF) -> None:
        """Paint a round box for each token up to the limit, grouped by pool."""
        side, left = self._side, box.left()
        color = QColor(phase_color(self._theme, row.type))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for tokens, limit in zip(row.tokens, row.limits, strict=True):
            for place in range(limit):
                filled = place < tokens
                painter.setPen(QPen(color if filled else QColor(self._theme.empty), 1.2))
                painter.setBrush(color if filled else Qt.BrushStyle.NoBrush)
                spot = QRectF(left, box.center().y() - side / 2, side, side)
                painter.drawEllipse(spot.adjusted(1, 1, -1, -1))
                left += side + 2
            left += side
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _bar(self, painter: QPainter, row: TokenRow, box: QRectF, wide: float) -> None:
        """Paint a bar of the tokens' share of the limit, in place of too many boxes."""
        bar = QRectF(box.left(), box.center().y() - self._side / 2, wide, self._side)
        painter.fillRect(bar, QColor(mix(self._theme.grid, self._theme.panel, 0.4)))
        bar.setWidth(min(1.0, sum(row.tokens) / max(1, sum(row.limits))) * wide)
        painter.fillRect(bar, QColor(phase_color(self._theme, row.type)))

    def _rate(self, painter: QPainter, row: RateRow, number: int, box: QRectF) -> None:
        """Paint a number over a bar; for types with arrivals also a mark at the arrival rate."""
        value = row.rates[number]
        bar = QRectF(box.left(), box.bottom() - 6, box.width() * value / self.most, 5)
        ground = QRectF(box.left(), bar.top(), box.width(), bar.height())
        painter.fillRect(ground, QColor(mix(self._theme.grid, self._theme.panel, 0.4)))
        painter.setBrushOrigin(bar.topLeft())
        painter.fillRect(bar, self._look(row.row.type, number))
        if number < 2 and row.arrivals:
            x = round(box.left() + box.width() * min(1.0, row.arrivals / self.most))
            painter.setPen(QPen(QColor(self._theme.normal), 1.5))
            painter.drawLine(QPointF(x, bar.top() - 3), QPointF(x, bar.bottom() + 1))
        painter.setPen(QColor(self._theme.normal if value else self._theme.muted))
        box = box.adjusted(0, 0, _GAP - 2, -5)
        painter.drawText(box, LEFT, whole_number(value, box.width(), self._metrics()))

    def _look(self, kind: int, number: int) -> QBrush:
        """The brush of a rate: requests plain, matches like real jobs, virtual arrivals hatched, overflows red."""
        ratio = self.devicePixelRatioF()
        match number:
            case 0:
                return QBrush(QColor(phase_color(self._theme, kind)))
            case 1:
                return type_brush(self._theme, kind, ratio)
            case 2:
                return virtual_brush(self._theme, kind, ratio)
            case _:
                return QBrush(QColor(self._theme.rejection))

    # Words.

    def tip_at(self, point: QPointF) -> str:
        """The tooltip of the type at this height."""
        place = int(point.y() // self._row_height()) - 1
        if 0 <= place < len(self._tips):
            return self._tips[place]
        return (
            f"Each type's tokens against its limit ηₘₐₓ, and rates {self._span}. A line on "
            "a bar is the rate at which jobs arrive."
        )

    def _row_height(self) -> float:
        return self._metrics().height() + 10


@cache
def _widths_of_headings(fonts: Fonts) -> tuple[float, ...]:
    return tuple(fonts.metrics.horizontalAdvance(brief) for _, brief, _ in HEADINGS)


def whole_number(value: float, room: float, metrics: QFontMetricsF) -> str:
    """A rate with as many digits as fit; a cut number would be a different one."""
    for digits in _DIGITS:
        told = significant(value, digits)
        if metrics.horizontalAdvance(told) <= room:
            break
    return told


def _of_limit(row: TokenRow) -> str:
    """The number of tokens, and the limit if there is one."""
    return f"{sum(row.tokens)} / {sum(row.limits)}" if row.limits else str(sum(row.tokens))
