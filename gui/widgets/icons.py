"""Icons drawn as paths on a square of 24 units, so that they do not depend on any font."""

from __future__ import annotations

import math
from functools import cache
from typing import Callable

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPainterPath, QPen, QPixmap, QTransform

from slotscope.gui.painting.colour import mix
from slotscope.gui.theme import Theme

UNITS = 24
_STROKE = 2.0
_DISABLED = 0.6

Points = tuple[tuple[float, float], ...]


class _Drawing:
    """What an icon consists of: areas to fill and lines to draw."""

    def __init__(self) -> None:
        self.areas = QPainterPath()
        self.areas.setFillRule(Qt.FillRule.OddEvenFill)
        self.lines = QPainterPath()

    def area(self, *points: tuple[float, float]) -> None:
        self.areas.addPath(_path(points, closed=True))

    def line(self, *points: tuple[float, float], closed: bool = False) -> None:
        self.lines.addPath(_path(points, closed))

    def box(self, x: float, y: float, width: float, height: float) -> None:
        self.areas.addRect(QRectF(x, y, width, height))

    def disc(self, x: float, y: float, radius: float) -> None:
        self.areas.addEllipse(QPointF(x, y), radius, radius)

    def ring(self, x: float, y: float, radius: float) -> None:
        self.lines.addEllipse(QPointF(x, y), radius, radius)

    def arc(self, x: float, y: float, radius: float, start: float, sweep: float) -> None:
        """A part of a circle; angles in degrees, counter-clockwise from the right."""
        square = QRectF(x - radius, y - radius, 2 * radius, 2 * radius)
        self.lines.arcMoveTo(square, start)
        self.lines.arcTo(square, start, sweep)

    def mirrored(self) -> _Drawing:
        """The same, looking the other way."""
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


def _run(icon: _Drawing) -> None:
    icon.area((7, 4), (20, 12), (7, 20))


def _pause(icon: _Drawing) -> None:
    icon.box(6, 4.5, 4, 15)
    icon.box(14, 4.5, 4, 15)


def _step(icon: _Drawing) -> None:
    icon.area((5, 5), (15, 12), (5, 19))
    icon.box(16, 5, 3, 14)


def _substep(icon: _Drawing) -> None:
    icon.area((9, 7), (17, 12), (9, 17))
    icon.disc(5, 12, 1.8)
    icon.box(18, 7, 2, 10)


def _into(icon: _Drawing) -> None:
    icon.line((12, 3), (12, 13))
    icon.area((7, 10), (17, 10), (12, 16))
    icon.disc(12, 20, 2)


def _out(icon: _Drawing) -> None:
    icon.line((12, 8), (12, 15.5))
    icon.area((7, 9), (17, 9), (12, 3))
    icon.disc(12, 20, 2)


def _to_next(icon: _Drawing) -> None:
    icon.area((3, 6), (10, 12), (3, 18))
    icon.area((10, 6), (17, 12), (10, 18))
    icon.disc(19.8, 12, 2.2)


def _to_live_end(icon: _Drawing) -> None:
    icon.area((3, 6), (10, 12), (3, 18))
    icon.area((10, 6), (17, 12), (10, 18))
    icon.box(18, 5, 3, 14)


def _express(icon: _Drawing) -> None:
    for x in (3.0, 9.0, 15.0):
        icon.line((x, 6), (x + 5, 12), (x, 18))


def _camera(icon: _Drawing) -> None:
    icon.line((3, 8), (7, 8), (9, 5), (15, 5), (17, 8), (21, 8), (21, 19), (3, 19), closed=True)
    icon.ring(12, 13.2, 3.4)


def _copy(icon: _Drawing) -> None:
    icon.line((9, 9), (21, 9), (21, 21), (9, 21), closed=True)
    icon.line((15, 9), (15, 3), (3, 3), (3, 15), (9, 15))


def _csv(icon: _Drawing) -> None:
    icon.line((4, 4), (20, 4), (20, 20), (4, 20), closed=True)
    icon.box(4, 4, 16, 5)
    icon.line((4, 14.5), (20, 14.5))
    icon.line((12, 9), (12, 20))


