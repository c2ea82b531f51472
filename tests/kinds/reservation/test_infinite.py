"""The upper bound from the infinite system: its jobs, U* for many workloads at once, its average."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.measures import reward_rate
from slotscope.model.kinds.reservation.programs.bounds import upper_bound_series
from slotscope.model.kinds.reservation.programs.infinite import (
    RewardFunction,
    divisible_optimum,
    infinite_average,
    infinite_bound,
    is_divisible,
    jobs_in_infinite_system,
)
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.kinds.reservation.programs.pools import pooled_optimum
from slotscope.model.kinds.reservation.programs.reward_lp import solve_optimum
from slotscope.model.programs.configurations import ConfigurationSpace
from slotscope.model.running.assembly import assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import load_scenario, parse_scenario
from slotscope.model.scenario.workload import RecordedWorkload
from tests.kinds.reservation.strategies import scenarios
from tests.runs import ran

TOLERANCE = 1e-7


def example(servers: int = 30, **changes: Any) -> Any:
    data = load_scenario("dra-vms").model_dump(mode="json", exclude_none=True)
    data["servers"]["count"] = servers
    return parse_scenario(data | changes)


# The jobs.


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2), st.integers(0, 9)), max_size=30),
    st.lists(st.integers(0, 25), max_size=12),
)
def test_jobs_are_counted_from_arrival_to_departure(jobs: list[tuple[int, int, int]], moments: list[int]) -> None:
    jobs.sort()
    moments.sort()
    workload = RecordedWorkload(
        np.array([time / 2 for time, _, _ in jobs]),
        np.array([job_type for _, job_type, _ in jobs], np.int32),
        np.array([service / 2 if service < 9 else np.inf for _, _, service in jobs]),
    )
    times = np.array(moments, float) / 2
    found = jobs_in_infinite_system(workload, 3, times)
    assert found.shape == (len(moments), 3)
    for row, time in zip(found, times, strict=True):
        expected = [0, 0, 0]
        for half, job_type, service in jobs:
            ends = half / 2 + service / 2 if service < 9 else np.inf
            expected[job_type] += half / 2 <= time < ends
        assert row.tolist() == expected


def test_starting_jobs_count_until_they_leave() -> None:
    bench = assemble(example(initial={"start": "full", "type": "large"}))
    starting = bench.system.starting
    times = np.array([0.0, 0.5, 1.0, 3.0])
    without = jobs_in_infinite_system(bench.system.workload, 4, times)
    found = jobs_in_infinite_system(bench.system.workload, 4, times, starting) - without
    left = [sum(job.service > time for job in starting) for time in times]
    assert found[:, 3].tolist() == left
    assert not found[:, :3].any()


def test_blocks_of_a_long_stream_add_up() -> None:
    """100,000 arrivals in seven blocks: counting block by block equals counting all at once."""
    bench = assemble(example(200))
    workload = bench.system.workload
    times = np.linspace(0, 100, 997)
    parts = [workload.block_at(n * 16_384) for n in range(9)]
    assert parts[-1] is not None and parts[-1].time[0] > 100
    arrived = np.concatenate([part.time for part in parts if part])
    left = arrived + np.concatenate([part.service for part in parts if part])
    kind = np.concatenate([part.type for part in parts if part])
    found = jobs_in_infinite_system(workload, 4, times)
    for job_type in range(4):
        mine = kind == job_type
        here = (arrived[mine] <= times[:, None]) & (left[mine] > times[:, None])
        assert here.sum(axis=1).tolist() == found[:, job_type].tolist()


def test_times_must_ascend() -> None:
    bench = assemble(example())
    with pytest.raises(ValueError, match="ascend"):
        jobs_in_infinite_system(bench.system.workload, 4, np.array([2.0, 1.0]))


# U* for many workloads.


@pytest.mark.slow
@given(scenarios(), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_u_star_is_that_of_the_program(scenario: Any, seed: int) -> None:
    numbers = assemble(scenario).numbers
    function = RewardFunction(numbers.pool_shares, numbers.rewards)
    jobs = np.random.default_rng(seed).integers(0, 40, (40, numbers.types))
    values = function(jobs / numbers.servers)
    for row, value in zip(jobs.tolist(), values, strict=True):
        rho = [Fraction(count, numbers.servers) for count in row]
        exact = exact_optimum(numbers.space, numbers.rewards, rho).value
        assert value == pytest.approx(float(exact), abs=TOLERANCE)


def test_few_programs_are_solved_for_many_workloads() -> None:
    numbers = assemble(load_scenario("dra-vms")).numbers
    function = RewardFunction(numbers.pool_shares, numbers.rewards)
    random = np.random.default_rng(5)
    jobs = random.poisson([360, 90, 240, 180], (20_000, 4))
    function(jobs / 180)
    assert function.solved < 60
    before = function.solved
    function(jobs / 180)
    assert function.solved == before


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5)), min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=3),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_u_star_of_several_pools(demand: list[tuple[int, int]], capacities: list[tuple[int, int]], seed: int) -> None:
    weights = range(1, len(capacities) + 1)
    pools = [
        (ConfigurationSpace.from_demands(demand, capacity), Fraction(weight, sum(weights)))
        for capacity, weight in zip(capacities, weights, strict=True)
    ]
    random = np.random.default_rng(seed)
    rewards = [Fraction(int(reward), 3) for reward in random.integers(0, 20, len(demand))]
    jobs = random.integers(0, 30, (30, len(demand)))
    values = RewardFunction(pools, rewards)(jobs / 7)
    for row, value in zip(jobs.tolist(), values, strict=True):
        exact = pooled_optimum(pools, rewards, [Fraction(count, 7) for count in row]).value
        assert value == pytest.approx(float(exact), abs=TOLERANCE)


@st.composite
def divisible(draw: st.DrawFn) -> tuple[ConfigurationSpace, list[Fraction], list[int]]:
    """Up to four types whose sizes are powers of 1/2, with rewards and numbers of jobs."""
    types = draw(st.integers(1, 4))
    sizes = draw(st.lists(st.sampled_from([1, 2, 4, 8, 16, 32]), min_size=types, max_size=types))
    rewards = [Fraction(draw(st.integers(0, 30)), 7) for _ in sizes]
    jobs = draw(st.lists(st.integers(0, 60), min_size=types, max_size=types))
    return ConfigurationSpace.from_demands([[size] for size in sizes], [16]), rewards, jobs


@given(divisible(), st.integers(1, 5))
def test_divisible_sizes_need_no_program(
    case: tuple[ConfigurationSpace, list[Fraction], list[int]], servers: int
) -> None:
    space, rewards, jobs = case
    assert is_divisible(space)
    value = divisible_optimum(space, rewards, np.array([jobs]) / servers)[0]
    shares = [Fraction(count, servers) for count in jobs]
    assert value == pytest.approx(float(exact_optimum(space, rewards, shares).value), abs=TOLERANCE)
    assert value == pytest.approx(solve_optimum(space, rewards, shares).objective, abs=1e-6)


def test_sizes_that_leave_a_rest_are_not_divisible() -> None:
    space = ConfigurationSpace.from_demands([[3], [4]], [16])
    assert not is_divisible(space)
    with pytest.raises(ValueError, match="do not divide"):
        divisible_optimum(space, [Fraction(1)] * 2, np.ones((1, 2)))
    two = ConfigurationSpace.from_demands([[1, 1]], [16, 16])
    assert not is_divisible(two)


# The bound.


@pytest.mark.parametrize("policy", ["dra", "static-reservation", "power-of-d", "best-fit", "first-fit"])
def test_no_policy_is_above_the_bound(policy: str) -> None:
    """At every event of a run on the same jobs, from an empty and from a full start."""
    for initial in ({"start": "empty"}, {"start": "full", "type": "small"}):
        bench = assemble(example(4, initial=initial), policy=policy)
        state = started(bench.system)
        times, earned = [0.0], [float(reward_rate(bench.numbers, state.jobs_in_system))]
        for _ in range(400):
            run = EventRun(bench.system, state)
            run.finish()
            state = run.state
            times.append(run.event.time)
            earned.append(float(reward_rate(bench.numbers, state.jobs_in_system)))
        system = bench.system
        bound = infinite_bound(bench.numbers, system.workload, np.array(times), system.starting)
        assert (np.array(earned) <= bound + TOLERANCE).all()
        assert (np.array(earned) > 0.3 * bound).any()


def test_the_average_lies_below_the_optimum_of_the_mean() -> None:
    """U* is concave: the fewer the servers, the lower the mean of the bound."""
    optimum = 618.0
    means = []
    for servers in (20, 180):
        bench = assemble(example(servers))
        found = infinite_average(bench.numbers, bench.system.workload, 10, 400)
        means.append(found.mean / optimum)
        assert found.half_width < 0.02 * optimum
    assert means[0] < means[1] < 1
    assert means[1] == pytest.approx(0.973, abs=0.008)


@pytest.mark.parametrize("times", [(5.0, 5.0), (-1.0, 5.0), (0.0, np.inf)])
def test_an_average_needs_a_stretch_of_time(times: tuple[float, float]) -> None:
    bench = assemble(example())
    with pytest.raises(ValueError, match="warmup"):
        infinite_average(bench.numbers, bench.system.workload, *times)


def test_a_series_depends_on_scenario_and_seed_alone() -> None:
    scenario = example()
    series = upper_bound_series(scenario, until=20, points=200)
    assert series.time[[0, -1]].tolist() == [0, 20]
    assert series.reward[0] == 0  # an empty start
    other = parse_scenario(scenario.model_dump(mode="json", exclude_none=True) | {"policy": {"name": "best-fit"}})
    assert upper_bound_series(other, until=20, points=200).reward.tolist() == series.reward.tolist()
    another = upper_bound_series(scenario.model_copy(update={"seed": 9}), until=20, points=200)
    assert another.reward.tolist() != series.reward.tolist()
    assert upper_bound_series(scenario).time[-1] == 100


def test_the_bound_holds_for_a_session_too() -> None:
    session = ran(example(), events=300)
    system = session.bench.system
    now = session.timeline.time
    bound = infinite_bound(session.bench.numbers, system.workload, np.array([now]))[0]
    jobs = session.timeline.state.jobs_in_system
    assert float(reward_rate(session.bench.numbers, jobs)) <= bound + TOLERANCE
