"""A plane with two axes from 0, and where its points are in a widget."""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.painting.text import CENTRE, RIGHT
from slotscope.gui.plotting.scales import format_number, step_up
from slotscope.gui.theme import Theme, current_fonts

_MARGIN, _GAP, _TICK = 10.0, 6.0, 4.0
_ROOM = 1.14  # how far the axes go beyond the largest coordinates
_SPACING = (6.0, 3.0)  # least distance of ticks, in lines of text


class RegionPlane:
    """The part of a widget of *size* in which points up to *most* lie."""

    def __init__(self, size: QSize, most: tuple[float, float]) -> None:
        self.size = size
        self.high = tuple(_ROOM * (value or 1.0) for value in most)
        self.metrics = current_fonts().metrics
        line = self.metrics.height()
        wide = self.metrics.horizontalAdvance(format_number(*self._highest_tick(1)))
        left, bottom = line + 2 * _GAP + wide, 2 * line + 2 * _GAP
        self.area = QRectF(
            left, _MARGIN, max(1.0, size.width() - _MARGIN - left), max(1.0, size.height() - _MARGIN - bottom)
        )

    def _highest_tick(self, axis: int) -> tuple[float, float]:
        """The last tick, and the distance of ticks."""
        high = self.high[axis]
        length = self.size.width() if axis == 0 else self.size.height()
        room = _SPACING[axis] * self.metrics.height()
        step = step_up(high / max(2.0, length / room))
        return high // step * step, step

    def ticks(self, axis: int) -> list[tuple[float, str]]:
        """Coordinates of the ticks, and what is written there."""
        last, step = self._highest_tick(axis)
        values = [number * step for number in range(round(last / step) + 1)]
        return [(value, format_number(value, step)) for value in values]

    def at(self, point: Sequence[Fraction | float]) -> QPointF:
        """Where a point is in the widget."""
        x, y = (float(value) / high for value, high in zip(point, self.high, strict=True))
        area = self.area
        return QPointF(area.left() + x * area.width(), area.bottom() - y * area.height())


#: What an axis may be called, the longest first.
Names = tuple[str, ...]


def paint_axes(painter: QPainter, plane: RegionPlane, theme: Theme, names: tuple[Names, Names]) -> None:
    """Grid, numbers and names of both axes."""
    area, line = plane.area, plane.metrics.height()
    for place, text in plane.ticks(0):
        x = round(plane.at((place, 0.0)).x()) + 0.5
        painter.setPen(QPen(QColor(theme.grid)))
        painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        painter.setPen(QColor(theme.muted))
        painter.drawText(QRectF(x - 60, area.bottom() + _TICK, 120, line), CENTRE, text)
    for place, text in plane.ticks(1):
        y = round(plane.at((0.0, place)).y()) + 0.5
        painter.setPen(QPen(QColor(theme.grid)))
        painter.drawLine(QLineF(area.left(), y, area.right(), y))
        if place:
            painter.setPen(QColor(theme.muted))
            box = QRectF(0, y - line / 2, area.left() - _TICK, line)
            painter.drawText(box, RIGHT, text)
    painter.setPen(QPen(QColor(theme.border)))
    painter.drawLine(QLineF(area.bottomLeft(), area.bottomRight()))
    painter.drawLine(QLineF(area.topLeft(), area.bottomLeft()))
    painter.setPen(QColor(theme.muted))
    _paint_names(painter, plane, names)


def _paint_names(painter: QPainter, plane: RegionPlane, names: tuple[Names, Names]) -> None:
    """One below, the other upright at the left, each as long as there is room."""
    area, line = plane.area, plane.metrics.height()
    below = QRectF(area.left(), plane.size.height() - line - 2, area.width(), line)
    painter.drawText(below, CENTRE, _fitting(plane, names[0], below.width()))
    painter.save()
    painter.translate(_MARGIN / 2, area.bottom())
    painter.rotate(-90)
    side = QRectF(0, 0, area.height(), line)
    painter.drawText(side, CENTRE, _fitting(plane, names[1], side.width()))
    painter.restore()


def _fitting(plane: RegionPlane, names: Names, width: float) -> str:
    fits = (name for name in names if plane.metrics.horizontalAdvance(name) <= width)
    return next(fits, "") or plane.metrics.elidedText(names[-1], Qt.TextElideMode.ElideRight, width)
