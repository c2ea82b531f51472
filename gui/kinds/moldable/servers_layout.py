"""Where the servers stand, section below section, at any zoom; whole device pixels.

Where there are more servers than pixels a pixel stands for several of a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slotscope.gui.kinds.moldable.servers_cells import MoldableCell, MoldableWishes, cell_of
from slotscope.gui.pictures.layout import CellLayout, Integers, SectionGrid, captioned, stacked

#: A cell may be so many times as high as it is wide, and where there is one row so many times
#: as wide as it is high.
TALLEST, WIDEST = 2.0, 1.6
#: What rows are worth whose length is easily counted, and which lengths are, from so many on.
ROUND_WORTH, ROUND_LENGTHS = 1.15, ((5, 5), (10, 20))


@dataclass(frozen=True)
class MoldableLayout(CellLayout[MoldableWishes, SectionGrid[MoldableCell]]):
    """All sections, one below the other.

    Attributes
    ----------
    side:
        Width and height of a cell before they were rounded, in device pixels.
    """

    side: tuple[float, float] = (1.0, 1.0)

    @property
    def cell(self) -> MoldableCell:
        """The cells of all sections are alike."""
        return self.grids[0].cell

    @property
    def most_zoom(self) -> float:
        """How far it is useful to zoom in: until one server fills the view."""
        wide, high = self.side[0], min(self.side) if self.side[0] < 1 else self.side[1]
        return max(1.0, min(self.height / high, self.width / wide))

    def zoomed(self, zoom: float) -> MoldableLayout:
        """The same rows with cells *zoom* times as large."""
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
    rows = (-(-counts[:, None] // columns)).sum(axis=0)
    wide, high = across / columns, room / rows
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
