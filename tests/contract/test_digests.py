"""Every built-in scenario under every policy reaches the recorded state."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.lib.array_utils import byte_bounds

from slotscope.model.scenario.files import scenario_files
from slotscope.model.systems.compiled import CompiledEngine
from slotscope.model.systems.state import arrays_of, digest
from tests.contract.digests import digest_of_run, known, runs
from tests.runs import ran

SCENARIOS = sorted({scenario for scenario, _ in runs()})

#: Scenarios without compiled policies, where each event takes a hundred times as long.
SLOW = {"dra-pools"}


def overlapping(arguments):
    """Arrays that share memory with the next one in memory."""
    filled = sorted((array for array in arrays_of(arguments) if array.nbytes), key=byte_bounds)
    return [one for one, other in pairwise(filled) if byte_bounds(other)[0] < byte_bounds(one)[1]]


@pytest.fixture
def calls(monkeypatch):
    """One entry per kernel call; each call is checked not to write to arrays that share memory."""
    called, counted = CompiledEngine._called, []

    def watched(engine, state, index, given, watch):
        shared = overlapping((state, index, given))
        before = [array.copy() for array in shared]
        code = called(engine, state, index, given, watch)
        assert all(map(np.array_equal, before, shared)), engine.policy.name
        counted.append(len(shared))
        return code

    monkeypatch.setattr(CompiledEngine, "_called", watched)
    return counted


def test_the_table_has_every_run():
    assert sorted(runs()) == sorted((name, policy) for name in known() for policy in known()[name])
    assert set(SCENARIOS) <= set(scenario_files())


@pytest.mark.parametrize(
    "scenario", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in SCENARIOS]
)
def test_runs_come_to_the_same_state(scenario, calls):
    expected = known()[scenario]
    assert {policy: digest_of_run(scenario, policy) for policy in expected} == expected
    assert calls or scenario in SLOW


def test_shared_memory_is_found():
    numbers = np.arange(10)
    apart, across = (numbers[:5], (numbers[5:], np.zeros(0))), numbers[3:7]
    assert overlapping(apart) == []
    assert [array.tolist() for array in overlapping((apart, across))] == [numbers[:5].tolist(), across.tolist()]


def test_another_seed_comes_to_another_state():

    session = ran("dra-classroom", seed=99, kernel=True, events=100)
    other = ran("dra-classroom", kernel=True, events=100)
    assert digest(session.timeline.state) != digest(other.timeline.state)
