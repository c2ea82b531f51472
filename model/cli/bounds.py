"""``slotscope bounds``: the linear programs and closed forms of a scenario."""

from __future__ import annotations

import argparse
from typing import Any, Mapping

from model.api import Session
from model.cli.guard import note
from model.cli.output import print_json, shown, table
from model.errors import ScenarioError
from model.programs.alpha_curve import AlphaCurve, Points, alpha_curve
from model.programs.bounds import bounds


def execute(options: argparse.Namespace) -> int:
    """Solve and print."""
    session = Session.open(
        options.scenario, options.policy, options.seed, tuple(options.trace), kernel=False
    )
    numbers = session.bench.numbers
    for warning in numbers.warnings():
        note(f"warning: {warning}")
    try:
        result = bounds(numbers.space, numbers.rewards, numbers.workload)
        curve = alpha_curve(numbers.space, numbers.rewards, numbers.workload)
    except ValueError as error:
        raise ScenarioError(str(error), where=options.scenario) from None
    result = {"scenario": options.scenario, **result, "curve": _curve(curve)}
    if options.json:
        print_json(result)
        return 0
    if not any(numbers.workload):
        note("the workload is unknown (scripted), so that all bounds are 0")
    print(_text(result, numbers.type_names))
    return 0


def _curve(curve: AlphaCurve) -> dict[str, Any]:
    """Both rewards over alpha as breakpoints; exact numbers are text."""

    def points(found: Points) -> list[list[str]]:
        return [[str(alpha), str(value)] for alpha, value in found]

    return {
        "greedy": points(curve.greedy),
        "optimum": points(curve.optimum),
        "critical_low": str(curve.critical_low),
        "critical_high": str(curve.critical_high),
        "worst_ratio": str(curve.worst_ratio),
        "worst_alpha": str(curve.worst_alpha),
    }


def _text(result: Mapping[str, Any], type_names: tuple[str, ...]) -> str:
    ratio, curve = result["ratio"], result["curve"]
    guarantees = [f"  at least {shown(item['ratio'], 4)} {item['condition']}: {item['source']}"
                  for item in result["guarantees"]]  # fmt: skip
    lines = [
        f"{result['scenario']}: reward per server and time unit",
        table(("program", "objective", "exact", "status"), [
            (name, shown(item["objective"]), item["exact"], item["status"])
            for name, item in result["programs"].items()
        ]),
        f"ratio {shown(ratio)} (greedy / optimum)",
        *guarantees,
        "",
        *_solutions(result, type_names),
        f"over alpha: the same up to {curve['critical_low']} and from {curve['critical_high']} "
        f"on; worst ratio {curve['worst_ratio']} at {curve['worst_alpha']}",
    ]  # fmt: skip
    return "\n".join(lines)


def _solutions(result: Mapping[str, Any], type_names: tuple[str, ...]) -> list[str]:
    rows = [
        (name, f"({', '.join(map(str, item['configuration']))})", shown(item["servers"]))
        for name, program in result["programs"].items()
        for item in program["solution"]
    ]
    return [
        f"configurations: slots of ({'; '.join(type_names)})",
        table(("program", "configuration", "share of servers"), rows, right=2),
        "",
    ]
