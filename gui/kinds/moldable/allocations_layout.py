"""Layout of a class's columns, numbers and bar of servers; visible widths, and zoom."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

#: Least width of a column in pixels: below it, neighbouring widths share one.
_LEAST_COLUMN = 3.0
#: Heights in lines of text.
_LEAST_PLOT, _LANE, _BAR = 2.5, 1.3, 0.75
ASKED = 0.35  # height of the marks of requests, if there are no rows of numbers
_MARGIN, _GAP = 10.0, 4.0

#: With fewer rows of numbers, words replace them.
_LEAST_ROWS = 3
#: Rows of numbers below the columns, the most important first; and in the order from top to bottom.
IMPORTANCE = ("now", "target", "mean", "asked", "speedup")
ORDER = ("now", "mean", "target", "asked", "speedup")


@dataclass(frozen=True)
class WidthSpan:
    """The visible interval of widths, from *low* to *high*, as real numbers: width i covers i - 1 to i."""

    low: float
    high: float

    def zoomed(self, factor: float, around: float, degree: int) -> WidthSpan:
        """Zoom in by a factor around a fixed place; at least one width, at most all."""
        long = min(max((self.high - self.low) / factor, 1.0), float(degree))
        low = around - (around - self.low) * long / (self.high - self.low)
        return WidthSpan(low, low + long).inside(degree)

    def moved(self, by: float, degree: int) -> WidthSpan:
        """Move by this many widths."""
        return WidthSpan(self.low + by, self.high + by).inside(degree)

    def inside(self, degree: int) -> WidthSpan:
        """Move to within the existing widths."""
        by = max(0.0, -self.low) - max(0.0, self.high - degree)
        return WidthSpan(self.low + by, self.high + by)


@dataclass(frozen=True)
class Measures:
    """Sizes of texts: a line's height, the axis's numbers, captions, numbers in columns."""

    line: float
    captions: float
    numbers: float


@dataclass(frozen=True)
class Facet:
    """The areas of one class's picture; ``ticks`` holds the numbers of widths below the columns."""

    title: QRectF  #: the class's name; empty if there is only one class
    lane: QRectF  #: marks and words of the event
    plot: QRectF  #: the columns
    ticks: QRectF
    rows: tuple[tuple[str, QRectF], ...]  #: rows of numbers by name, if there is room for them
    words: QRectF  #: words in place of rows that do not fit, if there is room for words
    bar: QRectF  #: the bar of its servers
    span: WidthSpan  #: the visible widths
    together: int  #: how many widths share a column: a power of two

    @property
    def pitch(self) -> float:
        """Pixels from one width to the next."""
        return self.plot.width() / (self.span.high - self.span.low)

    def edge(self, place: float) -> float:
        """The x coordinate of a place on the axis of widths."""
        return self.plot.left() + (place - self.span.low) * self.pitch

    def middle(self, width: int) -> float:
        """The x coordinate of the middle of the column that contains a width."""
        first = self.first_of(width)
        return self.edge(first - 1 + self.together / 2)

    def first_of(self, width: int) -> int:
        """The first width of the column that contains a width."""
        return (width - 1) // self.together * self.together + 1

    def seen(self, degree: int) -> tuple[int, int]:
        """The first and the last width whose column is at least partly visible."""
        first = max(1, math.floor(self.span.low + 1e-9) + 1)
        last = min(degree, math.ceil(self.span.high - 1e-9))
        return self.first_of(first), last

    def width_at(self, point: QPointF, degree: int) -> int | None:
        """The first width of the column above or below a point; None if there is none."""
        inside = self.plot.left() <= point.x() < self.plot.right()
        if not inside or not self.lane.top() <= point.y() <= self.bar.top():
            return None
        place = self.span.low + (point.x() - self.plot.left()) / self.pitch
        return self.first_of(min(degree, math.floor(place) + 1))


def least_height(measures: Measures, titled: bool, explained: bool = False) -> float:
    """Least height of a facet to show anything useful, with *explained* including a line of words on its signs."""
    return (_LEAST_PLOT + _LANE + 1 + explained + _BAR + titled + 0.6) * measures.line


def grid(area: QRectF, count: int, measures: Measures, wide: float) -> tuple[QRectF, ...]:
    """Split *area* into *count* equal facets, in one column or two; empty if they do not fit."""
    for columns in (1, 2) if area.width() >= 2 * wide else (1,):
        rows = math.ceil(count / columns)
        height = area.height() / rows
        if height >= least_height(measures, count > 1):
            across = area.width() / columns
            return tuple(
                QRectF(area.left() + k // rows * across, area.top() + k % rows * height, across, height)
                for k in range(count)
            )
    return ()


def facet(area: QRectF, titled: bool, measures: Measures, axis: float, span: WidthSpan, asked: bool) -> Facet:
    """Lay out a class in *area*; *axis* is the width of the numbers at the left; *asked* tells whether p is known."""
    line = measures.line
    left = area.left() + _MARGIN + max(axis, measures.captions) + _GAP
    across = max(1.0, area.right() - _MARGIN - left)
    together = 1
    while across * together / (span.high - span.low) < _LEAST_COLUMN:
        together *= 2
    top = area.top() + (line if titled else 0.0)
    bottom = area.bottom() - _GAP
    bar = QRectF(area.left() + _MARGIN, bottom - _BAR * line - line, area.width() - 2 * _MARGIN, (1 + _BAR) * line)
    room = bar.top() - _GAP - top - (_LANE + 1 + _LEAST_PLOT) * line
    pitch = across / (span.high - span.low)
    known = tuple(name for name in IMPORTANCE if asked or name != "asked")
    names = _rows_shown(known, room / line) if together == 1 and pitch >= measures.numbers else ()
    ticks = line * (1.0 if names else 1.0 + ASKED)
    explaining = line if not names and area.height() >= least_height(measures, titled, explained=True) else 0.0
    below = len(names) * line + explaining + ticks
    plot = QRectF(left, top + _LANE * line, across, max(1.0, bar.top() - 2 * _GAP - below - top - _LANE * line))
    rows = tuple(
        (name, QRectF(left, plot.bottom() + (place + 1) * line, across, line)) for place, name in enumerate(names)
    )
    words = QRectF(area.left() + _MARGIN, plot.bottom() + ticks, area.width() - 2 * _MARGIN, explaining)
    return Facet(
        title=QRectF(area.left() + _MARGIN, area.top(), area.width() - 2 * _MARGIN, line if titled else 0.0),
        lane=QRectF(left, top, across, _LANE * line),
        plot=plot,
        ticks=QRectF(left, plot.bottom() + ticks - line, across, line),
        rows=rows,
        words=words,
        bar=bar,
        span=span,
        together=together,
    )


def _rows_shown(known: tuple[str, ...], lines: float) -> tuple[str, ...]:
    """The rows of numbers that fit into *lines* lines while the columns get half of them."""
    many = min(len(known), int(0.5 * lines))
    return tuple(name for name in ORDER if many >= _LEAST_ROWS and name in known[:many])
