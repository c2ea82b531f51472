"""Curves and bands that draw about two points per pixel, however long they are, and repaint only visible changes."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from slotscope.gui.painting.kept import PARTS, places
from slotscope.gui.plotting.pyramid import Envelope, Pyramid, Values

# Wide pens and antialiasing cost several times more, so only short curves get them.
_SHORT = 2000
_WIDTH = 2.0
_BAND_ALPHA = 56


class View(NamedTuple):
    """The visible range of x, and the device pixels per unit of x and of y."""

    first: float
    last: float
    across: float
    up: float

    @property
    def pixels(self) -> int:
        """Width of the range in device pixels."""
        return max(1, round(self.across * (self.last - self.first)))


class Outlined:
    """A plot item that computes its outline for the visible range only, and repaints only if that has visibly moved.

    Call :meth:`changed` after the points have changed.
    """

    _view: View | None = None  #: the view of the current outline
    _places = _painted = b""  #: the outline in pixels: the current one, and the one painted last

    _known: object = None  #: identifies the points of the current outline
    _corners: tuple[Values, Values]  #: x and y of the current outline
    _shapes: list[QPolygonF] | None = None  #: the outline as polygons, made only when painted

    #: Identifies the current points.
    _points: Callable[[], object]
    #: Computes the corners of the outline in a view.
    _outline: Callable[[View], tuple[Values, Values]]
    #: Makes polygons from the corners.
    _shaped: Callable[[Values, Values], list[QPolygonF]]
    update: Callable[[], None]

    def changed(self) -> None:
        """Repaint if the changed points visibly move the outline."""
        view = self._view
        if view is None or [view.first, view.last] != self.getViewBox().viewRange()[0]:  # type: ignore[attr-defined]
            self.update()  # another range must be painted anyway
            return
        if self._points() != self._known:
            self._find(view)
        if self._places != self._painted:
            self.update()

    def _prepare(self, painter: QPainter) -> None:
        """Compute the outline before painting, unless it is up to date."""
        transform, (first, last) = painter.deviceTransform(), self.getViewBox().viewRange()[0]  # type: ignore[attr-defined]
        view = View(first, last, abs(transform.m11()), abs(transform.m22()))
        if (view, self._points()) != (self._view, self._known):
            self._find(view)
        self._painted = self._places

    def _find(self, view: View) -> None:
        self._corners, self._shapes = self._outline(view), None
        x, y = self._corners
        self._view, self._known, self._places = view, self._points(), places(x * view.across, y * view.up)

    @property
    def _polygons(self) -> list[QPolygonF]:
        """The polygons to paint, after :meth:`_prepare`."""
        if self._shapes is None:
            self._shapes = self._shaped(*self._corners)
        return self._shapes


class PyramidCurve(Outlined, pg.PlotCurveItem):  # type: ignore[misc]
    """One curve of a :class:`Pyramid`, drawn as a polyline."""

    def __init__(self, pyramid: Pyramid, color: str, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> None:
        self.pyramid = pyramid
        self._style = style
        self._color = color
        self._width = _WIDTH
        self._short = True
        super().__init__(pen=color)

    def set_look(self, color: str, scale: float = 1.0) -> None:
        """Change the colour; *scale* widens the line where that is cheap."""
        self._color = color
        self._width = _WIDTH * scale
        self.update()

    def getData(self) -> tuple[Values, Values]:
        return self.pyramid.x, self.pyramid.y

    def dataBounds(self, ax: int, *_: object, **__: object) -> tuple[float | None, float | None]:
        if not len(self.pyramid):
            return None, None
        if ax == 0:
            return float(self.pyramid.x[0]), float(self.pyramid.x[-1])
        return self.pyramid.extremes() or (None, None)

    def boundingRect(self) -> QRectF:
        # Nothing outside the view is drawn, so this changes only with the view.
        return _view_rect(self)

    def viewRangeChanged(self, *_: object) -> None:
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        self._prepare(painter)
        pen = QPen(QColor(self._color), self._width if self._short else 1.0, self._style)
        pen.setCosmetic(True)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self._short)
        painter.setPen(pen)
        # A polyline is drawn three times as fast as a path.
        for polygon in self._polygons:
            painter.drawPolyline(polygon)

    def _points(self) -> object:
        return id(self.pyramid), self.pyramid.version

    def _outline(self, view: View) -> tuple[Values, Values]:
        envelope = self.pyramid.envelope(view.first, view.last, view.pixels)
        x, y = _corners(envelope)
        self._short = len(x) <= _SHORT and envelope.exact
        return x, y

    @staticmethod
    def _shaped(x: Values, y: Values) -> list[QPolygonF]:
        """One polyline per stretch of finite values."""
        finite = np.isfinite(y)
        if finite.all():
            return [polygon_of(x, y)]
        edges = np.flatnonzero(np.diff(finite)) + 1
        pieces = zip(np.split(x, edges), np.split(y, edges), strict=True)
        return [polygon_of(xs, ys) for xs, ys in pieces if np.isfinite(ys).all()]


class PyramidBand(Outlined, pg.GraphicsObject):  # type: ignore[misc]
    """The area between two curves over the same x, such as a mean's confidence interval."""

    def __init__(self, color: str) -> None:
        self.low = Pyramid()
        self.high = Pyramid()
        super().__init__()
        self.set_color(color)

    def set_color(self, color: str) -> None:
        """Change the colour."""
        fill = QColor(color)
        fill.setAlpha(_BAND_ALPHA)
        self._brush = QBrush(fill)
        self.update()

    def append(self, x: npt.ArrayLike, mean: npt.ArrayLike, half_width: npt.ArrayLike) -> None:
        """Add points with the bounds *mean* plus and minus *half_width*."""
        middle, half = np.asarray(mean, float), np.asarray(half_width, float)
        self.low.append(x, middle - half)
        self.high.append(x, middle + half)
        self.changed()

    def truncate_after(self, x: float) -> None:
        """Drop all points after *x*."""
        self.low.truncate_after(x)
        self.high.truncate_after(x)
        self.changed()

    def boundingRect(self) -> QRectF:
        return _view_rect(self)

    def viewRangeChanged(self, *_: object) -> None:
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        self._prepare(painter)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._brush)
        for polygon in self._polygons:
            painter.drawPolygon(polygon)

    def _points(self) -> object:
        return [(id(edge), edge.version) for edge in (self.low, self.high)]

    def _outline(self, view: View) -> tuple[Values, Values]:
        low, high = (edge.envelope(view.first, view.last, view.pixels) for edge in (self.low, self.high))
        seen = np.isfinite(low.low) & np.isfinite(high.high)
        x = np.concatenate([high.x[seen], low.x[seen][::-1]])
        y = np.concatenate([high.high[seen], low.low[seen][::-1]])
        return x, y

    @staticmethod
    def _shaped(x: Values, y: Values) -> list[QPolygonF]:
        return [polygon_of(x, y)]


