"""Icons drawn as paths on a square of 24 units, so that they do not depend on any font."""

from __future__ import annotations

import math
from functools import cache
from typing import Iterator, Self

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPainterPath, QPen, QPixmap, QTransform

from slotscope.gui.painting.colour import mix
from slotscope.gui.theme import Theme

UNITS = 24
_STROKE = 2.0
_DISABLED = 0.6

Points = tuple[tuple[float, float], ...]


class _Drawing:
    """The geometry of an icon: areas to fill and lines to draw."""

    def __init__(self) -> None:
        self.areas = QPainterPath()
        self.areas.setFillRule(Qt.FillRule.OddEvenFill)
        self.lines = QPainterPath()

    def area(self, *points: tuple[float, float]) -> Self:
        self.areas.addPath(_path(points, closed=True))
        return self

    def line(self, *points: tuple[float, float], closed: bool = False) -> Self:
        self.lines.addPath(_path(points, closed))
        return self

    def box(self, x: float, y: float, width: float, height: float) -> Self:
        self.areas.addRect(QRectF(x, y, width, height))
        return self

    def disc(self, x: float, y: float, radius: float) -> Self:
        self.areas.addEllipse(QPointF(x, y), radius, radius)
        return self

    def ring(self, x: float, y: float, radius: float) -> Self:
        self.lines.addEllipse(QPointF(x, y), radius, radius)
        return self

    def arc(self, x: float, y: float, radius: float, start: float, sweep: float) -> Self:
        """A circular arc; angles in degrees, counter-clockwise from the right."""
        square = QRectF(x - radius, y - radius, 2 * radius, 2 * radius)
        self.lines.arcMoveTo(square, start)
        self.lines.arcTo(square, start, sweep)
        return self

    def right_half(self, x: float, y: float, radius: float) -> Self:
        half = QPainterPath(QPointF(x, y - radius))
        half.arcTo(QRectF(x - radius, y - radius, 2 * radius, 2 * radius), 90, -180)
        half.closeSubpath()
        self.areas.addPath(half)
        return self

    def mirrored(self) -> _Drawing:
        """The mirror image."""
        turn = QTransform(-1, 0, 0, 1, UNITS, 0)
        result = _Drawing()
        result.areas.addPath(turn.map(self.areas))
        result.lines.addPath(turn.map(self.lines))
        return result


def _path(points: Points, closed: bool) -> QPainterPath:
    path = QPainterPath(QPointF(*points[0]))
    for point in points[1:]:
        path.lineTo(QPointF(*point))
    if closed:
        path.closeSubpath()
    return path


def _teeth(count: int) -> Iterator[tuple[float, float]]:
    for tooth in range(count):
        for offset, radius in ((-16, 7.0), (-10, 10.0), (10, 10.0), (16, 7.0)):
            angle = math.radians(360 / count * tooth + offset)
            yield 12 + radius * math.cos(angle), 12 + radius * math.sin(angle)


