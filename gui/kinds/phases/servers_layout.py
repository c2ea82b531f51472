"""Where the servers stand, section below section, at any zoom; whole device pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Callable, Sequence

import numpy as np
import numpy.typing as npt

from gui.kinds.phases.servers_cells import PhaseCell, PhaseWishes, cell_of

Integers = npt.NDArray[np.int64]

#: A cell's width by its height, for one resource and for each further one.
ASPECT, MORE_ASPECT = 0.62, 0.34
#: So much wider cells may be where there is room at the side.
WIDEST = 1.5
#: Cells of backup servers are smaller by this factor.
BACKUP_SCALE = 0.5
#: Backup servers stand beside the others where that makes cells so much larger.
BESIDE_FROM = 1.1
#: The least widths of what stands side by side, and the gap, in lines of text.
LEAST_NORMAL, LEAST_BACKUP, ASIDE = 24, 13, 1.5


@dataclass(frozen=True)
class PhaseGrid:
    """One section in cells of equal size.

    Attributes
    ----------
    count, columns:
        Servers, and how many of them stand in a row.
    left, top:
        Where the first cell begins within the content.
    """

    count: int
    columns: int
    cell: PhaseCell
    left: int = 0
    top: int = 0

    @property
    def rows(self) -> int:
        """Rows of servers."""
        return -(-self.count // self.columns) if self.count else 0

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of all cells together."""
        return min(self.columns, self.count) * self.cell.width, self.rows * self.cell.height


