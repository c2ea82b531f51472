"""Random walks through time with moldable jobs: the state equals that of a straight run, also after a
change of policy.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.moldable.questions import VOCABULARY
from slotscope.model.running.assembly import assemble
from slotscope.model.scenario.common import PolicyChoice
from slotscope.model.systems.state import digest
from tests.kinds.moldable.strategies import any_policies, moldable_scenarios
from tests.model.test_comparison_machine import Merged, SideBySide
from tests.model.test_timeline_machine import Walk
from tests.straight import Straight, hurried, hurried_kernel


class MoldableWalk(Walk):
    """A session compared with a straight run; sometimes another policy continues from it."""

    kinds: ClassVar[list[str]] = list(VOCABULARY.event_kinds)

    @initialize(scenario=moldable_scenarios())
    def open(self, scenario: Any) -> None:
        super().open(scenario)

    @rule(data=st.data(), events=st.integers(1, 20), compiled=st.booleans())
    @precondition(lambda self: self.substep == 0)
    def go_on_under_another_policy(self, data: st.DataObject, events: int, compiled: bool) -> None:
        """Jobs stay where they are, invariants hold, and a rewind leads to the same states."""
        plain = {
            "classes": [
                {"name": item.name, "speedup": [str(s) for s in item.factors]} for item in self.scenario.classes
            ],
            "servers": {"count": self.scenario.servers.count},
        }
        choice = data.draw(any_policies(plain))
        other = self.forked(PolicyChoice(**choice))
        if other is None:
            return
        if compiled:
            other.use_kernel()
        before, system = self.session.timeline.state, other.bench.system
        began = other.timeline.state
        for name in ("server_job", "job_number", "job_width", "job_departure", "jobs", "tally"):
            assert getattr(began, name).tolist() == getattr(before, name).tolist()
        assert other.bench.kind.violations(system, began) == []
        marks = [digest(began)]
        for _ in range(events):
            other.run(events=1)
            marks.append(digest(other.timeline.state))
            assert other.bench.kind.violations(system, other.timeline.state) == []
        other.seek(self.event + events // 2)
        assert digest(other.timeline.state) == marks[events // 2]
        other.to_start()
        assert digest(other.timeline.state) == marks[0]
        other.run(events=events)
        assert digest(other.timeline.state) == marks[-1]
        self.saved_and_loaded(other)

    def forked(self, choice: PolicyChoice) -> Session | None:
        """The run continued under another policy; None if that policy has other pools."""
        scenario = self.scenario.model_copy(update={"policy": choice})
        try:
            return self.session.continued(scenario)
        except ScenarioError as error:
            assert "found other pools of servers" in error.line
            return None

    def saved_and_loaded(self, session: Session) -> None:
        """A fork that is saved and loaded has the same state, and both continue equally."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "fork.slotscope"
            session.save(path)
            again = Session.load(path, kernel=False)
        for one in (session, again):
            one.run(events=5)
        assert digest(again.timeline.state) == digest(session.timeline.state)
        assert again.timeline.first_event == self.event


class MoldableSideBySide(SideBySide):
    """Two policies on the same jobs."""

    @initialize(scenario=moldable_scenarios())
    def open(self, scenario: Any) -> None:
        choices = ("fixed-width", "greedy")
        benches = [assemble(scenario, policy) for policy in choices]
        self.straight = [Straight(bench.scenario) for bench in benches]
        sessions = [hurried(bench) for bench in benches]
        self.comparison = Comparison(sessions)
        self.kernels = [hurried_kernel(session) for session in sessions]
        self.merged = Merged(self.straight)
        self.place = self.substep = self.furthest = self.inside = 0

    @rule(kind=st.sampled_from(list(VOCABULARY.event_kinds)))
    def back_to(self, kind: str) -> None:
        self.go_back_to(kind, VOCABULARY.event_kinds[kind])


TestMoldableSideBySide = MoldableSideBySide.TestCase
TestMoldableSideBySide.settings = settings(max_examples=4, stateful_step_count=20)

TestMoldableWalk = MoldableWalk.TestCase
TestMoldableWalk.settings = settings(max_examples=5, stateful_step_count=20)


class LongMoldableWalk(MoldableWalk):
    """The same walk with far more steps."""


@pytest.mark.slow
class TestLongMoldableWalk(LongMoldableWalk.TestCase):  # type: ignore[name-defined,misc]
    settings = settings(max_examples=10, stateful_step_count=50)
