"""Copies of states: of the present one, and of those along a run, from which its history is run again.

Those are in memory, and on disk if the user wants that.  What is on disk is in one nameless temporary file of the
process, which the system removes however the process ends.
"""

from __future__ import annotations

import tempfile
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from threading import Lock
from typing import IO, Any, Callable, NamedTuple
from weakref import finalize

import numpy as np

from slotscope.model.systems.state import copied, frozen, sealed, size_in_bytes

#: Arrays begin at multiples of so many bytes.
ALIGNED = 16


class _Place(NamedTuple):
    """An array among the bytes of its state."""

    start: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class StateFile:
    """Room on disk for pieces of bytes; what one piece leaves is taken by the next that fits."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._free: list[tuple[int, int]] = []  # (start, size) of pieces that are no longer needed
        self.size = 0

    @cached_property
    def _file(self) -> IO[bytes]:
        file = tempfile.TemporaryFile(prefix="slotscope-history-")  # noqa: SIM115 as long as the process
        finalize(self, file.close)
        return file

    def write(self, content: bytes | bytearray) -> tuple[int, int]:
        """Keep some bytes; the piece that holds them.

        Raises OSError if the disk is full, or the folder for temporary files cannot be written.
        """
        with self._lock:
            fitting = next((piece for piece in self._free if piece[1] >= len(content)), None)
            start, size = fitting or (self.size, len(content))
            self._file.seek(start)
            self._file.write(content)
            self._file.flush()
            if fitting:
                self._free.remove(fitting)
            self.size = max(self.size, start + size)
            return start, size

    def read(self, start: int, size: int) -> np.ndarray:
        """[size] the bytes of a piece, in memory of their own."""
        with self._lock:
            self._file.seek(start)
            return np.fromfile(self._file, np.uint8, size)

    def release(self, piece: tuple[int, int]) -> None:
        """A piece is no longer needed."""
        self._free.append(piece)  # one step: a collector may call this at any moment


#: That of this process.
FILE = StateFile()


class StoredState:
    """A state in a file, for as long as somebody needs it. Raises OSError as :meth:`StateFile.write`."""

    def __init__(self, state: Any, file: StateFile = FILE) -> None:
        self._kind, self._file = type(state), file
        self._places: list[_Place] = []
        content = bytearray()
        for array in state:
            content += bytes(-len(content) % ALIGNED)
            self._places.append(_Place(len(content), array.dtype, array.shape))
            content += array.tobytes()
        self._size = len(content)
        piece = file.write(content)
        self._start = piece[0]
        finalize(self, file.release, piece)

    def read(self) -> Any:
        """The state again, in memory of its own."""
        content = self._file.read(self._start, self._size)
        return self._kind(*(self._array(content, place) for place in self._places))

    @staticmethod
    def _array(content: np.ndarray, place: _Place) -> np.ndarray:
        size = prod(place.shape) * place.dtype.itemsize
        return content[place.start : place.start + size].view(place.dtype).reshape(place.shape)


#: Keyframes that are kept whatever they take.
LEAST_KEYFRAMES = 4

#: States passed by that are kept beside: the live end that was left, and one near the place that was sought.
PASSED_BY = 2


@dataclass
class HistoryRoom:
    """Bytes that the keyframes of a run may take; beyond them the oldest go to disk, or every second one is dropped."""

    memory: int = 256 * 2**20
    disk: int = 0


#: What the user has chosen, for all runs of this process; read anew at each keyframe.
CHOSEN = HistoryRoom()


@dataclass(frozen=True)
class Keyframe:
    """The state after an event: a copy of it, or where it is on disk."""

    event: int
    time: float
    kept: Any
    bytes: int

    @property
    def on_disk(self) -> bool:
        """Whether it takes no memory."""
        return isinstance(self.kept, StoredState)

    @property
    def state(self) -> Any:
        """The state, read from the disk if it is there; no copy of it otherwise."""
        return self.kept.read() if isinstance(self.kept, StoredState) else self.kept


class Keyframes:
    """States by their events, within bounds on memory and disk."""

    def __init__(self, room: HistoryRoom = CHOSEN) -> None:
        self.room = room  #: what they may take
        self._frames: dict[int, Keyframe] = {}
        self._in_memory: deque[int] = deque()  # their events, the first kept first
        self._passed_by: deque[Keyframe] = deque(maxlen=PASSED_BY)
        self.bytes = self.disk_bytes = 0  #: what they take
        self.thinned = 1  #: how many times as far apart they are as at first, every second one being dropped each time
        self.refused = ""  #: why the disk did not take the last one that should have gone there

    def __contains__(self, event: int) -> bool:
        return event in self._frames

    @property
    def events(self) -> tuple[int, ...]:
        """After which there is one, in order."""
        return tuple(sorted(self._frames))

    @property
    def _all(self) -> dict[int, Keyframe]:
        return {frame.event: frame for frame in self._passed_by} | self._frames

    def state(self, event: int) -> Any:
        """The state that is kept after an event, and no copy of it."""
        return (self._frames.get(event) or self._all[event]).state

    def near(self, event: int) -> int:
        """The last one up to *event*."""
        return max(frame for frame in self._all if frame <= event)

    def near_time(self, time: float) -> int:
        """The last one up to a time; the first one of all where that is later."""
        known = [event for event, frame in self._all.items() if frame.time <= time]
        return max(known, default=min(self._frames))

    def pass_by(self, state: Any) -> None:
        """Keep a state itself, which nobody changes any more, until others are passed by.

        These together take no more than keyframes may, beside them.
        """
        event, time = int(state.number[0]), float(state.clock[0])
        if event not in self._all:
            self._passed_by.append(Keyframe(event, time, state, size_in_bytes(state)))
        while sum(frame.bytes for frame in self._passed_by) > self.room.memory:
            self._passed_by.popleft()

    def latest(self, reached: Callable[[Any], bool]) -> Any:
        """The latest state that *reached* accepts, else the first one; no copy of it.

        *reached* must hold up to some event and for none after it.
        """
        kept = self.events
        place = bisect_left(kept, True, key=lambda event: not reached(self.state(event)))
        return self.state(kept[max(0, place - 1)])

    def add(self, state: Any) -> None:
        """Keep a copy of a state."""
        self._take(Keyframe(int(state.number[0]), float(state.clock[0]), copied(state), size_in_bytes(state)))

    def fit(self, apart: int) -> None:
        """Where they take too much, move the oldest to disk or drop every second; they were *apart* at first."""
        self._store()
        if self.bytes <= self.room.memory or len(self._frames) < LEAST_KEYFRAMES:
            return
        self.thinned *= 2
        first, apart = min(self._frames), apart * self.thinned
        self._hold([frame for event, frame in self._frames.items() if event % apart == 0 or event == first])

    def share(self, past: Keyframes, end: int) -> None:
        """Have those of another run up to an event."""
        self.thinned = past.thinned
        self._hold([frame for event, frame in past._frames.items() if event <= end])

    def _store(self) -> None:
        """Move the oldest to disk while memory is short and the disk has room; a disk that refuses has none."""
        while self.bytes > self.room.memory and self._in_memory:
            frame = self._frames[self._in_memory[0]]
            if self.disk_bytes + frame.bytes > self.room.disk:
                return
            try:
                stored = StoredState(frame.kept)
            except OSError as error:
                self.refused = error.strerror or str(error)
                return
            self.refused = ""
            self._in_memory.popleft()
            self.bytes -= frame.bytes
            self.disk_bytes += frame.bytes
            self._frames[frame.event] = replace(frame, kept=stored)

    def _hold(self, frames: list[Keyframe]) -> None:
        self._frames, self._in_memory = {}, deque()
        self.bytes = self.disk_bytes = 0
        for frame in frames:
            self._take(frame)

    def _take(self, frame: Keyframe) -> None:
        self._frames[frame.event] = frame
        if frame.on_disk:
            self.disk_bytes += frame.bytes
            return
        self.bytes += frame.bytes
        if len(self._frames) > 1:  # the first one stays: panels ask for it
            self._in_memory.append(frame.event)


class Snapshot:
    """One copy, to which nobody writes, of a state that changes in place event by event; anew only after one."""

    def __init__(self) -> None:
        self._state: Any = None
        self._copy: Any = None

    def of(self, state: Any) -> Any:
        """A copy of a state between two events."""
        if self._state is not state or int(self._copy.number[0]) != int(state.number[0]):
            self.take(state, frozen(state))
        return self._copy

    def take(self, state: Any, equal: Any) -> None:
        """Another state is known to be *equal*, and nobody needs it to write to."""
        self._state, self._copy = state, sealed(equal)
