"""The configurations with the largest pi: pi beside the servers' share of time in them."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter

from slotscope.gui.kinds.phases.policy_map_values import scientific, share_text
from slotscope.gui.kinds.phases.wording import configuration_text, short_configuration
from slotscope.gui.painting.text import LEFT, RIGHT
from slotscope.gui.plotting.scales import SteppedRange
from slotscope.gui.theme import Theme
from slotscope.gui.widgets.chart import Chart

#: Most configurations with a row of their own.
MOST_BARS = 12
_MARGIN, _GAP = 10.0, 10.0
_MOST_LABEL = 0.4
_LEAST_LINES = 5


class Bar(NamedTuple):
    """A configuration, or all others together."""

    text: str
    short: str
    expected: float
    spent: float


def heaviest(expected: NDArray[np.float64]) -> tuple[int, ...]:
    """The configurations with the largest pi, in descending order."""
    order = np.argsort(-expected, kind="stable")[:MOST_BARS]
    return tuple(place for place in order.tolist() if expected[place] > 0)


def bars(
    names: Sequence[str],
    configurations: NDArray[np.int32],
    expected: NDArray[np.float64],
    spent: NDArray[np.float64],
    shown: tuple[int, ...],
) -> tuple[Bar, ...]:
    """A bar for each of *shown*, and one for the rest if time was spent there."""
    found = [
        Bar(configuration_text(names, k), short_configuration(names, k), float(expected[place]), float(spent[place]))
        for place in shown
        for k in [configurations[place].tolist()]
    ]
    rest = np.delete(np.arange(len(expected)), shown)
    others = Bar("all others", "others", float(expected[rest].sum()), float(spent[rest].sum()))
    return (*found, others) if len(rest) else tuple(found)


class StationaryBars(Chart):
    """Two bars per row, as many rows as fit."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "shares of the servers' time by configuration")
        self.rows: tuple[Bar, ...] = ()  #: the rows shown, as far as they fit
        self._scale = SteppedRange(0.0, 0.0)

    def begin(self) -> None:
        """Reset rows and scale for another run."""
        self.rows, self._scale = (), SteppedRange(0.0, 0.0)

    def set_rows(self, rows: tuple[Bar, ...], running: bool) -> None:
        largest = max((max(row.expected, row.spent) for row in rows), default=0.0)
        if self._scale.follow(0.0, largest, running) or rows != self.rows:
            self.rows = rows
            self._limit_height()
            self.update()

    def restyle(self, theme: Theme) -> None:
        super().restyle(theme)
        self._limit_height()

    def row_height(self) -> float:
        """The height of a row, and of the heading."""
        return self._metrics().height() + 5

    def _limit_height(self) -> None:
        """Limit the height to that of the rows, so that there is no gap below the last."""
        self.setMaximumHeight(round((len(self.rows) + 1) * self.row_height() + 4))

    def sizeHint(self) -> QSize:
        return QSize(240, round((MOST_BARS + 2) * self.row_height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, round(_LEAST_LINES * self.row_height()))

    # Painting.

    def _columns(self) -> tuple[float, float, float, bool]:
        """Width of the labels, left edge of the numbers, width of a number, whether names are short."""
        measure = self._metrics().horizontalAdvance
        most = _MOST_LABEL * self.width()
        label = max((measure(row.text) for row in self.rows), default=0.0) + 1
        brief = label > most
        if brief:
            label = min(most, max(measure(row.short) for row in self.rows) + 1)
        number = measure("<0.1 %") + _GAP
        return label, self.width() - _MARGIN - 2 * number, number, brief

    def paint(self, painter: QPainter) -> None:
        label, left, number, brief = self._columns()
        height, theme = self.row_height(), self._theme
        for place, (text, role) in enumerate((("π", "optimum"), ("time", "run"))):
            painter.setPen(QColor(theme.ink(theme.color(role))))
            painter.drawText(QRectF(left + place * number, 0, number, height), RIGHT, text)
        painter.setPen(QColor(theme.muted))
        heading = self._metrics().elidedText("configuration", Qt.TextElideMode.ElideRight, left - _MARGIN)
        painter.drawText(QRectF(_MARGIN, 0, left - _MARGIN, height), LEFT, heading)
        room = QRectF(_MARGIN + label + _GAP, 0, left - label - 2 * _GAP, height)
        known = any(row.expected for row in self.rows)
        for place, row in enumerate(self.rows, start=1):
            top = place * height
            if top + height > self.height():
                break
            painter.setPen(QColor(theme.normal))
            told = self._metrics().elidedText(row.short if brief else row.text, Qt.TextElideMode.ElideRight, label)
            painter.drawText(QRectF(_MARGIN, top, label, height), LEFT, told)
            self._paint_bars(painter, row, room.translated(0, top))
            for column, share in enumerate((row.expected, row.spent)):
                box = QRectF(left + column * number, top, number, height)
                painter.setPen(QColor(theme.normal if share else theme.muted))
                painter.drawText(box, RIGHT, share_text(share) if known or column else "–")

    def _paint_bars(self, painter: QPainter, row: Bar, box: QRectF) -> None:
        thick = (box.height() - 5) / 2
        for place, (share, role) in enumerate(((row.expected, "optimum"), (row.spent, "run"))):
            if share > 0:
                width = max(1.0, box.width() * share / self._scale.high)
                bar = QRectF(box.left(), box.top() + 2 + place * (thick + 1), width, thick)
                painter.fillRect(bar, QColor(self._theme.color(role)))

    def tip_at(self, point: QPointF) -> str:
        """A sentence on the row at this height."""
        place = int(point.y() // self.row_height()) - 1
        if 0 <= place < len(self.rows):
            row = self.rows[place]
            return (
                f"{row.text}: π = {scientific(row.expected, 3)}; the normal servers have spent "
                f"{share_text(row.spent)} of their time there so far"
            )
        return (
            "How often a server would be in each configuration under π, and the share of all "
            "normal servers' time so far that was spent there (real and virtual jobs)."
        )
