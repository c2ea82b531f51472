"""The plot of service rates for two job sizes: the supportable region, the arrivals, and the service now."""

from __future__ import annotations

from fractions import Fraction
from typing import Iterator, NamedTuple, Sequence

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QResizeEvent

from slotscope.gui.kinds.queue.lp_picture import Counts, Point, RegionPlane, Service, SupportablePicture, paint_axes
from slotscope.gui.kinds.queue.lp_scale import PlacedLabel, WantedLabel, paint_symbols, place_labels, symbols_width
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart

_DOT, _LARGEST = 3.0, 10.0  # radii in pixels
_MANY_DOTS = 80
_ARROW, _DIAMOND, _CROSS, _TRAP = 13.0, 4.5, 7.0, 14.0
FULL, REDUCED, NOW, TRAP = "optimum", "greedy", "run", "rejection"


class _Polygon(NamedTuple):
    """Corners, colour role, line width, and opacity of the inside."""

    points: Sequence[Sequence[Fraction]]
    role: str
    width: float
    opacity: float


def load_role(picture: SupportablePicture) -> str:
    """The colour role of the load; a warning if it exceeds what any policy supports."""
    return "rejection" if picture.share is not None and picture.share > 1 else "muted"


class RegionPainter:
    """Paints into a plane whose points are in jobs per slot and server."""

    def __init__(self, painter: QPainter, plane: RegionPlane, theme: Theme) -> None:
        self._painter, self._plane, self._theme = painter, plane, theme
        self._scale = current_fonts().scale

    def regions(self, picture: SupportablePicture) -> None:
        """Draw the supportable region, and in it that of K_RED."""
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
        """Draw the feasible configurations as dots, and a square around those that are traps."""
        radius = _DOT * self._scale * (1.0 if len(picture.dots) < _MANY_DOTS else 0.5)
        for dot in picture.dots:
            self._disc(self._plane.at(picture.at(dot)), radius, QColor(self._theme.muted))
        side = _TRAP * self._scale
        self._painter.setPen(QPen(QColor(self._theme.color(TRAP)), 2.0 * self._scale))
        for trap in picture.traps:
            at = self._plane.at(picture.at(trap))
            self._painter.drawRect(QRectF(at.x() - side, at.y() - side, 2 * side, 2 * side))

    def load(self, picture: SupportablePicture) -> None:
        """Draw an arrow to the arrivals, and its ray up to the boundary of the supportable region."""
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
        """Draw rings for active configurations, discs for the jobs that servers hold, and a cross for their mean."""
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
    """The relative radius of a disc whose area, not radius, is proportional to the number of servers."""
    return float((servers / total) ** 0.5)


#: Heights in lines of text: the minimum, the preferred height, and the minimum in lecture mode, where nobody scrolls.
_LEAST, _USUAL, _LEAST_IN_HALL = 15, 20, 8
#: The points along the arrow that labels avoid; discs are avoided only if there are at most the second number.
_PIECES, _CLEAR_MARKS = 12, 8
_CLEAR, _CLEAR_OF_DISC = 6.0, 15.0  # pixels between a mark and its label
#: With more feasible configurations than this, only the maximal ones are named.
_MOST_NAMED = 30
_SHARE = 0.001
_HALO = 0.75


