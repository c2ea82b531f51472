"""Paints the plane: the region, its lines and the fluid path, in layers below and above what moves."""

from __future__ import annotations

from itertools import pairwise
from typing import Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from slotscope.gui.kinds.moldable.collapse_stage import Stage, clipped, paint_axes
from slotscope.gui.kinds.moldable.collapse_values import CollapsePlane, Point, Values
from slotscope.gui.painting.colour import argb, mix
from slotscope.gui.painting.text import LEFT
from slotscope.gui.panels.wording import significant
from slotscope.gui.theme import Theme, current_fonts
from slotscope.model.reporting.letters import subscript

_REGION = 0.10  # share of the text colour in the region's colour
_DENSEST = 0.62  # opacity of the bin with the largest share of time
_FADES = 6  # parts of the recent trail, each fainter than the one after it
_POINT, _DIAMOND, _RING, _DOT = 5.0, 8.5, 7.0, 2.5
_SPOTTED = 0.34  # share of the run colour at visited places


class LevelLine(NamedTuple):
    """The line factors . x = level, and its look."""

    text: str
    factors: Point
    level: float
    role: str
    width: float
    style: Qt.PenStyle


def lines_of(plane: CollapsePlane, delta: float) -> Iterator[LevelLine]:
    """The lines q_1 = 1, r = lambda + delta and r = lambda."""
    widths = (float(plane.widths[0]), float(plane.widths[1]))
    full = "all its servers" if plane.own else "q₁ = 1: all servers"
    known = significant(plane.load, 4)
    yield LevelLine(f"{full} in use", widths, plane.limit, "rejection", 2.5, Qt.PenStyle.SolidLine)
    if delta > 0:
        yield LevelLine(
            f"r ≤ λ + δ, δ = {significant(delta, 3)}",
            plane.factors,
            plane.load + delta,
            "muted",
            1.5,
            Qt.PenStyle.DashLine,
        )
    name = f"λ{subscript(plane.job_class + 1)}" if plane.name else "λ"
    text = f"r = {'ρ' if plane.name else name} = {known}"
    yield LevelLine(text, plane.factors, plane.load, "muted", 1.5, Qt.PenStyle.DotLine)


