"""The gap between JRS and its bound as the system grows: Theorem 1 of Hong, Xie & Wang (2023)."""

from __future__ import annotations

from typing import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

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
from slotscope.model.measures.metrics import Estimate, estimate

NAME = "jrs-gap"

#: The scales r, and the length of the runs at each.
SCALES: Mapping[str, tuple[tuple[int, ...], PhaseLength]] = {
    "quick": ((25, 50, 100, 200, 400, 800), PhaseLength(50, 300, 4)),
    "paper": ((25, 50, 100, 200, 400, 800, 1600, 3200), PhaseLength(100, 1000, 10)),
}

#: The exponent is also fitted from this r on, where lower-order terms of the gap matter less.
LARGE = 400

MEASURES = ("active_servers", "cost_rate", "tokens", "virtual_jobs", "backup_jobs")

Key = tuple[str, int]
Cells = Mapping[Key, PhaseRuns]
Value = Callable[[Key, PhaseRuns], Estimate | None]


def parts(scale: str, _options: Options) -> list[Part]:
    """One part for each replication of each job model at each r."""
    return parts_of(_cells(scale))


def _cells(scale: str) -> dict[Key, list[Part]]:
    sizes, length = SCALES[scale]
    return {
        (model, r): phase_runs(at_scale(scenario, r), "jrs", length, f"{model}, r = {r}")
        for model, scenario in MODELS.items()
        for r in sizes
    }


def result(scale: str, _options: Options, outcomes: Outcomes) -> Result:
    """N, C and their components at each r; the gap and its exponent."""
    cells = found_in(_cells(scale), outcomes, PhaseRuns.of)
    rows = [row for key, cell in cells.items() for row in _rows(key, cell)]
    for model in MODELS:
        rows += _exponents(model, cells)
    return Result(NAME, scale, tuple(rows), _figures(scale, cells), NOTES)


def _rows(key: Key, cell: PhaseRuns) -> list[Row]:
    model, r = key
    at: At = {"model": model, "r": r}
    rows = [Row.of(name, cell.measure(name), at) for name in MEASURES]
    gap = scaled(cell.measure("active_servers"), 1.0, less=cell.bound)
    return [
        Row("nbar", cell.bound, at=at),
        *rows,
        Row.of("gap", gap, at),
        Row.of("gap_over_root_r", scaled(gap, r**-0.5), at),
    ]


def _exponents(model: str, cells: Cells) -> Iterator[Row]:
    """The slope of log(N - Nbar) over log r, with an interval from the replications."""
    for name, least in (("gap_exponent", 0), (f"gap_exponent_from_r_{LARGE}", LARGE)):
        gaps = {r: gap for r, gap in _gaps(model, cells).items() if r >= least}
        if len(gaps) >= 2 and len({len(gap) for gap in gaps.values()}) == 1:
            found = exponent(np.array(list(gaps)), np.array(list(gaps.values())))
            yield Row.of(name, found, {"model": model})


def _gaps(model: str, cells: Cells) -> dict[int, NDArray[np.float64]]:
    """For each r that has results, [replications] N - Nbar."""
    return {r: cell.by_run("active_servers") - cell.bound for (name, r), cell in cells.items() if name == model}


def exponent(scales: NDArray[np.int64], gaps: NDArray[np.float64]) -> Estimate:
    """The exponent b of gap = a r^b, by least squares on the logarithms in each replication.

    - *scales*: [n] r.
    - *gaps*: [n, replications]; replications with any gap of at most 0 are left out.
    """
    positive = gaps[:, (gaps > 0).all(axis=0)]
    if not positive.size:
        return Estimate(np.nan, np.nan)
    slopes, _ = np.polyfit(np.log(scales), np.log(positive), 1)
    return estimate(slopes)


def _figures(scale: str, cells: Cells) -> tuple[Figure, ...]:
    length = SCALES[scale][1].text()
    budgets = {model: budget_of(scenario) for model, scenario in MODELS.items()}

    def servers(_key: Key, cell: PhaseRuns) -> Estimate:
        return scaled(cell.measure("active_servers"), 1 / cell.bound)

    def cost(key: Key, cell: PhaseRuns) -> Estimate | None:
        budget = budgets[key[0]]
        return scaled(cell.measure("cost_rate"), 1 / budget) if budget else None

    def gap(key: Key, cell: PhaseRuns) -> Estimate:
        return scaled(cell.measure("active_servers"), key[1] ** -0.5, less=cell.bound)

    def extra(measure: str) -> Value:
        return lambda key, cell: scaled(cell.measure(measure), key[1] ** -0.5)

    over = f"scaling factor r ({length})"
    found = (
        _figure("", "Active servers over their bound", over, "N / N̄", cells, servers, "N̄"),
        _figure("-cost", "Cost rate over its budget", over, "C / ε", cells, cost, "ε"),
        _figure("-root", "Gap to the bound over the square root of r", over, "(N − N̄) / √r", cells, gap),
        _figure("-tokens", "Tokens over the square root of r", over, "tokens / √r", cells, extra("tokens")),
        _figure(
            "-virtual",
            "Virtual jobs over the square root of r",
            over,
            "virtual jobs / √r",
            cells,
            extra("virtual_jobs"),
        ),
        _figure(
            "-backup",
            "Jobs on backup servers over the square root of r",
            over,
            "backup jobs / √r",
            cells,
            extra("backup_jobs"),
        ),
    )
    return tuple(figure for figure in found if figure.curves)


def _figure(ending: str, title: str, x_label: str, y_label: str, cells: Cells, value: Value, level: str = "") -> Figure:
    points = {(key[0], float(key[1])): found for key, cell in cells.items() if (found := value(key, cell)) is not None}
    levels = ((level, 1.0),) if level else ()
    return Figure(
        f"{NAME}{ending}",
        f"JRS: {title}",
        x_label,
        y_label,
        Curve.family(MODELS, points),
        levels,
        logarithmic_x=True,
        planned=tuple(MODELS),
    )


NOTES = (
    "The paper proves bounds and plots nothing: there are no numbers of its own to set beside ours.",
    "Theorem 1: N is at most (1 + O(1/√r)) times its bound N̄, and C at most (1 + O(1/√r)) times its budget. So the "
    "gap over √r should level off, as should virtual and backup jobs. Tokens do from the start; the gap still rises "
    "a little: its exponent is 0.57 to 0.70 over all r, and 0.53 to 0.58 from r = 400 to 3200.",
    "The constants are large: from about 3 (burst, three phases) to 14 (fixed sizes, three pools) "
    "servers for each √r. At r = 100 JRS uses 1.5 to 3 times N̄, mostly on backup servers; at "
    "r = 3200 still 1.1 to 1.5 times. See jrs-peers for what simpler policies need.",
    "C stays below its budget throughout: jobs on backup servers, each alone, cost nothing and "
    "count as servers in the mean.",
    "The plan is this program's own solution of (61). Other optimal solutions of the same program "
    "have other transients, and somewhat other N.",
)
