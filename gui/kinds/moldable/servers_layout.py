"""Where the servers stand, section below section, at any zoom; whole device pixels.

Servers stand in the order of their numbers, from left to right and row by row, so that neighbours
stay neighbours.  Where there are more servers than pixels a pixel stands for several of a row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from gui.kinds.moldable.servers_cells import MoldableCell, MoldableWishes, cell_of

Integers = npt.NDArray[np.int64]

#: A cell may be so many times as high as it is wide, and where there is one row so many times
#: as wide as it is high.
TALLEST, WIDEST = 2.0, 1.6
#: What rows are worth whose length is easily counted, and which lengths are, from so many on.
ROUND_WORTH, ROUND_LENGTHS = 1.15, ((5, 5), (10, 20))


@dataclass(frozen=True)
class MoldableGrid:
    """One section in cells of equal size.

    Attributes
    ----------
    count, columns:
        Servers, and how many of them stand in a row.
    per:
        Servers that share a cell; more than one only where a cell is a pixel.
    top:
        Where the first cell begins within the content.
    """

    count: int
    columns: int
    per: int
    cell: MoldableCell
    top: int = 0

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
        return self.across * self.cell.width, self.rows * self.cell.height


@dataclass(frozen=True)
class MoldableLayout:
    """All sections, one below the other, seen from *offset*.

    Attributes
    ----------
    width, height:
        The view.
    side:
        Width and height of a cell before they were rounded, in device pixels.
    """

    wishes: MoldableWishes
    width: int
    height: int
    grids: tuple[MoldableGrid, ...]
    side: tuple[float, float]
    offset: tuple[int, int] = (0, 0)

    @cached_property
    def content(self) -> tuple[int, int]:
        """Width and height of everything."""
        last = self.grids[-1]
        return max(grid.size[0] for grid in self.grids), last.top + last.size[1]

    @property
    def origin(self) -> tuple[int, int]:
        """Where the content begins in the view; what is narrower or lower is centred."""
        wide, high = self.content
        return (max(0, (self.width - wide) // 2) - self.offset[0], max(0, (self.height - high) // 2) - self.offset[1])

    @property
    def cell(self) -> MoldableCell:
        """The cells of all sections are alike."""
        return self.grids[0].cell

    def window(self, section: int) -> tuple[range, range]:
        """The rows and the cells of a row of which something can be seen."""
        grid, (x, y) = self.grids[section], self.origin
        rows = _seen(y + grid.top, self.height, grid.cell.height, grid.rows)
        return rows, _seen(x, self.width, grid.cell.width, grid.across)

    def corner(self, section: int, index: int) -> tuple[int, int]:
        """The top left corner of a server's cell in the view."""
        left, top = self.corners(section, np.array([index]))
        return int(left[0]), int(top[0])

    def corners(self, section: int, index: Integers) -> tuple[Integers, Integers]:
        """The left and the top edges of servers' cells in the view."""
        grid, (x, y) = self.grids[section], self.origin
        row, column = np.divmod(index, grid.columns)
        return (column // grid.per * grid.cell.width + x, row * grid.cell.height + (y + grid.top))

    def caption(self, section: int) -> tuple[int, int, int, int]:
        """x, y, width, height of a section's caption; it stays in sight sideways."""
        x, y = self.origin
        left, top = max(0, x), y + self.grids[section].top - self.wishes.caption
        return left, top, max(0, self.width - left), self.wishes.caption

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """The section and the server in whose cell a pixel of the view lies."""
        left, top = self.origin
        for section, grid in enumerate(self.grids):
            column = (x - left) // grid.cell.width * grid.per
            row = (y - top - grid.top) // grid.cell.height
            index = row * grid.columns + column
            if 0 <= column < grid.columns and row >= 0 and index < grid.count:
                return section, index
        return None

    def around(self, other: MoldableLayout, x: float, y: float) -> tuple[int, int]:
        """The offset with which a pixel shows what it shows in *other*, at another zoom."""
        left, top = other.origin
        there = (number for number, grid in enumerate(other.grids) if grid.top <= y - top)
        section = max(there, default=0)
        old, new = other.grids[section], self.grids[section]
        wide = (x - left) * (new.cell.width / new.per) / (old.cell.width / old.per)
        high = new.top + (y - top - old.top) * new.cell.height / old.cell.height
        return round(wide - x), round(high - y)

    def seen_from(self, x: int, y: int) -> MoldableLayout:
        """The same cells from another offset, kept within the content."""
        wide, high = self.content
        most = max(0, wide - self.width), max(0, high - self.height)
        return replace(self, offset=(min(max(0, x), most[0]), min(max(0, y), most[1])))


def fitting_servers(wishes: MoldableWishes, width: int, height: int) -> MoldableLayout:
    """The layout in which all servers can be seen and are largest."""
    counts = np.array(wishes.counts, np.int64)
    captions = len(counts) * (wishes.caption + wishes.between)
    room = max(1, height - captions)
    columns = np.arange(1, min(int(counts.max()), max(1, width)) + 1)
    rows = (-(-counts[:, None] // columns)).sum(axis=0)
    wide, high = width / columns, room / rows
    low = np.where(rows == len(counts), WIDEST, 1.0)
    high, wide = np.minimum(high, TALLEST * wide), np.minimum(wide, low * high)
    worth = np.floor(wide) * np.floor(high) * _roundness(columns, int(counts.max()))
    best = int(worth.argmax())
    if not worth[best]:
        return _of_pixels(wishes, width, height, room)
    return _stacked(wishes, width, height, int(columns[best]), (int(wide[best]), int(high[best])))


def _roundness(columns: Integers, most: int) -> npt.NDArray[np.float64]:
    worth = np.where(columns == most, ROUND_WORTH, 1.0)
    for step, least in ROUND_LENGTHS:
        worth[(columns % step == 0) & (columns >= least)] = ROUND_WORTH
        worth[(columns % step != 0) & (columns >= least) & (columns != most)] = 1.0
    return worth


def _of_pixels(wishes: MoldableWishes, width: int, height: int, room: int) -> MoldableLayout:
    """As few servers to a pixel as fit."""
    total, wide = sum(wishes.counts), max(1, width)
    per = max(1, total // (wide * room))
    while sum(-(-count // (wide * per)) for count in wishes.counts) > max(room, len(wishes.counts)):
        per += 1
    return _stacked(wishes, width, height, wide * per, (1 / per, 1.0))


def zoomed_servers(fit: MoldableLayout, zoom: float) -> MoldableLayout:
    """*fit* with cells *zoom* times as large, in the same rows."""
    side = fit.side[0] * zoom, fit.side[1] * zoom
    if fit.side[0] < 1:  # from pixels on cells become square first, then as large as they are
        side = side[0], max(1.0, side[0])
    return _stacked(fit.wishes, fit.width, fit.height, fit.grids[0].columns, side)


def most_zoom(fit: MoldableLayout) -> float:
    """How far it is useful to zoom in: until one server fills the view."""
    wide, high = fit.side[0], min(fit.side) if fit.side[0] < 1 else fit.side[1]
    return max(1.0, min(fit.height / high, fit.width / wide))


def _stacked(
    wishes: MoldableWishes, width: int, height: int, columns: int, side: tuple[float, float]
) -> MoldableLayout:
    per = max(1, round(1 / side[0]))
    cell = cell_of(wishes, max(1, int(side[0])), max(1, int(side[1])))
    grids = [MoldableGrid(count, columns, per, cell) for count in wishes.counts]
    heights = [wishes.caption + grid.size[1] + wishes.between for grid in grids]
    tops = accumulate([wishes.caption, *heights[:-1]])
    placed = tuple(replace(grid, top=top) for grid, top in zip(grids, tops, strict=True))
    return MoldableLayout(wishes, width, height, placed, side)


def _seen(origin: int, size: int, cell: int, count: int) -> range:
    first = min(count, max(0, -origin // cell))
    return range(first, max(first, min(count, -(-(size - origin) // cell))))
