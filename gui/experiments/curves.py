"""The graphics items of one curve of a figure (line, points, intervals), and the logarithmic axis."""

from __future__ import annotations

import math
from typing import Sequence

import numpy as np
import numpy.typing as npt
import pyqtgraph as pg
from PySide6.QtGui import QBrush, QColor, QPen

from slotscope.gui.plotting.axes import NumberAxis
from slotscope.gui.plotting.looks import Look
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme
from slotscope.model.lab.results import Curve

#: Leading digits of the ticks on a logarithmic axis; the first choice that gives at most _MOST_TICKS ticks is used.
_DIGITS = ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1,))

#: The most ticks along a logarithmic axis.
_MOST_TICKS = 8


class LogarithmicAxis(NumberAxis):
    """An axis whose view coordinates are the logarithms of the numbers to base 10."""

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        found: list[float] = []
        for digits in _DIGITS:
            found = [
                power + math.log10(digit)
                for power in range(math.floor(low), math.ceil(high) + 1)
                for digit in digits
                if low <= power + math.log10(digit) <= high
            ]
            if len(found) <= _MOST_TICKS:
                break
        return [(1.0, found)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [_number(10.0**value) for value in values]


def _number(value: float) -> str:
    return format_number(value, 10.0 ** min(0, math.floor(math.log10(value))))


Values = npt.NDArray[np.float64]

#: Curves of up to this many points show each one with its interval; longer curves show only a few symbols.
MOST_POINTS, FEW_SYMBOLS = 40, 7

_WIDTH, _DOT, _BAND_OPACITY = 2.0, 9.0, 40


class Drawn:
    """The graphics items of one curve, which are reused when its points change."""

    def __init__(self, plot: pg.PlotItem, look: Look) -> None:
        self.look = look
        self._plot = plot
        self._low, self._high = pg.PlotCurveItem(), pg.PlotCurveItem()
        self._band = pg.FillBetweenItem(self._low, self._high)
        self._line = pg.PlotCurveItem(antialias=True)
        self._bars = pg.ErrorBarItem(beam=0.0)
        self._dots = pg.ScatterPlotItem(useCache=False, antialias=True)
        self._color = QColor()
        self._scale = 1.0
        for height, item in enumerate((self._band, self._bars, self._line, self._dots)):
            item.setZValue(height)
            plot.addItem(item, ignoreBounds=True)

    def remove(self) -> None:
        """Remove the curve from the plot."""
        for item in (self._band, self._line, self._bars, self._dots):
            self._plot.removeItem(item)

    def set_look(self, look: Look, theme: Theme, scale: float) -> None:
        """Draw with this look, in the colours of *theme*; *scale* is that of the fonts."""
        self.look, self._color, self._scale = look, QColor(look.color(theme)), scale
        pen = QPen(self._color, _WIDTH * scale, look.dashes)
        pen.setCosmetic(True)
        self._line.setPen(pen)
        self._bars.setOpts(pen=pg.mkPen(self._color, width=_WIDTH * scale))
        band = QColor(self._color)
        band.setAlpha(_BAND_OPACITY)
        self._band.setBrush(band)
        self._panel = QBrush(QColor(theme.panel))

    def show(self, curve: Curve, logarithmic: bool) -> None:
        """Show the curve's points so far."""
        x, y, half = arrays(curve, logarithmic)
        few = len(x) <= MOST_POINTS
        self._line.setData(x, y)
        known = np.nan_to_num(half)
        banded = bool(curve.half_width) and len(x) > 1
        self._band.setVisible(banded)
        if banded:
            self._low.setData(x, y - known)
            self._high.setData(x, y + known)
        self._bars.setVisible(few and bool(known.any()))
        self._bars.setData(x=x, y=y, height=2 * known)
        self._show_dots(x, y, np.isnan(half), few)

    def _show_dots(self, x: Values, y: Values, unknown: Values, few: bool) -> None:
        """Draw the symbols; those of points without an interval yet are hollow."""
        chosen = list(range(len(x))) if few else self._places(len(x))
        filled = QBrush(self._color)
        self._dots.setData(
            x=x[chosen],
            y=y[chosen],
            size=_DOT * self._scale,
            symbol=self.look.symbol,
            pen=pg.mkPen(self._color, width=1.5 * self._scale),
            brush=[self._panel if unknown[place] else filled for place in chosen],
        )

    def _places(self, points: int) -> list[int]:
        """The indices of the points with symbols on a long curve, shifted from curve to curve to avoid overlap."""
        first = (0.3 + 0.11 * self.look.number) % 1
        return sorted({int((n + first) * points / FEW_SYMBOLS) for n in range(FEW_SYMBOLS)})


def arrays(curve: Curve, logarithmic: bool) -> tuple[Values, Values, Values]:
    """x in the view's coordinates, y, and half-widths (0 if the curve has none), each [points]."""
    x, y = np.array(curve.x, float), np.array(curve.y, float)
    half = np.array(curve.half_width, float) if curve.half_width else np.zeros(len(x))
    return np.log10(x) if logarithmic else x, y, half


def last_height(curve: Curve) -> float | None:
    """The last finite y of a curve; None if there is none."""
    return next((y for y in reversed(curve.y) if math.isfinite(y)), None)
