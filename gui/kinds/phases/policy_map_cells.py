"""The lattice of configurations as cells of a map: two phases span it, a third makes slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.lattice import Lattice

#: With more phases than this a cell stands for all configurations that agree in two of them.
MOST_PHASES = 3
NONE = -1


@dataclass(frozen=True, eq=False)
class Cells:
    """N cells for C configurations.

    Attributes
    ----------
    right, up, third:
        The phases whose jobs are counted to the right, upwards and from slice to slice; NONE
        where there is none.
    position:
        [N, 3] jobs in these phases.
    cell_of:
        [C] the cell of each configuration; N for those beyond the map.
    """

    right: int
    up: int
    third: int
    position: NDArray[np.int64]
    cell_of: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.position)

    @property
    def summed(self) -> bool:
        """Whether a cell may stand for several configurations."""
        return len(self.position) < int((self.cell_of < len(self)).sum())

    @property
    def cropped(self) -> bool:
        """Whether there are configurations beyond the map."""
        return bool((self.cell_of == len(self)).any())

    @property
    def slices(self) -> int:
        """How many slices there are."""
        return int(self.position[:, 2].max()) + 1

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
    """The map of a lattice with these phases at its edges; *up* is NONE for a single phase.

    Configurations of more than *most* jobs are beyond it.
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
    """The phases to the right and upwards, unless others are chosen."""
    return (0, 1) if phases > 1 else (0, NONE)
