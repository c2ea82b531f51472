"""The cell of a server, and the layout of all servers in stacked sections, at any zoom, in whole device pixels.

A server is a block that fills as its job executes.  If there are more servers than pixels, a pixel stands for several
servers in a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slotscope.gui.pictures.layout import CellLayout, Integers, SectionGrid, SectionWishes, captioned, stacked

Lengths = npt.NDArray[np.float64]

#: Least height and width of blocks that fill, in lines of a texture; smaller ones get a stronger colour instead.
LEAST_HEIGHT, LEAST_WIDTH = 6, 2
#: Least height of blocks with an outline and lines between a job's servers, and of those with a thick
#: outline, in lines of a texture.
OUTLINED, THICK = 8, 36
#: Least height of blocks with textures, in lines of a texture: in smaller ones a texture
#: would hide the progress.
TEXTURED = 11
#: Least cell height for a server's number below its block, in lines of text.
LABEL_FROM = 4.5
#: The gap to the next cell: divisors of the cell's width and height, and its maximum.
GAP_SHARE, VERTICAL_SHARE, WIDEST_GAP = 12, 7, 10
#: Height of the gap above a number, and space kept free beside a digit.
PAD, BESIDE = 2, 2


@dataclass(frozen=True)
class MoldableWishes(SectionWishes):
    """What the layout must have room for."""

    digit: int  #: width of a digit in device pixels
    number: int  #: width of the largest server number

    @property
    def captions(self) -> bool:
        """Whether sections have captions: if there are several."""
        return len(self.counts) > 1


@dataclass(frozen=True)
class MoldableCell:
    """A server's cell: its block, and its number below."""

    #: width, height: including the gap to the next cell
    width: int
    height: int
    #: lead, trail: the gap's parts to the left and right of a block that is not joined to its neighbour
    lead: int
    trail: int
    tall: int  #: height of the block
    border: int  #: width of its outline; 0: none
    numbered: bool  #: whether the server's number is written below
    fills: bool  #: whether the block is large enough to be filled from below
    written: bool  #: whether a digit fits into it
    textured: bool  #: whether it is filled with its width's texture, on which no text is written

    @property
    def block(self) -> int:
        """Width of a block that is not joined to another."""
        return self.width - self.lead - self.trail


