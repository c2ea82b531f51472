"""The policies for moldable jobs: their requests, the servers that they use, and what they refuse."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from slotscope.model.errors import UserError
from slotscope.model.kinds.moldable.programs.theorem1 import optimum
from slotscope.model.kinds.moldable.rules import WORDS
from slotscope.model.kinds.moldable.view import MoldableJob, MoldableView
from slotscope.model.policies import POLICIES_OF
from slotscope.model.reporting.records import ARRIVAL, Allocate, Record, Reject
from slotscope.model.running.assembly import Bench, assemble
from slotscope.model.running.engine import EventRun, started
from slotscope.model.scenario.load import load_scenario, parse_scenario
from slotscope.model.systems.random_words import random_word
from tests.breaking import is_one_line
from tests.kinds.moldable.oracle import best_allocation
from tests.kinds.moldable.strategies import speedups

TABLE = ["1", "9/5", "5/2", "3", "17/5"]
LINEAR = {"law": "linear", "degree": 5}
TWO: list[dict[str, Any]] = [{"name": "a", "speedup": TABLE, "share": 2}, {"name": "b", "speedup": ["1", "3/2"]}]


def data(
    policy: str = "greedy-p",
    /,
    rho: Any = "4/5",
    servers: int = 20,
    classes: Any = None,
    workload: Any = None,
    **parameters: Any,
) -> dict[str, Any]:
    return {
        "system": "moldable",
        "seed": 7,
        "servers": {"count": servers},
        "classes": classes or [{"speedup": TABLE}],
        "workload": workload or {"kind": "poisson", "load": rho},
        "policy": {"name": policy, "parameters": parameters},
    }


def bench_of(*policy: str, **changes: Any) -> Any:
    return assemble(parse_scenario(data(*policy, **changes)))


def refused(scenario: dict[str, Any]) -> str:
    """The one-line error that a scenario raises."""
    with pytest.raises(UserError) as raised:
        assemble(parse_scenario(scenario))
    assert is_one_line(raised.value.line)
    return raised.value.line


def view_of(bench: Bench) -> MoldableView:
    """The policy's view of the state at time 0."""
    system: Any = bench.system
    return MoldableView(system.numbers, system.tables, system.rules, started(system), {})


def law_of(policy: Any, j: int = 0) -> dict[int, Fraction]:
    """The exact law of a request that its random words have, in multiples of 2^-64."""
    rules = policy.rules
    ends = [int(word) + 1 for word in rules.last_word[j]]
    found: dict[int, Fraction] = {}
    for width, start, end in zip(rules.width[j].tolist(), [0, *ends], ends, strict=False):
        if end > start:
            found[width] = found.get(width, Fraction(0)) + Fraction(end - start, WORDS)
    return found


def arrivals(bench: Bench, most: int) -> list[tuple[EventRun, Any]]:
    """The runs of the first arrivals, with their rows."""
    state, found = started(bench.system), []
    while len(found) < most:
        run = EventRun(bench.system, state)
        run.finish()
        state = run.state
        if run.event.kind == ARRIVAL:
            found.append((run, run.row[0].copy()))
    return found


