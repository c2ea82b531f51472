"""Copies of states along a run, from which its history is run again."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, Callable

from slotscope.model.systems.state import copied, size_in_bytes

#: Memory for keyframes; beyond it every second one is dropped.
KEYFRAME_BYTES = 256 * 2**20

#: Keyframes that are kept whatever they take.
LEAST_KEYFRAMES = 8


@dataclass(frozen=True)
class Keyframe:
    """A copy of the state after an event."""

    event: int
    time: float
    state: Any


class Keyframes:
    """States by their events, within a bound on memory.

    Attributes
    ----------
    bytes:
        What they take.
    thinned:
        How many times as far apart they are as at first, because every second one was dropped.
    """

    def __init__(self, most_bytes: int = KEYFRAME_BYTES) -> None:
        self._most_bytes = most_bytes
        self._frames: dict[int, Keyframe] = {}
        self.bytes = 0
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
        event = int(state.number[0])
        self._frames[event] = Keyframe(event, float(state.clock[0]), copied(state))
        self.bytes += size_in_bytes(state)

    def thin(self, apart: int) -> None:
        """Drop every second one where they take too much; at first they were so many events *apart*."""
        if self.bytes <= self._most_bytes or len(self._frames) < LEAST_KEYFRAMES:
            return
        self.thinned *= 2
        first, apart = min(self._frames), apart * self.thinned
        self._hold({event: frame for event, frame in self._frames.items() if event % apart == 0 or event == first})

    def share(self, past: Keyframes, end: int) -> None:
        """Have those of another run up to an event."""
        self.thinned = past.thinned
        self._hold({event: frame for event, frame in past._frames.items() if event <= end})

    def _hold(self, frames: dict[int, Keyframe]) -> None:
        self._frames = frames
        self.bytes = sum(size_in_bytes(frame.state) for frame in frames.values())
