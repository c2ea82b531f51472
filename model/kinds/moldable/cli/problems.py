"""``slotscope bounds`` for a file of problems (P) and (Q), as exact numbers.

Such a file is a JSON object with the keys ``P`` and ``Q``, or one of them.  A problem (P) has
``speedup`` (a list, a law, or a name of :data:`PAPER`) and ``lam``; a problem (Q) has ``lams``,
``mus_rate`` and ``speedups``.  Other keys, such as the solution, are ignored.
"""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from typing import Any, Mapping, Sequence

from slotscope.model.cli.bounding import Result, short
from slotscope.model.cli.output import Report, shown, table
from slotscope.model.errors import ScenarioError
from slotscope.model.exact import rational
from slotscope.model.kinds.moldable.programs.classes import class_optimum
from slotscope.model.kinds.moldable.programs.program import ProgramAnswer, available_solvers, solve
from slotscope.model.kinds.moldable.programs.theorem1 import optimum
from slotscope.model.kinds.moldable.scenario.speedup import Speedup, factors_of
from slotscope.model.scenario.fields import Section
from slotscope.model.scenario.files import find_scenario
from slotscope.model.scenario.load import read_text
from slotscope.model.scenario.plain import an_object, required
from slotscope.model.scenario.validation import shown as quoted
from slotscope.model.scenario.validation import validated

#: The two speed-ups of Ghanbarian et al. (2025), Section 7, by name.
PAPER: Mapping[str, tuple[str, ...]] = {"linear": ("1", "2", "3", "4", "5"), "sub": ("1", "1.8", "2.5", "3", "3.4")}

#: Largest number of problems of each kind in a file.
MOST_PROBLEMS = 1000


class _Problem(Section):
    speedup: Speedup


def problems_in(scenario: str) -> Mapping[str, Any] | None:
    """The data of a file of problems; None if *scenario* is anything else."""
    path = find_scenario(scenario)
    if path.suffix.lower() != ".json":
        return None
    try:
        data = json.loads(read_text(path))
    except (ValueError, RecursionError):
        return None  # reading it as a scenario reports what is wrong
    if isinstance(data, dict) and ("P" in data or "Q" in data) and "events" not in data:
        return data
    return None


def solved(options: argparse.Namespace, data: Mapping[str, Any]) -> Report:
    """Solve every problem of the file."""
    try:
        programs = solve_problems(data)
    except ScenarioError as error:
        raise error.inside(options.scenario) from None
    return Report({"scenario": options.scenario, "programs": programs}, lambda: _text(options.scenario, programs))


def _text(scenario: str, programs: Result) -> str:
    rows = [
        (name, shown(item["objective"]), short(item["exact"]), _solution(item), item["status"])
        for name, item in programs.items()
    ]
    header = ("program", "mean time", "exact", "solution", "status")
    return f"{scenario}: {len(programs)} problems\n{table(header, rows)}"


def solve_problems(data: Mapping[str, Any]) -> Result:
    """Solve every problem of a file; their names are P1, P2, ... and Q1, Q2, ...

    Returns name -> ``objective``, ``exact``, ``status``, ``solution``, and the objective of each solver; a (P) also has
    ``load``, ``y``, ``p``, ``D``, ``case`` and ``unique``, a (Q) ``b``, ``y``, ``p``, ``slack`` and
    ``unique``, unless it has no solution.

    Raises ScenarioError if a part is missing or wrong.
    """
    found: Result = {}
    for key, solve_one in (("P", _single), ("Q", _several)):
        problems = data.get(key, [])
        if not isinstance(problems, list) or len(problems) > MOST_PROBLEMS:
            raise ScenarioError(
                f"found {quoted(problems)}, allowed: a list of at most {MOST_PROBLEMS} problems", where=key
            )
        for number, problem in enumerate(problems):
            where = f"{key}[{number}]"
            given = an_object(problem, where)
            try:
                found[f"{key}{number + 1}"] = solve_one(given)
            except ScenarioError as error:
                place = f"{where}.{error.where}" if error.where else where
                raise ScenarioError(error.message, where=place) from None
    if not found:
        raise ScenarioError("found no problem, allowed: at least one under P or Q")
    return found


