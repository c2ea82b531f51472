"""Axes, grid and labels at curves' ends, in the theme's colours."""

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
_MOST, _NAME = 0.45, 20  # largest share of the plot's width for labels; characters that they keep in any case
# Least distance between ticks, in text heights.
_TICK_ROOM = {"left": 2.5, "bottom": 5.0}
# Least distance at which numbers do not touch, in text heights; least number of steps on an axis too short for two.
_TICK_TOUCH, _FEWEST = 1.2, 0.1


class PlotAxis(pg.AxisItem):  # type: ignore[misc]
    """An axis that typesets its label only when it changes; pyqtgraph does so with each range, even when hidden."""

    _typeset: str | None = None

    def wheelEvent(self, event: Any) -> None:
        """Leave the wheel to the parent, which scrolls, if the plot does not zoom; pyqtgraph would swallow it."""
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
    """An axis whose numbers have thin spaces between thousands."""

    def __init__(self, orientation: str, label: str, whole: bool = False) -> None:
        self._text = label
        self.whole = whole  #: whether only integers get ticks, as for counts
        self._named = True  # whether the label is shown
        self._metrics = QFontMetricsF(QFont())
        self._known: tuple[tuple[object, ...], list[float]] = (), []  # the ticks, after the values that they depend on
        super().__init__(orientation)
        self.enableAutoSIPrefix(False)

    def set_name(self, label: str) -> None:
        """Change the axis' label."""
        if label != self._text:
            self._text = label
            self.setLabel(label)
            self.showLabel(self._named)  # setLabel shows the label even if it was hidden
            self.resizeEvent()  # only this centres a label along its axis

    @property
    def _text_height(self) -> float:
        return self._metrics.height()

    def length_of(self, label: str) -> float:
        """Length of a label along the axis in pixels."""
        return self._metrics.horizontalAdvance(label)

    def boundingRect(self) -> QRectF:
        """Add room at both ends for half a number, within the viewport: numbers beyond the bounds are not drawn."""
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
        if self.orientation == "bottom":  # adjacent numbers must not touch
            ends = (format_number(end, (high - low) / wanted) for end in (low, high))
            widest = max(map(self._metrics.horizontalAdvance, ends)) + self._text_height
            wanted = min(wanted, max(1.0, size / widest))
        return [(max(float(self.whole), step_up((high - low) / wanted)), 0.0)]

    @property
    def _length(self) -> float:
        return float(self.size().height() if self.orientation == "left" else self.size().width())

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        """Compute ticks from the axis' own length: *size* is that of pyqtgraph's line, which extends beyond it."""
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
        """Largest overhang in pixels of a number at the axis' end."""
        ticks = self.ticks()
        texts = self.tickStrings(ticks, 1.0, ticks[1] - ticks[0] if ticks[1:] else 1.0)
        return max(map(self.length_of, texts), default=0.0) / 2

    def fit(self, *, named: bool = True) -> None:
        """Make room for the numbers of the current range, and if *named* for the label."""
        self._named = named
        self.showLabel(named)
        if self.orientation == "bottom":
            self.setHeight(_TICK_OFFSET + self._text_height + self._label_room)
        else:
            self._widen()

    def resizeEvent(self, event: Any = None) -> None:
        """Adapt a vertical axis' width: another height has other ticks."""
        super().resizeEvent(event)
        if event is not None and self.orientation == "left" and event.oldSize().height() != event.newSize().height():
            self._widen()

    def _widen(self) -> None:
        self.setWidth(self.wanted)

    @property
    def wanted(self) -> float:
        """Width in pixels for the numbers of the current range and the label."""
        ticks = self.ticks()
        spacing = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
        texts = self.tickStrings(ticks, 1.0, spacing)
        widest = max((self._metrics.horizontalAdvance(text) for text in texts), default=0.0)
        return _TICK_OFFSET + widest + self._label_room

    def set_theme(self, theme: Theme, fonts: Fonts) -> None:
        """Apply another theme's colours and fonts."""
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
    """Lines at the main ticks of both axes; a separate item, so that the axes need no repaint."""

    def __init__(self, bottom: NumberAxis, left: NumberAxis, color: str) -> None:
        super().__init__()
        self._axes = bottom, left
        self.set_color(color)
        self.setZValue(-100)

    def set_color(self, color: str) -> None:
        """Change the colour."""
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
    """A text at the height *value* of the vertical axis, in one of the theme's colours."""

    text: str
    value: float
    color: str


