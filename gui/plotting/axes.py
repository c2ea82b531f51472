"""Axes, grid and end labels of a plot, in the theme's colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from slotscope.gui.painting.kept import PARTS
from slotscope.gui.plotting.scales import format_number, spread, step_up
from slotscope.gui.theme import Fonts, Theme

_LEADER = 10.0
_GAP = 4.0
_ARROW = 4.0
_TICK_OFFSET = 5.0
_MOST, _NAME = 0.45, 20  # of a plot's width for labels beside it, and characters that they keep
# Least distance of ticks, in heights of the text.
_TICK_ROOM = {"left": 2.5, "bottom": 5.0}
# Nearer, in heights of the text, numbers would touch; an axis without room for two has steps beyond its range.
_TICK_TOUCH, _FEWEST = 1.2, 0.1


class PlotAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis that typesets its label once: pyqtgraph does it again with each range, also where it is hidden."""

    _typeset: str | None = None

    def wheelEvent(self, event: Any) -> None:
        """Where the plot does not zoom the wheel scrolls the page, as over the curves; pyqtgraph keeps it to itself."""
        super().wheelEvent(event)
        if not self.linkedView().state["mouseEnabled"][self.orientation in {"left", "right"}]:
            event.ignore()

    def _updateLabel(self) -> None:
        text = self.labelString()
        if text != self._typeset:
            self._typeset = text
            self.label.setHtml(text)
        self._adjustSize()
        self.picture = None
        self.update()


class NumberAxis(PlotAxis):
    """An axis whose numbers have thin spaces at the thousands."""

    def __init__(self, orientation: str, label: str, whole: bool = False) -> None:
        self._text = label
        self.whole = whole  #: half a thing has no tick
        self._named = True  # whether there is room for the label
        self._metrics = QFontMetricsF(QFont())
        self._known: tuple[tuple[object, ...], list[float]] = (), []  # ticks, and what decides where they are
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)

    def set_name(self, label: str) -> None:
        """Call what the axis shows otherwise."""
        if label != self._text:
            self._text = label
            self.setLabel(label)
            self.showLabel(self._named)  # pyqtgraph shows each new label
            self.resizeEvent()  # only there is a label put into the middle of its axis

    @property
    def _text_height(self) -> float:
        return self._metrics.height()

    def length_of(self, label: str) -> float:
        """Pixels that a label takes along the axis."""
        return self._metrics.horizontalAdvance(label)

    def boundingRect(self) -> QRectF:
        """With room at both ends for half a number, as far as the picture reaches: others are not written."""
        rect, view = QRectF(super().boundingRect()), self.getViewWidget()
        if self.orientation == "left" or view is None:
            return rect
        seen = QRectF(self.mapRectFromScene(view.mapToScene(view.viewport().rect()).boundingRect()))
        aside = 2 * self._text_height
        return rect.adjusted(-aside, 0, aside, 0) & seen.united(rect)

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [format_number(value * scale, spacing * scale) for value in values]

    def tickSpacing(self, low: float, high: float, size: float) -> list[tuple[float, float]]:
        fitting = max(_FEWEST, size / (_TICK_TOUCH * self._text_height))
        wanted = max(min(2.0, fitting), size / (_TICK_ROOM[self.orientation] * self._text_height))
        if self.orientation == "bottom":  # numbers side by side must not touch
            ends = (format_number(end, (high - low) / wanted) for end in (low, high))
            widest = max(map(self._metrics.horizontalAdvance, ends)) + self._text_height
            wanted = min(wanted, max(1.0, size / widest))
        return [(max(float(self.whole), step_up((high - low) / wanted)), 0.0)]

    @property
    def _length(self) -> float:
        return float(self.size().height() if self.orientation == "left" else self.size().width())

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """By the axis' own length: *size* is that of the line that pyqtgraph draws, which reaches beyond it."""
        levels: list[tuple[float, list[float]]] = super().tickValues(low, high, self._length)
        return levels

    def ticks(self) -> list[float]:
        decisive = *self.range, self._length, self._metrics, self.whole
        if decisive != self._known[0]:
            low, high = self.range
            levels = self.tickValues(low, high, self._length)
            self._known = decisive, [float(value) for value in levels[0][1]]
        return self._known[1]

    @property
    def _label_room(self) -> float:
        return 1.2 * self._text_height + _GAP if self._named else _GAP

    def overhang(self) -> float:
        """Pixels by which a number at the axis' end stands beyond it, at most."""
        ticks = self.ticks()
        texts = self.tickStrings(ticks, 1.0, ticks[1] - ticks[0] if ticks[1:] else 1.0)
        return max(map(self.length_of, texts), default=0.0) / 2

    def fit(self, *, named: bool = True) -> None:
        """Make room for the numbers of the present range, and where it is *named* for the label beside them."""
        self._named = named
        self.showLabel(named)
        if self.orientation == "bottom":
            self.setHeight(_TICK_OFFSET + self._text_height + self._label_room)
        else:
            self._widen()

    def resizeEvent(self, event: Any = None) -> None:
        """Another height has other numbers, whatever has changed it."""
        super().resizeEvent(event)
        if event is not None and self.orientation == "left" and event.oldSize().height() != event.newSize().height():
            self._widen()

    def _widen(self) -> None:
        self.setWidth(self.wanted)

    @property
    def wanted(self) -> float:
        """Pixels of width that the numbers of the present range need, with the label beside them."""
        ticks = self.ticks()
        spacing = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
        texts = self.tickStrings(ticks, 1.0, spacing)
        widest = max((self._metrics.horizontalAdvance(text) for text in texts), default=0.0)
        return _TICK_OFFSET + widest + self._label_room

    def set_theme(self, theme: Theme, fonts: Fonts) -> None:
        """Take another theme's colours and fonts."""
        self.setPen(QPen(QColor(theme.border)))
        self.setTextPen(QPen(QColor(theme.muted)))
        self.setTickFont(fonts.body)
        self._metrics = fonts.metrics
        self.setStyle(tickLength=-5, tickTextOffset=int(_TICK_OFFSET), hideOverlappingLabels=False)
        self.setLabel(
            self._text,
            **{"color": theme.muted, "font-size": f"{fonts.body_size}pt", "font-family": f"'{fonts.family}'"},
        )
        self.showLabel(self._named)


