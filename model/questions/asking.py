"""Answers questions about a run: its events are run again in slices, and the questions evaluated slice by slice.

Rows and samples of a slice are columns, so that an event costs little more than running it.  If a question reads
the state, a slice is run a second time, and the state read after the events that the rest of the question leaves open;
if those are many, changes of the state are recorded at each event of the first run.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from contextlib import closing
from time import monotonic, thread_time
from typing import Any, Generator, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.counting import prepare_counting
from slotscope.model.questions.looking import Looks, StateLooks
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.tables import NO_EVENT, Column, EventTable, Lead
from slotscope.model.running.ahead import looked_at, processors
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Engine, Task
from slotscope.model.running.freed import keep_freed
from slotscope.model.running.slices import MOST_EVENTS, Slices, tell_of_events
from slotscope.model.running.timeline import NO_END, Stretch, Timeline, place_of
from slotscope.model.systems.base import PolicySystem
from slotscope.model.systems.state import copied

#: Events in the first slices, where states have to be read.
FEW = 200

#: Seconds that a slice should take whose states are read, so that the overhead for each slice is a small part.
SECONDS = 0.016

#: Most slices that are evaluated at the same time, as each needs memory.
MOST_AT_ONCE = 4


class Answers(NamedTuple):
    """The values of questions at consecutive events."""

    rows: np.ndarray  #: [n] a view of a buffer that is reused
    values: tuple[Column, ...]  #: [n] the values of each question
    time: float  #: the time of the last event

    def hits(self, question: int) -> np.ndarray:
        """A copy of the rows at which a question holds."""
        found: np.ndarray = self.rows[self.values[question]]
        return found


def make_ready(bench: Bench, timeline: Timeline, questions: Sequence[Question]) -> None:
    """Compile the code that questions about servers and jobs need, for callers that can wait for it.

    Until the code is ready, states are read one by one.
    """
    things = [look.of_things for question in questions for look in question.looks if look.of_things is not None]
    if things and timeline.engine.name == "kernel" and not bench.system.policy.brought:
        bench.prepare(questions=True)
        prepare_counting(any(one.pairing is not None for one in things))


def answers(
    system: PolicySystem,
    timeline: Timeline,
    questions: Sequence[Question],
    after: int,
    last: int = NO_END,
    until: float = np.inf,
    along: bool = False,
) -> Iterator[Answers]:
    """Yield the answers to *questions* about the events after *after*, up to *last* or the time *until*, by slices.

    The run itself stays where it is, and events may lie beyond the last that it has reached.  With *along* it advances
    from event *after* on: it is at the end of a slice when the next one is requested.

    Raises
    ------
    GivenUpError
        If the caller's wait was cancelled.
    PolicyError
        If the policy fails.
    """
    keep_freed()
    depth = max(question.depth for question in questions)
    start = max(timeline.first_event, after - depth)
    walk = _Asker(system, timeline, questions, timeline.fork_at(start), depth, along)
    for table, values in walk.onwards(last, until):
        kept = table.rows["event"] > after
        skip = int(np.argmax(kept)) if kept.any() else len(kept)
        if skip < len(kept):
            own = slice(skip, None)
            yield Answers(table.rows[own], tuple(value[depth:][own] for value in values), float(table.rows["time"][-1]))


class _Slice(NamedTuple):
    """Events that were run, to be evaluated."""

    before: Any  #: the state before them, if states are read
    stretch: Stretch
    watch: int | None  #: the index of the watch whose changes were recorded in their run
    lead: Lead  #: the last events before them
    looks: Future[list[Looks]]  #: what each question read from states at the lead's events
    looks_behind: Future[list[Looks]]  #: the same for the next slice's lead


class _Asker:
    """Runs events and evaluates questions on them; it owns *state*."""

    def __init__(
        self,
        system: PolicySystem,
        timeline: Timeline,
        questions: Sequence[Question],
        state: Any,
        depth: int,
        along: bool,
    ) -> None:
        self._system = system
        self._timeline = timeline
        self._questions = questions
        self._depth = depth
        self._along = along
        self._state = state
        self._samples = any(question.samples for question in questions)
        self._costly = any(question.costly for question in questions)
        self._looks = any(question.looks for question in questions)
        self._slices = Slices(min(MOST_EVENTS, timeline.slices.fitting()), timeline.engine.slice_seconds)
        if self._looks:  # reading states takes longer than running
            clock = thread_time if timeline.engine.watches else monotonic  # policies may run in another process
            self._slices = Slices(min(FEW, self._slices.room), SECONDS, clock)
        self._states = StateLooks(system, timeline, questions, state, self._slices)
        self._open: deque[None] = deque()  # one for each slice that was run and is not yet evaluated
        self._lookers = 1
        self._many: tuple[bool, ...] = ()  # for each watch, whether the next run should record its changes
        self._recalls = any(question.recalls for question in questions)

    def _first_lead(self) -> Lead:
        """The lead before the first event: the state there is known, but no row."""
        rows = np.zeros(self._depth, self._timeline.system.row_dtype)
        rows["event"][:-1] = NO_EVENT
        samples = np.full((self._depth, self._timeline.system.sample_width if self._samples else 0), np.nan)
        if self._depth and self._samples:
            self._timeline.system.sample(self._state, samples[-1])
        return Lead(rows, samples)

    def onwards(self, last: int, until: float) -> Iterator[tuple[EventTable, list[Column]]]:
        """Yield the table of each slice, and the value of each question at its events."""
        start, end = place_of(self._state), None if last == NO_END else last
        engine = self._timeline.engine
        spread = self._looks and engine.watches and last - start[0] > MOST_EVENTS  # for few, threads do not pay
        self._lookers = min(processors(), MOST_AT_ONCE) if spread else 1
        if self._lookers > 1:
            self._states.by(engine.another)
        run = self._run_on(last, until, engine.another() if self._lookers > 1 else None)
        with closing(looked_at(run, self._answered, self._lookers)) as answered:
            for stretch, answer in answered:
                tell_of_events(start, place_of(stretch.state), end, until, self._timeline.live_end)
                if answer is not None:
                    yield answer
                if self._along:
                    self._timeline.take(stretch)

    def _run_on(self, last: int, until: float, by: Engine | None) -> Generator[_Slice, None, None]:
        """Run the events and yield them as slices; recording of changes is switched on and off in between."""
        state, lead, looks, goes_on = self._state, self._first_lead(), Future[list[Looks]](), True
        looks.set_result([self._states.at_start(lead, question) for question in self._questions])
        while goes_on:
            goes_on, watch = False, self._watch_to_tell()
            own = copied(state) if self._looks else state
            for stretch in self._timeline.onwards(own, last, self._task(until, watch), self._slices, by, self._along):
                ran, behind = self._to_look_at(stretch), Future() if self._recalls else looks
                self._open.append(None)
                yield _Slice(state, ran, watch, lead, looks, behind)
                state, lead, looks = ran.state, self._lead_behind(lead, ran), behind
                if goes_on := self._watch_to_tell() != watch:
                    break

    def _watch_to_tell(self) -> int | None:
        """The index of the watch whose changes the next run should record: one with many open events, if there is one.

        That spares the evaluating threads a second run; but while some are idle, a faster run feeds them sooner.
        """
        hurry = self._lookers > 2 and len(self._open) < self._lookers
        return self._many.index(True) if True in self._many and not hurry else None

    def _to_look_at(self, stretch: Stretch) -> Stretch:
        """The stretch; a copy if states are read, as the run may go on meanwhile."""
        return stretch._replace(state=copied(stretch.state), rows=stretch.rows.copy()) if self._looks else stretch

    def _lead_behind(self, lead: Lead, stretch: Stretch) -> Lead:
        """The lead of what follows a stretch: its last events, and earlier ones if it is too short."""
        if not self._depth:
            return lead
        last, rows, samples = slice(-self._depth, None), stretch.rows, self._samples_of(stretch)
        if len(rows) < self._depth:
            rows, samples = np.concatenate([lead.rows, rows]), np.concatenate([lead.samples, samples])
        return Lead(rows[last].copy(), samples[last].copy())

    def _samples_of(self, stretch: Stretch) -> NDArray[np.float64]:
        return stretch.samples if self._samples else np.zeros((len(stretch.rows), 0))

    def _task(self, until: float, watch: int | None) -> Task:
        least = self._timeline.samples.stride if self._along else 0
        task = Task() if watch is None else self._states.task(watch)
        return task._replace(until=until, stride=1 if self._samples else least, explain=self._costly)

    def _answered(self, part: _Slice) -> tuple[Stretch, tuple[EventTable, list[Column]] | None]:
        """A slice with its table and the value of each question; None in their place if it has no events."""
        try:
            looks, answer = part.looks.result(), None
            if len(part.stretch.rows):
                tables = [self._table(part, mine) for mine in looks]
                if self._looks:
                    self._many = self._states.look(tables, part.before, part.stretch, part.watch)
                values = [question.at(table) for question, table in zip(self._questions, tables, strict=True)]
                answer = tables[0], values
                if self._recalls:
                    last = slice(-self._depth, None)
                    looks = [{place: look[last].copy() for place, look in table.looks.items()} for table in tables]
            if self._recalls:
                part.looks_behind.set_result(looks)
            self._open.pop()
            return part.stretch, answer
        except BaseException:
            part.looks_behind.cancel()  # else the next slice would wait forever
            raise

    def _table(self, part: _Slice, looks: Looks) -> EventTable:
        """The table that a question is evaluated on, with its looks still empty."""
        rows, fresh = part.stretch.rows, np.full(len(part.stretch.rows), np.nan)
        looks = {place: np.concatenate([known, fresh]) for place, known in looks.items()}
        return EventTable(rows, self._samples_of(part.stretch), part.lead, self._system.numbers, looks)
