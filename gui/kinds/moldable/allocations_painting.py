"""Paints the allocations of one class: columns, marks, numbers, and its bar of servers."""

from __future__ import annotations

from typing import Mapping

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from slotscope.gui.kinds.moldable.allocations_layout import Facet
from slotscope.gui.kinds.moldable.allocations_marks import EventMark
from slotscope.gui.kinds.moldable.allocations_values import (
    CAPTIONS,
    ClassAllocations,
    WidthColumn,
    columns_of,
    legend,
    mean_text,
    percent_text,
    servers_text,
    target_text,
)
from slotscope.gui.kinds.moldable.colours import width_brush, width_color
from slotscope.gui.painting.text import CENTRE, LEFT, RIGHT
from slotscope.gui.painting.textures import device_ratio
from slotscope.gui.panels.wording import significant
from slotscope.gui.plotting.scales import format_number, step_up
from slotscope.gui.theme import Theme, current_fonts

_ROLES = {"now": "normal", "mean": "run", "target": "optimum", "asked": "normal", "speedup": "muted"}
_STILL = frozenset({"target", "asked", "speedup"})  # rows that events do not change
_BAR_SHARE, _TEXTURED = 0.62, 9.0
_LEAST_LEVEL = 1.5  # pixels above the axis
_LEAST_MARK = 9.0  # pixels across
_TICK_ROOM = 2.2  # lines of text between the numbers of the axis


