"""The trail of (x_i1, x_i2): all samples of a run so far, and the places that they visited."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gui.panels.sampled import Columns, History
from model.frame import Frame
from model.systems.moldable.numbers import MoldableNumbers
from model.systems.moldable.sampling import PAIR, columns

Values = NDArray[np.float64]

#: So many of the latest samples are a line, which fades.
RECENT = 240


class Trail:
    """The jobs of a class on its two widths at each sample, divided by n."""

    def __init__(self, job_class: int) -> None:
        self._class = job_class
        self._history = History(self._read)

    def _read(self, numbers: MoldableNumbers, samples: Values) -> Columns:
        first = int(columns(PAIR, numbers.classes)[self._class])
        return Columns(samples[:, first : first + 2] / numbers.servers)

    def update(self, frame: Frame) -> bool:
        """Take what is new; says whether all began anew."""
        return self._history.update(frame)

    def event_at(self, frame: Frame, place: int) -> int:
        """The event of a sample."""
        return self._history.event_at(frame, float(self._history.series[0].values.x[place]))

    def count(self, time: float) -> int:
        """How many samples there are up to a time."""
        if not self._history.series:
            return 0
        return int(np.searchsorted(self._history.series[0].values.x, time, side="right"))

    def points(self, first: int, last: int) -> tuple[Values, Values]:
        """x_i1 and x_i2 of the samples *first* to *last* - 1; views."""
        if not self._history.series:
            return np.zeros(0), np.zeros(0)
        x, y = (series.values.y[first:last] for series in self._history.series)
        return x, y


class Visited:
    """A raster of the places that a trail visited, kept up as samples come."""

    def __init__(self) -> None:
        self._grid = np.zeros((1, 1), np.uint32)
        self._key: object = None
        self._count = 0

    @property
    def pixels(self) -> NDArray[np.uint32]:
        """[height, width] the colour at visited places, 0 elsewhere."""
        return self._grid

    def forget(self) -> None:
        """Begin anew: the samples are others."""
        self._key = None

    def show(
        self,
        trail: Trail,
        count: int,
        view: tuple[float, float, float, float],
        shape: tuple[int, int],
        color: int,
    ) -> None:
        """Mark the first *count* samples in *view* (left, right, bottom, top) on a raster."""
        key = (trail, view, shape, color)
        if key != self._key or count < self._count:
            self._grid = np.zeros(shape, np.uint32)
            self._key, self._count = key, 0
        x, y = trail.points(self._count, count)
        self._count = count
        left, right, bottom, top = view
        height, width = shape
        column = np.floor((x - left) * (width / (right - left))).astype(np.int64)
        row = np.floor((top - y) * (height / (top - bottom))).astype(np.int64)
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        self._grid[row[inside], column[inside]] = color
