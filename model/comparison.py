"""Two or three policies side by side: the same jobs, clocks in step, one way to move them all.

A :class:`Comparison` is driven like a :class:`model.api.Session`.  Events are numbered as in
the first lane; the time is the common clock.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Sequence

from model.api import Session
from model.assembly import Bench, assemble
from model.bounds import Bounds
from model.decision_record import STRETCH, differing
from model.differences import DIFFERENCES, Difference, Standing
from model.engine import Engine, Reason
from model.errors import PolicyError, ScenarioError, UserError
from model.frame import Frame, RunInfo, Speed
from model.lane import Lane, arrival_time
from model.lockstep import Lockstep
from model.origin import Origin
from model.policy_choice import choice_text
from model.records import EVENT_KINDS, Event
from model.scenario.load import Scenario
from model.state import copied
from model.timeline import Extent

#: Lanes that a comparison has at least and at most.
LEAST_LANES, MOST_LANES = 2, 3


#: Events between two looks at the clock while a run catches up with another.
CATCH_UP = 512


class Comparison:
    """Several policies on the very same jobs, moved together.

    Attributes
    ----------
    sessions:
        One for each policy.
    followed:
        The lane whose decisions are stepped into, where it takes part in an event; elsewhere
        the first lane that does.
    """

    def __init__(self, sessions: Sequence[Session], layout: str = "") -> None:
        if not LEAST_LANES <= len(sessions) <= MOST_LANES:
            raise UserError(f"found {len(sessions)} policies to compare, allowed: {LEAST_LANES} "
                            f"or {MOST_LANES}")  # fmt: skip
        self.lanes = tuple(Lane(session) for session in sessions)
        self.sessions = tuple(sessions)
        self.layout = layout
        self.followed = 0
        self._moved = Lockstep(self.lanes)
        self._first: Difference | None = None
        self._found: Difference | None = None
        self._searched = self._start = self.lanes[0].record.first
        self.timeline = CommonTime(self._moved)

    # Opening.

    @classmethod
    def open(
        cls,
        scenario: str | Path | Scenario,
        policies: Sequence[str | None],
        seed: int | None = None,
        trace: tuple[str, ...] = (),
        kernel: bool = True,
        **reading: Any,
    ) -> Comparison:
        """Open a scenario under each of *policies*; see :meth:`model.api.Session.open`.

        A trace is read once.

        Raises
        ------
        UserError
            One line that says what is wrong with the scenario, a policy or the trace.
        """
        first = Session.open(scenario, policies[0], seed, trace, kernel, **reading)
        return cls.beside(first, [policy for policy in policies[1:] if policy], kernel)

    @classmethod
    def beside(cls, session: Session, policies: Sequence[str], kernel: bool = True) -> Comparison:
        """Put other policies beside a run, which keeps its history; they run up to its clock.

        Raises
        ------
        UserError
            If a policy is unknown, or cannot run from the run's start.
        """
        others = [companion(session, policy, kernel) for policy in policies]
        return cls.of([session, *others])

    @classmethod
    def of(cls, sessions: Sequence[Session], budget: float = inf) -> Comparison:
        """Compare runs on the same jobs at the first one's clock.

        If the others do not reach it within *budget* seconds each, all stand at the time that
        they did reach.
        """
        first = sessions[0]
        first.timeline.leave_event()
        comparison = cls(sessions, first.layout)
        started = first.timeline.event > first.timeline.first_event
        time = first.timeline.time
        for session in sessions[1:]:
            time = min(time, _caught_up(session, time, budget))
        if started:
            comparison._moved.to_time(time)
        else:
            comparison.to_start()
        return comparison

    @property
    def first_session(self) -> Session:
        """The session of the first lane."""
        return self.sessions[0]

    @property
    def bench(self) -> Bench:
        """The bench of the first lane."""
        return self.sessions[0].bench

    @property
    def info(self) -> RunInfo:
        """What stays the same in the first lane."""
        return self.sessions[0].info

    @property
    def origin(self) -> Origin:
        """Where the first lane's run came from."""
        return self.sessions[0].origin

    @property
    def name(self) -> str:
        """The scenario's name as it is shown."""
        return self.sessions[0].name

    @property
    def labels(self) -> tuple[str, ...]:
        """What to call each lane: its title, or its policy in full where titles agree."""
        titles = [session.info.policy_title for session in self.sessions]
        names = [title if titles.count(title) == 1 else f"{title}, {self._own(place)}"
                 for place, title in enumerate(titles)]  # fmt: skip
        return tuple(names)

    def _own(self, lane: int) -> str:
        """The parameters in which a lane differs from another of the same policy."""
        choices = [session.bench.scenario.policy for session in self.sessions]
        mine = choices[lane]
        others = [one.parameters for one in choices if one.name == mine.name]
        differ = [f"{key.rpartition('_')[2]} {value}" for key, value in mine.parameters.items()
                  if any(other.get(key) != value for other in others)]  # fmt: skip
        return ", ".join(differ) or "as given"

    def rename(self, name: str) -> None:
        """Show the runs under a scenario's name."""
        for session in self.sessions:
            session.rename(name)

    def use_kernel(self) -> bool:
        """Run compiled from here on, in each lane that has a compiled twin; False if none has."""
        done = [session.use_kernel() for session in self.sessions]
        return any(done)

    # Forwards.

    def run(
        self,
        events: int | None = None,
        until: float = inf,
        stop: tuple[str, ...] = (),
        budget: float = inf,
    ) -> Reason:
        """Run on: so many events of the first lane, until a time, or an event of a kind.

        An event of a kind counts in whatever lane it happens; the kinds of
        :data:`model.differences.DIFFERENCES` are those that lanes decide differently.
        ``budget`` seconds of real time end it early with :attr:`Reason.LIMIT`.
        """
        flags = sum(EVENT_KINDS[kind] for kind in stop if kind in EVENT_KINDS)
        wanted = [DIFFERENCES[kind] for kind in stop if kind in DIFFERENCES]
        last = None if events is None else self.timeline.event + events
        deadline = monotonic() + budget
        if not wanted:
            return self._moved.run(last, until, flags, deadline)
        start = self._arrivals
        while True:
            reason = self._moved.run(last, until, flags, -inf)  # a single slice
            found = self._search(start, self._arrivals, where=all(wanted))
            if found is not None:
                self._go_before(found)
                self._moved.step()
                return Reason.FLAG
            start = self._arrivals
            if reason is not Reason.LIMIT or monotonic() >= deadline:
                return reason

    def fork(self, scenario: Scenario, policy: str | None = None) -> Comparison:
        """Not for a comparison: its lanes would meet other jobs from here on.

        Raises
        ------
        UserError
            Always.
        """
        raise UserError("found a comparison, allowed when continuing under other rules: one "
                        "policy; end the comparison, or apply with a restart")  # fmt: skip

    def step(self) -> None:
        """One event, in every lane that has it; from the middle of one, to its end."""
        self._moved.step()

    def step_out(self) -> None:
        """To the end of the event in the making; nothing between events."""
        if self._moved.inside is not None:
            self._moved.step()

    def step_into(self) -> None:
        """One sub-step in the lane followed; closing the event lets the other lanes follow."""
        following = self._moved.next_lanes()
        if not following:
            return
        place = self._moved.inside
        if place is None:
            place = self.followed if self.followed in following else following[0]
        session = self.sessions[place]
        session.step_into()
        if not session.timeline.substep:
            for other in following:
                if other != place:
                    self.sessions[other].step()

    # Backwards.

    def step_back(self) -> None:
        """To the start of the event in the making, else one event back."""
        inside = self._moved.inside
        if inside is not None:
            self.sessions[inside].step_back()
        else:
            self._moved.step_back()

    def step_back_into(self) -> None:
        """One sub-step back."""
        inside = self._moved.inside
        if inside is not None:
            self.sessions[inside].step_back_into()
            return
        moved = self._moved.step_back()
        if moved:
            place = self.followed if self.followed in moved else moved[0]
            session = self.sessions[place]
            session.seek(session.timeline.event, LAST_SUBSTEP)

    def seek(self, event: int, substep: int = 0, lane: int = 0) -> None:
        """Stand after *event* events of a lane, then *substep* sub-steps into its next."""
        if substep:
            self._moved.before(lane, event + 1)
            self.sessions[lane].seek(self.sessions[lane].timeline.event, substep)
        else:
            self._moved.after(lane, event)

    def seek_time(self, time: float) -> None:
        """Stand after all events up to *time*."""
        self._moved.to_time(time)

    def to_start(self) -> None:
        """Back to event 0."""
        self._moved.to_start()

    def to_live_end(self) -> None:
        """To the last time ever reached."""
        self._moved.to_time(max(lane.line.extent().live_end_time for lane in self.lanes))

    def run_to(self, kind: str, budget: float = inf) -> Reason:
        """Run on to the next event of a kind and stand just before it takes effect.

        The very next event is passed over, so that asking again goes on to the one after.
        """
        self._moved.step()
        reason = self.run(stop=(kind,), budget=budget)
        if reason is Reason.FLAG:
            self.step_back()
        return reason

    def back_to(self, kind: str) -> bool:
        """Stand just before the previous event of a kind; False if there is none."""
        if kind in DIFFERENCES:
            found = self._search_back(self._arrivals, DIFFERENCES[kind])
            if found is not None:
                self._go_before(found)
            return found is not None
        met = [(lane, session.previous_of(kind)) for lane, session in enumerate(self.sessions)]
        places = [(self._time_of(lane, event), lane, event) for lane, event in met
                  if event is not None]  # fmt: skip
        if not places:
            return False
        _, lane, event = max(places)
        self._moved.before(lane, event)
        return True

    def _time_of(self, lane: int, event: int) -> float:
        return float(self.sessions[lane].timeline.rows(event, event)["time"][0])

    # Differences.

    @property
    def _arrivals(self) -> int:
        """Arrivals that every lane has taken (the same number, unless in the midst of one)."""
        return min(lane.arrivals for lane in self.lanes)

    def decided(self) -> int:
        """Arrivals decided so far in every lane, also after this moment."""
        return min(lane.decided() for lane in self.lanes)

    def first_difference(self, where: bool = False) -> Difference | None:
        """The first arrival of all history not decided alike; None if there is none so far.

        Admitted or rejected is what counts; with *where* also the server.  The run stays
        where it is.
        """
        if where:
            found = self._search(self._start, self.decided(), where)
            return None if found is None else self.described(found)
        if self._first is None:
            decided = self.decided()
            found = self._search(self._searched, decided, where)
            self._searched = decided
            self._first = None if found is None else self.described(found)
        return self._first

    def go_to_first_difference(self, where: bool = False) -> bool:
        """Stand just before the first arrival not decided alike takes effect; False if none."""
        found = self.first_difference(where)
        if found is not None:
            self._go_before(found.arrival)
        return found is not None

    def described(self, arrival: int) -> Difference:
        """What each lane did with an arrival, and why."""
        rows = tuple(lane.explained(arrival) for lane in self.lanes)
        row = rows[0]
        return Difference(arrival, int(row["job"]), float(row["time"]), int(row["type"]), rows)

    def _go_before(self, arrival: int) -> None:
        self._moved.before_arrival(arrival, arrival_time(self.first_session, arrival))
        self._found = self.described(arrival)

    def _search(self, first: int, last: int, where: bool) -> int | None:
        """The first arrival of *first* to *last* - 1 not decided alike."""
        for start in range(first, last, STRETCH):
            found = self._differing(start, min(start + STRETCH, last), where)
            if len(found):
                return start + int(found[0])
        return None

    def _search_back(self, last: int, where: bool) -> int | None:
        """The last arrival before *last* not decided alike."""
        self.decided()  # what was not recorded yet is filled in
        for stop in range(last, self._start, -STRETCH):
            start = max(self._start, stop - STRETCH)
            found = self._differing(start, stop, where)
            if len(found):
                return start + int(found[-1])
        return None

    def _differing(self, first: int, last: int, where: bool) -> Any:
        return differing([lane.servers(first, last) for lane in self.lanes], where).nonzero()[0]

    # Looking.

    def frame(
        self,
        running: bool = False,
        speed: Speed | None = None,
        message: str = "",
        bounds: Bounds | None = None,
        breakpoints: frozenset[int] = frozenset(),
    ) -> Frame:
        """A snapshot of this moment: that of the first lane, the others as its companions."""
        clock = self._moved.clock
        frames = [session.frame(running, speed, message, bounds,
                                breakpoints if place == 0 else frozenset())
                  for place, session in enumerate(self.sessions)]  # fmt: skip
        frames = [replace(frame, time=clock) for frame in frames]
        return replace(frames[0], companions=tuple(frames[1:]), comparison=self.standing())

    def standing(self) -> Standing:
        """How the lanes stand at this moment."""
        return Standing(
            labels=self.labels,
            policies=tuple(choice_text(one.bench.scenario.policy) for one in self.sessions),
            next_lanes=self._moved.next_lanes(),
            followed=self.followed,
            first=self.first_difference(),
            found=self._found,
            decided=self.decided(),
            bytes=sum(lane.record.bytes for lane in self.lanes),
        )


