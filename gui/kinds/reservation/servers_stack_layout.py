"""The layout of stacks of servers: columns side by side, and the number of pixels per server.

All lengths are whole device pixels.  A stack grows upwards from the base line; places in it are counted from 0 at the
bottom.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Sequence

#: Minimum and maximum height of a server, in device pixels per line of a texture.
LEAST_STRIP = 3
MOST_STRIP = 96
#: Heights of a server below the minimum, as fractions: pixels of a strip over the servers that it stands for.
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

#: Maximum share of a column's width for its gap.
MOST_GAP = 0.6

#: From this height of a server, zooming in widens the columns as well.
WIDENS_FROM = 18


class StackScale(NamedTuple):
    """The height of a strip in pixels, and the number of servers drawn together as one strip."""

    strip: int
    group: int

    @property
    def unit(self) -> float:
        """Pixels per server."""
        return self.strip / self.group

    def is_bar(self, line: int = 1) -> bool:
        """Whether servers are too low to be distinguished, so that a stack is drawn as a bar."""
        return self.group > 1 or self.strip < LEAST_STRIP * line

    def height(self, servers: int) -> int:
        """Height of a stack of *servers* servers in pixels; at least 1 unless it is empty."""
        return -(-max(0, servers) * self.strip // self.group)


def scale_at(unit: float, line: int = 1) -> StackScale:
    """The largest scale of at most *unit* pixels per server that whole pixels allow.

    Below the minimum height, several servers share a strip.
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
    """*before* as long as it fits and is more than half of *fitting*, so that the picture does not rescale often.

    If stacks outgrow it, the new scale leaves some room for growth.
    """
    if before is None or fitting.unit >= 2 * before.unit:
        return fitting
    if before.unit > fitting.unit:
        return scale_at(0.85 * fitting.unit, line)
    return before


def zoomed_scale(scale: StackScale, factor: float, fit: StackScale, line: int = 1) -> StackScale:
    """The scale *factor* times as large, at least one step larger if zooming in, and not smaller than *fit*."""
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
    """The width that a column asks for: a share of the room, or *fixed* pixels if the share is 0."""

    share: float
    fixed: int = 0


class ColumnSpan(NamedTuple):
    """The position of a column: its left edge, its width, and the width of its stack."""

    left: int
    width: int  #: of the stack and the gap to its right
    stack: int


def spans(
    shares: Sequence[Share], room: int, gap: int, least: int, most: int, widening: float = 1.0
) -> tuple[ColumnSpan, ...]:
    """Lay out columns side by side in *room* pixels, each at least *least* wide; they may exceed the room.

    No column is wider than *most*, except by the factor *widening* when zoomed in, and none is wider than the room.
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
    """The factor by which columns are widened at this scale when zoomed in."""
    start = max(WIDENS_FROM * line, fit.strip)
    return max(1.0, scale.strip / start)


class StackHit(NamedTuple):
    """A column, and the place in its stack, or None if no server is there."""

    column: int
    place: int | None


@dataclass(frozen=True)
class StackLayout:
    """Stacks on a stage of *width* by *height* pixels, scrolled by *offset*."""

    width: int
    height: int
    base: int  #: from the stage's top to the base line, if not scrolled
    scale: StackScale
    columns: tuple[ColumnSpan, ...]
    counts: tuple[int, ...]
    offset: tuple[int, int] = (0, 0)  #: scrolling to the right and upwards

    @property
    def content_width(self) -> int:
        """Width of all columns together."""
        return self.columns[-1].left + self.columns[-1].width if self.columns else 0

    @property
    def floor(self) -> int:
        """The y coordinate of the base line, from the top of the stage."""
        return self.base + self.offset[1]

    def left(self, column: int) -> int:
        """The x coordinate of a column's left edge on the stage."""
        return self.columns[column].left - self.offset[0]

    def level(self, servers: int) -> int:
        """The y coordinate of the top of a stack of *servers* servers, from the top of the stage."""
        return self.floor - self.scale.height(servers)

    def box(self, column: int, place: int) -> tuple[int, int, int, int]:
        """x, y, width, height of the strip that contains the server at a place in a stack."""
        first = place - place % self.scale.group
        last = max(first + 1, min(first + self.scale.group, self.counts[column]))
        bottom = self.floor - first * self.scale.strip // self.scale.group
        top = bottom - self.scale.height(last - first)
        return self.left(column), top, self.columns[column].stack, bottom - top

    def hit(self, x: int, y: int) -> StackHit | None:
        """The column and the place at a pixel of the stage; None outside the columns."""
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
        """The same stacks scrolled to another offset, limited to the content."""
        most_x = max(0, self.content_width - self.width)
        most_y = max(0, self.scale.height(tallest) + headroom - self.base)
        offset = min(max(0, x), most_x), min(max(0, y), most_y)
        return StackLayout(self.width, self.height, self.base, self.scale, self.columns, self.counts, offset)
