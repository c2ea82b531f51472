"""The Lyapunov function V of Psychas & Ghaderi (2022), Section 6."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import lcm

import numpy as np
import pulp
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slotscope.model.api import Session
from slotscope.model.kinds.reservation.programs.appendix_c import AppendixC
from slotscope.model.kinds.reservation.programs.greedy import global_greedy, greedy_configurations
from slotscope.model.kinds.reservation.programs.lyapunov import Lyapunov, lyapunov
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace
from slotscope.model.programs.simplex import ExactSimplex
from tests.kinds.reservation.theory.test_reward_programs import (
    SOLVER_TOLERANCE,
    VM_REWARDS,
    VM_WORKLOAD,
    VMS,
    Instance,
    instances,
)

NONE = Fraction(0)


def function_of(instance: Instance) -> Lyapunov:
    """V, for instances where it is defined."""
    space, _, workload = instance
    assume(any(load and space.fits[j] for j, load in enumerate(workload)))
    return lyapunov(*instance)


def target_of(instance: Instance) -> dict[Configuration, Fraction]:
    return {k: x for k, x in global_greedy(*instance).fractions().items() if any(k)}


def solve(function: Lyapunov, epsilon: Fraction) -> tuple[Fraction, dict[int, Fraction]]:
    """LP (6.5), exactly: its value and eta."""
    types = len(function.workload)
    right = [Fraction(1), *function.workload, *[epsilon] * types]
    scale = lcm(*(number.denominator for number in right))
    unit = lcm(*(z.denominator for z in (*function.weights, function.jobs_weight)))
    rows = len(right)
    simplex = ExactSimplex(
        [int(number * scale) for number in right], [("slack", row) for row in range(rows)], [0] * rows
    )
    columns: dict[tuple[str, int], tuple[list[int], int]] = {}
    for i, (k, z) in enumerate(zip(function.configurations, function.weights, strict=True)):
        columns["eta", i] = ([1, *k, *[0] * types], int(z * unit))
    for j in range(types):
        ones = [int(at == j) for at in range(types)]
        columns["theta", j] = ([0, *[-one for one in ones], *ones], -int(function.jobs_weight * unit))
    for row in range(rows):
        columns["slack", row] = ([int(row == at) for at in range(rows)], 0)
    while True:
        prices = simplex.prices()
        gains = {
            label: cost * simplex.denominator - sum(map(lambda a, p: a * p, column, prices))
            for label, (column, cost) in columns.items()
        }
        best = max(gains, key=lambda label: gains[label])
        if gains[best] <= 0:
            break
        simplex.enter(best, *columns[best])
    eta = {i: amount / scale for (kind, i), amount in simplex.solution().items() if kind == "eta"}
    return simplex.objective() / unit / scale, eta


@given(instances())
def test_the_target_maximises_the_program(instance: Instance) -> None:
    """As in the proof of Proposition 6: the maximum of LP (6.5) is at (6.6)."""
    function = function_of(instance)
    value, eta = solve(function, Fraction(1, 7))
    whole = sum(z * x for z, x in zip(function.weights, function.target, strict=True))
    assert value == whole == 1
    assert eta == {i: x for i, x in enumerate(function.target) if x}


def program_for_pulp(function: Lyapunov) -> tuple[pulp.LpProblem, list[pulp.LpVariable], list[pulp.LpVariable]]:
    problem = pulp.LpProblem("lyapunov", pulp.LpMaximize)
    eta = [problem.add_variable(f"eta{i}", 0) for i in range(len(function.configurations))]
    theta = [problem.add_variable(f"theta{j}", 0, 0.1) for j in range(len(function.workload))]
    problem += pulp.lpSum(eta) <= 1
    for j, load in enumerate(function.workload):
        slots = pulp.lpSum(k[j] * one for k, one in zip(function.configurations, eta, strict=True))
        problem += slots - theta[j] <= float(load)
    return problem, eta, theta


@pytest.mark.parametrize("member", [AppendixC(2, 2), AppendixC(3, 10), AppendixC(4, 5)])
def test_a_solver_agrees_on_the_program(member: AppendixC) -> None:
    function = lyapunov(member.space, member.rewards, member.workload)
    problem, eta, theta = program_for_pulp(function)
    problem.setObjective(
        pulp.lpSum(float(z) * one for z, one in zip(function.weights, eta, strict=True))
        - float(function.jobs_weight) * pulp.lpSum(theta)
    )
    problem.solve(pulp.HiGHS(msg=False))
    assert pulp.value(problem.objective) == pytest.approx(1, abs=SOLVER_TOLERANCE)


@given(instances(), st.data())
def test_v_is_positive_but_at_the_target(instance: Instance, data: st.DataObject) -> None:
    """Proposition 6, at points of its domain: effective servers have at most y slots, (5.4)."""
    function = function_of(instance)
    every = greedy_configurations(instance[0], instance[1])
    parts = data.draw(st.lists(st.integers(0, 6), min_size=len(every), max_size=len(every)))
    total = sum(parts) + data.draw(st.integers(0, 6)) or 1
    effective = {k: Fraction(part, total) for k, part in zip(every, parts, strict=True)}
    more = data.draw(st.integers(0, len(every) - 1))
    left = 1 - sum(effective.values())
    jobs = [
        sum((k[j] * share for k, share in effective.items()), NONE) + left * every[more][j]
        for j in range(len(function.workload))
    ]
    value = function.at(effective, jobs).value
    reached = {k: effective.get(k, NONE) for k in function.configurations}
    at_target = reached == dict(zip(function.configurations, function.target, strict=True))
    below = all(y <= load for y, load in zip(jobs, function.workload, strict=True))
    assert value >= 0
    assert (value == 0) == (at_target and below)


@given(instances())
def test_v_is_0_at_the_target_and_1_in_the_empty_system(instance: Instance) -> None:
    function = function_of(instance)
    target = target_of(instance)
    jobs = [sum((k[j] * x for k, x in target.items()), NONE) for j in range(len(function.workload))]
    assert function.at(target, jobs).value == 0
    assert function.at({}, [NONE] * len(jobs)).value == 1


@given(instances())
def test_the_constants_are_those_of_6_4(instance: Instance) -> None:
    function = function_of(instance)
    most = instance[0].max_slots
    assert function.ratio > 2 * most + 1
    weights = function.weights
    for weight, smaller in pairwise(weights):
        assert weight > (2 * most + 1) * smaller > 0
    assert function.jobs_weight > 4 * weights[0]
    # As the docstring of V says: before the division the weights are integers, the last one 1.
    unit = weights[-1]
    assert [z / unit for z in weights[::-1]] == [function.ratio**n for n in range(len(weights))]


@given(instances())
def test_the_configurations_end_with_the_last_of_the_target(instance: Instance) -> None:
    function = function_of(instance)
    every = greedy_configurations(instance[0], instance[1])
    greedy = global_greedy(*instance)
    last = every.index(greedy.configurations[greedy.last - 1])
    assert function.configurations == tuple(k for k in every[: last + 1] if any(k))
    assert {k for k, x in target_of(instance).items() if x} <= set(function.configurations)


def test_the_example_of_section_7_1() -> None:
    function = lyapunov(VMS, VM_REWARDS, VM_WORKLOAD)
    assert function.configurations[0] == (12, 3, 8, 0)
    assert function.configurations[-1] == (0, 0, 0, 1)
    assert function.target == (Fraction(1, 6), 0, 0, 0, 0, 0, Fraction(5, 6))
    assert function.ratio == 82
    whole = Fraction(82**6, 6) + Fraction(5, 6)
    assert function.weights[0] == 82**6 / whole
    assert function.jobs_weight == (4 * 82**6 + 1) / whole
    too_many = function.at({(0, 7, 6, 0): Fraction(1, 10)}, [Fraction(3), NONE, NONE, NONE])
    assert too_many.configurations[2] < 0
    assert too_many.jobs == (function.jobs_weight, 0, 0, 0)


def test_where_all_fits_the_empty_configuration_has_no_term() -> None:
    space = ConfigurationSpace.from_demands([[1], [2]], [4])
    function = lyapunov(space, [Fraction(1), Fraction(1)], [Fraction(1), Fraction(1, 2)])
    assert all(any(k) for k in function.configurations)
    assert sum(function.target) < 1
    value, eta = solve(function, Fraction(1))
    assert value == 1
    assert sum(eta.values()) == sum(function.target)


@pytest.mark.parametrize("workload", [[0, 0], [0, 1]])
def test_without_anything_to_serve_there_is_no_v(workload: list[int]) -> None:
    space = ConfigurationSpace.from_demands([[1], [5]], [4])
    with pytest.raises(ValueError, match="no job of any type"):
        lyapunov(space, [Fraction(1)] * 2, [Fraction(load) for load in workload])


def test_series_are_the_exact_values_in_floating_point() -> None:
    function = lyapunov(VMS, VM_REWARDS, VM_WORKLOAD)
    numbers = np.random.default_rng(3)
    known = (function.configurations[0], function.configurations[6], (0, 0, 10, 0))
    effective, jobs = numbers.random((5, 3)) / 3, 3 * numbers.random((5, 4))
    first, second = function.series(known, effective, jobs)
    for row in range(5):
        shares = {k: Fraction(x) for k, x in zip(known, effective[row].tolist(), strict=True)}
        exact = function.at(shares, [Fraction(y) for y in jobs[row].tolist()])
        assert first[row] == pytest.approx(float(sum(exact.configurations)))
        assert second[row] == pytest.approx(float(sum(exact.jobs)))


def test_chance_is_the_mean_over_poisson_numbers() -> None:
    function = lyapunov(VMS, VM_REWARDS, VM_WORKLOAD)
    numbers = np.random.default_rng(5)
    servers = 30
    means = np.array([float(load) * servers for load in VM_WORKLOAD])
    drawn = numbers.poisson(means, (200_000, 4))
    excess = np.maximum(0, drawn - means).sum(axis=1).mean() / servers
    assert function.chance(servers) == pytest.approx(float(function.jobs_weight) * excess, rel=0.02)
    assert function.chance(4 * servers) == pytest.approx(function.chance(servers) / 2, rel=0.01)


def test_a_large_system_comes_down_from_1_and_stays_low() -> None:
    """Theorem 4 is asymptotic; with 180 servers V falls, up to random fluctuation."""
    session = Session.open("dra-vms")
    numbers = session.info.numbers
    function = lyapunov(numbers.space, numbers.rewards, numbers.workload)
    gaps = []
    for until in (0.0, 1.0, 3.0):
        session.run(until=until)
        frame = session.frame()
        found = frame.state.greedy_configuration[: len(frame.derived.held)].tolist()
        counts = np.minimum(frame.derived.held, frame.state.greedy_count[: len(found)])
        shares = {tuple(k): Fraction(int(n), numbers.servers) for k, n in zip(found, counts, strict=True)}
        jobs = [Fraction(int(y), numbers.servers) for y in frame.state.jobs_in_system]
        gaps.append(float(sum(function.at(shares, jobs).configurations)))
    assert gaps[0] > gaps[1] > gaps[2]
    assert abs(gaps[2]) < 0.25
