"""DRA's peers against theory: loss systems of known blocking probability, and the paper's example."""

from __future__ import annotations

from itertools import product
from math import factorial
from typing import Any

import numpy as np
import pytest

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.programs.infinite import infinite_average
from slotscope.model.kinds.reservation.rows import EVENT_ROW, FLAG_ADMITTED
from slotscope.model.kinds.reservation.state import ARRIVED, REJECTED
from slotscope.model.measures.metrics import Estimate
from slotscope.model.scenario.load import load_scenario, parse_scenario
from tests.kinds.reservation.theory.loss import erlang_b, near

PEERS = ("power-of-d", "best-fit", "first-fit", "static-reservation")
#: U* of the example of Section 7.1 at alpha = 1.
OPTIMUM = 618.0


def multi_rate_blocking(demand: list[list[int]], capacity: list[int], loads: list[float]) -> np.ndarray:
    """[J] blocking in a loss system without priorities, by its product form (Kaufman, Roberts)."""
    most = [min(room // need for need, room in zip(row, capacity, strict=True) if need) for row in demand]
    total, blocked = 0.0, np.zeros(len(loads))
    for state in product(*(range(count + 1) for count in most)):
        used = np.array(state) @ np.array(demand)
        if (used > capacity).any():
            continue
        weight = np.prod([load**k / factorial(k) for load, k in zip(loads, state, strict=True)])
        total += weight
        blocked += weight * ((used + np.array(demand)) > capacity).any(axis=1)
    return np.asarray(blocked / total)


def one_server(policy: str, loads: list[float]) -> Session:
    """One server of (12, 20) for jobs of (1, 2), (3, 1) and (4, 9)."""
    demand = ((1, 2), (3, 1), (4, 9))
    return Session.open(
        parse_scenario(
            {
                "seed": 4,
                "servers": {"count": 1, "capacity": {"r": 12, "s": 20}},
                "job_types": [
                    {"name": f"t{j}", "demand": {"r": r, "s": s}, "reward": 1, "workload": str(load)}
                    for j, ((r, s), load) in enumerate(zip(demand, loads, strict=True))
                ],
                "policy": {"name": policy},
            }
        )
    )


@pytest.mark.parametrize("policy", ["power-of-d", "best-fit", "first-fit"])
def test_one_server_is_the_multi_rate_loss_system(policy: str) -> None:
    loads = [3.0, 0.75, 0.5]
    session = one_server(policy, loads)
    session.run(until=60_000)
    tally = session.timeline.state.tally
    found = tally[:, REJECTED] / tally[:, ARRIVED]
    exact = multi_rate_blocking([[1, 2], [3, 1], [4, 9]], [12, 20], loads)
    assert found == pytest.approx(exact, abs=0.006)
    assert exact.min() > 0.05


def test_on_one_server_all_policies_without_reservation_do_the_same() -> None:
    taken = []
    for policy in ("power-of-d", "best-fit", "first-fit"):
        session = one_server(policy, [3.0, 0.75, 0.5])
        session.run(events=5000)
        rows = session.timeline.rows(1, 5000)
        taken.append(rows[(rows["flags"] & FLAG_ADMITTED) != 0]["job"].tolist())
    assert taken[0] == taken[1] == taken[2]


@pytest.mark.parametrize("policy", PEERS)
@pytest.mark.parametrize("load", [8.0, 15.0])
def test_one_type_and_one_slot_is_erlang_s_system(policy: str, load: float) -> None:
    """A policy that looks at all servers admits a job whenever a server is free."""
    session = Session.open(
        parse_scenario(
            {
                "servers": {"count": 10, "capacity": {"slot": 1}},
                "job_types": [{"name": "t", "demand": {"slot": 1}, "reward": 1, "workload": str(load / 10)}],
                "policy": {"name": policy, "parameters": {"choices": 10} if policy == "power-of-d" else {}},
            }
        )
    )
    if policy == "static-reservation" and load < 10:
        # x* gives a slot to 8 of 10 servers, and the others stay empty.
        slots = int(session.timeline.state.slots_in_system[0])
        assert slots == 8
    else:
        slots = 10
    near(session.measure(30_000, 50)["rejection_probability"], erlang_b(slots, load), 0.005)


def test_static_reservation_is_one_erlang_system_for_each_type() -> None:
    """Each type has slots of its own and is an independent Erlang system: Erlang's formula, type by type."""
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 30
    data["policy"] = {"name": "static-reservation"}
    session = Session.open(parse_scenario(data))
    session.run(until=4000)
    state = session.timeline.state
    found = state.tally[:, REJECTED] / state.tally[:, ARRIVED]
    loads = [30 * float(rho) for rho in session.bench.numbers.workload]
    exact = [erlang_b(int(slots), load) for slots, load in zip(state.slots_in_system, loads, strict=True)]
    assert found == pytest.approx(exact, abs=0.006)
    assert max(exact) > 0.05


@pytest.mark.parametrize("choices", [1, 2, 4])
def test_few_choices_lie_between_one_and_all(choices: int) -> None:
    """With d choices among L single slots, a job is admitted if at least one of the d sampled servers is free."""
    session = Session.open(
        parse_scenario(
            {
                "servers": {"count": 50, "capacity": {"slot": 1}},
                "job_types": [{"name": "t", "demand": {"slot": 1}, "reward": 1, "workload": "4/5"}],
                "policy": {"name": "power-of-d", "parameters": {"choices": choices}},
            }
        )
    )
    found = session.measure(20_000, 50)["rejection_probability"]
    near(found, few_choices_blocking(50, 40.0, choices), 0.003)


def few_choices_blocking(servers: int, load: float, choices: int) -> float:
    """Blocking with single slots: the number of jobs is a birth-death process."""
    weight, refused = [1.0], []
    for busy in range(servers + 1):
        # All sampled servers are busy: C(busy, d) / C(L, d).
        full = np.prod([(busy - i) / (servers - i) for i in range(choices)])
        refused.append(float(max(full, 0.0)) if busy >= choices else 0.0)
    for busy in range(servers):
        weight.append(weight[-1] * load * (1 - refused[busy]) / (busy + 1))
    shares = np.array(weight) / sum(weight)
    return float(shares @ refused)


def least_loaded(rows: np.ndarray, session: Session) -> Any:
    """Whether each admitted job of *rows* went to a server of least load among those with room."""
    numbers = session.bench.numbers
    jobs: dict[int, tuple[int, int]] = {}
    placement = np.zeros((numbers.servers, numbers.types), np.int64)
    for row in rows:
        job, server, kind = int(row["job"]), int(row["server"]), int(row["type"])
        if job in jobs:
            placement[jobs[job]] -= 1
        elif server >= 0:
            room = (placement @ numbers.demand + numbers.demand[kind]) <= numbers.capacity
            load = (placement @ numbers.demand / numbers.capacity).max(axis=1)
            load[~room.all(axis=1)] = np.inf
            yield load[server] == load.min()
            jobs[job] = (server, kind)
            placement[server, kind] += 1
        else:
            assert not ((placement @ numbers.demand + numbers.demand[kind]) <= numbers.capacity).all(axis=1).any()


def test_with_all_servers_sampled_the_least_loaded_one_admits() -> None:
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = 16
    data["policy"] = {"name": "power-of-d", "parameters": {"choices": 16}}
    session = Session.open(parse_scenario(data))
    parts = [np.zeros(0, EVENT_ROW)]
    while session.timeline.event < 4000:
        session.run(events=1000)
        parts.append(session.timeline.recent.rows[-1000:].copy())
    checked = list(least_loaded(np.concatenate(parts), session))
    assert len(checked) > 1500
    assert all(checked)


def test_power_of_five_choices_in_the_example() -> None:
    """L = 180: 0.482 of the optimum."""
    session = Session.open("dra-vms", policy="power-of-d")
    found = session.measure(4_000, 50)["reward_rate"]
    near(Estimate(found.mean / OPTIMUM, found.half_width / OPTIMUM), 0.482, 0.002)


def test_the_infinite_system_s_bound_in_the_example() -> None:
    """L = 180: 0.973 of the optimum."""
    session = Session.open("dra-vms", kernel=False)
    found = infinite_average(session.bench.numbers, session.bench.system.workload, 10, 4_000, moments=100_000)
    near(Estimate(found.mean / OPTIMUM, found.half_width / OPTIMUM), 0.973, 0.002)
