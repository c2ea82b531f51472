"""Where in a run questions hold: its events are run again in slices, and looked at slice by slice.

Rows and samples of a slice are columns, so that an event costs little more than running it.  Where
a question asks for the state, a slice is run a second time and looked at after the events that the rest
of the question leaves open; where those are many, its first run is looked at after each event.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from threading import local
from time import monotonic, thread_time
from typing import Any, Callable, Generator, Iterable, Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.questions.changes import OfThings, WatchedThings, of_states, read_at_once, watched_by
from slotscope.model.questions.counting import code_is_at_hand, prepare_counting
from slotscope.model.questions.fields import ThingFields
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.numbered import all_stay, followed, is_away
from slotscope.model.questions.tables import NO_EVENT, Column, EventTable, Lead
from slotscope.model.questions.versions import column_of
from slotscope.model.running.ahead import looked_at, processors
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Engine, EventRun, Task
from slotscope.model.running.freed import keep_freed
from slotscope.model.running.slices import MOST_EVENTS, Slices, tell_of_events
from slotscope.model.running.timeline import NO_END, Stretch, Timeline, place_of
from slotscope.model.systems.base import EVENT, NEXT_ARRIVAL, PolicySystem
from slotscope.model.systems.state import copied
from slotscope.model.systems.watching import RowChanges

#: Events between two looks around at first, where states have to be looked at.
FEW = 200

#: So many events behind a slice the state looked at last runs on to it; from further away its start is copied.
NEAR = 1000

#: Bytes of states that are kept to be read at once; more of them leave a processor's cache.
MOST_BYTES = 2**19

#: Seconds that a slice should take that is looked at: what is done once for each is then a small part.
SECONDS = 0.016

#: Share of the events left open from which on the next slice is looked at while it runs first.
MANY = 0.1

#: So many slices are looked at at the same time at most, as each needs memory.
MOST_AT_ONCE = 4

#: A state, what changed after it, event by event, and how many events that were.
Told = tuple[Any, RowChanges, int]


#: What a question reads from states, by its place in the question.
Looks = dict[int, NDArray[np.float64]]


class Answers(NamedTuple):
    """What questions say of some events in order."""

    rows: np.ndarray  #: [n] a view that is written over later
    values: tuple[Column, ...]  #: [n] of each question
    time: float  #: of the last event

    def hits(self, question: int) -> np.ndarray:
        """A copy of the rows at which a question holds."""
        found: np.ndarray = self.rows[self.values[question]]
        return found


def make_ready(bench: Bench, timeline: Timeline, questions: Sequence[Question]) -> None:
    """Compile what questions about servers and jobs are answered by, for who has nothing else to do meanwhile.

    Without that their states are looked at one by one as long as the code is not at hand.
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
    """What *questions* say of the events after event *after* up to *last* or a time, slice by slice.

    The run itself stays where it is, and events may lie behind the last that it has reached; or it goes
    *along*, from event *after* on: it stands after a slice once the next one is asked for.

    Raises
    ------
    GivenUpError
        If whoever waits has had enough.
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
    """Events that were run, to be looked at."""

    before: Any  #: the state before them, where states are looked at
    stretch: Stretch
    watch: int | None  #: the place of what told their changes while they ran
    lead: Lead  #: the last events before them
    looks: Future[list[Looks]]  #: what each question read from states at those
    looks_behind: Future[list[Looks]]  #: the same for the next slice


class _Looker(local):
    """What each thread that looks has of its own."""

    def __init__(self, another: Callable[[], Engine | None]) -> None:
        self.by = another()
        self.seen: Any = None  # the state that was looked at last; it follows the run while it stays near


class _Asker:
    """A walk over events with questions in mind; *state* is its own."""

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
        self._slices = self._timeline.slices
        if self._looks:  # looking takes longer than running
            clock = thread_time if timeline.engine.watches else monotonic  # policies may run in another process
            self._slices = Slices(min(FEW, self._slices.room), SECONDS, clock)
        looks = [look for question in questions for look in question.looks]
        self._watches = watched_by(looks, state, system.numbers)
        self._at_once = read_at_once(looks, state, system.numbers)
        self._open: deque[None] = deque()  # one for each slice that was run and is not yet looked at
        self._lookers = 1
        self._many = (False,) * len(self._watches)  # of which the last slice left so many events open that a run
        # had better tell their changes at each
        self._pairs = any(question.pairs for question in questions)
        self._recalls = any(question.recalls for question in questions)

    def _first_lead(self) -> Lead:
        """Before the first event: its state is known, but no row."""
        rows = np.zeros(self._depth, self._timeline.system.row_dtype)
        rows["event"][:-1] = NO_EVENT
        samples = np.full((self._depth, self._timeline.system.sample_width if self._samples else 0), np.nan)
        if self._depth and self._samples:
            self._timeline.system.sample(self._state, samples[-1])
        return Lead(rows, samples)

    def _looks_at_start(self, lead: Lead, question: Question) -> Looks:
        """What a question reads from the state before the first event."""
        looks = {place: np.full(self._depth, np.nan) for place in range(len(question.looks))}
        if self._recalls:
            scene = EventTable(lead.rows[:0], lead.samples[:0], lead, self._system.numbers, looks)
            scene = scene.one(self._depth - 1, self._state)
            for place, look in enumerate(question.looks):
                looks[place][-1] = _one(look.read, scene)
        return looks

    def onwards(self, last: int, until: float) -> Iterator[tuple[EventTable, list[Column]]]:
        """Each slice, and what each question says of the events of its table."""
        start, end = place_of(self._state), None if last == NO_END else last
        engine = self._timeline.engine
        spread = self._looks and engine.watches and last - start[0] > MOST_EVENTS  # for few it takes longer to begin
        self._lookers = min(processors(), MOST_AT_ONCE) if spread else 1
        another = engine.another if self._lookers > 1 else _none
        self._looker = _Looker(another)
        with closing(looked_at(self._run_on(last, until, another()), self._answered, self._lookers)) as answered:
            for stretch, answer in answered:
                tell_of_events(start, place_of(stretch.state), end, until, self._timeline.live_end)
                if answer is not None:
                    yield answer
                if self._along:
                    self._timeline.take(stretch)

    def _run_on(self, last: int, until: float, by: Engine | None) -> Generator[_Slice, None, None]:
        """Slices, and what is told of them meanwhile."""
        state, lead, looks, goes_on = self._state, self._first_lead(), Future[list[Looks]](), True
        looks.set_result([self._looks_at_start(lead, question) for question in self._questions])
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
        """What is to tell of each event while it runs: a watch that wants to know of nearly all, if there is one.

        That spares who looks another run; where some of those have nothing to do, the run had better hurry on to them.
        """
        hurry = self._lookers > 2 and len(self._open) < self._lookers
        return self._many.index(True) if True in self._many and not hurry else None

    def _to_look_at(self, stretch: Stretch) -> Stretch:
        """The same; its own where states are looked at, as the run may go on meanwhile."""
        return stretch._replace(state=copied(stretch.state), rows=stretch.rows.copy()) if self._looks else stretch

    def _lead_behind(self, lead: Lead, stretch: Stretch) -> Lead:
        """The last events of a stretch, or before it, for what follows."""
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
        task = Task() if watch is None else _watching(self._watches[watch])
        return task._replace(until=until, stride=1 if self._samples else least, explain=self._costly)

    def _answered(self, part: _Slice) -> tuple[Stretch, tuple[EventTable, list[Column]] | None]:
        """A slice, and what each question says of its events, if there are some."""
        try:
            looks, answer = part.looks.result(), None
            if len(part.stretch.rows):
                tables = [self._table(part, mine) for mine in looks]
                if self._looks:
                    self._look(tables, part)
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
            part.looks_behind.cancel()  # nobody waits for them in vain
            raise

    def _table(self, part: _Slice, looks: Looks) -> EventTable:
        """What a question is answered from, before its events are looked at."""
        rows, fresh = part.stretch.rows, np.full(len(part.stretch.rows), np.nan)
        looks = {place: np.concatenate([known, fresh]) for place, known in looks.items()}
        return EventTable(rows, self._samples_of(part.stretch), part.lead, self._system.numbers, looks)

    # States.

    def _look(self, tables: list[EventTable], part: _Slice) -> None:
        """Find what the questions read from states: in what events changed, or at the events that they leave open."""
        self._pass_over(tables, part.before, part.stretch.state)
        if self._timeline.engine.watches:
            self._look_at_once(tables, part.before)
            left_open = (
                self._look_at_changes(tables, part, watch, place == part.watch)
                for place, watch in enumerate(self._watches)
            )
            self._many = tuple(left_open)
        self._look_one_by_one(tables, part)

    def _look_one_by_one(self, tables: list[EventTable], part: _Slice) -> None:
        """Fill in what is not known yet at the events that are open, from the state after each of them."""
        began = self._slices.clock()
        needed = [self._needed(*pair) for pair in zip(self._questions, tables, strict=True)]
        events = np.flatnonzero(np.logical_or.reduce(needed)).tolist()
        if not events:
            return
        state, seen = part.before, self._looker.seen
        near = seen is not None and int(state.number[EVENT]) - int(seen.number[EVENT]) <= NEAR
        state = seen if near else copied(state)
        for event in events:
            number, before, said = int(tables[0].rows["event"][event]), None, _nothing
            if self._pairs:
                state = self._state_after(state, number - 1)
                before = copied(state)
            if self._pairs or self._timeline.engine.name == "reference":
                state, said = self._made_after(self._state_after(state, number - 1))
            state = self._state_after(state, number)
            met: dict[Any, Any] = {}
            for question, table, mine in zip(self._questions, tables, needed, strict=True):
                if mine[event]:
                    scene = table.one(event + self._depth, state)
                    scene.said, scene.met = said, met
                    if before is not None and event + self._depth:
                        scene.before = table.one(event + self._depth - 1, before)
                    for place, look in enumerate(question.looks):
                        if place not in table.known:
                            table.looks[place][event + self._depth] = _one(look.read, scene)
        self._looker.seen = state
        self._slices.learn(len(tables[0].rows), self._slices.clock() - began)

    def _pass_over(self, tables: list[EventTable], before: Any, after: Any) -> None:
        """What is read of jobs that have left before a slice, or come after it, is missing; or nobody asks."""
        first, last = (self._system.initial_jobs + int(state.number[NEXT_ARRIVAL]) for state in (before, after))
        for question, table in zip(self._questions, tables, strict=True):
            for place, look in enumerate(question.looks):
                away = look.of_things is not None and is_away(look.of_things, before, (first, last))
                if away or place not in question.part.needs:
                    table.known.add(place)

    def _look_at_changes(self, tables: list[EventTable], part: _Slice, watch: WatchedThings, told: bool) -> bool:
        """Fill in what is read of things, at the events that are open, from what was changed up to each of them.

        Where that was not *told* its events are run once more.  Whether many events were open.
        """
        rows, state = part.stretch.rows, part.before
        open_ones = np.logical_or.reduce([self._needed(*pair) for pair in zip(self._questions, tables, strict=True)])
        looks = self._looks_at(tables, watch.things)
        if told and looks:
            _fill(looks, [(state, part.stretch.changes, len(rows))], watch)
        elif looks:
            few, opened = followed(watch, [look for *_, look in looks], state), rows[open_ones]
            if not _fill(looks, self._again(state, opened, few), few):
                _fill(looks, self._again(state, opened, watch), watch)
        for table, place, _ in looks:
            table.known.add(place)
        return bool(looks) and bool(open_ones.mean() > MANY) and not watch.by_number

    def _looks_at(self, tables: list[EventTable], things: ThingFields | None) -> list[tuple[EventTable, int, OfThings]]:
        """Each look at *things*, or at the state itself, that can be found now, with its table and its place."""
        return [
            (table, place, look.of_things)
            for question, table in zip(self._questions, tables, strict=True)
            for place, look in enumerate(question.looks)
            if look.of_things is not None and look.of_things.things is things
            if place not in table.known and look.of_things.needs <= table.known
            if code_is_at_hand(look.of_things.pairing is not None)
        ]

    def _look_at_once(self, tables: list[EventTable], state: Any) -> None:
        """Fill in what is read from the state itself, at the events that are open: many states together."""
        looks = self._looks_at(tables, None) if self._at_once else []
        if not looks:
            return
        rows = tables[0].rows
        needed = [self._needed(*pair) for pair in zip(self._questions, tables, strict=True)]
        events = np.flatnonzero(np.logical_or.reduce(needed))
        together = max(1, MOST_BYTES // sum(getattr(state, name).nbytes for name in self._at_once))
        before, state = state, copied(state)
        for start in range(0, len(events), together):
            mine = events[start : start + together]
            task = Task(watch=self._at_once, whole=True, moments=rows["event"][mine].astype(np.int64))
            number = int(rows["event"][mine[-1]])
            for stretch in self._timeline.onwards(state, number, task, Slices(MOST_EVENTS), self._looker.by, False):
                first = int(stretch.rows["event"][0]) - int(rows["event"][0])
                here = mine[(mine >= first) & (mine < first + len(stretch.rows))]
                told = np.searchsorted(stretch.changes.event, here - first, "right")
                for table, place, look in looks if len(here) else ():
                    at = table.lead.length + here
                    table.looks[place][at] = of_states(look, stretch.changes, before, table, told)
                state = stretch.state
                before = state._replace(**{name: getattr(state, name).copy() for name in self._at_once})
        for table, place, _ in looks:
            table.known.add(place)

    def _again(self, state: Any, rows: np.ndarray, watch: WatchedThings) -> Iterator[Told]:
        """Run on from *state*: what changed up to each of the events of *rows*."""
        moments = rows["event"].astype(np.int64)
        task = _watching(watch)._replace(moments=moments)
        before = state
        last = int(moments.max(initial=0))
        for stretch in self._timeline.onwards(copied(state), last, task, Slices(MOST_EVENTS), self._looker.by, False):
            yield before, stretch.changes, len(stretch.rows)
            before = copied(stretch.state)

    def _needed(self, question: Question, table: EventTable) -> NDArray[np.bool_]:
        """[n] the events whose states decide a question, and the last ones for the next table."""
        if len(table.known) == len(question.looks):
            return np.zeros(len(table.rows), np.bool_)
        open_ones = question.candidates(table)
        needed = open_ones.copy()
        for back in range(1, question.depth + 1 if question.recalls or question.pairs else 1):
            needed[:-back] |= open_ones[back:]
        if self._recalls:
            needed[-self._depth :] = True
        return np.asarray(needed[self._depth :])

    def _made_after(self, state: Any) -> tuple[Any, Callable[[], dict[str, float]]]:
        """The state one event later, made by the reference, and what the policy said of it."""
        if self._timeline.system.next_event(state) is None:
            return state, _nothing
        run = EventRun(self._timeline.system, state)
        run.finish()
        return run.state, partial(_said, run)

    def _state_after(self, state: Any, event: int) -> Any:
        for stretch in self._timeline.onwards(state, event, by=self._looker.by, to_take=False):
            state = stretch.state
        return state


def _none() -> None:
    return None


def _nothing() -> dict[str, float]:
    return {}


def _said(run: EventRun) -> dict[str, float]:
    """The numbers that the policy said in an event, the last one of each name."""
    values = [pair for record in run.records for pair in record.values.items()]
    return {name: float(value) for name, value in values if isinstance(value, int | float | np.number)}


def _fill(looks: Sequence[tuple[EventTable, int, OfThings]], told: Iterable[Told], watch: WatchedThings) -> bool:
    """Fill in looks from what was *told*; False where a thing has left the place at which alone it was watched."""
    first, mine = 0, [look for *_, look in looks]
    for before, changes, count in told:
        if not all_stay(watch, mine, before, changes):
            return False
        for table, place, look in looks:
            start = table.lead.length + first
            table.looks[place][start : start + count] = column_of(look, changes, before, table, start, count)
        first += count
    return True


def _watching(watch: WatchedThings) -> Task:
    """What lets a run tell what it changes."""
    things, derived = watch.things, watch.things.derived
    if watch.only and derived is not None and {*derived.names}.isdisjoint(watch.names):
        derived = None  # it would tell which places change
    return Task(watch=watch.names, settled=things.settled, derived=derived, touched=things.touched, only=watch.only)


def _one(look: Any, scene: EventTable) -> float:
    with np.errstate(all="ignore"):
        return float(np.ravel(look(scene))[0])
