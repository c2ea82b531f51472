"""Policies on an axis of servers: what each needs, with its interval, beside the bound."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from slotscope.gui.painting.kept import PARTS
from slotscope.gui.painting.text import CENTRE, LEFT, RIGHT
from slotscope.gui.panels.pages import SteadyRows
from slotscope.gui.panels.wording import with_interval
from slotscope.gui.plotting.scales import format_number, step_up
from slotscope.model.measures.metrics import Estimate

_MARGIN, _GAP, _RADIUS = 10.0, 10.0, 4.0
_LEAST_TRACK = 80.0  # least width of the axis in pixels; titles may use the rest
_ROOM = 1.06  # end of the axis, relative to the largest value


@dataclass(frozen=True)
class AxisRow:
    """One policy."""

    title: str  #: the policy's title
    servers: Estimate  #: N and its interval
    role: str = "normal"  #: the theme's colour: "run" for this run, "normal" for others
    verdict: str = ""  #: a few words beside the number, such as "breaks the budget"
    breaks: bool = False  #: whether the cost rate is above its budget, beyond the interval
    tip: str = ""  #: a sentence for the tooltip


class ServersAxis(SteadyRows[AxisRow]):
    """A row for each policy, and vertical lines through all rows at some levels."""

    levels: tuple[tuple[str, float, str], ...] = ()  #: text, servers, role

    def set_levels(self, levels: tuple[tuple[str, float, str], ...]) -> None:
        """Set the levels, in servers, at which lines are drawn."""
        if levels != self.levels:
            self.levels = levels
            self.update()

    @property
    def top(self) -> float:
        """The end of the axis, in servers."""
        ends = [end for row in self.rows for end in _ends(row) if isfinite(end)]
        return step_up(_ROOM * max([1.0, *ends, *(value for _, value, _ in self.levels)]))

    @property
    def whole_width(self) -> int:
        """The least width in pixels at which no title is elided."""
        return ceil(sum(self._beside()) + 2 * (_MARGIN + _GAP) + _LEAST_TRACK)

    def _beside(self) -> tuple[float, float]:
        """Widths of the titles and of the numbers."""
        measure = self._metrics().horizontalAdvance
        titles = max((measure(row.title) for row in self.rows), default=0.0)
        return titles + 1, max((measure(_number(row)) for row in self.rows), default=0.0)

    def _track(self) -> QRectF:
        """The rectangle of the axis, between the titles and the numbers."""
        titles, numbers = self._beside()
        most = self.width() - 2 * (_MARGIN + _GAP) - numbers - _LEAST_TRACK
        left = _MARGIN + min(titles, max(most, 0.4 * self.width())) + _GAP
        right = self.width() - _MARGIN - numbers - _GAP
        row = self._row_height()
        return QRectF(left, row, max(right - left, 1.0), row * len(self.rows))

    def _across(self, servers: float, track: QRectF) -> float:
        return track.left() + track.width() * min(1.0, servers / self.top)

    def _appearance(self) -> object:
        """Texts, and the ends of marks rounded to what the eye can tell apart."""
        parts = PARTS * self.width() / self.top
        return self.top, [
            (
                row.title,
                _number(row),
                row.role,
                row.breaks,
                *(isfinite(end) and round(parts * end) for end in _ends(row)),
            )
            for row in self.rows
        ]

    def row_at(self, y: float) -> int:
        """The row at a height; -1 outside."""
        place = int(y // self._row_height()) - 1
        return place if 0 <= place < len(self.rows) else -1

    def paint(self, painter: QPainter) -> None:
        if not self.rows:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = self._track()
        self._paint_levels(painter, track)
        for place, row in enumerate(self.rows):
            middle = track.top() + (place + 0.5) * self._row_height()
            self._paint_row(painter, track, row, middle)

    def _paint_levels(self, painter: QPainter, track: QRectF) -> None:
        """Paint the levels' lines, and their texts in the first row; less important texts give way."""
        taken: list[QRectF] = []
        for text, value, role in self.levels:
            color, x = QColor(self._theme.color(role)), self._across(value, track)
            painter.setPen(QPen(color, 1.5, Qt.PenStyle.DashLine))
            painter.drawLine(QLineF(x, track.top() - 3, x, track.bottom()))
            width = self._metrics().horizontalAdvance(text) + 2
            left = min(max(x - width / 2, 0.0), self.width() - width)
            box = QRectF(left, 0, width, self._row_height())
            if not any(box.adjusted(-_GAP, 0, _GAP, 0).intersects(other) for other in taken):
                painter.setPen(QColor(self._theme.ink(self._theme.color(role))))
                painter.drawText(box, CENTRE, text)
                taken.append(box)

    def _paint_row(self, painter: QPainter, track: QRectF, row: AxisRow, middle: float) -> None:
        theme, half = self._theme, self._row_height() / 2
        ink = QColor(theme.ink(theme.color(row.role)))
        painter.setPen(ink)
        title = self._metrics().elidedText(row.title, Qt.TextElideMode.ElideRight, track.left() - _MARGIN - _GAP + 1)
        painter.drawText(QRectF(_MARGIN, middle - half, track.left() - _MARGIN, 2 * half), LEFT, title)
        painter.setPen(QPen(QColor(theme.grid), 1.0))
        painter.drawLine(QLineF(track.left(), middle, track.right(), middle))
        if row.servers.mean == row.servers.mean:
            self._paint_mark(painter, track, row, middle)
        painter.setPen(QColor(theme.ink(theme.rejection)) if row.breaks else ink)
        numbers = QRectF(track.right() + _GAP, middle - half, self.width() - _MARGIN - track.right() - _GAP, 2 * half)
        painter.drawText(numbers, RIGHT, _number(row))

    def _paint_mark(self, painter: QPainter, track: QRectF, row: AxisRow, middle: float) -> None:
        """Paint a dot with its interval; a ring if the budget is broken."""
        color = QColor(self._theme.color("rejection" if row.breaks else row.role))
        ends = [self._across(max(0.0, end), track) for end in _ends(row)]
        painter.setPen(QPen(color, 2.0))
        painter.drawLine(QLineF(ends[0], middle, ends[1], middle))
        painter.setBrush(QColor(self._theme.panel) if row.breaks else color)
        painter.drawEllipse(QPointF(self._across(row.servers.mean, track), middle), _RADIUS, _RADIUS)

    def tip_at(self, point: QPointF) -> str:
        """The sentence of the row at this height."""
        place = self.row_at(round(point.y()))
        return self.rows[place].tip if place >= 0 else ""


def _ends(row: AxisRow) -> tuple[float, float]:
    """The ends of N's interval; N itself without an interval."""
    half = row.servers.half_width if isfinite(row.servers.half_width) else 0.0
    return row.servers.mean - half, row.servers.mean + half


def _number(row: AxisRow) -> str:
    """N with its interval, and the verdict."""
    if row.servers.mean != row.servers.mean:
        return row.verdict or "–"
    mean, half = with_interval(row.servers.mean, row.servers.half_width)
    text = f"{mean} ± {half}" if half else format_number(row.servers.mean, 0.1)
    return f"{text}, {row.verdict}" if row.verdict else text
