"""The room of one server, and where all of them stand, section below section, at any zoom; whole device pixels.

A server is a block that fills as its job executes.  Where there are more servers than pixels a pixel stands for several
of a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slotscope.gui.pictures.layout import CellLayout, Integers, SectionGrid, SectionWishes, captioned, stacked

Lengths = npt.NDArray[np.float64]

#: Blocks fill from this height and width on, in lines of a texture; smaller ones get stronger.
LEAST_HEIGHT, LEAST_WIDTH = 6, 2
#: Blocks have an outline, and lines between the servers of a job, from this size on, and a thick
#: outline from that, in lines of a texture.
OUTLINED, THICK = 8, 36
#: Jobs have textures from this height of a block on, in lines of a texture; below that a texture
#: would hide how far they are.
TEXTURED = 11
#: The number of a server stands below its block from this height of a cell on, in lines of text.
LABEL_FROM = 4.5
#: The gap to the next cell, as a part of the cell's width and height, and at most.
GAP_SHARE, VERTICAL_SHARE, WIDEST_GAP = 12, 7, 10
#: Height of the gap above a number, and what is kept free beside a digit.
PAD, BESIDE = 2, 2


@dataclass(frozen=True)
class MoldableWishes(SectionWishes):
    """What the layout has to have room for."""

    digit: int  #: width of a digit in device pixels
    number: int  #: width of the largest number of a server

    @property
    def captions(self) -> bool:
        """Several sections have captions."""
        return len(self.counts) > 1


@dataclass(frozen=True)
class MoldableCell:
    """The room of one server: its block, and its number below it."""

    #: width, height: with the gap to the next cell
    width: int
    height: int
    #: lead, trail: parts of the gap at the left and at the right of a block that is not joined to the next
    lead: int
    trail: int
    tall: int  #: height of the block
    border: int  #: width of its outline; 0: it has none
    numbered: bool  #: whether the server's number stands below
    fills: bool  #: whether the block is large enough to fill from below
    written: bool  #: whether a digit has room in it
    textured: bool  #: whether it is filled with the texture of its width; one does not write on that

    @property
    def block(self) -> int:
        """Width of a block that is not joined to another."""
        return self.width - self.lead - self.trail


def cell_of(wishes: MoldableWishes, width: int, height: int) -> MoldableCell:
    """What a cell of this size has room for."""
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


#: A cell may be so many times as high as it is wide, and where there is one row so many times
#: as wide as it is high.
TALLEST, WIDEST = 2.0, 1.6
#: What rows are worth whose length is easily counted, and which lengths are, from so many on.
ROUND_WORTH, ROUND_LENGTHS = 1.15, ((5, 5), (10, 20))
#: What cells are worth that have room for the server's number.
NUMBERED_WORTH = 1.15


@dataclass(frozen=True)
class MoldableLayout(CellLayout[MoldableWishes, SectionGrid[MoldableCell]]):
    """All sections, one below the other."""

    side: tuple[float, float] = (1.0, 1.0)  #: width and height of a cell before they were rounded, in device pixels

    @property
    def cell(self) -> MoldableCell:
        """The cells of all sections are alike."""
        return self.grids[0].cell

    @property
    def most_zoom(self) -> float:
        wide, high = self.side[0], min(self.side) if self.side[0] < 1 else self.side[1]
        return max(1.0, min(self.height / high, self.width / wide))

    def zoomed(self, zoom: float) -> MoldableLayout:
        side = self.side[0] * zoom, self.side[1] * zoom
        if self.side[0] < 1:  # from pixels on cells become square first, then as large as they are
            side = side[0], max(1.0, side[0])
        return _stacked(self.wishes, self.width, self.height, self.grids[0].columns, side)


def fitting_servers(wishes: MoldableWishes, width: int, height: int) -> MoldableLayout:
    """The layout in which all servers can be seen and are largest."""
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
    """[C] The height of a row where sections of [S, C] *rows* share the room, each with *floor* at least."""
    high: Lengths = room / rows.sum(axis=0)
    for _ in range(len(rows)):  # each time a section more may turn out to be low
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
    """[C] What the numbers of servers add to the worth of cells *wide* [C] and *high* [C]."""
    numbered = (high >= LABEL_FROM * wishes.line) & (wide - WIDEST_GAP * wishes.scale >= wishes.number)
    return np.where(numbered, NUMBERED_WORTH, 1.0)


def _of_pixels(wishes: MoldableWishes, width: int, height: int, room: int) -> MoldableLayout:
    """As few servers to a pixel as fit."""
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