def _view_rect(item: Any) -> QRectF:
    view = item.getViewBox()
    return QRectF() if view is None else QRectF(view.viewRect())


def _corners(envelope: Envelope) -> tuple[Values, Values]:
    """The points of the polyline that shows *envelope*."""
    if envelope.exact:
        return envelope.x, envelope.low
    return np.repeat(envelope.x, 2), np.column_stack([envelope.low, envelope.high]).ravel()


def polygon_of(x: Values, y: Values) -> QPolygonF:
    """The corners as a Qt polygon."""
    if not len(x):  # pyqtgraph would hand Qt read-only memory, and Qt crashes
        return QPolygonF()
    polygon: QPolygonF = pg.functions.arrayToQPolygonF(x, y)
    return polygon


class SteadyLine(pg.InfiniteLine):  # type: ignore[misc]
    """A horizontal or vertical line that moves only once the movement is visible."""

    _wanted: float | None = None  #: the value to move to, if too near to be visible

    def put(self, value: float) -> None:
        """Move to a value as soon as the movement is visible."""
        view = self.getViewBox()
        across, up = (0.0, 0.0) if view is None else view.viewPixelSize()
        if PARTS * abs(value - self.value()) < (across if self.angle else up):
            self._wanted = value
        else:
            self.setPos(value)

    def setPos(self, place: Any) -> None:
        self._wanted = None
        super().setPos(place)

    def viewTransformChanged(self) -> None:
        """Move the rest of the way: it may be visible in the new transform."""
        super().viewTransformChanged()
        if self._wanted is not None:
            self.setPos(self._wanted)
