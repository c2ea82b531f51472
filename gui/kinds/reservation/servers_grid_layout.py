"""Where the servers of the plain grid stand, at any zoom; whole device pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slotscope.gui.pictures.layout import CellLayout, SectionGrid, SectionWishes, stacked

#: Servers are about so wide, of their height.
ASPECT = 0.6
#: A cell is not zoomed beyond this height.
LARGEST = 420
#: From so many lines of text on a cell has room for its server's number.
LABELLED = 5


@dataclass(frozen=True)
class GridWishes(SectionWishes):
    """What the grid has to have room for."""

    number: int = 0  #: width of the largest server's number

    @property
    def captions(self) -> bool:
        """There is one section, and nothing to say of it."""
        return False


@dataclass(frozen=True)
class GridCell:
    """The room of one server, with its gap and label."""

    width: int
    height: int
    label: int = 0  #: what of the height is kept free for the server's number

    @property
    def gap(self) -> int:
        """Pixels between neighbours; the narrowest cells have none."""
        small = min(self.width, self.height)
        return 0 if small < 4 else max(1, min(8, small // 10))

    @property
    def server(self) -> tuple[int, int]:
        """Width and height of the server itself, which begins where its cell does."""
        return max(1, self.width - self.gap), max(1, self.height - self.gap - self.label)


@dataclass(frozen=True)
class GridLayout(CellLayout[GridWishes, SectionGrid[GridCell]]):
    """Servers in reading order in cells of equal size."""

    @property
    def cell(self) -> GridCell:
        """The cells are alike."""
        return self.grids[0].cell

    @property
    def most_zoom(self) -> float:
        """How far it is useful to zoom in."""
        return max(1.0, LARGEST / self.cell.height)

    def zoomed(self, zoom: float) -> GridLayout:
        """The same rows with cells *zoom* times as large."""
        cell = max(1, int(self.cell.width * zoom)), max(1, int(self.cell.height * zoom))
        return _in_cells(self.wishes, self.width, self.height, self.grids[0].columns, cell)


def fitting_grid(wishes: GridWishes, width: int, height: int) -> GridLayout:
    """The grid in which all servers can be seen and are largest."""
    columns = np.arange(1, wishes.counts[0] + 1)
    rows = -(-wishes.counts[0] // columns)
    size = np.minimum((width // columns) / ASPECT, height // rows)
    best = int(columns[size.argmax()]) if size.max() > 0 else max(1, width)
    cell = width // best, height // -(-wishes.counts[0] // best)
    return _in_cells(wishes, width, height, best, (min(max(1, cell[0]), LARGEST), min(max(1, cell[1]), LARGEST)))


def _in_cells(wishes: GridWishes, width: int, height: int, columns: int, cell: tuple[int, int]) -> GridLayout:
    plain = GridCell(*cell)
    labelled = plain.width >= wishes.number + plain.gap and plain.height >= LABELLED * wishes.line
    shown = GridCell(*cell, label=wishes.line) if labelled else plain
    return GridLayout(wishes, width, height, stacked(wishes, [SectionGrid(wishes.counts[0], columns, shown)]))
