"""The history of a thing: what happened to it in the whole run, searched in slices from the newest event back.

Rows tell quickly in which events something may have happened to the thing.  Only these events are re-run by the
reference, whose sub-steps say what it was.  So searching millions of events costs as much as running
the kernel over them, and a search can be watched and stopped.
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

#: The most things whose histories are kept; then the one requested longest ago is dropped.
MOST_THINGS = 8

#: A search pauses after this many lines, or after this many events re-run by the reference, until more
#: are requested.
PAGE, MOST_LOOKS = 200, 5000

#: The number of events in the first stretch searched; the next one is twice as long if fewer than FEW lines are found.
FIRST_STRETCH = 256
FEW = 20

#: Up to this many events are run by the reference alone, which needs no preparation.
NEAR = 16

#: If a run is more than this many events ahead of a search, the search restarts at the newest event instead of
#: catching up.
FAR = 100_000


class _History:
    """One thing's history: the events after ``low``, up to ``high``, have been searched."""

    def __init__(self, thing: Thing, event: int, state: Any) -> None:
        self.thing = thing
        self.limit, self.looks = PAGE, MOST_LOOKS
        self.fault = ""
        self.begin(event, state)

    def begin(self, event: int, state: Any) -> None:
        """Restart the search at this event."""
        self.low = self.high = event
        self.tip = state  #: the state after ``high``
        self.entries: list[Told] = []
        self.stretch = FIRST_STRETCH


class Histories:
    """The histories of the inspected things of one run.

    - *system*, *timeline*: Those of the run.
    - *inspector*, *narrator*: Those of its kind of system.
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
        """Search the history of a thing before those of others; resumes a stopped search.

        *further*: search beyond the limit of lines reached so far.
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
        """Pause the search until something is requested."""
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
        """Whether there is anything left to search."""
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
        """Drop the unfinished slice, since it references the run; if still wanted, the search begins it again."""
        self._work = iter(())

    def follow(self) -> None:
        """While the run goes on, search the events since the last call if they are few."""
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
        """Search the next stretch for one thing; a policy that fails ends the search."""
        try:
            if history.high < self._timeline.live_end:
                yield from self._forwards(history)
            elif self._older(history):
                yield from self._backwards(history)
        except GivenUpError:
            raise
        except UserError as error:
            history.fault = error.line
        except Exception as error:  # no fault of a search may stop the run
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
        """Search one stretch of events before the known ones."""
        start = max(self._timeline.first_event, history.low - history.stretch)
        walk = _Walk(self, history.thing, self._timeline.keyframe_at(start))
        yield from walk.silently_to(start)
        presence = self._inspector.presence(walk.state, history.thing, self._system.initial_jobs)
        if presence <= 0:  # otherwise the thing was already gone
            yield from walk.to(history.low)
        history.entries[:0] = walk.found
        history.looks -= walk.looks
        history.low = start if presence >= 0 else self._timeline.first_event
        if len(walk.found) < FEW:
            history.stretch *= 2

    # For the walk.

    @property
    def slow(self) -> bool:
        """Whether the engine is the reference: then every event is looked at as it is run."""
        return isinstance(self._timeline.engine, ReferenceEngine)

    def onwards(self, state: Any, event: int) -> tuple[Any, np.ndarray]:
        """Run *state* on by a slice, at most to an event; returns the new state and the rows.

        Raises UserError if the policy fails, the replay drifts, or the user stops waiting.
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
        """The numbers of the events that may concern a thing."""
        found: np.ndarray = rows["event"][self._inspector.may_concern(rows, thing, before)]
        return found

    def looked_at(self, state: Any, thing: Thing) -> tuple[Told | None, Any]:
        """Run the next event by the reference: returns what it did to a thing (or None), and the state after it."""
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
    """A walk over events that collects what happens to one thing; *state* belongs to the walk."""

    def __init__(self, histories: Histories, thing: Thing, state: Any) -> None:
        self._histories = histories
        self._thing = thing
        self.state = state
        self.found: list[Told] = []
        self.looks = 0  #: events that the reference ran

    @property
    def event(self) -> int:
        """The number of events so far."""
        return int(self.state.number[0])

    def silently_to(self, event: int) -> Iterator[None]:
        """Go to an event without collecting."""
        while self.event < event:
            self.state, _ = self._histories.onwards(self.state, event)
            yield

    def to(self, event: int) -> Iterator[None]:
        """Go to an event, and collect what happens to the thing on the way."""
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
        """Run the given ones of the next events by the reference."""
        for event in events:
            near = event - self.event <= NEAR
            if not near:
                yield from self.silently_to(event - 1)
            for _ in range(event - self.event):
                told, self.state = self._histories.looked_at(self.state, self._thing)
                self.found += [told] if told is not None else []
                self.looks += 1
            yield
