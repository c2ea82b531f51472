"""Two or three policies side by side on the same jobs, with clocks in step, moved together.

A :class:`Comparison` has the interface of :class:`model.api.Session`.  Events are numbered as in
the first lane; the time is the common clock.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import replace
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, Mapping, Sequence

from slotscope.model.api import Session
from slotscope.model.comparison.common_time import CommonTime
from slotscope.model.comparison.companion import caught_up, companion
from slotscope.model.comparison.differences import DIFFERENCES, Difference, Standing
from slotscope.model.comparison.lane import Lane, arrival_time, labels_of
from slotscope.model.comparison.lockstep import Lockstep, place_of
from slotscope.model.comparison.search import DifferenceSearch
from slotscope.model.errors import UserError
from slotscope.model.policies.choice import choice_text
from slotscope.model.reporting.frame import Frame, RunInfo, Speed
from slotscope.model.reporting.records import Event
from slotscope.model.running.assembly import Bench
from slotscope.model.running.engine import Reason
from slotscope.model.running.origin import Origin
from slotscope.model.running.waiting import GivenUpError
from slotscope.model.scenario.load import Scenario

#: The fewest and the most lanes of a comparison.
LEAST_LANES, MOST_LANES = 2, 3

#: More sub-steps than any event has.
LAST_SUBSTEP = 2**30


class Comparison:
    """Several policies on the same jobs, moved together."""

    def __init__(self, sessions: Sequence[Session], layout: str = "") -> None:
        if not LEAST_LANES <= len(sessions) <= MOST_LANES:
            raise UserError(f"found {len(sessions)} policies to compare, allowed: {LEAST_LANES} or {MOST_LANES}")
        self.lanes = tuple(Lane(session) for session in sessions)
        self.sessions = tuple(sessions)  #: one for each policy
        self.layout = layout
        #: The lane whose decisions are stepped into, if it takes part in an event; otherwise it is the first lane
        #: that does.
        self.followed = 0
        self._moved = Lockstep(self.lanes)
        self._search = DifferenceSearch(self.lanes)
        self._found: Difference | None = None
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
    ) -> Comparison:
        """Open a scenario under each of *policies*; see :meth:`model.api.Session.open`.

        A trace is read only once.
        Raises UserError with one line that says what is wrong with the scenario, a policy or the trace.
        """
        first = Session.open(scenario, policies[0], seed, trace, kernel)
        return cls.beside(first, [policy for policy in policies[1:] if policy], kernel)

    @classmethod
    def beside(cls, session: Session, policies: Sequence[str], kernel: bool = True) -> Comparison:
        """Put other policies beside a run, which keeps its history; the others run up to its clock.

        Raises UserError if a policy is unknown, or cannot run from the run's start.
        """
        others = [companion(session, policy, kernel) for policy in policies]
        return cls.of([session, *others])

    @classmethod
    def of(cls, sessions: Sequence[Session]) -> Comparison:
        """Compare runs on the same jobs at the clock of the first one; the others run up to it.

        If the user stops waiting (:mod:`model.running.waiting`), all stand at the earliest time that one of them
        has reached, or at the start if getting there takes too long as well.
        """
        first = sessions[0]
        for session in sessions:
            first.forks.add(session.origin.policy)  # so that the what-if list shows a policy that was typed, too
        first.timeline.leave_event()
        comparison = cls(sessions, first.layout)
        if first.timeline.event == first.timeline.first_event:
            comparison.to_start()
            return comparison
        time = first.timeline.time
        try:
            for session in sessions[1:]:
                caught_up(session, time)
        except GivenUpError:
            reached = (session.timeline.extent().live_end_time for session in sessions)
            time = min(time, *reached)
        with suppress(GivenUpError):
            comparison._moved.meet(time)
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
        """The description of the first lane's run, which does not change."""
        return self.sessions[0].info

    @property
    def origin(self) -> Origin:
        """The origin of the first lane's run."""
        return self.sessions[0].origin

    @property
    def name(self) -> str:
        """The displayed name of the scenario."""
        return self.sessions[0].name

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each lane: its policy's title, with parameters if titles are equal."""
        return labels_of(
            [session.label for session in self.sessions],
            [session.bench.root.scenario.policy for session in self.sessions],
        )

    @property
    def differences(self) -> Mapping[str, bool]:
        """The kinds of difference that a run can stop at, see :data:`DIFFERENCES`."""
        return DIFFERENCES if self.bench.kind.compares_decisions else {}

    def rename(self, name: str) -> None:
        """Change the displayed scenario name of all runs."""
        for session in self.sessions:
            session.rename(name)

    def use_kernel(self) -> bool:
        """Run compiled from now on in each lane that has a compiled twin; False if none has one."""
        done = [session.use_kernel() for session in self.sessions]
        return any(done)

    # Forwards.

    def run(
        self, events: int | None = None, until: float = inf, stop: tuple[str, ...] = (), budget: float = inf
    ) -> Reason:
        """Run on for *events* events of the first lane, until a time, or to an event of a kind in *stop*.

        An event of a kind counts in any lane; the kinds of
        :data:`model.comparison.differences.DIFFERENCES` are arrivals that lanes decide differently.
        After ``budget`` seconds of real time the run ends early with :attr:`Reason.LIMIT`.
        """
        known = self.info.event_kinds
        flags = sum(known[kind] for kind in stop if kind in known)
        wanted = [DIFFERENCES[kind] for kind in stop if kind in self.differences]
        last = None if events is None else self.timeline.event + events
        deadline = monotonic() + budget
        if not wanted:
            return self._moved.run(last, until, flags, deadline)
        self._search.leave(False)
        start = self._search.taken()
        while True:
            reason = self._moved.run(last, until, flags, -inf)  # a single slice
            found = self._search.first(start, self._search.taken(), all(wanted))
            if found is not None:
                self._go_before(found)
                self._moved.step()
                return Reason.FLAG
            start = self._search.taken()
            if reason is not Reason.LIMIT or monotonic() >= deadline:
                return reason

    def continued(self, scenario: Scenario, policy: str | None = None) -> Comparison:
        """Unsupported: the lanes of a comparison would get different jobs from here on. Raises UserError always."""
        raise UserError(
            "found a comparison, allowed when continuing under other rules: one "
            "policy; end the comparison, or run it from the start"
        )

    def step(self) -> None:
        """Run one event, in every lane that has it; from within an event, run to its end."""
        self._moved.step()

    def step_out(self) -> None:
        """Run to the end of the unfinished event; between events, do nothing."""
        if self._moved.inside is not None:
            self._moved.step()

    def step_into(self) -> None:
        """Run one sub-step in the followed lane; when its event ends, the other lanes run the event, too."""
        following = self._moved.next_lanes()
        if not following:
            return
        place = self._moved.inside
        if place is None:
            place = self.followed if self.followed in following else following[0]
        self._moved.step_into(place)

    # Backwards.

    def step_back(self) -> None:
        """Go back to the start of the unfinished event, or else one event back."""
        inside = self._moved.inside
        if inside is not None:
            self.sessions[inside].step_back()
        else:
            self._moved.step_back()

    def step_back_into(self) -> None:
        """Go back one sub-step."""
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
        """Go to the moment after *event* events of a lane and *substep* sub-steps of its next event."""
        if substep:
            self._moved.before(lane, event + 1)
            self.sessions[lane].seek(self.sessions[lane].timeline.event, substep)
        else:
            self._moved.after(lane, event)

    def seek_all(self, events: Sequence[int]) -> None:
        """Go to where each lane has had so many events. Raises UserError if the lanes never stand there together."""
        if not self._moved.to_events(tuple(events)):
            met = ",".join(map(str, self._moved.events))
            raise UserError(
                f"found the events {','.join(map(str, events))}, allowed: numbers at "
                f"which the policies stand together, such as {met}"
            )

    def seek_time(self, time: float) -> None:
        """Go to the moment after all events up to *time*."""
        self._moved.to_time(time)

    def to_start(self) -> None:
        """Go back to the start of history."""
        self._moved.to_start()

    def to_live_end(self) -> None:
        """Go to the latest time that any lane has reached."""
        self._moved.to_time(max(lane.line.extent().live_end_time for lane in self.lanes))

    def back_to(self, kind: str) -> bool:
        """Go to just before the previous event of a kind; False if there is none."""
        if kind in self.differences:
            self._search.leave(False)
            found = self._search.last(self._search.taken(), DIFFERENCES[kind])
            if found is not None:
                self._go_before(found)
            return found is not None
        met = [(lane, session.previous_of(kind)) for lane, session in enumerate(self.sessions)]
        places = [(self._place_of(lane, event), lane, event) for lane, event in met if event is not None]
        if places:
            self._moved.before(*max(places)[1:])
        return bool(places)

    def _place_of(self, lane: int, event: int) -> tuple[float, int, int]:
        (row,) = self.sessions[lane].timeline.rows(event, event)
        return place_of(Event(int(row["kind"]), float(row["time"]), job=int(row["job"])))

    # Differences.

    def decided(self) -> int:
        """The number of arrivals that every lane has decided in its history, including those after this moment.

        0 if decisions cannot be compared.
        """
        return self._search.decided() if self.differences else 0

    def first_difference(self, where: bool = False) -> Difference | None:
        """The first arrival of all history that lanes decide differently.

        None if there is none so far, or decisions cannot be compared.

        By default only admission or rejection is compared; with *where* the whole answer.  The run does
        not move.
        """
        return self._search.first_ever(where) if self.differences else None

    def go_to_first_difference(self, where: bool = False) -> bool:
        """Go to just before the first arrival that lanes decide differently; False if there is none."""
        self._search.leave(False)
        found = self.first_difference(where)
        if found is not None:
            self._go_before(found.arrival)
        return found is not None

    def _go_before(self, arrival: int) -> None:
        self._moved.before_arrival(arrival, arrival_time(self.first_session, arrival))
        self._found = self._search.described(arrival)

    def leave_past(self) -> None:
        """Stop reading earlier decisions, and use those read so far, until the user goes to a difference."""
        self._search.leave()

    # Looking.

    def frame(
        self,
        running: bool = False,
        speed: Speed | None = None,
        message: str = "",
        bounds: Any = None,
        breakpoints: frozenset[int | str] = frozenset(),
        playing: bool = False,
        hasty: bool = False,
        offering: bool = False,
    ) -> Frame:
        """A snapshot of the first lane at this moment, with those of the others in it; see :meth:`Session.frame`.

        If *hasty*, only those earlier decisions are used that have been read already.
        """
        clock = self._moved.clock
        marked = [breakpoints, *(frozenset[int | str]() for _ in self.sessions[1:])]
        frames = [
            session.frame(running, speed, message, bounds, its, playing, hasty, offering)
            for session, its in zip(self.sessions, marked, strict=True)
        ]
        frames = [
            replace(frame, time=clock, beside=tuple(frames[:place] + frames[place + 1 :]))
            for place, frame in enumerate(frames)
        ]
        with self._search.unread() if hasty else nullcontext():
            return replace(frames[0], companions=tuple(frames[1:]), comparison=self.standing())

    @property
    def past_known(self) -> bool:
        """Whether all earlier decisions are known, or decisions cannot be compared."""
        return self._search.whole or not self.differences

    def standing(self) -> Standing:
        """The comparison of the lanes at this moment."""
        return Standing(
            labels=self.labels,
            policies=tuple(choice_text(one.bench.scenario.policy) for one in self.sessions),
            next_lanes=self._moved.next_lanes(),
            followed=self.followed,
            first=self.first_difference(),
            found=self._found,
            decided=self.decided(),
            whole=self.past_known,
            bytes=sum(lane.record.bytes for lane in self.lanes),
        )