class TestGreedyP:
    def test_it_asks_by_p_star(self) -> None:
        """p* = s_i y*_i / lambda: 5/8 and 3/8 for the paper's table and load 4/5."""
        policy = bench_of().system.policy
        assert policy.distribution(0) == [(3, 0.625), (4, 0.375)]
        assert law_of(policy) == {3: Fraction(5, 8), 4: Fraction(3, 8)}

    @pytest.mark.parametrize(
        ("load", "speedup", "width"),
        [
            ("17/25", TABLE, 5),
            ("1/10", TABLE, 5),
            ("3/4", TABLE, 4),
            ("9/10", TABLE, 2),
            ("1", TABLE, 1),
            ("99/100", LINEAR, 5),
        ],
    )
    def test_it_always_asks_for_i1_where_the_load_is_a_ratio(self, load: str, speedup: Any, width: int) -> None:
        """Ghanbarian et al. (2025), Theorem 1 (i) and (ii)."""
        policy = bench_of(rho=load, classes=[{"speedup": speedup}]).system.policy
        assert law_of(policy) == {width: 1}

    @given(speedups(), st.fractions(Fraction(1, 50), 1, max_denominator=200))
    def test_it_asks_by_the_best_allocation(self, speedup: list[str], load: Fraction) -> None:
        """It may take any solution of (P): they all have the same execution time."""
        policy = bench_of(rho=str(load), classes=[{"speedup": speedup}]).system.policy
        factors = [Fraction(factor) for factor in speedup]
        law = law_of(policy)
        asked = sum(p / factors[i - 1] for i, p in law.items())
        best = best_allocation(load, factors)
        assert float(asked) == pytest.approx(float(sum(best) / load), rel=1e-15)
        assert float(load * sum(p * i / factors[i - 1] for i, p in law.items())) <= 1 + 1e-15

    def test_what_it_draws_has_that_law(self) -> None:
        bench = bench_of(p=["1/10", 0, "1/5", "3/10", "2/5"])
        view = view_of(bench)
        draws = Counter(view.request(MoldableJob(number, 0)) for number in range(20_000))
        assert set(draws) == {1, 3, 4, 5}
        expected = {1: 0.1, 3: 0.2, 4: 0.3, 5: 0.4}
        found = chisquare([draws[i] for i in expected], [20_000 * p for p in expected.values()])
        assert found.pvalue > 0.01

    def test_the_number_it_shows_is_the_one_it_draws_by(self) -> None:
        view = view_of(bench_of())
        for number in range(300):
            assert view.request(MoldableJob(number, 0)) == (3 if view.uniform(number) <= 0.625 else 4)

    @settings(max_examples=60)
    @given(st.lists(st.integers(0, 4), min_size=1, max_size=5).filter(any))
    def test_words_are_shared_out_exactly(self, weights: list[int]) -> None:
        law = [Fraction(weight, sum(weights)) for weight in weights]
        policy = bench_of(p=[str(p) for p in law]).system.policy
        found = law_of(policy)
        assert set(found) == {i for i, p in enumerate(law, 1) if p}
        assert sum(found.values()) == 1
        for i, p in enumerate(law, 1):
            assert abs(found.get(i, 0) - p) < Fraction(2, WORDS)

    def test_the_last_word_of_a_part_belongs_to_it(self) -> None:
        bench = bench_of()
        system = bench.system
        with np.errstate(over="ignore"):
            word = random_word(system.tables.key[0], 0, 0)
        for last, width in ((word, 3), (word - np.uint64(1), 4)):
            system.rules.last_word[0, 0] = last
            assert view_of(bench).request(MoldableJob(0, 0)) == width

    def test_it_draws_before_it_looks_and_blocked_jobs_use_up_a_draw(self) -> None:
        """The request of a job does not depend on the load, nor on whether jobs are blocked."""
        light, heavy = (bench_of(rho=load, p=[0, "1/2", 0, "1/2"], servers=5) for load in ("1/10", "20"))
        first, second = ([int(row["request"]) for _, row in arrivals(bench, 120)] for bench in (light, heavy))
        assert first == second
        assert {int(row["width"]) for _, row in arrivals(heavy, 120)} >= {0, 1, 2}

    def test_it_gets_what_it_asked_for_or_what_is_free(self) -> None:
        for run, row in arrivals(bench_of(rho="1", servers=7), 300):
            request, decision = run.records[-2:]
            assert request.values["request"] == row["request"]
            assert decision.values["free"] == row["free"]
            if row["free"]:
                assert isinstance(decision, Allocate)
                assert decision.servers == row["width"] == min(row["request"], row["free"])
            else:
                assert isinstance(decision, Reject)

    def test_another_load_is_that_of_p_star_alone(self) -> None:
        bench = bench_of(rho="1/2")
        other = bench_of(rho="1/2", load="4/5")
        assert law_of(bench.system.policy) == {5: 1}
        assert law_of(other.system.policy) == {3: Fraction(5, 8), 4: Fraction(3, 8)}
        assert other.numbers.load == Fraction(1, 2)

    def test_a_given_p_needs_no_load(self) -> None:
        bench = bench_of(rho="3/2", p=[0, "1/3", "2/3"])
        assert bench.system.policy.distribution(0) == [(2, 1 / 3), (3, 2 / 3)]

    @pytest.mark.parametrize("parameters", [{}, {"shares": "none"}])
    def test_a_script_that_says_all_requests_needs_no_load(self, parameters: Any) -> None:
        script = {"kind": "scripted", "arrivals": [{"time": 0, "size": 1, "requested": 2}]}
        bench = bench_of(workload=script, **parameters)
        assert [int(row["request"]) for _, row in arrivals(bench, 1)] == [2]

    def test_a_script_takes_the_load_that_it_is_given(self) -> None:
        script = {"kind": "scripted", "arrivals": [{"time": 0, "size": 1}]}
        policy = bench_of(workload=script, load="4/5").system.policy
        assert law_of(policy) == {3: Fraction(5, 8), 4: Fraction(3, 8)}


