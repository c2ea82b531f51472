"""A table of admitted, rejected and migrated jobs by type, with bars."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from slotscope.gui.painting.text import LEFT, RIGHT
from slotscope.gui.painting.textures import paint_type_mark
from slotscope.gui.plotting.scales import format_number
from slotscope.gui.theme import Theme, current_fonts
from slotscope.gui.widgets.calm import Steady
from slotscope.gui.widgets.chart import Chart
from slotscope.model.reporting.explain import grouped

_MARGIN = 10.0
_GAP = 14.0
_LINE_GAP = 5.0
_SMALLEST_BAR = 30.0
_USUAL = "00\u202f000"

#: Columns after the type: heading, and role of the numbers' colour.
COLUMNS = (("admitted", "normal"), ("rejected", "rejection"), ("", "rejection"), ("migrated", "migration"))
SHARE = 2  # index of the column with the share of rejected jobs


@dataclass(frozen=True)
class TypeCounts:
    """Counts of the jobs of one type; of all jobs if the type is None."""

    job_type: int | None
    name: str
    arrived: int
    admitted: int
    rejected: int
    migrated: int

    @property
    def rejected_share(self) -> float | None:
        """Rejected jobs per arrival; None before the first arrival."""
        return self.rejected / self.arrived if self.arrived else None

    def cells(self) -> tuple[str, ...]:
        """The texts of the cells."""
        share = self.rejected_share
        percent = "–" if share is None else f"{format_number(100 * share, 0.1)}\u202f%"
        return grouped(self.admitted), grouped(self.rejected), percent, grouped(self.migrated)


class RewardTable(Chart, Steady):
    """One line per type; a bar divides its arrivals into admitted and rejected ones."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "jobs by type", QSizePolicy.Policy.Minimum)
        self.counts: tuple[TypeCounts, ...] = ()  #: the counts shown
        self._widths: list[float] = []

    def set_counts(self, counts: tuple[TypeCounts, ...]) -> None:
        """Show these counts, one line each."""
        if counts == self.counts:
            return
        resized = len(counts) != len(self.counts)
        self.counts = counts
        if resized:
            self._widths = []
            self.updateGeometry()
        self.update()

    def forget(self) -> None:
        """Clear the counts and the columns' widths."""
        self.counts, self._widths = (), []

    def refit(self) -> None:
        """Clear the columns' widths, but keep the counts."""
        self._widths = []
        self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self._widths = []

    def line_height(self) -> float:
        """Height of a row in pixels."""
        return current_fonts().metrics.height() + _LINE_GAP

    def height_of(self, lines: int) -> int:
        """Height in pixels of the table with *lines* lines and its heading."""
        return round((lines + 1) * self.line_height() + 6)

    def sizeHint(self) -> QSize:
        return QSize(200, self.height_of(len(self.counts)))

    def minimumSizeHint(self) -> QSize:
        """In lecture mode, the width of names and numbers without shares: lecture mode gives panels their minimum."""
        least = self.sizeHint()
        if not current_fonts().lecture:
            return least
        self._measure()
        numbers = sum(self._widths) - self._widths[SHARE] + _GAP * len(COLUMNS)
        return QSize(max(least.width(), round(self._names_end() + numbers + _MARGIN) + 1), least.height())

    def paint(self, painter: QPainter) -> None:
        self._measure()
        height = self.line_height()
        lefts = self._lefts()
        painter.setPen(QColor(self._theme.muted))
        for (heading, _), left, width in zip(COLUMNS, lefts, self._widths, strict=True):
            painter.drawText(QRectF(left, 0, width, height), RIGHT, heading)
        painter.setPen(QPen(QColor(self._theme.grid)))
        line = round(height) + 0.5
        painter.drawLine(int(_MARGIN), int(line), int(self.width() - _MARGIN), int(line))
        for number, counts in enumerate(self.counts, start=1):
            self._paint_line(painter, counts, number * height + 2, lefts)

    def _paint_line(self, painter: QPainter, counts: TypeCounts, top: float, lefts: list[float]) -> None:
        height, theme = self.line_height(), self._theme
        side = height - _LINE_GAP - 4
        name_left = _MARGIN
        if counts.job_type is not None:
            box = QRectF(_MARGIN, top + (height - side) / 2, side, side)
            paint_type_mark(painter, box, theme, counts.job_type)
            name_left += side + 6
        name_right = self._name_right(lefts)
        painter.setPen(QColor(theme.normal))
        metrics = QFontMetricsF(painter.font())
        room = name_right - name_left
        name = metrics.elidedText(counts.name, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(name_left, top, room, height), LEFT, name)
        self._paint_bar(
            painter, counts, QRectF(name_right + _GAP, top + height / 2 - 4, lefts[0] - _GAP - name_right, 8)
        )
        for (_, role), cell, left, width in zip(COLUMNS, counts.cells(), lefts, self._widths, strict=True):
            if width:
                painter.setPen(QColor(theme.ink(theme.color(role))))
                painter.drawText(QRectF(left, top, width, height), RIGHT, cell)

    def _paint_bar(self, painter: QPainter, counts: TypeCounts, box: QRectF) -> None:
        """Paint the admitted share of the arrivals, then the rejected share in red."""
        share = counts.rejected_share
        if share is None or box.width() < _SMALLEST_BAR:
            return
        admitted = QRectF(box.left(), box.top(), box.width() * (1 - share), box.height())
        if counts.job_type is None:
            painter.fillRect(admitted, QColor(self._theme.empty))
        else:
            paint_type_mark(painter, admitted, self._theme, counts.job_type)
        if share:
            rejected = QRectF(admitted.right(), box.top(), box.width() * share, box.height())
            painter.fillRect(rejected, QColor(self._theme.rejection))

    def _measure(self) -> None:
        """Set each column's width to that of its widest number so far, so that widths do not change back and forth."""
        metrics = current_fonts().metrics
        rows = [[heading for heading, _ in COLUMNS]] + [list(one.cells()) for one in self.counts]
        needed = [max(metrics.horizontalAdvance(row[place]) for row in rows) for place in range(len(COLUMNS))]
        usual = metrics.horizontalAdvance(_USUAL)
        known = self._widths or [0.0] * len(COLUMNS)
        self._widths = [max(usual, *pair) for pair in zip(known, needed, strict=True)]

    def _lefts(self) -> list[float]:
        """The columns' left edges; the shares are hidden if the names need their room."""
        lefts = self._placed()
        if lefts[0] - _GAP < self._names_end():
            self._widths[SHARE] = 0.0
            lefts = self._placed()
        return lefts

    def _placed(self) -> list[float]:
        right = self.width() - _MARGIN
        lefts: list[float] = []
        for width in reversed(self._widths):
            lefts.append(right - width)
            right -= width + _GAP
        return lefts[::-1]

    def _names_end(self) -> float:
        metrics = current_fonts().metrics
        widest = max((metrics.horizontalAdvance(one.name) for one in self.counts), default=0.0)
        return float(_MARGIN + self.line_height() + widest)

    def _name_right(self, lefts: list[float]) -> float:
        """The right edge of the names: they get the width they need, or all up to the numbers if no bar would fit."""
        wanted = self._names_end()
        if lefts[0] - _GAP - wanted < _SMALLEST_BAR + _GAP:
            return lefts[0] - _GAP
        return wanted
