"""Bounds for moldable jobs, as the window gets them and as ``slotscope bounds`` prints them."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import tomli_w

from slotscope.model.kinds.moldable.numbers import numbers_of
from slotscope.model.kinds.moldable.programs.bounds import MoldableBounds, all_bounds, rules_for
from slotscope.model.kinds.moldable.programs.program import SOLVER_TOLERANCE, available_solvers
from slotscope.model.kinds.moldable.programs.references import erlang_b, pools_of, requests_of
from slotscope.model.kinds.spec import kind_named
from slotscope.model.scenario.common import PolicyChoice
from tests.kinds.moldable.scenarios import GOOD, RATES, SCRIPT, SEVERAL, TRACE, opened

SMALL = GOOD | {"servers": {"count": 20}}
TWO: dict[str, Any] = {
    "system": "moldable",
    "servers": {"count": 30},
    "classes": [
        {"name": "a", "share": 2, "speedup": [1, 1.8, 2.5]},
        {"name": "b", "speedup": [1, 2], "size": {"distribution": "exponential", "mean": 2}},
    ],
    "workload": {"kind": "poisson", "load": 0.95},
}
OVERLOADED = SMALL | {"workload": {"kind": "poisson", "load": 1.25}}


def answers(data: dict[str, Any]) -> list[MoldableBounds]:
    return list(all_bounds(opened(data)))


def last(data: dict[str, Any]) -> MoldableBounds:
    return answers(data)[-1]


class TestAnswers:
    def test_the_closed_form_comes_first_and_each_knows_more(self) -> None:
        found = answers(SMALL)
        assert (found[0].solved, found[0].answers, found[0].references) == (True, (), ())
        assert [bool(one.answers) for one in found[1:]] == [True] * (len(found) - 1)
        known = [sum(r.chain is not None for r in one.references) for one in found]
        assert known == sorted(known)
        assert known[-1] == 2
        assert [one.finished for one in found] == [False] * (len(found) - 1) + [True]
        assert all(pickle.loads(pickle.dumps(one)).load == Fraction(4, 5) for one in found)

    def test_one_class(self) -> None:
        found = last(SMALL)
        (one,) = found.classes
        assert one.optimum is not None
        assert found.mean_time == one.mean_time == one.optimum.mean_time == Fraction(3, 8)
        assert one.y == one.optimum.y == tuple(map(Fraction, ("0", "0", "1/5", "1/10", "0")))
        assert one.p[2:4] == (Fraction(5, 8), Fraction(3, 8))
        assert (one.share, one.servers) == (Fraction(1), 20)
        assert one.ratios[3] == Fraction(3, 4)
        assert one.theorem2 is not None
        assert one.duals is not None
        assert found.problem == ""

    def test_solvers_agree(self) -> None:
        for data in (SMALL, TWO, SEVERAL, RATES):
            found = last(data)
            assert len(found.answers) == len(available_solvers())
            assert {answer.status for answer in found.answers} == {"optimal"}
            assert found.off is not None
            assert found.off <= SOLVER_TOLERANCE

    def test_another_mean_size_stretches_times_only(self) -> None:
        size = {"distribution": "exponential", "mean": 20}
        slow = last(SMALL | {"classes": [{"speedup": [1, 1.8, 2.5, 3, 3.4], "size": size}]})
        usual = last(SMALL)
        assert slow.mean_time == Fraction(15, 2)
        assert slow.classes[0].y == usual.classes[0].y
        assert slow.classes[0].curve[:, 1] == pytest.approx(20 * usual.classes[0].curve[:, 1])
        assert slow.answers[0].objective == pytest.approx(7.5)
        ours, theirs = slow.references[0].chain, usual.references[0].chain
        assert ours is not None
        assert theirs is not None
        assert theirs.mean_time is not None
        assert ours.blocking == pytest.approx(theirs.blocking)
        assert ours.mean_time == pytest.approx(20 * theirs.mean_time)

    def test_classes(self) -> None:
        found = last(TWO)
        assert found.solution is not None
        shares = [one.share for one in found.classes]
        assert sum(share for share in shares if share) + found.solution.slack == 1
        for one in found.classes:
            assert one.share is not None
            assert one.servers == int(one.share * 30)
            assert one.value[0][0] == one.load
            assert one.optimum is not None
            assert one.optimum.load == one.load / one.share
            assert one.y == tuple(one.share * y for y in one.optimum.y)
            assert (one.theorem2 is not None) == ((one.share * 30).denominator == 1)

    def test_the_fluid_path_ends_at_the_optimum(self) -> None:
        for one in last(TWO).classes:
            assert one.fluid is not None
            assert one.fluid_times is not None
            assert one.optimum is not None
            target = [float(one.y[i - 1]) for i in one.optimum.support]
            assert one.fluid.shape == (len(one.fluid_times), len(target))
            assert one.fluid[0].tolist() == [0.0] * len(target)
            assert one.fluid[-1] == pytest.approx(target, rel=1e-3)
            assert (np.diff(one.fluid, axis=0) >= -1e-9).all()

    def test_above_1_there_is_no_solution(self) -> None:
        found = last(OVERLOADED)
        assert not found.solved
        assert found.mean_time is None
        assert "(P) has no solution: the load is 1.25" in found.problem
        assert {answer.status for answer in found.answers} == {"infeasible"}
        assert [one.policy for one in found.references] == ["greedy"]
        (greedy,) = found.references
        assert greedy.blocking == pytest.approx(erlang_b(4, 25 / 3.4))
        assert greedy.chain is not None
        assert greedy.chain.distance is None

    def test_an_unknown_load(self) -> None:
        found = last(SCRIPT | {"workload": {"kind": "scripted"}})
        assert (found.solved, found.answers, found.references) == (False, (), ())
        assert "(Q) cannot be written down" in found.problem
        assert len(found.classes[0].curve) > 400 - 1

    def test_a_script_is_not_poisson(self) -> None:
        found = last(SCRIPT)
        assert (found.solved, found.poisson, found.references) == (True, False, ())

    def test_a_trace_that_was_not_read(self) -> None:
        (found,) = answers(TRACE)
        assert found.finished
        assert "found a trace that has not been read" in found.problem

    def test_the_kind_passes_them_on(self) -> None:
        kind = kind_named("moldable")
        assert next(iter(kind.all_bounds(opened(SMALL)))).solved
        assert kind.no_bounds("Because.").problem == "Because."


class TestReferences:
    def test_the_scenario_s_own_policy_comes_first(self) -> None:
        policy = {"name": "fixed-width", "parameters": {"servers": 4}}
        found = last(SMALL | {"policy": policy})
        assert [one.policy for one in found.references] == ["fixed-width:servers=4", "greedy-p", "greedy"]
        own = found.references[0]
        assert own.blocking == pytest.approx(erlang_b(5, 16 / 3))
        assert own.mean_time == pytest.approx(1 / 3)
        assert own.chain is not None
        assert own.chain.blocking == pytest.approx(own.blocking, rel=1e-9)
        assert found.references[1].erlang == ()

    def test_a_threshold_rule_has_a_chain_and_no_formula(self) -> None:
        steps = [{"free": 0, "servers": 1}, {"free": 10, "servers": 5}]
        found = last(SMALL | {"policy": {"name": "threshold", "parameters": {"steps": steps}}})
        own = found.references[0]
        assert own.erlang == ()
        assert own.chain is not None
        assert own.chain.partial == 0

    def test_greedy_at_a_number_that_5_does_not_divide(self) -> None:
        for reference in last(SMALL | {"servers": {"count": 23}}).references:
            assert reference.erlang == ()
            assert reference.chain is not None

    def test_large_systems_have_no_chain_and_say_so(self) -> None:
        found = last(GOOD)
        assert found.references[0].chain is None
        assert "more than 20,000 states" in found.references[0].note
        assert found.references[1].chain is not None

    def test_shares_of_erlang(self) -> None:
        """Two classes that use a single width each, which divides their pools."""
        classes = [{"name": "a", "speedup": [1, 2]}, {"name": "b", "speedup": [1, 1.5]}]
        data = TWO | {"classes": classes, "workload": {"kind": "poisson", "load": 0.6}}
        own = last(data).references[0]
        assert own.pools == (9, 12)
        assert own.erlang == ()
        own = last(data | {"servers": {"count": 40}}).references[0]
        assert own.pools == (12, 16)
        assert [one.width for one in own.erlang] == [2, 2]
        each = [erlang_b(6, 6.0), erlang_b(8, 8.0)]
        assert [one.blocking for one in own.erlang] == pytest.approx(each)
        assert own.blocking == pytest.approx(sum(each) / 2)
        assert own.chain is not None
        assert own.chain.class_blocking == pytest.approx(each)
        assert own.chain.mean_time == pytest.approx(own.mean_time)

    def test_common_servers_help(self) -> None:
        """The servers that no class owns are common: fewer jobs are blocked than if they are idle."""
        policy = {"name": "greedy-p", "parameters": {"rest": "common"}}
        common, idle = last(TWO | {"policy": policy, "servers": {"count": 16}}).references[:2]
        assert common.pools == idle.pools
        assert common.common == 16 - sum(common.pools) > idle.common == 0
        assert common.chain is not None
        assert idle.chain is not None
        assert common.chain.blocking < idle.chain.blocking

    def test_rules_become_laws(self) -> None:
        numbers = numbers_of(opened(SMALL))
        rules = rules_for(PolicyChoice(name="greedy-p"), numbers)
        assert pools_of(rules) == ((20,), 0)
        assert requests_of(rules)(0, 3) == [(3, 0.625), (4, 0.375)]
        greedy = rules_for(PolicyChoice(name="greedy"), numbers_of(opened(TWO)))
        assert pools_of(greedy) == ((0, 0), 30)
        assert [list(requests_of(greedy)(j, 1)) for j in (0, 1)] == [[(3, 1.0)], [(2, 1.0)]]

    def test_which_chains_are_exact_is_told(self) -> None:
        assert last(SMALL).exponential
        size = {"distribution": "deterministic"}
        other = last(SMALL | {"classes": [{"speedup": [1, 1.5], "size": size}]})
        assert (other.poisson, other.exponential) == (True, False)


@pytest.fixture
def written(tmp_path: Any) -> Any:
    """A function that writes a scenario into the command's folder and returns its name."""

    def write(data: dict[str, Any]) -> str:
        (tmp_path / "own.toml").write_text(tomli_w.dumps(data))
        return "own.toml"

    return write


