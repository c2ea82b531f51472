"""Kernels prefetch the memory of coming departures: only places that exist, without any change of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.jit import jitable, with_others
from slotscope.model.kinds.reservation.kernels import loop
from slotscope.model.kinds.reservation.kernels.loop import FOLLOWING, ask_for_departures, foresee_departures
from slotscope.model.kinds.reservation.rows import EVENT_ROW
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.kinds.reservation.state import DEPARTURES, ReservationState
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import Engine, Task, started
from slotscope.model.scenario.load import as_data, edited, load_scenario
from slotscope.model.systems.state import copied, differences, digest
from tests.kinds.reservation.strategies import scenarios

#: A policy that reserves slots, and one that does not.
POLICIES = ("dra", "first-fit")

CASES = pytest.mark.parametrize("policy", POLICIES)


@jitable
def foresee_with_few(state: Any) -> None:
    """:func:`foresee_departures` without its condition that the jobs exceed the caches."""
    if state.number[DEPARTURES] > FOLLOWING:
        ask_for_departures(state)


def foreseeing(bench: Bench) -> Engine:
    """The kernel that prefetches departures even with few jobs."""
    kernel: Any = type(bench.kernel())
    others = with_others(kernel.kernel, {foresee_departures: foresee_with_few}, "foreseeing")
    assert others is not kernel.kernel
    made: Engine = type("Foreseeing", (kernel,), {"kernel": staticmethod(others)})(bench.system)
    return made


def agree(bench: Bench, pieces: int, events: int) -> ReservationState:
    """Run with and without prefetching, compare after each piece, and return the final state."""
    engines = bench.kernel(), foreseeing(bench)
    states = [started(bench.system) for _ in engines]
    for _ in range(pieces):
        rows = np.zeros((2, events), EVENT_ROW)
        states = [one.advance(each, row, Task()).state for one, each, row in zip(engines, states, rows, strict=True)]
        assert rows[0].tobytes() == rows[1].tobytes()
        assert digest(states[0]) == digest(states[1]), differences(*states)
    end: ReservationState = states[0]
    return end


@CASES
@given(data=st.data())
@settings(deadline=None)
def test_it_changes_nothing(policy: str, data: st.DataObject) -> None:
    scenario: ReservationScenario = data.draw(scenarios(policy=policy))
    agree(assemble(scenario), 6, 40)


@CASES
def test_it_changes_nothing_where_there_are_many(policy: str) -> None:
    scenario = load_scenario("dra-vms")
    changes = {"servers": as_data(scenario)["servers"] | {"count": 60}, "policy": {"name": policy}}
    assert agree(assemble(edited(scenario, changes)), 20, 250).number[DEPARTURES] > 10 * FOLLOWING


@CASES
def test_it_asks_for_what_departs_next(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It touches places within arrays of the state: of the next job and its server, and of each job that may follow."""
    assert loop.MANY_JOBS > FOLLOWING
    asked: list[tuple[int, int]] = []

    def touched(array: Any, at: Any) -> None:
        assert 0 <= at < len(array)
        asked.append((id(array), int(at)))

    monkeypatch.setattr(loop, "touch", touched)
    bench = assemble(edited(load_scenario("dra-vms"), {"policy": {"name": policy}}))
    kernel, tape, state = bench.kernel(), np.zeros(1, EVENT_ROW), started(bench.system)
    looked = 0
    for _ in range(400):
        state = kernel.advance(state, tape, Task()).state
        if state.number[DEPARTURES] <= FOLLOWING:
            continue
        before = copied(state)
        asked.clear()
        ask_for_departures(state)
        assert digest(before) == digest(state)
        following = state.heap_record[: FOLLOWING + 1].tolist()
        assert state.heap_time[0] <= state.heap_time[1 : FOLLOWING + 1].min()
        assert {(id(state.job_server), record) for record in following[1:]} <= {*asked}
        assert {(id(getattr(state, name)), following[0]) for name in ("job_number", "job_type")} <= {*asked}
        server = int(state.job_server[following[0]])
        assert {(id(getattr(state, name)), server) for name in ("configuration", "placement", "first_job")} <= {*asked}
        looked += 1
    assert looked > 100
