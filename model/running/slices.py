"""Long runs in slices of a few milliseconds, however long an event takes, and what is told between them."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import Callable

from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import grouped
from slotscope.model.running.waiting import share_of, who_waits

#: Seconds that one slice should take: between two of them a run can be looked at and stopped.
SLICE_SECONDS = 0.004

#: Events in one slice at most; and in one of a run itself: the quickest kernels do as many in a few milliseconds, and
#: between two slices they need Python's lock, which whoever draws may have.
MOST_EVENTS, MOST_OF_A_RUN = 2**14, 2**16


class Slices:
    """How many events the next slice may have, learned from those before.

    It begins with one event and at most doubles from slice to slice, because the first events
    may each take long: under a reference, a slow policy of one's own, or while a kernel is loaded.
    A *clock* tells the time that they take; that on the wall does, unless other threads want the processor, too.
    No slice has more than *most* events.
    """

    def __init__(
        self,
        room: int = 1,
        seconds: float = SLICE_SECONDS,
        clock: Callable[[], float] | None = None,
        most: int = MOST_EVENTS,
    ) -> None:
        self.room, self._seconds, self._most, self.clock = room, seconds, most, clock or monotonic
        self._longest, self._each = seconds, 0.0  # the longest slice wanted so far; what an event took in the last one
        self._given = room  # events that the last one was to have

    def take(self, run: Callable[[int], int], budget: float = inf) -> int:
        """Let *run* run at most so many events as it is given; the events that it ran.

        Where somebody looks after *budget* seconds, and nobody before, a slice is as long as that.
        """
        self._given = self.fitting(budget)
        began = self.clock()
        events = run(self._given)
        if events > 0:
            self.learn(events, self.clock() - began, budget)
        return events

    def fitting(self, budget: float = inf) -> int:
        """How many events the next slice may have, where somebody looks after so many seconds."""
        return max(1, min(self.room, int(self._wanted(budget) / self._each))) if self._each else self.room

    def learn(self, events: int, seconds: float, budget: float = inf) -> None:
        """So many events took so long."""
        self._each = max(seconds, 1e-9) / events
        self._longest = max(self._longest, self._wanted(budget))
        most = min(self._longest / self._each, self._most)
        self.room = max(1, int(min(most, max(self.room, 2 * self._given))))

    def _wanted(self, budget: float) -> float:
        return self._seconds if budget == inf else max(budget, SLICE_SECONDS)


def tell_of_events(
    start: tuple[int, float], here: tuple[int, float], last: int | None, until: float, known: int
) -> None:
    """Tell whoever waits how far events and times are run from a *start* on, up to event *known* once more.

    Raises GivenUpError if whoever waits has had enough.
    """
    if here <= start:
        return
    endless = last is None and until == inf
    share = None if endless else max(map(share_of, here, start, (inf if last is None else last, until)))
    doing = Phrase("Running past events again") if here[0] < known else Phrase("Running on")
    at_event = Phrase("{doing}, at event {event}", doing=doing, event=grouped(here[0]))
    who_waits().look(at_event if endless else doing, share)
