"""The picture of the plane: constant layers are painted once, the rest with each frame."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPixmap, QResizeEvent

from slotscope.gui.kinds.moldable.collapse_painting import PlanePainter, spot_color
from slotscope.gui.kinds.moldable.collapse_stage import Stage, Window, near, whole
from slotscope.gui.kinds.moldable.collapse_trail import RECENT, Trail, Visited, raster, recent
from slotscope.gui.kinds.moldable.collapse_values import (
    CollapsePlane,
    Values,
    bin_edges,
    fluid_at,
    fluid_of,
    path_text,
    point_words,
    present,
    spent,
)
from slotscope.gui.painting.text import WRAPPED
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.gui.widgets.gestures import Gestures
from slotscope.model.reporting.frame import Frame

WHOLE, NEAR, OWN = "whole", "near", "own"
_LEAST_LINES = 7  # height of the least picture, in lines of text
_CLOSE = 10.0  # largest distance in pixels of a click from a sample
_HOW = (
    "Shade: share of the time so far. Line: the latest samples; dots: earlier ones. The wheel "
    "enlarges, a click goes to a moment, a double click shows all, or the neighbourhood of y*."
)


class CollapseView(Chart):
    """The picture; ``picked`` is emitted with the event near a click, ``looked`` with the visible part."""

    picked = Signal(int)
    looked = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "the state in the plane of the optimum's two widths")
        self._frame: Frame | None = None
        self.plane: CollapsePlane | None = None  #: the plane shown
        self._delta = 0.0
        self.path: tuple[Values, Values] = np.zeros(0), np.zeros((0, 2))  #: the fluid path
        self.trail, self._visited = Trail(0), Visited()  #: all samples, and the places that they visited
        self._look, self.window_shown = WHOLE, Window(0, 1, 0, 1)
        self.stage: Stage | None = None  #: the stage of the last paint
        self._layers: tuple[QPixmap, QPixmap] | None = None
        gestures = Gestures(self)
        gestures.zoomed.connect(self.zoom)
        gestures.dragged.connect(self._drag)
        gestures.clicked.connect(self._click)
        gestures.double_clicked.connect(lambda _: self.look(NEAR if self._look == WHOLE else WHOLE))
        gestures.reset.connect(lambda: self.look(WHOLE))

    # What is shown.

    def begin(self, plane: CollapsePlane, delta: float) -> None:
        """Show another run or class."""
        self.plane, self._delta = plane, delta
        self.trail = Trail(plane.job_class)
        self.look(NEAR if self._look == NEAR else WHOLE)

    def set_delta(self, delta: float) -> None:
        """Set delta, which bounds the region."""
        self._delta = delta
        self._forget()

    def set_path(self, frame: Frame) -> None:
        """Take the fluid path as it is known by now."""
        assert self.plane is not None
        self.path = fluid_of(self.plane, frame.bounds)
        self._forget()

    def set_frame(self, frame: Frame) -> None:
        self._frame = frame
        if self.trail.update(frame):
            self._visited.forget()
        self.update()

    def look(self, part: str) -> None:
        """Show the whole triangle, or the neighbourhood of y*."""
        if self.plane is not None:
            self._set_window(part, (near if part == NEAR else whole)(self.plane))

    def _set_window(self, part: str, window: Window) -> None:
        self._look, self.window_shown = part, window
        self._forget()
        self.looked.emit(part)

    def _forget(self) -> None:
        self.stage = self._layers = None
        self.update()

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self._forget()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._forget()

    def sizeHint(self) -> QSize:
        return QSize(400, round(16 * self._metrics().height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, round(3 * self._metrics().height()))

    # The mouse.

    def zoom(self, factor: float, around: QPointF) -> None:
        """Zoom in by a factor around a position."""
        if self.plane is not None and self.stage is not None:
            most = whole(self.plane)
            window = self.window_shown.zoomed(factor, self.stage.point(around), most)
            self._set_window(WHOLE if window == most else OWN, window)

    def _drag(self, by: QPointF) -> None:
        if self.plane is None or self.stage is None:
            return
        (wide, high), area = self.window_shown.sides, self.stage.area
        step = -by.x() / area.width() * wide, by.y() / area.height() * high
        window = self.window_shown.moved(step, whole(self.plane))
        if window != self.window_shown:
            self._set_window(OWN, window)

    def _click(self, at: QPointF) -> None:
        """Go to the latest sample near a click."""
        if self._frame is None or self.stage is None:
            return
        x, y = self.trail.points(0, self.trail.count(self._frame.extent.live_end_time))
        spot = self.stage.point(at)
        (wide, high), area = self.window_shown.sides, self.stage.area
        off = np.hypot((x - spot[0]) / wide * area.width(), (y - spot[1]) / high * area.height())
        close = np.flatnonzero(off <= _CLOSE)
        if len(close):
            nearest = close[off[close] == off[close].min()][-1]
            self.picked.emit(self.trail.event_at(int(nearest)))

    def tip_at(self, point: QPointF) -> str:
        """The tooltip at a point."""
        if self.plane is None or self._frame is None or self.stage is None:
            return ""
        if not self.stage.area.contains(point):
            return _HOW
        return point_words(self.plane, self._frame, self.stage.point(point))

    # Painting.

    def paint(self, painter: QPainter) -> None:
        if self._frame is None or self.plane is None:
            return
        if self.height() < _LEAST_LINES * self._metrics().height() or self.width() < 160:
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(self.rect().adjusted(8, 4, -8, -4), WRAPPED, "Too small to draw: make this panel larger.")
            return
        if self._layers is None or self.stage is None:
            self.stage = Stage(QSizeF(self.size()), self.window_shown, self._metrics())
            self._layers = self._painted(self.stage, self.plane)
        below, above = self._layers
        painter.drawPixmap(0, 0, below)
        self._paint_moving(painter, self.stage, self.plane, self._frame)
        painter.drawPixmap(0, 0, above)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        looks = PlanePainter(painter, self.stage, self._theme)
        looks.now(present(self.plane, self._frame))

    def _painted(self, stage: Stage, plane: CollapsePlane) -> tuple[QPixmap, QPixmap]:
        """The constant layers below and above what moves."""
        assert self._frame is not None
        text = path_text(plane, self._frame.info)
        ratio, layers = self.devicePixelRatioF(), []
        for above in (False, True):
            layer = QPixmap(self.size() * ratio)
            layer.setDevicePixelRatio(ratio)
            layer.fill(Qt.GlobalColor.transparent if above else QColor(self._theme.panel))
            painter = QPainter(layer)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(current_fonts().body)
            looks = PlanePainter(painter, stage, self._theme)
            if above:
                looks.marks(plane, self._delta, self.path[1], text)
            else:
                looks.ground(plane, self._delta)
            painter.end()
            layers.append(layer)
        return layers[0], layers[1]

    def _paint_moving(self, painter: QPainter, stage: Stage, plane: CollapsePlane, frame: Frame) -> None:
        looks = PlanePainter(painter, stage, self._theme)
        painter.save()
        painter.setClipRect(stage.area)
        window, area = self.window_shown, stage.area
        right = raster(window.left, window.right, area.width(), plane.servers)
        up = raster(window.bottom, window.top, area.height(), plane.servers)
        x, y, older = self._recent(frame, plane)
        self._visited.show(self.trail, older, right, up, spot_color(self._theme))
        looks.visited(self._visited.pixels, (right.start, up.end), (right.end, up.start))
        looks.density(spent(plane, frame), bin_edges(plane, frame.info))
        here = present(plane, frame)
        looks.trail(np.append(x, here[0]), np.append(y, here[1]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        looks.fluid_now(fluid_at(self.path, frame.time))
        painter.restore()

    def _recent(self, frame: Frame, plane: CollapsePlane) -> tuple[Values, Values, int]:
        """The latest part of the trail, and the number of older samples.

        From samples, or from the last events if samples are too far apart.
        """
        count = self.trail.count(frame.time)
        if self.trail.is_line(plane.servers):
            older = max(0, count - RECENT)
            return *self.trail.points(older, count), older
        x, y = recent(frame, plane.widths, plane.job_class)
        return x / plane.servers, y / plane.servers, count
