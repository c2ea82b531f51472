"""What happened to a thing in all of a run's history, found in slices from the newest event back.

Rows tell quickly in which events something may have happened to the thing; those alone are run
again by the reference, whose sub-steps say what it was.  So a history of millions of events costs
what its kernel costs, and a search can be watched and stopped.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import Any, Iterator, Mapping

import numpy as np

from slotscope.model.errors import ReplayError, UserError
from slotscope.model.reporting.inspection import Found, Inspector, Passed, Thing, Told
from slotscope.model.running.engine import EventRun, ReferenceEngine
from slotscope.model.running.timeline import Timeline
from slotscope.model.running.waiting import GivenUpError
from slotscope.model.systems.base import PolicySystem
from slotscope.model.systems.state import copied

#: Things whose histories are kept; beyond it the one asked for longest ago is forgotten.
MOST_THINGS = 8

#: A search ends at so many lines, or at so many events that it let the reference run, until more
#: are asked for.
PAGE, MOST_LOOKS = 200, 5000

#: Events of the first stretch searched; later ones are longer while little is found.
FIRST_STRETCH = 256
FEW = 20

#: So many events are run by the reference alone, which needs no preparation.
NEAR = 16

#: Events by which a run may get ahead of a search that goes on where it was; beyond it the search
#: begins anew at the newest event.
FAR = 100_000


class _History:
    """One thing's history: the events after ``low`` up to ``high`` are searched."""

    def __init__(self, thing: Thing, event: int, state: Any) -> None:
        self.thing = thing
        self.limit, self.looks = PAGE, MOST_LOOKS
        self.fault = ""
        self.begin(event, state)

    def begin(self, event: int, state: Any) -> None:
        """Search from this event on."""
        self.low = self.high = event
        self.tip = state  #: the state after ``high``
        self.entries: list[Told] = []
        self.stretch = FIRST_STRETCH