#: More sub-steps than any decision has.
LAST_SUBSTEP = 2**30


class CommonTime:
    """The timeline of a comparison: the first lane's events, and the common clock."""

    def __init__(self, moved: Lockstep) -> None:
        self._moved = moved
        self._first = moved.lanes[0].line

    @property
    def event(self) -> int:
        """Events of the first lane so far."""
        return self._first.event

    @property
    def first_event(self) -> int:
        """The first lane's first event."""
        return self._first.first_event

    @property
    def live_end(self) -> int:
        """The last event that the first lane ever reached."""
        return self._first.live_end

    @property
    def time(self) -> float:
        """The common clock."""
        return self._moved.clock

    @property
    def substep(self) -> int:
        """Sub-steps taken of the event in the making, in whatever lane."""
        inside = self._moved.inside
        return 0 if inside is None else self._moved.lanes[inside].line.substep

    @property
    def next_event(self) -> Event | None:
        """What happens next, in whatever lane."""
        return self._moved.next_event()

    @property
    def engine(self) -> Engine:
        """The engine of the first lane."""
        return self._first.engine

    def extent(self) -> Extent:
        """How far the history of the first lane reaches."""
        return self._first.extent()


def _caught_up(session: Session, time: float, budget: float) -> float:
    """Run a session up to *time*; the time that it reached within *budget* seconds."""
    if session.timeline.extent().live_end_time >= time:
        return time
    deadline = monotonic() + budget
    session.to_live_end()
    while session.run(events=CATCH_UP, until=time) is Reason.LIMIT:
        if monotonic() >= deadline:
            return session.timeline.time
    return time


