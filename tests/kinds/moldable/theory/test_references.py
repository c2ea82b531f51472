"""References for bounded systems: fluid paths, Erlang's formula, the numbers of Theorem 2."""

from __future__ import annotations

from fractions import Fraction
from math import exp, factorial, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaincc, gammaln
from scipy.stats import poisson

from slotscope.model.kinds.moldable.programs.bounds import fluid_path
from slotscope.model.kinds.moldable.programs.distance import best_delta, theorem2, time_bound
from slotscope.model.kinds.moldable.programs.references import erlang_b, fixed_width
from slotscope.model.kinds.moldable.programs.theorem1 import Optimum, optimum

Speedup = tuple[Fraction, ...]

LINEAR: Speedup = tuple(Fraction(i) for i in range(1, 6))
SUBLINEAR: Speedup = tuple(map(Fraction, ("1", "9/5", "5/2", "3", "17/5")))


class TestFluid:
    @given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.5, 50), st.floats(0, 1)), min_size=1, max_size=6))
    def test_it_is_exponential(self, widths: list[tuple[float, float, float]]) -> None:
        target, rates, start = map(np.array, zip(*widths, strict=True))
        times, path = fluid_path(target, rates, 5.0, start, points=50)
        assert (times[0], times[-1], path.shape) == (0.0, 5.0, (50, len(widths)))
        exact = target + (start - target) * np.exp(-rates * times[:, None])
        assert path == pytest.approx(exact, abs=1e-6)

    def test_it_begins_empty_and_knows_no_servers(self) -> None:
        """From x(0) = (1, 0) the path leaves q_1 <= 1 before it returns to y*."""
        found = optimum(LINEAR[:2], Fraction(1))
        assert found is not None
        target, rates = np.array(found.y, float), np.array(LINEAR[:2], float)
        _, path = fluid_path(target, rates, 20.0)
        assert path[0].tolist() == [0, 0]
        assert path[-1] == pytest.approx(target, abs=1e-8)
        _, path = fluid_path(target, rates, 20.0, [1.0, 0.0])
        assert (path @ [1, 2]).max() > 1.2
        assert path[-1] == pytest.approx(target, abs=1e-8)


class TestErlang:
    @pytest.mark.parametrize(
        ("alpha", "beta", "blocking", "known"),
        [(1 / 2, 0.1, 0.026723, 2e-5), (2 / 3, 0.1, 0.027443, 2e-5), (0, 0.2, 1.3e-10, 0.04)],
    )
    def test_the_linear_rows_of_table_1(self, alpha: float, beta: float, blocking: float, known: float) -> None:
        load = 1 - beta * 4000**-alpha
        assert erlang_b(800, load * 800) == pytest.approx(blocking, rel=known)

    @pytest.mark.parametrize("lines", [0, 1, 2, 3, 7])
    @pytest.mark.parametrize("offered", [0.3, 1.0, 6.5])
    def test_it_is_the_fraction(self, lines: int, offered: float) -> None:
        terms = [offered**k / factorial(k) for k in range(lines + 1)]
        assert erlang_b(lines, offered) == pytest.approx(terms[-1] / sum(terms), rel=1e-12)

    @given(st.integers(0, 60), st.floats(0.1, 60))
    def test_it_is_the_quotient_of_densities(self, lines: int, offered: float) -> None:
        """a^N exp(-a) / Gamma(N + 1, a)."""
        density = exp(lines * log(offered) - offered - gammaln(lines + 1))
        assert erlang_b(lines, offered) == pytest.approx(density / gammaincc(lines + 1, offered), rel=1e-10)

    def test_it_falls_with_lines_and_rises_with_load(self) -> None:
        by_lines = [erlang_b(n, 8.0) for n in range(40)]
        assert by_lines == sorted(by_lines, reverse=True)
        by_load = [erlang_b(10, a / 2) for a in range(40)]
        assert by_load == sorted(by_load)

    def test_none_or_nothing(self) -> None:
        assert (erlang_b(0, 0), erlang_b(3, 0), erlang_b(0, 2)) == (1.0, 0.0, 1.0)
        with pytest.raises(ValueError, match="0 or more"):
            erlang_b(-1, 2)

    def test_a_large_system_does_not_overflow(self) -> None:
        """In heavy traffic B is close to that of Halfin and Whitt's limit, of order 1/sqrt(N)."""
        found = erlang_b(200_000, 200_000)
        assert found == pytest.approx((2 / (np.pi * 200_000)) ** 0.5, rel=0.01)

    def test_greedy_at_a_multiple_of_d(self) -> None:
        found = fixed_width(4000, 5, SUBLINEAR, Fraction(3200))
        assert found is not None
        assert (found.width, found.lines, found.mean_time) == (5, 800, 1 / 3.4)
        assert found.blocking == pytest.approx(erlang_b(800, 3200 / 3.4), rel=1e-12)
        assert fixed_width(4001, 5, SUBLINEAR, Fraction(3200)) is None
        assert fixed_width(4, 5, SUBLINEAR, Fraction(3)) is None


