"""Loss systems with known results: Erlang's formula, trunk reservation, Little's law."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.rows import EVENT_ROW, FLAG_ADMITTED, FLAG_REJECTED
from slotscope.model.kinds.reservation.sampling import area_until_now, columns
from slotscope.model.kinds.reservation.state import ARRIVED, REJECTED
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE
from slotscope.model.scenario.load import load_scenario, parse_scenario
from tests.kinds.reservation.theory.loss import erlang_b, near

SERVERS = 10


def trunk_reservation(servers: int, loads: tuple[float, float], reserved: int) -> np.ndarray:
    """[2] blocking of two types of one slot each, equal service means.

    The second type is admitted only while more than *reserved* servers are free; the number
    of jobs is then a birth-death process.
    """
    weight = np.ones(servers + 1)
    for busy in range(servers):
        births = loads[0] + (loads[1] if servers - busy > reserved else 0)
        weight[busy + 1] = weight[busy] * births / (busy + 1)
    weight /= weight.sum()
    return np.array([weight[-1], weight[servers - reserved :].sum()])


def single_slots(loads: tuple[float, ...], policy: str, factor: Any = 1, service: Any = None, seed: int = 1) -> Session:
    """Servers of one slot, for any type; earlier types have the higher reward."""
    return Session.open(
        parse_scenario(
            {
                "seed": seed,
                "servers": {"count": SERVERS, "capacity": {"slot": 1}},
                "job_types": [
                    {
                        "name": f"t{j + 1}",
                        "demand": {"slot": 1},
                        "reward": len(loads) - j,
                        "workload": str(load / SERVERS),
                        "service": service or {"distribution": "exponential", "mean": 1},
                    }
                    for j, load in enumerate(loads)
                ],
                "policy": {"name": policy, "parameters": {"reservation_factor": factor} if policy == "dra" else {}},
            }
        )
    )


@pytest.mark.parametrize("policy", ["dra", "first-fit"])
@pytest.mark.parametrize("load", [2.0, 8.0, 15.0])
def test_one_type_and_one_slot_is_erlang_s_system(policy: str, load: float) -> None:
    found = single_slots((load,), policy).measure(30_000, 50)["rejection_probability"]
    near(found, erlang_b(SERVERS, load), 0.005)


@pytest.mark.parametrize("name", ["deterministic", "hyper-exponential", "erlang", "lognormal"])
def test_blocking_depends_on_the_mean_of_service_alone(name: str) -> None:
    service = {"distribution": name, "mean": 1}
    if name == "erlang":
        service["phases"] = 5
    session = single_slots((8.0,), "dra", service=service)
    found = session.measure(60_000, 50)["rejection_probability"]
    near(found, erlang_b(SERVERS, 8.0), 0.005)


@pytest.mark.parametrize("factor", [1, 2, 4])
def test_the_last_g_free_servers_are_kept_for_the_higher_reward(factor: int) -> None:
    """Two types of one slot each: DRA decides as trunk reservation at every arrival.

    With F servers free, GPA wants min(Y_1 + g, L) servers for the first type.  So a job of the
    first type is admitted exactly if F > 0, and one of the second only if F > g.
    """
    session = single_slots((5.0, 4.0), "dra", factor)
    session.run(events=40_000)
    free, seen = SERVERS, np.zeros((2, SERVERS + 1, 2), int)
    for row in session.timeline.rows(1, 40_000):
        if row["kind"] == DEPARTURE:
            free += 1
            continue
        admitted = bool(row["flags"] & FLAG_ADMITTED)
        seen[row["type"], free, int(admitted)] += 1
        free -= admitted
    assert seen[0, 0, 1] == seen[1, : factor + 1, 1].sum() == 0
    assert seen[0, 1:, 0].sum() == 0
    kept = seen[1, 1 : factor + 1, 0].sum()
    assert kept > 100  # the second type was rejected although a server was free


@pytest.mark.parametrize("factor", [1, 2, 4])
def test_blocking_lies_beyond_that_of_trunk_reservation(factor: int) -> None:
    """A recent server of the first type can be busy while an older one is free.  So the second type is
    admitted a little less often, and the first a little more often, than under trunk reservation.
    """
    loads = (5.0, 4.0)
    session = single_slots(loads, "dra", factor)
    session.run(until=20_000)
    tally = session.timeline.state.tally
    blocked = tally[:, REJECTED] / tally[:, ARRIVED]
    exact = trunk_reservation(SERVERS, loads, factor)
    assert blocked[0] <= exact[0] + 0.003
    assert blocked[1] >= exact[1] - 0.003
    assert blocked == pytest.approx(exact, abs=0.03)
    assert exact[0] < erlang_b(SERVERS, sum(loads)) < exact[1]


def test_the_formula_of_trunk_reservation_without_reserve_is_erlang_s() -> None:
    assert trunk_reservation(SERVERS, (5.0, 4.0), 0)[0] == pytest.approx(erlang_b(SERVERS, 9.0))


@cache
def rows_of(policy: str, seed: int, events: int) -> tuple[Session, np.ndarray]:
    """A run of the example of Section 7.1 and the rows of all its events."""
    session = Session.open(load_scenario("dra-vms"), policy=policy, seed=seed)
    parts = [np.zeros(0, EVENT_ROW)]
    while session.timeline.event < events:
        session.run(events=4000)
        parts.append(session.timeline.recent.rows[-4000:].copy())
    return session, np.concatenate(parts)


@pytest.mark.parametrize("policy", ["dra", "first-fit"])
def test_little_s_law_holds_exactly(policy: str) -> None:
    """The integral of Y_j equals the time that jobs of the type have spent in the system."""
    session, rows = rows_of(policy, 2, 40_000)
    state = session.timeline.state
    now = session.timeline.time
    came = rows[(rows["kind"] == ARRIVAL) & ((rows["flags"] & FLAG_ADMITTED) != 0)]
    left = rows[rows["kind"] == DEPARTURE]
    area = area_until_now(state, now)
    for job_type in range(4):
        entered = came[came["type"] == job_type]
        gone = left[left["type"] == job_type]
        spent = gone["time"].sum() - entered["time"].sum() + (len(entered) - len(gone)) * now
        assert area[job_type] == pytest.approx(spent, rel=1e-9)
        assert len(entered) - len(gone) == state.jobs_in_system[job_type]
    sampled = session.timeline.samples.table[-1]
    assert sampled[columns("area", 4)] == pytest.approx(area, rel=1e-2)


def test_every_policy_meets_the_same_jobs() -> None:
    """Job n has the same time, type and service under DRA and first fit, whether it is admitted or not."""
    arrivals = {}
    services = {}
    for policy in ("dra", "first-fit"):
        _, rows = rows_of(policy, 2, 40_000)
        came = rows[rows["kind"] == ARRIVAL]
        arrivals[policy] = came[["job", "time", "type"]].tolist()
        taken = came[(came["flags"] & FLAG_ADMITTED) != 0]
        entered = dict(zip(taken["job"].tolist(), taken["time"].tolist(), strict=True))
        left = rows[rows["kind"] == DEPARTURE]
        services[policy] = {
            job: time - entered[job] for job, time in zip(left["job"].tolist(), left["time"].tolist(), strict=True)
        }
    length = min(map(len, arrivals.values()))
    assert length > 10_000
    assert arrivals["dra"][:length] == arrivals["first-fit"][:length]
    both = services["dra"].keys() & services["first-fit"].keys()
    assert len(both) > 5_000
    for job in both:
        assert services["dra"][job] == pytest.approx(services["first-fit"][job], abs=1e-9)
    rejected = [(rows_of(policy, 2, 40_000)[1]["flags"] & FLAG_REJECTED != 0).sum() for policy in ("dra", "first-fit")]
    assert rejected[0] != rejected[1]


def test_dra_and_first_fit_are_the_same_erlang_system_job_by_job() -> None:
    """With one type and one slot per server both policies admit exactly the same jobs."""
    taken = []
    for policy, factor in (("dra", 1), ("dra", 7), ("first-fit", 1)):
        session = single_slots((9.0,), policy, factor, seed=8)
        session.run(events=5000)
        rows = session.timeline.rows(1, 5000)
        taken.append(rows[(rows["flags"] & FLAG_ADMITTED) != 0]["job"].tolist())
    assert taken[0] == taken[1] == taken[2]


def test_another_seed_is_another_run() -> None:
    times = [rows_of("dra", seed, 4000)[1]["time"][:100] for seed in (2, 3)]
    assert not np.isin(times[0], times[1]).any()
