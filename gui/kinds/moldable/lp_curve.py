"""D* over the load, with a cursor that can be dragged."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from slotscope.gui.plotting.pyramid import Pyramid
from slotscope.gui.plotting.time_plot import PlotText, TimePlot
from slotscope.gui.theme import Theme, current_fonts

_SNAP = 5.0  # pixels
_DOT, _KNOT = 9.0, 5.0
_MARGINS = (4, 8, 16, 4)  # at the right half of the last number, where no label stands
_ROOM = 1.08  # how far the axis goes beyond the curve
_STEPS = 1000  # a dragged load is a multiple of 1 / _STEPS


class LoadCurve(QWidget):
    """The curve; ``chosen`` is the load (a Fraction) that the mouse asks for, None the present."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._present = Fraction(0)
        self._knots: tuple[Fraction, ...] = ()
        self._dragging = False
        self.load = Fraction(0)  #: where the cursor stands
        text = PlotText("load", "D*")
        self.plot = TimePlot(theme, current_fonts(), text, parent=self)
        self._curve: Pyramid = self.plot.add_curve("D*", "optimum")
        self._room: Pyramid = self.plot.add_curve("room", "grid")  # one point: the axis reaches it
        self._view = self.plot.getPlotItem().getViewBox()
        self._dots = pg.ScatterPlotItem(pen=None, useCache=False, antialias=True)
        self._dots.setZValue(110)
        self._prepare()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.plot)

    def _prepare(self) -> None:
        """The mouse moves the cursor and nothing else."""
        self._view.setMouseEnabled(x=False, y=False)
        self.plot.getPlotItem().setContentsMargins(*_MARGINS)
        self.plot.getPlotItem().addItem(self._dots, ignoreBounds=True)
        self.plot.set_x_range(0.0, 1.0)
        self.plot.viewport().installEventFilter(self)
        self.plot.viewport().setCursor(Qt.CursorShape.SizeHorCursor)
        self.plot.setAccessibleName("least mean execution time over the load")
        self.plot.setToolTip(
            "The least mean execution time over the load; dots are where the "
            "widths change.\nDrag to see the optimum at another load; a double "
            "click returns to the present one."
        )

    def set_curve(
        self, curve: NDArray[np.float64], knots: tuple[Fraction, ...], present: Fraction, symbol: str
    ) -> None:
        """Show another curve [points, 2], which bends at *knots*, with the cursor at *present*."""
        self.plot.forget()
        self._curve.replace(np.r_[0.0, curve[:, 0]], np.r_[curve[0, 1], curve[:, 1]])
        self._room.replace([0.0], [_ROOM * float(curve[:, 1].max())])
        self._knots, self._present = knots, present
        self.plot.getPlotItem().getAxis("bottom").setLabel(f"load {symbol}")
        self.plot.refresh()

    def show_load(self, load: Fraction, text: str) -> None:
        """Move the cursor; *text* stands at the height of the curve there, if it is on it."""
        self.load = load
        inside = 0 < load <= 1
        self.plot.set_cursor(float(load) if inside else None)
        spots = [
            {"pos": (float(knot), self.value_at(knot)), "size": _KNOT * self._scale, "brush": QColor(self._theme.muted)}
            for knot in self._knots
        ]
        if inside:
            height = self.value_at(load)
            self.plot.set_reference("here", height, "optimum", text)
            spots.append(
                {"pos": (float(load), height), "size": _DOT * self._scale, "brush": QColor(self._theme.optimum)}
            )
        else:
            self.plot.discard("here")
        self._dots.setData(spots)
        self.plot.refresh()

    def value_at(self, load: Fraction) -> float:
        """The height of the curve."""
        return float(np.interp(float(load), self._curve.x, self._curve.y))

    @property
    def _scale(self) -> float:
        return current_fonts().scale

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._theme = theme
        self.plot.set_theme(theme, current_fonts())
        self.setMinimumHeight(
            round((7 if current_fonts().lecture else 8) * QFontMetricsF(current_fonts().body).height())
        )

    # The mouse.

    def load_at(self, place: QPointF) -> Fraction:
        """The load at a place in the plot's viewport: a round number, or a special one close by."""
        wanted = float(self._view.mapSceneToView(self.plot.mapToScene(place.toPoint())).x())
        near = _SNAP / max(1.0, self._view.width())
        for special in (self._present, *self._knots):
            if 0 < special <= 1 and abs(wanted - float(special)) <= near:
                return special
        return Fraction(min(max(round(wanted * _STEPS), 1), _STEPS), _STEPS)

    def place_of(self, load: Fraction) -> QPointF:
        """Where the cursor is in the plot's viewport when it stands at *load*."""
        scene = self._view.mapViewToScene(QPointF(float(load), self._view.viewRect().center().y()))
        return QPointF(self.plot.mapFromScene(scene))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QMouseEvent) or not len(self._curve):
            return super().eventFilter(watched, event)
        place = event.position()
        match event.type():
            case QEvent.Type.MouseButtonPress:
                inside = self._view.sceneBoundingRect().contains(self.plot.mapToScene(place.toPoint()))
                self._dragging = inside and event.button() == Qt.MouseButton.LeftButton
            case QEvent.Type.MouseButtonRelease:
                self._dragging = False
            case QEvent.Type.MouseButtonDblClick:
                self._dragging = False
                self.chosen.emit(None)
        if self._dragging:
            self.chosen.emit(self.load_at(place))
        return True
