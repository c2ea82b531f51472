"""Random walks through time: at every place the run has the state that a straight run has there."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from slotscope.model.api import Session
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.questions import VOCABULARY as OF_QUEUES
from slotscope.model.kinds.reservation.questions import VOCABULARY as OF_SLOTS
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Reason
from slotscope.model.systems.state import digest
from tests.kinds.queue.strategies import queue_scenarios
from tests.kinds.reservation.strategies import scenarios
from tests.straight import KEYFRAME_EVERY, LENGTH, Straight, hurried, hurried_kernel


def can_be_assembled(scenario: Any) -> bool:
    """Whether the policy accepts the scenario's servers and sizes."""
    try:
        assemble(scenario)
    except ScenarioError:
        return False
    return True


class Walk(RuleBasedStateMachine):
    """A session beside a straight run; ``event`` and ``substep`` say where it must be."""

    session: Session
    straight: Straight
    kinds: ClassVar[list[str]] = [kind for kind in OF_SLOTS.event_kinds if kind != "preemption"]

    @initialize(scenario=scenarios(most_types=3, most_servers=6))
    def open(self, scenario: Any) -> None:
        self.scenario = scenario
        self.straight = Straight(scenario)
        self.session = hurried(assemble(scenario))
        self.kernel = hurried_kernel(self.session)
        self.event = self.substep = self.live_end = 0
        self.unsampled = range(0)  #: events before the run was saved and reopened, whose samples may be missing

    @property
    def bench(self) -> Bench:
        return self.session.bench

    # Moves of the walk.

    def left(self) -> int:
        """The number of events of the straight run that lie ahead."""
        return self.straight.length - self.event

    def arrive(self, event: int, substep: int = 0) -> None:
        self.event, self.substep = event, substep
        self.live_end = max(self.live_end, event)

    @rule()
    @precondition(lambda self: self.left() > 0)
    def step(self) -> None:
        self.session.step()
        self.arrive(self.event + 1)
        expected = None if self.session.timeline.engine is self.bench.reference else True
        assert self.session.frame().agreement is expected

    @rule(times=st.integers(1, 8))
    def step_into(self, times: int) -> None:
        for _ in range(times):
            if not self.left():
                break
            self.session.step_into()
            if self.substep == len(self.straight.records[self.event]):
                self.arrive(self.event + 1)
                assert self.session.frame().agreement is not False
            else:
                self.substep += 1

    @rule()
    def step_back(self) -> None:
        self.session.step_back()
        self.arrive(self.event if self.substep else max(0, self.event - 1))

    @rule(times=st.integers(1, 8))
    def step_back_into(self, times: int) -> None:
        for _ in range(times):
            self.session.step_back_into()
            if self.substep:
                self.substep -= 1
            elif self.event:
                self.event -= 1
                self.substep = len(self.straight.records[self.event])

    @rule(events=st.integers(0, LENGTH))
    def run(self, events: int) -> None:
        events = min(events, self.left())
        reason = self.session.run(events=events)
        assert reason is Reason.LIMIT
        if events:
            self.arrive(self.event + events)

    @rule(share=st.floats(0, 1))
    @precondition(lambda self: self.left() > 1)
    def run_until(self, share: float) -> None:
        """Run until a time between the present one and the end of the straight run."""
        now, end = self.session.timeline.time, self.straight.times[-1]
        until = now + share * (end - now)
        if until >= end:
            return
        first = self.event + (self.substep > 0)
        self.session.run(until=until)
        beyond = [n for n in range(first, self.straight.length) if self.straight.times[n + 1] > until]
        self.arrive(beyond[0])

    @rule(share=st.floats(0, 1), substep=st.integers(0, 12))
    def seek(self, share: float, substep: int) -> None:
        event = round(share * self.straight.length)
        self.session.seek(event, substep)
        inside = self.straight.records[event] if event < self.straight.length else []
        if event == LENGTH:
            self.session.seek(event)
        self.arrive(event, min(substep, len(inside)))

    @rule()
    def to_start(self) -> None:
        self.session.to_start()
        self.arrive(0)

    @rule()
    def to_live_end(self) -> None:
        self.session.to_live_end()
        self.arrive(self.live_end)

    @rule(data=st.data())
    def back_to(self, data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(self.kinds))
        found = self.straight.last_of(kind, self.event)
        assert self.session.back_to(kind) is (found is not None)
        if found is not None:
            self.arrive(found - 1)

    @rule(data=st.data())
    @precondition(lambda self: self.left() > 0)
    def run_to(self, data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(self.kinds))
        begun = self.session.timeline.substep > 0  # an event entered by sub-steps is finished first, and does not count
        found = self.straight.next_of(kind, self.event + begun)
        if found is None:
            return
        assert self.session.run(stop=(kind,)) is Reason.FLAG
        self.arrive(found)

    @rule()
    def change_engine(self) -> None:
        running = self.session.timeline.engine
        reference = self.bench.reference
        self.session.use_engine(self.kernel if running is reference else reference)

    @rule(events=st.integers(1, 10))
    def fork(self, events: int) -> None:
        """A fork starts from the last whole event and leaves this run as it is."""
        if self.scenario.workload.kind == "scripted":
            with pytest.raises(ScenarioError):
                self.session.continued(self.scenario)
            return
        ends = []
        for _ in range(2):
            other = self.session.continued(self.scenario)
            assert digest(other.timeline.state) == self.straight.digests[self.event]
            assert other.timeline.first_event == self.event
            other.run(events=events)
            ends.append(digest(other.timeline.state))
            other.to_start()
            assert digest(other.timeline.state) == self.straight.digests[self.event]
        assert ends[0] == ends[1]

    @rule()
    def save_and_reopen(self) -> None:
        """The reopened run is at the same place; its live end is where it was saved."""
        compiled = self.session.timeline.engine is self.kernel
        with TemporaryDirectory() as folder:
            path = Path(folder) / "walk.slotscope"
            self.session.save(path, layout="panels")
            self.session = Session.load(path, kernel=False)
        assert self.session.layout == "panels"
        self.bench.reference.keyframe_every = KEYFRAME_EVERY["reference"]
        self.kernel = hurried_kernel(self.session)
        if compiled:
            self.session.use_engine(self.kernel)
        self.live_end = self.event
        self.unsampled = range(1, self.event + 1)

    @rule(share=st.floats(0, 1), length=st.integers(1, 30))
    def read_the_log(self, share: float, length: int) -> None:
        """Rows of any past stretch, reproduced without moving the run."""
        first = 1 + round(share * self.live_end)
        rows = self.session.timeline.rows(first, first + length)
        expected = self.straight.rows[first - 1 : min(first + length, self.live_end)]
        assert rows.tolist() == expected.tolist()

    # Where it must be.

    @invariant()
    def stands_where_it_should(self) -> None:
        line = self.session.timeline
        assert (line.event, line.substep) == (self.event, self.substep)
        assert digest(line.state) == self.straight.digests[self.event]
        if self.substep:
            assert list(line.records) == self.straight.records[self.event][: self.substep]
            expected = self.straight.inside[self.event][self.substep - 1]
            assert digest(line.shown_state) == expected
        else:
            assert line.records == ()
            assert digest(line.shown_state) == self.straight.digests[self.event]

    @invariant()
    def history_is_whole(self) -> None:
        extent = self.session.timeline.extent()
        assert extent.event == self.event
        assert extent.live_end == self.live_end
        assert extent.live_end_time == self.straight.times[self.live_end]
        assert extent.keyframes[0] == 0
        assert all(event <= self.live_end for event in extent.keyframes)

    @invariant()
    def the_frame_shows_it(self) -> None:
        frame = self.session.frame()
        assert (frame.event, frame.time) == (self.event, self.session.timeline.time)
        assert frame.rows["event"].tolist() == list(range(max(1, self.event - 399), self.event + 1))
        assert frame.rows["trail"].tolist() == self.straight.rows["trail"][: self.event].tolist()
        sampled = frame.samples[:, 0].astype(int)
        assert frame.samples.tolist() == self.straight.samples[sampled].tolist()
        expected = range(self.live_end + 1)
        assert sampled.tolist() == [n for n in expected if n not in self.unsampled or n in sampled]
        if self.event < self.straight.length:
            assert frame.next_event is not None
            row = self.straight.rows[self.event]
            assert (frame.next_event.kind, frame.next_event.time) == (row["kind"], row["time"])
        elif self.straight.ends:
            assert frame.next_event is None


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=8, stateful_step_count=25)


class QueueWalk(Walk):
    """The same for a queueing system, by slots."""

    kinds: ClassVar[list[str]] = list(OF_QUEUES.event_kinds)

    @initialize(scenario=queue_scenarios().filter(can_be_assembled))
    def open(self, scenario: Any) -> None:
        super().open(scenario)


TestQueueWalk = QueueWalk.TestCase
TestQueueWalk.settings = settings(
    max_examples=4, stateful_step_count=20, suppress_health_check=[HealthCheck.filter_too_much]
)


class LongWalk(Walk):
    """The same, far longer."""


@pytest.mark.slow
class TestLongWalk(LongWalk.TestCase):  # type: ignore[name-defined,misc]
    settings = settings(max_examples=20, stateful_step_count=60)


class LongQueueWalk(QueueWalk):
    """The same, far longer."""


@pytest.mark.slow
class TestLongQueueWalk(LongQueueWalk.TestCase):  # type: ignore[name-defined,misc]
    settings = settings(max_examples=6, stateful_step_count=50, suppress_health_check=[HealthCheck.filter_too_much])
