"""A widget that paints numbers with text, in a theme, with tooltips and clicks."""

from __future__ import annotations

from math import inf
from typing import Iterable

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from slotscope.gui.painting.text import CENTRE, RIGHT
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.gestures import POINTING


class Chart(QWidget):
    """Base of such widgets, which take the available width; *name* is the accessible name.

    Subclasses implement :meth:`paint`, called with the body font.
    """

    def __init__(self, theme: Theme, name: str, height: QSizePolicy.Policy = QSizePolicy.Policy.Expanding) -> None:
        super().__init__()
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Ignored, height)
        self.setAccessibleName(name)

    def restyle(self, theme: Theme) -> None:
        self._theme = theme
        self.updateGeometry()
        self.update()

    @staticmethod
    def _metrics() -> QFontMetricsF:
        return current_fonts().metrics

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(current_fonts().body)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint the contents, if there are any."""

    def _paint_scale(self, painter: QPainter, area: QRectF, top: float, step: float, gap: float) -> None:
        """Paint grid lines across *area* from 0 to *top*, its height, with their values *gap* pixels to its left."""
        line = self._metrics().height()
        for number in range(int(top / step) + 1):
            y = round(area.bottom() - number * step / top * area.height()) + 0.5
            painter.setPen(QColor(self._theme.grid if number else self._theme.border))
            painter.drawLine(QLineF(area.left(), y, area.right(), y))
            painter.setPen(QColor(self._theme.muted))
            box = QRectF(0, y - line / 2, area.left() - gap, line)
            painter.drawText(box, RIGHT, format_number(number * step, step))

    def _paint_places(self, painter: QPainter, top: float, places: Iterable[tuple[float, str]]) -> None:
        """Paint the labels of a horizontal axis, centred at their x, skipping those that would overlap."""
        taken, line = -inf, self._metrics().height()
        painter.setPen(QColor(self._theme.muted))
        for x, text in places:
            half = self._metrics().horizontalAdvance(text) / 2 + 2
            if x - half > taken:
                painter.drawText(QRectF(x - half, top, 2 * half, line), CENTRE, text)
                taken = x + half

    def tip_at(self, point: QPointF) -> str:
        """The tooltip at a point."""
        return self.toolTip()

    def pick(self, point: QPointF, double: bool) -> bool:
        """Select what was clicked; returns False if nothing is there."""
        return False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        double = event.type() == QEvent.Type.MouseButtonDblClick  # QWidget forwards double clicks to here
        if event.button() not in POINTING or not self.pick(event.position(), double):
            event.ignore()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)
