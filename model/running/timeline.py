"""A run with its history, which can be walked in both directions.

History is keyframes plus deterministic replay: a copy of the state every so many events,
and the events between are run again on demand.  Every event at which the run rested leaves a
digest; landing there again with another digest is an error that names the event.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Iterator, NamedTuple, Sequence

import numpy as np

from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import full_time, grouped
from slotscope.model.reporting.records import Event, Record
from slotscope.model.running.engine import Advance, Engine, EventRun, Reason, System, Task, started
from slotscope.model.running.keyframes import CHOSEN, HistoryRoom, Keyframes, Snapshot
from slotscope.model.running.landings import Landings
from slotscope.model.running.recorder import Extent, RecentRows, Samples
from slotscope.model.running.slices import MOST_EVENTS, MOST_OF_A_RUN, Slices, tell_of_events
from slotscope.model.running.waiting import share_of, who_waits
from slotscope.model.systems.state import copied

#: Events that any engine can replay while the user waits for a picture.
AT_HAND = 20_000

#: More events than any run has.
NO_END = 2**62

_TO_THE_END = Task()


class Stretch(NamedTuple):
    """A slice of events that were run on a copy of the state."""

    state: Any  #: after the last of them
    rows: np.ndarray  #: their rows; a view that the next slice, or the run itself, overwrites
    samples: np.ndarray  #: [n, width] those requested
    changes: Any = None  #: of the arrays that the task watches; None: the engine cannot record them


class Timeline:
    """One run of a system: its present state and its history.

    The engine may be exchanged at any event; the history stays valid, because all engines
    reach the same states.  Replays go in slices, report their progress to the waiter
    (:mod:`model.running.waiting`), and raise :class:`model.running.waiting.GivenUpError` if it cancels
    them; then the run stands at the event that it has reached.
    """

    def __init__(self, system: System, engine: Engine, state: Any = None, room: HistoryRoom = CHOSEN) -> None:
        self.system = system
        self.engine = engine
        self.state = started(system) if state is None else copied(state)
        self.samples = Samples(system.sample_width)
        self.recent = RecentRows(system.row_dtype)
        self.landings = Landings(lambda: system.on_drift)
        self.observe: Callable[[np.ndarray], None] | None = None  #: called with the rows of all events run
        self._keyframes = Keyframes(room)
        self.slices = Slices(seconds=engine.slice_seconds, most=MOST_OF_A_RUN)
        self.snapshot = Snapshot()
        self._tape = np.zeros(MOST_EVENTS, self.system.row_dtype)
        self._run: EventRun | None = None
        self._before: Any = None  # the state one event before the last one sought or stepped to
        self.first_event = self.event
        self._live_end = (self.event, self.time)
        self._keep()
        self.samples.append(self._sampled(self.state))

    @property
    def first_state(self) -> Any:
        """The state at the start of history."""
        return self._keyframes.state(self.first_event)

    def adopt(self, state: Any, recorded: str, earlier: Sequence[Any] = (), doubt: str = "") -> None:
        """Take a saved state of this very run as the present one, without running up to it.

        *earlier* are saved states before it; *doubt*: why they may not be those that ran.
        Raises ReplayError if the state does not have the digest *recorded* with it.
        """
        self.landings.adopt(state, recorded, doubt)
        self.state = copied(state)
        self._live_end = (self.event, self.time)
        for known in (*earlier, state):
            if int(known.number[0]) not in self._keyframes:
                self._keyframes.add(known)

    def share(self, past: Timeline, parting: int | None) -> None:
        """Adopt the history of another run with the same events, all of them or those before event *parting*.

        The run stands at the last of them, or where the other one does if that is earlier.
        """
        end = past.live_end if parting is None else min(parting - 1, past.live_end)
        self._keyframes.share(past._keyframes, end)
        self.landings.share(past.landings, end)
        known = past.samples.table[past.samples.table[:, 0] <= end]
        table = np.zeros((len(known), self.system.sample_width))
        table[:, : known.shape[1]] = known[:, : table.shape[1]]
        self.samples.restore(table, past.samples.stride)
        self.state = past.fork_at(min(end, past.event))
        self._live_end = past._live_end if parting is None else (self.event, self.time)

    # The present moment.

    @property
    def event(self) -> int:
        """Events so far; an event in progress does not count."""
        return int(self.state.number[0])

    @property
    def time(self) -> float:
        """The time of the last event, or of the one in progress."""
        return float(self.shown_state.clock[0])

    @property
    def substep(self) -> int:
        """Sub-steps taken of the event in progress; 0 between events."""
        return len(self._run.records) if self._run is not None else 0

    @property
    def shown_state(self) -> Any:
        """The state as it is now, also in the middle of an event."""
        return self._run.state if self._run is not None else self.state

    @property
    def records(self) -> tuple[Record, ...]:
        """The sub-steps taken of the event in progress."""
        return tuple(self._run.records) if self._run is not None else ()

    @property
    def event_in_the_making(self) -> Event | None:
        """The event that is being stepped through, or None."""
        return self._run.event if self._run is not None else None

    @property
    def next_event(self) -> Event | None:
        """The next event: the one in progress, if there is one; None if nothing is left."""
        if self._run is not None:
            return self._run.event
        return self.system.next_event(self.state)

    @property
    def live_end(self) -> int:
        """The last event ever reached."""
        return self._live_end[0]

    def extent(self) -> Extent:
        """How far history reaches, and how much memory and disk it takes."""
        kept, checked = self._keyframes, self.landings.verified
        return Extent(self.event, *self._live_end, kept.events, kept.bytes, kept.disk_bytes, checked, kept.refused)

    def keep_little(self) -> None:
        """Keep as few keyframes as possible, for a run that nobody walks back."""
        self._keyframes.room = HistoryRoom(memory=0)

    # Forwards.

    def advance(self, events: int, until: float = np.inf, stop_flags: int = 0, explain: bool = False) -> Advance:
        """Run at most *events* events, none after *until*, stop after one with a flag.

        An event in progress is finished first and counts as one.
        Raises PolicyError if the policy fails; the run stands just before that event.
        """
        target = self.event + events
        self.finish_event()
        self.landings.settle()  # an engine writes into the state
        reason = Reason.LIMIT
        while self.event < target and reason is Reason.LIMIT:
            room = self._every - self.event % self._every
            overtaken = partial(self._overtaken, self.engine)
            task = Task(until, stop_flags, self.samples.stride, explain, overtaken, self.live_end)
            tape = self.recent.tape[: min(target - self.event, room)]
            result = self.engine.advance(self.state, tape, task)
            reason = result.reason
            self._accept(result, tape[: result.rows])
            if result.fault is not None:
                raise result.fault
        return Advance(self.state, 0, reason)

    def _overtaken(self, engine: Engine) -> bool:
        return self.engine is not engine

    def advance_a_slice(
        self, events: int, until: float = np.inf, stop_flags: int = 0, budget: float = np.inf
    ) -> Reason:
        """As :meth:`advance`, for one slice that fits the engine and the *budget* [s]; LIMIT if that ends it, too."""
        reason = Reason.LIMIT

        def run(room: int) -> int:
            nonlocal reason
            before = self.event
            reason = self.advance(min(events, room), until, stop_flags).reason
            return self.event - before

        self.slices.take(run, budget)
        return reason

    @property
    def _every(self) -> int:
        """Events between two keyframes: what the engine can replay in a moment, times the factor of thinning."""
        return self.engine.keyframe_every * self._keyframes.thinned

    def _accept(self, result: Advance, rows: np.ndarray) -> None:
        self.state = result.state
        self.samples.append(result.samples)
        self.recent.append(rows)
        if self.observe is not None:
            self.observe(rows)
        if self.event > self._live_end[0]:
            self._live_end = (self.event, self.time)
        if self.event % self._every == 0:
            self._keep()

    def take(self, stretch: Stretch) -> None:
        """Advance the run to the end of a stretch that :meth:`onwards` ran from here on, or from shortly before."""
        self._run = None
        self._accept(Advance(copied(stretch.state), 0, Reason.LIMIT, stretch.samples), stretch.rows)

    def step_into(self) -> Record | None:
        """Take the next sub-step; None if the event is over, or nothing is left."""
        if self._run is None:
            if self.system.next_event(self.state) is None:
                return None
            self._run = EventRun(self.system, copied(self.state))
        record = self._run.step()
        if record is None:
            self._close(self._run)
        return record

    def finish_event(self) -> None:
        """Take the remaining sub-steps of the event in progress, if there is one."""
        if self._run is not None:
            self._run.finish()
            self._close(self._run)

    def step_over(self) -> np.ndarray:
        """One event by the engine alone; its row [1], with all costly counts.

        Raises PolicyError if the policy fails; the run stands just before that event.
        """
        self.landings.settle()  # an engine writes into the state
        before, row = self.snapshot.of(self.state), np.zeros(1, self.system.row_dtype)
        result = self.engine.advance(self.state, row, Task(explain=True, past=self.live_end))
        if result.fault is not None:
            self.state = result.state
            raise result.fault
        self._stand_after(before, result.state, row[: result.rows])
        return row[: result.rows]

    def _close(self, run: EventRun) -> None:
        self._run = None
        self._stand_after(self.state, run.state, run.row)  # the event ran on a copy

    def _stand_after(self, before: Any, state: Any, row: np.ndarray) -> None:
        """Advance the run to the state after one event; its digest may be taken later."""
        self._before, self.state = before, state
        self._accept(Advance(state, 1, Reason.LIMIT, self._sampled(state)), row)
        self.landings.owe(state)

    # Backwards.

    def leave_event(self) -> None:
        """Drop the event in progress: back to its start."""
        self._run = None

    def step_back_into(self) -> None:
        """Undo one sub-step; from the start of an event, into the last one of the previous."""
        if self._run is not None:
            self.enter_event(self.substep - 1)
        elif self.event > self.first_event:
            self.seek(self.event - 1)
            self.enter_event(None)

    def enter_event(self, substeps: int | None) -> None:
        """Go into the next event, after so many sub-steps; None: after the last one."""
        self._run = None
        if substeps == 0 or self.system.next_event(self.state) is None:
            return
        run = EventRun(self.system, copied(self.state))
        while (substeps is None or len(run.records) < substeps) and run.step() is not None:
            pass
        if run.finished:  # it was the last sub-step: stay inside, one before closing
            again = EventRun(self.system, copied(self.state))
            for _ in run.records:
                again.step()
            run = again
        self._run = run if run.records else None

    def seek(self, event: int) -> None:
        """Go to the state after *event* events, forwards or backwards.

        Raises ReplayError if the replay does not land on the digest that was recorded there.
        """
        self._run = None
        event = max(self.first_event, event)
        if event != self.event:
            self._restore(event)
            self._come_near(event)
            self._replay_to(event - 1, event)
            if self.event == event - 1:
                self._before = copied(self.state)
            self._replay_to(event, event)
        self.mark()

    def seek_time(self, time: float) -> None:
        """Go to the state after all events up to *time*, forwards or backwards.

        Raises ReplayError if the replay does not land on the digest that was recorded there.
        """
        self._run = None
        near = self._keyframes.near_time(time)
        if time < self.time or near > self.event:
            self.state = copied(self._keyframes.state(near))
        start = self.time
        while self.advance_a_slice(NO_END, time) is Reason.LIMIT:
            who_waits().look(Phrase("Going to time {time}", time=full_time(time)), share_of(self.time, start, time))
        self.mark()

    def _replay_to(self, event: int, goal: int) -> None:
        """Run on to an event; progress is reported as that towards the *goal*."""
        start = self.event
        while self.event < event:
            if self.advance_a_slice(event - self.event) is Reason.END:
                return
            if self.event < event:
                share = share_of(self.event, start, goal)
                who_waits().look(Phrase("Going to event {event}", event=grouped(goal)), share)

    @property
    def state_before(self) -> Any:
        """The state one event ago, read-only; cached after :meth:`seek`, a step, and the last request."""
        if self._before is None or int(self._before.number[0]) != self.event - 1:
            self._before = self.fork_at(self.event - 1)
        return self._before

    def _come_near(self, event: int) -> None:
        """If keyframes are far apart, keep a state shortly before the event sought, for steps back from there."""
        before = event - self.engine.keyframe_every
        if self.event < before - self.engine.keyframe_every:
            self._replay_to(before, event)
            self._keyframes.pass_by(copied(self.state))

    def _restore(self, event: int) -> None:
        near = self._keyframes.near(event)
        if event < self.event or near > self.event:
            left, self.state = self.state, copied(self._keyframes.state(near))
            if int(left.number[0]) == self.live_end:
                self._keyframes.pass_by(left)

    # Verification.

    def mark(self) -> str:
        """The digest of the present state; checked against the one recorded here before.

        Raises ReplayError if the two differ.
        """
        self.landings.settle()
        return self.landings.take(self.state)

    def _keep(self) -> None:
        if self.event not in self._keyframes:
            self._add_keyframe(self.state)
        else:
            self.landings.verify(self._keyframes.state(self.event), self.state)

    def _add_keyframe(self, state: Any) -> None:
        self._keyframes.add(state)
        self._keyframes.fit(self.engine.keyframe_every)

    def _sampled(self, state: Any) -> np.ndarray:
        sample = np.zeros((1, self.system.sample_width))
        self.system.sample(state, sample[0])
        return sample

    def samples_around(self, time: float) -> np.ndarray | None:
        """[2, width] the samples after the last event up to a past *time*, and after the next event.

        They are computed by a replay, as few samples of a long run are kept; None if that would take long.
        """
        near = self._keyframes.near_time(time)
        following = min((kept for kept in self._keyframes.events if kept > near), default=self.live_end)
        if following - near > max(AT_HAND, 2 * self._every):
            return None
        state = self.keyframe_at(near)
        for stretch in self.onwards(state, following, Task(until=time)):
            state = stretch.state
        found = [self._sampled(state)]
        found += [self._sampled(stretch.state) for stretch in self.onwards(state, int(state.number[0]) + 1)]
        return np.concatenate(found)

    # The log.

    def rows(self, first: int, last: int) -> np.ndarray:
        """Rows of the events *first* to *last*, with all costly counts.

        The events are replayed on a copy; the run itself stays where it is.
        """
        first = max(first, self.first_event + 1)
        last = min(last, self.live_end)
        if last < first:
            return np.zeros(0, self.system.row_dtype)
        found = np.zeros(last - first + 1, self.system.row_dtype)
        count = 0
        for stretch in self.onwards(self.fork_at(first - 1), last, Task(explain=True)):
            found[count : count + len(stretch.rows)] = stretch.rows
            count += len(stretch.rows)
        return found[:count]

    def onwards(
        self,
        state: Any,
        event: int,
        task: Task = _TO_THE_END,
        own: Slices | None = None,
        by: Engine | None = None,
        to_take: bool = True,
    ) -> Iterator[Stretch]:
        """Run *state*, a copy, on to an event, or as a task says; yields slices, sized by *own* or by those of the run.

        In a thread of its own it needs an engine of its own, *by*.  If :meth:`take` is *to take* the slices, they end
        at keyframes.
        Raises GivenUpError if the waiter cancels.
        """
        result, task = Advance(state, 0, Reason.LIMIT), task._replace(past=self.live_end)
        start = place_of(state)
        rows = self._tape if by is None else np.empty_like(self._tape)

        def run(room: int) -> int:
            nonlocal result
            here = place_of(result.state)[0]
            tape = rows[: min(room, event - here, self._every - here % self._every if to_take else room)]
            result = (by or self.engine).advance(result.state, tape, task)
            return result.rows

        while result.reason is Reason.LIMIT and (here := place_of(result.state))[0] < event:
            tell_of_events(start, here, None if event == NO_END else event, task.until, self.live_end)
            count = (own or self.slices).take(run)
            if result.fault is not None:
                raise result.fault
            yield Stretch(result.state, rows[:count], result.samples, result.changes)

    def kept_before(self, event: int, most: int) -> list[Any]:
        """At most *most* of the keyframes between the first event and *event*, evenly spread; states, not copies."""
        inner = [kept for kept in self._keyframes.events if self.first_event < kept < event]
        chosen = (
            range(len(inner)) if len(inner) <= most else (len(inner) * (2 * k + 1) // (2 * most) for k in range(most))
        )
        return [self._keyframes.state(inner[place]) for place in chosen]

    def keyframe_before(self, event: int) -> int:
        """The event of the last keyframe before *event*, which is after the first of history."""
        return self._keyframes.near(event - 1)

    def latest(self, reached: Callable[[Any], bool]) -> Any:
        """A copy of the latest keyframe's state that *reached* accepts, else of the first one.

        *reached* must be true up to some event and false after it.
        """
        return copied(self._keyframes.latest(reached))

    def is_at_hand(self, event: int) -> bool:
        """Whether the state after *event* events can be replayed in a moment.

        That is so for all of history, except where a saved session has left out keyframes.
        """
        return event - self._keyframes.near(event) <= max(AT_HAND, 2 * self._every)

    def keyframe_at(self, event: int) -> Any:
        """A copy of the latest keyframe's state up to *event*."""
        return copied(self._keyframes.state(self._keyframes.near(event)))

    def at_hand(self, event: int) -> Any:
        """A copy of the state after *event* events, if that is cached as :attr:`state_before`; else None."""
        known = self._before
        return copied(known) if known is not None and int(known.number[0]) == event else None

    def fork_at(self, event: int) -> Any:
        """A copy of the state after *event* events."""
        if event == self.event:
            return copied(self.state)
        near = self._keyframes.near(event)
        if self._before is not None and near < int(self._before.number[0]) <= event:
            near, state = int(self._before.number[0]), copied(self._before)
        else:
            state = self.keyframe_at(event)
        for reached, *_ in self.onwards(state, event):
            state, here = reached, int(reached.number[0])
            if here - near >= self._every:  # a saved run was opened, which has no keyframes in its past
                self._add_keyframe(reached)
                near = here
        return state


def place_of(state: Any) -> tuple[int, float]:
    """The number of events of a state, and the time of the last one."""
    return int(state.number[0]), float(state.clock[0])
