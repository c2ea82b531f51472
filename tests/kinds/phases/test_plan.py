"""Plans of Join-Requesting-Server: pools, given policies, estimated rates, bounds."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from math import ceil, isnan, sqrt
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
import tomli_w
from pydantic import ValidationError

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.bounds import PhasesBounds, all_bounds, bounds_of
from slotscope.model.kinds.phases.programs.choosing import RateEstimate, estimated
from slotscope.model.kinds.phases.programs.plan import PoolTable, ServerPlan, ceiling, plan_from_pools
from slotscope.model.kinds.phases.programs.planning import plan_from_file, planned
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.phases.models import NAMES, golden_data, golden_model, golden_path
from tests.kinds.phases.scenarios import GOOD, SCRIPT, SEVERAL, TRACE


def scenario_of(data: dict[str, Any]) -> PhasesScenario:
    scenario = parse_scenario(data)
    assert isinstance(scenario, PhasesScenario)
    return scenario


def check_consistent(plan: ServerPlan, scale: float) -> None:
    """Check what holds for the pools of every plan that is made from pi and u."""
    arrivals = sum(pool.arrival_rates for pool in plan.pools)
    assert sum(pool.share for pool in plan.pools) == pytest.approx(1)
    assert sum(pool.nbar for pool in plan.pools) == pytest.approx(plan.nbar)
    route = sum(pool.route for pool in plan.pools)
    assert np.allclose(route, np.asarray(arrivals) > 0)
    assert plan.nbar == pytest.approx(scale / plan.phi)
    for pool in plan.pools:
        assert pool.servers == ceil(pool.nbar - 1e-6)
        assert pool.token_limit == ceil(sqrt(pool.servers))
        assert pool.stationary.sum() == pytest.approx(1)
        assert np.allclose(pool.arrival_rates, pool.nbar * pool.requests.sum(axis=0))
        assert (pool.rate[pool.case != TIMERS] == 0).all()
        assert (pool.choice[pool.case != AT_ONCE] == 0).all()
        assert np.allclose(pool.choice[pool.case == AT_ONCE].sum(axis=1), 1)
        assert (pool.stationary > 0).tolist() == (pool.case == TIMERS).tolist()


@pytest.mark.parametrize("name", NAMES)
def test_pools_of_the_injected_policy_are_the_golden_ones(name: str) -> None:
    model, data = golden_model(name), golden_data(name)
    for scale, wanted in data["pools"].items():
        plan = plan_from_file(golden_path(name), model, Fraction(scale))
        assert len(plan.pools) == len(wanted)
        for pool, want in zip(plan.pools, wanted, strict=True):
            assert (pool.servers, pool.token_limit) == (want["L"], want["eta_max"])
            assert pool.nbar == pytest.approx(want["Nbar"])
            assert pool.route.tolist() == pytest.approx(want["route"])
            assert pool.arrival_rates.tolist() == pytest.approx(want["lam"])
            assert pool.patch is not None
            assert pool.patch.tolist() == want["k0"]
            assert pool.patch_rate == 1.0
        assert plan.nbar == pytest.approx(data["Nbar"][scale])
        assert plan.phi == pytest.approx(data["lp"]["Phi"])
        assert plan.spent == pytest.approx(data["lp"]["h_pi"])
        assert plan.source == f"given in scenario_{name}.json"
        check_consistent(plan, float(scale))


@pytest.mark.parametrize("name", NAMES)
def test_a_solved_plan_is_consistent(name: str) -> None:
    model = golden_model(name)
    for scale in (Fraction(1, 3), Fraction(100), Fraction(800)):
        plan = planned(model, scale)
        assert plan.certified
        assert plan.source == "solved"
        assert plan.phi == pytest.approx(golden_data(name)["lp"]["Phi"], rel=1e-9)
        check_consistent(plan, float(scale))


def test_ceilings_forgive_rounding() -> None:
    """Scenario E: 0.4 Nbar = 25 at r = 100, despite rounding errors of floating point."""
    assert ceiling(25.000000000000004) == 25
    assert ceiling(25.0001) == 26
    assert ceiling(24.9999999) == 25
    assert ceiling(0.0) == 0
    assert [pool.servers for pool in planned(golden_model("E"), Fraction(100)).pools] == [25, 25, 13]


def test_the_start_of_a_pool_is_made_of_types_that_it_receives() -> None:
    """Scenario B: no H ever arrives, so a token of type H would never be taken."""
    pool = planned(golden_model("B"), Fraction(100)).pools[0]
    assert pool.patch is not None
    assert pool.patch.tolist() == [7, 0]
    assert golden_data("B")["classes"][0]["k0_naive_argmax_pi"] == [4, 2]


def test_explicit_pools() -> None:
    """As in instance files: two pools, the second without a patch."""
    model = replace(golden_model("A"), most_jobs=2)
    tables: list[PoolTable | dict[str, Any]] = [
        {
            "servers": 1,
            "token_limit": 1,
            "patch": {"rate": 2, "k0": {"L": 2}},
            "policy": [{"k": [2, 0], "case": 1, "rates": {}}, {"k": [1, 0], "case": 2, "prob": {"L": 1}}],
        },
        PoolTable.model_validate(
            {
                "servers": 3,
                "token_limit": 2,
                "policy": [
                    {"k": [0, 1], "case": 1, "rates": {"L": 0.5}},
                    {"k": [0, 0], "case": 2, "prob": [0.25, 0.75]},
                ],
            }
        ),
    ]
    plan = plan_from_pools(tables, model)
    first, second = plan.pools
    place = plan.lattice.place
    assert [pool.servers for pool in plan.pools] == [1, 3]
    assert first.case[place((2, 0))] == TIMERS
    assert first.case[place((1, 0))] == AT_ONCE
    assert first.case[place((0, 1))] == NOTHING
    assert first.patch is not None
    assert (first.patch.tolist(), first.patch_rate) == ([2, 0], 2.0)
    assert second.patch is None
    assert second.rate[place((0, 1))].tolist() == [0.5, 0]
    assert second.choice[0].tolist() == [0.25, 0.75]
    assert first.route.tolist() == [0.25, 0]
    assert second.route.tolist() == [0.75, 1]
    assert isnan(plan.phi)
    assert plan.source == "given in the scenario"


def test_golden_pools_become_plans() -> None:
    data = json.loads(golden_path("A").with_name("09_two_pools.json").read_text("utf-8"))
    model = replace(golden_model("A"), most_jobs=data["K_max"])
    tables = [
        {
            "servers": pool["L"],
            "token_limit": pool["eta_max"],
            "policy": pool["policy"],
            "patch": pool.get("patch_at_0"),
        }
        for pool in data["pools"]
    ]
    plan = plan_from_pools(tables, model)
    assert [pool.servers for pool in plan.pools] == [1, 2]
    assert [pool.patch is None for pool in plan.pools] == [False, True]


POOL: dict[str, Any] = {
    "servers": 1,
    "token_limit": 1,
    "policy": [{"k": [2, 0], "case": 1, "rates": {"L": 1}}, {"k": [1, 0], "case": 2, "prob": {"L": 1}}],
}


@pytest.mark.parametrize(
    ("path", "value", "line"),
    [
        (("policy", 0, "k"), [9, 0], r"pools\[0\]: policy\[0\]\.k: found 9, 0, which no server may"),
        (("policy", 0, "k"), [1], r"policy\[0\]\.k: found 1 numbers, allowed: 2"),
        (("policy", 0, "k"), [1, 0], r"policy\[1\]\.k: found 1, 0 again"),
        (("policy", 0, "k"), [-1, 0], "which no server may hold"),
        (("policy", 0, "rates"), {"X": 1}, r"policy\[0\]\.rates: found phase 'X', known are L, H"),
        (("policy", 0, "rates"), {"L": -1}, r"policy\[0\]\.rates: found -1, allowed: 0 or more"),
        (("policy", 0, "rates"), [1.0], r"rates: found 1 numbers, allowed: 2"),
        (("policy", 0, "rates"), {"L": float("nan")}, "finite number"),
        (("policy", 0, "k"), [8, 0], "requests type 'L' in 8, 0, where no server can take another"),
        (("policy", 1, "prob"), {"L": 0.5}, r"prob: found probabilities that add up to 0\.5"),
        (("policy", 1, "case"), 7, r"pools\[0\]: policy\[1\]\.case: input should be 1, 2 or 3"),
        (("servers",), 0, r"pools\[0\]: servers: input should be greater than or equal to 1"),
        (("patch",), {"k0": [0, 0]}, r"patch\.k0: found 0 jobs, allowed: at least one"),
        (("patch",), {"k0": [9, 9]}, r"patch\.k0: found 9, 9, which no server may hold"),
        (("patch",), {"rate": 0, "k0": [1, 0]}, r"patch\.rate: input should be greater than 0"),
        (("colour",), "red", r"pools\[0\]: colour: extra inputs are not permitted"),
    ],
)
def test_bad_pools_are_refused_in_one_line(path: tuple[Any, ...], value: Any, line: str) -> None:
    table: Any = deepcopy(POOL)
    place = table
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ScenarioError, match=line) as caught:
        plan_from_pools([table], golden_model("A"))
    assert "\n" not in caught.value.line


def test_no_pool_is_refused() -> None:
    with pytest.raises(ScenarioError, match="found no pool"):
        plan_from_pools([], golden_model("A"))


def _without_u(data: dict[str, Any]) -> None:
    for entry in data["policy"]:
        del entry["u"]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda data: data["input"].update(phases=["H", "L"]), "found the phases H, L, but"),
        (lambda data: data["policy"][0].update(k=[0, 9]), r"policy\[0\]\.k: found 0, 9"),
        (lambda data: data["policy"][1].update(pi=0.9), "pi: found pi that add up to 1.89"),
        (lambda data: data["policy"][0].update(pi=0.1), r"policy\[0\]: found pi = 0.1 in case 2"),
        (lambda data: data["policy"][1].update(rates=[-1, 0]), r"rates: found -1, allowed"),
        (lambda data: data["policy"][0].update(u=[-1, 0]), r"policy\[0\]\.u: found -1, allowed"),
        (lambda data: data.pop("policy"), "policy: field required"),
        (_without_u, r"policy\.u: found no request at all"),
    ],
)
def test_bad_files_are_refused_in_one_line(
    change: Callable[[dict[str, Any]], object], line: str, tmp_path: Path
) -> None:
    data = golden_data("A")
    change(data)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(data), "utf-8")
    with pytest.raises(ScenarioError, match=line) as caught:
        plan_from_file(file, golden_model("A"), Fraction(1))
    assert caught.value.line.startswith(str(file))
    assert "\n" not in caught.value.line


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    with pytest.raises(ScenarioError, match="cannot be read"):
        plan_from_file(file, golden_model("A"), Fraction(1))
    for text in ("{", "[" * 100_000, "\xff", "[1]"):
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(ScenarioError, match=r"plan\.json: "):
            plan_from_file(file, golden_model("A"), Fraction(1))


def numbers(name: str = "A") -> PhaseNumbers:
    return PhaseNumbers(golden_model(name), Fraction(100), 1)


def test_given_rates_replace_the_true_ones() -> None:
    estimate = RateEstimate.model_validate(
        {"arrival_rates": {"L": 1.2}, "departure_rates": {"H": 2}, "to": {"L": {"H": 0.25}}}
    )
    model = estimated(numbers(), estimate).model
    true = numbers().model
    assert model.arrival_rates == (Fraction(6, 5), Fraction(1, 2))
    assert model.departure_rates == (1, 2)
    assert model.moves == ((0, Fraction(1, 4)), (1, 0))
    assert (
        replace(model, arrival_rates=true.arrival_rates, moves=true.moves, departure_rates=true.departure_rates) == true
    )


def test_a_factor_scales_arrivals_and_with_them_nbar() -> None:
    more = estimated(numbers(), RateEstimate(factor=Fraction(11, 10)))
    assert more.model.arrival_rates == (Fraction(11, 10), Fraction(11, 20))
    ratio = planned(more.model, more.scale).nbar / planned(numbers().model, Fraction(100)).nbar
    assert ratio == pytest.approx(1.1)


def test_learned_rates_come_close_to_the_true_ones() -> None:
    seen = estimated(numbers(), RateEstimate(learn=Fraction(100))).model
    true = numbers().model
    for found, want in (
        (seen.arrival_rates, true.arrival_rates),
        (seen.departure_rates, true.departure_rates),
        (seen.moves[0] + seen.moves[1], true.moves[0] + true.moves[1]),
    ):
        assert [float(rate) for rate in found] == pytest.approx(list(map(float, want)), rel=0.05)
    assert seen != true


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ({"arrival_rates": {"X": 1}}, r"estimate\.arrival_rates: found phase 'X', allowed: L, H"),
        ({"to": {"L": {"L": 1}}}, r"estimate\.to\.L: found a rate from a phase to itself"),
        ({"arrival_rates": {"L": 0, "H": 0}}, "leaves no arrival rate above 0"),
        ({"departure_rates": {"L": 0, "H": 0}}, "phase 'L' without a way to the end"),
        ({"learn": "1/1000"}, r"estimate\.learn: found 0\.001"),
    ],
)
def test_bad_estimates_are_refused_in_one_line(given: dict[str, Any], line: str) -> None:
    with pytest.raises(ScenarioError, match=line) as caught:
        estimated(numbers(), RateEstimate.model_validate(given))
    assert "\n" not in caught.value.line


@pytest.mark.parametrize("given", [{}, {"factor": 2, "learn": 5}, {"factor": 0}, {"fator": 2}])
def test_an_estimate_is_made_in_one_way(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        RateEstimate.model_validate(given)


def test_bounds_come_quickly_and_then_with_all() -> None:
    answers = list(all_bounds(scenario_of(GOOD)))
    first, last = answers[0], answers[-1]
    assert (first.configurations, first.solved, first.phi) == (45, False, None)
    # A job of type L spends 15/7 units of time: 5/6 t_L = 1 + t_H / 2 and 2 t_H = 1 + t_L.
    assert first.mean_jobs == pytest.approx(100 * 15 / 7)
    assert last.solved
    assert last.certified
    assert not last.problem
    assert last.nbar == pytest.approx(100 / (last.phi or 0))
    assert sum(last.cases) == 45
    assert last.lemma7 is not None
    assert last.lemma7.holds
    assert last.pools[0].servers == ceil(last.nbar or 0)
    again = pickle.loads(pickle.dumps(last))
    assert isinstance(again, PhasesBounds)
    assert (again.phi, again.exact_phi) == (last.phi, last.exact_phi)


def test_bounds_of_the_golden_scenario_of_fixed_sizes() -> None:
    *_, bounds = bounds_of(PhaseNumbers(golden_model("E"), Fraction(100), 0))
    assert bounds.exact_phi == Fraction(8, 5)
    assert bounds.packing == pytest.approx(0.625)
    assert bounds.nbar == pytest.approx(62.5)
    assert bounds.budget_price is None
    assert [round(one.share, 9) for one in bounds.classes if one.share > 0] == [0.4, 0.4, 0.2]


def test_what_has_no_bounds_says_why() -> None:
    for data, words in ((TRACE, "trace that has not been read"), (SCRIPT, "Nothing arrives but")):
        *_, bounds = all_bounds(scenario_of(data))
        assert words in bounds.problem
        assert not bounds.solved
    tight = {**GOOD, "servers": {"most_jobs": 8, "capacity": {"cpu": "1/2"}}}
    *_, bounds = all_bounds(scenario_of(tight))
    assert "exceeds the budget" in bounds.problem
    large = {**GOOD, "servers": {"most_jobs": 1000, "capacity": {"cpu": 10}}}
    *_, bounds = all_bounds(scenario_of(large))
    assert "501,501 configurations" in bounds.problem


def test_the_command_prints_what_bounds_a_scenario(answer: Any, slotscope: Any, tmp_path: Path) -> None:
    file = tmp_path / "phases.toml"
    file.write_text(tomli_w.dumps(GOOD), "utf-8")
    found = answer("bounds", file)
    *_, bounds = all_bounds(scenario_of(GOOD))
    assert found["programs"]["single-server"]["objective"] == bounds.phi
    assert found["programs"]["single-server"]["exact"] == str(bounds.exact_phi)
    assert found["programs"]["single-server"]["status"] == "optimal"
    assert found["programs"]["servers"]["objective"] == bounds.nbar
    assert found["configurations"] == 45
    assert found["lemma7"]["holds"] is True
    assert found["pools"][0]["servers"] == bounds.pools[0].servers
    said = slotscope("bounds", file).out
    assert "Lemma 7 holds" in said
    assert "45 configurations" in said
    assert "cost 0.05 of a budget of 0.05" in said


def test_the_command_says_why_nothing_bounds_a_scenario(slotscope: Any, tmp_path: Path) -> None:
    file = tmp_path / "phases.toml"
    file.write_text(tomli_w.dumps({**GOOD, "servers": {"most_jobs": 8, "capacity": {"cpu": "1/2"}}}), "utf-8")
    said = slotscope("bounds", file)
    assert said.code == 2
    assert "exceeds the budget" in said.err


def test_scenario_data_of_several_resources_is_planned() -> None:
    *_, bounds = all_bounds(scenario_of(SEVERAL))
    assert bounds.solved
    assert bounds.packing == pytest.approx(1 / (bounds.phi or 0))