class GridLines(pg.GraphicsObject):  # type: ignore[misc]
    """Lines at the main ticks of both axes; drawn apart, so that axes stay as they are."""

    def __init__(self, bottom: NumberAxis, left: NumberAxis, color: str) -> None:
        super().__init__()
        self._axes = bottom, left
        self.set_color(color)
        self.setZValue(-100)

    def set_color(self, color: str) -> None:
        """Draw in another colour."""
        self._pen = QPen(QColor(color), 1.0)
        self._pen.setCosmetic(True)
        self.update()

    def boundingRect(self) -> QRectF:
        view = self.getViewBox()
        return QRectF() if view is None else QRectF(view.viewRect())

    def viewRangeChanged(self, *_: object) -> None:
        self.prepareGeometryChange()

    def paint(self, painter: QPainter, *_: object) -> None:
        view = self.getViewBox()
        (left, right), (low, high) = view.viewRange()
        bottom_axis, left_axis = self._axes
        lines = [QLineF(x, low, x, high) for x in bottom_axis.ticks()]
        lines += [QLineF(left, y, right, y) for y in left_axis.ticks()]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(self._pen)
        painter.drawLines(lines)


@dataclass(frozen=True)
class EndLabel:
    """A text at the height *value* of the vertical axis, in a theme's colour."""

    text: str
    value: float
    color: str


#: A label, the height of its value, and that of its text, in pixels.
Placed = tuple[EndLabel, float, float]


def _look(placed: Sequence[Placed]) -> list[tuple[str, str, float, float]]:
    """How labels look."""
    return [(label.text, label.color, mark, centre) for label, mark, centre in placed]


def _seen(place: float) -> float:
    """The nearest place that is told apart: there it is painted, whatever was near it before."""
    return round(PARTS * place) / PARTS