@dataclass(frozen=True)
class PhaseLayout:
    """All sections, one below the other, seen from *offset*.

    With *beside* the backup servers stand at the right of the others.
    """

    wishes: PhaseWishes
    width: int
    height: int
    grids: tuple[PhaseGrid, ...]
    beside: bool = False
    offset: tuple[int, int] = (0, 0)

    @cached_property
    def content(self) -> tuple[int, int]:
        """Width and height of everything."""
        wide = max(grid.left + grid.size[0] for grid in self.grids)
        if self.beside:
            wide = max(wide, self.grids[-1].left + LEAST_BACKUP * self.wishes.line)
        return wide, max(grid.top + grid.size[1] for grid in self.grids)

    @property
    def origin(self) -> tuple[int, int]:
        """Where the content begins in the view; what is narrower or lower is centred."""
        wide, high = self.content
        return (max(0, (self.width - wide) // 2) - self.offset[0], max(0, (self.height - high) // 2) - self.offset[1])

    def window(self, section: int) -> tuple[range, range]:
        """The rows and columns of a section of which something can be seen."""
        grid, (x, y) = self.grids[section], self.origin
        rows = _seen(y + grid.top, self.height, grid.cell.height, grid.rows)
        return rows, _seen(x + grid.left, self.width, grid.cell.width, min(grid.columns, grid.count))

    def corner(self, section: int, index: int) -> tuple[int, int]:
        """The top left corner of a server's cell in the view."""
        grid, (x, y) = self.grids[section], self.origin
        row, column = divmod(index, grid.columns)
        return x + grid.left + column * grid.cell.width, y + grid.top + row * grid.cell.height

    def corners(self, section: int, index: Integers) -> tuple[list[int], list[int]]:
        """The left and the top edges of servers' cells in the view."""
        grid, (x, y) = self.grids[section], self.origin
        row, column = np.divmod(index, grid.columns)
        left, top = column * grid.cell.width, row * grid.cell.height
        return (left + (x + grid.left)).tolist(), (top + (y + grid.top)).tolist()

    def ground(self, section: int, index: int) -> int:
        """The y below the lowest pixel of the jobs of a server."""
        cell = self.grids[section].cell
        return self.corner(section, index)[1] + cell.head + cell.tall

    def box(self, section: int, index: int) -> tuple[int, int, int, int]:
        """x, y, width, height of a server's bins up to their rims, with the floor."""
        cell, (x, _) = self.grids[section].cell, self.corner(section, index)
        y = self.ground(section, index) - cell.rim
        return x + cell.left, y, cell.bins(self.wishes.resources), cell.rim + cell.floor

    def caption(self, section: int) -> tuple[int, int, int, int]:
        """x, y, width, height of a section's caption; it stays in sight sideways."""
        x, y = self.origin
        left, end = max(0, x + self.grids[section].left), self.width
        if self.beside and section + 1 < len(self.grids):
            end = x + self.grids[-1].left - _aside(self.wishes)
        top = y + self.grids[section].top - self.wishes.caption
        return left, top, max(0, end - left), self.wishes.caption

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """The section and the server in whose cell a pixel of the view lies."""
        left, top = self.origin
        for section, grid in enumerate(self.grids):
            column = (x - left - grid.left) // grid.cell.width
            row = (y - top - grid.top) // grid.cell.height
            index = row * grid.columns + column
            if 0 <= column < grid.columns and row >= 0 and index < grid.count:
                return section, index
        return None

    def around(self, other: PhaseLayout, x: float, y: float) -> tuple[int, int]:
        """The offset with which a pixel shows what it shows in *other*, at another zoom."""
        left, top = other.origin
        place_x, place_y = x - left, y - top
        there = (number for number, grid in enumerate(other.grids) if grid.top <= place_y and grid.left <= place_x)
        section = max(there, default=0)
        old, new = other.grids[section], self.grids[section]
        wide = new.left + (place_x - old.left) * new.cell.width / old.cell.width
        high = new.top + (place_y - old.top) * new.cell.height / old.cell.height
        return round(wide - x), round(high - y)

    def seen_from(self, x: int, y: int) -> PhaseLayout:
        """The same cells from another offset, kept within the content."""
        wide, high = self.content
        most = max(0, wide - self.width), max(0, high - self.height)
        return replace(self, offset=(min(max(0, x), most[0]), min(max(0, y), most[1])))


def fitting_servers(wishes: PhaseWishes, width: int, height: int) -> PhaseLayout:
    """The layout in which all servers can be seen and are largest."""
    below = _largest(wishes, width, height, beside=False)
    if not (wishes.backup[-1] and len(wishes.counts) > 1):
        return below
    beside = _largest(wishes, width, height, beside=True)
    areas = [layout.grids[0].cell.width * layout.grids[0].cell.height for layout in (below, beside)]
    fits = beside.content[0] <= width and beside.content[1] <= height
    return beside if fits and areas[1] > BESIDE_FROM * areas[0] else below


def _largest(wishes: PhaseWishes, width: int, height: int, beside: bool) -> PhaseLayout:
    def laid_out(wide: int, high: int) -> PhaseLayout:
        return _laid_out(wishes, width, height, (wide, high), beside)

    def fits(wide: int, high: int) -> bool:
        content = laid_out(wide, high).content
        return content[1] <= height and (content[0] <= width or not beside)

    wide = _most(1, max(1, width), lambda side: fits(*_cell_size(wishes, side)))
    wide, high = _cell_size(wishes, wide)
    # What is left below makes them taller, what is left at the side wider.
    high = _most(high, 2 * high, lambda side: fits(wide, side))
    widest = max(wide, min(width, round(WIDEST * wide)))
    wide = _most(wide, widest, lambda side: fits(side, high))
    return laid_out(wide, high)


def _most(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """The largest side from *low* to *high* that fits, where *low* does or nothing will."""
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def zoomed_servers(fit: PhaseLayout, zoom: float) -> PhaseLayout:
    """*fit* with cells *zoom* times as large, in the same rows."""
    sizes = [(grid.cell.width * zoom, grid.cell.height * zoom) for grid in fit.grids]
    columns = [grid.columns for grid in fit.grids]
    return _stacked(fit.wishes, fit.width, fit.height, sizes, columns, fit.beside)


def most_zoom(fit: PhaseLayout) -> float:
    """How far it is useful to zoom in: until one server fills the view."""
    cell = min((grid.cell for grid in fit.grids), key=lambda cell: cell.width)
    return max(1.0, min(fit.height / cell.height, fit.width / cell.width))


def _cell_size(wishes: PhaseWishes, width: int) -> tuple[int, int]:
    aspect = ASPECT + MORE_ASPECT * (wishes.resources - 1)
    return width, max(1, round(width / aspect))


def _laid_out(wishes: PhaseWishes, width: int, height: int, size: tuple[int, int], beside: bool) -> PhaseLayout:
    factors = [BACKUP_SCALE if backup else 1.0 for backup in wishes.backup]
    sizes = [(max(1, int(size[0] * by)), max(1, int(size[1] * by))) for by in factors]
    room = [width] * len(sizes)
    if beside:
        rows = max(1, (height - wishes.caption) // sizes[-1][1])
        aside = max(-(-wishes.counts[-1] // rows) * sizes[-1][0], LEAST_BACKUP * wishes.line)
        room = [width - aside - _aside(wishes)] * (len(sizes) - 1) + [aside]
    columns = [
        max(1, min(count, wide // side)) for count, wide, (side, _) in zip(wishes.counts, room, sizes, strict=True)
    ]
    return _stacked(wishes, width, height, sizes, columns, beside)


def _stacked(
    wishes: PhaseWishes, width: int, height: int, sizes: Sequence[tuple[float, float]], columns: list[int], beside: bool
) -> PhaseLayout:
    cells = [
        cell_of(wishes, max(1, int(wide)), max(1, int(high)), backup)
        for (wide, high), backup in zip(sizes, wishes.backup, strict=True)
    ]
    grids = [PhaseGrid(count, many, cell) for count, many, cell in zip(wishes.counts, columns, cells, strict=True)]
    heights = [wishes.caption + grid.size[1] + wishes.between for grid in grids]
    tops = accumulate([wishes.caption, *heights[:-1]])
    placed = [replace(grid, top=top) for grid, top in zip(grids, tops, strict=True)]
    if beside:
        left = max(*(grid.size[0] for grid in placed[:-1]), LEAST_NORMAL * wishes.line)
        placed[-1] = replace(placed[-1], left=left + _aside(wishes), top=wishes.caption)
    return PhaseLayout(wishes, width, height, tuple(placed), beside)


def _aside(wishes: PhaseWishes) -> int:
    """The gap to what stands beside."""
    return round(ASIDE * wishes.line)


def _seen(origin: int, size: int, cell: int, count: int) -> range:
    first = min(count, max(0, -origin // cell))
    return range(first, max(first, min(count, -(-(size - origin) // cell))))
