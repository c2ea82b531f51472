"""The legend of the map: each mark as drawn, and its meaning."""

from __future__ import annotations

import math
from functools import cache
from typing import Callable, Iterator, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen

from slotscope.gui.kinds.phases.colours import phase_color
from slotscope.gui.kinds.phases.policy_map_layout import NONE
from slotscope.gui.kinds.phases.policy_map_painting import paint_arrow, paint_at_once, paint_cross, paint_towards, shade
from slotscope.gui.kinds.phases.policy_map_values import MapValues, scientific
from slotscope.gui.painting.text import LEFT
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS

#: Most servers of a cell that are drawn as single dots.
MOST_DOTS = 9
_DOT = 0.23  # diameter, as a share of a cell's side
_APART = 0.28  # distance of dots, as a share of a cell's side
_LEAST_DISC, _MOST_DISC = 0.52, 0.92  # least and largest diameter of discs, as shares of a cell's side
_LEAST_TEXT = 5.0  # points
_FULL, _FULL_SHARE = 25, 0.5  # servers of the largest disc: the least number, and a share of all


@cache
def dot_places(count: int) -> tuple[tuple[float, float], ...]:
    """Centres of *count* dots relative to the cell's centre, in sides of the cell; in rows of up to 3."""
    columns = min(3, math.ceil(math.sqrt(count)))
    rows = math.ceil(count / columns)
    places = []
    for row in range(rows):
        here = min(columns, count - row * columns)
        places += [((column - (here - 1) / 2) * _APART, (row - (rows - 1) / 2) * _APART) for column in range(here)]
    return tuple(places)


def disc_size(count: int, servers: int) -> float:
    """The diameter of the disc for *count* of all *servers*, in sides of the cell; its area follows *count*."""
    full = max(_FULL, _FULL_SHARE * servers)
    share = math.sqrt(min(count, full) / full)
    return max(_LEAST_DISC, _MOST_DISC * share)


def paint_dots(painter: QPainter, box: QRectF, count: int, theme: Theme, servers: int = 1) -> None:
    """Paint *count* servers of one cell, of all *servers* on the map."""
    side, middle = box.width(), box.center()
    # A rim in the background colour makes dots visible on dark and bright cells.
    painter.setPen(QPen(QColor(theme.panel), max(1.0, 0.03 * side)))
    painter.setBrush(QColor(theme.run))
    if count <= MOST_DOTS:
        radius = max(1.5, _DOT * side / 2)
        for x, y in dot_places(count):
            painter.drawEllipse(middle + QPointF(x * side, y * side), radius, radius)
        return
    radius = disc_size(count, servers) * side / 2
    painter.drawEllipse(middle, radius, radius)
    _paint_number(painter, box, count, 2 * radius, theme)


def _paint_number(painter: QPainter, box: QRectF, count: int, room: float, theme: Theme) -> None:
    """Write the number of servers, as large as the disc allows."""
    font = QFont(current_fonts().body)
    usual = font.pointSizeF()
    text = str(count)
    needed = QFontMetricsF(font).horizontalAdvance(text) / 0.8
    points = min(usual, usual * room / needed)
    if points < _LEAST_TEXT:
        return
    font.setPointSizeF(points)
    before = painter.font()
    painter.setFont(font)
    painter.setPen(QColor(theme.panel))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.setFont(before)


_GAP, _MARGIN = 8.0, 8.0
_MARK = 2.2  # width of the marks, in lines of text
_LINE = 1.25
_STOPS = 8  # of the gradient


class MapEntry(NamedTuple):
    """A mark and its meaning."""

    text: str
    paint: Callable[[QPainter, QRectF], None]
    brief: str = ""  #: a shorter wording of the meaning, if there is one


