"""The variants of DRA: what each does differently, and its parameters."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import UserError
from slotscope.model.kinds.reservation.classification import classify
from slotscope.model.kinds.reservation.policies.workload_estimate import TABLE, MovingWindow
from slotscope.model.kinds.reservation.rows import FLAG_ADMITTED, FLAG_GREEDY, FLAG_MIGRATED, FLAG_PREEMPTED
from slotscope.model.kinds.reservation.state import PREEMPTED
from slotscope.model.reporting.records import UPDATE
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import edited, load_scenario, parse_scenario
from slotscope.model.systems.state import copied, digest
from tests.kinds.reservation.strategies import VARIANTS, scenarios
from tests.runs import ran
from tests.sound import reference_events, violations

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("policy", VARIANTS)
@given(data=st.data())
def test_every_invariant_holds(policy: str, data: st.DataObject) -> None:
    bench = assemble(data.draw(scenarios(policy=policy)))
    system = bench.system
    state = started(system)
    assert violations(system, state) == []
    for run in reference_events(system, state, 40):
        assert violations(system, run.state) == []


def run_of(policy: str, events: int = 1500, seed: int = 2) -> tuple[Session, np.ndarray]:
    session = ran("dra-vms", policy, seed=seed, kernel=True, events=events)
    return session, session.timeline.rows(1, events)


def test_without_migration_nothing_migrates() -> None:
    assert (run_of("dra")[1]["flags"] & FLAG_MIGRATED).any()
    assert not (run_of("dra-no-migration")[1]["flags"] & FLAG_MIGRATED).any()


def test_the_extended_reject_group_has_all_surplus_servers() -> None:
    session, _ = run_of("dra-no-migration:extended=true")
    groups = classify(session.timeline.state)
    surplus = groups.rank == len(session.timeline.state.greedy_count) + 1
    assert groups.reject_group[surplus].all()
    assert surplus.sum() > (groups.index[surplus] == 1).sum()  # more servers than those of index 1


def test_periodic_updates_stand_at_multiples_of_the_period() -> None:
    _, rows = run_of("dra-periodic:period=1/2", 3000)
    updates = rows[rows["kind"] == UPDATE]
    assert updates["time"].tolist() == [0.5 * (n + 1) for n in range(len(updates))]
    assert len(updates) >= 4
    changed = rows[(rows["flags"] & FLAG_GREEDY) != 0]
    assert set(changed["kind"]) == {UPDATE}  # between updates GPA does not run


def test_periodic_at_given_times() -> None:
    _, rows = run_of("dra-periodic:times=[1,1/4,2]", 3000)
    assert rows[rows["kind"] == UPDATE]["time"].tolist() == [0.25, 1.0, 2.0]


def test_updates_end_with_the_last_job() -> None:
    """A scripted run with periodic updates must end; updates at given times all take place."""
    data: dict[str, Any] = {
        "servers": {"count": 2, "capacity": {"r": 2}},
        "job_types": [{"name": "a", "demand": {"r": 1}, "reward": 1}],
        "workload": {"kind": "scripted", "arrivals": [{"time": 1, "type": "a", "service": 2}]},
        "policy": {"name": "dra-periodic", "parameters": {"reservation_factor": 1}},
    }
    for parameters, last in (({}, 3.0), ({"times": [2, 9]}, 9.0)):
        data["policy"]["parameters"] |= parameters
        for kernel in (False, True):
            session = ran(parse_scenario(data), kernel=kernel, events=100)
            assert session.timeline.time == last, (parameters, kernel)


def preempting(retry: bool, factor: int | str = 2) -> Bench:
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 20
    for job_type in data["job_types"]:
        job_type["priority"] = {"small": 0, "regular": 0, "memory": 1, "large": 2}[job_type["name"]]
        job_type["workload"] = 3
    data["policy"] = {"name": "dra-preemption", "parameters": {"reservation_factor": factor, "retry": retry}}
    return assemble(parse_scenario(data))


@pytest.mark.parametrize("retry", [False, True])
def test_only_priority_0_is_preempted_and_only_for_higher_ones(retry: bool) -> None:
    session = Session(preempting(retry))
    session.use_kernel()
    session.run(events=3000)
    rows = session.timeline.rows(1, 3000)
    preempted = rows[(rows["flags"] & FLAG_PREEMPTED) != 0]
    assert len(preempted) > 20
    priorities = np.array(session.bench.numbers.priorities)
    assert (priorities[preempted["type"]] > 0).all()
    tally = session.timeline.state.tally[:, PREEMPTED]
    assert tally[priorities > 0].sum() == 0
    assert tally.sum() == preempted["preempted"].sum()
    admitted = (preempted["flags"] & FLAG_ADMITTED) != 0
    assert admitted.any() == retry  # without a retry a rejected job stays rejected


def test_a_fraction_of_a_slot_is_preempted_as_it_is_and_not_rounded_up() -> None:
    """Section 7.2: jobs are preempted until their size is g(L) s_j."""
    session = Session(preempting(False, "1/4"))
    session.run(events=1500)
    rows, sizes, spared = session.timeline.rows(1, 1500), session.bench.numbers.size_units, 0
    for row in rows[(rows["flags"] & FLAG_PREEMPTED) != 0]:
        session.seek(int(row["event"]) - 1)
        run = EventRun(session.bench.system, copied(session.timeline.state))
        while run.step() is not None:
            pass
        found = [record.values for record in run.records if record.kind == "preempt"]
        owed = Fraction(1, 4) * sizes[row["type"]]
        assert all(values["owed"] == owed for values in found)
        assert all(values["freed"] - sizes[values["type"]] < owed for values in found)
        spared += owed <= found[-1]["freed"] < sizes[row["type"]]
    assert spared > 3  # if g were rounded up to 1, more jobs would have been preempted


def test_a_preempted_job_never_departs() -> None:
    session = Session(preempting(False))
    session.use_kernel()
    session.run(events=3000)
    rows = session.timeline.rows(1, 3000)
    first = rows[(rows["flags"] & FLAG_PREEMPTED) != 0]
    for row in first:
        later = rows[(rows["event"] > row["event"]) & (rows["kind"] == 2)]
        assert row["moved"] not in later["job"]


# The workload estimate.


def test_a_given_estimate_fixes_the_configurations() -> None:
    session, rows = run_of("dra:workload=given,reservation_factor=3")
    assert not (rows["flags"] & FLAG_GREEDY).any()
    numbers = session.bench.numbers
    jobs = session.bench.system.policy.estimator.jobs  # type: ignore[attr-defined]
    assert jobs == [-(-load * numbers.servers // 1) for load in numbers.workload]


def test_an_estimate_of_wrong_length_is_told() -> None:
    with pytest.raises(UserError, match="found 2 numbers, allowed: 4, one for each job type"):
        Session.open("dra-vms", "dra:workload=given,estimate=[1,2]", kernel=False)
    with pytest.raises(UserError, match="workload = 'given'"):
        Session.open("dra-vms", "dra:estimate=[1,2,3,4]", kernel=False)


def test_an_estimate_typed_as_text_is_a_list() -> None:
    choice = {"name": "dra", "parameters": {"workload": "given", "estimate": "2, 1/2, 1, 1"}}
    session = Session.open(edited(load_scenario("dra-vms"), {"policy": choice}), kernel=False)
    assert session.info.parameters.estimate == (2, 0.5, 1, 1)


@pytest.mark.slow
def test_the_window_learns_the_workload() -> None:
    """In a stationary system the mean estimate is near L rho, up to random fluctuation."""
    session = Session.open("dra-vms", "dra:workload=window,window=4", seed=3, kernel=False)
    estimator = session.bench.system.policy.estimator  # type: ignore[attr-defined]
    assert isinstance(estimator, MovingWindow)
    assert not session.use_kernel()
    from slotscope.model.kinds.reservation.view import ReservationView

    found = []
    for time in np.arange(5.0, 11.0, 0.5):
        session.run(until=float(time))
        view = ReservationView(session.bench.numbers, session.timeline.state)
        found.append(estimator.workload(view))
    expected = np.array([float(load) * 180 for load in session.bench.numbers.workload])
    mean = np.mean(found, axis=0)
    # Jobs whose service is longer than the window are counted late; Poisson fluctuation over 4 time units.
    assert (abs(mean - expected) < 0.15 * expected).all(), (mean, expected)


def test_the_window_is_part_of_the_state() -> None:
    session = ran("dra-classroom", "dra:workload=window,window=2", events=120)
    assert len(session.timeline.state.memory) > TABLE
    assert session.timeline.state.memory.any()
    mark = digest(session.timeline.state)
    session.seek(30)
    session.seek(120)
    assert digest(session.timeline.state) == mark
    other = session.continued(session.bench.scenario, "dra:workload=jobs")
    assert len(other.timeline.state.memory) == 0


@pytest.mark.parametrize("policy", ["dra", *VARIANTS, "static-reservation", "power-of-d"])
def test_every_record_stands_at_a_line_of_the_pseudocode(policy: str) -> None:
    bench = preempting(False) if policy == "dra-preemption" else assemble(load_scenario("dra-classroom"), policy)
    known = {line.line for line in bench.system.policy.pseudocode}
    state = started(bench.system)
    lines = set()
    for _ in range(600):
        run = EventRun(bench.system, state)
        run.finish()
        state = run.state
        lines |= {record.line for record in run.records if record.line is not None}
    assert lines <= known, lines - known
    own = {line for line in known if line.algorithm == 3}
    assert not own or lines & own  # the lines that only this variant has are visited
