"""The sub-steps of the event that led to where a run stands: taken at once, or later where that takes long."""

from __future__ import annotations

from contextlib import suppress
from time import thread_time
from typing import Callable

from slotscope.model.reporting.records import Record
from slotscope.model.running.engine import EventRun
from slotscope.model.running.waiting import GivenUpError

#: CPU seconds for which what an event did is not shown without its sub-steps.
AT_ONCE = 0.004


def never() -> bool:
    """For what is not to be stopped."""
    return False


class Explained:
    """The sub-steps of one event, as far as they are taken."""

    def __init__(self) -> None:
        self.event = -1  #: whose sub-steps are known
        self._records: tuple[Record, ...] = ()
        self._left: tuple[int, EventRun] | None = None  # an event, and how far it is
        self._took = 0.0  # CPU seconds of the last that was begun

    def of(self, event: int) -> tuple[Record, ...]:
        """The sub-steps of an event, none where they are not known."""
        return self._records if event == self.event else ()

    def told(self, event: int, records: tuple[Record, ...]) -> None:
        """The sub-steps of an event are known."""
        self.event, self._records, self._left = event, records, None

    def is_left(self, event: int) -> bool:
        """Whether sub-steps of an event are still to be taken."""
        return self._left is not None and self._left[0] == event

    def leave(self) -> None:
        """What is still to be taken is not wanted."""
        self._left = None

    def begin(self, event: int, run: EventRun, may_wait: bool) -> EventRun | None:
        """Take the sub-steps of an event; if they *may wait*, those that fit into a moment.

        Where those of the last event took longer than that, none are.  Returns the run once it is finished.
        """
        last, self._took = self._took, 0.0
        self._left, self._records = (event, run), ()
        if not may_wait:
            return self.go_on(never)
        end = thread_time() + AT_ONCE
        return self.go_on(lambda: thread_time() > end) if last <= AT_ONCE else None

    def go_on(self, stop: Callable[[], bool]) -> EventRun | None:
        """Take those that are left, until *stop*, asked after each, puts the rest off again; the run if it is finished.

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
