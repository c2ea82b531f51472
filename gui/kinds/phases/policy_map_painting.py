"""Paints the constant parts of the map: pi, the cases, requests, the budget, and the axes."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.policy_map_layout import NONE, Cells, MapLayout
from slotscope.gui.kinds.phases.policy_map_values import MapValues
from slotscope.gui.painting.colour import mix
from slotscope.gui.painting.text import CENTRE
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS

#: Shares of the optimum's colour in the cells with the least and the largest pi.
_FAINTEST, _STRONGEST = 0.12, 0.85
_INSET = 2.0
_CROSS = 0.28  # reach of the cross, as a share of a cell's side
_REACH = (0.30, 0.80)  # begin and end of an arrow, in cell sides from its cell's centre
_THIN, _WIDE = 1.4, 5.0  # least and largest width of arrows
_HEAD = 3.2  # size of an arrow's head at a width of 1
_DASH = (2.0, 1.6)
_MOST_BOW = 0.9  # largest bend of the arc to k0, in cell sides
#: Least sides of cells in pixels for arrows, and for numbers at axes.
_LEAST_ARROW, _LEAST_NUMBER = 11, 15


def shade(theme: Theme, level: float) -> str:
    """The colour for a level of pi from 0 to 1."""
    return mix(theme.panel, theme.optimum, _FAINTEST + (_STRONGEST - _FAINTEST) * level)


def paint_arrow(painter: QPainter, start: QPointF, end: QPointF, color: str, width: float, dashed: bool) -> None:
    """Paint an arrow; *dashed* ones stand for timers."""
    line = QLineF(start, end)
    head = min(max(_HEAD * math.sqrt(width) * 1.6, 4.0), 0.6 * line.length())
    unit = (end - start) / max(line.length(), 1e-9)
    across = QPointF(-unit.y(), unit.x())
    neck = end - unit * head
    pen = QPen(QColor(color), width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dashed:
        pen.setDashPattern([value / max(1.0, width / 2) for value in _DASH])
    painter.setPen(pen)
    painter.drawLine(start, neck)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    side = across * (0.62 * head)
    painter.drawPolygon(QPolygonF([end, neck + side, neck - side]))


def paint_towards(painter: QPainter, middle: QPointF, size: float, color: str) -> None:
    """Paint a circle with a dot: an arrow out of the picture, to the next slice."""
    painter.setPen(QPen(QColor(color), max(1.2, size / 6)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(middle, size / 2, size / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(color))
    painter.drawEllipse(middle, size / 6, size / 6)


def paint_cross(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """Paint the mark of case 3, a cross."""
    middle, reach = box.center(), _CROSS * box.width()
    painter.setPen(QPen(QColor(theme.empty), 1.3))
    for sign in (1, -1):
        painter.drawLine(middle - QPointF(reach, sign * reach), middle + QPointF(reach, sign * reach))


def paint_at_once(painter: QPainter, box: QRectF, theme: Theme) -> None:
    """Paint the mark of case 2, a rounded frame."""
    inset = _INSET + 0.06 * box.width()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.muted), 1.3))
    painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), 2, 2)


def slice_name(names: tuple[str, ...], cells: Cells, number: int, brief: bool = False) -> str:
    """The heading of a slice; *brief* except for the first of a row."""
    return f"= {number}" if brief else f"{names[cells.third]} = {number}"


class MapPainter:
    """Paints one pool's values in the positions of a :class:`MapLayout`."""

    def __init__(
        self, painter: QPainter, theme: Theme, layout: MapLayout, values: MapValues, names: tuple[str, ...]
    ) -> None:
        self._painter, self._theme, self._layout, self._values = painter, theme, layout, values
        self._names, self._cells = names, values.cells
        self._scale = current_fonts().scale
        self._metrics = QFontMetricsF(painter.font())

    def all(self) -> None:
        """Paint everything, from the background up."""
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for cell in range(len(self._cells)):
            self._cell(cell)
        self._boundary()
        self._axes()
        if self._layout.side >= _LEAST_ARROW:
            for cell, phase in np.argwhere(self._values.weight > 0).tolist():
                self._request(cell, phase)
        self._patch()

    # Cells.

    def _cell(self, cell: int) -> None:
        painter, values, theme = self._painter, self._values, self._theme
        box, case = self._layout.box(cell), int(values.case[cell])
        inner = box.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        if case == TIMERS:
            level = values.level(float(values.stationary[cell]))
            painter.setBrush(QColor(shade(theme, level)))
            painter.drawRect(inner)
            return
        painter.setPen(QPen(QColor(theme.grid), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(inner)
        if case == AT_ONCE:
            paint_at_once(painter, box, theme)
        elif case == NOTHING:
            paint_cross(painter, box, theme)

    def _boundary(self) -> None:
        """Paint the boundary beyond which h is positive."""
        painter, overruns = self._painter, self._values.overruns
        painter.setPen(QPen(QColor(self._theme.rejection), 2.0 * self._scale))
        here = {tuple(row): cell for cell, row in enumerate(self._cells.position.tolist())}
        for (x, y, z), cell in here.items():
            if not overruns[cell]:
                continue
            box = self._layout.box(cell)
            for dx, dy, edge in (
                (-1, 0, QLineF(box.topLeft(), box.bottomLeft())),
                (0, -1, QLineF(box.bottomLeft(), box.bottomRight())),
            ):
                before = here.get((x + dx, y + dy, z))
                if before is not None and not overruns[before]:
                    painter.drawLine(edge)

    # Requests.

    def _request(self, cell: int, phase: int) -> None:
        weight, side = float(self._values.weight[cell, phase]), self._layout.side
        color = phase_color(self._theme, phase)
        width = (_THIN + (_WIDE - _THIN) * weight) * min(1.0, side / 26) * self._scale
        middle = self._layout.centre(cell)
        if phase in (self._cells.right, self._cells.up):
            along = QPointF(side, 0) if phase == self._cells.right else QPointF(0, -side)
            dashed = self._values.case[cell] == TIMERS
            paint_arrow(self._painter, middle + along * _REACH[0], middle + along * _REACH[1], color, width, dashed)
        elif phase == self._cells.third:
            place = middle + QPointF(0.26 * side, -0.26 * side)
            paint_towards(self._painter, place, 0.2 * side + 0.22 * side * weight, color)

    def _patch(self) -> None:
        """Paint a ring at k0, and an arrow from 0 to it if both are in one slice."""
        if self._values.patch == NONE:
            return
        painter, theme, layout = self._painter, self._theme, self._layout
        cell, empty = self._values.patch, self._values.empty
        box = layout.box(cell).adjusted(1.5, 1.5, -1.5, -1.5)
        pen = QPen(QColor(theme.focus), 2.2 * self._scale)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box)
        if self._cells.position[cell, 2] == self._cells.position[empty, 2] and cell != empty:
            self._bow(layout.centre(empty), box)
        if layout.side >= _LEAST_NUMBER:
            painter.setPen(QColor(theme.ink(theme.focus)))
            where = QRectF(box.right() - 1, box.top() - layout.text / 2, 2 * layout.text, layout.text)
            halo = QColor(theme.panel)
            halo.setAlphaF(0.75)
            text = "k⁰"
            wide = self._metrics.horizontalAdvance(text)
            painter.fillRect(QRectF(where.left(), where.top(), wide + 2, layout.text), halo)
            painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _bow(self, start: QPointF, box: QRectF) -> None:
        """Paint a dashed arc from 0 to the ring around k0."""
        end = box.center()
        way = QLineF(start, end)
        across = QPointF((end - start).y(), -(end - start).x()) / max(way.length(), 1e-9)
        bend = (start + end) / 2 + across * min(0.22 * way.length(), _MOST_BOW * self._layout.side)
        towards = QLineF(bend, end)
        tip = towards.pointAt(1 - box.width() / 2 / max(towards.length(), 1e-9))
        path = QPainterPath(start)
        path.quadTo(bend, tip)
        pen = QPen(QColor(self._theme.focus), 1.6 * self._scale)
        pen.setDashPattern([3.0, 2.5])
        self._painter.setPen(pen)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawPath(path)
        near = QLineF(tip, bend)
        paint_arrow(
            self._painter,
            near.pointAt(min(1.0, 8 / max(near.length(), 1e-9))),
            tip,
            self._theme.focus,
            1.6 * self._scale,
            False,
        )

    # Axes.

    def _axes(self) -> None:
        cells = self._cells
        for number, origin in enumerate(self._layout.origins):
            here = cells.position[cells.position[:, 2] == number]
            wide, tall = (int(here[:, axis].max()) + 1 for axis in (0, 1))
            self._numbers(origin, wide, tall if self._layout.begins_row(number) else 0)
            if number == 0:
                self._axis_names(origin, wide, tall)
            if cells.third != NONE:
                self._slice_name(origin, number, tall)

    def _numbers(self, origin: QPointF, wide: int, tall: int) -> None:
        painter, side, text = self._painter, self._layout.side, self._layout.text
        painter.setPen(QColor(self._theme.muted))
        every = next(
            step
            for step in (1, 2, 5, 10, 20, 50, 100, 1000)
            if step * side >= self._metrics.horizontalAdvance("00") + 2
        )
        for x in range(0, wide, every):
            box = QRectF(origin.x() + x * side - text, origin.y() + 1, side + 2 * text, text)
            painter.drawText(box, CENTRE, str(x))
        if self._cells.up == NONE:
            return
        for y in range(0, tall, every):
            box = QRectF(origin.x() - 1.6 * text, origin.y() - (y + 1) * side - text, 1.5 * text, side + 2 * text)
            painter.drawText(box, CENTRE, str(y))

    def _axis_names(self, origin: QPointF, wide: int, tall: int) -> None:
        painter, side, text = self._painter, self._layout.side, self._layout.text
        names, cells = self._names, self._cells
        painter.setPen(QColor(self._theme.ink(phase_color(self._theme, cells.right))))
        told = f"jobs in {names[cells.right]} →"
        width = max(wide * side, self._metrics.horizontalAdvance(told) + 2)
        painter.drawText(QRectF(origin.x(), origin.y() + text, width, 1.1 * text), CENTRE, told)
        if cells.up == NONE:
            return
        painter.setPen(QColor(self._theme.ink(phase_color(self._theme, cells.up))))
        painter.save()
        told = f"jobs in {names[cells.up]} →"
        if self._metrics.horizontalAdvance(told) > tall * side + text:
            told = f"{names[cells.up]} →"
        length = max(tall * side, self._metrics.horizontalAdvance(told) + 2)
        painter.translate(origin.x() - 2.4 * text, max(origin.y(), length))  # a long name begins lower: not cut
        painter.rotate(-90)
        painter.drawText(QRectF(0, 0, length, 1.1 * text), CENTRE, told)
        painter.restore()

    def _slice_name(self, origin: QPointF, number: int, tall: int) -> None:
        third = self._cells.third
        self._painter.setPen(QColor(self._theme.ink(phase_color(self._theme, third))))
        top = origin.y() - tall * self._layout.side - 1.15 * self._layout.text
        brief = not self._layout.begins_row(number)
        told = slice_name(self._names, self._cells, number, brief)
        box = QRectF(origin.x(), top, self._metrics.horizontalAdvance(told) + 4, self._layout.text)
        self._painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, told)
