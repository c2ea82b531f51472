"""The parts of the picture of two job sizes: polygons, arrow, dots, and what is served now."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from slotscope.gui.kinds.queue.lp_picture import Point, Service, SupportablePicture
from slotscope.gui.kinds.queue.lp_plane import RegionPlane
from slotscope.gui.theme import Theme, current_fonts

_DOT, _LARGEST = 3.0, 10.0  # radii
_MANY_DOTS = 80
_ARROW, _DIAMOND, _CROSS, _TRAP = 13.0, 4.5, 7.0, 14.0
FULL, REDUCED, NOW, TRAP = "optimum", "greedy", "run", "rejection"


class _Polygon(NamedTuple):
    """Corners, a role, the width of the line and how dense the inside is."""

    points: Sequence[Sequence[Fraction]]
    role: str
    width: float
    opacity: float


def load_role(picture: SupportablePicture) -> str:
    """The colour of the load: a warning where it is more than any policy supports."""
    return "rejection" if picture.share is not None and picture.share > 1 else "muted"


class RegionPainter:
    """Paints with points in jobs per slot and server."""

    def __init__(self, painter: QPainter, plane: RegionPlane, theme: Theme) -> None:
        self._painter, self._plane, self._theme = painter, plane, theme
        self._scale = current_fonts().scale

    def regions(self, picture: SupportablePicture) -> None:
        """All that is supportable, and in it what K_RED holds."""
        parts = [_Polygon(picture.region.full, FULL, 4.0, 0.10)]
        if picture.region.reduced:
            parts.append(_Polygon(picture.region.reduced, REDUCED, 1.5, 0.22))
        for part in parts:
            color = QColor(self._theme.color(part.role))
            fill = QColor(color)
            fill.setAlphaF(part.opacity)
            self._painter.setPen(QPen(color, part.width * self._scale))
            self._painter.setBrush(fill)
            self._painter.drawPolygon(QPolygonF([self._plane.at(at) for at in part.points]))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)

    def dots(self, picture: SupportablePicture) -> None:
        """The feasible configurations, and those that are traps in a frame."""
        radius = _DOT * self._scale * (1.0 if len(picture.dots) < _MANY_DOTS else 0.5)
        for dot in picture.dots:
            self._disc(self._plane.at(picture.at(dot)), radius, QColor(self._theme.muted))
        side = _TRAP * self._scale
        self._painter.setPen(QPen(QColor(self._theme.color(TRAP)), 2.0 * self._scale))
        for trap in picture.traps:
            at = self._plane.at(picture.at(trap))
            self._painter.drawRect(QRectF(at.x() - side, at.y() - side, 2 * side, 2 * side))

    def load(self, picture: SupportablePicture) -> None:
        """An arrow to the arrivals, and its ray on to the edge of what is supportable."""
        region, theme = picture.region, self._theme
        origin, edge = self._plane.at((0.0, 0.0)), self._plane.at(region.boundary)
        self._painter.setPen(QPen(QColor(theme.muted), 1.0, Qt.PenStyle.DotLine))
        self._painter.drawLine(QLineF(origin, edge))
        self._diamond(edge, FULL)
        if region.reduced_boundary is not None:
            self._diamond(self._plane.at(region.reduced_boundary), REDUCED)
        ray = QLineF(origin, self._plane.at(region.arrivals))
        color = QColor(theme.color(load_role(picture)))
        self._painter.setPen(QPen(color, 3.0 * self._scale))
        self._painter.drawLine(ray)
        if ray.length() > 1:
            self._painter.setBrush(color)
            self._painter.setPen(Qt.PenStyle.NoPen)
            self._painter.drawPolygon(_head(ray, _ARROW * self._scale))
            self._painter.setBrush(Qt.BrushStyle.NoBrush)

    def service(self, picture: SupportablePicture, service: Service) -> None:
        """Rings where active configurations point, discs where servers are, a cross: the mean."""
        color = QColor(self._theme.color(NOW))
        for counts, servers in service.aims:
            radius = self._scale * (_LARGEST * _root(servers, picture.servers) + 3)
            self._painter.setPen(QPen(color, 2.0 * self._scale))
            self._painter.drawEllipse(self._plane.at(picture.at(counts)), radius, radius)
        fill = QColor(color)
        fill.setAlphaF(0.8)
        for counts, servers in service.held:
            radius = self._scale * max(2.0, _LARGEST * _root(servers, picture.servers))
            self._disc(self._plane.at(picture.at(counts)), radius, fill)
        if len(service.held) > 1:
            self._cross(picture.at(service.mean))

    def _cross(self, point: Point) -> None:
        at, arm = self._plane.at(point), _CROSS * self._scale
        for ink, width in ((self._theme.panel, 4.5), (self._theme.color(NOW), 2.0)):
            self._painter.setPen(QPen(QColor(ink), width * self._scale))
            self._painter.drawLine(QLineF(at.x() - arm, at.y(), at.x() + arm, at.y()))
            self._painter.drawLine(QLineF(at.x(), at.y() - arm, at.x(), at.y() + arm))

    def _disc(self, at: QPointF, radius: float, color: QColor) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(color)
        self._painter.drawEllipse(at, radius, radius)
        self._painter.setBrush(Qt.BrushStyle.NoBrush)

    def _diamond(self, at: QPointF, role: str) -> None:
        side = _DIAMOND * self._scale
        self._painter.setPen(QPen(QColor(self._theme.panel), 1.0))
        self._painter.setBrush(QColor(self._theme.color(role)))
        corners = ((0, -1), (1, 0), (0, 1), (-1, 0))
        self._painter.drawPolygon(QPolygonF([QPointF(at.x() + x * side, at.y() + y * side) for x, y in corners]))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)


def _head(ray: QLineF, size: float) -> QPolygonF:
    """The head of an arrow at the end of *ray*."""
    along, across = ray.unitVector(), ray.normalVector().unitVector()
    back = QPointF(ray.p2().x() - size * along.dx(), ray.p2().y() - size * along.dy())
    wing = QPointF(across.dx() * size / 2.5, across.dy() * size / 2.5)
    return QPolygonF([ray.p2(), back + wing, back - wing])


def _root(servers: int, total: int) -> float:
    """Areas, not radii, are in proportion to numbers."""
    return float((servers / total) ** 0.5)