def companion(session: Session, policy: str, kernel: bool = True) -> Session:
    """A new session at the start of a run's history, with its jobs, under another policy.

    Raises
    ------
    UserError
        If the policy is unknown, or cannot run from there.
    """
    system = session.bench.system
    try:
        bench = assemble(session.bench.scenario, policy, None, system.workload)
    except (ScenarioError, PolicyError) as error:
        raise error.inside(f"'{policy}'") from None
    bench = replace(bench, report=session.bench.report)
    source = session.origin
    origin = Origin(source.source, policy, source.seed, source.trace)
    state = None
    if session.timeline.first_event:  # a fork: the jobs in service stay
        state = bench.system.take_over(system, copied(session.timeline.first_state))
    bench.system.rename_jobs(system.initial_jobs, system.job_names())
    other = Session(bench, session.name, state, origin)
    if kernel:
        other.use_kernel()
    return other


Run = Session | Comparison


def lanes_of(run: Run) -> tuple[Session, ...]:
    """The sessions of a run: itself, or one for each policy."""
    return run.sessions if isinstance(run, Comparison) else (run,)


def lanes_shown(run: Run) -> tuple[tuple[str, RunInfo], ...]:
    """The label and description of each lane of a comparison; none for a session."""
    if not isinstance(run, Comparison):
        return ()
    infos = [session.info for session in run.sessions]
    return tuple(zip(run.labels, infos, strict=True))


def open_run(
    scenario: str | Path | Scenario,
    policies: Sequence[str],
    seed: int | None = None,
    trace: tuple[str, ...] = (),
    kernel: bool = True,
) -> Run:
    """A session under one policy (the scenario's if none is given), or a comparison of several.

    Raises
    ------
    UserError
        One line that says what is wrong with the scenario, a policy or the trace.
    """
    if len(policies) > 1:
        return Comparison.open(scenario, policies, seed, trace, kernel)
    return Session.open(scenario, policies[0] if policies else None, seed, trace, kernel)
