"""A cursor that the mouse drags along a plot in which nothing else moves."""

from __future__ import annotations

from fractions import Fraction
from typing import Iterable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent

from slotscope.gui.plotting.time_plot import TimePlot

_SNAP = 5.0  # pixels


class CursorDrag(QObject):
    """Emits ``dragged`` with a value of the axis and the snapping distance, and ``returned`` at a double click."""

    dragged = Signal(float, float)
    returned = Signal()

    def __init__(self, plot: TimePlot) -> None:
        super().__init__(plot)
        self._plot, self._view = plot, plot.getPlotItem().getViewBox()
        self._dragging = False
        self._view.setMouseEnabled(x=False, y=False)
        plot.viewport().installEventFilter(self)
        plot.viewport().setCursor(Qt.CursorShape.SizeHorCursor)

    def place_of(self, value: Fraction) -> QPointF:
        """The cursor's position in the plot's viewport when it is at *value*."""
        scene = self._view.mapViewToScene(QPointF(float(value), self._view.viewRect().center().y()))
        return QPointF(self._plot.mapFromScene(scene))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent):
            return super().eventFilter(watched, event)
        place = self._plot.mapToScene(event.position().toPoint())
        match event.type():
            case QEvent.Type.MouseButtonPress:
                inside = self._view.sceneBoundingRect().contains(place)
                self._dragging = inside and event.button() == Qt.MouseButton.LeftButton
            case QEvent.Type.MouseButtonRelease:
                self._dragging = False
            case QEvent.Type.MouseButtonDblClick:
                self._dragging = False
                self.returned.emit()
        if self._dragging:
            (left, right), _ = self._view.viewRange()
            near = _SNAP * (right - left) / max(1.0, self._view.width())
            self.dragged.emit(float(self._view.mapSceneToView(place).x()), near)
        return True


def special_near(value: float, near: float, specials: Iterable[Fraction]) -> Fraction | None:
    """The first of *specials* within *near* of *value*; None if there is none."""
    return next((one for one in specials if abs(value - float(one)) <= near), None)
