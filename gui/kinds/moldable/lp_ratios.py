"""A picture of Theorem 1: s_i / i over i, and the load as the line that cuts it."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from slotscope.gui.painting.text import CENTRE, LEFT
from slotscope.gui.panels.wording import THIN, significant
from slotscope.gui.plotting.scales import step_up
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.chart import Chart
from slotscope.model.reporting.letters import subscript

_PAD, _TICK, _RADIUS, _RING = 8.0, 4.0, 3.0, 6.0
_CLEAR = 3.0  # pixels between a line and its name
_ROOM = 1.12  # end of the vertical axis, relative to the largest value
#: Most widths for which each has a dot.
_DOTS = 40
#: Lines of text of each of the two stacked pictures: in lecture mode, where both must be visible; least; usual.
_IN_HALL, _LEAST, _USUAL = 6.25, 8, 10
#: Additional height in lecture mode of the picture being explained: as far as the other stays whole at 1280x720.
_SPOKEN_OF = 1.17


def picture_heights() -> tuple[int, int]:
    """Minimum and preferred height in pixels of a picture of the optimum."""
    fonts = current_fonts()
    least, usual = (_IN_HALL, _IN_HALL) if fonts.lecture else (_LEAST, _USUAL)
    line = fonts.metrics.height()
    return round(least * line), round(usual * line)


@dataclass(frozen=True)
class RatioValues:
    """The values shown of a class of jobs."""

    ratios: tuple[float, ...]  #: [d] s_i / i
    load: float  #: of the class's servers; 0 if unknown
    support: tuple[int, ...] = ()  #: I*; empty if (P) has no solution
    shares: tuple[str, ...] = ()  #: p*_i for each i of I*, as text
    symbol: str = "λ"  #: the symbol of the load


class RatioPlot(Chart):
    """Dots at s_i / i, a line at the load, and the widths on both sides of their intersection."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "speed-up per server over the number of servers")
        self.values: RatioValues | None = None

    def set_values(self, values: RatioValues | None) -> None:
        if values != self.values:
            self.values = values
            self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self.setMinimumHeight(self._height(0))

    def sizeHint(self) -> QSize:
        return QSize(300, self._height(1))

    def _height(self, which: int) -> int:
        """Height in pixels; in lecture mode larger than that of the picture below, as this one is explained."""
        return round(picture_heights()[which] * (_SPOKEN_OF if current_fonts().lecture else 1))

    # Geometry.

    def area(self) -> QRectF:
        """The plot's rectangle inside the axes."""
        metrics, line = self._metrics(), self._metrics().height()
        left = _PAD + metrics.horizontalAdvance("0.25") + 2 * _TICK
        name = metrics.horizontalAdvance(self._load_text()) + 2 * _TICK
        return QRectF(
            left, 1.2 * line, max(self.width() - left - name - _PAD, 1.0), max(self.height() - 3.4 * line, 1.0)
        )

    @property
    def top(self) -> float:
        """The upper end of the vertical axis."""
        load = self.values.load if self.values is not None else 0.0
        return _ROOM * max(1.0, load)

    def at(self, width: float, ratio: float) -> QPointF:
        """The position of a width and a value in the widget."""
        area, degree = self.area(), len(self.values.ratios) if self.values is not None else 1
        across = (width - 0.5) / degree
        return QPointF(area.left() + across * area.width(), area.bottom() - ratio / self.top * area.height())

    def width_at(self, x: float) -> int:
        """The width nearest to an x coordinate."""
        assert self.values is not None
        degree, area = len(self.values.ratios), self.area()
        across = (x - area.left()) / area.width() * degree
        return min(max(int(across) + 1, 1), degree)

    # Painting.

    def paint(self, painter: QPainter) -> None:
        if self.values is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axes(painter, self.area())
        if self.values.load:
            self._paint_load(painter, self.area())
        self._paint_ratios(painter, self.values)
        self._paint_support(painter, self.values)

    def _paint_axes(self, painter: QPainter, area: QRectF) -> None:
        theme, line = self._theme, self._metrics().height()
        step = step_up(self.top / max(2.0, area.height() / (2.2 * line)))
        self._paint_scale(painter, area, self.top, step, _TICK)
        self._paint_widths(painter, area, line)
        painter.setPen(QColor(theme.muted))
        painter.drawText(QRectF(_PAD, 0, self.width(), line), LEFT, "sᵢ / i: speed-up per server")
        below = QRectF(area.left(), area.bottom() + 1.15 * line, area.width(), line)
        painter.drawText(below, CENTRE, "i, servers of a job")

    def _paint_widths(self, painter: QPainter, area: QRectF, line: float) -> None:
        """Write the number below each dot, or below some of them."""
        assert self.values is not None
        degree = len(self.values.ratios)
        step = max(1, round(step_up(degree * 2.5 * line / area.width())))
        shown = range(1, degree + 1) if step == 1 else range(step, degree + 1, step)
        self._paint_places(painter, area.bottom() + 2, ((self.at(width, 0.0).x(), str(width)) for width in shown))

    def _load_text(self) -> str:
        if self.values is None or not self.values.load:
            return ""
        return f"{self.values.symbol}{THIN}={THIN}{significant(self.values.load)}"

    def _paint_load(self, painter: QPainter, area: QRectF) -> None:
        assert self.values is not None
        theme, line = self._theme, self._metrics().height()
        color = theme.rejection if self.values.load > 1 else theme.run
        y = self.at(1, self.values.load).y()
        painter.setPen(QPen(QColor(color), 1.5 * current_fonts().scale, Qt.PenStyle.DashLine))
        painter.drawLine(QLineF(area.left(), y, area.right(), y))
        painter.setPen(QColor(theme.ink(color)))
        box = QRectF(area.right() + _TICK, y - line / 2, self.width() - area.right(), line)
        painter.drawText(box, LEFT, self._load_text())

    def _paint_ratios(self, painter: QPainter, values: RatioValues) -> None:
        points = [self.at(i, ratio) for i, ratio in enumerate(values.ratios, 1)]
        scale = current_fonts().scale
        painter.setPen(QPen(QColor(self._theme.muted), 1.5 * scale))
        painter.drawPolyline(QPolygonF(points))
        if len(points) > _DOTS:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.muted))
        for point in points:
            painter.drawEllipse(point, _RADIUS * scale, _RADIUS * scale)

    def _paint_support(self, painter: QPainter, values: RatioValues) -> None:
        """Mark the widths that the optimum uses in gold, with a line down to the axis and p*."""
        gold, scale = QColor(self._theme.optimum), current_fonts().scale
        area = self.area()
        for width in values.support:
            point = self.at(width, values.ratios[width - 1])
            painter.setPen(QPen(gold, 1.5 * scale, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(point, QPointF(point.x(), area.bottom())))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(gold)
            painter.drawEllipse(point, _RING * scale, _RING * scale)
        for box, text in self.names():
            painter.fillRect(box, QColor(self._theme.panel))
            painter.setPen(QColor(self._theme.ink(self._theme.optimum)))
            painter.drawText(box, CENTRE, text)

    def names(self) -> list[tuple[QRectF, str]]:
        """The labels of the used widths, beside their lines, with their boxes.

        Each label is on one side of its line and clear of the next one, in the longest wording that fits.
        """
        values = self.values
        if values is None or not values.support:
            return []
        line, area = self._metrics().height(), self.area()
        lines = [area.left(), *(self.at(width, 0.0).x() for width in values.support), area.right()]
        found, used = [], list(zip(values.support, values.shares, strict=True))
        for place, (width, share) in enumerate(used):
            symbol = "i₁ = i₂" if len(used) == 1 else f"i{subscript(place + 1)}"
            texts = f"{symbol} = {width}, p* = {share}", f"{symbol} = {width}", symbol
            text, left, wide = self._beside(texts, *lines[place : place + 3])
            top = area.bottom() - (0.4 + 1.05 * (len(used) - place)) * line
            found.append((QRectF(left, top, wide, line), text))
        return found

    def _beside(self, texts: tuple[str, ...], before: float, x: float, after: float) -> tuple[str, float, float]:
        """The first text that fits beside the line at *x*, its left edge and its width."""
        for text in texts:
            wide = self._metrics().horizontalAdvance(text) + 6
            if x + wide + 2 * _CLEAR <= after:
                return text, x + _CLEAR, wide
            if x - wide - 2 * _CLEAR >= before:
                return text, x - _CLEAR - wide, wide
        return text, x + _CLEAR, wide

    # Words.

    def tip_at(self, point: QPointF) -> str:
        """The nearest width in words."""
        if self.values is None:
            return ""
        width = self.width_at(point.x())
        ratio = self.values.ratios[width - 1]
        text = f"On {width} servers each server does {significant(ratio)} of what a single one does alone."
        if width in self.values.support:
            share = self.values.shares[self.values.support.index(width)]
            text += f" The optimum uses this width: p* = {share}."
        return text + " Theorem 1: the widths lie on both sides of where the load cuts the curve."
