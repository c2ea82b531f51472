"""Copies of states along a run, from which its history is run again: in memory, and on disk if the user wants that."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Callable

from slotscope.model.running.stored import StoredState
from slotscope.model.systems.state import copied, size_in_bytes

#: Keyframes that are kept whatever they take.
LEAST_KEYFRAMES = 4


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
    """States by their events, within bounds on memory and disk.

    Attributes
    ----------
    bytes, disk_bytes:
        What they take.
    room:
        What they may take.
    thinned:
        How many times as far apart they are as at first, because every second one was dropped.
    """

    def __init__(self, room: HistoryRoom = CHOSEN) -> None:
        self.room = room
        self._frames: dict[int, Keyframe] = {}
        self._in_memory: deque[int] = deque()  # their events, the first kept first
        self.bytes = self.disk_bytes = 0
        self.thinned = 1

    def __contains__(self, event: int) -> bool:
        return event in self._frames

    @property
    def events(self) -> tuple[int, ...]:
        """After which there is one, in order."""
        return tuple(sorted(self._frames))

    def state(self, event: int) -> Any:
        """The state that is kept after an event, and no copy of it."""
        return self._frames[event].state

    def near(self, event: int) -> int:
        """The last one up to *event*."""
        return max(frame for frame in self._frames if frame <= event)

    def near_time(self, time: float) -> int:
        """The last one up to a time; the first one of all where that is later."""
        known = [event for event, frame in self._frames.items() if frame.time <= time]
        return max(known, default=min(self._frames))

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
            except OSError:
                return
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
