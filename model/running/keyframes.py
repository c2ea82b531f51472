"""Copies of states: keyframes along a run, from which its history is replayed, and a snapshot of the present state.

Keyframes are in memory, and on disk if the user wants that: in one nameless temporary file of the process, which the
system removes however the process ends.
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

#: The alignment of arrays in bytes.
ALIGNED = 16


class _Place(NamedTuple):
    """The position of an array among the bytes of its state."""

    start: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class StateFile:
    """A first-fit allocator of byte ranges, called pieces, in a temporary file."""

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
        """Write some bytes; returns the piece that holds them.

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
        """[size] a copy of the bytes of a piece."""
        with self._lock:
            self._file.seek(start)
            return np.fromfile(self._file, np.uint8, size)

    def release(self, piece: tuple[int, int]) -> None:
        """Free a piece."""
        self._free.append(piece)  # atomic: the garbage collector may call this at any moment


#: The file of this process.
FILE = StateFile()


class StoredState:
    """A state in a file, which is freed with this object. Raises OSError as :meth:`StateFile.write`."""

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
        """A new copy of the state."""
        content = self._file.read(self._start, self._size)
        return self._kind(*(self._array(content, place) for place in self._places))

    @staticmethod
    def _array(content: np.ndarray, place: _Place) -> np.ndarray:
        size = prod(place.shape) * place.dtype.itemsize
        return content[place.start : place.start + size].view(place.dtype).reshape(place.shape)


#: The fewest keyframes that are kept, whatever memory they take.
LEAST_KEYFRAMES = 4

#: Further states that are kept: of the live end that was left, and of one shortly before the event sought.
PASSED_BY = 2


@dataclass
class HistoryRoom:
    """Bytes that a run's keyframes may take; beyond that the oldest move to disk, or every second one is dropped."""

    memory: int = 256 * 2**20
    disk: int = 0


#: The user's choice, for all runs of this process; read anew at each keyframe.
CHOSEN = HistoryRoom()


@dataclass(frozen=True)
class Keyframe:
    """The state after an event: a copy in memory, or a :class:`StoredState` on disk."""

    event: int
    time: float
    kept: Any
    bytes: int

    @property
    def on_disk(self) -> bool:
        """Whether it is on disk, not in memory."""
        return isinstance(self.kept, StoredState)

    @property
    def state(self) -> Any:
        """The state: read from disk, or the kept one itself, not a copy."""
        return self.kept.read() if isinstance(self.kept, StoredState) else self.kept


class Keyframes:
    """Keyframes by event, within bounds on memory and disk."""

    def __init__(self, room: HistoryRoom = CHOSEN) -> None:
        self.room = room  #: the bounds
        self._frames: dict[int, Keyframe] = {}
        self._in_memory: deque[int] = deque()  # the events of those in memory, in the order in which they were kept
        self._passed_by: deque[Keyframe] = deque(maxlen=PASSED_BY)
        self.bytes = self.disk_bytes = 0  #: what they take in memory, and on disk
        self.thinned = 1  #: the factor by which they are further apart than at first; it doubles with each thinning
        self.refused = ""  #: why the last one that should have gone to disk could not be written

    def __contains__(self, event: int) -> bool:
        return event in self._frames

    @property
    def events(self) -> tuple[int, ...]:
        """The events that have a keyframe, in order."""
        return tuple(sorted(self._frames))

    @property
    def _all(self) -> dict[int, Keyframe]:
        return {frame.event: frame for frame in self._passed_by} | self._frames

    def state(self, event: int) -> Any:
        """The state kept for an event, itself, not a copy."""
        return (self._frames.get(event) or self._all[event]).state

    def near(self, event: int) -> int:
        """The event of the last state kept up to *event*."""
        return max(frame for frame in self._all if frame <= event)

    def near_time(self, time: float) -> int:
        """The event of the last state kept up to a time; of the first keyframe, if that is later."""
        known = [event for event, frame in self._all.items() if frame.time <= time]
        return max(known, default=min(self._frames))

    def pass_by(self, state: Any) -> None:
        """Keep a state itself, which nobody changes any more, until :data:`PASSED_BY` others are kept so.

        All of these may take as much memory again as the keyframes.
        """
        event, time = int(state.number[0]), float(state.clock[0])
        if event not in self._all:
            self._passed_by.append(Keyframe(event, time, state, size_in_bytes(state)))
        while sum(frame.bytes for frame in self._passed_by) > self.room.memory:
            self._passed_by.popleft()

    def latest(self, reached: Callable[[Any], bool]) -> Any:
        """The latest keyframe's state that *reached* accepts, else the first one; itself, not a copy.

        *reached* must be true up to some event and false after it.
        """
        kept = self.events
        place = bisect_left(kept, True, key=lambda event: not reached(self.state(event)))
        return self.state(kept[max(0, place - 1)])

    def add(self, state: Any) -> None:
        """Keep a copy of a state."""
        self._take(Keyframe(int(state.number[0]), float(state.clock[0]), copied(state), size_in_bytes(state)))

    def fit(self, apart: int) -> None:
        """If keyframes take too much, move the oldest to disk or drop every second; *apart* is their first spacing."""
        self._store()
        if self.bytes <= self.room.memory or len(self._frames) < LEAST_KEYFRAMES:
            return
        self.thinned *= 2
        first, apart = min(self._frames), apart * self.thinned
        self._hold([frame for event, frame in self._frames.items() if event % apart == 0 or event == first])

    def share(self, past: Keyframes, end: int) -> None:
        """Adopt the keyframes of another run up to an event."""
        self.thinned = past.thinned
        self._hold([frame for event, frame in past._frames.items() if event <= end])

    def _store(self) -> None:
        """Move the oldest to disk while memory is short and the disk has room; stop if a write fails."""
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
        if len(self._frames) > 1:  # the first one stays in memory, as panels read it
            self._in_memory.append(frame.event)


class Snapshot:
    """A read-only copy of a state that changes in place; it is made anew only after another event."""

    def __init__(self) -> None:
        self._state: Any = None
        self._copy: Any = None

    def of(self, state: Any) -> Any:
        """A copy of a state between two events."""
        if self._state is not state or int(self._copy.number[0]) != int(state.number[0]):
            self.take(state, frozen(state))
        return self._copy

    def take(self, state: Any, equal: Any) -> None:
        """Use as the copy of *state* another one that is *equal*, and that nobody writes to any more."""
        self._state, self._copy = state, sealed(equal)
