"""A small curve: a value from the beginning until now, with its largest and its present one."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme
from slotscope.model.reporting.inspection import HistoryCurve

_HEIGHT, _MARGIN = 3.4, 10


class SmallCurve(QWidget):
    """Draws a :class:`model.reporting.inspection.HistoryCurve` as steps."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._curve: HistoryCurve | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def restyle(self, theme: Theme) -> None:
        """Follow another theme or size of type."""
        self._theme = theme
        self.updateGeometry()
        self.update()

    def show_curve(self, curve: HistoryCurve) -> None:
        """Show another curve."""
        self._curve = curve
        self.setAccessibleName(curve.label)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, round(_HEIGHT * self.fontMetrics().height()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        curve = self._curve
        if curve is None or not len(curve.times):
            return
        painter = QPainter(self)
        line = self.fontMetrics().height()
        most = float(curve.values.max())
        words = f"{curve.label} so far, at most {format_number(most)}"
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(QPointF(_MARGIN, 0.8 * line), words)
        plot = QRectF(_MARGIN, 1.3 * line, self.width() - 2 * _MARGIN, self.height() - 1.8 * line)
        painter.setPen(QPen(QColor(self._theme.grid), 1))
        painter.drawLine(plot.bottomLeft(), plot.bottomRight())
        painter.setPen(QPen(QColor(self._theme.run), 1.2))
        painter.drawPolyline(self._steps(curve, plot, most or 1.0))
        painter.end()

    @staticmethod
    def _steps(curve: HistoryCurve, plot: QRectF, most: float) -> QPolygonF:
        """The largest value in each column of pixels."""
        columns = max(2, int(plot.width()))
        edges = np.linspace(curve.times[0], curve.times[-1], columns + 1)
        starts = np.maximum(np.searchsorted(curve.times, edges[:-1], side="right") - 1, 0)
        values = np.maximum.reduceat(curve.values, starts)
        values[-1] = curve.values[-1]
        points = QPolygonF()
        for column, value in enumerate(values):
            height = plot.bottom() - plot.height() * float(value) / most
            points.append(QPointF(plot.left() + column, height))
            points.append(QPointF(plot.left() + column + 1, height))
        return points