class PolicyMapLegend:
    """The legend of one pool's map; *brief* if the map needs the room."""

    def __init__(self, theme: Theme, values: MapValues, names: tuple[str, ...], brief: bool = False) -> None:
        self._theme, self._values, self._names = theme, values, names
        made = self._made()
        self.entries = tuple(entry._replace(text=entry.brief or entry.text) for entry in made) if brief else tuple(made)

    def size(self, metrics: QFontMetricsF) -> QSizeF:
        """The size that the legend needs."""
        widest = max(metrics.horizontalAdvance(entry.text) for entry in self.entries)
        line = metrics.height()
        return QSizeF(_MARK * line + _GAP + widest + _MARGIN, _LINE * line * len(self.entries) + _MARGIN)

    def paint(self, painter: QPainter, box: QRectF) -> None:
        """Paint the legend into its box."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line = QFontMetricsF(painter.font()).height()
        for number, entry in enumerate(self.entries):
            top = box.top() + number * _LINE * line + _MARGIN / 2
            mark = QRectF(box.left(), top, _MARK * line, line)
            entry.paint(painter, mark)
            painter.setPen(QColor(self._theme.normal))
            left = mark.right() + _GAP
            place = QRectF(left, top, box.right() - left + 1, line)
            painter.drawText(place, LEFT, entry.text)

    # Entries.

    def _made(self) -> Iterator[MapEntry]:
        values, cells = self._values, self._values.cells
        if (values.case == TIMERS).any():
            yield MapEntry(self._scale_text(), self._gradient, "case 1: π")
        if (values.case == AT_ONCE).any():
            yield MapEntry("asks at once (case 2)", self._at_once, "case 2")
        if (values.case == NOTHING).any():
            yield MapEntry("asks for nothing (case 3)", self._cross, "case 3")
        yield from self._requests()
        if values.overruns.any() and not values.overruns.all():
            yield MapEntry("beyond it: overrun, h > 0", self._edge, "h > 0")
        if values.patch != NONE:
            yield MapEntry("k⁰, what a server at 0 asks for", self._ring, "k⁰")
        yield MapEntry("a server now", self._server, "a server")
        if cells.cropped:
            most = int(cells.position.sum(axis=1).max())
            yield MapEntry(f"never more than {most} jobs", self._more, f"≤ {most} jobs")
        if cells.summed:
            yield MapEntry("sums over the other phases", self._sum, "sums")

    def _scale_text(self) -> str:
        low, high = self._values.low, self._values.high
        if math.isnan(low):
            return "rests here (case 1)"
        if low == high:
            return f"π = {scientific(high)} (case 1)"
        return f"π from {scientific(low, 1)} to {scientific(high)} (case 1)"

    def _requests(self) -> Iterator[MapEntry]:
        values, cells = self._values, self._values.cells
        inside = [phase for phase in (cells.right, cells.up) if phase != NONE]
        for case, text, dashed in ((AT_ONCE, "asks for", False), (TIMERS, "a timer asks for", True)):
            rows = values.weight[values.case == case]
            asked = [phase for phase in inside if (rows[:, phase] > 0).any()]
            if asked:
                names = " or ".join(self._names[phase] for phase in asked)
                yield MapEntry(f"{text} {names}", self._arrow(asked[0], dashed), f"{'timer: ' * dashed}{names}")
        if cells.third != NONE and (values.weight[:, cells.third] > 0).any():
            name = self._names[cells.third]
            yield MapEntry(f"asks for {name}, in the next slice", self._towards, f"{name}: next")

    # Marks.

    @staticmethod
    def _cell(box: QRectF) -> QRectF:
        side = box.height()
        return QRectF(box.center().x() - side / 2, box.top(), side, side)

    def _gradient(self, painter: QPainter, box: QRectF) -> None:
        gradient = QLinearGradient(box.topLeft(), box.topRight())
        for stop in range(_STOPS + 1):
            gradient.setColorAt(stop / _STOPS, QColor(shade(self._theme, stop / _STOPS)))
        painter.fillRect(box.adjusted(0, 2, 0, -2), gradient)

    def _at_once(self, painter: QPainter, box: QRectF) -> None:
        paint_at_once(painter, self._cell(box), self._theme)

    def _cross(self, painter: QPainter, box: QRectF) -> None:
        paint_cross(painter, self._cell(box), self._theme)

    def _arrow(self, phase: int, dashed: bool) -> Callable[[QPainter, QRectF], None]:
        def paint(painter: QPainter, box: QRectF) -> None:
            middle = box.center().y()
            paint_arrow(
                painter,
                QPointF(box.left() + 2, middle),
                QPointF(box.right() - 2, middle),
                phase_color(self._theme, phase),
                2.4 * current_fonts().scale,
                dashed,
            )

        return paint

    def _towards(self, painter: QPainter, box: QRectF) -> None:
        color = phase_color(self._theme, self._values.cells.third)
        paint_towards(painter, box.center(), 0.8 * box.height(), color)

    def _edge(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(QPen(QColor(self._theme.rejection), 2.0 * current_fonts().scale))
        painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()))

    def _ring(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(QPen(QColor(self._theme.focus), 2.2 * current_fonts().scale))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(self._cell(box).adjusted(1, 1, -1, -1))

    def _more(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "…")

    def _sum(self, painter: QPainter, box: QRectF) -> None:
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "Σ")

    def _server(self, painter: QPainter, box: QRectF) -> None:
        middle, side = box.center(), 3 * box.height()
        paint_dots(painter, QRectF(middle.x() - side / 2, middle.y() - side / 2, side, side), 1, self._theme)
