"""Experiments say which curves they plan, in one order, whatever is finished already."""

from __future__ import annotations

from itertools import permutations

import pytest

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
