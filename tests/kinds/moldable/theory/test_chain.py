"""The exact chain of small systems: by hand, by Erlang's formula, and by the paper's identities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slotscope.model.kinds.moldable.programs import chain as chains
from slotscope.model.kinds.moldable.programs.chain import ChainClass, ChainTooLargeError, JobChain, chain_of
from slotscope.model.kinds.moldable.programs.distance import theorem2
from slotscope.model.kinds.moldable.programs.references import ChainMeasures, chain_measures, erlang_b
from slotscope.model.kinds.moldable.programs.theorem1 import Optimum, optimum

LINEAR = tuple(Fraction(i) for i in range(1, 6))
SUBLINEAR = tuple(map(Fraction, ("1", "9/5", "5/2", "3", "17/5")))

Law = Sequence[tuple[int, float]]


def always(law: Law) -> Any:
    return lambda _, free: law


def pool(servers: int, load: Fraction, speedup: Sequence[Fraction], law: Law) -> JobChain:
    """The chain of one class whose request has the same law in every state."""
    one = ChainClass(float(servers * load), 1.0, tuple(map(float, speedup)), servers)
    return chain_of([one], 0, always(law))


def found_for(speedup: Sequence[Fraction], load: Fraction) -> Optimum:
    found = optimum(speedup, load)
    assert found is not None
    return found


def greedy_p(servers: int, load: Fraction, speedup: Sequence[Fraction]) -> tuple[JobChain, Optimum]:
    found = found_for(speedup, load)
    law = [(i, float(p)) for i, p in enumerate(found.p, 1) if p]
    return pool(servers, load, speedup, law), found


def measured(
    servers: int, load: Fraction, speedup: Sequence[Fraction], most: int = chains.MOST_STATES
) -> ChainMeasures:
    """The measures of greedy(p*)."""
    found = found_for(speedup, load)
    law = [(i, float(p)) for i, p in enumerate(found.p, 1) if p]
    one = ChainClass(float(servers * load), 1.0, tuple(map(float, speedup)), servers)
    return chain_measures([one], 0, always(law), servers, [found.y], most)


class TestByHand:
    def test_one_server(self) -> None:
        """Busy for a share a / (1 + a)."""
        found = pool(1, Fraction(4, 5), SUBLINEAR[:1], [(1, 1.0)])
        assert found.states.tolist() == [[0], [1]]
        assert found.probability == pytest.approx([5 / 9, 4 / 9])
        assert found.mean(found.blocked) == pytest.approx([4 / 9])

    def test_two_servers_and_two_widths(self) -> None:
        """Arrivals at rate 1 ask for 1 or 2 with probability 1/2; s_2 = 3/2.

        With D for one wide job and k for k narrow ones: pi_D = pi_0 / 3, pi_1 = pi_0 / 2 and
        pi_2 = pi_0 / 4, so that pi_0 = 12/25.
        """
        one = ChainClass(1.0, 1.0, (1.0, 1.5), 2)
        law = [(1, 0.5), (2, 0.5)]
        chain = chain_of([one], 0, always(law))
        by_state = {tuple(jobs): share for jobs, share in zip(chain.jobs(0).tolist(), chain.probability, strict=True)}
        assert by_state == pytest.approx({(0, 0): 12 / 25, (1, 0): 6 / 25, (2, 0): 3 / 25, (0, 1): 4 / 25})
        found = chain_measures([one], 0, always(law), 2)
        assert found.states == 4
        assert found.blocking == pytest.approx(7 / 25)
        assert found.partial == pytest.approx(3 / 25)
        assert found.mean_time == pytest.approx(8 / 9)
        assert found.jobs[0] == pytest.approx((6 / 25, 2 / 25))
        assert found.busy == pytest.approx(10 / 25)
        assert (found.distance, found.squared, found.narrow) == (None, None, ())

    def test_measures_against_a_target(self) -> None:
        """The same system, with y* = (1/10, 1/2) per server, and i1 = 2 with y* = (0, 1/2)."""
        one, law = ChainClass(1.0, 1.0, (1.0, 1.5), 2), always([(1, 0.5), (2, 0.5)])
        target = (Fraction(1, 10), Fraction(1, 2))
        shares = {(0, 0): 12, (1, 0): 6, (2, 0): 3, (0, 1): 4}
        found = chain_measures([one], 0, law, 2, [target])
        off = {x: (x[0] / 2 - 0.1, x[1] / 2 - 0.5) for x in shares}
        distance = sum(share / 25 * (abs(off[x][0]) + abs(off[x][1])) for x, share in shares.items())
        squared = sum(share / 25 * (off[x][0] ** 2 + 1.5 * off[x][1] ** 2) for x, share in shares.items())
        assert found.distance == pytest.approx(distance)
        assert found.squared == pytest.approx(squared)
        assert found.narrow == (0.0,)
        found = chain_measures([one], 0, law, 2, [(Fraction(0), Fraction(1, 2))])
        assert found.narrow == pytest.approx((3 / 25,))

    def test_own_and_common_servers(self) -> None:
        """Class a has a server of its own and may take the common one, class b only that.

        With rates of 1 and (own, common) in use: pi = (1, 0.8, 1.2, 1.4) / 4.4 in the order
        (0, 0), (1, 0), (0, 1), (1, 1).
        """
        classes = [ChainClass(1.0, 1.0, (1.0,), 1), ChainClass(1.0, 1.0, (1.0,), 0)]
        found = chain_measures(classes, 1, always([(1, 1.0)]), 2)
        assert found.class_blocking == pytest.approx((7 / 22, 13 / 22))
        assert found.blocking == pytest.approx(10 / 22)
        assert found.class_times == pytest.approx((1.0, 1.0))

    def test_a_job_over_both_kinds_of_servers(self) -> None:
        """Width 2 on one own and one common server: there is at most one job in the system."""
        one = ChainClass(3.0, 2.0, (1.0, 1.5), 1)
        found = chain_of([one], 1, always([(2, 1.0)]))
        assert [tuple(a) for a in found.allocations] == [(0, 1, 1)]
        assert found.mean(found.blocked) == pytest.approx([0.5])

    def test_a_rule_that_looks_at_the_free_servers(self) -> None:
        """A job requests one server, but three if all servers are free."""
        one = ChainClass(1.0, 1.0, (1.0, 1.0, 1.0), 3)
        chain = chain_of([one], 0, lambda _, free: [(3 if free == 3 else 1, 1.0)])
        assert sorted(chain.jobs(0).tolist()) == [[0, 0, 0], [0, 0, 1]]


class TestErlang:
    @pytest.mark.parametrize(("servers", "width"), [(6, 1), (20, 5), (60, 3), (2000, 4)])
    def test_one_width_that_divides_n(self, servers: int, width: int) -> None:
        load = Fraction(4, 5)
        chain = pool(servers, load, SUBLINEAR, [(width, 1.0)])
        lines = servers // width
        assert len(chain.states) == lines + 1
        offered = float(servers * load / SUBLINEAR[width - 1])
        assert chain.mean(chain.blocked)[0] == pytest.approx(erlang_b(lines, offered), rel=1e-9)

    def test_both_ways_of_solving_agree(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Chains of more states than MOST_SOLVED are iterated until they have converged."""
        solved, _ = greedy_p(20, Fraction(4, 5), SUBLINEAR)
        monkeypatch.setattr(chains, "MOST_SOLVED", 1)
        settled, _ = greedy_p(20, Fraction(4, 5), SUBLINEAR)
        assert settled.probability == pytest.approx(solved.probability, rel=1e-9, abs=1e-14)

    def test_classes_apart_are_solved_apart(self) -> None:
        classes = [ChainClass(3.0, 1.0, (1.0, 1.5), 4), ChainClass(2.0, 0.5, (1.0,), 5)]
        laws = ([(2, 1.0)], [(1, 1.0)])
        found = chain_measures(classes, 0, lambda j, _: laws[j], 10)
        each = (erlang_b(2, 2.0), erlang_b(5, 4.0))
        assert found.class_blocking == pytest.approx(each, rel=1e-9)
        assert found.blocking == pytest.approx(0.6 * each[0] + 0.4 * each[1])
        assert found.class_times == pytest.approx((2 / 3, 2.0))
        assert found.states == 3 + 6

    def test_a_class_in_two_halves_is_one_class(self) -> None:
        whole = chain_measures([ChainClass(6.0, 1.0, (1.0, 1.8), 0)], 7, always([(2, 1.0)]), 7)
        half = ChainClass(3.0, 1.0, (1.0, 1.8), 0)
        halves = chain_measures([half, half], 7, always([(2, 1.0)]), 7)
        assert halves.blocking == pytest.approx(whole.blocking)
        assert halves.mean_time == pytest.approx(whole.mean_time)
        assert np.sum(halves.jobs, axis=0) == pytest.approx(whole.jobs[0])

    def test_a_class_without_servers_is_always_blocked(self) -> None:
        classes = [ChainClass(3.0, 1.0, (1.0,), 4), ChainClass(1.0, 1.0, (1.0,), 0)]
        found = chain_measures(classes, 0, always([(1, 1.0)]), 4)
        assert found.class_blocking[1] == 1.0
        assert found.class_times[1] is None


