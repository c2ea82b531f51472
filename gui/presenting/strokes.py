"""Where a mark stands in a panel, and how it is painted: legible from the back, over whatever is below it."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from slotscope.gui.pictures.pointed import PointedPicture
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.lessons.marks import FURTHEST, Ground, Mark, written_path

#: Pixels of a line's width, of what lies below it on either side, and of an arrow's head, at the usual size of type.
_WIDTH, _UNDER, _HEAD = 3.5, 2.0, 16.0

#: Half the angle of an arrow's head, and pixels around the words of a note.
_ANGLE, _PAD = math.radians(27), 5.0

#: The colour of the theme for each colour of a mark.
ROLES = {"red": "rejection", "blue": "focus", "ink": "normal"}


def picture_in(panel: QWidget) -> PointedPicture | None:
    """The picture of servers in a panel, if it shows one."""
    return next((one for one in panel.findChildren(PointedPicture) if one.isVisibleTo(panel)), None)


def base_of(panel: QWidget, on: Ground) -> QRectF | None:
    """Where what a mark's path is in shares of is in the panel; None: that cannot be seen."""
    if on == "panel":
        return QRectF(panel.rect())
    picture = picture_in(panel)
    if picture is None:
        return None
    box = picture.content_box() if on == "picture" else picture.anchor_box(on)
    if box is None or box.isEmpty():
        return None
    return box.translated(QPointF(picture.mapTo(panel, picture.rect().topLeft())))


def ground_of(panel: QWidget, points: list[QPointF]) -> Ground:
    """On what a mark with these points stands: the server at the end of an arrow or in the middle of all else.

    Where no server is, as at a caption, all of them together, which shrink and grow with the panel's room.
    """
    picture = picture_in(panel)
    if picture is None:
        return "panel"
    middle = points[-1] if len(points) == 2 else QPolygonF(points).boundingRect().center()
    at = picture.anchor_at(QPointF(picture.mapFrom(panel, middle)))
    grounds: tuple[Ground, ...] = ("picture",) if at is None else (at, "picture")
    bases = ((on, base_of(panel, on)) for on in grounds)
    return next((on for on, base in bases if base is not None and _is_near(base, points)), "panel")


def _is_near(base: QRectF, points: list[QPointF]) -> bool:
    return max(max(abs(x), abs(y)) for x, y in _shares(base, points)) < FURTHEST


def _shares(base: QRectF, points: list[QPointF]) -> tuple[tuple[float, float], ...]:
    return tuple(((point.x() - base.x()) / base.width(), (point.y() - base.y()) / base.height()) for point in points)


def path_of(panel: QWidget, on: Ground, points: list[QPointF]) -> str:
    """Points of a panel as a mark's path."""
    base = base_of(panel, on)
    assert base is not None
    return written_path(_shares(base, points))


def placed(panel: QWidget, mark: Mark) -> list[QPointF]:
    """The points of a mark in its panel; none where what it stands on cannot be seen."""
    base = base_of(panel, mark.ground)
    if base is None:
        return []
    return [QPointF(base.x() + x * base.width(), base.y() + y * base.height()) for x, y in mark.points]


def paint_mark(painter: QPainter, theme: Theme, room: QRectF, mark: Mark, points: list[QPointF]) -> None:
    """Paint a mark of a panel that is *room* large."""
    color = theme.color(ROLES[mark.color])
    if mark.shape != "note":
        _paint_line(painter, theme, color, mark.shape == "arrow", points)
    if mark.text:
        _paint_words(painter, theme, color, room, mark.text, points[0])


def _paint_line(painter: QPainter, theme: Theme, color: str, headed: bool, points: list[QPointF]) -> None:
    scale = current_fonts().scale
    lines = [QPolygonF(points)]
    if headed:
        lines.append(_head(points[0], points[1], _HEAD * scale))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for tone, width in ((theme.panel, _WIDTH + 2 * _UNDER), (color, _WIDTH)):
        round_ends = Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        painter.setPen(QPen(QColor(tone), width * scale, Qt.PenStyle.SolidLine, *round_ends))
        for line in lines:
            painter.drawPolyline(line)


def _head(start: QPointF, end: QPointF, size: float) -> QPolygonF:
    towards = math.atan2(end.y() - start.y(), end.x() - start.x())
    sides = [
        QPointF(end.x() - size * math.cos(towards + turn), end.y() - size * math.sin(towards + turn))
        for turn in (_ANGLE, -_ANGLE)
    ]
    return QPolygonF([sides[0], end, sides[1]])


def _paint_words(painter: QPainter, theme: Theme, color: str, room: QRectF, text: str, at: QPointF) -> None:
    """Words on a plate that is kept within the panel."""
    font = current_fonts().heading
    wrap = Qt.TextFlag.TextWordWrap
    most = QRectF(0, 0, max(1.0, 0.6 * room.width()), room.height())
    plate = QFontMetricsF(font).boundingRect(most, wrap, text).adjusted(-_PAD, -_PAD, _PAD, _PAD)
    plate.moveTopLeft(at)
    plate.moveLeft(max(room.left(), min(plate.left(), room.right() - plate.width() - 1)))
    plate.moveTop(max(room.top(), min(plate.top(), room.bottom() - plate.height() - 1)))
    painter.setFont(font)
    painter.setPen(QPen(QColor(color), 2.0))
    painter.setBrush(QColor(theme.panel))
    painter.drawRoundedRect(plate, 4, 4)
    painter.setPen(QColor(color))
    painter.drawText(plate.adjusted(_PAD, _PAD, _PAD, _PAD), wrap, text)
