"""The room of one server: its tokens or its timer, its bins and its labels; whole device pixels."""

from __future__ import annotations

from dataclasses import dataclass

from slotscope.gui.pictures.layout import SectionWishes, level, lines_below

#: Jobs are told apart in bins from this height and width on, in lines of a texture.
LEAST_HEIGHT, LEAST_WIDTH = 6, 3
#: Virtual jobs have a column of their own from this width of a bin on; its share of it.
VIRTUAL_FROM, VIRTUAL_SHARE = 7, 0.27
#: Lower bins have so little room above their rim that it only says that something is there.
LOW, LEAST_ABOVE, LOW_SHARE = 44, 2, 6
#: Lines below a bin are written from this height of a cell on, in lines of text.
LABELS_FROM = (5.0, 7.0, 9.0)
#: Height of the floor, and of the gap above the lines below it.
FLOOR, PAD = 2, 3
#: Height of a token by that of a cell, and at most, in lines of text.
TOKEN_SHARE, LARGEST_TOKEN = 0.11, 1.15


@dataclass(frozen=True)
class PhaseWishes(SectionWishes):
    """What the layout has to have room for.

    Attributes
    ----------
    backup:
        Which sections are of backup servers, whose cells are smaller.
    resources:
        How many there are.
    tokens:
        Whether servers have tokens, timers and virtual jobs.
    top:
        What the height of a high bin stands for, as a share of a server's capacity.
    labels:
        Widths of what can be written below a bin, in device pixels, the first one first.
    most:
        Width and height that bins have at most: those of policies side by side are equally large.
    """

    backup: tuple[bool, ...]
    resources: int
    tokens: bool
    top: float
    labels: tuple[int, ...]
    most: tuple[int, int] | None = None


@dataclass(frozen=True)
class PhaseCell:
    """The room of one server: tokens or a timer, and a bin for each resource below them.

    Attributes
    ----------
    width, height:
        With the gap to the next cell.
    gap:
        Pixels between neighbours.
    left:
        From the cell's edge to its first bin.
    token:
        Side of a token; 0 where there are none.
    head:
        From the cell's top to the highest level of a bin.
    tall:
        Height of a bin up to its highest level, without the floor.
    top:
        What that stands for, as a share of a server's capacity.
    rim:
        Height of the capacity.
    real, virtual, between:
        Widths of the column of real jobs, of that of virtual ones, and between two resources.
    floor:
        Height of the floor.
    labels:
        Lines of text below the bin.
    shows_jobs:
        Whether a bin is large enough for jobs to be told apart in it.
    """

    width: int
    height: int
    gap: int
    left: int
    token: int
    head: int
    tall: int
    top: float
    rim: int
    real: int
    virtual: int
    between: int
    floor: int
    labels: int
    shows_jobs: bool

    @property
    def bin(self) -> int:
        """Width of one bin."""
        return self.real + self.virtual

    @property
    def pair(self) -> int:
        """From one resource to the next."""
        return self.bin + self.between

    def bins(self, resources: int) -> int:
        """Width of all bins of a server; in a cell of a pixel or two there is no room for all of them."""
        return min(self.width, resources * self.pair - self.between)


def cell_of(wishes: PhaseWishes, width: int, height: int, backup: bool = False) -> PhaseCell:
    """What a cell of this size has room for."""
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
