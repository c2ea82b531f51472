"""The slack of a monitor over time, small: a curve above the line at which it is violated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.theme import Theme

_WIDTH, _HEIGHT, _EDGE = 110, 30, 3


class SlackCurve(QWidget):
    """A curve from the start of the run to now; the line below it is 0."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.values: NDArray[np.float64] = np.zeros(0)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme."""
        self._theme = theme
        self.update()

    def show_series(self, values: NDArray[np.float64]) -> None:
        """Show [n] values at equal distances."""
        self.values = values
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, _HEIGHT)

    def paintEvent(self, _: QPaintEvent) -> None:
        painter = QPainter(self)
        low, high = min(0.0, *self.values, 0.0), max(1e-9, *self.values, 1e-9)
        room = self.height() - 2 * _EDGE

        def place(value: float) -> float:
            return float(_EDGE + room * (high - value) / (high - low))

        painter.setPen(QPen(QColor(self._theme.border), 1))
        painter.drawLine(QPointF(0, place(0)), QPointF(self.width(), place(0)))
        across = np.linspace(_EDGE, self.width() - _EDGE, len(self.values))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._theme.run), 1.5))
        painter.drawPolyline(QPolygonF([QPointF(x, place(float(y))) for x, y in zip(across, self.values, strict=True)]))
