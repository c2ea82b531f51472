"""Theorem 1, (Q) and the solvers.

The optimum is compared with the best of all basic solutions, which are few and can be enumerated in
rationals, so that the test relies neither on the closed form nor on a solver.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.moldable.programs.bounds import time_curve
from slotscope.model.kinds.moldable.programs.classes import class_optimum, value_curve
from slotscope.model.kinds.moldable.programs.program import SOLVER_TOLERANCE, available_solvers, solve
from slotscope.model.kinds.moldable.programs.theorem1 import duals, knots, optimum

Speedup = tuple[Fraction, ...]

LINEAR: Speedup = tuple(Fraction(i) for i in range(1, 6))
SUBLINEAR: Speedup = tuple(map(Fraction, ("1", "9/5", "5/2", "3", "17/5")))


def parts(least: int, most: int) -> st.SearchStrategy[Fraction]:
    """Fractions with small denominators, so that ties are likely."""
    return st.integers(least, most).map(lambda k: Fraction(k, most))


def speedups(most_degree: int) -> st.SearchStrategy[Speedup]:
    """Concave and strictly increasing, sometimes linear over several widths."""

    def summed(steps: list[Fraction]) -> Speedup:
        found = [Fraction(1)]
        for step in sorted(steps, reverse=True):
            found.append(found[-1] + step)
        return tuple(found)

    return st.lists(parts(1, 8), max_size=most_degree - 1).map(summed)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Speedup, Fraction]:
    """A speed-up and a load, often a load at a breakpoint of the optimum."""
    speedup = draw(speedups(6))
    ratios = [s / i for i, s in enumerate(speedup, 1)]
    return speedup, draw(st.one_of(parts(1, 60), st.sampled_from(ratios)))


def basic_solutions(speedup: Speedup, load: Fraction, room: Fraction) -> Iterator[tuple[Fraction, ...]]:
    """All basic feasible solutions of (Q2): jobs y_1..y_d of work *load* in *room* servers."""
    degree = len(speedup)
    for i in range(1, degree + 1):
        if i * load / speedup[i - 1] <= room:
            yield tuple(load / speedup[i - 1] if k == i else Fraction(0) for k in range(1, degree + 1))
    for i, k in combinations(range(1, degree + 1), 2):
        determinant = speedup[i - 1] * k - speedup[k - 1] * i
        if determinant:
            first = (load * k - speedup[k - 1] * room) / determinant
            second = (speedup[i - 1] * room - load * i) / determinant
            if first > 0 and second > 0:
                yield tuple({i: first, k: second}.get(w, Fraction(0)) for w in range(1, degree + 1))


def best_of(solutions: Iterator[tuple[Fraction, ...]]) -> tuple[Fraction, set[tuple[Fraction, ...]]]:
    """The fewest jobs, and all solutions that attain it."""
    found = set(solutions)
    least = min(sum(y) for y in found)
    return Fraction(least), {y for y in found if sum(y) == least}


class TestTheorem1:
    @given(problems())
    def test_no_basic_solution_is_better(self, problem: tuple[Speedup, Fraction]) -> None:
        speedup, load = problem
        found = optimum(speedup, load)
        assert found is not None
        least, best = best_of(basic_solutions(speedup, load, Fraction(1)))
        assert found.mean_time == least / load
        assert found.y in best
        assert found.unique == (len(best) == 1)

    @given(problems())
    def test_it_is_what_it_says(self, problem: tuple[Speedup, Fraction]) -> None:
        speedup, load = problem
        found = optimum(speedup, load)
        assert found is not None
        assert sum(s * y for s, y in zip(speedup, found.y, strict=True)) == load
        assert found.busy == sum(i * y for i, y in enumerate(found.y, 1)) <= 1
        assert sum(found.p) == 1
        assert found.support == tuple(i for i, y in enumerate(found.y, 1) if y)
        assert found.i2 - found.i1 == len(found.support) - 1 == (found.case == "iii")

    @given(problems())
    def test_the_duals_prove_it(self, problem: tuple[Speedup, Fraction]) -> None:
        """(35)-(38), and strong duality."""
        speedup, load = problem
        found = optimum(speedup, load)
        assert found is not None
        proof = duals(speedup, found)
        assert min(proof.servers, *proof.widths) >= 0
        assert proof.servers * (found.busy - 1) == 0
        assert all(theta * y == 0 for theta, y in zip(proof.widths, found.y, strict=True))
        assert -proof.nu * load - proof.servers == found.mean_time

    @given(problems())
    def test_the_curve_passes_through_it(self, problem: tuple[Speedup, Fraction]) -> None:
        speedup, load = problem
        found = optimum(speedup, load)
        assert found is not None
        bends = knots(speedup)
        above = next(k for k, (where, _) in enumerate(bends) if where >= load)
        (left, low), (right, high) = bends[above - 1], bends[above]
        jobs = low + (high - low) * (load - left) / (right - left)
        assert found.mean_time == jobs / load

    def test_both_cases_at_the_last_bend_agree(self) -> None:
        """At load s_d / d both (i) and (ii) apply, and the solution equals that of (ii)."""
        found = optimum(SUBLINEAR, Fraction(17, 25))
        assert found is not None
        assert (found.case, found.y[4], found.busy) == ("i", Fraction(1, 5), Fraction(1))

    def test_case_ii_need_not_be_unique(self) -> None:
        """Theorem 1 says it is, but if s is linear over three widths, a mix of the outer two equals the middle one."""
        speedup = (Fraction(1), Fraction(3, 2), Fraction(2))
        found = optimum(speedup, Fraction(3, 4))
        assert found is not None
        assert found.case == "ii"
        assert found.support == (2,)
        assert not found.unique
        quarter = Fraction(1, 4)
        assert quarter * (speedup[0] + speedup[2]) == found.load
        assert quarter * (1 + 3) == found.busy

    def test_no_solution_above_1(self) -> None:
        assert optimum(SUBLINEAR, Fraction(10**9 + 1, 10**9)) is None
        assert optimum((Fraction(1),), Fraction(1)) is not None

    @pytest.mark.parametrize("load", [0, -1])
    def test_a_load_is_above_0(self, load: int) -> None:
        with pytest.raises(ValueError, match=f"found a load of {load}"):
            optimum(SUBLINEAR, Fraction(load))

    @pytest.mark.parametrize(
        ("alpha", "y", "mean_time"), [(1 / 2, (0.98419, 0.00791), 0.99367), (2 / 3, (0.99603, 0.00198), 0.99841)]
    )
    def test_the_paper_s_system(self, alpha: float, y: tuple[float, ...], mean_time: float) -> None:
        load = 1 - Fraction(repr(0.1 * 4000**-alpha))
        found = optimum(SUBLINEAR, load)
        assert found is not None
        assert [float(share) for share in found.y[:2]] == pytest.approx(y, abs=6e-6)
        assert found.support == (1, 2)
        assert float(found.mean_time) == pytest.approx(mean_time, abs=6e-6)

    def test_the_curve_has_every_bend(self) -> None:
        curve = time_curve(SUBLINEAR, Fraction(2))
        assert len(curve) >= 400
        assert {float(s / i) for i, s in enumerate(SUBLINEAR, 1)} <= set(curve[:, 0])
        for load, time in curve[[0, 100, 250, 300, -1]]:
            found = optimum(SUBLINEAR, Fraction(load))
            assert found is not None
            assert time == pytest.approx(2 * float(found.mean_time), rel=1e-12)


@st.composite
def class_problems(draw: st.DrawFn) -> tuple[list[Fraction], list[Fraction], list[Speedup]]:
    """Two or three classes; sometimes their total load is above 1."""
    count = draw(st.integers(1, 3))
    rates = [draw(parts(1, 8)) * Fraction(5, 4 * count) for _ in range(count)]
    service = [draw(st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(2)])) for _ in range(count)]
    return rates, service, [draw(speedups(4)) for _ in range(count)]


class TestClasses:
    @given(class_problems())
    def test_no_basic_solution_is_better(self, problem: tuple[list[Fraction], list[Fraction], list[Speedup]]) -> None:
        """In a basic solution at most one class uses two widths, and then all servers are in use."""
        rates, service, shapes = problem
        loads = [rate / mu for rate, mu in zip(rates, service, strict=True)]
        found = class_optimum(rates, service, shapes)
        assert (found is None) == (sum(loads) > 1)
        if found is None:
            return
        ones = [
            [y for y in basic_solutions(s, load, Fraction(10**9)) if sum(map(bool, y)) == 1]
            for s, load in zip(shapes, loads, strict=True)
        ]
        best: set[tuple[tuple[Fraction, ...], ...]] = set()
        for choice in product(*ones):
            spare = 1 - sum(map(busy, choice))
            if spare >= 0:
                best.add(choice)
            for j, one in enumerate(choice):
                room = spare + busy(one)
                if room > 0:
                    two = [y for y in basic_solutions(shapes[j], loads[j], room) if sum(map(bool, y)) == 2]
                    best |= {(*choice[:j], y, *choice[j + 1 :]) for y in two}
        least = min(sum(map(sum, y)) for y in best)
        ours = tuple(one.y for one in found.classes)
        assert found.objective * sum(rates) == least == sum(map(sum, ours))
        assert ours in best
        assert found.unique == (sum(sum(map(sum, y)) == least for y in best) == 1)

    @given(class_problems())
    def test_it_is_what_it_says(self, problem: tuple[list[Fraction], list[Fraction], list[Speedup]]) -> None:
        rates, service, shapes = problem
        found = class_optimum(rates, service, shapes)
        if found is None:
            return
        assert sum(found.shares) + found.slack == 1
        assert found.slack >= 0
        assert found.price == 0 or not found.slack
        for one, speedup in zip(found.classes, shapes, strict=True):
            assert busy(one.y) == one.share >= one.load
            assert sum(s * y for s, y in zip(speedup, one.y, strict=True)) == one.load
            assert one.p == tuple(s * y / one.load for s, y in zip(speedup, one.y, strict=True))
            assert one.mean_time == sum(one.y) / one.arrival_rate
        weighted = sum(one.arrival_rate * one.mean_time for one in found.classes)
        assert found.objective == weighted / sum(rates)

    @given(problems())
    def test_one_class_is_theorem_1(self, problem: tuple[Speedup, Fraction]) -> None:
        speedup, load = problem
        single, found = optimum(speedup, load), class_optimum([2 * load], [Fraction(2)], [speedup])
        assert single is not None
        assert found is not None
        (one,) = found.classes
        assert (one.y, one.p, one.support) == (single.y, single.p, single.support)
        assert found.objective == single.mean_time / 2
        assert (one.share, found.slack) == (single.busy, 1 - single.busy)
        assert found.unique == single.unique

    @given(problems(), parts(1, 10))
    def test_the_value_of_servers(self, problem: tuple[Speedup, Fraction], part: Fraction) -> None:
        """f_j(b) = (rho_j / lambda) D*(rho_j / b), linear between the points of the curve."""
        speedup, load = problem
        total = Fraction(3)
        curve = value_curve(load, total, speedup)
        room = load + part * (curve[-1][0] - load)
        found = optimum(speedup, load / room)
        assert found is not None
        above = next(k for k, (b, _) in enumerate(curve) if b >= room)
        (left, high), (right, low) = curve[max(above - 1, 0)], curve[above]
        value = low
        if right > left:
            value = high + (low - high) * (room - left) / (right - left)
        assert value == load / total * found.mean_time

    @given(class_problems())
    def test_the_price_is_what_the_next_server_saves(
        self, problem: tuple[list[Fraction], list[Fraction], list[Speedup]]
    ) -> None:
        """Multiplying the servers by 1 + e equals dividing the load by 1 + e."""
        rates, service, shapes = problem
        found = class_optimum(rates, service, shapes)
        if found is None:
            return
        more = Fraction(1, 10**9)
        after = class_optimum([rate / (1 + more) for rate in rates], service, shapes)
        assert after is not None
        assert found.objective - after.objective == found.price * more

    def test_rates_are_above_0(self) -> None:
        with pytest.raises(ValueError, match="rates above 0"):
            class_optimum([Fraction(1, 2), Fraction(0)], [Fraction(1)] * 2, [LINEAR] * 2)

    def test_a_larger_system_of_classes(self) -> None:
        """As many classes and widths as a scenario can have."""
        shape = tuple(i / (i * Fraction(1, 10) + Fraction(9, 10)) for i in range(1, 1001))
        found = class_optimum([Fraction(1, 25)] * 20, [Fraction(1)] * 20, [shape] * 20)
        assert found is not None
        assert found.objective == Fraction(29, 80)
        assert not found.unique


def busy(y: tuple[Fraction, ...]) -> Fraction:
    return sum((i * jobs for i, jobs in enumerate(y, 1)), Fraction(0))


class TestSolvers:
    def test_both_are_there(self) -> None:
        assert available_solvers()[0] == "HiGHS"

    @given(problems())
    def test_the_closed_form_is_what_they_find(self, problem: tuple[Speedup, Fraction]) -> None:
        speedup, load = problem
        found = optimum(speedup, load)
        assert found is not None
        said = solve([load], [load], [speedup], "HiGHS")
        best = float(found.mean_time)
        assert said.objective == pytest.approx(best, abs=SOLVER_TOLERANCE)
        if found.unique:
            assert said.y[0] == pytest.approx(np.array(found.y, float), abs=SOLVER_TOLERANCE)
        # Every optimal dual solution has the same value.
        assert said.servers is not None
        assert -said.nu[0] * float(load) - said.servers == pytest.approx(best, abs=SOLVER_TOLERANCE)

    @given(class_problems())
    def test_several_classes(self, problem: tuple[list[Fraction], list[Fraction], list[Speedup]]) -> None:
        rates, service, shapes = problem
        loads = [rate / mu for rate, mu in zip(rates, service, strict=True)]
        found = class_optimum(rates, service, shapes)
        said = solve(rates, loads, shapes, "HiGHS")
        assert (said.status == "optimal") == (found is not None)
        if found is None:
            return
        assert said.objective == pytest.approx(float(found.objective), abs=SOLVER_TOLERANCE)
        if found.unique:
            for theirs, one in zip(said.y, found.classes, strict=True):
                assert theirs == pytest.approx(np.array(one.y, float), abs=SOLVER_TOLERANCE)

    def test_duals_of_the_paper_s_system(self) -> None:
        load = Fraction(4, 5)
        found = optimum(SUBLINEAR, load)
        assert found is not None
        proof = duals(SUBLINEAR, found)
        assert (proof.nu, proof.servers) == (Fraction(-5, 4), Fraction(5, 8))
        for solver in available_solvers():
            said = solve([load], [load], [SUBLINEAR], solver)
            assert said.nu == pytest.approx([-1.25], abs=SOLVER_TOLERANCE)
            assert said.servers == pytest.approx(0.625, abs=SOLVER_TOLERANCE)

    @pytest.mark.parametrize("solver", available_solvers())
    def test_no_solution_is_told(self, solver: str) -> None:
        said = solve([Fraction(2)], [Fraction(2)], [LINEAR], solver)
        assert (said.status, said.objective, said.y) == ("infeasible", None, ())
