"""The supportable workload: the bounds and limits of Psychas & Ghaderi (2019) in one table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Iterator, Mapping

from slotscope.model.kinds.queue.experiments import queue_runs
from slotscope.model.kinds.queue.experiments.queue_runs import QueueLength, QueueRuns
from slotscope.model.kinds.queue.programs.bounds import QueueBounds, all_bounds
from slotscope.model.kinds.queue.programs.reduced import worst_queue
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import Options, Outcomes, finished, parts_of
from slotscope.model.lab.results import At, Curve, Figure, Result, Row
from slotscope.model.measures.metrics import Estimate
from slotscope.model.scenario.load import as_data, edited, load_scenario
from slotscope.model.scenario.validation import validated

NAME = "queues-limits"

#: The distribution of the closed form for Theorem 1, on one server.
UNIFORM = "uniform on (0, 1]"

#: The systems whose limits are computed, and their rho* if the paper gives it.
SYSTEMS: Mapping[str, float | None] = {
    "queues-vqs-unstable": 2.0,
    "queues-bf-unstable": None,
    UNIFORM: None,
    "queues-small-jobs": None,
    "queues-wide-jobs": None,
}

#: The values of J for which Proposition 1 is evaluated, and its guarantee, which the paper calls tight.
DEPTHS, GUARANTEE = (2, 3, 4, 5), 2 / 3

#: The scenario in which the limits of two policies are measured, and the intensities.
MEASURED_ON = "queues-wide-jobs"
INTENSITIES: Mapping[str, tuple[str, ...]] = {
    "vqs": ("0.78", "0.80", "0.81", "0.82", "0.83", "0.85"),
    "vqs-bf": ("0.86", "0.88", "0.90", "0.91", "0.92", "0.94"),
}
TITLES: Mapping[str, str] = {"vqs": "VQS", "vqs-bf": "VQS-BF"}

SCALES: Mapping[str, QueueLength] = {"quick": QueueLength(5_000_000, 4), "paper": QueueLength(20_000_000, 16)}

#: The approximate cost of the programs, in the unit of runs: slots times jobs per slot.
_PROGRAMS = 1e6

NOTES = (
    "Workloads are numbers of jobs in service. rho* is program (4), solved exactly; Theorem 1 bounds it where sizes "
    "are continuous, with m cells of equal probability. For sizes uniform on (0, 1] its bounds are 2m/(m + 1) and "
    "2m/(m - 1) per server. Cuts at the ends of the support bring the bounds of other distributions closer.",
    "What K_RED supports is guaranteed to VQS and VQS-BF; where a server may take more jobs than "
    "its configuration counts, they support more.",
    "Proposition 1: the heaviest configuration of K_RED weighs at least 2/3 of the heaviest one, "
    "whatever the queue. The least ratio is found by a program for each J.",
    f"Limits in Figure 4 b ({MEASURED_ON}) are measured: a test for growth finds the queue stable "
    "at one intensity and unstable at another. Between the two it decides nothing.",
)


def parts(scale: str, _options: Options) -> list[Part]:
    """One part for the programs of each system, one for Proposition 1, and one for each run."""
    programs = [Part.of(__name__, 0, {"system": name}, f"limits of {name}", _PROGRAMS) for name in SYSTEMS]
    return [*programs, _proposition(), *parts_of(_runs(scale))]


def _proposition() -> Part:
    return Part.of(__name__, 0, {"depths": list(DEPTHS)}, "Proposition 1", _PROGRAMS)


def _runs(scale: str) -> dict[tuple[str, str], list[Part]]:
    scenario = load_scenario(MEASURED_ON)
    cells = {}
    for policy, intensities in INTENSITIES.items():
        for alpha in intensities:
            dense = edited(scenario, {"workload": {"kind": "poisson", "intensity": alpha}})
            cells[policy, alpha] = queue_runs.queue_runs(
                dense, policy, SCALES[scale], f"{TITLES[policy]}, alpha = {alpha}"
            )
    return cells


def carry_out(part: Part) -> Outcome:
    """The results of the programs: each with ``what``, ``value`` (a rational), ``at``, ``paper``."""
    settings = part.settings
    if "depths" in settings:
        return [
            _number("proposition_1_ratio", worst_queue(depth).ratio, {"J": depth}, GUARANTEE)
            for depth in settings["depths"]
        ]
    name = settings["system"]
    *_, bounds = all_bounds(_scenario(name))
    return list(_limits(bounds, {"system": name}, SYSTEMS[name]))


def _scenario(name: str) -> QueueScenario:
    if name != UNIFORM:
        return validated(QueueScenario, as_data(load_scenario(name)))
    data = as_data(load_scenario(MEASURED_ON))
    size = {"distribution": "uniform", "low": 0, "high": 1}
    changes = {"servers": data["servers"] | {"count": 1}, "jobs": [job | {"size": size} for job in data["jobs"]]}
    return validated(QueueScenario, data | changes)


def _number(what: str, value: Fraction, at: Mapping[str, str | int], paper: float | None = None) -> dict[str, Any]:
    return {"what": what, "value": str(value), "at": dict(at), "paper": paper}


def _limits(bounds: QueueBounds, at: Mapping[str, str | int], paper: float | None) -> Iterator[dict[str, Any]]:
    if bounds.supportable is not None:
        yield _number("supportable_workload", bounds.supportable.value, at, paper)
    if bounds.mean_bound is not None:
        yield _number("servers_over_mean_size", bounds.mean_bound, at)
    refined = [(row, "") for row in bounds.theorem1]
    if bounds.trimmed is not None:
        refined.append((bounds.trimmed, "_cut_at_the_ends"))
    for row, ending in refined:
        cells = {**at, "cells": 2 ** (row.level + 1)}
        yield _number(f"theorem_1_lower{ending}", row.lower, cells)
        if row.upper is not None:
            yield _number(f"theorem_1_upper{ending}", row.upper, cells)
    if bounds.reduced is not None and at["system"] != UNIFORM:  # whose jobs are of any size: no J
        yield _number("reduced_workload", bounds.reduced.value, {**at, "J": bounds.depth})
    for limit in bounds.fluid:
        policy = {**at, "policy": ", ".join(limit.policies)}
        yield _number("fluid_growth_per_slot", limit.slope, policy)
        if limit.limit is not None:
            yield _number("largest_arrival_rate", limit.limit, policy)


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """The table, and the growth from which the measured limits are derived."""
    programs = [part for part in parts(scale, options) if part.work == __name__]
    rows = [
        Row(item["what"], float(Fraction(item["value"])), paper=item["paper"], at=item["at"], exact=item["value"])
        for numbers in finished(programs, outcomes)
        for item in numbers
    ]
    cells = {
        (policy, float(alpha)): QueueRuns.of(done, SCALES[scale].slots)
        for (policy, alpha), several in _runs(scale).items()
        if (done := finished(several, outcomes))
    }
    rows += [row for policy in TITLES for row in _measured(policy, cells)]
    return Result(NAME, scale, tuple(rows), (_figure(scale, cells),), NOTES)


def _measured(policy: str, cells: Mapping[tuple[str, float], QueueRuns]) -> list[Row]:
    """Rows of the measured growth, and of the two intensities between which the limit lies."""
    at: At = {"system": MEASURED_ON, "policy": TITLES[policy]}
    verdicts, rows = {}, []
    for (name, alpha), cell in cells.items():
        if name == policy:
            verdicts[alpha] = cell.growth.verdict
            rows.append(cell.rows({**at, "alpha": alpha})[0])
    stable = [alpha for alpha, verdict in verdicts.items() if verdict == "stable"]
    unstable = [alpha for alpha, verdict in verdicts.items() if verdict == "unstable"]
    if stable:
        rows.append(Row("stable_up_to_intensity", max(stable), float("nan"), at=at))
    if unstable:
        rows.append(Row("unstable_from_intensity", min(unstable), float("nan"), at=at))
    return rows


def _figure(scale: str, cells: Mapping[tuple[str, float], QueueRuns]) -> Figure:
    points = {
        (TITLES[policy], alpha): Estimate(cell.growth.slope, cell.growth.half_width)
        for (policy, alpha), cell in cells.items()
    }
    return Figure(
        name=NAME,
        title="Growth about the limits, sizes uniform from 0.1 to 0.9",
        x_label=f"traffic intensity α ({SCALES[scale].text()})",
        y_label="jobs per slot",
        curves=Curve.family(TITLES.values(), points),
        levels=(("no growth", 0.0),),
        planned=tuple(TITLES.values()),
    )