class TestThePaper:
    @given(
        st.integers(1, 9),
        st.integers(1, 20).map(lambda k: Fraction(k, 20)),
        st.sampled_from([LINEAR, SUBLINEAR, SUBLINEAR[:2]]),
    )
    def test_its_identities(self, servers: int, load: Fraction, speedup: tuple[Fraction, ...]) -> None:
        """(3), E[s_i x_i] = lambda E[A_i], and Lemma 1 with A of (10), implemented anew."""
        chain, found = greedy_p(servers, load, speedup)
        x = chain.jobs(0) / servers
        s, y = np.array(speedup, float), np.array(found.y, float)
        free = servers - chain.jobs(0) @ np.arange(1, len(speedup) + 1)
        p = np.array(found.p, float)
        widths = np.arange(1, len(speedup) + 1)
        later = np.append(np.cumsum(p[::-1])[::-1][1:], 0.0)
        a = (free[:, None] >= widths) * p + (free[:, None] == widths) * later
        rate = float(load)
        assert s * chain.mean(x) == pytest.approx(rate * chain.mean(a))
        assert (s * chain.mean(x)).sum() == pytest.approx(rate * (1 - chain.mean(chain.blocked)[0]))
        used = [i - 1 for i in found.support]
        left = chain.mean(s * (x - y) ** 2)[used].sum()
        right = rate / servers * chain.mean(a)[used].sum()
        right += chain.mean((x - y) * (rate * a - s * y))[used].sum()
        assert left == pytest.approx(right)

    @pytest.mark.parametrize(
        ("servers", "load", "blocking"),
        [
            (100, 1 - Fraction(1, 100), 0.0782),
            (300, 1 - Fraction(repr(0.1 * 300**-0.5)), 0.0457),
            (100, 1 - Fraction(repr(0.1 * 100 ** (-2 / 3))), 0.0770),
            (300, 1 - Fraction(repr(0.1 * 300 ** (-2 / 3))), 0.0451),
        ],
    )
    def test_independent_simulations(self, servers: int, load: Fraction, blocking: float) -> None:
        """Figure 2's sub-linear system; the numbers are known to 0.0004."""
        found = measured(servers, load, SUBLINEAR, 30_000)
        assert found.blocking == pytest.approx(blocking, abs=0.0004)

    def test_lemma_2_is_false_for_two_widths(self) -> None:
        """Two jobs below i1 = 3 with n = 8 already, and more often the larger the system."""
        rows = [measured(n, Fraction(4, 5), SUBLINEAR).narrow[0] for n in (7, 8, 20, 40)]
        assert rows[1] > 0.1
        assert rows == sorted(rows)
        assert rows[-1] > 0.4

    @pytest.mark.parametrize("servers", [7, 20, 23, 41])
    @pytest.mark.parametrize("load", [Fraction(1, 2), Fraction(3, 4), Fraction(5, 6)])
    def test_it_holds_for_one_width(self, servers: int, load: Fraction) -> None:
        found = measured(servers, load, SUBLINEAR)
        assert found.narrow == (0.0,)

    @pytest.mark.parametrize("speedup", [LINEAR, SUBLINEAR])
    @pytest.mark.parametrize("servers", [10, 23, 40])
    def test_theorem_2_holds(self, speedup: tuple[Fraction, ...], servers: int) -> None:
        load = Fraction(4, 5)
        found, bound = (measured(servers, load, speedup), theorem2(servers, speedup, found_for(speedup, load)))
        assert found.squared is not None
        assert found.distance is not None
        assert 0 < found.squared <= bound.squared
        assert 0 < found.distance <= bound.distance
        assert found.blocking <= bound.blocking

    def test_the_time_for_one_width(self) -> None:
        """E[D] exceeds D* by at most 1 / (n lambda (1 - P_b)), with the actual P_b."""
        for servers in (22, 43, 101):
            found = measured(servers, Fraction(4, 5), LINEAR)
            assert found.mean_time is not None
            most = 1 / (servers * 0.8 * (1 - found.blocking))
            assert 0 < found.mean_time - 0.2 <= most

    def test_distance_and_blocking_fall_with_n(self) -> None:
        rows = [measured(n, Fraction(4, 5), SUBLINEAR) for n in (10, 20, 40)]
        for name in ("blocking", "distance", "squared", "mean_time"):
            values = [getattr(row, name) for row in rows]
            assert values == sorted(values, reverse=True)


