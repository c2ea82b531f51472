"""The layout of bins at any zoom, in whole device pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from slotscope.gui.pictures.layout import Box, CellLayout, Integers, SectionGrid, SectionWishes, level, lines_below

#: A cell's width divided by its height with one resource, and what each further resource adds.
ASPECT, MORE_ASPECT = 0.6, 0.3
#: The least height and width of bins that show jobs, in lines of a texture; smaller bins
#: show by their colour how much of them is in use.
LEAST_HEIGHT, LEAST_WIDTH = 12, 4
#: The least width per resource, in lines of a texture, for a bar of the active configuration beside the bin.
BAR_FROM = 16
#: The least heights of a cell for one, two, three and four lines below a bin, in lines of text.
LABELS_FROM = (5.5, 8.0, 10.0, 12.0)
#: Heights of a stalled server's lid, of the floor, and of the gap above the text below it, in lines of a texture.
LID, FLOOR, PAD = 3, 2, 5


@dataclass(frozen=True)
class BinWishes(SectionWishes):
    """What the layout must have room for."""

    pools: tuple[tuple[int, float], ...]  #: servers per pool, and their capacity as a share of a largest server
    resources: int  #: the number of resources
    bars: bool  #: whether servers have active configurations
    labels: tuple[int, ...]  #: widths of the lines that can be written below a bin, in order, in device pixels

    @property
    def captions(self) -> bool:
        """No captions, as all servers are in one section."""
        return False

    @property
    def servers(self) -> int:
        return sum(self.counts)

    def row_shares(self, columns: int) -> npt.NDArray[np.float64]:
        """[rows] the largest capacity in each row of *columns* servers, as a share of a largest server."""
        counts, shares = zip(*self.pools, strict=True)
        return np.maximum.reduceat(np.repeat(shares, counts), np.arange(0, self.servers, columns)).astype(np.float64)


@dataclass(frozen=True)
class BinCell:
    """The cell of one server, in device pixels: for each resource, from left to right, a bar and a bin."""

    #: width, height: including the gap to the next cell
    width: int
    height: int
    gap: int  #: pixels between neighbours
    left: int  #: from the cell's left edge to its first bar or bin
    head: int  #: from the cell's top to the top of a bin of the largest capacity
    tall: int  #: height of a bin of the largest capacity
    #: bar, bar_gap, bin, between: widths of a bar, of the gap to its bin, of a bin, and between two resources
    bar: int
    bar_gap: int
    bin: int
    between: int
    labels: int  #: number of lines of text below the bin
    label: int  #: height of these lines
    shows_jobs: bool  #: whether bins are large enough to show jobs

    @property
    def pair(self) -> int:
        """The distance from one resource to the next."""
        return self.bar + self.bar_gap + self.bin + self.between

    @property
    def foot(self) -> int:
        """The distance from the bottom of the jobs to the next cell below."""
        return self.height - self.head - self.tall

    def bin_left(self, resource: int) -> int:
        """The distance from the cell's left edge to the bin of a resource."""
        return self.left + resource * self.pair + self.bar + self.bar_gap


@dataclass(frozen=True)
class BinGrid(SectionGrid[BinCell]):
    """Servers in reading order; rows with only smaller servers are less high."""

    shares: tuple[float, ...] = ()  #: the largest capacity in each row, as a share of a largest server

    @cached_property
    def edges(self) -> Integers:
        """[rows + 1] the top of each row relative to the first row's, and the bottom of the last."""
        heights = np.maximum(1, level(self.shares, self.cell.tall)) + (self.cell.height - self.cell.tall)
        return np.concatenate([[0], np.cumsum(heights)]).astype(np.int64)

    @property
    def pitch(self) -> tuple[float, float]:
        return self.cell.width, int(self.edges[-1])

    def row_top(self, row: Any) -> Any:
        return self.edges[row]

    def row_at(self, y: int) -> int:
        return int(np.searchsorted(self.edges, y, side="right")) - 1

    def row_range(self, origin: int, size: int) -> range:
        first = max(0, int(np.searchsorted(self.edges, -origin, side="right")) - 1)
        return range(first, max(first, min(self.rows, int(np.searchsorted(self.edges, size - origin)))))


