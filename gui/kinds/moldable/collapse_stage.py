"""The visible part of the plane, and its mapping to the widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from slotscope.gui.kinds.moldable.collapse_values import CollapsePlane, Point, near_span
from slotscope.gui.kinds.moldable.wording import width_words
from slotscope.gui.painting.text import CENTRE, RIGHT
from slotscope.gui.plotting.scales import format_number, step_up
from slotscope.gui.theme import Theme
from slotscope.model.reporting.letters import subscript

_MARGIN, _GAP, _TICK = 8.0, 6.0, 4.0
_SPACING = (4.5, 2.5)  # least distance of ticks, in lines of text
_LEAST_NEAR, _MOST_ZOOM = 2.0, 2000.0
#: Margins of the view before and beyond what must be visible, as shares of it.
_BEFORE, _BEYOND = 0.03, 0.07


@dataclass(frozen=True)
class Window:
    """The visible part of the plane."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def sides(self) -> tuple[float, float]:
        """Width and height."""
        return self.right - self.left, self.top - self.bottom

    def zoomed(self, factor: float, around: Point, most: Window) -> Window:
        """Zoom in by a factor around a fixed point; at most *most* is visible."""
        wide, high = (side / factor for side in self.sides)
        if wide >= most.sides[0] or high >= most.sides[1]:
            return most
        if most.sides[0] / wide > _MOST_ZOOM:
            return self
        left = around[0] - (around[0] - self.left) / factor
        bottom = around[1] - (around[1] - self.bottom) / factor
        return Window(left, left + wide, bottom, bottom + high).inside(most)

    def moved(self, by: Point, most: Window) -> Window:
        """Move, clamped to *most*."""
        return Window(self.left + by[0], self.right + by[0], self.bottom + by[1], self.top + by[1]).inside(most)

    def inside(self, most: Window) -> Window:
        """Move into *most*."""
        x = max(0.0, most.left - self.left) - max(0.0, self.right - most.right)
        y = max(0.0, most.bottom - self.bottom) - max(0.0, self.top - most.top)
        return Window(self.left + x, self.right + x, self.bottom + y, self.top + y)


def whole(plane: CollapsePlane) -> Window:
    """The window with all possible states: the triangle below q_1 = 1."""
    x, y = plane.corners
    return Window(-_BEFORE * x, (1 + _BEYOND) * x, -_BEFORE * y, (1 + _BEYOND) * y)


def near(plane: CollapsePlane) -> Window:
    """The neighbourhood of y*, at most half of the whole in each direction."""
    most = whole(plane)
    x, y = (min(near_span(plane), side / (2 * _LEAST_NEAR)) for side in most.sides)
    (first, second) = plane.target
    return Window(first - x, first + x, second - y, second + y).inside(most)


class Stage:
    """A window of the plane mapped to a widget's area."""

    def __init__(self, size: QSizeF, window: Window, metrics: QFontMetricsF) -> None:
        self.window, self.size, self.metrics = window, size, metrics
        line = metrics.height()
        texts = [text for _, text in self._ticks(1, size.height())]
        wide = max((metrics.horizontalAdvance(text) for text in texts), default=0.0)
        left, below = line + wide + _TICK + _GAP, 2 * line + _TICK + _GAP
        self.area = QRectF(
            left, _MARGIN, max(1.0, size.width() - _MARGIN - left), max(1.0, size.height() - _MARGIN - below)
        )

    def _ticks(self, axis: int, length: float) -> list[tuple[float, str]]:
        low, high = ((self.window.left, self.window.right), (self.window.bottom, self.window.top))[axis]
        room = _SPACING[axis] * self.metrics.height()
        step = step_up((high - low) / max(2.0, length / room))
        first = max(0, -int(-low // step))
        places = (number * step for number in range(first, int(high // step) + 1))
        return [(place, format_number(place, step)) for place in places if place >= low]

    def ticks(self, axis: int) -> list[tuple[float, str]]:
        """Coordinates and texts of the ticks."""
        return self._ticks(axis, self.area.width() if axis == 0 else self.area.height())

    def at(self, point: Sequence[float]) -> QPointF:
        """The position of a point in the widget."""
        wide, high = self.window.sides
        return QPointF(
            self.area.left() + (point[0] - self.window.left) / wide * self.area.width(),
            self.area.bottom() - (point[1] - self.window.bottom) / high * self.area.height(),
        )

    def point(self, at: QPointF) -> Point:
        """The point of the plane at a position in the widget."""
        wide, high = self.window.sides
        return (
            self.window.left + (at.x() - self.area.left()) / self.area.width() * wide,
            self.window.bottom + (self.area.bottom() - at.y()) / self.area.height() * high,
        )


def paint_axes(painter: QPainter, stage: Stage, theme: Theme, widths: tuple[int, int]) -> None:
    """Paint grid, numbers and names of both axes."""
    area, line = stage.area, stage.metrics.height()
    for place, text in stage.ticks(0):
        x = round(stage.at((place, 0.0)).x()) + 0.5
        _rule(painter, theme, QLineF(x, area.top(), x, area.bottom()), place == 0)
        painter.drawText(QRectF(x - 60, area.bottom() + _TICK, 120, line), CENTRE, text)
    for place, text in stage.ticks(1):
        y = round(stage.at((0.0, place)).y()) + 0.5
        _rule(painter, theme, QLineF(area.left(), y, area.right(), y), place == 0)
        painter.drawText(QRectF(0, y - line / 2, area.left() - _TICK, line), RIGHT, text)
    below = QRectF(area.left(), area.bottom() + _TICK + line, area.width(), line)
    painter.drawText(below, CENTRE, _axis_name(stage, widths[0], below.width()))
    painter.save()
    painter.translate(0, area.bottom())
    painter.rotate(-90)
    side = QRectF(0, 0, area.height(), line)
    painter.drawText(side, CENTRE, _axis_name(stage, widths[1], side.width()))
    painter.restore()


def _axis_name(stage: Stage, width: int, room: float) -> str:
    """The name of an axis, in the longest wording that fits."""
    symbol = f"x{subscript(width)}"
    names = f"{symbol}: jobs {width_words(width)}, divided by n", f"{symbol}: {width_words(width)}"
    fitting = (name for name in names if stage.metrics.horizontalAdvance(name) <= room)
    return next(fitting, symbol)


def _rule(painter: QPainter, theme: Theme, line: QLineF, axis: bool) -> None:
    """Paint a grid line; afterwards the pen is that of text."""
    painter.setPen(QPen(QColor(theme.border if axis else theme.grid)))
    painter.drawLine(line)
    painter.setPen(QColor(theme.muted))


def clipped(corners: Sequence[Point], factors: Point, most: float) -> list[Point]:
    """The part of a convex polygon in which factors . x <= most."""
    heights = [factors[0] * x + factors[1] * y - most for x, y in corners]
    return list(_kept(corners, heights))


def _kept(corners: Sequence[Point], heights: Sequence[float]) -> Iterator[Point]:
    for place, (here, above) in enumerate(zip(corners, heights, strict=True)):
        before, before_above = corners[place - 1], heights[place - 1]
        if (above > 0) != (before_above > 0):
            share = before_above / (before_above - above)
            yield (before[0] + share * (here[0] - before[0]), before[1] + share * (here[1] - before[1]))
        if above <= 0:
            yield here
