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

#: Events in one slice at most.
MOST_EVENTS = 16_384


class Slices:
    """How many events the next slice may have, learned from those before.

    It begins with one event and at most doubles from slice to slice, because the first events
    may each take long: under a reference, a slow policy of one's own, or while a kernel is loaded.
    A *clock* tells the time that they take; that on the wall does, unless other threads want the processor, too.
    """

    def __init__(self, room: int = 1, seconds: float = SLICE_SECONDS, clock: Callable[[], float] | None = None) -> None:
        self.room, self._seconds, self.clock = room, seconds, clock or monotonic

    def take(self, run: Callable[[int], int], budget: float = inf) -> int:
        """Let *run* run at most so many events as it is given; the events that it ran.

        Where somebody looks after *budget* seconds, longer slices than usual are no longer than that.
        """
        began = self.clock()
        events = run(self.room)
        if events > 0:
            self.learn(events, self.clock() - began, budget)
        return events

    def learn(self, events: int, seconds: float, budget: float = inf) -> None:
        """So many events took so long."""
        wanted = min(self._seconds, max(budget, SLICE_SECONDS))
        fitting = min(wanted * events / max(seconds, 1e-9), 2 * self.room, MOST_EVENTS)
        self.room = max(1, int(fitting))


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
