"""``slotscope bounds`` for moldable jobs: (P) or (Q), Theorem 1, Erlang's formula, the chain."""

from __future__ import annotations

import argparse
from fractions import Fraction
from itertools import pairwise
from typing import Any, Iterator, Mapping, Sequence

from slotscope.model.cli.bounding import LONGEST_FRACTION, Result, bench_of, fields_of, program, program_table, short
from slotscope.model.cli.output import Report, last_of, progress_of, shown, table
from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.programs.bounds import ClassBounds, MoldableBounds, bounds_of, rules_for
from slotscope.model.kinds.moldable.programs.program import ProgramAnswer
from slotscope.model.kinds.moldable.programs.references import PolicyReference
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.policies import is_own
from slotscope.model.policies.choice import policy_choice
from slotscope.model.scenario.load import load_scenario

#: A policy that needs no solution of (P); scenarios without a solution are opened under it.
UNCONDITIONAL = "greedy"


def solved(options: argparse.Namespace) -> Report:
    """Compute what bounds the scenario's jobs."""
    choice = policy_choice(options.policy) if options.policy else load_scenario(options.scenario).policy
    with progress_of(f"bounds {options.scenario}", quiet=options.json):
        bench = bench_of(options, UNCONDITIONAL)
        numbers = bench.numbers
        if numbers.optimum is not None and not is_own(choice.name):
            rules_for(choice, numbers)  # reports what is wrong with the policy
        scenario = bench.scenario.model_copy(update={"policy": choice})
        assert isinstance(scenario, MoldableScenario)
        result = {"scenario": options.scenario, **execute_moldable(scenario, numbers)}
    return Report(result, lambda: _text(result))


def execute_moldable(scenario: MoldableScenario, numbers: MoldableNumbers) -> Result:
    """Everything that bounds the jobs of a scenario, ready for JSON.

    Returns ``programs`` (name -> ``objective``, ``exact``, ``status``, ``solution``): "P" or "Q" from a
    solver, "Theorem 1" in rationals; ``servers``, ``load``, ``mean_time`` (D*), ``slack``,
    ``price`` (of servers), ``unique``, ``classes`` (y*, p*, shares, Theorem 1's ranges, Theorem 2's
    bounds), ``policies`` (Erlang's formula and the exact chain) and ``problem``.  Exact numbers are
    strings such as ``"3/8"``.
    """
    bounds = last_of(bounds_of(scenario, numbers), "Programs solved")
    solution, parts = bounds.solution, ("slack", "price", "unique")
    return {
        "programs": _programs(bounds),
        "servers": bounds.servers,
        "load": _known(bounds.load),
        **fields_of(bounds, "mean_time"),
        **(fields_of(solution, *parts) if solution else dict.fromkeys(parts)),
        "classes": [_class(one) for one in bounds.classes],
        **fields_of(bounds, "poisson", "exponential"),
        "policies": {one.policy: _policy(one) for one in bounds.references},
        "problem": bounds.problem,
    }


def _known(load: Fraction) -> str | None:
    return str(load) if load else None


def _programs(bounds: MoldableBounds) -> Result:
    name = "P" if len(bounds.classes) == 1 else "Q"
    programs: Result = {}
    for place, answer in enumerate(bounds.answers):
        title = name if not place else f"{name} ({answer.solver})"
        programs[title] = _answer(answer, bounds.classes)
    if bounds.mean_time is not None:
        solution = [
            {"class": one.name, "servers": i, "y": str(y), "p": str(p)}
            for one in bounds.classes
            for i, (y, p) in enumerate(zip(one.y, one.p, strict=True), 1)
            if y
        ]
        programs["Theorem 1"] = program(float(bounds.mean_time), "optimal", bounds.mean_time, solution)
    return programs


def _answer(answer: ProgramAnswer, classes: Sequence[ClassBounds]) -> Result:
    solution = [
        {"class": one.name, "servers": i, "y": y}
        for one, jobs in zip(classes, answer.y, strict=False)
        for i, y in enumerate(jobs, 1)
        if y
    ]
    solved = program(answer.objective, f"{answer.status} ({answer.solver})", solution=solution)
    return solved | {"nu": list(answer.nu), "theta_0": answer.servers}


def _class(one: ClassBounds) -> Result:
    speedup = fields_of(one, "name", "speedup")
    found: Result = {**speedup, "load": _known(one.load), "ranges": _ranges(one)}
    if one.optimum is None or one.duals is None:
        return found
    return found | {
        **fields_of(one, "share", "servers"),
        "case": one.optimum.case,
        "widths": list(one.optimum.support),
        "unique": one.optimum.unique,
        **fields_of(one, "y", "p", "mean_time"),
        "nu": str(one.duals.nu),
        "theta_0": str(one.duals.servers),
        "theorem2": None if one.theorem2 is None else fields_of(one.theorem2),
    }


