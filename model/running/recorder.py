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

#: The columns that samples of all kinds of system begin with: events so far, and the time.
EVENT_COLUMN, TIME_COLUMN = 0, 1

#: Samples kept; beyond it every second one is dropped.  In files there may be more, of older versions.
MOST_SAMPLES, MOST_SAVED = 2**13, 2**16

#: Rows of recent events kept for the log; older ones are made again by replay.
RECENT_ROWS = 2**13


@dataclass(frozen=True)
class Extent:
    """How far history reaches and what it takes."""

    event: int  #: the event that the run stands at
    live_end: int  #: the last event ever reached
    live_end_time: float
    keyframes: tuple[int, ...]  #: their events
    bytes: int  #: of memory that they take
    disk_bytes: int
    verified: int  #: replays that landed on the recorded digest
    refused: str = ""  #: why the disk took the last one not that should have gone there


class Samples:
    """A growing table of samples on a grid of event numbers.

    - *width*: Columns of a sample; the first is the number of events before it.
    """

    def __init__(self, width: int, most: int = MOST_SAMPLES) -> None:
        self.stride = 1
        self._table = np.zeros((most, width))  # memory is taken as it is written
        self._count = 0
        self._most = most
        self._shown = False  # whether somebody may look at the table

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
        """Take the samples of a saved run."""
        while len(table) > self._most:
            stride *= 2
            table = table[table[:, 0] % stride == 0]
        self._table = np.zeros((self._most, table.shape[1]))
        self._table[: len(table)] = table
        self._count = len(table)
        self.stride = stride

    def append(self, rows: NDArray[np.float64]) -> None:
        """Add of some rows, all those of a grid in order of events, what is newer than the last and on this grid."""
        while self._count + len(fresh := self._fresh(rows)) > self._most:
            self._thin()
        end = self._count + len(fresh)
        self._table[self._count : end] = fresh  # at once: a run's start has many
        self._count = end

    def _fresh(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """What to add, told by the first events alone: to look at each row's takes as long as to copy the row."""
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
        if self._shown:  # views given out stay as they are; else fresh memory would cost more than to write to it
            self._table, self._shown = np.empty_like(self._table), False
        start = 0
        while start < len(kept):  # as many at once as lie behind where they go, so that none is copied twice
            end = min(max(start + 1, int(kept[start])), len(kept))
            before[kept[start] :].take(kept[start:end] - kept[start], 0, self._table[start:end], "clip")
            start = end
        self._count = len(kept)

    def _on_grid(self, events: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray((events % self.stride == 0).nonzero()[0])


class RecentRows:
    """The rows of the last events, in order and without gaps.

    Kept as bytes: NumPy copies structured rows field by field, bytes at memory speed.  A long slice is not copied: it
    is written to one of two tapes in turn, and stays there until the next one is.
    """

    def __init__(self, row_dtype: np.dtype[Any], most: int = RECENT_ROWS) -> None:
        self._dtype = row_dtype
        self._most = most
        self._bytes = np.zeros((2 * most, row_dtype.itemsize), np.uint8)
        self._end = 0
        self._tapes = np.empty((2, MOST_OF_A_RUN), row_dtype)  # memory is taken as it is written
        self._turn = 0
        self._on_tape = self._tapes[0, :0]  # the rows kept, where a slice has left them there

    @property
    def tape(self) -> np.ndarray:
        """[MOST_OF_A_RUN] where the next rows may be written, to be added then: what is kept is not there."""
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
        """Add the rows that follow the last one; earlier ones (a replay) are passed over."""
        if not len(rows):
            return
        known = last - int(rows[0]["event"]) + 1 if (last := self.last_event) else 0
        if known < 0:  # a saved session was opened: what is kept does not lead up to these
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
