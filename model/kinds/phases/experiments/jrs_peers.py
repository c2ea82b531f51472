"""JRS and simpler policies on the same jobs: the servers they need, and whether the budget holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Mapping

from slotscope.model.kinds.phases.experiments.phase_runs import (
    MODELS,
    PhaseLength,
    PhaseRuns,
    at_scale,
    budget_of,
    phase_runs,
    scaled,
)
from slotscope.model.lab.parts import Part
from slotscope.model.lab.plan import Options, Outcomes, found_in, parts_of
from slotscope.model.lab.results import At, Curve, Figure, Result, Row
from slotscope.model.measures.metrics import Estimate

NAME = "jrs-peers"

SCALES: Mapping[str, tuple[tuple[int, ...], PhaseLength]] = {
    "quick": ((25, 100, 400, 1600), PhaseLength(50, 100, 4)),
    "paper": ((25, 50, 100, 200, 400, 800, 1600), PhaseLength(100, 1000, 8)),
}

#: Policies by their names in figures.
POLICIES: Mapping[str, str] = {
    "JRS": "jrs",
    "JRS, recovery": "jrs:recovery_rate=10",
    "first fit": "first-fit",
    "first fit, peak": "first-fit:fits=peak",
    "first fit, 80 %": "first-fit:factor=4/5",
    "best fit": "best-fit",
    "GRAND": "grand",
    "GRAND, peak": "grand:fits=peak",
    "power of 2": "power-of-d",
}

#: If jobs do not change phases, peak and present demand are the same.
_PEAK = frozenset({"first fit, peak", "GRAND, peak"})

#: The label of points that are crossed out.
OVER = "over the budget"

Key = tuple[str, str, int]


def parts(scale: str, options: Options) -> list[Part]:
    """One part for each replication of each policy at each r for each job model."""
    return parts_of(_cells(scale, options))


def _cells(scale: str, options: Options) -> dict[Key, list[Part]]:
    sizes, length = SCALES[scale]
    return {
        (model, name, r): phase_runs(at_scale(scenario, r), policy, length, f"{model}, {name}, r = {r}")
        for model, scenario in MODELS.items()
        for name, policy in options.beside(POLICIES).items()
        for r in sizes
        if model != "fixed sizes" or name not in _PEAK
    }


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """N and C of every policy at each r."""
    cells, names = found_in(_cells(scale, options), outcomes, PhaseRuns.of), tuple(options.beside(POLICIES))
    rows = [row for key, cell in cells.items() for row in _rows(key, cell)]
    figures = tuple(figure for model in MODELS for figure in _figures(scale, model, names, cells))
    return Result(NAME, scale, tuple(rows), figures, NOTES)


def _rows(key: Key, cell: PhaseRuns) -> list[Row]:
    model, policy, r = key
    servers, cost = cell.measure("active_servers"), cell.measure("cost_rate")
    at: At = {"model": model, "policy": policy, "r": r, "budget": _kept(model, cost)}
    return [Row.of("active_servers", servers, at), Row.of("cost_rate", cost, at)]


def _kept(model: str, cost: Estimate) -> str:
    """Whether the budget holds: "within", "over", or "about" if the interval contains the budget."""
    budget = budget_of(MODELS[model])
    if budget is None:
        return "no cost"
    if cost.mean + cost.half_width <= budget:
        return "within"
    return "over" if cost.mean - cost.half_width > budget else "about"


def _crossed(model: str, drawn: Curve, spent: Mapping[float, Estimate]) -> Curve:
    """*drawn* with the points crossed out at whose r the cost *spent* is over the budget."""
    return replace(drawn, crossed=tuple(_kept(model, spent[r]) == "over" for r in drawn.x))


def _figures(scale: str, model: str, names: tuple[str, ...], cells: Mapping[Key, PhaseRuns]) -> list[Figure]:
    servers, cost = _curves(model, names, cells)
    if not servers:
        return []
    name, x_label = f"{NAME}-{MODELS[model].removeprefix('jrs-')}", f"scaling factor r ({SCALES[scale][1].text()})"

    def figure(name: str, of: str, y_label: str, curves: list[Curve], level: tuple[str, float]) -> Figure:
        return Figure(
            name,
            f"{model.capitalize()}: {of}",
            x_label,
            y_label,
            tuple(curves),
            (level,),
            logarithmic_x=True,
            planned=names,
            crossed_out=OVER,
        )

    found = [figure(name, "active servers over their bound", "N / N̄", servers, ("N̄", 1.0))]
    budget = budget_of(MODELS[model])
    if budget is not None:
        found.append(figure(f"{name}-cost", "cost rate", "C", cost, ("ε", budget)))
    return found


def _curves(model: str, names: tuple[str, ...], cells: Mapping[Key, PhaseRuns]) -> tuple[list[Curve], list[Curve]]:
    """Active servers over their bound, and cost rates, of each policy at each r whose bound is known."""
    nbar = {
        r: cell.nbar for (name, policy, r), cell in cells.items() if name == model and policy == "JRS" and cell.nbar
    }
    servers, cost = [], []
    for policy in names:
        mine = {r: cell for (name, of, r), cell in cells.items() if (name, of) == (model, policy)}
        over = {float(r): scaled(cell.measure("active_servers"), 1 / nbar[r]) for r, cell in mine.items() if r in nbar}
        spent = {float(r): cell.measure("cost_rate") for r, cell in mine.items()}
        if over:
            servers.append(_crossed(model, Curve.through(policy, over), spent))
            cost.append(_crossed(model, Curve.through(policy, spent), spent))
    return servers, cost


NOTES = (
    "JRS is optimal as r grows, with no number of the paper's beside it. At these r it needs more servers than first "
    "fit and best fit on what jobs need now: 2.7 times as many with two phases at r = 100, 1.6 times at r = 1600.",
    "Those two keep no promise: with burst and with three phases they spend up to three times the "
    "budget, and use fewer servers than any policy within it; with two phases they come close to "
    "it as r grows. JRS is within it everywhere.",
    "Filling servers to 80 % only is within the budget with two phases and burst and needs fewer "
    "servers than JRS there up to r = 1600; with three phases it breaks the budget from r = 400 "
    "on. Whoever chooses the share must know which; JRS plans it.",
    "What keeps the budget at any r, peak demands and GRAND on what jobs need now, needs fewer servers than JRS at r "
    "= 100 (peak demands with three phases excepted). At r = 1600 JRS is ahead of all of that but where sizes are "
    "fixed: there first fit and best fit are within 10 % of N̄, and JRS is at 1.6 times N̄.",
    "All policies of a model meet the same jobs with the same paths through their phases.",
    "“Peak” counts each job with the most that it may ever need; “80 %” uses that share of the capacity; “recovery” "
    "lets JRS ask at rate 10 also where its plan asks for nothing, which Theorem 3 allows: it saves up to a third.",
)
