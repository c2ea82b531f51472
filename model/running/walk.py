"""Walking a run in both directions: by event, by sub-step, to a time, to an event of a kind."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic
from typing import Any, Callable

import numpy as np

from slotscope.model.errors import PolicyError
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import full_time, grouped
from slotscope.model.reporting.records import Record
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Engine, EventRun, Reason, Task
from slotscope.model.running.explaining import Explained, never
from slotscope.model.running.slices import MOST_EVENTS, MOST_OF_A_RUN, SLICE_SECONDS, Slices
from slotscope.model.running.timeline import NO_END, Timeline
from slotscope.model.running.waiting import GivenUpError, share_of, who_waits
from slotscope.model.systems.state import copied, differences
from slotscope.model.whys.passing import PassedOver, passed_over

#: The most rows that the log shows.
ROWS_OF_LOG = 400


class Walk:
    """A run that can be walked forwards and backwards.

    ``agreement`` says whether reference and kernel agreed on the event just stepped through (None: not compared).
    With ``effect_first`` a compiled run stands after an event before its sub-steps are computed, if these take long:
    :meth:`explain` computes them.
    """

    effect_first = False

    def __init__(self, bench: Bench, state: Any = None) -> None:
        self.bench = bench
        self._log = (-1, 0), np.zeros(0, bench.system.row_dtype)  # the moment that the log was shown for, and its rows
        self.timeline = Timeline(bench.runs, bench.reference, state)
        self._explained = Explained()
        self._stepped = -1  # the last event that was stepped through
        self.agreement: bool | None = None
        self._passed: tuple[tuple[int, ...], tuple[PassedOver, ...]] = (), ()
        self._other: Any = None  # the last state of the other engine, as long as both agree

    @property
    def last_records(self) -> tuple[Record, ...]:
        """The sub-steps of the last event, if they are known; empty in the middle of the next one."""
        return self._explained.of(self.timeline.event) if not self.timeline.substep else ()

    @property
    def explaining(self) -> bool:
        """Whether sub-steps of the last event are still to be computed."""
        return self._explained.is_left(self.timeline.event) and not self.timeline.substep

    @property
    def compiled(self) -> bool:
        """Whether it runs on a compiled twin."""
        return self.timeline.engine is not self.bench.reference

    def use_kernel(self) -> bool:
        """Run compiled from here on; False if the policy has no compiled twin."""
        if not self.bench.has_kernel:
            return False
        self.use_engine(self.bench.kernel())
        return True

    def use_engine(self, engine: Engine) -> None:
        """Run on *engine* from here on; the history stays."""
        self.timeline.engine = engine
        self.timeline.slices = Slices(seconds=engine.slice_seconds, most=MOST_OF_A_RUN)

    # Forwards.

    def run(
        self, events: int | None = None, until: float = np.inf, stop: tuple[str, ...] = (), budget: float = np.inf
    ) -> Reason:
        """Run on: a number of events, until a time, or until an event of one of the kinds in *stop*.

        ``budget`` seconds of real time end it early with :attr:`Reason.LIMIT`; without a budget progress is reported.
        """
        flags = sum(self.bench.kind.vocabulary.event_kinds[kind] for kind in stop)
        last = NO_END if events is None else self.timeline.event + events
        deadline = monotonic() + budget
        reason, start = Reason.LIMIT, (self.timeline.event, self.timeline.time)
        while self.timeline.event < last and reason is Reason.LIMIT:
            left = last - self.timeline.event
            reason = self.timeline.advance_a_slice(left, until, flags, deadline - monotonic())
            if monotonic() >= deadline:
                break
            if deadline == np.inf:
                self._tell_of_way(start, last, until)
        return reason

    def _tell_of_way(self, start: tuple[int, float], last: int, until: float) -> None:
        """Report the share of the way to an event or a time; or, in a search without an end, the present event."""
        here, share = (self.timeline.event, self.timeline.time), None
        goal = Phrase("Looking on at event {event}", event=grouped(here[0]))
        if last < NO_END or until < np.inf:
            goal = Phrase("Going to event {event}", event=grouped(last))
            share = max(map(share_of, here, start, (last, until)))
        if until < np.inf:
            goal = Phrase("Going to time {time}", time=full_time(until))
        who_waits().look(goal, share)

    def step(self) -> None:
        """One event; from the middle of one, to its end.

        Raises PolicyError if the policy fails; then the run stands where it stood, or, if it was in the middle of the
        event, at the last sub-step that succeeded.
        """
        inside = self.timeline.substep > 0
        if not inside and self.timeline.next_event is None:
            return
        try:
            if inside or not self._goes_ahead:
                self._finish()
            else:
                self._step_ahead()
        except PolicyError:
            if not inside:
                self.timeline.leave_event()
            raise

    def step_out(self) -> None:
        """To the end of the event in progress; nothing between events."""
        if self.timeline.substep:
            self._finish()

    def step_into(self) -> None:
        """One sub-step of the reference; at the end of an event it is compared with the kernel."""
        taken = self.timeline.records
        if self.timeline.step_into() is None and taken:
            self._explained.told(self.timeline.event, taken)
            self._check_agreement()

    def _finish(self) -> None:
        taken = list(self.timeline.records)
        while (record := self.timeline.step_into()) is not None:
            taken.append(record)
            if who_waits().stop():
                raise GivenUpError(Phrase("stopped within event {event}", event=self.timeline.event + 1))
        self._explained.told(self.timeline.event, tuple(taken))
        self._check_agreement()

    # The effect of an event first, its sub-steps later.

    @property
    def _goes_ahead(self) -> bool:
        return self.effect_first and self.compiled and not self.bench.runs.may_fail

    def _step_ahead(self) -> None:
        """One event by the kernel, and as many of its sub-steps as can be computed at once."""
        run = EventRun(self.bench.runs, copied(self.timeline.state))
        self.agreement = self._other = None
        self._log_one(self.timeline.step_over())
        self._stepped = self.timeline.event
        self._agree(self._explained.begin(self.timeline.event, run, True))

    def explain(self, stop: Callable[[], bool] = never) -> None:
        """Compute the sub-steps that are left of the last event; *stop* puts the rest off again."""
        if self.explaining:
            self._agree(self._explained.go_on(stop))

    def _agree(self, run: EventRun | None) -> None:
        """Compare the state after the sub-steps, once they are finished, with that of the kernel."""
        if run is not None and self._stepped == self.timeline.event:
            self.agreement = not differences(run.state, self.timeline.state)
            if self.agreement:
                self.timeline.snapshot.take(self.timeline.state, run.state)

    def leave_unexplained(self) -> None:
        """Drop the sub-steps that are left."""
        self._explained.leave()

    def _check_agreement(self) -> None:
        """Let the other engine run the event just stepped through, and compare the states.

        In consecutive steps it goes on from its own last state, so that its index of the state is not built anew.
        """
        self.agreement, before, self._other = None, self._other, None
        if not self.compiled:
            return
        line = self.timeline
        if before is None or int(before.number[0]) != line.event - 1:
            before = copied(line.state_before)
        tape = np.zeros(1, self.bench.system.row_dtype)
        result = line.engine.advance(before, tape, Task(explain=True))
        self.agreement = not differences(result.state, line.state)
        if self.agreement:
            self._other = result.state
            self._log_one(tape)

    # The log.

    def latest_rows(self, running: bool) -> np.ndarray:
        """The log's rows; at rest a kernel's may come from a replay, which fills in the costly counts."""
        rows = self._recent_rows()
        if rows is not None and (running or not self._tell_more):
            return rows.copy()
        line = self.timeline
        moment, (rested, known) = (line.event, line.substep), self._log
        if rested != moment and not (rested[0] == line.event and len(known)):  # a cancelled replay is tried once more
            self._log = moment, self._rows_again()
        return self._log[1]

    @property
    def log_takes_long(self) -> bool:
        """Whether replaying the log's rows with all counts takes more than a slice; rows without them are at hand."""
        line = self.timeline
        if not self._tell_more or self._recent_rows() is None:
            return False
        return line.slices.fitting(SLICE_SECONDS) < line.event - line.keyframe_before(max(line.event - ROWS_OF_LOG, 1))

    @property
    def _tell_more(self) -> bool:
        return self.bench.kind.rows_tell_more and self.timeline.engine.name == "kernel"

    def _recent_rows(self) -> np.ndarray | None:
        line = self.timeline
        return line.recent.between(max(line.first_event + 1, line.event - ROWS_OF_LOG + 1), line.event)

    def _log_one(self, row: np.ndarray) -> None:
        """Append the row of the event just stepped through, if the log ends at the one before."""
        (event, _), known = self._log
        if event == self.timeline.event - 1 and len(known) and known["event"][-1] == event:
            self._log = (self.timeline.event, 0), np.concatenate((known, row))[-ROWS_OF_LOG:]

    def _rows_again(self) -> np.ndarray:
        """The log's rows, by a replay of the events that it has not shown before.

        Empty if a policy fails in that, if it would take long, or if it is cancelled.
        """
        line, known = self.timeline, self._log[1]
        first = max(line.event - ROWS_OF_LOG, line.first_event)
        known = known[(known["event"] > first) & (known["event"] <= line.event)]
        if not len(known) or known["event"][0] != first + 1:
            known = known[:0]
        with suppress(PolicyError, GivenUpError):
            if line.is_at_hand(first + len(known)):
                return np.concatenate((known, line.rows(first + len(known) + 1, line.event)))
        return known[:0]

    # Backwards.

    def step_back(self) -> None:
        """To the start of the event in progress, else one event back."""
        if self.timeline.substep:
            self.timeline.leave_event()
        else:
            self.timeline.seek(self.timeline.event - 1)
        self._recall()

    def step_back_into(self) -> None:
        """One sub-step back."""
        self.timeline.step_back_into()

    def seek(self, event: int, substep: int = 0) -> None:
        """Go to the state after *event* events, and *substep* sub-steps of the next."""
        self.timeline.seek(event)
        if substep:
            self.timeline.enter_event(substep)
        self._recall()

    def to_start(self) -> None:
        """Back to event 0."""
        self.seek(self.timeline.first_event)

    def to_live_end(self) -> None:
        """To the last event ever reached."""
        self.seek(self.timeline.live_end)

    def back_to(self, kind: str) -> bool:
        """Stand just before the previous event of a kind; False if there is none."""
        found = self.previous_of(kind)
        if found is not None:
            self.seek(found - 1)
        return found is not None

    def previous_of(self, kind: str) -> int | None:
        """The last event of a kind up to the present one, or None."""
        flag = self.bench.kind.vocabulary.event_kinds[kind]
        last = self.timeline.event
        while last > self.timeline.first_event:
            first = max(self.timeline.keyframe_before(last) + 1, last - MOST_EVENTS)
            rows = self.timeline.rows(first, last)
            found = rows["event"][(rows["flags"] & flag) != 0]
            if len(found):
                return int(found[-1])
            last = first - 1
        return None

    def passed_over(self) -> tuple[PassedOver, ...]:
        """The servers that have room for the job that was decided on last, and do not get it; see ``last_records``.

        Empty if the event cannot be replayed, because its policy fails or the replay is cancelled.
        """
        moment = self.timeline.event, self.timeline.substep, len(self.last_records)
        if moment != self._passed[0]:
            try:
                self._passed = moment, self._passes_over()
            except (PolicyError, GivenUpError):
                self._passed = moment, ()
        return self._passed[1]

    def _passes_over(self) -> tuple[PassedOver, ...]:
        line, inside = self.timeline, self.timeline.substep > 0
        first, records = line.event - (not inside), line.records or self.last_records
        if not records or first < line.first_event or first + 1 in self.bench.forced:
            return ()
        before = line.state if inside else line.state_before
        system = self.bench.at(first).system
        event = system.next_event(before)
        assert event is not None
        return passed_over(self.bench.kind.whys, system, before, event, records, line.shown_state, not inside)

    def recall_once(self) -> None:
        """Compute the sub-steps of the last event, if they are not known; empty if it cannot be replayed."""
        if self._explained.event != self.timeline.event:
            self._explained.told(self.timeline.event, ())
            with suppress(PolicyError, GivenUpError):
                self._recall()
                self.explain()

    def _recall(self) -> None:
        """Compute the sub-steps of the last event, for the panels that show them, unless its replay takes long."""
        self.agreement, self._stepped = None, -1
        before = self.timeline.event - 1
        if self.timeline.substep or before < self.timeline.first_event or self.last_records:
            return
        if not self.timeline.is_at_hand(before):
            return
        run = EventRun(self.bench.runs, copied(self.timeline.state_before))
        self._explained.begin(self.timeline.event, run, self._goes_ahead)
