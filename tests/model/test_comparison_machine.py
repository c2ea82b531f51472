"""Random walks of policies side by side: every lane has the state of a straight run."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from slotscope.model.comparison.comparison import Comparison
from slotscope.model.kinds.reservation.questions import VOCABULARY
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, UPDATE
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import Reason
from slotscope.model.systems.state import digest
from tests.kinds.reservation.strategies import scenarios
from tests.straight import KEYFRAME_EVERY, LENGTH, Straight, hurried

POLICIES = ("dra", "first-fit")
KINDS = ("rejection", "admission", "departure", "migration")
RANK = {DEPARTURE: 0, UPDATE: 1, ARRIVAL: 2}


class Merged:
    """The events of straight runs in one order; ``places`` counts each lane's after each step."""

    def __init__(self, lanes: list[Straight]) -> None:
        keys = [[(float(row["time"]), RANK[int(row["kind"])], int(row["job"])) for row in lane.rows] for lane in lanes]
        counts = [0] * len(lanes)
        self.steps: list[tuple[float, int, int]] = []
        self.places = [tuple(counts)]
        while True:
            known = [n < len(key) for n, key in zip(counts, keys, strict=True)]
            if any(not more and not lane.ends for more, lane in zip(known, lanes, strict=True)):
                break  # a straight run was cut off here
            following = [key[n] for n, key in zip(counts, keys, strict=True) if n < len(key)]
            if not following:
                break
            self.steps.append(min(following))
            for lane, key in enumerate(keys):
                counts[lane] += known[lane] and key[counts[lane]] == self.steps[-1]
            self.places.append(tuple(counts))
        self.length = len(self.steps)

    def after(self, lane: int, event: int) -> int:
        """The first place at which a lane has run *event* events."""
        return next(n for n, counts in enumerate(self.places) if counts[lane] >= event)