_FORWARD = {
    "run": _Drawing().area((7, 4), (20, 12), (7, 20)),
    "pause": _Drawing().box(6, 4.5, 4, 15).box(14, 4.5, 4, 15),
    "step": _Drawing().area((5, 5), (15, 12), (5, 19)).box(16, 5, 3, 14),
    "substep": _Drawing().area((9, 7), (17, 12), (9, 17)).disc(5, 12, 1.8).box(18, 7, 2, 10),
    "into": _Drawing().line((12, 3), (12, 13)).area((7, 10), (17, 10), (12, 16)).disc(12, 20, 2),
    "out": _Drawing().line((12, 8), (12, 15.5)).area((7, 9), (17, 9), (12, 3)).disc(12, 20, 2),
    "to_next": _Drawing().area((3, 6), (10, 12), (3, 18)).area((10, 6), (17, 12), (10, 18)).disc(19.8, 12, 2.2),
    "to_live_end": _Drawing().area((3, 6), (10, 12), (3, 18)).area((10, 6), (17, 12), (10, 18)).box(18, 5, 3, 14),
    "express": _Drawing()
    .line((3, 6), (8, 12), (3, 18))
    .line((9, 6), (14, 12), (9, 18))
    .line((15, 6), (20, 12), (15, 18)),
    "camera": _Drawing()
    .line((3, 8), (7, 8), (9, 5), (15, 5), (17, 8), (21, 8), (21, 19), (3, 19), closed=True)
    .ring(12, 13.2, 3.4),
    "copy": _Drawing()
    .line((9, 9), (21, 9), (21, 21), (9, 21), closed=True)
    .line((15, 9), (15, 3), (3, 3), (3, 15), (9, 15)),
    "csv": _Drawing()
    .line((4, 4), (20, 4), (20, 20), (4, 20), closed=True)
    .box(4, 4, 16, 5)
    .line((4, 14.5), (20, 14.5))
    .line((12, 9), (12, 20)),
    "lecture": _Drawing()
    .line((2, 4), (22, 4))
    .line((4, 4), (4, 15), (20, 15), (20, 4))
    .line((7.5, 21), (12, 15), (16.5, 21))
    .line((7.5, 12), (10.5, 9), (13, 11), (16.5, 7.5)),
    "theme": _Drawing().ring(12, 12, 8.5).right_half(12, 12, 8.5),
    "gear": _Drawing().area(*_teeth(8)).disc(12, 12, 3.2),
    "bookmark": _Drawing().area((6, 3), (18, 3), (18, 21), (12, 16.5), (6, 21)),
    "breakpoint": _Drawing().disc(12, 12, 7.5),
    "help": _Drawing()
    .ring(12, 12, 9.3)
    .arc(12, 9.8, 2.9, 170, -200)
    .line((13.3, 12.3), (12, 13.6), (12, 14.4))
    .disc(12, 17.4, 1.3),
    "warning": _Drawing()
    .line((12, 3.5), (21.5, 20), (2.5, 20), closed=True)
    .line((12, 9.5), (12, 14))
    .disc(12, 17, 1.3),
    "cancel": _Drawing().line((6, 6), (18, 18)).line((18, 6), (6, 18)),
}
_BACKWARD = {"step_back": "step", "substep_back": "substep", "to_previous": "to_next", "to_start": "to_live_end"}
ICON_NAMES = (*_FORWARD, *_BACKWARD)


@cache
def _drawing(name: str) -> _Drawing:
    if name in _BACKWARD:
        return _drawing(_BACKWARD[name]).mirrored()
    return _FORWARD[name]


def paint_icon(painter: QPainter, name: str, square: QRectF, color: str) -> None:
    """Draw an icon into *square*, at any size, in *color* (``#rrggbb``)."""
    drawing = _drawing(name)
    pen = QPen(QColor(color), _STROKE)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(square.topLeft())
    painter.scale(square.width() / UNITS, square.height() / UNITS)
    painter.fillPath(drawing.areas, QColor(color))
    painter.strokePath(drawing.lines, pen)
    painter.restore()


@cache
def icon(name: str, theme: Theme, color: str | None = None) -> QIcon:
    """An icon for buttons and menus, sharp at every size and device pixel ratio; painted when first shown.

    - *name*: One of :data:`ICON_NAMES`.
    - *color*: One of the theme's colours if the icon has a meaning; by default the text colour.
    """
    enabled = color or theme.normal
    return QIcon(_SeenIcon(name, enabled, mix(enabled, theme.window, _DISABLED)))


class _SeenIcon(QIconEngine):
    """Paints an icon at the size shown, and only then: a window never shows most of its icons.  Immutable."""

    def __init__(self, name: str, enabled: str, disabled: str) -> None:
        super().__init__()
        self._name, self._colors = name, (enabled, disabled)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, _: QIcon.State) -> None:
        square = QRectF(0, 0, *[min(rect.width(), rect.height())] * 2)
        square.moveCenter(QRectF(rect).center())
        paint_icon(painter, self._name, square, self._colors[mode == QIcon.Mode.Disabled])

    def pixmap(self, size: QSize, mode: QIcon.Mode, _: QIcon.State) -> QPixmap:
        return _pixmap(self._name, min(size.width(), size.height()), self._colors[mode == QIcon.Mode.Disabled])


@cache
def _pixmap(name: str, size: int, color: str) -> QPixmap:
    if size < 1:  # in a button without a size yet
        return QPixmap()
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_icon(painter, name, QRectF(0, 0, size, size), color)
    painter.end()
    return pixmap