def found_for(speedup: Speedup, load: Fraction) -> Optimum:
    found = optimum(speedup, load)
    assert found is not None
    return found


class TestTheorem2:
    @pytest.mark.parametrize("speedup", [LINEAR, SUBLINEAR])
    @pytest.mark.parametrize("load", [Fraction(1, 2), Fraction(4, 5), Fraction(9, 10)])
    def test_all_bounds_fall_with_n(self, speedup: Speedup, load: Fraction) -> None:
        rows = [theorem2(n, speedup, found_for(speedup, load)) for n in (10, 100, 10**3, 10**5)]
        for name in ("squared", "distance", "blocking"):
            values = [getattr(row, name) for row in rows]
            assert values == sorted(values, reverse=True)
            assert len(set(values)) == 4

    @pytest.mark.parametrize("servers", [10, 1000, 10**7])
    def test_delta_is_the_best(self, servers: int) -> None:
        """(19), implemented anew: no other delta makes it smaller."""
        found = found_for(SUBLINEAR, Fraction(4, 5))
        row = theorem2(servers, SUBLINEAR, found)
        assert row.delta is not None
        assert 0 < row.delta <= 0.2
        gap = 2.5 / 3 - 3 / 4

        def right_side(delta: float) -> float:
            return (1 + 10) / servers + (
                10 / servers * (1 / 0.8 + 1 / gap) + 20 / (servers * 0.8 * delta) + 2 * delta / gap
            )

        assert row.squared == pytest.approx(right_side(row.delta), rel=1e-12)
        others = np.linspace(0, 0.2, 2001)[1:]
        assert row.squared <= min(map(right_side, others)) * (1 + 1e-12)
        assert row.distance == pytest.approx(1 / servers + (2 * row.squared) ** 0.5)
        assert row.blocking == pytest.approx(5 / 0.8 * row.distance)
        assert not row.proved

    def test_delta_stays_below_its_end(self) -> None:
        found = found_for(SUBLINEAR, Fraction(999, 1000))
        assert best_delta(10, SUBLINEAR, found) == pytest.approx(1 / 1000)

    def test_one_width(self) -> None:
        row = theorem2(4000, LINEAR, found_for(LINEAR, Fraction(4, 5)))
        assert row.squared == pytest.approx(11 / 4000)
        assert (row.delta, row.proved) == (None, True)
        assert row.time == pytest.approx(1 / (4000 * 0.8 * (1 - row.blocking)))

    def test_the_time_needs_a_blocking_below_1(self) -> None:
        found = found_for(SUBLINEAR, Fraction(4, 5))
        small = theorem2(100, SUBLINEAR, found)
        assert small.blocking > 1
        assert small.time is None
        assert time_bound(100, found, 0.1, 0.2) == pytest.approx((0.2 + 0.1) / (0.9 * 0.8))
        large = theorem2(10**9, SUBLINEAR, found)
        assert large.time == pytest.approx(time_bound(10**9, found, large.blocking, large.distance))

    def test_lemma_3_fails_where_delta_shrinks(self) -> None:
        """r = X / N for Erlang's N = n / 5 lines; P(r > lambda + delta) against its bound."""
        servers, load, delta = 10_000, 0.8, 0.01
        lines = servers // 5
        jobs = np.arange(lines + 1)
        law = poisson.pmf(jobs, load * lines)
        above = law[jobs > lines * (load + delta)].sum() / law.sum()
        bound = 5 / load * (1 / servers + 2 / (servers * delta))
        assert above == pytest.approx(0.303, abs=0.001)
        assert bound == pytest.approx(0.126, abs=0.001)
