"""Where the servers of the plain grid stand, at any zoom; whole device pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from slotscope.gui.kinds.reservation.servers_painted import layout_grid
from slotscope.gui.pictures.layout import seen

Integers = npt.NDArray[np.int32]

#: A cell is not zoomed beyond this height.
LARGEST = 420


@dataclass(frozen=True)
class GridLayout:
    """Servers in reading order in cells of equal size, seen from *offset*.

    Attributes
    ----------
    columns:
        Servers in a row.
    cell:
        Width and height of a cell, with its gap and label.
    label:
        What of the cell's height is kept free for the server's number.
    """

    servers: int
    width: int
    height: int
    columns: int
    cell: tuple[int, int]
    label: int = 0
    offset: tuple[int, int] = (0, 0)

    @property
    def rows(self) -> int:
        """Rows of servers."""
        return -(-self.servers // self.columns)

    @property
    def content(self) -> tuple[int, int]:
        """Width and height of all cells together."""
        return self.columns * self.cell[0], self.rows * self.cell[1]

    @property
    def gap(self) -> int:
        """Pixels between neighbours; the narrowest cells have none."""
        small = min(self.cell)
        return 0 if small < 4 else max(1, min(8, small // 10))

    def rects(self, servers: npt.NDArray[np.int64]) -> Integers:
        """x, y, width, height of the given servers in the view."""
        row, column = np.divmod(servers, self.columns)
        result = np.empty((len(servers), 4), np.int32)
        result[:, 0] = column * self.cell[0] - self.offset[0]
        result[:, 1] = row * self.cell[1] - self.offset[1]
        result[:, 2] = max(1, self.cell[0] - self.gap)
        result[:, 3] = max(1, self.cell[1] - self.gap - self.label)
        return result

    def visible(self) -> npt.NDArray[np.int64]:
        """The servers of which something can be seen."""
        columns = np.array(seen(-self.offset[0], self.width, self.cell[0], self.columns), np.int64)
        rows = np.array(seen(-self.offset[1], self.height, self.cell[1], self.rows), np.int64)
        servers = (rows[:, None] * self.columns + columns).reshape(-1)
        return servers[servers < self.servers]

    def at(self, x: int, y: int) -> int | None:
        """The server in whose cell a pixel of the view lies."""
        column, row = (x + self.offset[0]) // self.cell[0], (y + self.offset[1]) // self.cell[1]
        server = row * self.columns + column
        inside = 0 <= column < self.columns and row >= 0 and server < self.servers
        return int(server) if inside else None

    def seen_from(self, x: int, y: int) -> GridLayout:
        """The same cells from another offset, kept within the content."""
        most = (max(0, self.content[0] - self.width), max(0, self.content[1] - self.height))
        return replace(self, offset=(min(max(0, x), most[0]), min(max(0, y), most[1])))


def fitting_grid(servers: int, width: int, height: int, aspect: float = 0.6) -> GridLayout:
    """The grid in which all servers can be seen and are largest."""
    rects = layout_grid(servers, width, height, aspect)
    columns = max(1, int((rects[:, 1] == 0).sum())) if (rects[:, 2:] > 0).all() else max(1, width)
    rows = max(1, -(-servers // columns))
    cell = min(max(1, width // columns), LARGEST), min(max(1, height // rows), LARGEST)
    return GridLayout(servers, width, height, columns, cell)


def zoomed_grid(fit: GridLayout, zoom: float) -> GridLayout:
    """*fit* with cells *zoom* times as large."""
    cell = max(1, int(fit.cell[0] * zoom)), max(1, int(fit.cell[1] * zoom))
    return replace(fit, cell=cell)


def most_zoom(fit: GridLayout) -> float:
    """How far it is useful to zoom in."""
    return max(1.0, LARGEST / fit.cell[1])
