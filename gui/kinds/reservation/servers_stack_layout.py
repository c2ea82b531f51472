"""Where stacks of servers stand: columns side by side, and how many pixels a server gets.

All lengths are whole device pixels.  A stack grows upwards from the base line; a server's
place in it is counted from 0 at the bottom.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Sequence

#: Device pixels per line of a texture times these give the bounds of a server's height.
LEAST_STRIP = 3
MOST_STRIP = 96
#: Heights of a server below the least one, as strips of so many pixels for so many servers.
SMALL = tuple(
    sorted(
        {
            Fraction(strip, group)
            for group in (1, 2, 3, 4)
            for strip in range(2, 9)
            if 2 * strip > group and strip < LEAST_STRIP * group
        }
    )
)

#: The most of a column's width that its gap takes.
MOST_GAP = 0.6

#: From this height of a server on, zooming widens the columns as well.
WIDENS_FROM = 18


class StackScale(NamedTuple):
    """Servers drawn together as one strip, and the strip's height."""

    strip: int
    group: int

    @property
    def unit(self) -> float:
        """Pixels per server."""
        return self.strip / self.group

    def is_bar(self, line: int = 1) -> bool:
        """Whether servers are too low to be told apart, so that a stack becomes a bar."""
        return self.group > 1 or self.strip < LEAST_STRIP * line

    def height(self, servers: int) -> int:
        """Pixels that so many servers take; at least one where there is a server."""
        return -(-max(0, servers) * self.strip // self.group)


def scale_at(unit: float, line: int = 1) -> StackScale:
    """The scale of at most *unit* pixels per server, as near to it as whole pixels allow.

    Below the least height several servers share one strip.
    """
    least, most = LEAST_STRIP * line, MOST_STRIP * line
    if unit >= least:
        return StackScale(min(most, int(unit)), 1)
    if unit < line * SMALL[0].numerator / SMALL[0].denominator:
        return StackScale(least, -int(-least // max(unit, 1e-6)))
    size = max(item for item in SMALL if item.numerator * line / item.denominator <= unit)
    return StackScale(size.numerator * line, size.denominator)


def fitting_scale(tallest: int, room: int, line: int = 1) -> StackScale:
    """The largest scale at which *tallest* servers fit into *room* pixels."""
    return scale_at(max(1, room) / max(1, tallest), line)


def calm_scale(before: StackScale | None, fitting: StackScale, line: int = 1) -> StackScale:
    """*before* as long as it fits and is not much too small, so that the picture stays still.

    Where stacks outgrow it, some room to grow further is left.
    """
    if before is None or fitting.unit >= 2 * before.unit:
        return fitting
    if before.unit > fitting.unit:
        return scale_at(0.85 * fitting.unit, line)
    return before


def zoomed_scale(scale: StackScale, factor: float, fit: StackScale, line: int = 1) -> StackScale:
    """The scale *factor* times as large, at least one step away, not smaller than *fit*."""
    wanted = scale.unit * factor
    result = scale_at(wanted, line)
    if factor > 1 and result.unit <= scale.unit:
        result = _finer(scale, line)
    return result if result.unit > fit.unit else fit


def _finer(scale: StackScale, line: int) -> StackScale:
    size = Fraction(scale.strip, scale.group * line)
    if size >= LEAST_STRIP:
        return StackScale(min(MOST_STRIP * line, scale.strip + 1), 1)
    if size < SMALL[0] and Fraction(LEAST_STRIP, scale.group - 1) < SMALL[0]:
        return StackScale(LEAST_STRIP * line, scale.group - 1)
    larger = next((item for item in SMALL if item > size), Fraction(LEAST_STRIP))
    return StackScale(larger.numerator * line, larger.denominator)


class Share(NamedTuple):
    """What a column asks for: a share of the width, or *fixed* pixels where share is 0."""

    share: float
    fixed: int = 0


class ColumnSpan(NamedTuple):
    """Where a column lies: from its left edge on, and how wide its stack is."""

    left: int
    width: int  #: of the stack and the gap to its right
    stack: int


def spans(
    shares: Sequence[Share], room: int, gap: int, least: int, most: int, widening: float = 1.0
) -> tuple[ColumnSpan, ...]:
    """Columns side by side in *room* pixels, each at least *least* wide (they may overflow).

    No column is wider than *most* unless *widening* (from zooming) asks for it, and none is
    wider than the room.
    """
    parts = sum(item.share for item in shares)
    free = room - sum(item.fixed for item in shares if not item.share)
    unit = min(most, free / parts) if parts else 0.0
    result, left = [], 0
    for item in shares:
        width = item.fixed
        if item.share:
            width = max(least, int(unit * item.share * widening))
            width = min(width, max(least, room))
        result.append(ColumnSpan(left, width, max(1, width - min(gap, round(MOST_GAP * width)))))
        left += width
    return tuple(result)


def widening(scale: StackScale, fit: StackScale, line: int = 1) -> float:
    """How much wider the columns get when servers are zoomed to this height."""
    start = max(WIDENS_FROM * line, fit.strip)
    return max(1.0, scale.strip / start)


class StackHit(NamedTuple):
    """A column, and the place in its stack where a server is there."""

    column: int
    place: int | None


@dataclass(frozen=True)
class StackLayout:
    """Stacks in a stage of *width* by *height* pixels, seen from *offset*."""

    width: int
    height: int
    base: int  #: from the top of the stage to the base line when nothing is scrolled
    scale: StackScale
    columns: tuple[ColumnSpan, ...]
    counts: tuple[int, ...]
    offset: tuple[int, int] = (0, 0)  #: how far the view has moved to the right and upwards

    @property
    def content_width(self) -> int:
        """Pixels that all columns take."""
        return self.columns[-1].left + self.columns[-1].width if self.columns else 0

    @property
    def floor(self) -> int:
        """The base line, from the top of the stage."""
        return self.base + self.offset[1]

    def left(self, column: int) -> int:
        """The left edge of a column in the stage."""
        return self.columns[column].left - self.offset[0]

    def level(self, servers: int) -> int:
        """The height of so many servers above the base line, from the top of the stage."""
        return self.floor - self.scale.height(servers)

    def box(self, column: int, place: int) -> tuple[int, int, int, int]:
        """x, y, width, height of the strip that holds the server at a place in a stack."""
        first = place - place % self.scale.group
        last = max(first + 1, min(first + self.scale.group, self.counts[column]))
        bottom = self.floor - first * self.scale.strip // self.scale.group
        top = bottom - self.scale.height(last - first)
        return self.left(column), top, self.columns[column].stack, bottom - top

    def hit(self, x: int, y: int) -> StackHit | None:
        """What lies at a pixel of the stage."""
        for column, span in enumerate(self.columns):
            left = self.left(column)
            if left <= x < left + span.width:
                return StackHit(column, self._place(column, x - left, y))
        return None

    def _place(self, column: int, x: int, y: int) -> int | None:
        above = self.floor - 1 - y
        count = self.counts[column]
        inside = 0 <= above < self.scale.height(count) and x < self.columns[column].stack
        if not inside or not 0 <= y < self.height:
            return None
        return min(count - 1, above * self.scale.group // self.scale.strip)

    def moved(self, x: int, y: int, headroom: int, tallest: int) -> StackLayout:
        """The same stacks seen from another offset, kept within the content."""
        most_x = max(0, self.content_width - self.width)
        most_y = max(0, self.scale.height(tallest) + headroom - self.base)
        offset = min(max(0, x), most_x), min(max(0, y), most_y)
        return StackLayout(self.width, self.height, self.base, self.scale, self.columns, self.counts, offset)
