"""A run without references is freed at once, with its whole history: no reference cycle leaves it to the collector."""

from __future__ import annotations

from weakref import ref

import pytest

from slotscope.model.api import Session
from slotscope.model.comparison.comparison import Comparison
from slotscope.model.reporting.inspection import JOB, Thing
from tests.forking import RUNS


def stand_in(session: Session) -> None:
    """Use everything that the window uses of a run, so that it holds all that it may hold there."""
    session.run(events=20)
    session.step_into()
    session.lookout.follow(session.timeline.event, session.timeline.state)
    session.questions.want("time > 1")
    session.histories.want(Thing(JOB, 3))
    session.histories.search(60)
    session.ask_why(None)
    session.seek(10)
    session.frame()


@pytest.mark.parametrize("system", RUNS)
def test_a_run_goes_with_its_last_holder(system: str) -> None:
    scenario, policy, _ = RUNS[system]
    session = Session.open(scenario, policy)
    stand_in(session)
    gone = [ref(one) for one in (session, session.timeline, session.bench, session.bench.system)]
    del session
    assert [one() for one in gone] == [None] * len(gone)


@pytest.mark.parametrize("system", RUNS)
def test_a_comparison_goes_with_its_last_holder(system: str) -> None:
    scenario, *policies = RUNS[system]
    compared = Comparison.open(scenario, policies)
    compared.run(events=20)
    compared.frame()
    gone = [ref(one) for session in compared.sessions for one in (session, session.timeline)]
    del compared
    assert [one() for one in gone] == [None] * len(gone)