@dataclass(frozen=True)
class BinLayout(CellLayout[BinWishes, BinGrid]):
    """The layout of all bins."""

    @property
    def cell(self) -> BinCell:
        """The cell of a largest server."""
        return self.grids[0].cell

    @property
    def shows_jobs(self) -> bool:
        """Whether bins are large enough to show jobs."""
        return self.cell.shows_jobs

    @property
    def most_zoom(self) -> float:
        tall, wide = self.height, min(self.width, self.height * aspect(self.wishes.resources))
        return max(1.0, min(tall / self.cell.height, wide / self.cell.width))

    def zoomed(self, zoom: float) -> BinLayout:
        width, height = (max(1, int(side * zoom)) for side in (self.cell.width, self.cell.height))
        return self.with_cell(width, height)

    def with_cell(self, width: int, height: int) -> BinLayout:
        """The same rows with cells of this size."""
        return replace(self, grids=(replace(self.grids[0], cell=cell_of(self.wishes, width, height)),))

    def floor(self, server: int) -> int:
        """The y just below the lowest pixel of a server's jobs."""
        grid = self.grids[0]
        return self.origin[1] + int(grid.row_top(server // grid.columns + 1)) - self.cell.foot

    def box(self, server: int, share: float = 1.0) -> Box:
        """x, y, width, height of a server's bins and bars; *share* is its capacity relative to a largest server."""
        x, _ = self.corner(0, server)
        cell, scale = self.cell, self.wishes.scale
        wide = self.wishes.resources * cell.pair - cell.between
        high = int(level(share, cell.tall))
        floor = FLOOR * scale if self.shows_jobs else 0
        return x + cell.left, self.floor(server) - high, wide, high + floor

    def resource_at(self, server: int, x: int) -> int:
        """The resource whose bar and bin are at *x* in a server's cell, or nearest to it."""
        within = x - self.corner(0, server)[0] - self.cell.left
        return min(max(0, within // max(1, self.cell.pair)), self.wishes.resources - 1)


def fitting_bins(wishes: BinWishes, width: int, height: int) -> BinLayout:
    """The layout in which all servers are visible and as large as possible."""
    servers = max(1, wishes.servers)
    columns = np.arange(1, servers + 1)
    rows = -(-servers // columns)
    size = np.minimum((width // columns) / aspect(wishes.resources), height // rows)
    best = int(columns[size.argmax()])
    if size.max() < 1:
        best = min(servers, max(1, width))
    cell = max(1, width // best), max(1, height // -(-servers // best))
    grid = BinGrid(wishes.servers, best, cell_of(wishes, *cell), shares=tuple(wishes.row_shares(best).tolist()))
    return _grown(BinLayout(wishes, width, height, (grid,)))


def _grown(layout: BinLayout) -> BinLayout:
    """*layout* with higher cells, if the lower rows of smaller servers leave room."""
    low, high = layout.cell.height, layout.height
    while layout.content[1] < layout.height and low < high:
        middle = (low + high + 1) // 2
        taller = layout.with_cell(layout.cell.width, middle)
        if taller.content[1] <= layout.height:
            layout, low = taller, middle
        else:
            high = middle - 1
    return layout


def aspect(resources: int) -> float:
    """A cell's width divided by its height."""
    return ASPECT + MORE_ASPECT * (resources - 1)


def cell_of(wishes: BinWishes, width: int, height: int) -> BinCell:
    """A cell of this size, with the parts that it has room for."""
    scale, resources = wishes.scale, wishes.resources
    small = min(width, height)
    gap = 0 if small < 4 * scale else max(scale, min(16 * scale, small // 10))
    labels = lines_below(LABELS_FROM, wishes.labels, width - gap, height, wishes.line)
    label = labels * wishes.line + (PAD * scale if labels else 0)
    room = max(1, (width - gap) // resources)
    between = 0 if resources == 1 or room < 3 else max(1, room // 10)
    bar = bar_gap = 0
    if wishes.bars and room >= BAR_FROM * scale:
        bar = min(max(3 * scale, room // 5), round(3.4 * wishes.line))
        bar_gap = max(scale, min(4 * scale, bar // 4))
    wide = max(1, room - bar - bar_gap - between)
    head = LID * scale + (3 * scale if labels else 0)
    tall = height - gap - label - head - FLOOR * scale
    shows_jobs = tall >= LEAST_HEIGHT * scale and wide >= LEAST_WIDTH * scale
    if not shows_jobs:
        head, tall = 0, max(1, height - gap - label)
    wide = min(wide, max(round(0.75 * tall), 4 * wishes.line))
    used = resources * (bar + bar_gap + wide + between) - between
    left = max(0, (width - gap - used) // 2)
    return BinCell(width, height, gap, left, head, tall, bar, bar_gap, wide, between, labels, label, shows_jobs)