def _ranges(one: ClassBounds) -> list[Result]:
    """The ranges of Theorem 1: intervals of the load, with the widths that jobs use in each."""
    bends = [(str(load), int(1 / jobs)) for load, jobs in one.knots[1:]]
    first, width = bends[0]
    found: list[Result] = [{"from": "0", "to": first, "widths": [width]}]
    for (start, wide), (end, narrow) in pairwise(bends):
        found.append({"from": start, "to": end, "widths": [narrow, wide]})
    return found


def _policy(one: PolicyReference) -> Result:
    erlang = None
    if one.erlang:
        classes = [fields_of(c, "width", "lines", "offered", "blocking") for c in one.erlang]
        erlang = {**fields_of(one, "blocking", "mean_time"), "classes": classes}
    return {
        **fields_of(one, "pools", "common"),
        "erlang": erlang,
        "chain": None if one.chain is None else fields_of(one.chain),
        "note": one.note,
    }


def _text(result: Mapping[str, Any]) -> str:
    load = result["load"]
    lines = [
        f"{result['scenario']}: {result['servers']:,} servers"
        + (f", load {shown(float(Fraction(load)))}" if load else ""),
        *([program_table(result["programs"], "mean time", LONGEST_FRACTION), ""] if result["programs"] else []),
        *_solution_lines(result),
        *_range_lines(result["classes"]),
        *_policy_lines(result),
        *_theorem2_lines(result["classes"]),
        *([result["problem"]] if result["problem"] else []),
    ]
    return "\n".join(lines).rstrip()


def _solution_lines(result: Mapping[str, Any]) -> list[str]:
    if result["mean_time"] is None:
        return []
    classes = {one["name"]: one for one in result["classes"]}
    rows = [
        (
            item["class"],
            str(item["servers"]),
            shown(float(Fraction(item["y"]))),
            short(item["y"]),
            shown(float(Fraction(item["p"]))),
            short(item["p"]),
        )
        for item in result["programs"]["Theorem 1"]["solution"]
    ]
    lines = [table(("class", "servers", "y*", "exact", "p*", "exact"), rows), ""]
    if len(classes) > 1:
        shares = [
            (
                name,
                shown(float(Fraction(one["share"]))),
                short(one["share"]),
                f"{one['servers']:,}",
                shown(float(Fraction(one["mean_time"]))),
            )
            for name, one in classes.items()
        ]
        lines += [
            table(("class", "share b", "exact", "servers", "mean time"), shares),
            f"left over: {short(result['slack'])} of the servers",
            "",
        ]
    if not result["unique"]:
        lines += ["other solutions are as good", ""]
    return lines


def _range_lines(classes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The ranges of Theorem 1, unless they are too many for a screen."""
    rows = [
        (
            one["name"],
            shown(float(Fraction(part["from"]))),
            shown(float(Fraction(part["to"]))),
            " and ".join(map(str, part["widths"])),
        )
        for one in classes
        for part in one["ranges"]
    ]
    if len(rows) > 24:
        return []
    return [table(("class", "loads above", "up to", "run on"), rows), ""]


def _policy_lines(result: Mapping[str, Any]) -> list[str]:
    rows = list(_policy_rows(result["policies"]))
    notes = [f"{name}: {one['note']}" for name, one in result["policies"].items() if one["note"]]
    if not rows:
        return [*notes, ""] if notes else []
    lines = [table(("policy", "by", "blocked", "mean time", "E||x - y*||", "two below i1"), rows, 2)]
    if any(row[1] == "chain" for row in rows) and not result["exponential"]:
        lines.append("the chains are for exponential sizes, which these are not")
    return [*lines, *notes, ""]


def _policy_rows(policies: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, one in policies.items():
        if one["erlang"]:
            found = one["erlang"]
            yield name, "Erlang B", shown(found["blocking"]), shown(found["mean_time"]), "-", "-"
        if one["chain"]:
            found = one["chain"]
            yield (
                name,
                "chain",
                shown(found["blocking"]),
                shown(found["mean_time"]),
                shown(found["distance"]),
                ", ".join(map(shown, found["narrow"])) or "-",
            )


def _theorem2_lines(classes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in classes:
        found = one.get("theorem2")
        if found is None:
            continue
        said = [f"Theorem 2 bounds E||x - y*|| by {shown(found['distance'])}"]
        if found["blocking"] < 1:
            said.append(f"the blocking by {shown(found['blocking'])}")
        if found["time"] is not None:
            said.append(f"|E[D] - D*| by {shown(found['time'])} mean sizes")
        name = f"{one['name']}: " if len(classes) > 1 else ""
        doubt = "" if found["proved"] else " (as printed; its proof does not hold for two widths)"
        yield f"{name}{', '.join(said)}{doubt}"
