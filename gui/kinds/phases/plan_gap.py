"""The gap N - Nbar over the square root of r: JRS at several scales, other policies at one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import sqrt
from typing import Iterator

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.painting.text import CENTRE, RIGHT
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number, step_up
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart

_PAD, _TICK, _RADIUS = 8.0, 4.0, 4.0
_TICKS = 4
#: Least height of the picture in lines of text, normally and in lecture mode.
_LEAST_LINES, _LEAST_IN_HALL = 9, 7
#: Positions of the line's label, as shares of its length, the best first.
_ALONG = (0.5, 0.35, 0.65, 0.8, 0.2)
#: Pieces of the line that names avoid; largest width of a name in two lines, relative to the width of one line.
_PIECES, _TWO_LINES = 60, 1.7


@dataclass(frozen=True)
class GapPoint:
    """One policy at one scale."""

    title: str
    scale: float  #: r
    gap: float  #: N - Nbar
    half_width: float
    role: str = "run"  #: the theme's colour
    named: bool = False  #: whether its title is written beside it


def constant_of(points: tuple[GapPoint, ...]) -> float | None:
    """c of gap = c sqrt(r) by least squares; None with fewer than two scales."""
    if len({point.scale for point in points}) < 2:
        return None
    return sum(point.gap * sqrt(point.scale) for point in points) / sum(point.scale for point in points)


def _least_lines() -> int:
    """Least height of the plot in lines of text."""
    return _LEAST_IN_HALL if current_fonts().lecture else _LEAST_LINES


def _label(constant: float) -> str:
    """The label of the line through the points of JRS."""
    return f"{significant(constant, 2)} √r"


class GapPlot(Chart):
    """Points with intervals over sqrt(r), and the line c sqrt(r) through those of JRS."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "gap to the bound over the square root of r")
        self.points: tuple[GapPoint, ...] = ()  #: the points of JRS
        self._peers: tuple[GapPoint, ...] = ()

    def set_points(self, points: tuple[GapPoint, ...], peers: tuple[GapPoint, ...]) -> None:
        """Show these points; the line fits *points*."""
        if (points, peers) != (self.points, self._peers):
            self.points, self._peers = points, peers
            self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self.setMinimumHeight(round(_least_lines() * self._metrics().height()))

    def sizeHint(self) -> QSize:
        lines = _least_lines() if current_fonts().lecture else 12  # in lecture mode the whole panel must be visible
        return QSize(300, round(lines * self._metrics().height()))

    # Geometry.

    def _ends(self) -> tuple[float, float, float]:
        """The largest sqrt(r), and the least and largest gap, of the axes."""
        everything = self.points + self._peers
        right = max((sqrt(point.scale) for point in everything), default=1.0)
        tops = [point.gap + max(point.half_width, 0.0) for point in everything]
        lows = [point.gap - max(point.half_width, 0.0) for point in everything]
        low = min([0.0, *lows])
        return 1.08 * right, -step_up(-low) if low < 0 else 0.0, step_up(max([1.0, *tops]))

    def _room(self) -> QRectF:
        line = self._metrics().height()
        widest = max(self._metrics().horizontalAdvance(text) for _, text in self.ticks())
        left = _PAD + widest + 2 * _TICK
        return QRectF(
            left, line + _PAD, max(self.width() - left - _PAD, 1.0), max(self.height() - 3 * line - 2 * _PAD, 1.0)
        )

    def ticks(self) -> list[tuple[float, str]]:
        """The gaps with horizontal grid lines, and their texts."""
        _, low, top = self._ends()
        gaps = [low + (top - low) * step / _TICKS for step in range(_TICKS + 1)]
        return [(gap, format_number(gap, (top - low) / _TICKS / 10)) for gap in gaps]

    def at(self, point: GapPoint) -> QPointF:
        """The position of a point in the widget."""
        return self._at(sqrt(point.scale), point.gap)

    def _at(self, root: float, gap: float) -> QPointF:
        room, (right, low, top) = self._room(), self._ends()
        return QPointF(
            room.left() + room.width() * root / right, room.bottom() - room.height() * (gap - low) / (top - low)
        )

    # Painting.

    def paint(self, painter: QPainter) -> None:
        if not self.points and not self._peers:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axes(painter)
        self._paint_line(painter)
        for point in (*self._peers, *self.points):
            self._paint_point(painter, point)
        self._paint_names(painter)

    def _paint_axes(self, painter: QPainter) -> None:
        room, line = self._room(), self._metrics().height()
        for gap, text in self.ticks():
            y = self._at(0.0, gap).y()
            painter.setPen(QPen(QColor(self._theme.grid), 1.0))
            painter.drawLine(QLineF(room.left(), y, room.right(), y))
            painter.setPen(QColor(self._theme.muted))
            box = QRectF(0, y - line / 2, room.left() - _TICK, line)
            painter.drawText(box, RIGHT, text)
        self._paint_scales(painter, room, line)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(
            QRectF(room.left(), 0, room.width(), line), Qt.AlignmentFlag.AlignLeft, "servers above the bound"
        )
        painter.drawText(
            QRectF(room.left(), self.height() - line - 2, room.width(), line), CENTRE, "r, on an axis of √r"
        )

    def _paint_scales(self, painter: QPainter, room: QRectF, line: float) -> None:
        """Write each r with a point, skipping those that would overlap."""
        taken = -1e9
        for scale in sorted({point.scale for point in (*self.points, *self._peers)}):
            text = significant(scale)
            width = self._metrics().horizontalAdvance(text)
            x = self._at(sqrt(scale), 0.0).x()
            if x - width / 2 > taken + _TICK:
                painter.setPen(QColor(self._theme.muted))
                box = QRectF(x - width, room.bottom() + 2, 2 * width, line)
                painter.drawText(box, CENTRE, text)
                taken = x + width / 2

    def _paint_line(self, painter: QPainter) -> None:
        constant = constant_of(self.points)
        if constant is None:
            return
        right, _, _ = self._ends()
        painter.setPen(QPen(QColor(self._theme.run), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(self._at(0.0, 0.0), self._at(right, constant * right)))
        painter.setPen(QColor(self._theme.ink(self._theme.run)))
        painter.drawText(self.label_box(constant), CENTRE, _label(constant))

    def label_box(self, constant: float) -> QRectF:
        """The box of the line's label: beside it, clear of the axes' texts, and of other policies' names and points."""
        line, right, room = self._metrics().height(), self._ends()[0], self._room()
        width = self._metrics().horizontalAdvance(_label(constant)) + 4
        taken = [box for _, box in self.name_boxes()]
        taken += [
            QRectF(self.at(point), QSizeF()).adjusted(-_PAD, -_PAD, _PAD, _PAD)
            for point in (*self._peers, *self.points)
        ]
        boxes = []
        for share in _ALONG:
            at = self._at(share * right, share * constant * right)
            boxes += [
                QRectF(at.x() - width - _PAD, at.y() - 1.4 * line, width, line),
                QRectF(at.x() + _PAD, at.y() + 0.4 * line, width, line),
            ]
        unwritten = room.adjusted(0, -_PAD, 0, 0)  # the area below the title
        inside = [box for box in boxes if unwritten.contains(box)]
        free = (box for box in inside if not any(box.intersects(other) for other in taken))
        return next(free, (inside or boxes)[0])

    def _paint_point(self, painter: QPainter, point: GapPoint) -> None:
        color, at = QColor(self._theme.color(point.role)), self.at(point)
        painter.setPen(QPen(color, 2.0))
        if point.half_width == point.half_width:
            low = self._at(sqrt(point.scale), point.gap - point.half_width)
            high = self._at(sqrt(point.scale), point.gap + point.half_width)
            painter.drawLine(QLineF(low, high))
        painter.setBrush(color)
        painter.drawEllipse(at, _RADIUS, _RADIUS)

    def _paint_names(self, painter: QPainter) -> None:
        for point, box in self.name_boxes():
            painter.setPen(QColor(self._theme.ink(self._theme.color(point.role))))
            beside = Qt.AlignmentFlag.AlignLeft if box.left() > self.at(point).x() else Qt.AlignmentFlag.AlignRight
            painter.drawText(box, beside | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap, point.title)

    def name_boxes(self) -> list[tuple[GapPoint, QRectF]]:
        """The named points of other policies with the boxes of their names, as near as there is room.

        Names never overlap; one that finds no room clear of the points and the line may cover those.
        """
        marks, boxes = self._marks(), list[tuple[GapPoint, QRectF]]()
        for point in sorted((point for point in self._peers if point.named), key=lambda point: -point.gap):
            apart = [box for box in self._places(point) if not any(box.intersects(other) for _, other in boxes)]
            clear = (box for box in apart if not any(box.intersects(mark) for mark in marks))
            box = next(clear, apart[0] if apart else None)
            if box is not None:
                boxes.append((point, box))
        return boxes

    def _marks(self) -> list[QRectF]:
        """The boxes covered by points, and by the line in small pieces."""
        found = [self.at(point) for point in (*self._peers, *self.points)]
        constant = constant_of(self.points)
        if constant is not None:
            line = QLineF(self._at(0.0, 0.0), self._at(self._ends()[0], constant * self._ends()[0]))
            found += [line.pointAt(piece / _PIECES) for piece in range(_PIECES + 1)]
        return [QRectF(at, QSizeF()).adjusted(-_RADIUS, -_RADIUS, _RADIUS, _RADIUS) for at in found]

    def _places(self, point: GapPoint) -> Iterator[QRectF]:
        """Possible boxes of a name, the nearest first; in two lines if one does not fit."""
        line, room, at = self._metrics().height(), self._room(), self.at(point)
        needed, free = self._metrics().horizontalAdvance(point.title) + 4, 2 * _RADIUS
        sides = (self.width() - at.x() - free, True), (at.x() - free - room.left(), False)
        fitting = [(side, behind) for side, behind in sides if needed <= _TWO_LINES * side]
        for shift in range(2 * round(room.height() / line)):
            for (side, behind), up in product(fitting, (-1, 1)):
                width, tall = min(needed, side), line * (1 if needed <= side else 2)
                left = at.x() + free if behind else at.x() - free - width
                box = QRectF(left, at.y() + up * shift * line / 2 - tall / 2, width, tall)
                if room.top() <= box.top() and box.bottom() <= room.bottom():
                    yield box

    def tip_at(self, point: QPointF) -> str:
        """The nearest point in words, or how to read the picture."""
        close = [(one, (self.at(one) - point).manhattanLength()) for one in (*self.points, *self._peers)]
        nearest, distance = min(close, key=lambda pair: pair[1], default=(None, 0.0))
        if nearest is None or distance > 4 * _RADIUS:
            return (
                "Theorem 1: the gap grows at most like the square root of r. Points are short "
                "runs with 95 % intervals; the dashed line is c √r."
            )
        return (
            f"{nearest.title}, r = {significant(nearest.scale)}: N − N̄ = "
            f"{significant(nearest.gap)} ± {significant(nearest.half_width, 2)}"
        )
