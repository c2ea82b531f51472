"""JRS with plans made from wrong rates: Appendix D of Hong, Xie & Wang (2023)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Mapping

from slotscope.model.kinds.phases.experiments.phase_runs import (
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
from slotscope.model.scenario.load import as_data, edited, load_scenario

NAME = "jrs-misestimation"

SCALES: Mapping[str, tuple[int, PhaseLength]] = {
    "quick": (100, PhaseLength(50, 300, 4)),
    "paper": (400, PhaseLength(100, 1000, 10)),
}

MODELS: Mapping[str, str] = {"two phases": "jrs-two-phases", "three phases": "jrs-three-phases"}

#: The planned rates, relative to the true ones.
FACTORS = ("4/5", "9/10", "19/20", "1", "21/20", "11/10", "6/5")

#: Units of time during which rates are estimated from the run's own jobs.
LEARNED = (1, 5, 25)

#: The sorts of rates that are wrong.
WRONG = ("arrival_rates", "departure_rates")

Key = tuple[str, str, str]


def parts(scale: str, _options: Options) -> list[Part]:
    """One part for each replication of each wrong plan for each job model."""
    return parts_of(_cells(scale))


def _cells(scale: str) -> dict[Key, list[Part]]:
    r, length = SCALES[scale]
    found: dict[Key, list[Part]] = {}
    for model, name in MODELS.items():
        for rates in WRONG:
            for factor in FACTORS:
                found[model, rates, factor] = _runs(
                    name, r, _wrong(name, rates, Fraction(factor)), length, f"{model}, {rates} times {factor}"
                )
        for time in LEARNED:
            found[model, "learned", str(time)] = _runs(name, r, {"learn": time}, length, f"{model}, learned in {time}")
    return found


def _runs(name: str, r: int, estimate: Mapping[str, Any], length: PhaseLength, label: str) -> list[Part]:
    policy = {"name": "jrs", "parameters": {"estimate": estimate}}
    return phase_runs(edited(at_scale(name, r), {"policy": policy}), None, length, label)


def _wrong(name: str, rates: str, factor: Fraction) -> dict[str, Any]:
    """The estimate in which all rates of one sort are *factor* times the true ones."""
    field = rates.removesuffix("s")
    phases = as_data(load_scenario(name))["phases"]
    true = {phase["name"]: Fraction(str(phase.get(field, 0))) for phase in phases}
    return {rates: {phase: str(rate * factor) for phase, rate in true.items()}}


def result(scale: str, _options: Options, outcomes: Outcomes) -> Result:
    """N and C of each plan on the true system, with the bound of the true rates."""
    cells = found_in(_cells(scale), outcomes, PhaseRuns.of)
    rows = [row for key, cell in cells.items() for row in _rows(key, cell)]
    figures = [figure for model in MODELS for figure in _figures(scale, model, cells)]
    return Result(NAME, scale, tuple(rows), tuple(figures), NOTES)


def _rows(key: Key, cell: PhaseRuns) -> list[Row]:
    model, rates, value = key
    at: At = {"model": model, "rates": rates, "value": value}
    names = ("active_servers", "cost_rate", "virtual_jobs", "backup_jobs")
    return [Row("planned_nbar", cell.bound, at=at), *(Row.of(name, cell.measure(name), at) for name in names)]


def _figures(scale: str, model: str, cells: Mapping[Key, PhaseRuns]) -> list[Figure]:
    true = {cell.nbar for (name, _, value), cell in cells.items() if name == model and value == "1"}
    budget = budget_of(MODELS[model])
    if not true or budget is None:
        return []
    nbar = float(true.pop() or 1.0)
    servers: dict[str, dict[float, Estimate]] = {rates: {} for rates in WRONG}
    cost: dict[str, dict[float, Estimate]] = {rates: {} for rates in WRONG}
    for (name, rates, value), cell in cells.items():
        if name == model and rates in WRONG:
            place = float(Fraction(value))
            servers[rates][place] = scaled(cell.measure("active_servers"), 1 / nbar)
            cost[rates][place] = scaled(cell.measure("cost_rate"), 1 / budget)
    r, length = SCALES[scale]
    planned = tuple(map(_named, WRONG))
    ending = MODELS[model].removeprefix("jrs-")
    x_label = f"planned rate over true rate (r = {r}, {length.text()})"
    title = f"{model.capitalize()}: planned with wrong rates"
    return [
        Figure(
            f"{NAME}-{ending}",
            f"{title}, active servers",
            x_label,
            "N / N̄",
            _curves(servers),
            (("N̄ of the true rates", 1.0),),
            planned=planned,
        ),
        Figure(
            f"{NAME}-{ending}-cost",
            f"{title}, cost rate",
            x_label,
            "C / ε",
            _curves(cost),
            (("ε", 1.0),),
            planned=planned,
        ),
    ]


def _curves(points: Mapping[str, Mapping[float, Estimate]]) -> tuple[Curve, ...]:
    return tuple(Curve.through(_named(rates), found) for rates, found in points.items() if found)


def _named(rates: str) -> str:
    """The name of the curve of wrong *rates*."""
    return rates.replace("_", " ")


NOTES = (
    "Appendix D: rates within δ of the true ones cost at most a factor of 1 + O(δ) in N and in C, and JRS has that "
    "much left here: C stays below its budget for every plan. The paper gives no numbers.",
    "Planned arrival rates that are too low leave too few normal servers, and jobs overflow: with two phases and "
    "rates a fifth too low N is 14 % higher. Departure rates that are too high do the same.",
    "Rates that are wrong the other way save servers at this r, against what one expects: a fifth "
    "too many jobs planned, and N is 10 % lower with two phases. More normal servers ask for more "
    "jobs than arrive: virtual jobs fill what is left, and fewer real ones go to backup servers.",
    "“Learned” plans with rates counted in the first units of time of the run's own jobs. After "
    "one unit of time from an empty start few departures have been seen, and the plan can be "
    "far off; after 25 it is as good as the true one within the intervals.",
)
