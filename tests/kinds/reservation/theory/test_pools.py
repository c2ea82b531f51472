"""Several pools of different servers: exact programs, and DRA over them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pulp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.kinds.reservation.programs.pools import PoolShare, pooled_greedy, pooled_optimum
from slotscope.model.programs.configurations import ConfigurationSpace
from slotscope.model.programs.solver import choose_solver
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.reservation.invariants import assignment_of
from tests.sound import violations

#: The tolerance between a floating-point solver and the exact value.
TOLERANCE = 1e-7


@st.composite
def systems(draw: st.DrawFn, most_pools: int = 3) -> tuple[list[PoolShare], list[Fraction], list[Fraction]]:
    types = draw(st.integers(1, 4))
    demand = [draw(st.lists(st.integers(0, 4), min_size=2, max_size=2).filter(any)) for _ in range(types)]
    pools = []
    for _ in range(draw(st.integers(1, most_pools))):
        capacity = draw(st.lists(st.integers(1, 9), min_size=2, max_size=2))
        pools.append((ConfigurationSpace.from_demands(demand, capacity), Fraction(draw(st.integers(1, 5)), 6)))
    total = sum(share for _, share in pools)
    numbers = st.lists(st.fractions(0, 5, max_denominator=4), min_size=types, max_size=types)
    return [(space, share / total) for space, share in pools], draw(numbers), draw(numbers)


@given(systems(most_pools=1))
def test_one_pool_is_the_papers_system(system: Any) -> None:
    pools, rewards, workload = system
    space = pools[0][0]
    assert pooled_optimum(*system).value == exact_optimum(space, rewards, workload).value
    assert pooled_greedy(*system).value == global_greedy(space, rewards, workload).objective


@given(systems())
@settings(max_examples=60)
def test_the_optimum_is_that_of_the_whole_program(system: Any) -> None:
    pools, rewards, workload = system
    expected = whole_program(pools, rewards, workload)
    assert float(pooled_optimum(*system).value) == pytest.approx(expected, abs=TOLERANCE)


@given(systems())
def test_shares_are_those_of_the_pools_and_greedy_is_no_better(system: Any) -> None:
    pools, _, _ = system
    best, greedy = pooled_optimum(*system), pooled_greedy(*system)
    assert greedy.value <= best.value
    for found in (best, greedy):
        for p, (space, share) in enumerate(pools):
            mine = [(k, x) for pool, k, x in found.servers if pool == p]
            assert sum(x for _, x in mine) == share
            assert all(space.contains(k) and x > 0 for k, x in mine)


def whole_program(pools: list[PoolShare], rewards: list[Fraction], workload: list[Fraction]) -> float:
    """The linear program written out over all configurations of all pools."""
    problem = pulp.LpProblem("pools", pulp.LpMaximize)
    types = range(len(workload))
    y = [problem.add_variable(f"y{j}", 0, float(workload[j])) for j in types]
    columns = []
    for p, (space, share) in enumerate(pools):
        rows = space.enumerate().tolist()
        x = [problem.add_variable(f"x{p}_{i}", 0) for i in range(len(rows))]
        columns += list(zip(rows, x, strict=True))
        problem += pulp.lpSum(x) == float(share)
    problem += pulp.lpSum(float(rewards[j]) * y[j] for j in types)
    for j in types:
        problem += pulp.lpSum(row[j] * x for row, x in columns) >= y[j]
    problem.solve(choose_solver()[0])
    return float(pulp.value(problem.objective))


def two_pools(**changes: Any) -> dict[str, Any]:
    return {
        "servers": {
            "count": 6,
            "capacity": {"cpu": 4, "memory": 8},
            "pools": [{"name": "large", "count": 3, "capacity": {"cpu": 16, "memory": 24}}],
        },
        "job_types": [
            {"name": "small", "demand": {"cpu": 1, "memory": 2}, "reward": 1, "workload": 2},
            {"name": "wide", "demand": {"cpu": 8, "memory": 8}, "reward": 10, "workload": "1/2"},
            {"name": "fat", "demand": {"cpu": 2, "memory": 8}, "reward": 5, "workload": 1},
        ],
        "policy": {"name": "dra", "parameters": {"reservation_factor": 1}},
    } | changes


POLICIES = (
    "dra",
    "dra-periodic",
    "dra-no-migration",
    "dra-preemption",
    "first-fit",
    "best-fit",
    "power-of-d:choices=3",
    "static-reservation",
)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_keeps_every_invariant(policy: str) -> None:
    bench = assemble(parse_scenario(two_pools()), policy, seed=5)
    system = bench.system
    state = started(system)
    used = set()
    for _ in range(300):
        assert violations(system, state) == []
        run = EventRun(system, state)
        run.finish()
        state = run.state
        used |= {int(server) for server in state.placement[:, 1].nonzero()[0]}
        room = state.placement.astype(int) @ bench.numbers.demand <= bench.numbers.capacities
        assert room.all()
    assert used and min(used) >= 6  # wide jobs fit only the large servers


def test_gpa_gives_each_pool_its_best_configuration() -> None:
    numbers = assemble(parse_scenario(two_pools())).numbers
    found = assignment_of(numbers, (50, 20, 20))
    assert [(item.configuration, item.count, item.pools) for item in found][:2] == [
        ((0, 2, 0), 3, (1,)),
        ((0, 0, 1), 6, (0,)),
    ]
    assert len(found) <= numbers.ranks == 4


@given(st.lists(st.integers(0, 60), min_size=3, max_size=3))
def test_gpa_uses_no_more_servers_than_a_pool_has(reference: list[int]) -> None:
    numbers = assemble(parse_scenario(two_pools())).numbers
    found = assignment_of(numbers, reference)
    assert sum(item.count for item in found) <= numbers.servers
    for item in found:
        for pool in item.pools:
            assert numbers.pools[pool].space.contains(item.configuration)


def test_pools_are_stepped_saved_and_replayed(tmp_path: Any) -> None:
    session = Session.open(parse_scenario(two_pools()), seed=3)
    assert session.timeline.engine.name == "reference"
    session.run(events=200)
    mark = session.timeline.mark()
    session.seek(50)
    session.seek(200)
    assert session.timeline.mark() == mark
    session.save(tmp_path / "pools.slotscope")
    assert Session.load(tmp_path / "pools.slotscope").timeline.mark() == mark


@pytest.mark.parametrize(
    ("pool", "where"),
    [
        ({"name": "b", "count": 0, "capacity": {"cpu": 1, "memory": 1}}, "servers.pools[0].count"),
        ({"name": "b", "count": 1, "capacity": {"cpu": 1}}, "pools[0].capacity: found cpu"),
        ({"name": "b", "count": 1, "capacity": {"cpu": "1 GB", "memory": 1}}, "servers.pools[0].capacity.cpu"),
        ({"name": "b", "count": 1}, "servers.pools[0].capacity"),
    ],
)
def test_a_wrong_pool_is_told_in_one_line(pool: dict[str, Any], where: str) -> None:
    data = two_pools()
    data["servers"]["pools"] = [pool]
    with pytest.raises(ScenarioError) as caught:
        parse_scenario(data)
    assert where in caught.value.line
