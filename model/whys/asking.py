"""The answer to "why": the event is replayed, its candidates are put under conditions, and a change is searched."""

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

#: Changes that are replayed at most.
MOST_CHANGES = 200

#: Events that a changed replay may take before the one in question comes.
MOST_EVENTS_BEFORE = 50

#: Events looked back over for one that decides something.
MOST_BACK = 1000


#: How far the search for the smallest change is: nobody asks for it, it goes on, it is over, or it was given up.
Search = Literal["none", "on", "done", "stopped"]


class Flip(NamedTuple):
    """The smallest change that was found, and what a replay with it came to; or that none was."""

    words: str  #: what is changed; empty: nothing of what was tried flips it
    proof: str  #: "replayed: job 812 is admitted to server 7"
    tried: int
    change: Change | None = None
    found: Subject | None = None  #: what is decided then

    @property
    def none_told(self) -> str:
        """What there is to say where none was found."""
        if not self.tried:
            return "There is no small change to try."
        return f"No small change flips it: {grouped(self.tried)} {'was' if self.tried == 1 else 'were'} replayed."


@dataclass(frozen=True, eq=False)
class Why:
    """The answer about one decision."""

    event: int
    time: float
    job: int  #: negative: it is about none, such as a request for jobs
    question: str
    outcome: str
    sentence: str
    tables: tuple[Candidates, ...]
    server: int = -1  #: the server asked about
    flip: Flip | None = None
    setting: Setting | None = None
    search: Search = "none"  #: for the change that flips it


def why(bench: Any, timeline: Any, event: int, job: int = -1, server: int = -1) -> Why:
    """Why the decision of an event (about a job) was what it was, and why not a server; without the change.

    Raises UserError if the run has no such event, it decides nothing of the job, or there is no such server.
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
    """As :func:`why`, of a thing that is pointed at, as of where the run stands: a job, a server, what stands for a job
    (the head of a queue, a backup server), or what an event has made (a token).

    Raises UserError if nothing was decided.
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
    """The same answer with the smallest change that flips the decision, proved by a replay."""
    assert answer.setting is not None
    flip = _smallest(bench.kind.whys, answer.setting, timeline.fork_at(answer.event - 1))
    return replace(answer, flip=flip, search="done")


def _made_in_the_making(bench: Any, timeline: Any) -> tuple[int, int] | None:
    """The event that is being stepped through, and whose decision was made in it last; None: nobody's yet."""
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
    """The last event up to *event* that decides something of a job; 0: there is none near."""
    for near in range(event, max(timeline.first_event, event - MOST_BACK), -1):
        system = bench.at(near - 1).system
        subject = bench.kind.whys.subject(system, replayed(system, timeline.fork_at(near - 1)), -1)
        if subject is not None and subject.job >= 0:
            return near
    return 0


def decided_at(bench: Any, timeline: Any, job: int) -> int:
    """The event at which a job was decided; 0: not yet. Raises UserError if it was there from the start."""
    decided, initial = bench.kind.whys.decided, bench.system.initial_jobs
    return first_at(timeline, lambda state: bool(decided(state, job, initial)), f"job {bench.system.job_name(job)}")


def _put_there_at(bench: Any, timeline: Any, job: int, decided: int) -> int:
    """The event that put a job where it is as the run stands: that which decided it, or the last that moved it."""
    server_now, last = bench.kind.whys.server_now, int(timeline.event)
    server = server_now(timeline.fork_at(last), job)
    if server == -1 or last <= decided:
        return decided
    rows = timeline.rows(decided + 1, last)
    near = rows["event"][bench.kind.inspector.may_concern(rows, Thing(JOB, job), None)]
    moves = (event for event in near[::-1].tolist() if server_now(timeline.fork_at(event - 1), job) != server)
    return int(next(moves, decided))


def first_at(timeline: Any, holds: Callable[[Any], bool], what: str) -> int:
    """The event after which something holds of the state that holds from then on; 0: not yet.

    By halving: each look is a state of the timeline.
    Raises UserError if it holds from the start, as *what* was there then.
    """
    low, high = int(timeline.first_event), int(timeline.live_end)
    if holds(timeline.fork_at(low)):
        raise UserError(f"found {what}, which was there from the start, allowed: what an event has decided")
    return _first_after(timeline, holds, low, high) if holds(timeline.fork_at(high)) else 0


def _first_after(timeline: Any, holds: Callable[[Any], bool], low: int, high: int) -> int:
    """The event after which something begins to hold that does not after event *low*, and does after *high*."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(timeline.fork_at(middle)) else (middle, high)
    return high


def replayed(system: Any, before: Any) -> Happened:
    """The next event of a state, by the reference; the state itself stays as it is."""
    run = EventRun(system, copied(before))
    run.finish(who_waits().stop)
    return Happened(run.event, run.records, run.state)


class Retaking:
    """An event once more, from the state *before* it, for the states in which its decisions were made.

    It is gone through once as long as they are asked for in turn.
    """

    def __init__(self, system: Any, before: Any) -> None:
        self._system, self._before = system, before
        self._run: EventRun | None = None
        self._place = 0

    def to(self, place: int) -> tuple[Any, tuple[Record, ...]]:
        """The state after so many sub-steps, which is the caller's own, and these."""
        if self._run is None or place < self._place:
            self._run, self._place = EventRun(self._system, copied(self._before)), 0
        while self._place < place:
            self._run.step()
            self._place += 1
        return copied(self._run.state), tuple(self._run.records)


def taken_to(system: Any, before: Any, place: int) -> tuple[Any, tuple[Record, ...]]:
    """As :meth:`Retaking.to`, for who asks once: of a large state one copy is made and not two."""
    run = EventRun(system, copied(before))
    for _ in range(place):
        run.step()
    return run.state, tuple(run.records)


def setting_of(
    taken: tuple[Any, tuple[Record, ...]], system: Any, happened: Happened, subject: Subject, server: int = -1
) -> Setting:
    """The state just before a decision of an event that *happened*, and is *taken* again up to there."""
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
    """Whether other servers for the job, or another choice, answer the question otherwise."""
    subject = setting.subject
    if setting.server >= 0:
        return (setting.server in found.on) != (setting.server in subject.on)
    return (set(found.on), found.choice) != (set(subject.on), subject.choice)


def outcome_with(whys: Whys, setting: Setting, before: Any, change: Change) -> Subject | None:
    """What becomes of the job if something is changed before the event.

    None: its turn does not come, or the system could not be so.
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
        if subject is not None and subject.job == setting.subject.job:  # else it is met in another's decision
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
