"""Answers "why": replays the event, evaluates the conditions on its candidates, and searches the smallest change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Iterator, Literal, NamedTuple

from slotscope.model.errors import PolicyError, UserError
from slotscope.model.measures.monitors import violations
from slotscope.model.phrase import Phrase
from slotscope.model.reporting.explain import grouped
from slotscope.model.reporting.inspection import JOB, SERVER, Thing
from slotscope.model.reporting.records import Record
from slotscope.model.running.engine import EventRun
from slotscope.model.running.waiting import GivenUpError, who_waits
from slotscope.model.systems.state import copied
from slotscope.model.whys.decision import Change, Happened, Setting, Subject, Whys
from slotscope.model.whys.tables import Candidates

#: The most changes that are replayed.
MOST_CHANGES = 200

#: The most events that a changed replay may run until the decision in question.
MOST_EVENTS_BEFORE = 50

#: How many events back a decision is searched.
MOST_BACK = 1000


#: The state of the search for the smallest change: not requested, under way, finished, or cancelled.
Search = Literal["none", "on", "done", "stopped"]


class Flip(NamedTuple):
    """The smallest change that flips the decision, with the outcome of its replay; or that none was found."""

    words: str  #: what is changed; empty: none of the changes tried flips it
    proof: str  #: "replayed: job 812 is admitted to server 7"
    tried: int
    change: Change | None = None
    found: Subject | None = None  #: the decision with the change

    @property
    def none_told(self) -> str:
        """The sentence for the case that no change was found."""
        if not self.tried:
            return "There is no small change to try."
        return f"No small change flips it: {grouped(self.tried)} {'was' if self.tried == 1 else 'were'} replayed."


@dataclass(frozen=True, eq=False)
class Why:
    """The answer about one decision."""

    event: int
    time: float
    job: int  #: negative: the decision is about no job, such as a request for jobs
    question: str
    outcome: str
    sentence: str
    tables: tuple[Candidates, ...]
    server: int = -1  #: the server asked about
    flip: Flip | None = None
    setting: Setting | None = None
    search: Search = "none"  #: for the change that flips it


def why(bench: Any, timeline: Any, event: int, job: int = -1, server: int = -1) -> Why:
    """Why an event (about a job) was decided as it was, and why not for *server*; without the smallest change.

    Raises UserError if the run has no such event, it decides nothing about the job, or there is no such server.
    """
    last = max(timeline.live_end, timeline.event + (timeline.event_in_the_making is not None))
    if last == timeline.first_event:
        raise UserError("no event has happened yet, allowed: one that has; let the run go on (Right)")
    if not timeline.first_event < event <= last:
        raise UserError(f"found event {event}, allowed: {timeline.first_event + 1} to {last}, the run's last so far")
    if event in bench.forced:
        raise UserError(
            f"event {event} is decided by the fork ({bench.forced[event]}), allowed: one that a policy decides; why it "
            "decides otherwise there is known of the run that the fork leaves"
        )
    system = bench.at(event - 1).system
    before = timeline.fork_at(event - 1)
    happened = replayed(system, before)
    subject = bench.kind.whys.subject(system, happened, job)
    if subject is None:
        near = latest_decision(bench, timeline, event - 1) if job < 0 else decided_at(bench, timeline, job)
        about = "" if job < 0 else f" of job {system.job_name(job)}"
        where = f", such as event {near}" if near else ""
        raise UserError(f"event {event} decides nothing{about}, allowed: one that places a job or turns it away{where}")
    setting = setting_of(taken_to(system, before, subject.place), system, happened, subject, server)
    tables = bench.kind.whys.candidates(setting)
    if server >= 0 and tables[0].place_of(server) < 0:
        raise UserError(f"found server {server + 1}, allowed: servers 1 to {int(tables[0].number_of.max()) + 1}")
    return Why(
        event,
        happened.event.time,
        subject.job,
        subject.question,
        subject.outcome,
        _sentence(tables[-1 if server < 0 <= subject.choice else 0], subject, server),
        tables,
        server,
        setting=setting,
    )


def why_of(bench: Any, timeline: Any, thing: Thing | None, event: int | None) -> Why:
    """As :func:`why`, about a thing that the user points at in the present state: a job, a server, what stands for a
    job (the head of a queue, a backup server), or what an event has created (a token).

    Raises UserError if nothing was decided about it.
    """
    server = thing.number if thing is not None and thing.what == SERVER else -1
    job = thing.number if thing is not None and thing.what == JOB else -1
    here = int(timeline.event)
    if event is not None:
        return why(bench, timeline, event, server=server)
    if thing is not None and server < 0 and job < 0:
        meant = bench.kind.whys.meant(timeline.fork_at(here), thing)
        if meant.made is not None:
            return why(bench, timeline, first_at(timeline, meant.made, f"{thing.what} {thing.number + 1}"))
        job = meant.job
    if job >= 0 and bench.kind.whys.decided(timeline.fork_at(here), job, bench.system.initial_jobs):
        here = _put_there_at(bench, timeline, job, decided_at(bench, timeline, job))
    elif job < 0:
        here, job = _made_in_the_making(bench, timeline) or (latest_decision(bench, timeline, here) or here, -1)
    return why(bench, timeline, here, job, server)


def with_flip(bench: Any, timeline: Any, answer: Why) -> Why:
    """The same answer with the smallest change that flips the decision, verified by a replay."""
    assert answer.setting is not None
    flip = _smallest(bench.kind.whys, answer.setting, timeline.fork_at(answer.event - 1))
    return replace(answer, flip=flip, search="done")


def _made_in_the_making(bench: Any, timeline: Any) -> tuple[int, int] | None:
    """The event in progress, and the job of the decision made in it last (negative: no job); None: none yet."""
    here = int(timeline.event)
    if not timeline.records or here + 1 in bench.forced:
        return None
    system, whys = bench.at(here).system, bench.kind.whys
    happened = replayed(system, timeline.fork_at(here))
    taken = len(timeline.records)
    about = [(place, whys.about(timeline.records[place])) for place in range(taken - 1, -1, -1)]
    for place, whose in [*about, (taken - 1, -1)]:
        subject = None if whose is None else whys.subject(system, happened, whose)
        if subject is not None and subject.place <= place:
            return here + 1, subject.job
    return None


def latest_decision(bench: Any, timeline: Any, event: int) -> int:
    """The last event up to *event* that decides about a job; 0: there is none within :data:`MOST_BACK` events."""
    for near in range(event, max(timeline.first_event, event - MOST_BACK), -1):
        system = bench.at(near - 1).system
        subject = bench.kind.whys.subject(system, replayed(system, timeline.fork_at(near - 1)), -1)
        if subject is not None and subject.job >= 0:
            return near
    return 0


def decided_at(bench: Any, timeline: Any, job: int) -> int:
    """The event that decided about a job; 0: none yet. Raises UserError if the job was there from the start."""
    decided, initial = bench.kind.whys.decided, bench.system.initial_jobs
    return first_at(timeline, lambda state: bool(decided(state, job, initial)), f"job {bench.system.job_name(job)}")


def _put_there_at(bench: Any, timeline: Any, job: int, decided: int) -> int:
    """The event that put a job where it is now: the last one that moved it, else the one that *decided* about it."""
    server_now, last = bench.kind.whys.server_now, int(timeline.event)
    server = server_now(timeline.fork_at(last), job)
    if server == -1 or last <= decided:
        return decided
    rows = timeline.rows(decided + 1, last)
    near = rows["event"][bench.kind.inspector.may_concern(rows, Thing(JOB, job), None)]
    moves = (event for event in near[::-1].tolist() if server_now(timeline.fork_at(event - 1), job) != server)
    return int(next(moves, decided))


def first_at(timeline: Any, holds: Callable[[Any], bool], what: str) -> int:
    """The event after which *holds*, which never becomes false again, is true of the state; 0: not yet.

    By bisection over the timeline's states.
    Raises UserError if it holds from the start, as *what* was there then.
    """
    low, high = int(timeline.first_event), int(timeline.live_end)
    if holds(timeline.fork_at(low)):
        raise UserError(f"found {what}, which was there from the start, allowed: what an event has decided")
    return _first_after(timeline, holds, low, high) if holds(timeline.fork_at(high)) else 0


def _first_after(timeline: Any, holds: Callable[[Any], bool], low: int, high: int) -> int:
    """The first event after which *holds* is true, by bisection: false after event *low*, true after *high*."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(timeline.fork_at(middle)) else (middle, high)
    return high