class TestShares:
    def test_each_class_has_its_reserved_servers(self) -> None:
        """b*_j n rounded down; the rest is idle."""
        bench = bench_of(rho="9/10", classes=TWO, servers=19)
        assert bench.numbers.optimum.shares == (Fraction(7, 10), Fraction(3, 10))
        rules, sizes = bench.system.policy.rules, [13, 5]
        assert (rules.pool_end - rules.pool_first).tolist() == sizes
        assert rules.own_pool.tolist() == [0, 1]
        assert rules.common_pool.tolist() == [-1]
        facts = bench.kind.facts(bench.system)
        assert facts.pool_names == ("a", "b")
        assert [facts.pool_of(server) for server in (0, 12, 13, 17, 18)] == [0, 0, 1, 1, -1]

    def test_the_rest_may_be_common(self) -> None:
        bench = bench_of(rho="9/10", classes=TWO, rest="common", servers=19)
        rules = bench.system.policy.rules
        assert rules.pool_end.tolist() == [13, 18, 19]
        assert rules.common_pool.tolist() == [2]
        facts = bench.kind.facts(bench.system)
        assert facts.pool_names == ("a", "b", "common")
        assert facts.pool_of(18) == 2

    def test_a_class_with_no_server_of_its_own_takes_common_ones(self) -> None:
        shares = {"a": 0, "b": "1/2"}
        bench = bench_of(rho="9/10", classes=TWO, shares=shares, rest="common")
        facts = bench.kind.facts(bench.system)
        assert [facts.pool_of(server) for server in (0, 9, 10, 19)] == [1, 1, 2, 2]
        for run, row in arrivals(bench, 60):
            if run.event.type == 0 and row["width"]:
                assert row["server"] >= 10

    def test_another_load_is_shared_out_as_the_arrivals_are(self) -> None:
        policies = [
            bench_of(rho=rho, classes=TWO, servers=19, **parameters).system.policy
            for rho, parameters in (("9/10", {}), ("3/10", {"load": "9/10"}))
        ]
        for j in range(2):
            assert law_of(policies[0], j) == law_of(policies[1], j)
        assert policies[0].rules.pool_end.tolist() == policies[1].rules.pool_end.tolist()

    def test_for_given_shares_p_is_that_of_q2(self) -> None:
        """Class a has load 3/5 on 7/10 of the servers, and b has 3/10 on 3/10."""
        bench = bench_of(rho="9/10", classes=TWO, shares={"a": "7/10", "b": "3/10"})
        policy, numbers = bench.system.policy, bench.numbers
        for j, share in enumerate((Fraction(7, 10), Fraction(3, 10))):
            within = optimum(numbers.speedups[j], numbers.loads[j] / share)
            shown = [(i, float(p)) for i, p in enumerate(within.p, 1) if p]
            assert policy.distribution(j) == shown

    def test_below_its_load_a_class_asks_for_one_server(self) -> None:
        bench = bench_of(rho="4/5", classes=TWO, shares={"a": "1/2", "b": "1/2"})
        assert bench.numbers.loads[0] > Fraction(1, 2)
        assert bench.system.policy.distribution(0) == [(1, 1.0)]

    def test_one_class_may_have_a_share_too(self) -> None:
        bench = bench_of(rho="2/5", shares={"jobs": "1/2"})
        assert bench.system.policy.rules.pool_end.tolist() == [10]
        whole = bench_of(rho="4/5").system.policy
        assert law_of(bench.system.policy, 0) == law_of(whole, 0)

    def test_idle_servers_are_idle_for_ever(self) -> None:
        one = {"a": [1], "b": [1]}
        bench = bench_of(rho="1", classes=TWO, p=one, shares={"a": "1/2", "b": "1/4"})
        for run, _ in arrivals(bench, 200):
            assert (run.state.server_job[15:] == -1).all()

    def test_without_shares_all_servers_are_one_pool(self) -> None:
        bench = bench_of(rho="9/10", classes=TWO, shares="none")
        assert bench.system.policy.rules.pools == 1
        assert bench.kind.facts(bench.system).pool_names == ("",)

    def test_p_star_of_each_class_is_its_own(self) -> None:
        bench = bench_of(rho="9/10", classes=TWO)
        for j, found in enumerate(bench.numbers.optimum.classes):
            law = {i: p for i, p in enumerate(found.p, 1) if p}
            for width, p in law_of(bench.system.policy, j).items():
                assert abs(p - law[width]) < Fraction(2, WORDS)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a load above 1": (
        data(rho="3/2"),
        "workload.load: found a load of 1.5, for which (P) has no solution; allowed: at most 1 "
        "(Proposition 1), or another policy, or policy.parameters.load, or p",
    ),
    "of several classes": (
        data(rho="3/2", classes=TWO, p={"a": [1], "b": [1]}),
        "for which (Q) has no solution; allowed: at most 1 (Proposition 1), or another policy, or "
        "policy.parameters.load, or p and shares",
    ),
    "no load": (
        data(workload={"kind": "scripted", "arrivals": [{"time": 0, "size": 1}]}),
        "policy.parameters.p: found no load, allowed: a workload with one, or p*",
    ),
    "p that is no law": (data(p=["1/2", "1/4"]), "p: found a sum of 0.75 for class 'jobs', allowed: 1"),
    "p below 0": (data(p=["3/2", "-1/2"]), "policy.parameters.p[1]: found '-1/2', allowed: a number of at least 0"),
    "p beyond d": (
        data(p=[0, 0, 0, 0, 0, 1]),
        "p: found 6 probabilities for class 'jobs', allowed: at most 5, on which its jobs can run",
    ),
    "p of another class": (data(p={"x": [1]}), "p: found classes x, allowed: each of jobs once"),
    "p that is no list": (data(p=1), "policy.parameters.p: found 1, allowed: a list"),
    "shares above 1": (
        data(classes=TWO, shares={"a": "3/4", "b": "1/2"}),
        "shares: found a sum of 1.25, allowed: at most 1",
    ),
    "shares of another class": (
        data(classes=TWO, shares={"a": "3/4", "c": "1/2"}),
        "shares: found classes a, c, allowed: each of a, b once",
    ),
    "shares by no known name": (
        data(classes=TWO, shares="equal"),
        "policy.parameters.shares: found 'equal', allowed: 'optimal' or 'none'",
    ),
    "less than a server": (
        data(classes=TWO, p={"a": [1], "b": [1]}, shares={"a": "1/100", "b": "1/2"}),
        "shares: found less than one server for class 'a', allowed: at least one; use more servers, or rest = 'common'",
    ),
    "shares without a load": (
        data(workload={"kind": "scripted", "arrivals": [{"time": 0, "size": 1}]}, shares={"jobs": 1}),
        "shares: found a share for class 'jobs', allowed where its load is known; or give p too",
    ),
    "a width of 0": (
        data() | {"policy": {"name": "fixed-width", "parameters": {"servers": 0}}},
        "policy.parameters.servers: found 0, allowed: a number of at least 1",
    ),
    "two steps at one number": (
        data("threshold", steps=[{"free": 1, "servers": 1}, {"free": 1, "servers": 2}]),
        "steps[1].free: found 1 for the second time, allowed: once",
    ),
    "a step beyond n": (
        data("threshold", steps=[{"free": 21, "servers": 1}]),
        "steps: found free = 21, allowed: at most 20, all servers",
    ),
    "a step beyond d": (
        data("threshold", steps=[{"free": 1, "servers": 6}]),
        "steps: found servers = 6, allowed: 1 to 5, on which jobs can run",
    ),
    "greedy with parameters": (data("greedy", width=1), "policy.parameters.width: found an unknown key"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    scenario, words = REFUSED[name]
    assert words in refused(scenario)


WIDTHS: dict[str, tuple[Any, str]] = {
    "beyond d": (6, "servers: found 6 for class 'a', allowed: 1 to 5, on which its jobs can run"),
    "beyond one class's d": (3, "servers: found 3 for class 'b', allowed: 1 to 2"),
    "a class left out": ({"a": 2}, "servers: found nothing for class 'b', allowed: 1 to 2"),
    "another class": ({"a": 2, "b": 1, "z": 1}, "servers: found class 'z', allowed: a, b"),
    "no number": ({"a": "x", "b": 1}, "policy.parameters.servers.a: found 'x', allowed: a whole"),
}


@pytest.mark.parametrize("name", WIDTHS)
def test_widths_that_jobs_cannot_have(name: str) -> None:
    given, words = WIDTHS[name]
    scenario = data(classes=TWO)
    scenario["policy"] = {"name": "fixed-width", "parameters": {"servers": given}}
    assert words in refused(scenario)


class TestCertain:
    def asked(self, policy: str, classes: Any = None, **parameters: Any) -> dict[int, set[int]]:
        """The requests of each class under an overload, which these policies allow."""
        scenario = data(rho=2, classes=classes or TWO)
        scenario["policy"] = {"name": policy, "parameters": parameters}
        found: dict[int, set[int]] = {}
        for run, row in arrivals(assemble(parse_scenario(scenario)), 150):
            found.setdefault(run.event.type, set()).add(int(row["request"]))
            assert row["width"] == min(row["request"], row["free"])
        return found

    def test_greedy_asks_for_d(self) -> None:
        assert self.asked("greedy") == {0: {5}, 1: {2}}

    def test_greedy_is_greedy_p_where_speed_up_is_linear(self) -> None:
        """Ghanbarian et al. (2025), Remark 1 and Section 4."""
        rows = [arrivals(bench_of(policy, classes=[{"speedup": LINEAR}]), 200) for policy in ("greedy", "greedy-p")]
        first, second = ([row.tolist() for _, row in found] for found in rows)
        assert first == second

    def test_fixed_width(self) -> None:
        assert self.asked("fixed-width") == {0: {1}, 1: {1}}
        assert self.asked("fixed-width", servers=2) == {0: {2}, 1: {2}}
        assert self.asked("fixed-width", servers={"a": 4, "b": 1}) == {0: {4}, 1: {1}}

    def test_threshold(self) -> None:
        """A step applies from its number of free servers on; below all steps the request is 1."""
        steps = [{"free": 10, "servers": 2}, {"free": 3, "servers": 4}]
        scenario = data(rho="3/2", classes=TWO)
        scenario["policy"] = {"name": "threshold", "parameters": {"steps": steps}}
        seen = set()
        for run, row in arrivals(assemble(parse_scenario(scenario)), 300):
            free, degree = int(row["free"]), (5, 2)[run.event.type]
            step = 2 if free >= 10 else 4 if free >= 3 else 1
            assert row["request"] == min(step, degree)
            reached = 10 if free >= 10 else 3 if free >= 3 else 0
            assert run.records[1].values["from"] == reached
            seen.add(reached)
        assert seen == {0, 3, 10}

    @pytest.mark.parametrize(("servers", "least"), [(20, 2), (21, 3), (9, 1)])
    def test_threshold_without_steps(self, servers: int, least: int) -> None:
        """d servers while at least a tenth of all servers is free, otherwise one."""
        scenario = data(rho="3/2", classes=TWO, servers=servers)
        scenario["policy"] = {"name": "threshold"}
        for run, row in arrivals(assemble(parse_scenario(scenario)), 150):
            wide = int(row["free"]) >= least
            assert row["request"] == ((5, 2)[run.event.type] if wide else 1)

    def test_a_step_may_stand_alone(self) -> None:
        asked = self.asked("threshold", steps={"free": 0, "servers": 3})
        assert asked == {0: {3}, 1: {2}}


class TestCommonRandomNumbers:
    CLASSES = (TWO[0], TWO[1] | {"size": {"distribution": "deterministic", "mean": 2}})
    CHOICES: tuple[tuple[str, dict[str, Any]], ...] = (
        ("greedy-p", {}),
        ("greedy-p", {"rest": "common"}),
        ("greedy-p", {"shares": "none"}),
        ("greedy", {}),
        ("fixed-width", {}),
        ("threshold", {"steps": [{"free": 9, "servers": 2}]}),
    )

    def benches(self) -> list[Bench]:
        found = []
        for name, parameters in self.CHOICES:
            scenario = data(rho="9/10", classes=list(self.CLASSES))
            scenario["policy"] = {"name": name, "parameters": parameters}
            found.append(assemble(parse_scenario(scenario)))
        return found

    def test_every_policy_meets_the_same_jobs(self) -> None:
        first, *others = (
            [(*run.event[:4], run.event.service) for run, _ in arrivals(bench, 100)] for bench in self.benches()
        )
        assert all(other == first for other in others)

    def test_every_policy_that_draws_draws_the_same(self) -> None:
        found = [[run.records[1].values["uniform"] for run, _ in arrivals(bench, 100)] for bench in self.benches()[:3]]
        assert found[0] == found[1] == found[2]
        asked = [[int(row["request"]) for _, row in arrivals(bench, 100)] for bench in self.benches()[:3]]
        assert asked[0] == asked[1] == asked[2]

    def test_a_job_takes_its_size_divided_by_the_speed_up(self) -> None:
        for bench in self.benches():
            for run, row in arrivals(bench, 60):
                if row["width"]:
                    factor = float(bench.numbers.speedups[run.event.type][row["width"] - 1])
                    assert row["lasts"] == pytest.approx(run.event.service / factor, rel=1e-9)

    def test_another_seed_draws_otherwise(self) -> None:
        views = [view_of(assemble(parse_scenario(data() | {"seed": seed}))) for seed in (1, 2)]
        draws = np.array([[view.uniform(number) for number in range(50)] for view in views])
        assert not (draws[0] == draws[1]).any()
        assert ((draws > 0) & (draws <= 1)).all()


def test_the_pseudocode_has_the_lines_that_are_cited() -> None:
    for name in POLICIES_OF["moldable"]:
        steps = {"steps": [{"free": 9, "servers": 2}]} if name == "threshold" else {}
        bench = assemble(parse_scenario(data() | {"policy": {"name": name, "parameters": steps}}))
        lines = {line.line for line in bench.system.policy.pseudocode}
        cited = {
            record.line
            for run, _ in arrivals(bench, 50)
            for record in run.records
            if isinstance(record, Record) and record.line
        }
        assert cited
        assert cited <= lines


@pytest.mark.parametrize(
    "scenario", ["moldable-sublinear", "moldable-linear", "moldable-classes", "moldable-classroom"]
)
def test_scenarios_of_the_program_have_a_law(scenario: str) -> None:
    policy: Any = assemble(load_scenario(scenario), "greedy-p").system.policy
    for j in range(policy.numbers.classes):
        assert sum(p for _, p in policy.distribution(j)) == pytest.approx(1)
