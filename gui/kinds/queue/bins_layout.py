"""Where the bins of servers stand, at any zoom; whole device pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

#: A cell's width by its height, for one resource and for each further one.
ASPECT, MORE_ASPECT = 0.6, 0.3
#: Jobs are seen in bins from this height and width on, in lines of a texture; below that a
#: bin's colour says how much of it is in use.
LEAST_HEIGHT, LEAST_WIDTH = 12, 4
#: A bar for the active configuration stands beside bins in cells from this width on.
BAR_FROM = 16
#: Lines below a bin are written from this height of a cell on, in lines of text.
LABELS_FROM = (5.5, 8.0, 10.0, 12.0)
#: Height of the lid of a stalled server, of the floor, and of the gap above the lines below it.
LID, FLOOR, PAD = 3, 2, 5


@dataclass(frozen=True)
class BinWishes:
    """What the layout has to have room for.

    Attributes
    ----------
    pools:
        Servers of each kind, and their capacity as a share of a largest server.
    resources:
        How many there are.
    bars:
        Whether servers have active configurations.
    line:
        Height of a line of text in device pixels.
    labels:
        Widths of what can be written below a bin, in device pixels, the first one first.
    scale:
        Device pixels per line of a texture.
    """

    pools: tuple[tuple[int, float], ...]
    resources: int
    bars: bool
    line: int
    labels: tuple[int, ...]
    scale: int

    @property
    def servers(self) -> int:
        """How many there are."""
        return sum(count for count, _ in self.pools)

    def row_shares(self, columns: int) -> npt.NDArray[np.float64]:
        """The largest capacity in each row of so many servers."""
        counts, shares = zip(*self.pools, strict=True)
        return np.maximum.reduceat(np.repeat(shares, counts), np.arange(0, self.servers, columns)).astype(np.float64)


@dataclass(frozen=True)
class BinCell:
    """The room of one server, from left to right for each resource: a bar and a bin.

    Attributes
    ----------
    width, height:
        With the gap to the next cell.
    gap:
        Pixels between neighbours.
    left:
        From the cell's edge to its first bar or bin.
    head:
        From the cell's top to the largest capacity.
    tall:
        Height of the largest capacity.
    bar, bar_gap, bin, between:
        Widths of a bar, of the gap to its bin, of a bin, and between two resources.
    labels:
        Lines of text below the bin.
    label:
        Height of all of them.
    shows_jobs:
        Whether a bin is large enough for jobs to be seen in it.
    """

    width: int
    height: int
    gap: int
    left: int
    head: int
    tall: int
    bar: int
    bar_gap: int
    bin: int
    between: int
    labels: int
    label: int
    shows_jobs: bool

    @property
    def pair(self) -> int:
        """From one resource to the next."""
        return self.bar + self.bar_gap + self.bin + self.between

    @property
    def foot(self) -> int:
        """From the floor of the bins to the next cell."""
        return self.height - self.head - self.tall

    def bin_left(self, resource: int) -> int:
        """From the cell's edge to a bin."""
        return self.left + resource * self.pair + self.bar + self.bar_gap


