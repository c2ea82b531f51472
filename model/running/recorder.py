"""The record of a run: samples for curves and averages, and the rows of recent events.

Samples are taken every ``stride`` events.  When the buffer is full, every second sample is
dropped and the stride doubles, so that all of history stays visible in bounded memory.
Because integrals are sampled, averages over any stretch between samples stay exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.running.slices import MOST_OF_A_RUN

#: The first columns of samples of all kinds of system: events so far, and the time.
EVENT_COLUMN, TIME_COLUMN = 0, 1

#: The most samples kept; beyond that every second one is dropped.  Files of older versions may have more.
MOST_SAMPLES, MOST_SAVED = 2**13, 2**16

#: Rows of recent events kept for the log; older ones are computed again by replay.
RECENT_ROWS = 2**13


@dataclass(frozen=True)
class Extent:
    """How far history reaches, and how much memory and disk it takes."""

    event: int  #: the present event
    live_end: int  #: the last event ever reached
    live_end_time: float
    keyframes: tuple[int, ...]  #: the events that have one
    bytes: int  #: of memory that keyframes take
    disk_bytes: int
    verified: int  #: replays that landed on the recorded digest
    refused: str = ""  #: why the last keyframe that should have gone to disk could not be written


class Samples:
    """A growing table of samples on a grid of event numbers.

    - *width*: Columns of a sample; the first is the number of events so far.
    """

    def __init__(self, width: int, most: int = MOST_SAMPLES) -> None:
        self.stride = 1
        self._table = np.zeros((most, width))  # memory is committed as it is written
        self._count = 0
        self._most = most
        self._shown = False  # whether views of the table were given out

    @property
    def table(self) -> NDArray[np.float64]:
        """[n, width] the samples so far, in order of time; a read-only view."""
        self._shown = True
        view = self._table[: self._count]
        view.flags.writeable = False
        return view

    @property
    def last_event(self) -> int:
        """The event of the last sample, -1 if there is none."""
        return int(self._table[self._count - 1, 0]) if self._count else -1

    def restore(self, table: NDArray[np.float64], stride: int) -> None:
        """Replace all samples by those of a saved run, thinned if they are too many."""
        while len(table) > self._most:
            stride *= 2
            table = table[table[:, 0] % stride == 0]
        self._table = np.zeros((self._most, table.shape[1]))
        self._table[: len(table)] = table
        self._count = len(table)
        self.stride = stride

    def append(self, rows: NDArray[np.float64]) -> None:
        """Append those *rows*, equally spaced in events, that are newer than the last sample and on the grid."""
        while self._count + len(fresh := self._fresh(rows)) > self._most:
            self._thin()
        end = self._count + len(fresh)
        self._table[self._count : end] = fresh  # in one assignment: at a run's start there are many
        self._count = end

    def _fresh(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The rows to append, computed from the first two events: reading each row's event is as slow as copying it."""
        if not len(rows):
            return rows
        first = int(rows[0, 0])
        apart = int(rows[1, 0]) - first if len(rows) > 1 else self.stride
        wanted = (max(first - 1, self.last_event) // self.stride + 1) * self.stride
        return rows[-((first - wanted) // apart) :: max(1, self.stride // apart)]

    def _thin(self) -> None:
        self.stride *= 2
        before = self._table[: self._count]
        kept = self._on_grid(before[:, 0].astype(np.int64))
        if self._shown:  # views given out must not change; otherwise it is faster to reuse the memory
            self._table, self._shown = np.empty_like(self._table), False
        start = 0
        while start < len(kept):  # in parts whose sources lie behind their targets: with overlap NumPy copies twice
            end = min(max(start + 1, int(kept[start])), len(kept))
            before[kept[start] :].take(kept[start:end] - kept[start], 0, self._table[start:end], "clip")
            start = end
        self._count = len(kept)

    def _on_grid(self, events: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray((events % self.stride == 0).nonzero()[0])


class RecentRows:
    """The rows of the last events, in order and without gaps.

    Kept as bytes: NumPy copies structured rows field by field, bytes at memory speed.  A long slice is not copied: it
    is written to one of two tapes in turn, and stays there until the next long slice.
    """

    def __init__(self, row_dtype: np.dtype[Any], most: int = RECENT_ROWS) -> None:
        self._dtype = row_dtype
        self._most = most
        self._bytes = np.zeros((2 * most, row_dtype.itemsize), np.uint8)
        self._end = 0
        self._tapes = np.empty((2, MOST_OF_A_RUN), row_dtype)  # memory is committed as it is written
        self._turn = 0
        self._on_tape = self._tapes[0, :0]  # the rows kept, if they are still on a tape

    @property
    def tape(self) -> np.ndarray:
        """[MOST_OF_A_RUN] a buffer to write the next rows to, before :meth:`append`; no kept rows are in it."""
        tape: np.ndarray = self._tapes[self._turn]
        return tape

    @property
    def rows(self) -> np.ndarray:
        """The rows kept, oldest first; a view."""
        if len(self._on_tape):
            return self._on_tape
        return self._bytes[max(0, self._end - self._most) : self._end].view(self._dtype)[:, 0]

    @property
    def last_event(self) -> int:
        """The event of the last row, 0 if there is none."""
        rows = self.rows
        return int(rows[-1]["event"]) if len(rows) else 0

    def append(self, rows: np.ndarray) -> None:
        """Append the rows that follow the last one kept; earlier rows (of a replay) are skipped."""
        if not len(rows):
            return
        known = last - int(rows[0]["event"]) + 1 if (last := self.last_event) else 0
        if known < 0:  # there is a gap, as a saved session was opened: drop what was kept
            self._end, self._on_tape = 0, self._on_tape[:0]
        fresh = rows[max(0, known) :][-self._most :]
        if len(fresh) == self._most and rows.base is self._tapes:
            self._on_tape, self._turn = fresh, 1 - self._turn
            return
        if len(self._on_tape):
            self._put(self._on_tape, 0)
            self._on_tape = self._on_tape[:0]
        if self._end + len(fresh) > len(self._bytes):
            still = self._most - len(fresh)
            self._bytes[:still] = self._bytes[self._end - still : self._end]
            self._end = still
        self._put(fresh, self._end)

    def _put(self, rows: np.ndarray, start: int) -> None:
        self._end = start + len(rows)
        self._bytes[start : self._end] = rows.view(np.uint8).reshape(len(rows), self._dtype.itemsize)

    def between(self, first: int, last: int) -> np.ndarray | None:
        """Rows of the events *first* to *last* (inclusive), or None if not all are kept."""
        rows = self.rows
        if not len(rows) or first < rows[0]["event"] or last > rows[-1]["event"]:
            return None
        start = first - int(rows[0]["event"])
        return rows[start : start + last - first + 1]