def cell_of(wishes: MoldableWishes, width: int, height: int) -> MoldableCell:
    """Determine what fits into a cell of this size."""
    scale = wishes.scale
    most = WIDEST_GAP * scale
    gap = 0 if width < 3 * scale else max(scale, min(most, width // GAP_SHARE))
    below = 0 if height < 3 * scale else max(scale, min(most, height // VERTICAL_SHARE))
    numbered = height >= LABEL_FROM * wishes.line and width - gap >= wishes.number
    label = wishes.line + PAD * scale if numbered else 0
    below = min(below, max(scale, wishes.line // 3)) if numbered else below
    tall = max(1, height - below - label)
    small = min(width - gap, tall)
    border = 0 if small < OUTLINED * scale else scale if small < THICK * scale else 2 * scale
    fills = tall >= LEAST_HEIGHT * scale and width - gap >= LEAST_WIDTH * scale
    room = width - gap - 2 * (border + BESIDE * scale)
    written = fills and room >= wishes.digit and tall >= wishes.line
    textured = not written and min(width - gap, tall) >= TEXTURED * scale
    return MoldableCell(width, height, gap // 2, gap - gap // 2, tall, border, numbered, fills, written, textured)


#: Largest ratio of a cell's height to its width, and in a single row of its width
#: to its height.
TALLEST, WIDEST = 2.0, 1.6
#: The factor by which row lengths that are easy to count are preferred: multiples, each from a least length on.
ROUND_WORTH, ROUND_LENGTHS = 1.15, ((5, 5), (10, 20))
#: The factor by which cells with room for the server's number are preferred.
NUMBERED_WORTH = 1.15


@dataclass(frozen=True)
class MoldableLayout(CellLayout[MoldableWishes, SectionGrid[MoldableCell]]):
    """All sections, stacked vertically."""

    side: tuple[float, float] = (1.0, 1.0)  #: width and height of a cell before rounding, in device pixels

    @property
    def cell(self) -> MoldableCell:
        """The cell of all sections, which is the same."""
        return self.grids[0].cell

    @property
    def most_zoom(self) -> float:
        wide, high = self.side[0], min(self.side) if self.side[0] < 1 else self.side[1]
        return max(1.0, min(self.height / high, self.width / wide))

    def zoomed(self, zoom: float) -> MoldableLayout:
        side = self.side[0] * zoom, self.side[1] * zoom
        if self.side[0] < 1:  # zooming from pixels, cells become square first
            side = side[0], max(1.0, side[0])
        return _stacked(self.wishes, self.width, self.height, self.grids[0].columns, side)


def fitting_servers(wishes: MoldableWishes, width: int, height: int) -> MoldableLayout:
    """The layout with the largest cells in which all servers are visible."""
    return captioned(wishes, lambda each: _largest(each, width, height))


def _largest(wishes: MoldableWishes, width: int, height: int) -> MoldableLayout:
    across = max(1, width - wishes.lead)
    counts = np.array(wishes.counts, np.int64)
    captions = len(counts) * (wishes.caption + wishes.between)
    room = max(1, height - captions)
    columns = np.arange(1, min(int(counts.max()), across) + 1)
    each = -(-counts[:, None] // columns)
    rows = each.sum(axis=0)
    wide, high = across / columns, _heights(each, room, wishes.floor)
    low = np.where(rows == len(counts), WIDEST, 1.0)
    high, wide = np.minimum(high, TALLEST * wide), np.minimum(wide, low * high)
    wide, high = np.floor(wide), np.floor(high)
    worth = wide * high * _roundness(columns, int(counts.max())) * _legible(wishes, wide, high)
    best = int(worth.argmax())
    if not worth[best]:
        return _of_pixels(wishes, width, height, room)
    return _stacked(wishes, width, height, int(columns[best]), (int(wide[best]), int(high[best])))


def _heights(rows: Integers, room: int, floor: int) -> Lengths:
    """[C] The row height if sections of [S, C] *rows* share the room, each with at least *floor*."""
    high: Lengths = room / rows.sum(axis=0)
    for _ in range(len(rows)):  # each round may find one more section too low
        low = rows * high < floor
        left, others = room - floor * low.sum(axis=0), np.where(low, 0, rows).sum(axis=0)
        alone = np.where(left >= 0, floor / rows.max(axis=0), 0.0)
        high = np.where(others > 0, np.maximum(0, left) / np.maximum(1, others), alone)
    return high


def _roundness(columns: Integers, most: int) -> Lengths:
    worth = np.where(columns == most, ROUND_WORTH, 1.0)
    for step, least in ROUND_LENGTHS:
        worth[(columns % step == 0) & (columns >= least)] = ROUND_WORTH
        worth[(columns % step != 0) & (columns >= least) & (columns != most)] = 1.0
    return worth


def _legible(wishes: MoldableWishes, wide: Lengths, high: Lengths) -> Lengths:
    """[C] The preference for cells *wide* [C] and *high* [C] in which server numbers fit."""
    numbered = (high >= LABEL_FROM * wishes.line) & (wide - WIDEST_GAP * wishes.scale >= wishes.number)
    return np.where(numbered, NUMBERED_WORTH, 1.0)


def _of_pixels(wishes: MoldableWishes, width: int, height: int, room: int) -> MoldableLayout:
    """The layout with as few servers per pixel as fit."""
    total, wide = sum(wishes.counts), max(1, width - wishes.lead)
    per = max(1, total // (wide * room))
    while sum(-(-count // (wide * per)) for count in wishes.counts) > max(room, len(wishes.counts)):
        per += 1
    return _stacked(wishes, width, height, wide * per, (1 / per, 1.0))


def _stacked(
    wishes: MoldableWishes, width: int, height: int, columns: int, side: tuple[float, float]
) -> MoldableLayout:
    per = max(1, round(1 / side[0]))
    cell = cell_of(wishes, max(1, int(side[0])), max(1, int(side[1])))
    grids = stacked(wishes, [SectionGrid(count, columns, cell, per=per) for count in wishes.counts])
    return MoldableLayout(wishes, width, height, grids, side=side)