def _lecture(icon: _Drawing) -> None:
    icon.line((2, 4), (22, 4))
    icon.line((4, 4), (4, 15), (20, 15), (20, 4))
    icon.line((7.5, 21), (12, 15), (16.5, 21))
    icon.line((7.5, 12), (10.5, 9), (13, 11), (16.5, 7.5))


def _theme(icon: _Drawing) -> None:
    icon.ring(12, 12, 8.5)
    half = QPainterPath(QPointF(12, 3.5))
    half.arcTo(QRectF(3.5, 3.5, 17, 17), 90, -180)
    half.closeSubpath()
    icon.areas.addPath(half)


def _gear(icon: _Drawing) -> None:
    points = []
    for tooth in range(8):
        for offset, radius in ((-16, 7.0), (-10, 10.0), (10, 10.0), (16, 7.0)):
            angle = math.radians(45 * tooth + offset)
            points.append((12 + radius * math.cos(angle), 12 + radius * math.sin(angle)))
    icon.area(*points)
    icon.disc(12, 12, 3.2)


def _bookmark(icon: _Drawing) -> None:
    icon.area((6, 3), (18, 3), (18, 21), (12, 16.5), (6, 21))


def _breakpoint(icon: _Drawing) -> None:
    icon.disc(12, 12, 7.5)


def _help(icon: _Drawing) -> None:
    icon.ring(12, 12, 9.3)
    icon.arc(12, 9.8, 2.9, 170, -200)
    icon.line((13.3, 12.3), (12, 13.6), (12, 14.4))
    icon.disc(12, 17.4, 1.3)


def _warning(icon: _Drawing) -> None:
    icon.line((12, 3.5), (21.5, 20), (2.5, 20), closed=True)
    icon.line((12, 9.5), (12, 14))
    icon.disc(12, 17, 1.3)


def _cancel(icon: _Drawing) -> None:
    icon.line((6, 6), (18, 18))
    icon.line((18, 6), (6, 18))


_FORWARD: dict[str, Callable[[_Drawing], None]] = {
    "run": _run,
    "pause": _pause,
    "step": _step,
    "substep": _substep,
    "into": _into,
    "out": _out,
    "to_next": _to_next,
    "to_live_end": _to_live_end,
    "express": _express,
    "camera": _camera,
    "copy": _copy,
    "csv": _csv,
    "lecture": _lecture,
    "theme": _theme,
    "gear": _gear,
    "bookmark": _bookmark,
    "breakpoint": _breakpoint,
    "help": _help,
    "warning": _warning,
    "cancel": _cancel,
}
_BACKWARD = {"step_back": "step", "substep_back": "substep", "to_previous": "to_next", "to_start": "to_live_end"}
ICON_NAMES = (*_FORWARD, *_BACKWARD)


@cache
def _drawing(name: str) -> _Drawing:
    if name in _BACKWARD:
        return _drawing(_BACKWARD[name]).mirrored()
    icon = _Drawing()
    _FORWARD[name](icon)
    return icon


def paint_icon(painter: QPainter, name: str, square: QRectF, color: str) -> None:
    """Draw the icon of this name into *square* at any size, in *color* (``#rrggbb``)."""
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
    """The icon of this name for buttons and menus, sharp at every size and ratio; painted once it is seen.

    - *name*: One of :data:`ICON_NAMES`.
    - *color*: One of the theme's colours where the icon carries a meaning; text's otherwise.
    """
    enabled = color or theme.normal
    return QIcon(_SeenIcon(name, enabled, mix(enabled, theme.window, _DISABLED)))


class _SeenIcon(QIconEngine):
    """Paints an icon as large as it is seen, of which a window never shows most; none is ever changed, nor copied."""

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
    if size < 1:  # in a button that has no room yet
        return QPixmap()
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_icon(painter, name, QRectF(0, 0, size, size), color)
    painter.end()
    return pixmap
