"""A chart of several series, each in a row with its own scale, over one time axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.painting.text import LEFT, RIGHT
from slotscope.gui.painting.textures import paint_type_mark
from slotscope.gui.plotting.curve import polygon_of
from slotscope.gui.plotting.sampled import MOST_AVERAGES, SampledSeries, Values
from slotscope.gui.plotting.scales import SteppedRange, format_number, spread, step_up
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.reporting.letters import type_letter

_MARGIN, _GAP = 10.0, 6.0
_ROW_TEXTS, _ROW_TEXTS_IN_HALL = 3.0, 2.5  # minimum height of a row, in lines of text
_AXIS_TEXTS = 2.5  # height of the time axis, in lines of text
_BAND_ALPHA = 56
_LINE_WIDTH, _OVERLAP = 2.0, 0.7
_NARROW = 420  # below this width in pixels, names are replaced by letters


@dataclass(frozen=True)
class RowStyle:
    """A row's name and colour, and the reference line for its series."""

    name: str
    role: str | int  #: the name of a colour of the theme, or the index of a job type
    reference: float | None = None
    reference_text: str = ""
    heading: str = ""  #: text above the row


class RowChart(QWidget):
    """Rows of curves; signal ``picked`` carries the time that was clicked."""

    picked = Signal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.rows: tuple[RowStyle, ...] = ()  #: the rows' names, colours and references
        self._series: tuple[SampledSeries, ...] = ()
        self._scales: list[SteppedRange] = []
        self.values: tuple[int, ...] = ()  #: the numbers at the right end of the rows
        self._time = SteppedRange(from_zero=False)
        self._cursor, self._end = 0.0, 0.0
        self._axis = "time"
        self._ends_width = 0.0
        self._take_looks()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)

    # What is shown.

    def begin(self, rows: tuple[RowStyle, ...], series: tuple[SampledSeries, ...], axis: str) -> None:
        """Show other series, with new ranges."""
        self.rows, self._series, self._axis = rows, series, axis
        self._take_looks()
        self._scales = [SteppedRange(0.0, 1.0) for _ in rows]
        self._time = SteppedRange(from_zero=False)
        self._ends_width = 0.0
        self.values = ()
        self.updateGeometry()
        self.update()

    def set_values(self, values: tuple[int, ...]) -> None:
        """Set the numbers at the right end of the rows."""
        if values != self.values:
            self.values = values
            self.update()

    def set_time(self, cursor: float, end: float) -> None:
        """Place the cursor at time *cursor*, in a history that ends at time *end*."""
        self._cursor, self._end = cursor, end
        self._time.include(min(float(self._series[0].values.x[0]), cursor), max(cursor, end))
        for row, scale, series in zip(self.rows, self._scales, self._series, strict=True):
            low, high = series.values.extremes() or (0.0, 0.0)
            scale.include(low, max(high, 1.25 * (row.reference or 0.0)))
        self.update()

    def scale(self, number: int) -> tuple[float, float]:
        """The lowest and highest value of a row's scale."""
        return self._scales[number].low, self._scales[number].high

    def place_of(self, time: float) -> QPointF:
        """The point of the first row at a given time."""
        box = self.box(0)
        return QPointF(self._across(time, box), box.center().y())

    def shift(self, cursor: float) -> float:
        """By how many pixels the cursor would move to show this time."""
        span = self._time.high - self._time.low
        return abs(cursor - self._cursor) / span * self.box(0).width()

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self._ends_width = 0.0
        self._take_looks()
        self.updateGeometry()
        self.update()

    def _take_looks(self) -> None:
        sizes = current_fonts()
        self._font, self._line_width = sizes.body, _LINE_WIDTH * sizes.scale
        self._narrow = _NARROW * sizes.scale
        self._metrics = QFontMetricsF(self._font)
        roles = {row.role for row in self.rows} | {"muted"}
        self._inks = {role: self._theme.ink(self._theme.color(role)) for role in roles}
        self._measure_names()

    # Geometry.

    def minimumSizeHint(self) -> QSize:
        line = self._metrics.height()
        least = _ROW_TEXTS_IN_HALL if current_fonts().lecture else _ROW_TEXTS
        rows = least * len(self.rows) + self._headings(len(self.rows))
        return QSize(200, round(line * (rows + _AXIS_TEXTS)))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def _headings(self, rows: int) -> int:
        """Number of headings in the first *rows* rows."""
        return sum(bool(row.heading) for row in self.rows[:rows])

    def _measure_names(self) -> None:
        """Measure the width of names; done rarely, as it moves everything else in the rows."""
        names = [self._title(row) for row in self.rows]
        widest = max((self._metrics.horizontalAdvance(name) for name in names), default=0.0)
        has_marks = any(isinstance(row.role, int) for row in self.rows)
        mark = self._metrics.height() if has_marks else 0.0
        self._names_width = float(min(widest + mark, 0.34 * self.width()))

    def _title(self, row: RowStyle) -> str:
        if isinstance(row.role, int):
            letter = type_letter(row.role)
            return letter if self.width() < self._narrow else f"{letter}\u2002{row.name}"
        return row.name

    def box(self, number: int) -> QRectF:
        """The rectangle of a row's curve."""
        metrics = self._metrics
        scale_width = metrics.horizontalAdvance("0 000")
        left = _MARGIN + self._names_width + _GAP + scale_width
        right = self.width() - _MARGIN - max(self._ends_width, metrics.horizontalAdvance("000"))
        line, rows = metrics.height(), len(self.rows)
        room = self.height() - line * (_AXIS_TEXTS + self._headings(rows))
        height = room / max(1, rows)
        top = number * height + line * self._headings(number + 1)
        return QRectF(left, top + 4, max(10.0, right - left - _GAP), height - 8)

    def _ends(self, number: int) -> list[tuple[str, float, str | int]]:
        """The texts at a row's right end: text, value on the row's scale, role of the colour."""
        row = self.rows[number]
        ends: list[tuple[str, float, str | int]] = []
        if number < len(self.values):
            value = self.values[number]
            ends.append((format_number(value), float(value), row.role))
        if row.reference is not None:
            ends.append((row.reference_text, row.reference, "muted"))
        return ends

    # Painting.

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._font)
        if self._series:
            ends = [text for number in range(len(self.rows)) for text, _, _ in self._ends(number)]
            measure = self._metrics.horizontalAdvance
            self._ends_width = max([self._ends_width, *(measure(text) + 12 for text in ends)])
            for number in range(len(self.rows)):
                self._paint_row(painter, number)
            self._paint_time(painter)
        painter.end()

    def _paint_row(self, painter: QPainter, number: int) -> None:
        row, box, scale = self.rows[number], self.box(number), self._scales[number]
        self._paint_frame(painter, box, scale)
        self._paint_name(painter, row, box)
        if row.reference is not None:
            height = self._height(row.reference, box, scale)
            painter.setPen(QPen(QColor(self._theme.muted), 1.0, Qt.PenStyle.DashLine))
            painter.drawLine(QLineF(box.left(), height, box.right(), height))
        painter.save()
        painter.setClipRect(box.adjusted(0, -1, 0, 1))
        self._paint_series(painter, row, self._series[number], box, scale)
        painter.restore()
        painter.setPen(QColor(self._theme.muted))
        x = round(self._across(self._cursor, box)) + 0.5
        painter.drawLine(QLineF(x, box.top(), x, box.bottom()))
        self._paint_ends(painter, number, box, scale)

    def _paint_frame(self, painter: QPainter, box: QRectF, scale: SteppedRange) -> None:
        """Paint the scale: the lowest and highest value with lines, the lower one as the baseline."""
        theme, size = self._theme, self._metrics.height()
        for value in (scale.low, scale.high):
            height = round(self._height(value, box, scale)) + 0.5
            painter.setPen(QPen(QColor(theme.border if value == scale.low else theme.grid)))
            painter.drawLine(QLineF(box.left(), height, box.right(), height))
            painter.setPen(QColor(theme.muted))
            # Inside the row, to stay clear of the next row's numbers.
            top = height - size + 3 if value == scale.low else height - 3
            text = QRectF(0, top, box.left() - _GAP, size)
            painter.drawText(text, RIGHT, format_number(value))

    def _paint_name(self, painter: QPainter, row: RowStyle, box: QRectF) -> None:
        metrics, left = self._metrics, _MARGIN
        if row.heading:
            painter.setPen(QColor(self._theme.muted))
            place = QRectF(left, box.top() - 4 - metrics.height(), self.width(), metrics.height())
            painter.drawText(place, LEFT, row.heading)
        if isinstance(row.role, int):
            side = metrics.ascent()
            mark = QRectF(left, box.center().y() - side / 2, side, side)
            paint_type_mark(painter, mark, self._theme, row.role)
            left += metrics.height()
            painter.setPen(QColor(self._theme.normal))
        else:
            painter.setPen(QColor(self._inks[row.role]))
        room = _MARGIN + self._names_width - left
        text = metrics.elidedText(self._title(row), Qt.TextElideMode.ElideRight, room + 1)
        painter.drawText(QRectF(left, box.top(), room + 1, box.height()), LEFT, text)

    def _paint_series(
        self, painter: QPainter, row: RowStyle, series: SampledSeries, box: QRectF, scale: SteppedRange
    ) -> None:
        """Paint the curve, muted after the cursor; if it consists of averages, behind it the range of values."""
        view = (self._time.low, self._time.high)
        color = QColor(self._theme.color(row.role))
        if series.count(*view) > 2 * MOST_AVERAGES:
            self._paint_range(painter, series, box, scale, color)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for part, ink in (((self._cursor, self._end), QColor(self._theme.border)), ((view[0], self._cursor), color)):
            x, y = series.curve(part, view)
            if np.isfinite(y).all():
                self._paint_line(painter, self._polygon(x, y, box, scale), ink)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_line(self, painter: QPainter, line: QPolygonF, ink: QColor) -> None:
        """Draw a thick line as several one-pixel lines, which is thirty times as fast."""
        pen = QPen(ink, 1.0)
        pen.setCosmetic(True)
        painter.setPen(pen)
        ratio = self.devicePixelRatioF()
        for _ in range(max(1, round(self._line_width * ratio))):
            painter.drawPolyline(line)
            line.translate(0.0, _OVERLAP / ratio)

    def _paint_range(
        self, painter: QPainter, series: SampledSeries, box: QRectF, scale: SteppedRange, color: QColor
    ) -> None:
        around = series.values.envelope(self._time.low, self._time.high, round(box.width() / 2))
        fill = QColor(color)
        fill.setAlpha(_BAND_ALPHA)
        # The values of a block hold from its first point to that of the next block.
        times = np.append(around.x, min(self._end, self._time.high))
        across = box.width() / (self._time.high - self._time.low)
        up = box.height() / (scale.high - scale.low)
        edges = np.rint(box.left() + (times - self._time.low) * across).astype(int)
        tops = np.rint(box.bottom() - (around.high - scale.low) * up).astype(int)
        heights = np.rint((around.high - around.low) * up).astype(int)
        columns = np.column_stack([edges[:-1], tops, np.diff(edges), heights]).tolist()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        # Rectangles are drawn ten times as fast as their outline as one polygon.
        painter.drawRects([QRect(*column) for column in columns])
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_ends(self, painter: QPainter, number: int, box: QRectF, scale: SteppedRange) -> None:
        ends, size = self._ends(number), self._metrics.height()
        marks = [self._height(value, box, scale) for _, value, _ in ends]
        top, bottom = box.top() - size / 2, box.bottom() + size / 2
        for (text, _, role), mark, centre in zip(ends, marks, spread(marks, size, top, bottom), strict=True):
            if abs(mark - centre) > size / 3:  # a nearly level one reads as a minus, and the label is close anyway
                painter.setPen(QPen(QColor(self._theme.color(role))))
                painter.drawLine(QLineF(box.right() + 2, mark, box.right() + 9, centre))
            painter.setPen(QColor(self._inks[role]))
            place = QRectF(box.right() + 12, centre - size / 2, self._ends_width, size)
            painter.drawText(place, LEFT, text)

    def _paint_time(self, painter: QPainter) -> None:
        """Paint the time axis below the rows."""
        theme, metrics = self._theme, self._metrics
        box = self.box(len(self.rows) - 1)
        low, high = self._time.low, self._time.high
        step = step_up((high - low) / max(2.0, box.width() / (3.5 * metrics.height())))
        painter.setPen(QColor(theme.muted))
        for value in np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step:
            x = self._across(float(value), box)
            painter.drawLine(QLineF(x, box.bottom(), x, box.bottom() + 4))
            text = format_number(float(value), step)
            half = metrics.horizontalAdvance(text) / 2 + 2
            place = QRectF(x - half, box.bottom() + 5, 2 * half, metrics.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)
        name = QRectF(0, self.height() - 1.2 * metrics.height(), self.width(), metrics.height())
        painter.drawText(name, Qt.AlignmentFlag.AlignCenter, self._axis)

    def _across(self, time: float, box: QRectF) -> float:
        share = (time - self._time.low) / (self._time.high - self._time.low)
        return box.left() + share * box.width()

    @staticmethod
    def _height(value: float, box: QRectF, scale: SteppedRange) -> float:
        return box.bottom() - (value - scale.low) / (scale.high - scale.low) * box.height()

    def _polygon(self, x: Values, y: Values, box: QRectF, scale: SteppedRange) -> QPolygonF:
        across = box.width() / (self._time.high - self._time.low)
        up = box.height() / (scale.high - scale.low)
        xs = box.left() + (x - self._time.low) * across
        ys = box.bottom() - (y - scale.low) * up
        return polygon_of(xs, ys)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure_names()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        box = self.box(0)
        x = event.position().x()
        if event.button() == Qt.MouseButton.LeftButton and box.left() <= x <= box.right():
            share = (x - box.left()) / box.width()
            self.picked.emit(self._time.low + share * (self._time.high - self._time.low))
        else:
            super().mousePressEvent(event)
