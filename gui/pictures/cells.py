"""Pixels of cells in rows: a sprite in every cell, of which only those that changed are drawn."""

from __future__ import annotations

from typing import Any, Hashable

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from slotscope.gui.painting.textures import Pixels
from slotscope.gui.pictures.layout import CellLayout

Integers = npt.NDArray[np.int64]

#: Codes of rows of numbers stay below this; so few are looked up in a table, which is found sooner than their order.
_LARGEST_CODE, FEW_CODES = 2**62, 2**12


def distinct(rows: Integers) -> tuple[Integers, Integers]:
    """Which rows are the first of their kind, and for each row which of those it is like."""
    code = np.zeros(len(rows), np.int64)
    largest = 1
    for column in rows.T:
        base = int(column.max(initial=0)) + 1
        if largest * base > _LARGEST_CODE:
            kinds, code = np.unique(code, return_inverse=True)
            largest = len(kinds)
        code = code * base + column
        largest *= base
    if largest <= FEW_CODES:
        first_of = np.full(largest, len(code))
        np.minimum.at(first_of, code, np.arange(len(code)))
        seen = first_of < len(code)
        return first_of[seen], (np.cumsum(seen) - 1)[code]
    _, first, like = np.unique(code, return_index=True, return_inverse=True)
    return first.astype(np.int64), like.astype(np.int64)


def differing(rows: Integers, before: Integers) -> Integers:
    """Which of these rows are not what they were before."""
    return np.flatnonzero((rows != before) @ np.ones(rows.shape[1], bool))


class CellRaster:
    """A picture of cells of equal size, row by row; the last row may be shorter."""

    def __init__(self) -> None:
        self._pixels = np.zeros((1, 1), np.uint32)
        self._key: Hashable = None
        self._coded = np.zeros((0, 0), np.int64)
        self.origin = (0, 0)

    @property
    def image(self) -> QImage:
        """The cells that can be seen, whole; it shares its pixels with this raster."""
        height, width = self._pixels.shape
        return QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)

    def place(self, layout: CellLayout[Any, Any], section: int = 0) -> tuple[range, range]:
        """The rows and the cells of a row that can be seen; the picture begins where they do."""
        rows, columns = layout.window(section)
        grid, (x, y) = layout.grids[section], layout.corner(section, 0)
        self.origin = x + columns.start * grid.cell.width, y + int(grid.row_top(rows.start))
        return rows, columns

    def begin(
        self, rows: int, columns: int, size: tuple[int, int], key: Hashable, background: int, coded: Integers
    ) -> Integers:
        """Which of the cells are to be drawn, once there is room for all.

        *coded* [n, k] says what is in each of them; *key* what else their looks depend on.
        """
        key = rows, columns, len(coded), size, key
        if key == self._key and coded.shape == self._coded.shape:
            changed = differing(coded, self._coded)
        else:
            shape = max(1, rows * size[1]), max(1, columns * size[0])
            self._pixels = np.full(shape, background, np.uint32)
            changed = np.arange(len(coded))
        self._key, self._coded = key, coded
        return changed

    def fill(
        self, found: Pixels, changed: Integers, like: Integers, columns: int, size: tuple[int, int], at: tuple[int, int]
    ) -> None:
        """A sprite in each of the cells, *at* so many pixels from its corner."""
        _, high, wide = found.shape
        left, head = at
        cells = self._pixels.reshape(-1, size[1], columns, size[0])
        row, column = np.divmod(changed, columns)
        cells[row, head : head + high, column, left : left + wide] = found[like]