def replayed(system: Any, before: Any) -> Happened:
    """Run the next event on a copy of a state, by the reference."""
    run = EventRun(system, copied(before))
    run.finish(who_waits().stop)
    return Happened(run.event, run.records, run.state)


class Retaking:
    """Replays an event from the state *before* it, to give the states in which its decisions were made.

    It is replayed only once if these states are requested in order.
    """

    def __init__(self, system: Any, before: Any) -> None:
        self._system, self._before = system, before
        self._run: EventRun | None = None
        self._place = 0

    def to(self, place: int) -> tuple[Any, tuple[Record, ...]]:
        """A copy of the state after *place* sub-steps, for the caller to keep, and these sub-steps."""
        if self._run is None or place < self._place:
            self._run, self._place = EventRun(self._system, copied(self._before)), 0
        while self._place < place:
            self._run.step()
            self._place += 1
        return copied(self._run.state), tuple(self._run.records)


def taken_to(system: Any, before: Any, place: int) -> tuple[Any, tuple[Record, ...]]:
    """As :meth:`Retaking.to`, for a single request: it makes one copy of the state, not two."""
    run = EventRun(system, copied(before))
    for _ in range(place):
        run.step()
    return run.state, tuple(run.records)


def setting_of(
    taken: tuple[Any, tuple[Record, ...]], system: Any, happened: Happened, subject: Subject, server: int = -1
) -> Setting:
    """The setting of a decision in an event that *happened*; *taken* is its replay up to there."""
    state, records = taken
    decision = happened.records[subject.place] if subject.place < len(happened.records) else None
    return Setting(system, state, happened.event, records, subject, decision, server)


