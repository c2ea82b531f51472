"""The cell of a server, and the layout of all servers in stacked sections, at any zoom, in whole device pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Sequence

from slotscope.gui.pictures.layout import (
    Box,
    CellLayout,
    SectionGrid,
    SectionWishes,
    captioned,
    level,
    lines_below,
    most_fitting,
    stacked,
)

#: Least height and width of bins in which jobs are drawn individually, in lines of a texture.
LEAST_HEIGHT, LEAST_WIDTH = 6, 3
#: Least width of a bin with a separate column of virtual jobs, in lines of a texture; the column's share of it.
VIRTUAL_FROM, VIRTUAL_SHARE = 7, 0.27
#: Bins lower than LOW have so little room above their rim that it only hints at an overrun.
LOW, LEAST_ABOVE, LOW_SHARE = 44, 2, 6
#: Least heights of a cell for one, two and three lines below the bin, in lines of text.
LABELS_FROM = (5.0, 7.0, 9.0)
#: Heights of the floor, and of the gap above the lines below it.
FLOOR, PAD = 2, 3
#: Height of a token as a share of the cell's, and its maximum in lines of text.
TOKEN_SHARE, LARGEST_TOKEN = 0.11, 1.15


@dataclass(frozen=True)
class PhaseWishes(SectionWishes):
    """What the layout must have room for."""

    backup: tuple[bool, ...]  #: for each section whether it is of backup servers, whose cells are smaller
    resources: int  #: number of resources
    tokens: bool  #: whether servers have tokens, timers and virtual jobs
    top: float  #: the use that a high bin's height stands for, as a share of a server's capacity
    labels: tuple[int, ...]  #: widths of the lines that can be below a bin, in device pixels, from the top
    #: largest width and height of bins, so that those of lanes side by side have the same size
    most: tuple[int, int] | None = None


@dataclass(frozen=True)
class PhaseCell:
    """A server's cell: tokens or a timer, and below them a bin for each resource."""

    #: width, height: including the gap to the next cell
    width: int
    height: int
    gap: int  #: pixels between neighbours
    left: int  #: from the cell's left edge to its first bin
    token: int  #: side of a token; 0 if there are none
    head: int  #: from the cell's top to the top of a bin
    tall: int  #: height of a bin to its top, without the floor
    top: float  #: the use that ``tall`` stands for, as a share of a server's capacity
    rim: int  #: height that stands for the capacity
    #: real, virtual, between: widths of the columns of real and of virtual jobs, and between two resources
    real: int
    virtual: int
    between: int
    floor: int  #: height of the floor
    labels: int  #: number of lines of text below the bin
    shows_jobs: bool  #: whether a bin is large enough for jobs to be drawn individually

    @property
    def bin(self) -> int:
        """Width of one bin."""
        return self.real + self.virtual

    @property
    def pair(self) -> int:
        """Distance from one resource's bin to the next."""
        return self.bin + self.between

    def bins(self, resources: int) -> int:
        """Width of all bins of a server, limited to the cell: in a cell of a pixel or two they do not all fit."""
        return min(self.width, resources * self.pair - self.between)


