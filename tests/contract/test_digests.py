"""Every built-in scenario under every policy comes to the state that it always came to."""

from __future__ import annotations

import pytest

from slotscope.model.scenario.files import scenario_files
from slotscope.model.systems.state import digest
from tests.contract.digests import digest_of_run, known, runs
from tests.runs import ran

SCENARIOS = sorted({scenario for scenario, _ in runs()})

#: Without compiled policies: each event takes as long as a hundred of the others.
SLOW = {"dra-pools"}


def test_the_table_has_every_run():
    assert sorted(runs()) == sorted((name, policy) for name in known() for policy in known()[name])
    assert set(SCENARIOS) <= set(scenario_files())


@pytest.mark.parametrize(
    "scenario", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in SCENARIOS]
)
def test_runs_come_to_the_same_state(scenario):
    expected = known()[scenario]
    assert {policy: digest_of_run(scenario, policy) for policy in expected} == expected


def test_another_seed_comes_to_another_state():

    session = ran("dra-classroom", seed=99, kernel=True, events=100)
    other = ran("dra-classroom", kernel=True, events=100)
    assert digest(session.timeline.state) != digest(other.timeline.state)