class FacetPainter:
    """Paints one facet with *painter*; *high* is the number of jobs at the plot's top."""

    def __init__(self, painter: QPainter, theme: Theme, facet: Facet, row: ClassAllocations, high: float) -> None:
        self._painter, self._theme, self._facet = painter, theme, facet
        self._row, self._high = row, high
        self._scale = current_fonts().scale
        self._metrics = QFontMetricsF(painter.font())
        low, last = facet.seen(row.degree)
        columns = columns_of(row, low, last, facet.together)
        self._columns = columns
        self._filled = [column for column in columns if column.now or column.mean or column.target]

    # What stands still.

    def still(self) -> None:
        """Paint the bottom layer, which events do not change: axes, captions, and constant numbers of widths."""
        self._ground()
        for name, box in self._facet.rows:
            self._painter.setPen(self._ink(name))
            self._painter.drawText(QRectF(0, box.top(), box.left() - 4, box.height()), RIGHT, CAPTIONS[name])
            if name in _STILL:
                self._write(name, box)

    def _ground(self) -> None:
        """Paint the title, the grid and the numbers of both axes."""
        facet, painter, theme = self._facet, self._painter, self._theme
        if facet.title.height():
            painter.setPen(QColor(theme.normal))
            painter.drawText(facet.title, LEFT, self._row.name)
        step = self._step()
        for number in range(int(self._high / step + 1e-9) + 1):
            y = round(self._y(number * step)) + 0.5
            painter.setPen(QPen(QColor(theme.grid if number else theme.border)))
            painter.drawLine(QLineF(facet.plot.left(), y, facet.plot.right(), y))
            painter.setPen(QColor(theme.muted))
            line = self._metrics.height()
            if number:
                box = QRectF(0, y - line / 2, facet.plot.left() - 4, line)
                painter.drawText(box, RIGHT, format_number(number * step, step))
        self._widths()

    def _step(self) -> float:
        lines = max(1.0, self._facet.plot.height() / (_TICK_ROOM * self._metrics.height()))
        return max(1.0, step_up(self._high / lines))

    def _widths(self) -> None:
        """Paint the numbers of the widths below the columns, as many as fit."""
        facet, theme = self._facet, self._theme
        widest = self._metrics.horizontalAdvance(f"{self._row.degree}") + 8
        every = 1 if facet.pitch >= widest else int(step_up(widest / facet.pitch))
        self._painter.setPen(QColor(theme.muted))
        low, high = facet.seen(self._row.degree)
        for width in range(max(1, low), high + 1):
            if every > 1 and width % every and width != 1:
                continue
            x = facet.edge(width - 0.5)
            if facet.plot.left() <= x <= facet.plot.right():
                box = QRectF(x - widest, facet.ticks.top(), 2 * widest, facet.ticks.height())
                self._painter.drawText(box, CENTRE, str(width))
        end = facet.plot.left() - 4 - max(0.0, 8 - facet.pitch / 2)
        if self._metrics.horizontalAdvance("servers") < end - 2:
            box = QRectF(0, facet.ticks.top(), end, facet.ticks.height())
            self._painter.drawText(box, RIGHT, "servers")

    def _y(self, jobs: float) -> float:
        plot = self._facet.plot
        return plot.bottom() - plot.height() * min(1.0, jobs / self._high)

    def _box(self, column: WidthColumn) -> QRectF:
        """The rectangle of a column, over the plot's whole height."""
        facet = self._facet
        left = facet.edge(column.first - 1)
        right = facet.edge(column.first - 1 + facet.together)
        return QRectF(left, facet.plot.top(), right - left, facet.plot.height())

    # Columns.

    def columns(self, flashes: Mapping[int, float]) -> None:
        """Paint bars, averages and targets; *flashes* by the width that blocked jobs requested."""
        self._painter.save()
        facet = self._facet
        self._painter.setClipRect(
            QRectF(facet.plot.left(), facet.lane.top(), facet.plot.width(), facet.ticks.bottom() - facet.lane.top())
        )
        for request, left in flashes.items():
            self._flash(request, left)
        for column in self._filled:
            self._bar(column)
        for column in self._filled:
            self._levels(column)
        self._painter.restore()

    def _bar(self, column: WidthColumn) -> None:
        if not column.now:
            return
        room = self._box(column)
        wide = max(1.0, _BAR_SHARE * room.width()) if room.width() > 4 else room.width()
        box = QRectF(room.center().x() - wide / 2, self._y(column.now), wide, 0)
        box.setBottom(room.bottom())
        self._fill(box, column.first if column.first == column.last else 0)

    def _fill(self, box: QRectF, width: int) -> None:
        """Fill with the look of a width; width 0, for several together, is neutral."""
        if not width:
            self._painter.fillRect(box, QColor(self._theme.muted))
            return
        if min(box.width(), box.height()) < _TEXTURED:
            self._painter.fillRect(box, QColor(width_color(self._theme, width)))
            return
        ratio = device_ratio(self._painter)
        self._painter.setBrushOrigin(QPointF(box.topLeft()))
        self._painter.fillRect(box, width_brush(self._theme, width, ratio))

    def _levels(self, column: WidthColumn) -> None:
        """Paint a gold line at n y*, and a thin dark one at the average."""
        room = widened(self._box(column), _LEAST_MARK)
        inset = 0.06 * room.width() if room.width() > 8 else 0.0
        if column.target > 0:
            self._level(room, self._y(column.target), inset, "optimum", 3.5 * self._scale)
        if room.bottom() - self._y(column.mean) > _LEAST_LEVEL:
            narrow = inset + (0.08 * room.width() if room.width() > 8 else 0.0)
            self._level(room, self._y(column.mean), narrow, "run", 1.5 * self._scale)

    def _level(self, room: QRectF, y: float, inset: float, role: str, thick: float) -> None:
        ends = QLineF(room.left() + inset, y, room.right() - inset, y)
        pen = QPen(QColor(self._theme.panel), thick + 2)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        self._painter.setPen(pen)
        self._painter.drawLine(ends)
        pen.setColor(QColor(self._theme.color(role)))
        pen.setWidthF(thick)
        self._painter.setPen(pen)
        self._painter.drawLine(ends)

    def _flash(self, request: int, left: float) -> None:
        box = self._column(request)
        box.setTop(self._facet.lane.top())
        color = QColor(self._theme.rejection)
        color.setAlphaF(0.12 + 0.30 * left)
        self._painter.fillRect(box, color)
        self.cross(box.center().x(), self._facet.lane.center().y())

    def _column(self, width: int) -> QRectF:
        """The rectangle of the column for a width; the whole plot for -1, a job without a request."""
        facet = self._facet
        if width < 0:
            return QRectF(facet.plot)
        left, wide = facet.edge(facet.first_of(width) - 1), facet.together * facet.pitch
        return widened(QRectF(left, facet.plot.top(), wide, facet.plot.height()), _LEAST_MARK)

    def cross(self, x: float, y: float) -> None:
        """Paint the cross of a blocked job."""
        arm = 0.28 * self._metrics.height()
        pen = QPen(QColor(self._theme.rejection), 2.5 * self._scale)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        self._painter.setPen(pen)
        self._painter.drawLine(QLineF(x - arm, y - arm, x + arm, y + arm))
        self._painter.drawLine(QLineF(x - arm, y + arm, x + arm, y - arm))

    # Numbers.

    def numbers(self) -> None:
        """Paint the changing rows of numbers below the columns, or else the legend."""
        for name, box in self._facet.rows:
            if name not in _STILL:
                self._painter.setPen(self._ink(name))
                self._write(name, box)
        if self._facet.words.height():
            self._asked_marks()
            self._legend()

    def _ink(self, name: str) -> QColor:
        return QColor(self._theme.ink(self._theme.color(_ROLES[name])))

    def _write(self, name: str, box: QRectF) -> None:
        """Write a row of numbers."""
        for column in self._columns:
            x = self._facet.middle(column.first)
            if box.left() <= x <= box.right():
                place = QRectF(x - self._facet.pitch, box.top(), 2 * self._facet.pitch, box.height())
                self._painter.drawText(place, CENTRE, self._text(name, column))

    def _text(self, name: str, column: WidthColumn) -> str:
        match name:
            case "now":
                return format_number(column.now)
            case "mean":
                return mean_text(column.mean)
            case "target":
                return target_text(column.target)
            case "asked":
                return percent_text(column.asked)
        return significant(float(self._row.speedup[column.first]), 3)

    def _asked_marks(self) -> None:
        """Paint a triangle below each column of a width that the policy requests."""
        plot = self._facet.plot
        for column in self._columns:
            x = self._facet.middle(column.first)
            if column.asked and plot.left() <= x <= plot.right():
                self._triangle(QPointF(x, plot.bottom() + 1))

    def _triangle(self, tip: QPointF) -> None:
        side = 0.25 * self._metrics.height()
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._theme.normal))
        self._painter.drawPolygon(QPolygonF([tip, tip + QPointF(side, 1.3 * side), tip + QPointF(-side, 1.3 * side)]))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)

    def _legend(self) -> None:
        """Write what the marks mean, with the numbers of the optimum's widths if there is room."""
        words, line = self._facet.words, self._metrics.height()
        texts = tuple(legend(self._row, detailed=True))
        wides = [line + self._metrics.horizontalAdvance(text) + 14 for _, text in texts]
        if sum(wides) > words.width():
            texts = tuple(legend(self._row, detailed=False))
        x = words.left()
        for name, text in texts:
            wide = self._metrics.horizontalAdvance(text)
            if x + line + wide > words.right():
                break
            self._sample(name, QRectF(x, words.top(), 0.8 * line, line))
            self._painter.setPen(QColor(self._theme.muted))
            self._painter.drawText(QRectF(x + line, words.top(), wide + 2, line), LEFT, text)
            x += line + wide + 14

    def _sample(self, name: str, box: QRectF) -> None:
        if name == "now":
            self._painter.fillRect(box.adjusted(1, 3, -1, -3), QColor(self._theme.muted))
        elif name == "asked":
            self._triangle(box.center() - QPointF(0, 0.16 * box.height()))
        else:
            thick = 3.5 if name == "target" else 1.5
            self._level(box, box.center().y(), 0.0, _ROLES[name], thick * self._scale)

    # What happens.

    def mark(self, mark: EventMark) -> None:
        """Mark the event: an outline around its column, an arrow, a cross, and a few words above."""
        painter, facet, theme = self._painter, self._facet, self._theme
        role = "rejection" if mark.blocked else "migration" if mark.partial else "run"
        at = mark.width if mark.width > 0 else mark.request
        pen = QPen(QColor(theme.color(role)), 2.0 * self._scale)
        if mark.width < 0:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        outline = self._column(at)
        painter.drawRect(outline.adjusted(1, 1, -1, 0).intersected(facet.plot))
        x, y = outline.center().x(), facet.lane.center().y()
        if mark.blocked:
            self.cross(x, y)
            gap = 0.6 * self._metrics.height()
            wide = self._metrics.horizontalAdvance(mark.words) + 4
            x = x + gap if x + gap + wide <= facet.lane.right() else x - gap - wide
        elif mark.partial:
            start = min(max(facet.middle(mark.request), facet.plot.left()), facet.plot.right())
            self._arrow(start, min(max(x, facet.plot.left()), facet.plot.right()), role)
            x = max(start, x) + 6
        else:
            x -= self._metrics.horizontalAdvance(mark.words) / 2
        self._words(mark.words, x, role)

    def _words(self, text: str, x: float, role: str) -> None:
        """Write a few words in the lane above the plot, from *x* if there is room."""
        wide, lane = self._metrics.horizontalAdvance(text) + 4, self._facet.lane
        x = max(lane.left(), min(x, lane.right() - wide))
        box = QRectF(x, lane.top(), wide, lane.height())
        if role != "run":
            self._painter.fillRect(box, QColor(self._theme.panel))
        self._painter.setPen(QColor(self._theme.ink(self._theme.color(role))))
        self._painter.drawText(box, LEFT, text)

    def _arrow(self, start: float, end: float, role: str) -> None:
        """Paint an arrow from a job's request to what it got."""
        y, head = self._facet.lane.bottom() - 3, 5.0 * self._scale
        top = self._facet.lane.center().y()
        color = QColor(self._theme.color(role))
        self._painter.setPen(QPen(color, 2.0 * self._scale))
        self._painter.drawLine(QLineF(start, y, start, top))
        self._painter.drawLine(QLineF(start, top, end, top))
        self._painter.drawLine(QLineF(end, top, end, y + 2))
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(color)
        self._painter.drawPolygon(
            QPolygonF([QPointF(end, y + 2 + head), QPointF(end - head, y + 1), QPointF(end + head, y + 1)])
        )
        self._painter.setBrush(Qt.BrushStyle.NoBrush)

    # Servers.

    def servers(self) -> None:
        """Paint a thin bar of servers: those of each width's jobs, those of other classes, and free ones."""
        row, box, painter = self._row, self._facet.bar, self._painter
        line = self._metrics.height()
        words = QRectF(box.left(), box.top(), box.width(), line)
        painter.setPen(QColor(self._theme.normal))
        text = self._metrics.elidedText(servers_text(row), Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, LEFT, text)
        track = QRectF(box.left(), words.bottom(), box.width(), box.height() - line)
        x = track.left()
        for width in np.flatnonzero(row.now).tolist():
            share = width * int(row.now[width]) / max(row.servers, 1)
            part = QRectF(x, track.top(), share * track.width(), track.height())
            if part.width():
                self._fill(part, width)
            x = part.right()
        if row.others:
            part = QRectF(x, track.top(), row.others / row.servers * track.width(), track.height())
            painter.fillRect(part, QColor(self._theme.reserved))
        painter.setPen(QPen(QColor(self._theme.border)))
        painter.drawRect(track.adjusted(0.5, 0.5, -0.5, -0.5))


def widened(box: QRectF, least: float) -> QRectF:
    """A box widened around its centre to at least *least*."""
    by = max(0.0, (least - box.width()) / 2)
    return box.adjusted(-by, 0, by, 0)
