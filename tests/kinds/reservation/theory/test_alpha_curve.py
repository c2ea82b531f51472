"""Figure 2 of Psychas & Ghaderi (2022): both rewards along a ray of workloads, exactly."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from slotscope.model.kinds.reservation.programs.alpha_curve import AlphaCurve, alpha_curve, interpolate
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.programs.configurations import ConfigurationSpace
from tests.kinds.reservation.theory.test_reward_programs import (
    VM_REWARDS,
    VM_WORKLOAD,
    VMS,
    Instance,
    adversarial,
    instances,
)

positive = st.builds(Fraction, st.integers(1, 400), st.sampled_from([1, 7, 30, 100]))


@pytest.fixture(scope="module")
def figure_2() -> AlphaCurve:
    return alpha_curve(VMS, VM_REWARDS, VM_WORKLOAD)


@pytest.mark.parametrize(
    ("alpha", "greedy", "optimum"),
    [
        ("0", "0", "0"),
        ("1/4", "309/2", "309/2"),
        ("1/2", "309", "309"),
        ("6/7", "3708/7", "3708/7"),
        ("1", "1598/3", "618"),
        ("2", "1660/3", "15668/25"),
        ("4", "1784/3", "15784/25"),
        ("6", "636", "636"),
        ("10", "636", "636"),
    ],
)
def test_values_of_figure_2(figure_2: AlphaCurve, alpha: str, greedy: str, optimum: str) -> None:
    assert figure_2.value_at(Fraction(alpha)) == (Fraction(greedy), Fraction(optimum))


def test_breakpoints_of_figure_2(figure_2: AlphaCurve) -> None:
    assert [alpha for alpha, _ in figure_2.greedy] == [0, Fraction(6, 7), 6]
    assert [alpha for alpha, _ in figure_2.optimum] == [0, 1, Fraction(11, 6), 6]
    assert figure_2.critical_low == Fraction(6, 7)
    assert figure_2.critical_high == 6
    assert figure_2.worst_ratio == Fraction(799, 927)
    assert figure_2.worst_alpha == 1


@pytest.mark.parametrize(("types", "jobs"), [(2, 2), (2, 10), (3, 10), (4, 20)])
def test_the_adversarial_family_is_worst_at_its_workload(types: int, jobs: int) -> None:
    space, rewards, workload = adversarial(types, jobs)
    curve = alpha_curve(space, rewards, workload)
    greedy, optimum = curve.value_at(Fraction(1))
    assert curve.worst_alpha == 1
    assert curve.worst_ratio == greedy / optimum
    assert curve.critical_high == types


@given(instances(), st.lists(positive, min_size=1, max_size=4))
def test_the_curve_is_what_each_alpha_gives(instance: Instance, alphas: list[Fraction]) -> None:
    space, rewards, workload = instance
    curve = alpha_curve(space, rewards, workload)
    bends = [alpha for alpha, _ in curve.greedy + curve.optimum]
    for alpha in alphas + bends:
        scaled = [alpha * amount for amount in workload]
        greedy, optimum = curve.value_at(alpha)
        assert greedy == global_greedy(space, rewards, scaled).objective
        assert optimum == exact_optimum(space, rewards, scaled).value
        if optimum:
            assert greedy / optimum >= curve.worst_ratio


@given(instances())
def test_the_curve_has_its_shape(instance: Instance) -> None:
    curve = alpha_curve(*instance)
    for points in (curve.greedy, curve.optimum):
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
        assert points[0] == (0, 0)
        assert slopes == sorted(set(slopes), reverse=True)
        assert all(slope > 0 for slope in slopes)
    assert curve.greedy[-1][1] == curve.optimum[-1][1]


@given(instances())
def test_the_critical_points_are_where_they_should_be(instance: Instance) -> None:
    space, rewards, workload = instance
    curve = alpha_curve(space, rewards, workload)
    assume(curve.critical_low > 0)

    def served(alpha: Fraction) -> bool:
        return sum(global_greedy(space, rewards, [alpha * a for a in workload]).z) <= 1

    assert served(curve.critical_low)
    assert not served(curve.critical_low * Fraction(1001, 1000))
    low, same = curve.value_at(curve.critical_low)
    assert low == same
    highest = curve.optimum[-1][1]
    assert curve.value_at(curve.critical_high) == (highest, highest)
    if curve.critical_high:
        assert curve.value_at(curve.critical_high * Fraction(999, 1000))[0] < highest


def test_configurations_of_equal_reward_make_no_bend() -> None:
    # One job of type 1, or two of type 2: the same reward per server.
    space = ConfigurationSpace.from_demands([[2], [1]], [2])
    curve = alpha_curve(space, [Fraction(2), Fraction(1)], [Fraction(1), Fraction(2)])
    assert curve.greedy == curve.optimum == ((0, 0), (Fraction(1, 2), 2))
    assert curve.critical_low == curve.critical_high == Fraction(1, 2)
    assert (curve.worst_ratio, curve.worst_alpha) == (1, 0)


@pytest.mark.parametrize("workload", [[0, 0], [3, 0]])
def test_without_workload_that_fits_both_are_zero(workload: list[int]) -> None:
    space = ConfigurationSpace.from_demands([[3], [1]], [2])
    curve = alpha_curve(space, [Fraction(1)] * 2, [Fraction(amount) for amount in workload])
    assert curve.greedy == curve.optimum == ((0, 0),)
    assert curve.value_at(Fraction(3)) == (0, 0)
    assert curve.critical_low == curve.critical_high == 0


def test_a_negative_alpha_is_refused(figure_2: AlphaCurve) -> None:
    with pytest.raises(ValueError, match="found alpha = -1; at least 0 is allowed"):
        figure_2.value_at(Fraction(-1))


def test_interpolation_is_constant_after_the_last_point() -> None:
    points = ((Fraction(0), Fraction(0)), (Fraction(2), Fraction(3)))
    assert [interpolate(points, Fraction(a)) for a in (0, 1, 2, 5)] == [0, Fraction(3, 2), 3, 3]