class SideBySide(RuleBasedStateMachine):
    """A comparison beside straight runs; ``place`` and ``substep`` say where it must be."""

    @initialize(scenario=scenarios(most_types=3, most_servers=5))
    def open(self, scenario: ReservationScenario) -> None:
        benches = [assemble(scenario, policy) for policy in POLICIES]
        self.straight = [Straight(bench.scenario) for bench in benches]
        sessions = [hurried(bench) for bench in benches]
        self.comparison = Comparison(sessions)
        self.kernels = []
        for session in sessions:
            kernel = session.bench.kernel()
            kernel.keyframe_every = KEYFRAME_EVERY["kernel"]
            self.kernels.append(kernel)
        self.merged = Merged(self.straight)
        self.place = self.substep = self.furthest = 0
        self.inside = 0

    def arrive(self, place: int) -> None:
        self.place, self.substep = place, 0
        self.furthest = max(self.furthest, place)

    def left(self) -> int:
        return self.merged.length - self.place

    def taking_part(self, place: int) -> list[int]:
        """The lanes that advance in the step from a place on."""
        pairs = zip(self.merged.places[place], self.merged.places[place + 1], strict=True)
        return [lane for lane, (before, after) in enumerate(pairs) if after > before]

    def sub_steps(self) -> int:
        event = self.merged.places[self.place][self.inside]
        return len(self.straight[self.inside].records[event])

    @rule()
    @precondition(lambda self: self.left() > 0)
    def step(self) -> None:
        self.comparison.step()
        self.arrive(self.place + 1)

    @rule()
    def step_back(self) -> None:
        self.comparison.step_back()
        self.arrive(self.place if self.substep else max(0, self.place - 1))

    @rule(times=st.integers(1, 8))
    def step_into(self, times: int) -> None:
        for _ in range(times):
            if not self.left():
                break
            if not self.substep:
                lanes = self.taking_part(self.place)
                followed = self.comparison.followed
                self.inside = followed if followed in lanes else lanes[0]
            self.comparison.step_into()
            if self.substep == self.sub_steps():
                self.arrive(self.place + 1)
            else:
                self.substep += 1

    @rule()
    def step_out(self) -> None:
        self.comparison.step_out()
        if self.substep:
            self.arrive(self.place + 1)

    @rule(times=st.integers(1, 8))
    def step_back_into(self, times: int) -> None:
        for _ in range(times):
            self.comparison.step_back_into()
            if self.substep:
                self.substep -= 1
            elif self.place:
                self.place -= 1
                lanes = self.taking_part(self.place)
                followed = self.comparison.followed
                self.inside = followed if followed in lanes else lanes[0]
                self.substep = self.sub_steps()

    @rule(lane=st.sampled_from([0, 1]))
    def follow(self, lane: int) -> None:
        self.comparison.followed = lane

    @rule(events=st.integers(0, LENGTH))
    def run(self, events: int) -> None:
        """Run the first lane by a number of events; an event entered by sub-steps is finished first."""
        if self.substep:
            self.comparison.step_out()
            self.arrive(self.place + 1)
        wanted = self.merged.places[self.place][0] + events
        if wanted > self.merged.places[-1][0]:
            return
        assert self.comparison.run(events=events) is Reason.LIMIT
        self.arrive(self.place if events == 0 else self.merged.after(0, wanted))

    @rule(share=st.floats(0, 1))
    @precondition(lambda self: self.left() > 1)
    def run_until(self, share: float) -> None:
        now, end = self.comparison.timeline.time, self.merged.steps[-1][0]
        until = now + share * (end - now)
        if until >= end:
            return
        self.comparison.run(until=until)
        first = self.place + (self.substep > 0)
        self.arrive(next(n for n in range(first, self.merged.length) if self.merged.steps[n][0] > until))

    @rule(share=st.floats(0, 1), lane=st.sampled_from([0, 1]))
    def seek(self, share: float, lane: int) -> None:
        event = round(share * self.merged.places[-1][lane])
        self.comparison.seek(event, lane=lane)
        self.arrive(self.merged.after(lane, event))

    @rule(share=st.floats(0, 1), lane=st.sampled_from([0, 1]))
    def seek_into(self, share: float, lane: int) -> None:
        """Seek to the first sub-step of an event of a lane."""
        event = 1 + round(share * (self.merged.places[-1][lane] - 1))
        if self.merged.places[-1][lane] < 1 or not self.straight[lane].records[event - 1]:
            return
        self.comparison.seek(event - 1, 1, lane)
        self.arrive(self.merged.after(lane, event) - 1)
        self.inside, self.substep = lane, 1

    @rule()
    def to_start(self) -> None:
        self.comparison.to_start()
        self.arrive(0)

    @rule(kind=st.sampled_from(KINDS))
    def back_to(self, kind: str) -> None:
        self.go_back_to(kind, VOCABULARY.event_kinds[kind])

    def go_back_to(self, kind: str, flag: int) -> None:
        """Go back to just before the last step in which a lane had an event of that kind."""
        found = [
            n
            for n in range(self.place)
            if any(
                int(self.straight[lane].rows[self.merged.places[n][lane]]["flags"]) & flag
                for lane in self.taking_part(n)
            )
        ]
        assert self.comparison.back_to(kind) is bool(found)
        if found:
            self.arrive(found[-1])

    @rule(lane=st.sampled_from([0, 1]))
    def change_engine(self, lane: int) -> None:
        session = self.comparison.sessions[lane]
        reference = session.bench.reference
        compiled = session.timeline.engine is not reference
        session.use_engine(reference if compiled else self.kernels[lane])

    @invariant()
    def every_lane_stands_where_it_should(self) -> None:
        if not hasattr(self, "comparison"):
            return
        counts = self.merged.places[self.place]
        assert self.comparison._moved.events == counts
        assert self.comparison.timeline.substep == self.substep
        for session, straight, event in zip(self.comparison.sessions, self.straight, counts, strict=True):
            assert digest(session.timeline.state) == straight.digests[event]
            assert session.frame().agreement is not False
        frame = self.comparison.frame()
        assert frame.time == frame.companions[0].time == self.comparison.timeline.time
        if self.substep:
            state = self.comparison.sessions[self.inside].timeline.shown_state
            inside = self.straight[self.inside].inside[counts[self.inside]]
            assert digest(state) == inside[self.substep - 1]

    @invariant()
    def what_comes_next_is_known(self) -> None:
        if not hasattr(self, "comparison") or not self.left():
            return
        following = self.comparison.timeline.next_event
        assert following.time == self.merged.steps[self.place][0]
        assert list(self.comparison._moved.next_lanes()) == self.taking_part(self.place)


TestSideBySide = SideBySide.TestCase
TestSideBySide.settings = settings(max_examples=12, stateful_step_count=25)
