"""The messages for refused decisions name the decisions that the policy allows."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.companion import forked
from slotscope.model.errors import PolicyError, UserError
from slotscope.model.forks.changes import Deviation
from slotscope.model.kinds.phases import whatif
from slotscope.model.kinds.phases.whatif import choices, overruled
from slotscope.model.reporting.records import MOVE, Event
from slotscope.model.systems.state import copied
from tests.runs import ran


@pytest.mark.parametrize(
    ("plan", "allowed"),
    [(None, "'token=N' or 'backup', where a job arrives"), ("a plan", "'type=N', where a server asks for jobs")],
)
def test_a_request_can_be_decided_only_where_a_plan_asks(plan: object, allowed: str) -> None:
    policy = SimpleNamespace(observes=True, plan=plan, may_fail=plan is None)
    system = SimpleNamespace(normal_servers=2, policy=policy)
    with pytest.raises(PolicyError, match=f"found the decision 'backup', allowed: {allowed}$"):
        overruled(system, Event(MOVE, 1.0, 0, 0, 0), "backup")


def test_what_a_server_may_ask_for_is_named_as_the_scenario_names_it() -> None:
    session = Session.open("jrs-two-phases")
    line = session.timeline
    while not (found := choices(session.bench.at(line.event).system, line.state)) or "asks" not in found[0].title:
        session.step()
    words = [choice.title.split(" asks for ")[1] for choice in found]
    assert words == ["a job of type L", "a job of type H"]
    assert [choice.decision(1) for choice in found] == ["type=1", "type=2"]


def test_what_is_offered_to_a_server_can_be_decided() -> None:
    """At each of the first events; many are ticks of paused servers, or requests that only the plan determines."""
    session, offered = Session.open("jrs-classroom", kernel=False), 0
    for _ in range(120):
        line = session.timeline
        for choice in choices(session.bench.system, line.state):
            if "asks" in choice.title:
                offered += 1
                forked(session, Deviation(line.event, decision=choice.decision(0)), kernel=False).run(events=1)
        session.step()
    assert offered > 10


def test_where_nothing_is_drawn_one_try_tells_of_all_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each try copies the state; a decision that is not offered to a server must be refused when it is forced."""
    session, once = Session.open("jrs-classroom", kernel=False), 0
    tried = Mock(side_effect=copied)
    monkeypatch.setattr(whatif, "copied", tried)
    for _ in range(40):
        line, system = session.timeline, session.bench.system
        tried.reset_mock()
        if not choices(system, line.state) and tried.called:
            once += tried.call_count == 1
            for decision in ("type=1", "type=2"):
                with pytest.raises(UserError):
                    forked(session, Deviation(line.event, decision=decision), kernel=False).run(events=1)
        session.step()
    assert once > 5


def test_a_users_policy_that_asks_at_the_start_goes_on_in_a_fork(tmp_path: Path) -> None:
    text = Path("resources/policies/asking_servers.py").read_text(encoding="utf-8")
    other = tmp_path / "other.py"
    other.write_text(text.replace("(1,)", "(3,)"), encoding="utf-8")
    session = ran("jrs-classroom", "resources/policies/asking_servers.py", events=40)
    before = session.timeline.state
    fork = forked(session, Deviation(40, str(other)), kernel=False)
    after = fork.timeline.state
    waits = (before.tokens_on > 0) | (before.real.sum(axis=1) > 0)
    assert waits.any() and (after.tokens[waits] == before.tokens[waits]).all()
