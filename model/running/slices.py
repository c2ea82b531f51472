"""Splits long runs into slices of a few milliseconds, however long an event takes, and reports progress in between."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import Callable

from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import grouped
from slotscope.model.running.waiting import share_of, who_waits

#: Seconds that one slice should take: between two slices a run can be displayed and stopped.
SLICE_SECONDS = 0.004

#: The most events in a slice; and in a slice of the run itself: the fastest kernels run as many in a few milliseconds,
#: and between two slices they need Python's global lock, which the drawing thread may hold.
MOST_EVENTS, MOST_OF_A_RUN = 2**14, 2**16


class Slices:
    """Adapts the number of events in a slice to how long events have taken.

    It starts with *room* events, by default one, and at most doubles from slice to slice, because the first events may
    each take long: under a reference, a user's slow policy, or while a kernel is loaded.  Time is measured by *clock*,
    by default wall-clock time, which misleads if other threads compete for the processor.  No slice has more than
    *most* events.
    """

    def __init__(
        self,
        room: int = 1,
        seconds: float = SLICE_SECONDS,
        clock: Callable[[], float] | None = None,
        most: int = MOST_EVENTS,
    ) -> None:
        self.room, self._seconds, self._most, self.clock = room, seconds, most, clock or monotonic
        self._longest, self._each = seconds, 0.0  # the longest slice requested so far; the last slice's time per event
        self._given = room  # the size requested for the last slice

    def take(self, run: Callable[[int], int], budget: float = inf) -> int:
        """Call *run* with the size of the next slice; it returns the number of events that it ran, and so does this.

        With a *budget* [s], nobody looks at the run sooner, and the slice is as long as that.
        """
        self._given = self.fitting(budget)
        began = self.clock()
        events = run(self._given)
        if events > 0:
            self.learn(events, self.clock() - began, budget)
        return events

    def fitting(self, budget: float = inf) -> int:
        """The size of the next slice, in events, if it may take *budget* seconds."""
        return max(1, min(self.room, int(self._wanted(budget) / self._each))) if self._each else self.room

    def learn(self, events: int, seconds: float, budget: float = inf) -> None:
        """Adapt the size to the seconds that some events took."""
        self._each = max(seconds, 1e-9) / events
        self._longest = max(self._longest, self._wanted(budget))
        most = min(self._longest / self._each, self._most)
        self.room = max(1, int(min(most, max(self.room, 2 * self._given))))

    def _wanted(self, budget: float) -> float:
        return self._seconds if budget == inf else max(budget, SLICE_SECONDS)


def tell_of_events(
    start: tuple[int, float], here: tuple[int, float], last: int | None, until: float, known: int
) -> None:
    """Report how far a run has come from *start*, each (event, time); events up to *known* count as replayed.

    Raises GivenUpError if the waiter cancels.
    """
    if here <= start:
        return
    endless = last is None and until == inf
    share = None if endless else max(map(share_of, here, start, (inf if last is None else last, until)))
    doing = Phrase("Running past events again") if here[0] < known else Phrase("Running on")
    at_event = Phrase("{doing}, at event {event}", doing=doing, event=grouped(here[0]))
    who_waits().look(at_event if endless else doing, share)
