"""D* over the load, with a cursor that can be dragged."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from slotscope.gui.plotting.cursor_drag import CursorDrag, special_near
from slotscope.gui.plotting.pyramid import Pyramid
from slotscope.gui.plotting.time_plot import PlotText, TimePlot
from slotscope.gui.theme import Theme, current_fonts

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
        self.load = Fraction(0)  #: where the cursor stands
        text = PlotText("load", "D*")
        self.plot = TimePlot(theme, current_fonts(), text, parent=self)
        self._curve: Pyramid = self.plot.add_curve("D*", "optimum")
        self._room: Pyramid = self.plot.add_curve("room", "grid")  # one point: the axis reaches it
        self.drag = CursorDrag(self.plot)
        self._dots = pg.ScatterPlotItem(pen=None, useCache=False, antialias=True)
        self._dots.setZValue(110)
        self._prepare()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.plot)

    def _prepare(self) -> None:
        self.plot.getPlotItem().setContentsMargins(*_MARGINS)
        self.plot.getPlotItem().addItem(self._dots, ignoreBounds=True)
        self.plot.set_x_range(0.0, 1.0)
        self.drag.dragged.connect(self._choose)
        self.drag.returned.connect(lambda: self.chosen.emit(None))
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

    def _choose(self, wanted: float, near: float) -> None:
        """Ask for the load under the mouse: a round number, or a special one close by."""
        specials = (one for one in (self._present, *self._knots) if 0 < one <= 1)
        rounded = Fraction(min(max(round(wanted * _STEPS), 1), _STEPS), _STEPS)
        if len(self._curve):
            self.chosen.emit(special_near(wanted, near, specials) or rounded)