class Histories:
    """The histories of the things that are looked at in one run.

    - *system*, *timeline*: The run's.
    - *inspector*, *narrator*: Of its kind of system.
    """

    def __init__(self, system: PolicySystem, timeline: Timeline, inspector: Inspector, narrator: Any) -> None:
        self._system = system
        self._timeline = timeline
        self._inspector = inspector
        self._narrator = narrator
        self._known: dict[Thing, _History] = {}
        self._stopped = False
        self._work: Iterator[None] = iter(())

    # What is asked for.

    def want(self, thing: Thing, further: bool = False) -> None:
        """Search the history of a thing, before those of others; go on if it was stopped.

        *further*: beyond the lines that were enough so far.
        """
        known = self._known.pop(thing, None)
        self._known[thing] = known or _History(thing, self._timeline.event, copied(self._timeline.state))
        while len(self._known) > MOST_THINGS:
            del self._known[next(iter(self._known))]
        if further:
            history = self._known[thing]
            history.limit, history.looks = len(history.entries) + PAGE, MOST_LOOKS
            history.fault = ""
        self._stopped = False
        self._work = self._searching()

    def stop(self) -> None:
        """Search no further until something is asked for."""
        self._stopped = True

    # What is known.

    def found(self) -> Mapping[Thing, Found]:
        """The histories so far."""
        return {
            thing: Found(
                tuple(one.entries),
                one.low + 1,
                one.high,
                self._due(one),
                one.low <= self._timeline.first_event and one.high >= self._timeline.live_end,
                one.fault,
            )
            for thing, one in self._known.items()
        }

    @property
    def due(self) -> bool:
        """Whether there is anything to search."""
        return any(self._due(history) for history in self._known.values())

    def _due(self, history: _History) -> bool:
        if history.fault:
            return False
        newer = self._timeline.live_end - history.high
        return (newer > 0 and (newer <= NEAR or not self._stopped)) or self._older(history)

    def _older(self, history: _History) -> bool:
        wanted = len(history.entries) < history.limit and history.looks > 0
        return wanted and not self._stopped and history.low > self._timeline.first_event

    # Searching.

    def search(self, budget: float) -> None:
        """Search for *budget* seconds."""
        deadline = monotonic() + budget
        with suppress(GivenUpError):  # something else is wanted first
            while self.due:
                if next(self._work, self) is self:
                    self._work = self._searching()
                if monotonic() >= deadline:
                    return
        self.drop()

    def drop(self) -> None:
        """Begin with what is under way again, where it is wanted still; half done, it holds the run that holds it."""
        self._work = iter(())

    def follow(self) -> None:
        """While the run goes on: look at the few events since the last look, if they are few."""
        for history in self._known.values():
            new = self._timeline.live_end - history.high
            if 0 < new <= NEAR and not history.fault:
                with suppress(GivenUpError):
                    for _ in self._guarded(history):
                        pass

    def _searching(self) -> Iterator[None]:
        for history in list(reversed(self._known.values())):
            while self._due(history):
                yield from self._guarded(history)

    def _guarded(self, history: _History) -> Iterator[None]:
        """What there is to search of one thing, next; a policy that fails ends it."""
        try:
            if history.high < self._timeline.live_end:
                yield from self._forwards(history)
            elif self._older(history):
                yield from self._backwards(history)
        except GivenUpError:
            raise
        except UserError as error:
            history.fault = error.line
        except Exception as error:  # whatever it is, the run goes on
            history.fault = f"{type(error).__name__}: {error}"

    def _forwards(self, history: _History) -> Iterator[None]:
        end = self._timeline.live_end
        if end - history.high > FAR:
            history.begin(end, self._timeline.fork_at(end))
            return
        walk = _Walk(self, history.thing, copied(history.tip))
        yield from walk.to(end)
        history.entries += walk.found
        history.high, history.tip = end, walk.state

    def _backwards(self, history: _History) -> Iterator[None]:
        """One stretch of events before those that are known."""
        start = max(self._timeline.first_event, history.low - history.stretch)
        walk = _Walk(self, history.thing, self._timeline.keyframe_at(start))
        yield from walk.silently_to(start)
        presence = self._inspector.presence(walk.state, history.thing, self._system.initial_jobs)
        if presence <= 0:  # else it was gone by then
            yield from walk.to(history.low)
        history.entries[:0] = walk.found
        history.looks -= walk.looks
        history.low = start if presence >= 0 else self._timeline.first_event
        if len(walk.found) < FEW:
            history.stretch *= 2

    # For the walk.

    @property
    def slow(self) -> bool:
        """Whether the reference runs: then each event is looked at as it is run."""
        return isinstance(self._timeline.engine, ReferenceEngine)

    def onwards(self, state: Any, event: int) -> tuple[Any, np.ndarray]:
        """Run *state* on by a slice, at most up to an event; what it is then, and the rows.

        Raises UserError if the policy fails, the run does not get there again, or whoever waits has had enough.
        """
        for stretch in self._timeline.onwards(state, event):
            return stretch.state, stretch.rows
        raise ReplayError(
            f"found the end of the run; the replay has drifted, {self._system.on_drift}", where=f"event {event}"
        )

    def look(self, state: Any, thing: Thing) -> Any:
        """See :meth:`model.reporting.inspection.Inspector.looks`."""
        return self._inspector.looks(state, thing)

    def concerned(self, rows: np.ndarray, thing: Thing, before: Any) -> np.ndarray:
        """The events that may concern a thing."""
        found: np.ndarray = rows["event"][self._inspector.may_concern(rows, thing, before)]
        return found

    def looked_at(self, state: Any, thing: Thing) -> tuple[Told | None, Any]:
        """The next event by the reference: what it did to a thing, and the state then."""
        before = self.look(state, thing)
        run = EventRun(self._timeline.system, state)
        run.finish()
        sentence, flags = "", 0
        if len(self.concerned(run.row, thing, before)):
            passed = Passed(before, run.state, run.event, run.row, run.records)
            sentence, flags = self._inspector.tell(passed, thing, self._narrator)
        row = run.row[0]
        told = Told(int(row["event"]), float(row["time"]), flags, sentence)
        return told if sentence else None, run.state


class _Walk:
    """A walk over events with an eye on one thing; *state* is its own."""

    def __init__(self, histories: Histories, thing: Thing, state: Any) -> None:
        self._histories = histories
        self._thing = thing
        self.state = state
        self.found: list[Told] = []
        self.looks = 0  #: events that the reference ran

    @property
    def event(self) -> int:
        """Where it is."""
        return int(self.state.number[0])

    def silently_to(self, event: int) -> Iterator[None]:
        """Go there and tell nothing."""
        while self.event < event:
            self.state, _ = self._histories.onwards(self.state, event)
            yield

    def to(self, event: int) -> Iterator[None]:
        """Go there and tell what happens to the thing on the way."""
        while self.event < event:
            if self._histories.slow or event - self.event <= NEAR:
                yield from self._look_at(range(self.event + 1, event + 1))
                return
            before = copied(self.state)
            looked = self._histories.look(before, self._thing)
            after, rows = self._histories.onwards(self.state, event)
            if len(wanted := self._histories.concerned(rows, self._thing, looked)):
                self.state = before
                yield from self._look_at(wanted.tolist())
            self.state = after
            yield

    def _look_at(self, events: Any) -> Iterator[None]:
        """Look at some of the next events."""
        for event in events:
            near = event - self.event <= NEAR
            if not near:
                yield from self.silently_to(event - 1)
            for _ in range(event - self.event):
                told, self.state = self._histories.looked_at(self.state, self._thing)
                self.found += [told] if told is not None else []
                self.looks += 1
            yield
