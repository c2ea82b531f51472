"""The timeline of several lanes as a window asks for it."""

from __future__ import annotations

from slotscope.model.comparison.lockstep import Lockstep
from slotscope.model.reporting.records import Event
from slotscope.model.running.engine import Engine
from slotscope.model.running.recorder import Extent


class CommonTime:
    """The timeline of a comparison: the first lane's events, and the common clock."""

    def __init__(self, moved: Lockstep) -> None:
        self._moved = moved
        self._first = moved.lanes[0].line

    @property
    def event(self) -> int:
        """Events of the first lane so far."""
        return self._first.event

    @property
    def first_event(self) -> int:
        """The first lane's first event."""
        return self._first.first_event

    @property
    def live_end(self) -> int:
        """The last event that the first lane ever reached."""
        return self._first.live_end

    @property
    def time(self) -> float:
        """The common clock."""
        return self._moved.clock

    @property
    def substep(self) -> int:
        """Sub-steps taken of the event in the making, in whatever lane."""
        inside = self._moved.inside
        return 0 if inside is None else self._moved.lanes[inside].line.substep

    @property
    def next_event(self) -> Event | None:
        """What happens next, in whatever lane."""
        return self._moved.next_event()

    @property
    def engine(self) -> Engine:
        """The engine of the first lane."""
        return self._first.engine

    def extent(self) -> Extent:
        """How far the history of the first lane reaches."""
        return self._first.extent()
