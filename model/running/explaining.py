"""The sub-steps of the last event of a run: computed at once, or later if that takes long."""

from __future__ import annotations

from contextlib import suppress
from time import thread_time
from typing import Callable

from slotscope.model.reporting.records import Record
from slotscope.model.running.engine import EventRun
from slotscope.model.running.waiting import GivenUpError

#: CPU seconds that the display of an event waits for its sub-steps.
AT_ONCE = 0.004


def never() -> bool:
    """The stop condition of what runs to its end."""
    return False


class Explained:
    """The sub-steps of one event, as far as they have been computed."""

    def __init__(self) -> None:
        self.event = -1  #: the event whose sub-steps are known
        self._records: tuple[Record, ...] = ()
        self._left: tuple[int, EventRun] | None = None  # an event with sub-steps left, and its run so far
        self._took = 0.0  # CPU seconds spent on the event begun last

    def of(self, event: int) -> tuple[Record, ...]:
        """The sub-steps of an event; empty if they are not known."""
        return self._records if event == self.event else ()

    def told(self, event: int, records: tuple[Record, ...]) -> None:
        """Set the sub-steps of an event, as they are known from elsewhere."""
        self.event, self._records, self._left = event, records, None

    def is_left(self, event: int) -> bool:
        """Whether sub-steps of an event are still to be computed."""
        return self._left is not None and self._left[0] == event

    def leave(self) -> None:
        """Drop the sub-steps that are still to be computed."""
        self._left = None

    def begin(self, event: int, run: EventRun, may_wait: bool) -> EventRun | None:
        """Compute the sub-steps of an event; if they *may wait*, only as many as fit into :data:`AT_ONCE`.

        If those of the event before took longer than that, none are computed yet.  Returns the run if it is finished.
        """
        last, self._took = self._took, 0.0
        self._left, self._records = (event, run), ()
        if not may_wait:
            return self.go_on(never)
        end = thread_time() + AT_ONCE
        return self.go_on(lambda: thread_time() > end) if last <= AT_ONCE else None

    def go_on(self, stop: Callable[[], bool]) -> EventRun | None:
        """Go on until *stop*, called after each sub-step, puts the rest off again; returns the run if it is finished.

        Raises PolicyError if the policy fails.
        """
        if self._left is None:
            return None
        (event, run), began = self._left, thread_time()
        self._left = None
        with suppress(GivenUpError):
            run.finish(stop)
        self._took += thread_time() - began
        if not run.finished:
            self._left = event, run
            return None
        self.told(event, tuple(run.records))
        return run
