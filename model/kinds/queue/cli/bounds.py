"""``slotscope bounds`` for servers with a queue: rho*, Theorem 1, K_RED and fluid limits."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import Any, Mapping

from slotscope.model.cli.bounding import Result, bench_of, not_own, program, program_table
from slotscope.model.cli.output import Report, last_of, progress_of, shown, table
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.programs.bounds import QueueBounds, bounds_of
from slotscope.model.kinds.queue.programs.fluid import FluidLimit
from slotscope.model.kinds.queue.programs.instance import Instance, instance_of
from slotscope.model.kinds.queue.programs.supportable import SupportableWorkload, solver_status
from slotscope.model.kinds.queue.programs.theorem1 import Refinement
from slotscope.model.kinds.queue.scenario.schema import QueueScenario


def solved(options: argparse.Namespace) -> Report:
    """Solve what bounds the scenario."""
    with progress_of(f"bounds {options.scenario}", quiet=options.json):
        bench = bench_of(options, not_own(options, "fifo-ff"))
        assert isinstance(bench.scenario, QueueScenario)
        result = {"scenario": options.scenario, **execute_queue(bench.numbers, bench.scenario)}
    return Report(result, lambda: _text(result))


def execute_queue(numbers: QueueNumbers, scenario: QueueScenario) -> Result:
    """Everything that bounds the workload of *scenario*, ready for JSON.

    Returns ``programs`` (name -> ``objective``, ``exact``, ``status``, ``solution``), ``workload``, ``load`` (rho /
    rho* from at least to at most, or None), ``sizes``, ``theorem1`` (a row for each n), ``fluid`` and ``problem``.
    Exact numbers are strings such as ``"10/3"``.

    Raises ScenarioError if nothing at all bounds the workload.
    """
    bounds = last_of(bounds_of(scenario, numbers), "Programs solved")
    instance = instance_of(scenario, numbers)
    programs = _programs(bounds, instance)
    if not programs:
        raise ScenarioError(bounds.problem or "found nothing that bounds the workload")
    load = bounds.load
    return {
        "programs": programs,
        "workload": float(bounds.workload),
        "load": None if load is None else {"at_least": float(load[0]), "at_most": float(load[1])},
        "sizes": [_amounts(value, numbers) for value, _ in reversed(instance.distribution.atoms)]
        if bounds.supportable is not None
        else [],
        "theorem1": [_row(row) for row in bounds.theorem1],
        "fluid": [_limit(limit) for limit in bounds.fluid],
        "problem": bounds.problem,
    }


def _amounts(value: tuple[int, ...], numbers: QueueNumbers) -> list[str]:
    """A size in the scenario's own units."""
    return [str(numbers.amount(units, d)) for d, units in enumerate(value)]


def _programs(bounds: QueueBounds, instance: Instance) -> Result:
    programs: Result = {}
    if bounds.supportable is not None:
        status = solver_status(instance.pools, instance.probabilities, bounds.supportable)
        programs["supportable"] = _program(bounds.supportable, status)
    if bounds.reduced is not None:
        programs["reduced"] = _program(bounds.reduced, "optimal")
    if bounds.real is not None:
        programs["reduced-as-held"] = _program(bounds.real, "optimal")
    if bounds.theorem1:
        last = bounds.theorem1[-1]
        programs["theorem1-lower"] = _bound(last.lower, f"lower bound, n = {last.level}")
        programs["theorem1-upper"] = _bound(last.upper, f"upper bound, n = {last.level}")
    if bounds.trimmed is not None:
        level = bounds.trimmed.level
        programs["trimmed-lower"] = _bound(bounds.trimmed.lower, f"lower bound, n = {level}")
        programs["trimmed-upper"] = _bound(bounds.trimmed.upper, f"upper bound, n = {level}")
    if bounds.mean_bound is not None:
        programs["mean-size"] = _bound(bounds.mean_bound, "upper bound, Lemma 1")
    return programs


def _program(found: SupportableWorkload, status: str) -> Result:
    solution = [
        {
            "pool": part.pool,
            "configuration": list(part.configuration),
            "share": str(part.servers / found.servers),
            "servers": float(part.servers),
        }
        for part in found.solution
    ]
    return program(float(found.value), status, found.value, solution) | {
        "type_prices": [str(price) for price in found.type_prices],
        "server_prices": [str(price) for price in found.pool_prices],
    }


def _bound(value: Fraction | None, status: str) -> Result:
    """A bound without a solution; a fraction that is too long to be read is left out."""
    if value is None:
        return program(None, status)
    return program(float(value), status, value if value.denominator < 10**12 else None)


def _row(row: Refinement) -> Result:
    return {
        "n": row.level,
        "cells": len(row.cells),
        "lower": float(row.lower),
        "upper": None if row.upper is None else float(row.upper),
    }


def _limit(limit: FluidLimit) -> Result:
    return {
        "policies": list(limit.policies),
        "limit": None if limit.limit is None else float(limit.limit),
        "growth": float(limit.slope),
        "growth_of": {name: float(growth) for name, growth in zip(limit.types, limit.growth, strict=True) if growth},
        "configuration": list(limit.configuration),
        "condition": limit.condition,
        "source": limit.source,
    }


def _text(result: Mapping[str, Any]) -> str:
    load = result["load"]
    lines = [
        f"{result['scenario']}: workload in jobs, of the whole system",
        program_table(result["programs"]),
        f"workload {shown(result['workload'])}" + (f", {_share(load)} of rho*" if load else ""),
        "",
        *_solutions(result),
        *_refinements(result["theorem1"]),
        *(_sentence(limit) for limit in result["fluid"]),
        *([result["problem"]] if result["problem"] else []),
    ]
    return "\n".join(lines).rstrip()


def _share(load: Mapping[str, float]) -> str:
    low, high = load["at_least"], load["at_most"]
    return f"{low:.4f}" if low == high else f"from {low:.4f} to {high:.4f}"


def _solutions(result: Mapping[str, Any]) -> list[str]:
    rows = [
        (name, f"({', '.join(map(str, part['configuration']))})", part["share"])
        for name, program in result["programs"].items()
        for part in program["solution"]
    ]
    sizes = "; ".join(" and ".join(size) for size in result["sizes"])
    if not rows:
        return []
    return [
        *([f"supportable: jobs of size ({sizes})"] if sizes else []),
        table(("program", "configuration", "share of servers"), rows, right=2),
        "",
    ]


def _refinements(rows: list[Result]) -> list[str]:
    if not rows:
        return []
    return [
        "Theorem 1, as the partition refines",
        table(
            ("n", "cells", "at least", "at most"),
            [(str(row["n"]), str(row["cells"]), shown(row["lower"]), shown(row["upper"])) for row in rows],
        ),
        "",
    ]


def _sentence(limit: Mapping[str, Any]) -> str:
    named = ", ".join(limit["policies"])
    growing = f"the queues grow by {shown(limit['growth'])} jobs per slot"
    if limit["limit"] is not None:
        growth = f"; {growing}" if limit["growth"] else ""
        return (
            f"{named}: no growth up to {shown(limit['limit'])} jobs per slot{growth} "
            f"({limit['condition']}; {limit['source']})"
        )
    configuration = ", ".join(map(str, limit["configuration"]))
    return f"{named}: stuck in ({configuration}), {growing} {limit['condition']} ({limit['source']})"
