"""Experiments say which curves they plan, in one order, whatever is finished already."""

from __future__ import annotations

from itertools import permutations

import pytest

from model.lab import jrs_peers
from model.lab.phase_runs import MODELS, budget_of
from model.lab.plan import NO_OPTIONS
from model.lab.sweep import Sweep, axis
from model.scenario.load import load_scenario


@pytest.mark.parametrize("first", range(4))
def test_a_sweep_s_curves_are_planned_from_its_points(first: int) -> None:
    plan = Sweep("sweep", load_scenario("dra-classroom"), (axis("servers.count=6,7"),),
                 ("dra", "first-fit"), 1, 1, 20.0)  # fmt: skip
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
    """First fit spends 3 times the budget at r = 25 only; JRS touches it, which is not over."""
    spends = {"first fit": {25: 3.0}, "JRS": {100: 1.0}}
    budget = budget_of(MODELS["two phases"])
    assert budget is not None
    outcomes = {}
    for (model, name, r), several in jrs_peers._cells("quick").items():
        if model == "two phases":
            cost = budget * spends.get(name, {}).get(r, 0.5)
            outcome = {"batches": {"active_servers": [2.0 * r, 2.0 * r], "cost_rate": [cost, cost]},
                       "plan": {"nbar": float(r), "servers": r}}  # fmt: skip
            outcomes |= dict.fromkeys(several, outcome)
    result = jrs_peers.result("quick", NO_OPTIONS, outcomes)
    servers, cost = result.figures
    assert servers.crossed_points == ((25.0, 2.0),)
    assert cost.crossed_points == ((25.0, 3.0 * budget),)
    assert {figure.crossed_out for figure in result.figures} == {"over the budget"}
    over = {(row.at["policy"], row.at["r"]) for row in result.rows if row.at["budget"] == "over"}
    assert over == {("first fit", 25)}
