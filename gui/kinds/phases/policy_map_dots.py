"""Paints the servers on the map: a dot each, or a disc with their number where they are many."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from slotscope.gui.theme import Theme, current_fonts

#: Servers of a cell that are drawn one by one.
MOST_DOTS = 9
_DOT = 0.23  # diameter, as a share of a cell's side
_APART = 0.28  # distance of dots
_LEAST_DISC, _MOST_DISC = 0.52, 0.92  # diameter of discs
_LEAST_TEXT = 5.0  # points
_FULL, _FULL_SHARE = 25, 0.5  # servers of the largest disc, and as a share of all


@cache
def dot_places(count: int) -> tuple[tuple[float, float], ...]:
    """Where the dots of a cell are, around its middle, in sides of the cell; rows of up to 3."""
    columns = min(3, math.ceil(math.sqrt(count)))
    rows = math.ceil(count / columns)
    places = []
    for row in range(rows):
        here = min(columns, count - row * columns)
        places += [((column - (here - 1) / 2) * _APART, (row - (rows - 1) / 2) * _APART) for column in range(here)]
    return tuple(places)


def disc_size(count: int, servers: int) -> float:
    """The diameter of the disc of many of all servers, in sides of the cell; its area follows
    them."""
    full = max(_FULL, _FULL_SHARE * servers)
    share = math.sqrt(min(count, full) / full)
    return max(_LEAST_DISC, _MOST_DISC * share)


def paint_dots(painter: QPainter, box: QRectF, count: int, theme: Theme, servers: int = 1) -> None:
    """So many servers of one cell, of all *servers* on the map."""
    side, middle = box.width(), box.center()
    # On dark and bright cells alike a dot has a rim of the ground's colour.
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
    """How many they are, as large as the disc allows."""
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
