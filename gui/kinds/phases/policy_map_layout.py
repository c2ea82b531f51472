"""Layout of the map's cells: slices side by side, as large as possible."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF

from slotscope.model.kinds.phases.lattice import Lattice

#: With more phases, a cell stands for all configurations that agree in two of them.
MOST_PHASES = 3
NONE = -1


@dataclass(frozen=True, eq=False)
class Cells:
    """N cells for C configurations."""

    #: right, up, third: the phases whose jobs are counted along x, along y and across slices; NONE if there
    #: is none
    right: int
    up: int
    third: int
    position: NDArray[np.int64]  #: [N, 3] jobs in these phases
    cell_of: NDArray[np.int64]  #: [C] the cell of each configuration; N for those outside the map

    def __len__(self) -> int:
        return len(self.position)

    @property
    def summed(self) -> bool:
        """Whether a cell may stand for several configurations."""
        return len(self.position) < int((self.cell_of < len(self)).sum())

    @property
    def cropped(self) -> bool:
        """Whether there are configurations outside the map."""
        return bool((self.cell_of == len(self)).any())

    @property
    def slices(self) -> int:
        return len(self.extents)

    @cached_property
    def extents(self) -> list[list[int]]:
        """The width and height of each slice, in cells."""
        found = np.zeros((int(self.position[:, 2].max()) + 1, 2), np.int64)
        np.maximum.at(found, self.position[:, 2], self.position[:, :2] + 1)
        return found.tolist()

    def places(self, cell: int) -> NDArray[np.int64]:
        """The configurations of a cell."""
        return np.flatnonzero(self.cell_of == cell)

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """[N] the sums of [C] values."""
        return np.asarray(np.bincount(self.cell_of, values, len(self) + 1)[:-1], np.float64)

    def some(self, which: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """[N] whether any configuration of a cell is among *which* [C]."""
        return np.bincount(self.cell_of, which, len(self) + 1)[:-1] > 0


def cells_of(lattice: Lattice, right: int, up: int, most: int | None = None) -> Cells:
    """The map of a lattice with these phases on its axes; *up* is NONE for a single phase.

    Configurations of more than *most* jobs are outside the map.
    """
    phases = lattice.configurations.shape[1]
    rest = [phase for phase in range(phases) if phase not in (right, up)]
    third = rest[0] if phases == MOST_PHASES else NONE
    columns = [
        lattice.configurations[:, phase].astype(np.int64) if phase != NONE else np.zeros(len(lattice), np.int64)
        for phase in (right, up, third)
    ]
    shown = np.full(len(lattice), True)
    if most is not None:
        shown = lattice.configurations.sum(axis=1) <= most
    table = np.column_stack(columns)[shown]
    position, inside = np.unique(table, axis=0, return_inverse=True)
    cell_of = np.full(len(lattice), len(position), np.int64)
    cell_of[shown] = inside.reshape(-1)
    return Cells(right, up, third, position, cell_of)


def usual_axes(phases: int) -> tuple[int, int]:
    """The default phases of the two axes."""
    return (0, 1) if phases > 1 else (0, NONE)


#: Sides of cells in pixels: the largest, and the smallest that can be clicked.
_LARGEST, _SMALLEST = 110, 4
#: With a smaller side the legend is left out.
_GOOD = 15
_GAP = 14.0  # between slices


@dataclass(frozen=True, eq=False)
class MapLayout:
    """The positions of N cells in a picture."""

    cells: Cells
    side: int  #: of a cell, in pixels; 0 if there is no room for cells
    #: left, top: [N] of each cell
    left: NDArray[np.float64]
    top: NDArray[np.float64]
    origins: tuple[QPointF, ...]  #: the lower left corner of each slice
    legend: QRectF  #: the legend's rectangle; empty if there is no room
    text: float

    def box(self, cell: int) -> QRectF:
        return QRectF(float(self.left[cell]), float(self.top[cell]), self.side, self.side)

    def begins_row(self, number: int) -> bool:
        """Whether a slice is the first in its row of slices."""
        origins = self.origins
        return not number or origins[number].y() != origins[number - 1].y()

    def centre(self, cell: int) -> QPointF:
        return self.box(cell).center()

    def cell_at(self, point: QPointF) -> int | None:
        inside = (self.left <= point.x()) & (point.x() < self.left + self.side)
        inside &= (self.top <= point.y()) & (point.y() < self.top + self.side)
        found = np.flatnonzero(inside)
        return int(found[0]) if len(found) else None


@dataclass(frozen=True)
class _Margins:
    """Margins around the cells: numbers and names of axes, headings of slices."""

    left: float
    beside: float  #: left of slices other than the first of a row
    named: float  #: below the first slice, with the axis's name
    below: float
    above: float
    text: float
    heading: float  #: width of the heading of a row's first slice
    brief: float  #: width of the other headings


def laid_out(cells: Cells, size: QSizeF, legend: QSizeF, text: float, heading: float = 0.0) -> MapLayout:
    """The layout with the largest cells.

    *text* is the height of a line, *heading* the width of a slice's heading.
    """
    margins = _margins(cells, text, heading)
    left, lower = size.width() - legend.width(), size.height() - legend.height()
    fits = left >= 0 and lower >= 0
    corners = [QRectF(QPointF(left, top), legend) for top in (0.0, lower)] if fits else []
    tried = [_largest(cells, size, corner, margins) for corner in corners]
    found = max((one for one in tried if one is not None), key=lambda one: one.side, default=None)
    if found is None or found.side < _GOOD:
        found = _largest(cells, size, QRectF(), margins) or found
    if found is None:
        nowhere = np.zeros(len(cells))
        return MapLayout(cells, 0, nowhere, nowhere, (), QRectF(), text)
    return found


def _largest(cells: Cells, size: QSizeF, legend: QRectF, margins: _Margins) -> MapLayout | None:
    for side in range(_LARGEST, _SMALLEST - 1, -1):
        for room in (size.width(), size.width() - legend.width()):
            found = _with_side(cells, side, QSizeF(room, size.height()), legend, margins)
            if found is not None:
                return found
    return None


def _with_side(cells: Cells, side: int, size: QSizeF, legend: QRectF, margins: _Margins) -> MapLayout | None:
    """The layout with cells of this side; None if it does not fit without overlaps."""
    origins = _flow(cells, side, size, margins)
    if origins is None:
        return None
    corners = np.array([(point.x(), point.y()) for point in origins], np.float64)
    corner = corners[cells.position[:, 2]]
    left = np.asarray(corner[:, 0] + cells.position[:, 0] * side, np.float64)
    top = np.asarray(corner[:, 1] - (cells.position[:, 1] + 1) * side, np.float64)
    if not legend.isEmpty():
        covered = (left + side > legend.left() - _GAP) & (top < legend.bottom() + _GAP / 2)
        covered &= top + side + margins.named > legend.top()
        if covered.any():
            return None
    return MapLayout(cells, side, left, top, origins, legend, margins.text)


def _margins(cells: Cells, text: float, heading: float) -> _Margins:
    above = 1.2 * text if cells.third != NONE else 0.3 * text
    left = 0.6 * text if cells.up == NONE else 2.4 * text
    return _Margins(left, 0.2 * text, 2.2 * text, 1.1 * text, above, text, heading, 1.6 * text)


def _flow(cells: Cells, side: int, size: QSizeF, margins: _Margins) -> tuple[QPointF, ...] | None:
    """The lower left corners of all slices, row by row; None if they do not fit."""
    origins: list[QPointF] = []
    x, top, tallest = 0.0, 0.0, 0.0
    for wide, tall in cells.extents:
        before = margins.beside if x else margins.left
        needed = before + max(wide * side, margins.brief if x else margins.heading)
        if x and x + needed > size.width():
            x, top, tallest = 0.0, top + tallest, 0.0
            before = margins.left
            needed = before + max(wide * side, margins.heading)
        below = margins.below if top else margins.named
        height = margins.above + tall * side + below
        if x + needed > size.width() or top + height > size.height():
            return None
        if not x:
            tallest = height  # the first slice of a row is the largest
        origins.append(QPointF(round(x + before), round(top + tallest - below)))
        x += needed + _GAP
    return tuple(origins)