def cell_of(wishes: PhaseWishes, width: int, height: int, backup: bool = False) -> PhaseCell:
    """Determine what fits into a cell of this size."""
    scale, resources = wishes.scale, wishes.resources
    small = min(width, height)
    gap = 0 if small < 4 * scale else max(scale, min(14 * scale, small // 9))
    lines = wishes.labels[: 1 if backup else None]
    labels = lines_below(LABELS_FROM, lines, width - gap, height, wishes.line)
    label = labels * wishes.line + (PAD * scale if labels else 0)
    tokens = wishes.tokens and not backup
    token = min(round(TOKEN_SHARE * height), round(LARGEST_TOKEN * wishes.line)) if tokens else 0
    token = max(min(scale * 3, height // 5), token) if tokens else 0
    head = token + min(2 * scale, token // 3)
    floor = FLOOR * scale if small >= 14 * scale else (scale if small >= 6 * scale else 0)
    tall = max(1, height - gap - label - head - floor)
    room = max(1, (width - gap) // resources)
    between = 0 if resources == 1 or room < 3 else max(1, room // 10)
    wide = min(max(1, room - between), max(round(1.2 * tall), 5 * wishes.line))
    virtual = round(VIRTUAL_SHARE * wide) if tokens and wide >= VIRTUAL_FROM * scale else 0
    left = max(0, (width - gap - resources * (wide + between) + between) // 2)
    top = wishes.top
    if LEAST_HEIGHT * scale <= tall < LOW * scale:
        top = min(top, tall / (tall - max(LEAST_ABOVE * scale, tall // LOW_SHARE)))
    rim = max(1, int(level(1 / top, tall)))
    shows_jobs = tall >= LEAST_HEIGHT * scale and wide >= LEAST_WIDTH * scale
    return PhaseCell(
        width,
        height,
        gap,
        left,
        token,
        head,
        tall,
        top,
        rim,
        wide - virtual,
        virtual,
        between,
        floor,
        labels,
        shows_jobs,
    )


#: Ratio of a cell's width to its height for one resource, and its increase for each further one.
ASPECT, MORE_ASPECT = 0.62, 0.34
#: Factor by which cells may be wider if there is room at the side.
WIDEST = 1.5
#: Size of backup servers' cells relative to the others.
BACKUP_SCALE = 0.5
#: Least enlargement of cells for which backup servers are placed beside the others.
BESIDE_FROM = 1.1
#: Least widths of the two parts side by side, and the gap between them, in lines of text.
LEAST_NORMAL, LEAST_BACKUP, ASIDE = 24, 13, 1.5


@dataclass(frozen=True)
class PhaseLayout(CellLayout[PhaseWishes, SectionGrid[PhaseCell]]):
    """All sections, stacked vertically; with *beside*, backup servers at the right of the others."""

    beside: bool = False

    @cached_property
    def content(self) -> tuple[int, int]:
        wide, high = super().content
        if self.beside:
            wide = max(wide, self.grids[-1].left + LEAST_BACKUP * self.wishes.line)
        return wide, high

    @property
    def most_zoom(self) -> float:
        cell = min((grid.cell for grid in self.grids), key=lambda cell: cell.width)
        return max(1.0, min(self.height / cell.height, self.width / cell.width))

    def zoomed(self, zoom: float) -> PhaseLayout:
        sizes = [(grid.cell.width * zoom, grid.cell.height * zoom) for grid in self.grids]
        columns = [grid.columns for grid in self.grids]
        return _stacked(self.wishes, self.width, self.height, sizes, columns, self.beside)

    def ground(self, section: int, index: int) -> int:
        """The y just below the jobs of a server."""
        cell = self.grids[section].cell
        return self.corner(section, index)[1] + cell.head + cell.tall

    def box(self, section: int, index: int) -> Box:
        """The box (x, y, width, height) of a server's bins up to their rims, including the floor."""
        cell, (x, y) = self.grids[section].cell, self.corner(section, index)
        top = y + cell.head + cell.tall - cell.rim
        return x + cell.left, top, cell.bins(self.wishes.resources), cell.rim + cell.floor

    def _caption_end(self, section: int) -> int:
        if self.beside and section + 1 < len(self.grids):
            return self.origin[0] + self.grids[-1].left - _aside(self.wishes)
        return self.width


def fitting_servers(wishes: PhaseWishes, width: int, height: int) -> PhaseLayout:
    """The layout with the largest allowed cells in which all servers are visible."""
    layout = _roomiest(replace(wishes, most=None), width, height)
    if wishes.most is None:
        return layout
    most, wishes = wishes.most, layout.wishes
    wide, high = _at_most(wishes, most, layout.grids[0].cell)
    return _laid_out(wishes, width, height, (wide, high), layout.beside)


def bins_side_by_side(lanes: Sequence[PhaseWishes], width: int, height: int) -> tuple[int, int]:
    """Width and height of the bins that fit into each of several pictures."""
    cells = [_roomiest(wishes, width, height).grids[0].cell for wishes in lanes]
    return min(cell.bin for cell in cells), min(cell.tall for cell in cells)


def _at_most(wishes: PhaseWishes, most: tuple[int, int], cell: PhaseCell) -> tuple[int, int]:
    """The largest cell size up to that of *cell* whose bins are at most as high, and about as wide, as *most*."""
    wide = next(side for side in range(cell.width, 0, -1) if cell_of(wishes, side, cell.height).bin <= most[0])
    high = next(side for side in range(cell.height, 0, -1) if cell_of(wishes, wide, side).tall <= most[1])
    return wide, high


@lru_cache(maxsize=64)
def _roomiest(wishes: PhaseWishes, width: int, height: int) -> PhaseLayout:
    return captioned(wishes, lambda each: _largest_of_both(each, width, height))


def _largest_of_both(wishes: PhaseWishes, width: int, height: int) -> PhaseLayout:
    below = _largest(wishes, width, height, beside=False)
    if wishes.aside or not (wishes.backup[-1] and len(wishes.counts) > 1):
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

    wide = most_fitting(1, max(1, width), lambda side: fits(*_cell_size(wishes, side)))
    wide, high = _cell_size(wishes, wide)
    # Spare height makes cells taller, spare width makes them wider.
    high = most_fitting(high, 2 * high, lambda side: fits(wide, side))
    widest = max(wide, min(width, round(WIDEST * wide)))
    wide = most_fitting(wide, widest, lambda side: fits(side, high))
    return laid_out(wide, high)


def _cell_size(wishes: PhaseWishes, width: int) -> tuple[int, int]:
    aspect = ASPECT + MORE_ASPECT * (wishes.resources - 1)
    return width, max(1, round(width / aspect))


def _laid_out(wishes: PhaseWishes, width: int, height: int, size: tuple[int, int], beside: bool) -> PhaseLayout:
    factors = [BACKUP_SCALE if backup else 1.0 for backup in wishes.backup]
    sizes = [(max(1, int(size[0] * by)), max(1, int(size[1] * by))) for by in factors]
    room = [width - wishes.lead] * len(sizes)
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
    grids = [SectionGrid(*one) for one in zip(wishes.counts, columns, cells, strict=True)]
    placed = [*stacked(wishes, grids)]
    if beside:
        left = max(*(grid.size[0] for grid in placed[:-1]), LEAST_NORMAL * wishes.line)
        placed[-1] = replace(placed[-1], left=left + _aside(wishes), top=wishes.caption)
    return PhaseLayout(wishes, width, height, tuple(placed), beside=beside)


def _aside(wishes: PhaseWishes) -> int:
    """The gap between the parts side by side."""
    return round(ASIDE * wishes.line)
