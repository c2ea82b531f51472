"""The trail of (x_i1, x_i2): all samples of a run so far, and the places that they visited."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable.rows import FLAG_DEPARTED
from slotscope.model.kinds.moldable.sampling import PAIR, columns
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.running.recorder import EVENT_COLUMN, TIME_COLUMN

Values = NDArray[np.float64]

#: So many of the latest samples are drawn as a fading line.
RECENT = 240
#: Least side of a visited place, in pixels.
SPOT = 2
#: Samples are joined to a line while at most this share of n events lies between them.
_NEAR = 0.05
_FIRST_ROOM = 4096


class Trail:
    """The jobs of a class on its two widths at each sample, divided by n."""

    def __init__(self, job_class: int) -> None:
        self._class = job_class
        self._info: RunInfo | None = None
        self._count = 0
        self._values = np.empty((4, _FIRST_ROOM))  # events, times, x_i1, x_i2

    def update(self, frame: Frame) -> bool:
        """Take new samples; returns whether all began anew."""
        anew = not self._continues(frame)
        if anew:
            self._info, self._count = frame.info, 0
        fresh = frame.samples[self._count :]
        if len(fresh):
            numbers, end = frame.info.numbers, self._count + len(fresh)
            self._make_room(end)
            first = int(columns(PAIR, numbers.classes)[self._class])
            part = self._values[:, self._count : end]
            part[:] = fresh[:, [EVENT_COLUMN, TIME_COLUMN, first, first + 1]].T
            part[2:] /= numbers.servers
            self._count = end
        return anew

    def _make_room(self, end: int) -> None:
        if end > self._values.shape[1]:
            grown = np.empty((4, max(end, 2 * self._values.shape[1])))
            grown[:, : self._count] = self._values[:, : self._count]
            self._values = grown

    def _continues(self, frame: Frame) -> bool:
        """Whether the samples taken so far are the first ones of this frame."""
        if frame.info is not self._info or len(frame.samples) < self._count:
            return False
        if not self._count:
            return True
        moment = frame.samples[self._count - 1, [EVENT_COLUMN, TIME_COLUMN]]
        return bool((moment == self._values[:2, self._count - 1]).all())

    def is_line(self, servers: int) -> bool:
        """Whether consecutive samples are close enough for a line between them to be meaningful."""
        if self._count < 2:
            return True
        last, before = self._values[0, self._count - 1], self._values[0, self._count - 2]
        return bool(last - before <= max(1.0, _NEAR * servers))

    def event_at(self, place: int) -> int:
        """The event number of a sample."""
        return int(self._values[0, place])

    def count(self, time: float) -> int:
        """The number of samples up to a time."""
        return int(np.searchsorted(self._values[1, : self._count], time, side="right"))

    def points(self, first: int, last: int) -> tuple[Values, Values]:
        """x_i1 and x_i2 of the samples *first* to *last* - 1, as views."""
        x, y = self._values[2:, : self._count][:, first:last]
        return x, y


def recent(frame: Frame, widths: tuple[int, int], job_class: int) -> tuple[Values, Values]:
    """The jobs of a class on two widths after each of its latest events.

    Each row gives the number of jobs on the event's own width; the other number is carried over from before.
    """
    rows = frame.rows[frame.rows["type"] == job_class][-RECENT:]
    found = []
    for width in widths:
        here = (rows["width"] == width).nonzero()[0]
        known = np.full(len(rows), float(frame.state.jobs[job_class, width]))
        if len(here):
            values = rows["running"][here].astype(float)
            step = -1.0 if rows["flags"][here[0]] & FLAG_DEPARTED else 1.0
            known[: here[0]] = values[0] - step
            places = np.searchsorted(here, np.arange(here[0], len(rows)), side="right") - 1
            known[here[0] :] = values[places]
        found.append(known)
    return found[0], found[1]


@dataclass(frozen=True)
class Raster:
    """*count* equal intervals of length *step* on an axis, beginning at *start*."""

    start: float
    step: float
    count: int

    @property
    def end(self) -> float:
        """The end of the last interval."""
        return self.start + self.step * self.count

    def places(self, values: Values) -> NDArray[np.int64]:
        """The indices of the values' intervals, which may be out of range."""
        return np.floor((values - self.start) / self.step).astype(np.int64)


def raster(low: float, high: float, pixels: float, servers: int) -> Raster:
    """Intervals of some pixels on an axis from *low* to *high*.

    If one job is not much more than that, intervals are whole numbers of jobs; otherwise some would never be visited.
    """
    pitch = pixels / (high - low) / servers
    if pitch >= 2 * SPOT:
        count = max(1, int(pixels) // SPOT)
        return Raster(low, (high - low) / count, count)
    step = max(1, math.ceil(SPOT / pitch)) / servers
    start = math.floor(low / step) * step - 0.5 / servers
    return Raster(start, step, math.ceil((high - start) / step))


class Visited:
    """The places that a trail has visited, updated with new samples."""

    def __init__(self) -> None:
        #: [up, right] the colour at visited places, 0 elsewhere; the first row is the highest
        self.pixels = np.zeros((1, 1), np.uint32)
        self._key: object = None
        self._count = 0

    def forget(self) -> None:
        """Begin anew with other samples."""
        self._key = None

    def show(self, trail: Trail, count: int, right: Raster, up: Raster, color: int) -> None:
        """Mark the places of the first *count* samples."""
        key = (trail, right, up, color)
        if key != self._key or count < self._count:
            self.pixels = np.zeros((up.count, right.count), np.uint32)
            self._key, self._count = key, 0
        x, y = trail.points(self._count, count)
        self._count = count
        column, row = right.places(x), up.count - 1 - up.places(y)
        inside = (column >= 0) & (column < right.count) & (row >= 0) & (row < up.count)
        self.pixels[row[inside], column[inside]] = color