class PlanePainter:
    """Paints in coordinates of jobs per server."""

    def __init__(self, painter: QPainter, stage: Stage, theme: Theme) -> None:
        self._painter, self._stage, self._theme = painter, stage, theme
        self._scale = current_fonts().scale
        self._taken: list[QRectF] = []

    # Below what moves.

    def ground(self, plane: CollapsePlane, delta: float) -> None:
        """Paint the region r <= lambda + delta, and the axes."""
        x, y = plane.corners
        corners = clipped([(0.0, 0.0), (x, 0.0), (0.0, y)], plane.factors, plane.load + delta)
        self._painter.save()
        self._painter.setClipRect(self._stage.area)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(mix(self._theme.panel, self._theme.normal, _REGION)))
        self._painter.drawPolygon(QPolygonF([self._stage.at(corner) for corner in corners]))
        self._painter.restore()
        paint_axes(self._painter, self._stage, self._theme, plane.widths)

    # What moves.

    def density(self, shares: Values, edges: tuple[Values, Values]) -> None:
        """Shade each bin by the square root of its share of time."""
        most = float(shares.max())
        if not most:
            return
        opacity = np.sqrt(shares / most) * _DENSEST * 255
        color = QColor(self._theme.run)
        picture = premultiplied(np.flipud(opacity.T), color)
        (left, right), (bottom, top) = ((float(edge[0]), float(edge[-1])) for edge in edges)
        box = QRectF(self._stage.at((left, top)), self._stage.at((right, bottom)))
        self._picture(picture, box)

    def visited(self, pixels: NDArray[np.uint32], first: Point, last: Point) -> None:
        """Paint the visited places, from the top left point to the bottom right one."""
        box = QRectF(self._stage.at(first), self._stage.at(last))
        self._picture(np.ascontiguousarray(pixels), box)

    def _picture(self, pixels: NDArray[np.uint32], box: QRectF) -> None:
        height, width = pixels.shape
        image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        self._painter.drawImage(box, image)

    def trail(self, x: Values, y: Values) -> None:
        """Paint the latest samples as a fading line; only its end is antialiased and wider.

        Antialiased lines take Qt several times as long.
        """
        corners = [self._stage.at(point) for point in zip(x.tolist(), y.tolist(), strict=True)]
        edges = np.linspace(0, len(corners), _FADES + 1).astype(int).tolist()
        for part, (first, last) in enumerate(pairwise(edges), 1):
            color = QColor(self._theme.run)
            color.setAlphaF(0.15 + 0.75 * part / _FADES)
            latest = part == _FADES
            self._painter.setRenderHint(QPainter.RenderHint.Antialiasing, latest)
            self._painter.setPen(QPen(color, 2.0 * self._scale if latest else 1.0))
            ends = pairwise(corners[max(0, first - 1) : last])
            self._painter.drawLines([QLineF(*pair) for pair in ends])

    def fluid_now(self, point: Point) -> None:
        """Paint a ring at the fluid system's state."""
        self._painter.setPen(QPen(QColor(self._theme.optimum), 2.0 * self._scale))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = _RING * self._scale
        self._painter.drawEllipse(self._stage.at(point), radius, radius)

    def now(self, point: Point) -> None:
        """Paint the current state; if out of view, at the nearest edge."""
        at, area = self._stage.at(point), self._stage.area
        radius = _POINT * self._scale
        edge = QPointF(
            min(max(at.x(), area.left() + radius), area.right() - radius),
            min(max(at.y(), area.top() + radius), area.bottom() - radius),
        )
        self._painter.setPen(QPen(QColor(self._theme.panel), 2.0 * self._scale))
        self._painter.setBrush(QColor(self._theme.run))
        self._painter.drawEllipse(edge, radius, radius)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        if not area.contains(at):
            self._taken = []
            text = "the state is outside"
            back = 3.0 * radius + self._stage.metrics.horizontalAdvance(text)
            for gap in (1.5 * radius, -back):
                if self._write(text, edge, "run", gap):
                    break

    # Above what moves.

    def marks(self, plane: CollapsePlane, delta: float, path: Values, path_text: str) -> None:
        """Paint lines, the fluid path [T, 2], y*, and their labels."""
        painter, stage = self._painter, self._stage
        painter.save()
        painter.setClipRect(stage.area)
        lines = tuple(lines_of(plane, delta))
        for line in lines:
            self._line(line)
        self._path(path)
        self._target(plane.target)
        painter.restore()
        self._taken = []
        for line in lines:
            self._label_line(line)
        self._label_target(plane)
        self._label_path(path, path_text)

    def _line(self, line: LevelLine) -> None:
        (a, b), level = line.factors, line.level
        pen = QPen(QColor(self._theme.color(line.role)), line.width * self._scale, line.style)
        self._painter.setPen(pen)
        ends = self._stage.at((0.0, level / b)), self._stage.at((level / a, 0.0))
        self._painter.drawLine(QLineF(*ends))

    def _path(self, points: Values) -> None:
        pen = QPen(QColor(self._theme.optimum), 2.0 * self._scale, Qt.PenStyle.DashLine)
        self._painter.setPen(pen)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawPolyline(QPolygonF([self._stage.at(at) for at in points.tolist()]))

    def _target(self, target: Point) -> None:
        at, side = self._stage.at(target), _DIAMOND * self._scale
        self._painter.setPen(QPen(QColor(self._theme.panel), 1.5))
        self._painter.setBrush(QColor(self._theme.optimum))
        corners = ((0, -1), (1, 0), (0, 1), (-1, 0))
        self._painter.drawPolygon(QPolygonF([QPointF(at.x() + x * side, at.y() + y * side) for x, y in corners]))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)

    # Labels.

    def _label_line(self, line: LevelLine) -> None:
        """Label a line beside the upper end of its visible part, with a dot on it."""
        area, height = self._stage.area, self._stage.metrics.height()
        (a, b), level = line.factors, line.level
        window = self._stage.window
        ends = [(level - a * x) / b for x in (max(0.0, window.left), window.right)]
        high, low = min(window.top, ends[0]), max(0.0, window.bottom, ends[1])
        if high <= low:
            return
        first, last = (self._stage.at((0.0, y)).y() for y in (high, low))
        y = max(area.top() + 0.8 * height, first + 0.3 * height)
        while y < last:
            x = self._stage.at(((level - b * self._stage.point(QPointF(0, y))[1]) / a, 0.0)).x()
            if self._write(line.text, QPointF(x, y), line.role, 1.2 * height):
                self._painter.setPen(QPen(QColor(self._theme.color(line.role)), 1.0))
                self._painter.drawLine(QLineF(x, y, x + 1.1 * height, y))
                self._painter.setBrush(QColor(self._theme.color(line.role)))
                self._painter.drawEllipse(QPointF(x, y), _DOT, _DOT)
                self._painter.setBrush(Qt.BrushStyle.NoBrush)
                return
            y += 0.5 * height

    def _label_target(self, plane: CollapsePlane) -> None:
        """Label y* above and to the right, where no state can be, else to the left or below."""
        at, line = self._stage.at(plane.target), self._stage.metrics.height()
        if not self._stage.area.contains(at):
            return
        text = f"y* = ({', '.join(significant(value, 3) for value in plane.target)})"
        left = -self._stage.metrics.horizontalAdvance(text) - 18
        for across, below in ((10, -1.3 * line), (left, 0.9 * line), (2, 1.6 * line), (12, 0)):
            if self._write(text, at + QPointF(0, below), "optimum", across):
                return

    def _label_path(self, points: Values, text: str) -> None:
        """Label the path beside the middle of its visible part."""
        spots = [self._stage.at(point) for point in points.tolist()]
        area = self._stage.area
        inside = [spot for spot in spots if area.contains(spot)]
        if len(inside) < 2:
            return
        length = QLineF(inside[0], inside[-1]).length()
        half = next(spot for spot in inside if QLineF(inside[0], spot).length() >= 0.4 * length)
        for across, down in ((10.0, 0.8), (10.0, 1.8), (-10.0, -1.0)):
            moved = half + QPointF(across, down * self._stage.metrics.height())
            if self._write(text, moved, "optimum", 2.0):
                return

    def _write(self, text: str, at: QPointF, role: str, gap: float) -> bool:
        """Write a text *gap* to the right of a point; returns False if there is no room."""
        metrics, area = self._stage.metrics, self._stage.area
        height = metrics.height()
        box = QRectF(at.x() + gap, at.y() - height / 2, metrics.horizontalAdvance(text) + 6, height)
        if not area.contains(box) or any(box.intersects(other) for other in self._taken):
            return False
        self._taken.append(box)
        veil = QColor(self._theme.panel)
        veil.setAlphaF(0.82)
        self._painter.fillRect(box, veil)
        self._painter.setPen(QColor(self._theme.ink(self._theme.color(role))))
        self._painter.drawText(box.adjusted(3, 0, 0, 0), LEFT, text)
        return True


def premultiplied(opacity: NDArray[np.float64], color: QColor) -> NDArray[np.uint32]:
    """[h, w] premultiplied pixels of one colour, given opacities from 0 to 255."""
    alpha = np.rint(opacity).astype(np.uint32)
    red, green, blue = (alpha * part // 255 for part in (color.red(), color.green(), color.blue()))
    return np.ascontiguousarray(alpha << 24 | red << 16 | green << 8 | blue)


def spot_color(theme: Theme) -> int:
    """The pixel value of visited places."""
    return argb(mix(theme.panel, theme.run, _SPOTTED))