class LabelColumn(PlotAxis):
    """Stands where a right axis would, and names curves and lines at their ends.

    Labels never overlap: they are moved apart and tied to their curves by short lines.  One
    whose value is out of view stays at the edge with an arrow.  If there are more than fit,
    the last ones are left out.  Long ones are cut in the middle, as names of forks differ at their ends.
    """

    def __init__(self, theme: Theme, fonts: Fonts) -> None:
        super().__init__("right", showValues=False)
        self._labels: list[EndLabel] = []
        self._painted: list[tuple[str, str, float, float]] = []  # how it looked when it was painted
        self._least = _GAP
        self.set_theme(theme, fonts)

    def set_theme(self, theme: Theme, fonts: Fonts) -> None:
        """Take another theme's colours and fonts."""
        self._theme = theme
        self._text_font: QFont = fonts.body
        self.setPen(QPen(QColor(theme.border)))
        self._needed = self._widest = 0.0
        self._fit()
        self.update()

    def set_labels(self, labels: Sequence[EndLabel]) -> None:
        """Show these; the first ones are kept where room is short."""
        others = [label.text for label in labels] != [label.text for label in self._labels]
        self._labels = list(labels)
        if others:
            self._fit()
        if _look(self.placed()) != self._painted:
            self.update()

    def forget(self) -> None:
        """Show none, and be as wide as the next ones ask for."""
        self._labels, self._needed, self._least = [], 0.0, _GAP
        self._fit()

    def keep(self, width: float) -> None:
        """Be at least so wide until it forgets, also without labels: a number of the axis below reaches in."""
        if width > self._least or self._widest != min(self._needed, self._most):  # the plot may have another width
            self._least = max(self._least, width)
            self._fit()

    def placed(self) -> list[Placed]:
        height = float(self.size().height())
        size = QFontMetricsF(self._text_font).height()
        view: Any = self.linkedView()
        if view is None or height < size:
            return []
        low, high = view.viewRange()[1]
        shown = self._labels[: int(height // size)]
        marks = [height * (1 - (label.value - low) / (high - low)) for label in shown]
        inside = [min(max(mark, 0.0), height) for mark in marks]
        seen = [min(_seen(near), height) if near == mark else mark for near, mark in zip(inside, marks, strict=True)]
        return list(zip(shown, seen, map(_seen, spread(inside, size, 0.0, height)), strict=True))

    def paint(self, painter: QPainter, *_: object) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._text_font)
        painter.setClipRect(self.boundingRect())  # what it paints beyond, before it gets its new width, would stay
        height, placed = float(self.size().height()), self.placed()
        self._painted = _look(placed)
        for label, mark, centre in placed:
            painter.setPen(QPen(QColor(label.color), 1.5))
            if 0 <= mark <= height:
                painter.drawLine(QLineF(1, mark, _LEADER, centre))
            else:
                self._paint_arrow(painter, label.color, centre, up=mark < 0)
            painter.setPen(QColor(self._theme.ink(label.color)))
            box = QRectF(_LEADER + _GAP, centre - height / 2, self._widest, height)
            text = QFontMetricsF(self._text_font).elidedText(label.text, Qt.TextElideMode.ElideMiddle, self._widest + 1)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    @staticmethod
    def _paint_arrow(painter: QPainter, color: str, centre: float, *, up: bool) -> None:
        tip = -_ARROW if up else _ARROW
        corners = (QPointF(1, centre - tip), QPointF(9, centre - tip), QPointF(5, centre + tip))
        painter.setBrush(QColor(color))
        painter.drawPolygon(QPolygonF(corners))

    @property
    def _most(self) -> float:
        """The width of labels that leaves the curves their room; none where a plot is too low for any."""
        plot, metrics = self.getViewWidget(), QFontMetricsF(self._text_font)
        if plot is None:
            return float("inf")
        low = plot.height() - plot.getPlotItem().getAxis("bottom").minimumHeight() < metrics.height()
        return 0.0 if low else max(_NAME * metrics.averageCharWidth(), _MOST * plot.width())

    def _fit(self) -> None:
        """Be as wide as the widest label so far: a column that breathes moves the plot."""
        metrics = QFontMetricsF(self._text_font)
        needed = max((metrics.horizontalAdvance(label.text) for label in self._labels), default=0.0)
        self._needed = max(self._needed, needed)
        self._widest = min(self._needed, self._most)
        self.setWidth(self.wanted)

    @property
    def wanted(self) -> float:
        """Pixels of width that labels have needed so far."""
        return max(self._least, _LEADER + 2 * _GAP + self._widest if self._widest else 0.0)


def keep_menu(plot: pg.PlotWidget) -> None:
    """Let the menu die with its plot: it has no owner, and would stay, with six more below it.

    It becomes no child of the plot: nobody can use it, whoever looks for the plot's controls must not find it.
    """
    plot.destroyed.connect(plot.getPlotItem().ctrlMenu.deleteLater)