@dataclass(frozen=True)
class BinLayout:
    """Servers in reading order in cells of equal size, seen from *offset*.

    Rows that have only smaller servers are lower.

    Attributes
    ----------
    width, height:
        The view.
    columns:
        Servers in a row.
    """

    wishes: BinWishes
    width: int
    height: int
    columns: int
    cell: BinCell
    offset: tuple[int, int] = (0, 0)

    @property
    def rows(self) -> int:
        """Rows of servers."""
        return -(-self.wishes.servers // self.columns)

    @cached_property
    def tops(self) -> Integers:
        """[rows + 1] where each row begins, below the first one's top, and where the last ends."""
        tall = level(self.wishes.row_shares(self.columns), self.cell.tall)
        heights = np.maximum(1, tall) + (self.cell.height - self.cell.tall)
        return np.concatenate([[0], np.cumsum(heights)]).astype(np.int64)

    @property
    def content(self) -> tuple[int, int]:
        """Width and height of all cells together."""
        return self.columns * self.cell.width, int(self.tops[-1])

    @property
    def shows_jobs(self) -> bool:
        """Whether bins are large enough for jobs to be seen in them."""
        return self.cell.shows_jobs

    @property
    def origin(self) -> tuple[int, int]:
        """Where the first cell is in the view; content that is smaller is centred."""
        wide, high = self.content
        return (max(0, (self.width - wide) // 2) - self.offset[0], max(0, (self.height - high) // 2) - self.offset[1])

    def window(self) -> tuple[range, range]:
        """The rows and columns of which something can be seen."""
        x, y = self.origin
        first = max(0, int(np.searchsorted(self.tops, -y, side="right")) - 1)
        last = min(self.rows, int(np.searchsorted(self.tops, self.height - y)))
        columns = _seen(x, self.width, self.cell.width, self.columns)
        return range(first, max(first, last)), columns

    def visible(self) -> Integers:
        """The servers of which something can be seen, in order."""
        rows, columns = self.window()
        servers = np.add.outer(np.array(rows, np.int64) * self.columns, np.array(columns, np.int64))
        return servers.ravel()[servers.ravel() < self.wishes.servers]

    def corner(self, server: int) -> tuple[int, int]:
        """The top left corner of a server's cell in the view."""
        row, column = divmod(server, self.columns)
        x, y = self.origin
        return x + column * self.cell.width, y + int(self.tops[row])

    def floor(self, server: int) -> int:
        """The y below the lowest pixel of the jobs of a server."""
        end = int(self.tops[server // self.columns + 1])
        return self.origin[1] + end - self.cell.foot

    def box(self, server: int, share: float = 1.0) -> tuple[int, int, int, int]:
        """x, y, width, height of a server's bins and bars, a share of a largest server high."""
        x, _ = self.corner(server)
        cell, scale = self.cell, self.wishes.scale
        wide = self.wishes.resources * cell.pair - cell.between
        high = int(level(share, cell.tall))
        floor = FLOOR * scale if self.shows_jobs else 0
        return x + cell.left, self.floor(server) - high, wide, high + floor

    def at(self, x: int, y: int) -> tuple[int, int] | None:
        """The server in whose cell a pixel of the view lies, and the resource."""
        left, top = self.origin
        column, within = divmod(x - left, self.cell.width)
        row = int(np.searchsorted(self.tops, y - top, side="right")) - 1
        server = row * self.columns + column
        if not 0 <= column < self.columns or row < 0 or server >= self.wishes.servers:
            return None
        resource = (within - self.cell.left) // max(1, self.cell.pair)
        return int(server), min(max(0, int(resource)), self.wishes.resources - 1)

    def seen_from(self, x: int, y: int) -> BinLayout:
        """The same cells from another offset, kept within the content."""
        wide, high = self.content
        most = max(0, wide - self.width), max(0, high - self.height)
        return replace(self, offset=(min(max(0, x), most[0]), min(max(0, y), most[1])))


def level(share: npt.ArrayLike, tall: int) -> Integers:
    """The height in pixels of a share of a largest server, *tall* pixels high."""
    return np.floor(np.asarray(share, np.float64) * tall + 0.5).astype(np.int64)


def fitting_bins(wishes: BinWishes, width: int, height: int) -> BinLayout:
    """The layout in which all servers can be seen and are largest."""
    servers = max(1, wishes.servers)
    columns = np.arange(1, servers + 1)
    rows = -(-servers // columns)
    size = np.minimum((width // columns) / aspect(wishes.resources), height // rows)
    best = int(columns[size.argmax()])
    if size.max() < 1:
        best = min(servers, max(1, width))
    cell = max(1, width // best), max(1, height // -(-servers // best))
    return _grown(BinLayout(wishes, width, height, best, cell_of(wishes, *cell)))


def _grown(layout: BinLayout) -> BinLayout:
    """*layout* with higher cells, where lower rows of smaller servers leave room for that."""
    low, high = layout.cell.height, layout.height
    while layout.content[1] < layout.height and low < high:
        middle = (low + high + 1) // 2
        taller = replace(layout, cell=cell_of(layout.wishes, layout.cell.width, middle))
        if taller.content[1] <= layout.height:
            layout, low = taller, middle
        else:
            high = middle - 1
    return layout


def zoomed_bins(fit: BinLayout, zoom: float) -> BinLayout:
    """*fit* with cells *zoom* times as large."""
    width, height = (max(1, int(side * zoom)) for side in (fit.cell.width, fit.cell.height))
    return replace(fit, cell=cell_of(fit.wishes, width, height))


def most_zoom(fit: BinLayout) -> float:
    """How far it is useful to zoom in: until one server fills the view."""
    tall, wide = fit.height, min(fit.width, fit.height * aspect(fit.wishes.resources))
    return max(1.0, min(tall / fit.cell.height, wide / fit.cell.width))


def aspect(resources: int) -> float:
    """A cell's width by its height."""
    return ASPECT + MORE_ASPECT * (resources - 1)


def cell_of(wishes: BinWishes, width: int, height: int) -> BinCell:
    """What a cell of this size has room for."""
    scale, resources = wishes.scale, wishes.resources
    small = min(width, height)
    gap = 0 if small < 4 * scale else max(scale, min(16 * scale, small // 10))
    labels = _labels(wishes, width - gap, height)
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


def _labels(wishes: BinWishes, width: int, height: int) -> int:
    """How many lines can be written below a bin; one that does not fit ends them."""
    for lines, (least, wide) in enumerate(zip(LABELS_FROM, wishes.labels, strict=False)):
        if width < wide or height < least * wishes.line:
            return lines
    return len(wishes.labels)


def _seen(origin: int, size: int, cell: int, count: int) -> range:
    first = max(0, -origin // cell)
    return range(first, max(first, min(count, -(-(size - origin) // cell))))
