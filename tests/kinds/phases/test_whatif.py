"""Decisions that are refused say what is allowed of the policy at hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from slotscope.model.errors import PolicyError
from slotscope.model.kinds.phases.whatif import overruled
from slotscope.model.reporting.records import MOVE, Event


@pytest.mark.parametrize(
    ("plan", "allowed"),
    [(None, "'token=N' or 'backup', where a job arrives"), ("a plan", "'type=N', where a server asks for jobs")],
)
def test_a_request_can_be_decided_only_where_a_plan_asks(plan: object, allowed: str) -> None:
    policy = SimpleNamespace(observes=True, plan=plan, may_fail=plan is None)
    system = SimpleNamespace(normal_servers=2, policy=policy)
    with pytest.raises(PolicyError, match=f"found the decision 'backup', allowed: {allowed}$"):
        overruled(system, Event(MOVE, 1.0, 0, 0, 0), "backup")
