"""The common timeline of several lanes, as the window reads it."""

from __future__ import annotations

from slotscope.model.comparison.lockstep import Lockstep
from slotscope.model.reporting.records import Event
from slotscope.model.running.engine import Engine
from slotscope.model.running.recorder import Extent


class CommonTime:
    """The timeline of a comparison: events are those of the first lane, the time is the common clock."""

    def __init__(self, moved: Lockstep) -> None:
        self._moved = moved
        self._first = moved.lanes[0].line

    @property
    def event(self) -> int:
        """The number of events of the first lane so far."""
        return self._first.event

    @property
    def first_event(self) -> int:
        """The number of the first lane's first event."""
        return self._first.first_event

    @property
    def live_end(self) -> int:
        """The last event that the first lane has ever reached."""
        return self._first.live_end

    @property
    def time(self) -> float:
        """The common clock."""
        return self._moved.clock

    @property
    def substep(self) -> int:
        """The number of sub-steps taken of the unfinished event, in whichever lane it is."""
        inside = self._moved.inside
        return 0 if inside is None else self._moved.lanes[inside].line.substep

    @property
    def next_event(self) -> Event | None:
        """The next event, in whichever lane it happens."""
        return self._moved.next_event()

    @property
    def engine(self) -> Engine:
        """The engine of the first lane."""
        return self._first.engine

    def extent(self) -> Extent:
        """How far the history of the first lane reaches."""
        return self._first.extent()