def _sentence(candidates: Candidates, subject: Subject, server: int) -> str:
    if server >= 0:
        return candidates.of(candidates.place_of(server))
    if len(candidates.chosen) == 1:
        return candidates.of(int(candidates.chosen[0]))
    outcome = subject.outcome
    return f"{outcome[0].upper()}{outcome[1:]}. {candidates.summary()}"


# The smallest change.


def _smallest(whys: Whys, setting: Setting, before: Any) -> Flip:
    tried = 0
    for change in sorted(whys.changes(setting, before), key=lambda one: one.size)[:MOST_CHANGES]:
        tried += 1
        who_waits().look(Phrase("Trying changes: {change}", change=change.words), tried / MOST_CHANGES)
        found = outcome_with(whys, setting, before, change)
        if found is not None and flips(setting, found):
            return Flip(change.words, f"replayed: {found.outcome}", tried, change, found)
    return Flip("", "", tried)


def flips(setting: Setting, found: Subject) -> bool:
    """Whether the decision *found* differs: for the server asked about, else in the job's servers or the choice."""
    subject = setting.subject
    if setting.server >= 0:
        return (setting.server in found.on) != (setting.server in subject.on)
    return (set(found.on), found.choice) != (set(subject.on), subject.choice)


def outcome_with(whys: Whys, setting: Setting, before: Any, change: Change) -> Subject | None:
    """The decision about the job if something is changed before the event.

    None: it is not decided any more, or the changed state violates an invariant.
    """
    state = copied(before)
    system = change.make(state)
    if violations(whys.monitors, system, state):
        return None
    for happened in _events(system, state):
        if happened.event.time > setting.event.time:
            return whys.missed(setting)
        if setting.subject.job < 0 and happened.event.time < setting.event.time:
            continue  # a server that asks for jobs does so again and again, a job is placed once
        subject = whys.subject(system, happened, setting.subject.job)
        if subject is not None and subject.job == setting.subject.job:  # else the job only occurs in another's decision
            return subject
    return None


def _events(system: Any, state: Any) -> Iterator[Happened]:
    for _ in range(MOST_EVENTS_BEFORE):
        if system.next_event(state) is None:
            return
        try:
            happened = replayed(system, state)
        except (PolicyError, GivenUpError):
            if who_waits().stop():
                raise
            return
        state = happened.state
        yield happened