class RegionPlot(Chart):
    """Paints a :class:`SupportablePicture`, and over it the present :class:`Service`."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "supportable workloads of two job sizes")
        self.picture: SupportablePicture | None = None  #: the picture shown
        self.service: Service | None = None  #: the present service
        self._plane: RegionPlane | None = None

    # What is shown.

    def set_picture(self, picture: SupportablePicture | None) -> None:
        """Show another run's picture."""
        self.picture, self.service, self._plane = picture, None, None
        self.update()

    def set_service(self, service: Service) -> None:
        """Show what servers hold now."""
        if service != self.service:
            self.service = service
            self.update()

    def restyle(self, theme: Theme) -> None:
        self._theme, self._plane = theme, None
        self.setMinimumHeight(round((_LEAST_IN_HALL if current_fonts().lecture else _LEAST) * self._metrics().height()))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, round(_USUAL * self._metrics().height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._plane = None

    def at(self, point: Sequence[Fraction | float]) -> QPointF:
        """The position in the widget of a point in jobs per slot and server."""
        assert self.picture is not None
        if self._plane is None:
            self._plane = RegionPlane(self.size(), self.picture.most)
        return self._plane.at(point)

    # Painting.

    def paint(self, painter: QPainter) -> None:
        picture = self.picture
        if picture is None:
            return
        plane = self._plane = RegionPlane(self.size(), picture.most)
        each = " and server" if picture.servers > 1 else ""
        first, second = ((f"size {name}: jobs per slot{each}", f"size {name}") for name in picture.names)
        paint_axes(painter, plane, self._theme, (first, second))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        looks = RegionPainter(painter, plane, self._theme)
        looks.regions(picture)
        looks.dots(picture)
        looks.load(picture)
        if self.service is not None:
            looks.service(picture, self.service)
        self._paint_labels(painter)

    def _paint_labels(self, painter: QPainter) -> None:
        halo = QColor(self._theme.panel)
        halo.setAlphaF(_HALO)
        for label in self.labels():
            painter.fillRect(label.box, halo)
            painter.setPen(QColor(self._theme.ink(self._theme.color(label.role))))
            paint_symbols(painter, label.box, label.text)

    # Labels.

    def labels(self) -> list[PlacedLabel]:
        """The labels in the plane that find room, with their rectangles."""
        picture = self.picture
        if picture is None:
            return []
        corners, others = named_dots(picture)
        wanted = [
            *self._named_points(picture),
            *(self._named_dot(picture, dot) for dot in corners),
            *self._live_points(picture),
            *(self._named_dot(picture, dot) for dot in others),
        ]
        left, bottom = self.at((0.0, 0.0)).x(), self.at((0.0, 0.0)).y()
        room = QRectF(left, 2, self.width() - 2 - left, bottom - 2)
        return place_labels(wanted, room, self._marks(picture))

    def _named_dot(self, picture: SupportablePicture, dot: Counts) -> WantedLabel:
        name = dict(picture.reduced_names).get(dot, "")
        return self._wanted(f"({dot[0]}, {dot[1]}) {name}".strip(), picture.at(dot), "muted")

    def _named_points(self, picture: SupportablePicture) -> Iterator[WantedLabel]:
        """The labels that must be shown: rho*, the load, K_RED, and traps."""
        region = picture.region
        share = "" if picture.share is None else f" = {_share(picture.share)} ρ*"
        best = f"ρ* = {significant(float(picture.value))}"
        yield self._wanted(best, region.boundary, FULL, must=True)
        yield self._wanted(f"load{share}", region.arrivals, load_role(picture), must=True)
        carried = picture.reduced_share
        if region.reduced_boundary is not None and carried is not None and carried != 1:
            text = f"K_{{RED}} {_share(carried)} ρ*"
            yield self._wanted(text, region.reduced_boundary, REDUCED, must=True)
        yield from (self._wanted(f"trap ({x}, {y})", picture.at((x, y)), TRAP, must=True) for x, y in picture.traps)

    def _live_points(self, picture: SupportablePicture) -> list[WantedLabel]:
        if self.service is None:
            return []
        mean, aims = self.service.mean, self.service.aims
        live = [self._wanted("in service", picture.at(mean), NOW)]
        if len(aims) == 1 and aims[0][0] != mean:
            live.append(self._wanted("active", picture.at(aims[0][0]), NOW))
        return live

    def _wanted(self, text: str, point: Sequence[Fraction | float], role: str, *, must: bool = False) -> WantedLabel:
        width = symbols_width(text, current_fonts().body)
        size = QSizeF(width + 4, self._metrics().height())
        clear = _CLEAR_OF_DISC if self._is_live(point) else _CLEAR
        return WantedLabel(text, size, self.at(point), role, must, clear * current_fonts().scale)

    def _is_live(self, point: Sequence[Fraction | float]) -> bool:
        """Whether a large disc or ring is drawn at *point*."""
        if self.service is None or self.picture is None:
            return False
        drawn = [*self.service.held, *self.service.aims]
        large = (counts for counts, servers in drawn if 4 * servers >= self.picture.servers)
        at = self.at(point)
        return any((self.at(self.picture.at(k)) - at).manhattanLength() < 2 for k in large)

    def _marks(self, picture: SupportablePicture) -> list[QRectF]:
        """The rectangles that labels avoid: along the arrow, at the boundary point, and at the discs."""
        origin, tip = self.at((0.0, 0.0)), self.at(picture.region.arrivals)
        places = [origin + (tip - origin) * (step / _PIECES) for step in range(1, _PIECES + 1)]
        places.append(self.at(picture.region.boundary))
        if self.service is not None and len(self.service.held) <= _CLEAR_MARKS:
            places += [self.at(picture.at(counts)) for counts, _ in self.service.held]
        return [QRectF(at.x() - 4, at.y() - 4, 8, 8) for at in places]

    # Words.

    def tip_at(self, point: QPointF) -> str:
        """Explain how to read the picture."""
        text = (
            "Gold: all that some policy supports, (4); the dots are the feasible configurations. Green: what "
            "K<sub>RED</sub> holds. The arrow is what arrives. Discs are what servers hold now, a cross their mean, "
            "rings what their active configurations hold."
        )
        traps = self.picture.traps if self.picture is not None else ()
        return text + (" In the frame: a trap, which servers may not leave." if traps else "")


def named_dots(picture: SupportablePicture) -> tuple[list[Counts], list[Counts]]:
    """The feasible configurations to be labelled: the corners of the region, and others."""
    rate = picture.rate
    edge = {(round(float(x) / rate), round(float(y) / rate)) for x, y in picture.region.full}
    dots = [dot for dot in picture.dots if dot != (0, 0) and dot not in picture.traps]
    if len(dots) > _MOST_NAMED:
        known = set(dots)
        dots = [(x, y) for x, y in dots if not {(x + 1, y), (x, y + 1)} & known]
    dots.sort(key=sum, reverse=True)
    return [dot for dot in dots if dot in edge], [dot for dot in dots if dot not in edge]


def _share(share: Fraction) -> str:
    return format_number(float(share), _SHARE)