#: A label, and the y coordinates in pixels of its value and of its text's centre.
Placed = tuple[EndLabel, float, float]


def _look(placed: Sequence[Placed]) -> list[tuple[str, str, float, float]]:
    """What is painted of the labels, for comparison."""
    return [(label.text, label.color, mark, centre) for label, mark, centre in placed]


def _seen(place: float) -> float:
    """A coordinate rounded to what the eye can tell apart, so that painting depends on it alone."""
    return round(PARTS * place) / PARTS


class LabelColumn(PlotAxis):
    """Labels of curves and lines at their ends, in place of a right axis.

    Labels never overlap: they are spread and tied to their curves by short leader lines.  A label whose value is out
    of view stays at the edge with an arrow.  If not all fit, the last ones are left out.  Long texts are elided in the
    middle, as names of forks differ at their ends.
    """

    def __init__(self, theme: Theme, fonts: Fonts) -> None:
        super().__init__("right", showValues=False)
        self._labels: list[EndLabel] = []
        self._painted: list[tuple[str, str, float, float]] = []  # what was painted last
        self._least = _GAP
        self.set_theme(theme, fonts)

    def set_theme(self, theme: Theme, fonts: Fonts) -> None:
        """Apply another theme's colours and fonts."""
        self._theme = theme
        self._text_font: QFont = fonts.body
        self.setPen(QPen(QColor(theme.border)))
        self._needed = self._widest = 0.0
        self._fit()
        self.update()

    def set_labels(self, labels: Sequence[EndLabel]) -> None:
        """Show these labels; the first ones have priority where room is short."""
        others = [label.text for label in labels] != [label.text for label in self._labels]
        self._labels = list(labels)
        if others:
            self._fit()
        if _look(self.placed()) != self._painted:
            self.update()

    def forget(self) -> None:
        """Remove all labels, and let the next ones determine the width."""
        self._labels, self._needed, self._least = [], 0.0, _GAP
        self._fit()

    def keep(self, width: float) -> None:
        """Keep this least width until :meth:`forget`, even without labels: room for the bottom axis' last number."""
        if width > self._least or self._widest != min(self._needed, self._most):  # the plot may have been resized
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
        painter.setClipRect(self.boundingRect())  # overflow at the old width would not be erased
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
        """Largest width of labels that leaves enough room for the curves; 0 if the plot is too low for a label."""
        plot, metrics = self.getViewWidget(), QFontMetricsF(self._text_font)
        if plot is None:
            return float("inf")
        low = plot.height() - plot.getPlotItem().getAxis("bottom").minimumHeight() < metrics.height()
        return 0.0 if low else max(_NAME * metrics.averageCharWidth(), _MOST * plot.width())

    def _fit(self) -> None:
        """Set the width to that of the widest label so far: a column that shrinks again would move the plot."""
        metrics = QFontMetricsF(self._text_font)
        needed = max((metrics.horizontalAdvance(label.text) for label in self._labels), default=0.0)
        self._needed = max(self._needed, needed)
        self._widest = min(self._needed, self._most)
        self.setWidth(self.wanted)

    @property
    def wanted(self) -> float:
        """Width in pixels for the labels so far."""
        return max(self._least, _LEADER + 2 * _GAP + self._widest if self._widest else 0.0)


def keep_menu(plot: pg.PlotWidget) -> None:
    """Delete the context menu with its plot: it has no parent, and would stay, with six submenus.

    It is not made a child of the plot, as it is never shown, and searches for the plot's controls must not find it.
    """
    plot.destroyed.connect(plot.getPlotItem().ctrlMenu.deleteLater)
