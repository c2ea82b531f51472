"""Several classes: the servers reserved for each, and the benefit of more of them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPen, QPolygonF

from slotscope.gui.kinds.moldable.colours import class_color
from slotscope.gui.painting.colour import SOFT_BLACK, letter_ink
from slotscope.gui.painting.text import CENTRE, LEFT
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number, spread, step_up
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart

_PAD, _TICK, _RADIUS, _LEADER = 8.0, 4.0, 4.5, 8.0
_ROOM = 1.1


@dataclass(frozen=True)
class ShareValues:
    """The values shown of a class."""

    #: name, letter: the class's name, and its short form
    name: str
    letter: str
    share: float  #: b*_j
    servers: int  #: b*_j n, rounded down
    curve: tuple[tuple[float, float], ...]  #: the points (b, f_j(b)) at which f_j bends

    @property
    def height(self) -> float:
        """f_j(b*_j)."""
        return value_of(self.curve, self.share)


def value_of(curve: tuple[tuple[float, float], ...], share: float) -> float:
    """f_j(b): linear between its bends, constant beyond."""
    for (left, high), (right, low) in pairwise(curve):
        if share <= right:
            return high + (low - high) * max(0.0, share - left) / (right - left)
    return curve[-1][1]


class SharesPlot(Chart):
    """A bar divided into the reserved shares, above the curves f_j; ``picked`` is emitted with a class."""

    picked = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "reserved shares of the servers")
        self.values: tuple[ShareValues, ...] = ()

    def set_values(self, values: tuple[ShareValues, ...]) -> None:
        """Show these classes."""
        if values != self.values:
            self.values = values
            self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self.setMinimumHeight(round(15 * self._metrics().height()))

    def sizeHint(self) -> QSize:
        return QSize(300, round(16 * self._metrics().height()))

    # Geometry.

    def parts(self) -> list[QRectF]:
        """Each class's part of the bar."""
        line, left = self._metrics().height(), _PAD
        room, boxes = self.width() - 2 * _PAD, []
        for one in self.values:
            width = one.share * room
            boxes.append(QRectF(left, 1.3 * line, width, 1.4 * line))
            left += width
        return boxes

    @property
    def top(self) -> float:
        """The upper end of the curves' vertical axis."""
        return _ROOM * max((one.curve[0][1] for one in self.values), default=1.0)

    def area(self) -> QRectF:
        """The curves' rectangle inside their axes."""
        metrics, line = self._metrics(), self._metrics().height()
        left = _PAD + metrics.horizontalAdvance(format_number(self.top, self._tick())) + _TICK
        names = max((metrics.horizontalAdvance(one.name) for one in self.values), default=0.0)
        right = self.width() - _PAD - min(names, 0.3 * self.width()) - _LEADER
        return QRectF(left, 4.3 * line, max(right - left, 1.0), max(self.height() - 6.8 * line, 1.0))

    def _tick(self) -> float:
        return step_up(self.top / 3)

    def at(self, share: float, value: float) -> QPointF:
        """The position of (b, f_j(b)) in the widget."""
        area = self.area()
        return QPointF(area.left() + share * area.width(), area.bottom() - value / self.top * area.height())

    # Painting.

    def paint(self, painter: QPainter) -> None:
        if not self.values:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = self._metrics().height()
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(QRectF(_PAD, 0, self.width() - 2 * _PAD, line), LEFT, "bⱼ: servers reserved for each class")
        self._paint_bar(painter, line)
        self._paint_axes(painter, line)
        for number, one in enumerate(self.values):
            self._paint_curve(painter, number, one)
        self._paint_names(painter, line)

    def _paint_bar(self, painter: QPainter, line: float) -> None:
        painter.setPen(QPen(QColor(self._theme.border)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(QRectF(_PAD, 1.3 * line, self.width() - 2 * _PAD, 1.4 * line))
        for number, (box, one) in enumerate(zip(self.parts(), self.values, strict=True)):
            color = class_color(self._theme, number)
            painter.fillRect(box.adjusted(0.5, 0.5, -0.5, -0.5), QColor(color))
            painter.setPen(QColor(letter_ink(color, SOFT_BLACK)))
            painter.drawText(box, CENTRE, self._written(one, box.width()))

    def _written(self, one: ShareValues, width: float) -> str:
        """The longest wording of a share that fits."""
        share = f"{format_number(100 * one.share, 0.1)} %"
        for text in (f"{one.name} {share}", share, one.letter):
            if self._metrics().horizontalAdvance(text) + 4 <= width:
                return text
        return ""

    def _paint_axes(self, painter: QPainter, line: float) -> None:
        area = self.area()
        self._paint_scale(painter, area, self.top, self._tick(), _TICK)
        for quarter in range(5):
            x = self.at(quarter / 4, 0).x()
            painter.drawText(
                QRectF(x - 40, area.bottom() + 0.4 * line, 80, line),
                CENTRE,
                format_number(quarter / 4, 0.01 if quarter % 2 else 0.1),
            )
        painter.drawText(
            QRectF(_PAD, 3.1 * line, self.width(), line), LEFT, "fⱼ(b): what the class adds to the mean time"
        )
        painter.drawText(
            QRectF(area.left(), area.bottom() + 1.4 * line, area.width(), line), CENTRE, "b, its share of the servers"
        )

    def _paint_curve(self, painter: QPainter, number: int, one: ShareValues) -> None:
        """Paint f_j from rho_j on, and a gold dot at b*_j."""
        scale, color = current_fonts().scale, QColor(class_color(self._theme, number))
        points = [self.at(min(share, 1.0), value_of(one.curve, min(share, 1.0))) for share, _ in one.curve]
        points.append(self.at(1.0, value_of(one.curve, 1.0)))
        painter.setPen(QPen(color, 2.0 * scale))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF(points))
        painter.setPen(QPen(QColor(self._theme.panel), 1.0))
        painter.setBrush(QColor(self._theme.optimum))
        painter.drawEllipse(self.at(one.share, one.height), _RADIUS * scale, _RADIUS * scale)

    def _paint_names(self, painter: QPainter, line: float) -> None:
        area, elide = self.area(), Qt.TextElideMode.ElideRight
        ends = [self.at(1.0, value_of(one.curve, 1.0)).y() for one in self.values]
        low, high = area.top() - line, area.bottom() + line / 4
        shown = self.values[: int((high - low) // line)]
        for number, (one, end, centre) in enumerate(
            zip(shown, ends, spread(ends[: len(shown)], line, low, high), strict=False)
        ):
            color = class_color(self._theme, number)
            painter.setPen(QPen(QColor(color)))
            painter.drawLine(QLineF(area.right(), end, area.right() + _LEADER - 2, centre))
            painter.setPen(QColor(self._theme.ink(color)))
            room = self.width() - area.right() - _LEADER
            box = QRectF(area.right() + _LEADER, centre - line / 2, room, line)
            painter.drawText(box, LEFT, self._metrics().elidedText(one.name, elide, room))

    # The mouse, and words.

    def class_at(self, place: QPointF) -> int:
        """The class whose part of the bar, or whose dot, is at a point; -1 if there is none."""
        for number, box in enumerate(self.parts()):
            if box.contains(place):
                return number
        reach = 3 * _RADIUS
        dots = [(self.at(one.share, one.height) - place).manhattanLength() for one in self.values]
        near = min(range(len(dots)), key=dots.__getitem__, default=-1)
        return near if near >= 0 and dots[near] <= reach else -1

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        number = self.class_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and number >= 0:
            self.picked.emit(number)

    def tip_at(self, point: QPointF) -> str:
        """A class in words, or how to read the picture."""
        number = self.class_at(point)
        if number < 0:
            return "(Q1): the shares for which the curves’ sum is least; a click on a class shows its widths."
        one = self.values[number]
        return (
            f"{one.name}: {format_number(one.servers)} servers, b = {significant(one.share)}, "
            f"f(b) = {significant(one.height)}. A click shows its widths."
        )
