"""Bounds on scenarios with a queue, and how their queues grow (Psychas & Ghaderi 2019)."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.queue.cli.bounds import execute_queue
from slotscope.model.kinds.queue.numbers import numbers_of
from slotscope.model.kinds.queue.programs.bounds import QueueBounds, all_bounds
from slotscope.model.kinds.queue.programs.fluid import growth_in, max_weight_growth, stuck_limits, traps
from slotscope.model.kinds.queue.programs.partition import Partition
from slotscope.model.kinds.queue.programs.region import average_polygon, hull, service_polygon
from slotscope.model.kinds.queue.programs.supportable import pools_of
from slotscope.model.scenario.load import load_scenario, parse_scenario

HALF = Fraction(1, 2)
MU = Fraction(1, 100)


def test_the_fluid_limit_of_vqs() -> None:
    services = [tuple(MU * k for k in configuration) for configuration in Partition(2).reduced]
    arrivals = (Fraction(0), Fraction("0.007"), Fraction("0.007"), Fraction(0))
    growth = max_weight_growth(services, arrivals)
    assert growth == (0, Fraction("0.0004"), Fraction("0.0002"), 0)
    below = tuple(rate * Fraction(4, 3) / Fraction("1.4") for rate in arrivals)
    assert max_weight_growth(services, below) == (0, 0, 0, 0)
    above = tuple(rate * Fraction("1.001") for rate in below)
    assert sum(max_weight_growth(services, above)) > 0


rates = st.fractions(0, 3, max_denominator=6)


@given(
    st.lists(st.tuples(rates, rates, rates), min_size=1, max_size=5),
    st.tuples(rates, rates, rates),
    st.tuples(*[st.fractions(Fraction(1, 3), 3, max_denominator=3)] * 3),
)
def test_the_growth_is_that_of_the_heaviest_services(services: list[Any], arrivals: Any, weights: Any) -> None:
    """Optimality: what is served while queues grow has the largest weight for queues proportional to the growth."""
    growth = max_weight_growth(services, arrivals, weights)
    assert min(growth) >= 0
    weighed = [w * g for w, g in zip(weights, growth, strict=True)]
    used = sum(w * (a - g) for w, a, g in zip(weighed, arrivals, growth, strict=True))
    best = max(sum(w * s for w, s in zip(weighed, service, strict=True)) for service in services)
    assert used == best


def test_best_fit_may_be_caught() -> None:
    space = pools_of([[2], [5]], [([10], 1)])[0][0]
    assert traps(space) == [(5, 0), (2, 1), (0, 2)]
    arrivals = (Fraction("0.0204"), Fraction("0.0102"))
    assert growth_in((2, 1), arrivals, MU) == (Fraction("0.0004"), Fraction("0.0002"))
    (limit,) = stuck_limits(space, arrivals, MU, ("2", "5"))
    assert (limit.configuration, limit.slope) == ((2, 1), Fraction("0.0006"))
    assert stuck_limits(space, arrivals, MU, ("2", "5"), fixed_service=False) == []
    assert growth_in((2, 1), arrivals, MU, servers=2) == (0, 0)
    # Where a job of 0.4 leaves while another stays, a job of 0.6 fits: no trap.
    assert traps(pools_of([[2], [3]], [([5], 1)])[0][0]) == [(1, 1)]
    with pytest.raises(ValueError, match="one resource only"):
        traps(pools_of([[1, 1]], [([2, 2], 1)])[0][0])


def test_polygons() -> None:
    zero, one, two = Fraction(0), Fraction(1), Fraction(2)
    assert hull([(zero, zero)]) == ((0, 0),)
    square = hull([(x, y) for x in (zero, one, two) for y in (zero, one, two)])
    assert square == ((0, 0), (2, 0), (2, 2), (0, 2))
    triangle = service_polygon([(2, 0), (1, 1)], (one, one))
    assert triangle == ((0, 0), (2, 0), (1, 1), (0, 1))
    assert average_polygon([(triangle, HALF), (triangle, HALF)]) == triangle
    assert average_polygon([(square, HALF), (hull([(zero, zero)]), HALF)]) == (*((0, 0), (1, 0), (1, 1), (0, 1)),)


def last_of(scenario: Any) -> QueueBounds:
    """The last bounds; each extends the bounds before it, and can be pickled."""
    before = QueueBounds()
    for bounds in all_bounds(scenario):
        assert repr(pickle.loads(pickle.dumps(bounds))) == repr(bounds)
        assert bounds.theorem1[: len(before.theorem1)] == before.theorem1
        before = bounds
    return before


def test_the_bounds_of_the_unstable_examples() -> None:
    bounds = last_of(load_scenario("queues-vqs-unstable"))
    assert bounds.supportable is not None
    assert bounds.supportable.value == bounds.lower == bounds.upper == bounds.mean_bound == 2
    assert bounds.reduced is not None
    assert bounds.reduced.value == Fraction(4, 3)
    assert bounds.load == (Fraction("0.7"), Fraction("0.7"))
    (vqs,) = bounds.fluid
    assert (vqs.limit, vqs.slope) == (Fraction(1, 75), Fraction("0.0006"))
    region = bounds.region
    assert region is not None
    assert region.full == ((0, 0), (2 * MU, 0), (MU, MU), (0, MU))
    assert region.reduced == ((0, 0), (2 * MU, 0), (0, MU))
    assert region.arrivals == (Fraction("0.007"), Fraction("0.007"))
    assert region.boundary == (MU, MU)
    assert region.reduced_boundary == (MU * Fraction(2, 3), MU * Fraction(2, 3))
    shares = {drawn.configuration: drawn.share for drawn in region.configurations}
    assert shares == {(2, 0): 0, (1, 1): 1}
    bounds = last_of(load_scenario("queues-bf-unstable"))
    vqs, stuck = bounds.fluid
    assert (vqs.limit, vqs.slope) == (Fraction(1, 30), 0)
    assert (stuck.configuration, stuck.slope) == ((2, 1), Fraction("0.0006"))
    assert bounds.region is not None
    assert dict(bounds.region.reduced_configurations)["4e₄"] == (5 * MU, 0)


def scenario_of(**changes: Any) -> Any:
    data: dict[str, Any] = {
        "system": "queue",
        "policy": {"name": "bf-js"},
        "servers": {"count": 1, "capacity": 1},
        "jobs": [{"size": {"distribution": "uniform", "low": 0.1, "high": 0.9}}],
        "workload": {"kind": "poisson", "intensity": 0.9},
    }
    return parse_scenario({**data, **changes})


@pytest.mark.parametrize(("service", "policies"), [("fixed", []), ("geometric", ["vqs"])])
def test_growth_of_vqs_is_known_where_servers_become_empty(service: str, policies: list[str]) -> None:
    length = {"fixed": {"slots": 100}, "geometric": {"mean": 100}}[service]
    job = {"size": {"distribution": "discrete", "values": [0.4, 0.6]}, "service": {"distribution": service, **length}}
    workload = {"kind": "poisson", "arrival_rate": 0.014}
    bounds = last_of(scenario_of(jobs=[job], workload=workload))
    assert [name for limit in bounds.fluid for name in limit.policies] == policies


def test_the_bounds_of_a_continuous_law() -> None:
    bounds = last_of(scenario_of())
    assert bounds.supportable is None
    assert bounds.depth == 4
    assert [row.level for row in bounds.theorem1] == [0, 1, 2, 3, 4, 5]
    assert bounds.theorem1[-1].lower == Fraction(128, 65)
    assert bounds.trimmed is not None
    assert bounds.reduced is not None
    assert float(bounds.reduced.value) == pytest.approx(0.8136 * 2, abs=1e-4)
    assert bounds.mean_bound == bounds.upper == 2
    assert bounds.load is not None
    assert bounds.load[0] == Fraction(9, 10) < bounds.load[1] < Fraction(92, 100)
    assert last_of(scenario_of(policy={"name": "vqs", "parameters": {"j": 6}})).depth == 6


def test_refining_ends_earlier_where_it_would_take_long() -> None:
    law = {"distribution": "beta", "a": 2, "b": 5, "high": 1}
    bounds = last_of(scenario_of(jobs=[{"size": law}]))
    assert [row.level for row in bounds.theorem1] == [0, 1, 2, 3, 4]
    assert bounds.lower is not None
    assert bounds.upper is not None
    assert bounds.lower < bounds.upper <= bounds.mean_bound


def test_types_count_as_much_as_they_are_served() -> None:
    """Half of the jobs, with three times the service, are three quarters of the workload."""
    jobs = [
        {
            "share": 0.5,
            "size": {"distribution": "discrete", "values": [size]},
            "service": {"distribution": "fixed", "slots": slots},
        }
        for size, slots in ((0.4, 10), (0.6, 30))
    ]
    bounds = last_of(scenario_of(jobs=jobs))
    assert bounds.probabilities == (Fraction(1, 4), Fraction(3, 4))
    assert bounds.supportable is not None
    assert bounds.supportable.value == Fraction(4, 3)
    assert bounds.mean_bound == 1 / Fraction("0.55")
    assert (bounds.region, bounds.fluid) == (None, ())


@pytest.mark.parametrize(("low", "depth"), [(0.1, 4), (0.3, 3)])
def test_smaller_servers_need_a_deeper_partition(low: float, depth: int) -> None:
    """For servers of half the capacity K_RED has depth J - 1, which must be at least 2."""
    pool = {"name": "half", "count": 1, "capacity": 0.5}
    size = {"distribution": "uniform", "low": low, "high": 0.9}
    scenario = scenario_of(servers={"count": 1, "capacity": 1, "pools": [pool]}, jobs=[{"size": size}])
    bounds = next(all_bounds(scenario))
    assert bounds.depth == depth
    assert bounds.reduced is not None
    assert {part.pool for part in bounds.reduced.solution} == {0, 1}


def test_servers_that_k_red_does_not_serve_and_two_resources() -> None:
    pool = {"name": "third", "count": 1, "capacity": "1/3"}
    bounds = last_of(scenario_of(servers={"count": 1, "capacity": 1, "pools": [pool]}))
    assert (bounds.depth, bounds.reduced) == (0, None)
    assert bounds.theorem1
    size = {"distribution": "discrete", "values": [[4, 1], [1, 4]]}
    servers = {"count": 2, "capacity": {"cores": 5, "disks": 5}}
    bounds = last_of(scenario_of(servers=servers, jobs=[{"size": size}]))
    assert bounds.supportable is not None
    assert bounds.supportable.value == bounds.mean_bound == 4
    each = {"distribution": "uniform", "low": 1, "high": 3}
    size = {"distribution": "independent", "resources": {"cores": each, "disks": each}}
    bounds = last_of(scenario_of(servers=servers, jobs=[{"size": size}]))
    assert (bounds.supportable, bounds.load) == (None, None)
    assert bounds.mean_bound == 5
    assert "2 resources" in bounds.problem


def test_many_sizes_are_refined_like_a_continuous_law() -> None:
    values = [units / 1000 for units in range(100, 900)]
    size = {"distribution": "empirical", "values": values}
    bounds = last_of(scenario_of(jobs=[{"size": size}]))
    assert (bounds.supportable, bounds.sizes) == (None, ())
    assert bounds.lower is not None
    assert bounds.upper is not None
    assert 1.9 < bounds.lower < bounds.upper < 2.01


@pytest.mark.parametrize(("name", "value"), [("queues-vqs-unstable", "2"), ("queues-bf-unstable", "10/3")])
def test_the_command_prints_plain_data(name: str, value: str) -> None:
    scenario = load_scenario(name)
    data = json.loads(json.dumps(execute_queue(numbers_of(scenario), scenario), allow_nan=False))
    found = data["programs"]["supportable"]
    assert (found["exact"], found["status"]) == (value, "optimal")
    assert found["objective"] == float(Fraction(value))
    assert sum(Fraction(part["share"]) for part in found["solution"]) == 1
    assert all({"objective", "status", "solution"} <= set(p) for p in data["programs"].values())
    assert data["load"]["at_least"] == data["load"]["at_most"]