class TestLimits:
    def test_too_many_states_are_refused(self) -> None:
        with pytest.raises(ChainTooLargeError, match="more than 500 states"):
            measured(40, Fraction(4, 5), SUBLINEAR, 500)

    def test_states_of_all_classes_count(self) -> None:
        classes = [ChainClass(3.0, 1.0, (1.0,), 9), ChainClass(1.0, 1.0, (1.0,), 9)]
        found = chain_measures(classes, 0, always([(1, 1.0)]), 18, most_states=20)
        assert found.states == 20
        with pytest.raises(ChainTooLargeError, match="more than 19 states"):
            chain_measures(classes, 0, always([(1, 1.0)]), 18, most_states=19)

    def test_rates_that_lie_far_apart(self) -> None:
        """Small chains are solved nevertheless; for large ones the iteration would converge too slowly."""
        classes = [ChainClass(2.0, 1.0, (1.0,), 0), ChainClass(2e-7, 1e-7, (1.0,), 0)]
        found = chain_measures(classes, 4, always([(1, 1.0)]), 4)
        assert found.blocking == pytest.approx(erlang_b(4, 4.0), rel=1e-6)
        classes = [one._replace(arrival_rate=20 * one.arrival_rate) for one in classes]
        with pytest.raises(ChainTooLargeError, match="settles too slowly"):
            chain_measures(classes, 70, always([(1, 1.0)]), 70)
