"""Layout of cells in sections, stacked vertically, at any zoom, in whole device pixels.

Servers are placed in the order of their numbers, left to right and row by row, so that neighbours stay neighbours.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, Callable, Generic, Protocol, Sequence, TypeVar

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]
Box = tuple[int, int, int, int]

#: Heights of captions and of gaps between sections, in lines of text; the gap in lines of a texture if captions are
#: beside the servers, and the least height of a section, in lines of text, for a caption beside it.
CAPTION, BETWEEN, BETWEEN_ROWS, WRITTEN = 1.35, 0.5, 2, 0.75
#: Captions go beside servers lower than LOW lines of text if that enlarges the servers' area by at least this factor.
LOW, ASIDE_GAIN = 1.2, 1.5


class SizedCell(Protocol):
    """The size of one server's cell, including the gap to the next one."""

    @property
    def width(self) -> int:
        """In device pixels."""

    @property
    def height(self) -> int:
        """In device pixels."""


@dataclass(frozen=True)
class SectionWishes:
    """What a layout of stacked sections must have room for; subclasses add the needs of their cells."""

    counts: tuple[int, ...]  #: servers in each section
    line: int  #: height of a line of text in device pixels
    scale: int  #: device pixels per line of a texture
    #: width of the widest caption in its short form, with a gap; 0: there is no short form
    brief: int = field(default=0, kw_only=True)
    #: whether captions stand to the left of the servers, in the width *brief*, instead of above them
    aside: bool = field(default=False, kw_only=True)
    #: whether each caption at the left has at least a line's height, even if its servers are lower
    named: bool = field(default=False, kw_only=True)

    @property
    def captions(self) -> bool:
        return True

    @property
    def caption(self) -> int:
        """Height of a section's caption."""
        return round(CAPTION * self.line) if self.captions and not self.aside else 0

    @property
    def floor(self) -> int:
        """Least height of each section."""
        return self.line if self.aside and self.named else 0

    @property
    def lead(self) -> int:
        """Width reserved to the left of the servers."""
        return self.brief if self.aside else 0

    @property
    def between(self) -> int:
        """Height of the gap below a section."""
        if self.aside:
            return BETWEEN_ROWS * self.scale
        return round(BETWEEN * self.line) if self.captions else 0


CellT = TypeVar("CellT", bound=SizedCell)
WishesT = TypeVar("WishesT", bound=SectionWishes)
GridT = TypeVar("GridT", bound="SectionGrid[Any]")
LayoutT = TypeVar("LayoutT", bound="CellLayout[Any, Any]")


