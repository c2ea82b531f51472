"""The partition as a ruler below the distribution of job sizes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen, QPolygonF, QResizeEvent

from slotscope.gui.kinds.queue.colours import Look, look_brush, look_color, look_ink
from slotscope.gui.kinds.queue.queues_lanes import LogSwitch
from slotscope.gui.kinds.queue.queues_layout import SizeAxis, SizeScale, bins, ends, spaced
from slotscope.gui.kinds.queue.wording import fraction_words, interval_words, percent, reason_words
from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.kept import Kept
from slotscope.gui.painting.text import LEFT
from slotscope.gui.painting.textures import device_ratio
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.spoken import describe
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.reporting.letters import subscript

_MARGIN, _GAP = 10.0, 8.0
_BIN = 6.0  # width of a bar of the histogram in pixels
_STEM = 7.0
_FILL = 0.35  # share of the panel's colour in a bar
_CAPTION, _STRIP, _NAMES, _ENDS = 1.5, 0.55, 1.1, 1.3  # heights in lines of text
_LEAST_BARS, _USUAL_BARS, _MOST_LINES = 1.6, 3.2, 14


@dataclass(frozen=True)
class Marker:
    """A size marked on the ruler."""

    share: Fraction
    words: tuple[str, ...]  #: texts to choose from; the first that fits is written above
    role: str = "run"


class SizeRuler(Chart):
    """The histogram of sizes with the partition's intervals and their ends; hovering emits the size."""

    pointed = Signal(object)  #: a size as a share of a server, or None

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "sizes and partition")
        self._numbers: QueueNumbers | None = None
        self._sizes: SizeAxis | None = None
        self.marker: Marker | None = None  #: the size marked now
        self._caption: tuple[str, ...] = ("",)
        #: Edges of the histogram in pixels, and the probabilities between them.
        self.bars: tuple[list[float], list[float]] = ([], [])
        self._kept = Kept()
        self.switch = LogSwitch("sizes", theme, self)
        self.switch.toggled.connect(self._rescale)
        self.scale = SizeScale(0, 1, False, Fraction(1))  #: maps sizes to x
        self.setMouseTracking(True)

    # What is shown.

    def begin(self, numbers: QueueNumbers, sizes: SizeAxis, caption: tuple[str, ...]) -> None:
        """Show another run's sizes; *caption* (texts, longest first) is written above them while no size is marked."""
        self._numbers, self._sizes, self._caption = numbers, sizes, caption
        self.marker = None
        self.switch.setChecked(sizes.prefers_logarithmic)
        self.updateGeometry()
        self._rescale()

    def set_marker(self, marker: Marker | None) -> None:
        """Mark a size, or none."""
        if marker != self.marker:
            self.marker = marker
            describe(self, "" if marker is None else marker.words[0])
            self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self.switch.restyle(theme)
        self._rescale()

    def _rescale(self) -> None:
        if self._sizes is None or self._numbers is None:
            return
        self._kept.forget()
        right = max(_MARGIN + 10.0, self.width() - _MARGIN)
        self.scale = SizeScale(_MARGIN, right, self.switch.isChecked(), self._sizes.least)
        self.bars = ([], [])
        if not self._sizes.stems:
            count = max(8, round((right - _MARGIN) / (_BIN * current_fonts().scale)))
            self.bars = bins(self._numbers, self._sizes, self.scale, count)
        self.switch.stand_at(right, self._caption_height())
        self.update()

    # Geometry.

    def _line(self) -> float:
        return current_fonts().metrics.height()

    def _caption_height(self) -> float:
        return _CAPTION * self._line()

    def _foot(self) -> float:
        """The height of intervals, names and ends below the histogram."""
        has_partition = self._sizes is not None and bool(self._sizes.intervals)
        return (_ENDS + (_STRIP + _NAMES if has_partition else 0.0)) * self._line()

    def minimumSizeHint(self) -> QSize:
        return QSize(160, round(self._caption_height() + self._foot() + _LEAST_BARS * self._line()))

    def sizeHint(self) -> QSize:
        return QSize(400, round(self._caption_height() + self._foot() + _USUAL_BARS * self._line()))

    def most_height(self) -> int:
        """The greatest useful height in pixels."""
        return round(_MOST_LINES * self._line())

    def floor(self) -> float:
        """The y of the histogram's baseline."""
        return self.height() - self._foot()

    # Painting.

    def paint(self, painter: QPainter) -> None:
        if self._sizes is None:
            return
        self._kept.paint(painter, self.rect(), QColor(self._theme.panel), None, partial(self._paint_sizes, self._sizes))
        self._paint_caption(painter)
        self._paint_marker(painter)

    def _area(self) -> QRectF:
        """The rectangle of the histogram."""
        top = self._caption_height() + 2
        return QRectF(self.scale.left, top, self.scale.right - self.scale.left, max(1.0, self.floor() - top))

    def _paint_sizes(self, sizes: SizeAxis, painter: QPainter) -> None:
        """Paint everything that does not depend on the marker."""
        area = self._area()
        if sizes.stems:
            self._paint_stems(painter, sizes, area)
        else:
            self._paint_bars(painter, sizes, area)
        self._paint_floor(painter, sizes, area)
        if sizes.intervals:
            self._paint_partition(painter, sizes)
        self._paint_ends(painter, sizes)

    def _paint_caption(self, painter: QPainter) -> None:
        texts = self.marker.words if self.marker is not None else self._caption
        metrics = QFontMetricsF(painter.font())
        box = QRectF(_MARGIN, 0, self.switch.x() - _GAP - _MARGIN, self._caption_height())
        fitting = (text for text in texts if metrics.horizontalAdvance(text) <= box.width())
        text = next(fitting, metrics.elidedText(texts[-1], Qt.TextElideMode.ElideRight, box.width()))
        pointed = self.marker is not None
        painter.setPen(QColor(self._theme.normal if pointed else self._theme.muted))
        painter.drawText(box, LEFT, text)

    def _color(self, look: Look) -> QColor:
        return QColor(mix(look_color(self._theme, look), self._theme.panel, _FILL))

    def _paint_stems(self, painter: QPainter, sizes: SizeAxis, area: QRectF) -> None:
        most = max(stem.probability for stem in sizes.stems)
        width = _STEM * current_fonts().scale
        for stem in sizes.stems:
            x, height = self.scale.x(stem.share), stem.probability / most * area.height()
            left = min(x - width / 2, area.right() - width)
            box = QRectF(left, area.bottom() - height, width, height)
            painter.fillRect(box, self._color(stem.look))

    def _paint_bars(self, painter: QPainter, sizes: SizeAxis, area: QRectF) -> None:
        edges, shares = self.bars
        most = max(shares, default=0.0)
        if not most:
            return
        parts = [(look, self.scale.x(low), self.scale.x(high)) for look, (low, high) in sizes.classes]
        for look, left, right in parts:
            color = self._color(look)
            for (start, end), share in zip(pairwise(edges), shares, strict=True):
                first, last = max(start, left), min(end, right)
                if share and first < last:
                    height = share / most * area.height()
                    box = QRectF(first, area.bottom() - height, last - first, height)
                    painter.fillRect(box, color)

    def _paint_floor(self, painter: QPainter, sizes: SizeAxis, area: QRectF) -> None:
        """Draw the axis, and without a partition the capacities of servers."""
        painter.setPen(QPen(QColor(self._theme.border)))
        painter.drawLine(QLineF(area.bottomLeft(), area.bottomRight()))
        painter.setPen(QPen(QColor(self._theme.muted), 1, Qt.PenStyle.DashLine))
        if not sizes.intervals:
            for capacity in sizes.capacities:
                x = round(self.scale.x(capacity)) - 0.5
                painter.drawLine(QLineF(x, area.top(), x, area.bottom()))

    def _paint_partition(self, painter: QPainter, sizes: SizeAxis) -> None:
        line, theme = self._line(), self._theme
        metrics = QFontMetricsF(painter.font())
        ratio = device_ratio(painter)
        for queue, (low, high) in enumerate(sizes.intervals):
            left, right = self.scale.x(low), self.scale.x(high)
            strip = QRectF(left, self.floor() + 1, right - left - 1, _STRIP * line - 1)
            painter.fillRect(strip, look_brush(theme, sizes.looks[queue], ratio))
            name = f"I{subscript(queue)}"
            share = sizes.shares[queue]
            texts = (f"{name}  {percent(share)}" if share else name, name)
            fitting = (text for text in texts if metrics.horizontalAdvance(text) < right - left - 4)
            text = next(fitting, "")
            painter.setPen(QColor(look_ink(theme, sizes.looks[queue])))
            box = QRectF(left, strip.bottom() + 1, right - left, _NAMES * line)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_ends(self, painter: QPainter, sizes: SizeAxis) -> None:
        """Write the ends of the intervals as exact fractions, as many as fit."""
        metrics = QFontMetricsF(painter.font())
        top = self.height() - _ENDS * self._line()
        marks = [end for end in ends(sizes) if float(end) >= self.scale.low]
        if not self.scale.logarithmic:
            marks.insert(1, Fraction(0))
        places = [self.scale.x(end) for end in marks]
        widths = [metrics.horizontalAdvance(fraction_words(end)) + 1 for end in marks]
        painter.setPen(QColor(self._theme.muted))
        for end, x in zip(marks, places, strict=True) if sizes.intervals else ():
            # A long tick where sizes are rounded up would seem to divide the last interval.
            bottom = self.floor() + _STRIP * self._line() if end == sizes.rounded else top + 2
            painter.drawLine(QLineF(round(x) - 0.5, self.floor(), round(x) - 0.5, bottom))
        kept = spaced(places, widths, 1, self.width() - 1, _GAP)
        for number, left in kept:
            x = round(places[number]) - 0.5
            painter.drawLine(QLineF(x, top - 1, x, top + 3))
            box = QRectF(left, top + 3, widths[number] + 1, self.height() - top - 3)
            painter.drawText(box, LEFT, fraction_words(marks[number]))

    def _paint_marker(self, painter: QPainter) -> None:
        if self.marker is None:
            return
        area = self._area()
        x = round(self.scale.x(self.marker.share)) - 0.5
        color, size = QColor(self._theme.color(self.marker.role)), 5 * current_fonts().scale
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 2.0))
        bottom = self.floor() + (_STRIP * self._line() if self._sizes and self._sizes.intervals else 0.0)
        painter.drawLine(QLineF(x, area.top(), x, bottom))
        painter.setBrush(color)
        painter.setPen(Qt.PenStyle.NoPen)
        tip = QPointF(x, area.top() + size)
        painter.drawPolygon(QPolygonF([QPointF(x - size, area.top() - 1), QPointF(x + size, area.top() - 1), tip]))

    # The mouse.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        inside = event.position().y() > self._caption_height()
        self.pointed.emit(self.scale.told(event.position().x()) if inside else None)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rescale()

    def tip_at(self, point: QPointF) -> str:
        """The interval of the size at *point*, why it is in it, and the share of jobs that arrive in it."""
        if self._numbers is None or self._sizes is None:
            return ""
        share = self.scale.told(point.x())
        queue = self._sizes.queue_of(share)
        if queue is None:
            return f"The sizes of arriving jobs, as shares of {self._numbers.whole}."
        interval = self._sizes.intervals[queue]
        name = f"I{subscript(queue)} = {interval_words(interval)}"
        arriving = f"{percent(self._sizes.shares[queue])} of the jobs arrive in {name}"
        return f"{reason_words(share, interval, self._sizes.rounded)}\n{arriving}"