class TestCommand:
    def test_one_class(self, answer: Any, written: Any) -> None:
        found = answer("bounds", written(SMALL))
        assert set(found["programs"]) == {"P", "P (CBC)", "Theorem 1"}
        best = found["programs"]["Theorem 1"]
        assert (best["objective"], best["exact"], best["status"]) == (0.375, "3/8", "optimal")
        assert best["solution"] == [
            {"class": "jobs", "servers": 3, "y": "1/5", "p": "5/8"},
            {"class": "jobs", "servers": 4, "y": "1/10", "p": "3/8"},
        ]
        solver = found["programs"]["P"]
        assert solver["status"] == "optimal (HiGHS)"
        assert solver["objective"] == pytest.approx(0.375)
        assert [part["servers"] for part in solver["solution"]] == [3, 4]
        (one,) = found["classes"]
        assert (one["case"], one["widths"], one["unique"]) == ("iii", [3, 4], True)
        assert (one["nu"], one["theta_0"]) == ("-5/4", "5/8")
        assert one["ranges"][0] == {"from": "0", "to": "17/25", "widths": [5]}
        assert one["ranges"][-1] == {"from": "9/10", "to": "1", "widths": [1, 2]}
        policies = found["policies"]
        assert policies["greedy"]["erlang"]["blocking"] == pytest.approx(erlang_b(4, 16 / 3.4))
        assert policies["greedy-p"]["erlang"] is None
        assert policies["greedy-p"]["chain"]["narrow"][0] > 0.2

    @pytest.mark.parametrize(("data", "name"), [(SMALL, "P"), (TWO, "Q"), (SEVERAL, "Q"), (RATES, "Q"), (SCRIPT, "Q")])
    def test_every_scenario_is_printed(self, data: dict[str, Any], name: str, slotscope: Any, written: Any) -> None:
        found = slotscope("bounds", written(data))
        assert (found.code, found.err) == (0, "")
        for word in (name, "Theorem 1", "optimal (HiGHS)", "run on"):
            assert word in found.out

    def test_shares_are_printed(self, slotscope: Any, written: Any) -> None:
        said = slotscope("bounds", written(TWO)).out
        assert "share b" in said
        assert "left over: 0 of the servers" in said

    def test_a_tie_is_told(self, slotscope: Any, written: Any) -> None:
        twins = [{"name": name, "speedup": [1, 1.8, 2.5, 3, 3.4]} for name in "ab"]
        data = SMALL | {"classes": twins}
        assert "other solutions are as good" in slotscope("bounds", written(data)).out

    def test_above_1_it_says_so_and_what_it_can(self, slotscope: Any, written: Any) -> None:
        found = slotscope("bounds", written(OVERLOADED))
        assert found.code == 0
        assert "(P) has no solution: the load is 1.25, above 1 (Proposition 1)" in found.out
        assert "infeasible (HiGHS)" in found.out
        assert "greedy  Erlang B" in found.out
        assert found.err.count("\n") == 1
        found = slotscope("bounds --json", written(OVERLOADED))
        assert json.loads(found.out)["programs"]["P"]["objective"] is None

    def test_where_chains_do_not_apply_it_is_said(self, slotscope: Any, written: Any) -> None:
        size = {"distribution": "deterministic"}
        data = SMALL | {"classes": [{"speedup": [1, 1.5], "size": size}]}
        assert "the chains are for exponential sizes" in slotscope("bounds", written(data)).out

    @pytest.mark.parametrize("name", ["B01_greedy_linear_partial", "B02_greedy_pstar_sublinear"])
    def test_instance_files(self, name: str, answer: Any, golden: Any) -> None:
        found = answer("bounds", golden(f"moldable/{name}.json"))
        data = json.loads(golden(f"moldable/{name}.json").read_text())
        assert found["classes"][0]["speedup"] == data["speedup"]
        if "y_star" in data:
            assert found["classes"][0]["y"] == data["y_star"]
            assert found["classes"][0]["p"] == data["p_star"]
            assert found["mean_time"] == data["D_star"]
        else:
            assert found["classes"][0]["ranges"] == [{"from": "0", "to": "1", "widths": [5]}]
            assert found["programs"] == {}

    @pytest.mark.parametrize(
        ("policy", "said"),
        [
            ("threshold:steps=3", "policy.parameters.steps: found 3"),
            ("fixed-width:servers=9", "servers: found 9 for class 'jobs', allowed: 1 to 5"),
            ("dra", "found 'dra', a policy of reservation systems"),
            ("greedyp", "did you mean 'greedy-p'"),
        ],
    )
    def test_a_policy_that_cannot_be_is_one_line(self, policy: str, said: str, slotscope: Any, written: Any) -> None:
        found = slotscope(f"bounds --policy {policy}", written(SMALL))
        assert (found.code, found.out) == (2, "")
        assert found.err.count("\n") == 1
        assert said in found.err

    def test_another_policy_is_compared(self, answer: Any, written: Any) -> None:
        found = answer("bounds --policy fixed-width:servers=2", written(SMALL))
        assert list(found["policies"]) == ["fixed-width:servers=2", "greedy-p", "greedy"]

    @pytest.mark.parametrize("scenario", ["moldable-sublinear", "moldable-linear"])
    def test_the_paper_s_scenarios(self, scenario: str, answer: Any) -> None:
        found = answer(f"bounds {scenario}")
        times = {"moldable-sublinear": "3/8", "moldable-linear": "1/5"}
        assert found["mean_time"] == times[scenario]
        assert found["servers"] == 4000
