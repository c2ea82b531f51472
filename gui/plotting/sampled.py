"""Curves of a run's samples: extended with new samples, drawn as averages over time."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple

import numpy as np
import numpy.typing as npt

from slotscope.gui.plotting.pyramid import Growing, Pyramid
from slotscope.model.reporting.frame import Frame, RunInfo
from slotscope.model.running.recorder import EVENT_COLUMN, TIME_COLUMN

Values = npt.NDArray[np.float64]
#: Reads columns from samples, given the scenario's constants.
Read = Callable[[Any, Values], "Columns"]

#: Most averages that a curve is drawn with; up to twice as many visible samples are drawn singly.
MOST_AVERAGES = 160
#: An empty curve.
NOTHING: tuple[Values, Values] = np.zeros(0), np.zeros(0)
#: During a run, curves are drawn again once they have grown by this many pixels.
LEAST_GROWTH = 2.0


class Columns(NamedTuple):
    """The values read from n samples: S series, and their integrals if known."""

    values: Values  #: [n, S]
    totals: Values | None = None  #: [n, S]


class SampledSeries:
    """One quantity at each sample, and its integral over time."""

    def __init__(self) -> None:
        self.values = Pyramid()
        self._totals = Growing()

    def append(self, times: Values, values: Values, totals: Values | None) -> None:
        """Add samples; without *totals* each value is assumed to last until the next sample."""
        self.values.append(times, values)
        if totals is not None:
            self._totals.extend(totals)

    def clear(self) -> None:
        """Forget all samples."""
        self.values.truncate(0)
        self._totals.size = 0

    def totals(self) -> Values:
        """[n] The integral up to each sample, computed on demand; a view that must not be written to."""
        known = self._totals.size
        if known < len(self.values):
            begin = max(0, known - 1)
            steps = np.diff(self.values.x[begin:]) * self.values.y[begin:-1]
            before = self._totals.values[-1] if known else 0.0
            self._totals.extend(before + np.cumsum(steps if known else np.append(0.0, steps)))
        return self._totals.values

    def count(self, first: float, last: float) -> int:
        start, stop = np.searchsorted(self.values.x, [first, last])
        return int(stop - start)

    def steps(self, first: float, last: float) -> tuple[Values, Values]:
        """Corners of the piecewise constant curve from *first* to *last*."""
        x = self.values.x
        start = max(0, int(np.searchsorted(x, first, side="right")) - 1)
        stop = int(np.searchsorted(x, last, side="right"))
        if stop <= start:
            return NOTHING
        times = np.clip(x[start:stop], first, last)
        corners = np.append(np.repeat(times, 2)[1:], last)
        return corners, np.repeat(self.values.y[start:stop], 2)

    def averages(self, first: float, last: float, width: float) -> tuple[Values, Values]:
        """Exact averages over intervals of *width* from *first* to *last*.

        Intervals start at multiples of *width*, so that a growing curve does not shimmer; the first and the last one
        are longer or shorter.
        """
        x = self.values.x
        first, last = max(first, float(x[0])), min(last, float(x[-1]))
        if last <= first:
            return NOTHING
        grid = np.arange(math.floor(first / width), math.ceil(last / width) + 1) * width
        inner = grid[(grid > first + width / 2) & (grid < last - width / 2)]
        edges = np.concatenate([[first], inner, [last]])
        means = np.diff(np.interp(edges, x, self.totals())) / np.diff(edges)
        middles = (edges[1:] + edges[:-1]) / 2
        middles[0] = first
        return np.append(middles, last), np.append(means, means[-1])

    def curve(self, part: tuple[float, float], view: tuple[float, float]) -> tuple[Values, Values]:
        """The points to draw for the interval *part* while *view* is visible."""
        first, last = max(part[0], view[0]), min(part[1], view[1])
        if last <= first:
            return NOTHING
        if self.count(*view) <= 2 * MOST_AVERAGES:
            return self.steps(first, last)
        return self.averages(first, last, average_width(*view))


def warmup(frame: Frame) -> float:
    """The time from which measures count, the end of the warm-up."""
    return float(frame.info.scenario.run.warmup)


def counted_from(frame: Frame) -> float:
    """The time from which jobs count: the end of the warm-up, or the start before that."""
    return warmup(frame) if frame.time > warmup(frame) else 0.0


def average_width(low: float, high: float) -> float:
    """The length of time that one average covers, a power of two."""
    return float(2.0 ** math.ceil(math.log2((high - low) / MOST_AVERAGES)))


def _samples(frame: Frame) -> Values:
    return frame.samples


class History:
    """All series that a panel reads from a run's samples, or from another *table* of frames; each row is read once."""

    def __init__(self, read: Read, table: Callable[[Frame], Values] = _samples) -> None:
        self._read = read
        self._table = table
        self._info: RunInfo | None = None
        self._known = _NONE  #: [n, 2] events and times of the samples read so far
        self.thinnings = 0  #: how often samples were thinned out, every second one or more dropped
        self.series: tuple[SampledSeries, ...] = ()

    def update(self, frame: Frame) -> bool:
        """Read the new samples of a frame; returns whether all series began anew."""
        anew, table = not self.continues(frame), self._table(frame)
        if anew:
            self.series, self._known, self._info = (), _NONE, frame.info
        elif not self._grows(table):
            self.thinnings += 1
            self._known = _NONE
            for series in self.series:
                series.clear()
        fresh = table[len(self._known) :]
        if len(fresh):
            columns = self._read(frame.info.numbers, fresh)
            self._append(fresh[:, TIME_COLUMN], columns)
            self._known = _moments(table).copy()  # a copy: a view would keep the whole table alive
        return anew

    def event_at(self, frame: Frame, time: float) -> int:
        """The last sampled event at or before a time."""
        place = int(np.searchsorted(frame.samples[:, TIME_COLUMN], time, side="right")) - 1
        return int(frame.samples[max(0, place), EVENT_COLUMN])

    def _append(self, times: Values, columns: Columns) -> None:
        if not self.series:
            self.series = tuple(SampledSeries() for _ in range(columns.values.shape[1]))
        for place, series in enumerate(self.series):
            totals = None if columns.totals is None else columns.totals[:, place]
            series.append(times, columns.values[:, place], totals)

    def continues(self, frame: Frame) -> bool:
        """Whether the samples read so far are those of this frame's run up to a moment, apart from thinning since."""
        table = self._table(frame)
        return frame.info is self._info and (self._grows(table) or self._thins(table))

    def _grows(self, table: Values) -> bool:
        """Whether the samples read so far are the first rows of this table."""
        count = len(self._known)
        return count == 0 or (len(table) >= count and bool((_moments(table[count - 1]) == self._known[-1]).all()))

    def _thins(self, table: Values) -> bool:
        """Whether this table goes on further, and up to the samples read so far holds only some of them."""
        moments = _moments(table)
        stop = int(np.searchsorted(moments[:, EVENT_COLUMN], self._known[-1, EVENT_COLUMN], side="right"))
        place = np.searchsorted(self._known[:, EVENT_COLUMN], moments[:stop, EVENT_COLUMN])
        return 0 < stop < len(table) and bool((self._known[place] == moments[:stop]).all())


#: The known samples of a run without any.
_NONE: Values = np.zeros((0, 2))


def _moments(samples: Values) -> Values:
    """Events and times of samples, their first columns."""
    return samples[..., : TIME_COLUMN + 1]