@dataclass(frozen=True)
class SectionGrid(Generic[CellT]):
    """One section of cells of equal size."""

    #: count, columns: number of servers, and servers per row
    count: int
    columns: int
    cell: CellT
    #: left, top: position of the first cell within the content
    left: int = 0
    top: int = 0
    per: int = 1  #: servers that share a cell; more than one only where a cell is a pixel

    @property
    def across(self) -> int:
        """Cells in a row."""
        return -(-min(self.columns, self.count) // self.per)

    @property
    def rows(self) -> int:
        """Rows of servers."""
        return -(-self.count // self.columns)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all cells together."""
        return self.across * self.cell.width, int(self.row_top(self.rows))

    @property
    def pitch(self) -> tuple[float, float]:
        """Distance from a server to the next in its row, and the unit of heights."""
        return self.cell.width / self.per, self.cell.height

    def row_top(self, row: Any) -> Any:
        """The top of a row (or rows), relative to the first row's."""
        return row * self.cell.height

    def row_at(self, y: int) -> int:
        """The row at a height relative to the first row's top; may be beyond the last row."""
        return y // self.cell.height

    def row_range(self, origin: int, size: int) -> range:
        """The rows visible in a view of this height whose first row begins at *origin*."""
        return seen(origin, size, self.cell.height, self.rows)


@dataclass(frozen=True)
class CellLayout(ABC, Generic[WishesT, GridT]):
    """All sections, stacked vertically, seen from *offset*."""

    wishes: WishesT  #: what the layout has room for
    #: width, height: size of the view
    width: int
    height: int
    grids: tuple[GridT, ...]
    offset: tuple[int, int] = (0, 0)

    @property
    def cell(self) -> Any:
        """The cells of the first section."""
        return self.grids[0].cell

    @cached_property
    def content(self) -> tuple[int, int]:
        """Width and height of all sections together."""
        sizes, floor = [grid.size for grid in self.grids], self.wishes.floor
        wide = max(grid.left + size[0] for grid, size in zip(self.grids, sizes, strict=True))
        spare = (max(0, floor - size[1]) for size in sizes)  # a low section is centred beside its caption
        ends = (
            grid.top + size[1] + more - more // 2 for grid, size, more in zip(self.grids, sizes, spare, strict=True)
        )
        return wide, max(ends)

    @cached_property
    def origin(self) -> tuple[int, int]:
        """The position of the content in the view; content smaller than the view is centred."""
        wide, high = self.content
        return (max(0, (self.width - wide) // 2) - self.offset[0], max(0, (self.height - high) // 2) - self.offset[1])

    # Zooming.

    @property
    @abstractmethod
    def most_zoom(self) -> float:
        """The largest useful zoom, at which one server fills the view."""

    @abstractmethod
    def zoomed(self: LayoutT, zoom: float) -> LayoutT:
        """The same rows with cells enlarged *zoom* times."""

    def around(self, other: CellLayout[WishesT, GridT], x: float, y: float) -> tuple[int, int]:
        """The offset that keeps under the point (x, y) what *other*, the layout at another zoom, shows there."""
        left, top = other.origin
        x_there, y_there = x - left, y - top
        there = (n for n, grid in enumerate(other.grids) if grid.top <= y_there and grid.left <= max(0, x_there))
        section = max(there, default=0)
        old, new = other.grids[section], self.grids[section]
        wide = new.left + (x_there - old.left) * new.pitch[0] / old.pitch[0]
        high = new.top + (y_there - old.top) * new.pitch[1] / old.pitch[1]
        return round(wide - x), round(high - y)

    def seen_from(self: LayoutT, x: int, y: int) -> LayoutT:
        """The same layout from another offset, clamped to the content."""
        wide, high = self.content
        most = max(0, wide - self.width), max(0, high - self.height)
        return replace(self, offset=(min(max(0, x), most[0]), min(max(0, y), most[1])))

    # From servers to pixels.

    def window(self, section: int = 0) -> tuple[range, range]:
        """The visible rows of a section, and the visible cells of a row."""
        grid, (x, y) = self.grids[section], self.origin
        columns = seen(x + grid.left, self.width, grid.cell.width, grid.across)
        return grid.row_range(y + grid.top, self.height), columns

    def visible(self, section: int = 0) -> Integers:
        """The visible servers of a section, by index; empty if servers share pixels."""
        grid = self.grids[section]
        if grid.per > 1:
            return np.zeros(0, np.int64)
        rows, columns = self.window(section)
        index = np.add.outer(np.array(rows, np.int64) * grid.columns, np.array(columns, np.int64)).ravel()
        return index[index < grid.count]

    def corner(self, section: int, index: int) -> tuple[int, int]:
        """The top left corner of a server's cell, in the view."""
        grid, (x, y) = self.grids[section], self.origin
        row, column = divmod(index, grid.columns)
        return x + grid.left + column // grid.per * grid.cell.width, y + grid.top + int(grid.row_top(row))

    def corners(self, section: int, index: Integers) -> tuple[Integers, Integers]:
        """The left and top edges of servers' cells, in the view."""
        grid, (x, y) = self.grids[section], self.origin
        row, column = np.divmod(index, grid.columns)
        return column // grid.per * grid.cell.width + (x + grid.left), grid.row_top(row) + (y + grid.top)

    def caption(self, section: int) -> Box:
        """The box (x, y, width, height) of a section's caption; one above the servers stays visible sideways.

        Beside low servers its height may be 0.
        """
        grid, (x, y), high = self.grids[section], self.origin, self.wishes.caption
        if self.wishes.aside:
            tall = grid.size[1]
            room = max(tall, self.wishes.floor)
            high = min(self.wishes.line, room + self.wishes.between) if room >= WRITTEN * self.wishes.line else 0
            return x, y + grid.top - max(0, high - tall) // 2, self.wishes.lead, high
        left = max(0, x + grid.left)
        end = min(self.width, self._caption_end(section))
        return left, y + grid.top - high, max(0, end - left), high

    def _caption_end(self, section: int) -> int:
        """The x coordinate where a caption's room ends."""
        return self.width

    # From pixels to servers.

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """The section and the index of the server at a pixel of the view; None if there is none."""
        left, top = self.origin
        for section, grid in enumerate(self.grids):
            column = (x - left - grid.left) // grid.cell.width * grid.per
            row = grid.row_at(y - top - grid.top)
            index = row * grid.columns + column
            if 0 <= column < grid.columns and row >= 0 and index < grid.count:
                return section, int(index)
        return None


def stacked(wishes: SectionWishes, grids: Sequence[GridT]) -> tuple[GridT, ...]:
    """Sections stacked vertically, each below its caption."""
    rooms = [max(grid.size[1], wishes.floor) for grid in grids]
    tops = accumulate([wishes.caption, *(wishes.caption + room + wishes.between for room in rooms[:-1])])
    placed = zip(grids, tops, rooms, strict=True)
    return tuple(replace(grid, left=wishes.lead, top=top + (room - grid.size[1]) // 2) for grid, top, room in placed)


def captioned(wishes: WishesT, lay_out: Callable[[WishesT], LayoutT]) -> LayoutT:
    """The layout with captions above the servers, or beside them if captions above would take their height."""
    above = lay_out(wishes)
    if not (wishes.captions and wishes.brief) or above.cell.height >= LOW * wishes.line:
        return above
    least, named = ASIDE_GAIN * _area(above), lay_out(replace(wishes, aside=True, named=True))
    if 0 < _area(named) >= least:
        return named
    beside = lay_out(replace(wishes, aside=True))
    return beside if _area(beside) >= least else above


def _area(layout: CellLayout[Any, Any]) -> float:
    """Area of a server in pixels; 0 if not all servers are visible."""
    (wide, high), fits = layout.grids[0].pitch, layout.content[1] <= layout.height
    return float(wide * high) if fits else 0.0


def most_fitting(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """The largest side from *low* to *high* that fits, assuming that *low* fits if any side does."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def level(share: npt.ArrayLike, tall: int) -> Integers:
    """The height in pixels of a *share* of a bar of *tall* pixels."""
    return np.floor(np.asarray(share, np.float64) * tall + 0.5).astype(np.int64)


def lines_below(least: Sequence[float], widths: Sequence[int], width: int, height: int, line: int) -> int:
    """How many lines of text fit below a server in a cell of this size.

    Each line needs a height of the cell (*least*, in lines of text) and a width; the first that does not fit ends
    them.
    """
    pairs = list(zip(least, widths, strict=False))
    for lines, (high, wide) in enumerate(pairs):
        if width < wide or height < high * line:
            return lines
    return len(pairs)


def seen(origin: int, size: int, cell: int, count: int) -> range:
    """Which of *count* cells in a row, the first at *origin*, are visible in a view of this size."""
    first = min(count, max(0, -origin // cell))
    return range(first, max(first, min(count, -(-(size - origin) // cell))))
