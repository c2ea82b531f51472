"""Random walks of a run and its forks: each reaches the state of a straight run of its course."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from slotscope.model.api import Session
from slotscope.model.comparison.companion import companion, forked
from slotscope.model.errors import UserError
from slotscope.model.forks.changes import Course
from slotscope.model.systems.state import digest
from tests.forking import RUNS, at, decisions, straight

#: Most events of a walk, and most runs that it keeps.
LENGTH, MOST = 60, 5


class Forks(RuleBasedStateMachine):
    """Runs of one scenario, each a fork of another; one of them is moved at a time."""

    @initialize(kind=st.sampled_from(sorted(RUNS)))
    def open(self, kind: str) -> None:
        self.kind = kind
        self.scenario, self.policy, self.other = RUNS[kind]
        self.runs = [Session.open(self.scenario, self.policy, kernel=False)]
        self.here = 0

    @property
    def run_here(self) -> Session:
        return self.runs[self.here]

    def keep(self, fork: Session) -> None:
        self.runs = [*self.runs[: MOST - 1], fork]
        self.here = len(self.runs) - 1

    @rule(events=st.integers(1, 25))
    def run_on(self, events: int) -> None:
        self.run_here.run(events=min(events, LENGTH - min(LENGTH, self.run_here.timeline.event)))

    @rule()
    def step(self) -> None:
        self.run_here.step()

    @rule(times=st.integers(1, 3))
    def step_into(self, times: int) -> None:
        for _ in range(times):
            self.run_here.step_into()

    @rule()
    def step_back(self) -> None:
        self.run_here.step_back()

    @rule(event=st.integers(0, LENGTH))
    def seek(self, event: int) -> None:
        self.run_here.seek(min(event, self.run_here.timeline.live_end))

    @rule(place=st.integers(0, MOST - 1))
    def go_to_another(self, place: int) -> None:
        self.here = place % len(self.runs)

    @rule(data=st.data())
    def decide_otherwise(self, data: st.DataObject) -> None:
        session = self.run_here
        offered = decisions(session)
        if not offered:
            return
        decision = data.draw(st.sampled_from(offered), "decision")
        try:
            self.keep(forked(session, at(session.timeline.event, decision), kernel=False))
        except UserError as error:
            assert "\n" not in error.line
        else:
            assert self.run_here.timeline.event == session.timeline.event

    @precondition(lambda self: len(Course.read(self.run_here.origin.policy).changes) < 3)
    @rule(back=st.booleans())
    def let_another_policy_go_on(self, back: bool) -> None:
        session = self.run_here
        policy = self.policy if back else self.other
        try:
            self.keep(forked(session, at(session.timeline.event, policy=policy), kernel=False))
        except UserError as error:
            assert "\n" not in error.line

    @rule()
    def fork_without_a_change(self) -> None:
        session = self.run_here
        twin = companion(session, session.origin.policy, kernel=False)
        assert twin.timeline.event == session.timeline.event
        assert twin.timeline.live_end == session.timeline.live_end
        self.keep(twin)

    @rule(place=st.integers(0, MOST - 1))
    def make_another_again_from_here(self, place: int) -> None:
        text = self.runs[place % len(self.runs)].origin.policy
        self.keep(companion(self.run_here, text, kernel=False))

    @rule()
    def save_and_load(self) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "a.slotscope"
            self.run_here.save(path)
            again = Session.load(path, kernel=False)
        assert again.origin == self.run_here.origin
        assert again.forks.names == self.run_here.forks.names
        self.runs[self.here] = again

    @invariant()
    def each_stands_where_its_course_does(self) -> None:
        for session in getattr(self, "runs", ()):
            course = straight(self.scenario, session.origin.policy)
            assert digest(session.timeline.state) == course.at(session.timeline.event)

    @invariant()
    def each_is_described_by_the_rules_that_hold_there(self) -> None:
        for session in getattr(self, "runs", ()):
            frame = session.frame()
            leg = session.bench.at(session.timeline.event)
            assert frame.info.policy_name == leg.scenario.policy.name
            assert frame.info.origin is session.origin
            assert session.bench.violations(session.timeline.state) == []


Forks.TestCase.settings = settings(max_examples=15, stateful_step_count=12, deadline=None)
TestForks = Forks.TestCase
