"""Experiments announce the curves they plan, in the same order whatever parts are finished."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.kinds.moldable.experiments import moldable_runs, moldable_table1
from slotscope.model.kinds.phases.experiments import jrs_misestimation, jrs_peers
from slotscope.model.kinds.phases.experiments.phase_runs import MODELS, budget_of
from slotscope.model.kinds.reservation.experiments import dra_collections
from slotscope.model.lab import experiment_module, experiments
from slotscope.model.lab.parts import Part
from slotscope.model.lab.plan import NO_OPTIONS
from slotscope.model.lab.sweep import Sweep, axis
from slotscope.model.scenario.load import load_scenario


@pytest.mark.parametrize("first", range(4))
def test_a_sweep_s_curves_are_planned_from_its_points(first: int) -> None:
    plan = Sweep(
        "sweep", load_scenario("dra-classroom"), (axis("servers.count=6,7"),), ("dra", "first-fit"), 1, 1, 20.0
    )
    parts = plan.parts("", NO_OPTIONS)
    outcome = {"metrics": {plan.shown.name: 1.0}, "path": []}
    outcomes = {}
    for place in list(permutations(range(len(parts))))[5 * first]:
        outcomes[parts[place]] = outcome
        (figure,) = plan.result("", NO_OPTIONS, outcomes).figures
        assert figure.planned == ("policy = dra", "policy = first-fit")
        assert {curve.name for curve in figure.curves} <= set(figure.planned)
        assert figure.names == figure.planned


def test_points_over_the_budget_are_crossed_out_in_the_pictures_of_the_peers() -> None:
    """First fit spends 3 times the budget at r = 25 only; JRS spends exactly the budget, which is not over it."""
    spends = {"first fit": {25: 3.0}, "JRS": {100: 1.0}}
    budget = budget_of(MODELS["two phases"])
    assert budget is not None
    outcomes = {}
    for (model, name, r), several in jrs_peers._cells("quick", NO_OPTIONS).items():
        if model == "two phases":
            cost = budget * spends.get(name, {}).get(r, 0.5)
            outcome = {
                "batches": {"active_servers": [2.0 * r, 2.0 * r], "cost_rate": [cost, cost]},
                "plan": {"nbar": float(r), "servers": r},
            }
            outcomes |= dict.fromkeys(several, outcome)
    result = jrs_peers.result("quick", NO_OPTIONS, outcomes)
    servers, cost = result.figures
    assert servers.crossed_points == ((25.0, 2.0),)
    assert cost.crossed_points == ((25.0, 3.0 * budget),)
    assert {figure.crossed_out for figure in result.figures} == {"over the budget"}
    over = {(row.at["policy"], row.at["r"]) for row in result.rows if row.at["budget"] == "over"}
    assert over == {("first fit", 25)}


@pytest.mark.parametrize("name", experiments())
def test_every_figure_of_every_experiment_is_planned(name: str) -> None:
    """Checked in the source: some experiments need a trace, and all curves would take hours."""
    spec = find_spec(experiments()[name].module.partition(":")[0])
    assert spec is not None
    assert spec.origin is not None
    source = ast.parse(Path(spec.origin).read_text("utf-8"))
    called = [node for node in ast.walk(source) if isinstance(node, ast.Call)]
    calls = [call for call in called if getattr(call.func, "id", "") == "Figure"]
    assert calls, "no figure is made here"
    for call in calls:
        assert "planned" in {word.arg for word in call.keywords}, f"line {call.lineno}"


def outcome_of(part: Part) -> Any:
    """A possible outcome of a part, in the form that its work returns."""
    if part.work == dra_collections.__name__:
        return ["1/2"] * dra_collections.COLLECTIONS
    if part.work == moldable_runs.WORK:
        names = (*moldable_runs.EXECUTION_TIMES, "blocking_probability")
        return [dict.fromkeys(names, 0.5) for _ in part.settings["arrivals"]]
    names = ("active_servers", "cost_rate", "virtual_jobs", "backup_jobs")
    return {"batches": {name: [1.0, 1.0] for name in names}, "plan": {"nbar": 1.0, "servers": 1}}


@pytest.mark.parametrize("module", [dra_collections, jrs_misestimation, moldable_table1])
def test_the_order_is_that_of_the_plan_whichever_part_is_first(module: Any) -> None:
    plan = experiment_module(module.NAME)
    parts = plan.parts("quick", NO_OPTIONS)
    whole = {part: outcome_of(part) for part in parts}
    order = {
        figure.name: tuple(curve.name for curve in figure.curves)
        for figure in plan.result("quick", NO_OPTIONS, whole).figures
    }
    assert max(map(len, order.values())) > 1
    for half in (parts[::2], parts[-len(parts) // 3 :], parts[-1:], parts):
        some = plan.result("quick", NO_OPTIONS, {part: whole[part] for part in half})
        for figure in some.figures:
            assert figure.planned == figure.names == order[figure.name]
