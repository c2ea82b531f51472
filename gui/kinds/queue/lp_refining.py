"""Theorem 1: a lower and an upper bound of rho* that converge as the partition of the sizes is refined."""

from __future__ import annotations

from typing import NamedTuple, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from slotscope.gui.painting.text import CENTRE, LEFT
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number, spread, step_up
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart

_MARGIN, _GAP, _LEADER = 10.0, 6.0, 9.0
_DOT, _BAND = 3.0, 0.18
_ROOM = 1.08
#: The bounds extend the axis at most to this multiple of the last upper bound.
_FARTHEST = 1.9


class RefinedBounds(NamedTuple):
    """One partition: its number of cells, and both bounds of rho*; ``upper`` is None if there is no upper bound."""

    cells: int
    lower: float
    upper: float | None


class RefiningPlot(Chart):
    """Plots both bounds against the number of cells, with partitions at equal distances."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "bounds of the supportable workload", QSizePolicy.Policy.Preferred)
        self.steps: tuple[RefinedBounds, ...] = ()  #: the partitions shown
        self._load = 0.0

    def set_steps(self, steps: Sequence[RefinedBounds], load: float) -> None:
        """Show the bounds *steps*, and the load rho as a line."""
        if (tuple(steps), load) != (self.steps, self._load):
            self.steps, self._load = tuple(steps), load
            self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self.setMinimumHeight(round(8 * self._metrics().height()))

    def sizeHint(self) -> QSize:
        return QSize(300, round(10 * self._metrics().height()))

    # Geometry.

    @property
    def top(self) -> float:
        """The end of the vertical axis; early upper bounds may be beyond it."""
        last = self.steps[-1]
        known = [step.upper for step in self.steps if step.upper is not None]
        end = last.upper if last.upper is not None else last.lower
        return _ROOM * max(min(max(known, default=end), _FARTHEST * end), self._load)

    def labels(self) -> list[tuple[str, float, str]]:
        """(text, value, role) of the labels at the right end."""
        last = self.steps[-1]
        found = [(f"≥ {significant(last.lower)}", last.lower, "optimum")]
        if last.upper is not None:
            found.append((f"≤ {significant(last.upper)}", last.upper, "optimum"))
        over = last.upper is not None and self._load > last.upper
        found.append((f"ρ {significant(self._load)}", self._load, "rejection" if over else "run"))
        return found

    def area(self) -> QRectF:
        """The rectangle inside the axes, in pixels."""
        metrics = self._metrics()
        step = self._tick()
        left = _MARGIN + metrics.horizontalAdvance(format_number(self.top, step)) + _GAP
        names = max(metrics.horizontalAdvance(text) for text, _, _ in self.labels())
        right = self.width() - _MARGIN - names - _LEADER - _GAP
        bottom = self.height() - 2 * metrics.height() - 2 * _GAP
        high = metrics.height() + _GAP
        return QRectF(left, high, max(1.0, right - left), max(1.0, bottom - high))

    def _tick(self) -> float:
        lines = self.height() / (3.0 * self._metrics().height())
        return step_up(self.top / max(2.0, lines))

    def _at(self, number: float, value: float, area: QRectF) -> QPointF:
        share = number / max(1, len(self.steps) - 1)
        inset = _DOT + 2
        x = area.left() + inset + share * (area.width() - 2 * inset)
        return QPointF(x, area.bottom() - min(value / self.top, 1.2) * area.height())

    # Painting.

    def paint(self, painter: QPainter) -> None:
        if not self.steps:
            return
        area, line = self.area(), self._metrics().height()
        painter.setPen(QColor(self._theme.muted))
        heading = QRectF(_MARGIN, 0, self.width() - 2 * _MARGIN, line)
        text = "ρ* lies between both bounds of Theorem 1"
        painter.drawText(heading, LEFT, self._metrics().elidedText(text, Qt.TextElideMode.ElideRight, heading.width()))
        self._paint_axes(painter, area, line)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(area.adjusted(-2, -2, 2, 2))
        self._paint_bounds(painter, area)
        painter.setClipping(False)
        self._paint_labels(painter, area, line)

    def _paint_axes(self, painter: QPainter, area: QRectF, line: float) -> None:
        self._paint_scale(painter, area, self.top, self._tick(), _GAP)
        cells = ((self._at(n, 0, area).x(), format_number(step.cells)) for n, step in enumerate(self.steps))
        self._paint_places(painter, area.bottom() + 4, cells)
        name = QRectF(area.left(), self.height() - line - 1, area.width(), line)
        painter.drawText(name, CENTRE, "cells of the partition")

    def _paint_bounds(self, painter: QPainter, area: QRectF) -> None:
        """Draw a band between the bounds, and the load as a line."""
        lower = [self._at(n, step.lower, area) for n, step in enumerate(self.steps)]
        upper = [self._at(n, step.upper, area) for n, step in enumerate(self.steps) if step.upper is not None]
        color = QColor(self._theme.optimum)
        fill = QColor(color)
        fill.setAlphaF(_BAND)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        if upper:
            same = lower[len(lower) - len(upper) :]
            painter.drawPolygon(QPolygonF([*upper, *same[::-1]]))
        scale = current_fonts().scale
        for line in (lower, upper):
            painter.setPen(QPen(color, 2.0 * scale))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF(line))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            for point in line:
                painter.drawEllipse(point, _DOT * scale, _DOT * scale)
        load = self._at(0, self._load, area).y()
        role = self.labels()[-1][2]
        painter.setPen(QPen(QColor(self._theme.color(role)), 1.5 * scale, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(area.left(), load), QPointF(area.right(), load))

    def _paint_labels(self, painter: QPainter, area: QRectF, line: float) -> None:
        labels = self.labels()
        marks = [self._at(0, value, area).y() for _, value, _ in labels]
        low, high = area.top() - line / 2, area.bottom() + line / 2
        if len(labels) * line > high - low:
            labels, marks = labels[:2], marks[:2]
        centres = spread(marks, line, low, high)
        for (text, _, role), mark, centre in zip(labels, marks, centres, strict=True):
            color = self._theme.color(role)
            painter.setPen(QPen(QColor(color)))
            painter.drawLine(QPointF(area.right() + 2, mark), QPointF(area.right() + _LEADER, centre))
            painter.setPen(QColor(self._theme.ink(color)))
            box = QRectF(area.right() + _LEADER + 3, centre - line / 2, self.width(), line)
            painter.drawText(box, LEFT, text)

    # Words.

    def tip_at(self, point: QPointF) -> str:
        """Explain both bounds."""
        return (
            "Sizes rounded up to the ends of the cells give a workload that is supportable, "
            "rounded down one that is not exceeded; both meet in ρ*: Theorem 1."
        )
