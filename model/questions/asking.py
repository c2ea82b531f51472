"""Where in a run questions hold: its events are run again in slices, and looked at slice by slice.

Rows and samples of a slice are columns, so that an event costs little more than running it.  Where
a question asks for the state, a slice is run a second time and looked at after the events that the rest
of the question leaves open; where those are many, its first run is looked at after each event.
"""

from __future__ import annotations

from contextlib import closing
from functools import cached_property, partial
from time import monotonic
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
from slotscope.model.running.ahead import ahead, processors
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
MANY = 0.3


#: Share of a slice's time for which who looks at it may wait for the next one, and still leave more to be run ahead.
IDLE = 0.05

#: A state, what changed after it, event by event, and how many events that were.
Told = tuple[Any, RowChanges, int]


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
            self._slices = Slices(min(FEW, self._slices.room), SECONDS)
        looks = [look for question in questions for look in question.looks]
        self._watches = watched_by(looks, state, system.numbers)
        self._at_once = read_at_once(looks, state, system.numbers)
        self._many = (False,) * len(self._watches)  # of which the last slice left so many events open that a run
        # had better tell their changes at each
        self._all_ahead = False  # whether changes of other things than those of the first of these are told ahead, too
        self._pairs = any(question.pairs for question in questions)
        self._seen: Any = None  # the state that was looked at last; it follows the run while it stays near
        self._leads = [self._first_lead() for _ in questions]
        for lead, question in zip(self._leads, questions, strict=True):
            self._look_at_start(lead, question)

    def _first_lead(self) -> Lead:
        """Before the first event: its state is known, but no row."""
        rows = np.zeros(self._depth, self._timeline.system.row_dtype)
        rows["event"][:-1] = NO_EVENT
        samples = np.full((self._depth, self._timeline.system.sample_width if self._samples else 0), np.nan)
        if self._depth and self._samples:
            self._timeline.system.sample(self._state, samples[-1])
        return Lead(rows, samples)

    def _look_at_start(self, lead: Lead, question: Question) -> None:
        if not self._depth:
            return
        table = EventTable(lead.rows[:0], lead.samples[:0], lead, self._system.numbers)
        for place in range(len(question.looks)):
            table.looks[place] = lead.looks[place] = np.full(self._depth, np.nan)
        scene = table.one(self._depth - 1, self._state)
        for place, look in enumerate(question.looks):
            lead.looks[place][-1] = _one(look.read, scene)

    def onwards(self, last: int, until: float) -> Iterator[tuple[EventTable, list[Column]]]:
        """Each slice, and what each question says of the events of its table."""
        if not self._looks:
            for stretch in self._timeline.onwards(self._state, last, self._task(until), self._slices):
                yield from self._passed(stretch, None)
            return
        before, start, many = copied(self._state), place_of(self._state), None
        while many != self._many:  # what the run is to tell has changed on the way
            many = self._many
            with closing(self._run_on(before, last, until)) as pieces:
                for piece in self._timed(pieces):
                    end = None if last == NO_END else last
                    tell_of_events(start, place_of(before), end, until, self._timeline.live_end)
                    yield from self._passed(piece, before)
                    before = piece.state
                    if self._many != many:
                        break

    def _timed(self, pieces: Iterator[Stretch]) -> Iterator[Stretch]:
        """The same; where it is waited for them, less is told of the next ones ahead, else more."""
        began = monotonic()
        while (piece := next(pieces, None)) is not None:
            came = monotonic()
            yield piece
            waited, began = came - began, monotonic()
            self._all_ahead = waited < IDLE * (began - came)

    def _run_on(self, state: Any, last: int, until: float) -> Generator[Stretch, None, None]:
        """Stretches from a state on whose events are looked at: the next one is run meanwhile, where that can be."""
        other = self._other if last - place_of(state)[0] > MOST_EVENTS else None  # for few it takes longer to begin
        pieces = self._told(state, last, until, other)
        return ahead(pieces) if other is not None else pieces

    @cached_property
    def _other(self) -> Engine | None:
        """What runs ahead in a thread of its own, where there is a processor for that."""
        engine = self._timeline.engine
        return engine.another() if engine.watches and processors() > 1 else None

    def _told(self, state: Any, last: int, until: float, by: Engine | None) -> Generator[Stretch, None, None]:
        """Stretches of their own, with what is told of them: by watches that want each event, or nearly.

        Other watches than the first need another run; it is left to who looks where that has less to do.
        """
        watches = [place for place, many in enumerate(self._many) if many]
        task = self._task(until, watches[0] if watches else None)
        for stretch in self._timeline.onwards(copied(state), last, task, self._slices, by):
            rows = stretch.rows.copy()
            told = {place: [(state, stretch.changes, len(rows))] for place in watches[:1]}
            others = watches[1:] if self._all_ahead else ()
            told |= {place: [*self._again(state, rows, self._watches[place], by)] for place in others}
            state = copied(stretch.state)
            yield Stretch(state, rows, stretch.samples, told)

    def _passed(self, stretch: Stretch, before: Any) -> Iterator[tuple[EventTable, list[Column]]]:
        """What is asked of a stretch; afterwards the run stands there, if it goes along."""
        if len(stretch.rows):
            yield self._answered(stretch.rows, stretch, before)
        if self._along:
            self._timeline.take(stretch)

    def _task(self, until: float, watch: int | None = None) -> Task:
        least = self._timeline.samples.stride if self._along else 0
        task = Task() if watch is None else _watching(self._watches[watch])
        return task._replace(until=until, stride=1 if self._samples else least, explain=self._costly)

    def _answered(self, rows: np.ndarray, stretch: Stretch, before: Any) -> tuple[EventTable, list[Column]]:
        samples = stretch.samples if self._samples else np.zeros((len(rows), 0))
        tables = [EventTable(rows, samples, lead, self._system.numbers) for lead in self._leads]
        if self._looks:
            self._look(tables, before, stretch)
        values = [question.at(table) for question, table in zip(self._questions, tables, strict=True)]
        if self._depth:
            self._leads = self._leads_after(tables)
        return tables[0], values

    def _leads_after(self, tables: list[EventTable]) -> list[Lead]:
        """The last events of each table, for the next one; their rows and samples are the same for all questions."""
        last, lead = slice(-self._depth, None), tables[0].lead
        rows = np.concatenate([lead.rows, tables[0].rows[last]])[last]
        samples = np.concatenate([lead.samples, tables[0].samples[last]])[last]
        return [
            Lead(rows, samples, {place: look[last].copy() for place, look in table.looks.items()}) for table in tables
        ]

    # States.

    def _look(self, tables: list[EventTable], state: Any, stretch: Stretch) -> None:
        """Find what the questions read from states: in what events changed, or at the events that they leave open.

        *state* is that before the *stretch*.
        """
        for question, table in zip(self._questions, tables, strict=True):
            for place in range(len(question.looks)):
                fresh = np.full(len(table.rows), np.nan)
                known = table.lead.looks.get(place, fresh[:0])
                table.looks[place] = np.concatenate([known, fresh])
        self._pass_over(tables, state, stretch.state)
        if self._timeline.engine.watches:
            self._look_at_once(tables, state)
            left_open = (
                self._look_at_changes(tables, state, watch, stretch.changes.get(place))
                for place, watch in enumerate(self._watches)
            )
            self._many = tuple(left_open)
        began = monotonic()
        needed = [self._needed(*pair) for pair in zip(self._questions, tables, strict=True)]
        events = np.flatnonzero(np.logical_or.reduce(needed)).tolist()
        if self._seen is not None and events and int(state.number[EVENT]) - int(self._seen.number[EVENT]) <= NEAR:
            state = self._seen
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
        if events:
            self._seen = state
            self._slices.learn(len(tables[0].rows), monotonic() - began)

    def _pass_over(self, tables: list[EventTable], before: Any, after: Any) -> None:
        """What is read of jobs that have left before a slice, or come after it, is missing; or nobody asks."""
        first, last = (self._system.initial_jobs + int(state.number[NEXT_ARRIVAL]) for state in (before, after))
        for question, table in zip(self._questions, tables, strict=True):
            for place, look in enumerate(question.looks):
                away = look.of_things is not None and is_away(look.of_things, before, (first, last))
                if away or place not in question.part.needs:
                    table.known.add(place)

    def _look_at_changes(
        self, tables: list[EventTable], state: Any, watch: WatchedThings, told: Sequence[Told] | None
    ) -> bool:
        """Fill in what is read of things, at the events that are open, from what was changed up to each of them.

        Where that was not *told* its events are run once more, from *state*.  Whether many events were open.
        """
        rows = tables[0].rows
        open_ones = np.logical_or.reduce([self._needed(*pair) for pair in zip(self._questions, tables, strict=True)])
        looks = self._looks_at(tables, watch.things)
        if told and looks:
            _fill(looks, told, watch)
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
            for stretch in self._timeline.onwards(state, number, task, Slices(MOST_EVENTS)):
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

    def _again(self, state: Any, rows: np.ndarray, watch: WatchedThings, by: Engine | None = None) -> Iterator[Told]:
        """Run on from *state*: what changed up to each of the events of *rows*."""
        moments = rows["event"].astype(np.int64)
        task = _watching(watch)._replace(moments=moments)
        before = state
        last = int(moments.max(initial=0))
        for stretch in self._timeline.onwards(copied(state), last, task, Slices(MOST_EVENTS), by):
            yield before, stretch.changes, len(stretch.rows)
            before = copied(stretch.state)

    def _needed(self, question: Question, table: EventTable) -> NDArray[np.bool_]:
        """[n] the events whose states decide a question, and the last ones for the next table."""
        if len(table.known) == len(question.looks):
            return np.zeros(len(table.rows), np.bool_)
        open_ones = question.candidates(table)
        needed = open_ones.copy()
        for back in range(1, question.depth + 1):
            needed[:-back] |= open_ones[back:]
        if self._depth:
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
        for stretch in self._timeline.onwards(state, event):
            state = stretch.state
        return state


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
