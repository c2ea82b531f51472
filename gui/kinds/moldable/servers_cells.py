"""The room of one server: a block that fills as its job executes; whole device pixels."""

from __future__ import annotations

from dataclasses import dataclass

from slotscope.gui.pictures.layout import SectionWishes

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
    """What the layout has to have room for.

    Attributes
    ----------
    digit:
        Width of a digit in device pixels.
    number:
        Width of the largest number of a server.
    """

    digit: int
    number: int

    @property
    def captions(self) -> bool:
        """Several sections have captions."""
        return len(self.counts) > 1


@dataclass(frozen=True)
class MoldableCell:
    """The room of one server: its block, and its number below it.

    Attributes
    ----------
    width, height:
        With the gap to the next cell.
    lead, trail:
        Parts of the gap at the left and at the right of a block that is not joined to the next.
    tall:
        Height of the block.
    border:
        Width of its outline; 0: it has none.
    numbered:
        Whether the server's number stands below.
    fills:
        Whether the block is large enough to fill from below.
    written:
        Whether a digit has room in it.
    textured:
        Whether it is filled with the texture of its width; one does not write on that.
    """

    width: int
    height: int
    lead: int
    trail: int
    tall: int
    border: int
    numbered: bool
    fills: bool
    written: bool
    textured: bool

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