def _single(problem: Mapping[str, Any]) -> Result:
    speedup = _speedup(required(problem, "speedup"), "speedup")
    load = _number(required(problem, "lam"), "lam")
    best = optimum(speedup, load)
    answers = _answers([load], [load], [speedup])
    if best is None:
        return _without_solution(answers)
    y = [str(share) for share in best.y]
    return {
        "objective": float(best.mean_time),
        "exact": str(best.mean_time),
        "status": f"optimal ({best.case})",
        "solution": [{"servers": i, "y": y[i - 1]} for i in best.support],
        "load": str(load),
        "y": y,
        "p": [str(share) for share in best.p],
        "D": str(best.mean_time),
        "case": best.case,
        "unique": best.unique,
        **answers,
    }


def _several(problem: Mapping[str, Any]) -> Result:
    names = ("lams", "mus_rate", "speedups")
    parts = [_list(required(problem, name), name) for name in names]
    if len({len(part) for part in parts}) > 1:
        sizes = ", ".join(str(len(part)) for part in parts)
        raise ScenarioError(f"found {sizes} entries in {', '.join(names)}, allowed: as many in each")
    lams, rates = (
        [_number(item, f"{name}[{place}]") for place, item in enumerate(part)]
        for name, part in zip(names, parts[:2], strict=False)
    )
    speedups = [_speedup(item, f"speedups[{j}]") for j, item in enumerate(parts[2])]
    best = class_optimum(lams, rates, speedups)
    loads = [lam / rate for lam, rate in zip(lams, rates, strict=True)]
    answers = _answers(lams, loads, speedups)
    if best is None:
        return _without_solution(answers)
    return {
        "objective": float(best.objective),
        "exact": str(best.objective),
        "status": "optimal",
        "solution": [
            {"class": j, "servers": i, "y": str(one.y[i - 1])}
            for j, one in enumerate(best.classes, 1)
            for i in one.support
        ],
        "b": [str(share) for share in best.shares],
        "y": [[str(share) for share in one.y] for one in best.classes],
        "p": [[str(share) for share in one.p] for one in best.classes],
        "slack": str(best.slack),
        "unique": best.unique,
        **answers,
    }


def _answers(
    rates: Sequence[Fraction], loads: Sequence[Fraction], speedups: Sequence[Sequence[Fraction]]
) -> dict[str, float | None]:
    answers: list[ProgramAnswer] = [solve(rates, loads, speedups, s) for s in available_solvers()]
    return {answer.solver: answer.objective for answer in answers}


def _without_solution(answers: Mapping[str, float | None]) -> Result:
    status = "infeasible: the load is above 1 (Proposition 1)"
    return {"objective": None, "exact": None, "status": status, "solution": [], **answers}


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise ScenarioError(f"found {quoted(value)}, allowed: a list", where=where)
    return value


def _number(value: Any, where: str) -> Fraction:
    try:
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise ValueError
        found = rational(value)
    except ValueError:
        found = Fraction(0)
    if found <= 0:
        raise ScenarioError(f"found {quoted(value)}, allowed: a number above 0", where=where)
    return found


def _speedup(value: Any, where: str) -> tuple[Fraction, ...]:
    if isinstance(value, str):
        if value not in PAPER:
            raise ScenarioError(f"found {quoted(value)}, allowed: {', '.join(PAPER)}, a list or a law", where=where)
        value = list(PAPER[value])
    try:
        return factors_of(validated(_Problem, {"speedup": value}).speedup)
    except ScenarioError as error:
        raise ScenarioError(error.message, where=where) from None


def _solution(item: Mapping[str, Any]) -> str:
    """y* in one line, by class and width."""
    return (
        ", ".join(
            "y_"
            + "".join([str(part["servers"]), *([f",{part['class']}"] if "class" in part else [])])
            + f" = {short(part['y'])}"
            for part in item["solution"]
        )
        or "-"
    )
