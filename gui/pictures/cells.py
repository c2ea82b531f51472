"""Pixels of cells in rows: one sprite per cell, drawn again only where it changed."""

from __future__ import annotations

from typing import Any, Hashable

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from slotscope.gui.painting.textures import Pixels
from slotscope.gui.pictures.layout import CellLayout

Integers = npt.NDArray[np.int64]

#: Bound of the codes of rows; up to so many codes a lookup table is faster than sorting.
_LARGEST_CODE, FEW_CODES = 2**62, 2**12


def distinct(rows: Integers) -> tuple[Integers, Integers]:
    """The indices of the first of each set of equal rows, and for each row the index of its set among these."""
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
    """The indices of rows that differ from the row *before*."""
    return np.flatnonzero((rows != before) @ np.ones(rows.shape[1], bool))


class CellRaster:
    """An image of cells of equal size, row by row; the last row may be shorter."""

    def __init__(self) -> None:
        self._pixels = np.zeros((1, 1), np.uint32)
        self._key: Hashable = None
        self._coded = np.zeros((0, 0), np.int64)
        self.origin = (0, 0)

    @property
    def image(self) -> QImage:
        """The visible cells, whole; the image shares its pixels with this raster."""
        height, width = self._pixels.shape
        return QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)

    def place(self, layout: CellLayout[Any, Any], section: int = 0) -> tuple[range, range]:
        """The visible rows, and visible cells of a row; sets the image's origin to the first of them."""
        rows, columns = layout.window(section)
        grid, (x, y) = layout.grids[section], layout.corner(section, 0)
        self.origin = x + columns.start * grid.cell.width, y + int(grid.row_top(rows.start))
        return rows, columns

    def begin(
        self, rows: int, columns: int, size: tuple[int, int], key: Hashable, background: int, coded: Integers
    ) -> Integers:
        """Make room for all cells, and return the indices of those that must be drawn.

        *coded* [n, k] encodes each cell's content; *key* is everything else that its look depends on.
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
        """Copy a sprite into each of the cells, *at* pixels (x, y) from the cell's corner."""
        _, high, wide = found.shape
        left, head = at
        cells = self._pixels.reshape(-1, size[1], columns, size[0])
        row, column = np.divmod(changed, columns)
        cells[row, head : head + high, column, left : left + wide] = found[like]
