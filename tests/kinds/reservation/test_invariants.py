"""Invariants after every event, and tests that the checker finds each violation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.errors import PolicyError
from slotscope.model.kinds.reservation.classification import classify
from slotscope.model.kinds.reservation.rows import EVENT_ROW
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.kinds.reservation.state import ADMITTED, FREE, I_STAR, NOW, ReservationState
from slotscope.model.reporting.records import Admit, Migrate, Reassign, Record, Reject
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import EventRun, Task, started
from slotscope.model.scenario.load import load_scenario, parse_scenario
from slotscope.model.systems.state import copied
from tests.kinds.reservation.invariants import violations
from tests.kinds.reservation.strategies import scenarios
from tests.sound import Plant, add, put, reference_events


def walk(bench: Bench, events: int) -> ReservationState:
    """Run the reference, checking the initial state and the state after each event."""
    system = bench.system
    state = started(system)
    assert violations(system, state) == []
    for run in reference_events(system, state, events):
        state = run.state
        assert violations(system, state) == []
    return state


@given(scenarios())
def test_dra(scenario: ReservationScenario) -> None:
    walk(assemble(scenario), 40)


@given(scenarios(policy="first-fit"))
def test_first_fit(scenario: ReservationScenario) -> None:
    walk(assemble(scenario), 60)


@given(scenarios(workloads=("poisson",)), st.integers(1, 400))
def test_where_the_kernel_stops(scenario: ReservationScenario, events: int) -> None:
    bench = assemble(scenario)
    tape = np.zeros(events, EVENT_ROW)
    state = bench.kernel().advance(started(bench.system), tape, Task()).state
    assert violations(bench.system, state) == []


@pytest.mark.slow
@settings(max_examples=40)
@given(scenarios())
def test_long_walks(scenario: ReservationScenario) -> None:
    walk(assemble(scenario), 400)


def test_the_example_of_section_7_1() -> None:
    bench = assemble(load_scenario("dra-vms"))
    kernel = bench.kernel()
    state = started(bench.system)
    for events in (1, 10, 500, 2000, 20_000, 20_000):
        state = kernel.advance(state, np.zeros(events, EVENT_ROW), Task()).state
        assert violations(bench.system, state) == []


# The checker itself: it must find each of these faults.


def _swap(name: str, first: int, second: int) -> Plant:
    def fault(_: Any, state: ReservationState) -> None:
        array = getattr(state, name)
        array[[first, second]] = array[[second, first]]

    return fault


def _cut_list(_: Any, state: ReservationState) -> None:
    server, job_type = np.argwhere(state.placement > 1)[0]
    state.job_next[state.first_job[server, job_type]] = -1


def _more_slots(_: Any, state: ReservationState) -> None:
    state.configuration[0] += 100
    state.slots_in_system[:] += 100


def _overfull(_: Any, state: ReservationState) -> None:
    """A server loses the slots that its jobs fill; all sums stay consistent."""
    server, job_type = np.argwhere(state.placement > 0)[0]
    state.slots_in_system[job_type] -= state.configuration[server, job_type]
    state.configuration[server, job_type] = 0


def _ghost(_: Any, state: ReservationState) -> None:
    state.job_number[state.free_record[0]] = 10**6


def _twin(_: Any, state: ReservationState) -> None:
    live = np.flatnonzero(state.job_number >= 0)
    state.job_number[live[0]] = state.job_number[live[1]]


def _idle_servers_in_no_use(_: Any, state: ReservationState) -> None:
    """All empty servers lose their slots, although CRA would assign them the configurations that GPA wants."""
    for server in np.flatnonzero(~state.placement.any(axis=1)):
        state.slots_in_system[:] -= state.configuration[server]
        state.configuration[server] = 0


FAULTS: dict[str, Plant] = {
    "an infeasible configuration": _more_slots,
    "more jobs than slots": _overfull,
    "a job too many": add("placement", (0, 0), 1),
    "an admission too many": add("tally", (0, ADMITTED), 1),
    "a job too few in the system": add("jobs_in_system", 0, -1),
    "slots not counted": add("slots_in_system", 0, 1),
    "a list cut short": _cut_list,
    "a job on the wrong server": add("job_server", 0, 1),
    "a job of no type": put("job_type", 0, 60),
    "a free record lost": add("number", FREE, -1),
    "a free record twice": put("free_record", 1, lambda state: state.free_record[0]),
    "a free record in use": _ghost,
    "two jobs of one number": _twin,
    "a heap out of order": _swap("heap_record", 0, 5),
    "a departure moved": add("heap_time", 3, 0.5),
    "time gone too far": add("clock", NOW, 1e6),
    "two equal stamps": put("stamp", 0, lambda state: state.stamp[1]),
    "a stamp of the future": put("stamp", 0, 10**9),
    "another I*": add("number", I_STAR, -1),
    "another GPA": add("greedy_count", 0, 1),
    "another k[1]": put("greedy_configuration", (0, slice(None)), 1),
    "a server that CRA would take": _idle_servers_in_no_use,
}


@pytest.fixture(scope="module")
def busy() -> tuple[Bench, ReservationState]:
    """A correct state with full and empty servers, and with Accept and Reject Groups."""
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 12
    for job_type in data["job_types"]:
        job_type["workload"] = 0.4
    bench = assemble(parse_scenario(data))
    tape = np.zeros(400, EVENT_ROW)
    state = bench.reference.advance(started(bench.system), tape, Task()).state
    classes = classify(state)
    assert classes.reject_group.any()
    assert ((classes.rank <= 4) & ~state.placement.any(axis=1)).any()
    assert violations(bench.system, state) == []
    return bench, state


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(busy: tuple[Bench, ReservationState], name: str) -> None:
    bench, state = busy
    broken = copied(state)
    FAULTS[name](bench.system, broken)
    assert violations(bench.system, broken)


# Infeasible decisions are refused before they change the state.


class Wilful:
    """Replaces DRA by a policy that yields the given decisions."""

    reserves_slots = True

    def __init__(self, decisions: list[Record]) -> None:
        self.decisions = decisions

    def start(self, view: Any) -> Any:
        yield from ()

    def arrival(self, view: Any, job: Any) -> Any:
        yield from self.decisions

    departure = arrival
    update = start


IMPOSSIBLE: dict[str, list[Record]] = {
    "nothing decided": [],
    "no such server": [Admit(server=99)],
    "a negative server": [Admit(server=-1)],
    "no empty slot": [Admit(server=1)],
    "admitted twice": [Admit(server=0), Admit(server=0)],
    "admitted and rejected": [Admit(server=0), Reject()],
    "rejected twice": [Reject(), Reject()],
    "a job that is not there": [Migrate(job=77, source=2, target=0)],
    "a job on another server": [Migrate(job=0, source=1, target=0)],
    "a migration into no slot": [Migrate(job=0, source=2, target=1)],
    "a server that is not empty": [Reassign(server=2, configuration=(1,))],
    "a configuration too large": [Reassign(server=0, configuration=(9,))],
    "a configuration of wrong length": [Reassign(server=0, configuration=(1, 0))],
    "a negative configuration": [Reassign(server=0, configuration=(-1,))],
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_an_impossible_decision_is_refused(name: str) -> None:
    bench = assemble(
        parse_scenario(
            {
                "servers": {"count": 3, "capacity": {"r": 2}},
                "job_types": [{"name": "a", "demand": {"r": 1}, "reward": 1, "workload": 1}],
                "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
                "initial": {
                    "start": "given",
                    "servers": [{"configuration": [1]}, {}, {"jobs": [{"type": "a", "service": 1000}]}],
                },
            }
        )
    )
    state = bench.system.raw_state()
    bench.system.policy = Wilful(IMPOSSIBLE[name])  # type: ignore[assignment]
    run = EventRun(bench.system, state)
    with pytest.raises(PolicyError) as raised:
        run.finish()
    assert len(raised.value.line.splitlines()) == 1
    assert "arrival at time" in raised.value.line
