"""``slotscope bounds`` for a loss system: its linear programs and closed forms."""

from __future__ import annotations

import argparse
from typing import Any, Mapping

from slotscope.model.cli.bounding import bench_of, not_own, program, program_table
from slotscope.model.cli.guard import note
from slotscope.model.cli.output import Report, progress_of, shown, table
from slotscope.model.cli.parser import UsageError
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.alpha_curve import AlphaCurve, Points, alpha_curve
from slotscope.model.kinds.reservation.programs.appendix_c import AppendixC
from slotscope.model.kinds.reservation.programs.bounds import bounds
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.monotone import QUICK, MonotoneSearch, search_violation
from slotscope.model.kinds.reservation.programs.pools import pooled_greedy, pooled_optimum
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import who_waits
from slotscope.model.scenario.load import parse_scenario, write_scenario

#: The scenario that ``--appendix-c`` opens, and its number of servers.
FAMILY, FAMILY_SERVERS = "dra-appendix-c", 90


def solved(options: argparse.Namespace) -> Report:
    """Compute what bounds the scenario's reward."""
    member = _member(options)
    opened = None if member is None else parse_scenario(member.scenario(FAMILY_SERVERS))
    with progress_of(f"bounds {options.scenario}", quiet=options.json):
        bench = bench_of(options, not_own(options, "first-fit"), opened)
        if member is not None and options.save is not None:
            write_scenario(options.save, bench.scenario)
        numbers = bench.numbers
        try:
            found = _over_pools(numbers) if len(numbers.pools) > 1 else _one_pool(numbers)
        except ValueError as error:
            raise ScenarioError(str(error), where=options.scenario) from None
    result = {"scenario": options.scenario, **found}
    if member is not None:
        result["closed_forms"] = _closed_forms(member)
    return Report(result, lambda: _text(result, numbers))


def _one_pool(numbers: ReservationNumbers) -> dict[str, Any]:
    """All programs, the curves over alpha, and the search for a violation of Definition 8."""
    result = bounds(numbers.space, numbers.rewards, numbers.workload)
    who_waits().tell(Phrase("Solving the programs for all shares alpha"))
    curve = alpha_curve(numbers.space, numbers.rewards, numbers.workload)
    who_waits().tell(Phrase("Searching for a violation of Definition 8"))
    result["programs"]["monotone"] = _monotone(numbers)
    return {**result, "curve": _curve(curve)}


def _over_pools(numbers: ReservationNumbers) -> dict[str, Any]:
    """Optimum and greedy assignment for several pools of servers.

    The paper's other results, and the curves, are for identical servers.
    """
    names = [pool.name for pool in numbers.pools]
    shares, rewards, workload = numbers.pool_shares, numbers.rewards, numbers.workload
    optimum = pooled_optimum(shares, rewards, workload)
    greedy = pooled_greedy(shares, rewards, workload)
    programs = {}
    for name, found, status in (("optimum", optimum, "optimal"), ("greedy", greedy, "exact")):
        parts = [{"pool": names[p], "configuration": list(k), "servers": float(share)} for p, k, share in found.servers]
        programs[name] = program(float(found.value), status, found.value, parts)
    return {
        "programs": programs,
        "optimal": float(optimum.value),
        "greedy": float(greedy.value),
        "ratio": float(greedy.value / optimum.value) if optimum.value else None,
        "guarantees": [],
        "curve": None,
    }


def _member(options: argparse.Namespace) -> AppendixC | None:
    """The requested member of Appendix C's family, or None.

    Raises UsageError if the scenario is another one, or the family has no such member.
    """
    if options.appendix_c is None:
        if options.save is not None:
            raise UsageError("found no --appendix-c J N, without which there is nothing to save", where="--save")
        return None
    if options.scenario != FAMILY:
        raise UsageError(f"found the scenario '{options.scenario}', allowed: {FAMILY}", where="--appendix-c")
    try:
        return AppendixC(*options.appendix_c)
    except ValueError as error:
        raise UsageError(str(error), where="--appendix-c") from None


def _closed_forms(member: AppendixC) -> dict[str, str | int]:
    """The paper's closed forms for a member, as text."""
    return {
        "J": member.types,
        "N": member.jobs,
        "greedy": str(member.greedy),
        "optimum": str(member.optimum),
        "ratio": str(member.greedy / member.optimum),
    }


def _monotone(numbers: ReservationNumbers) -> dict[str, Any]:
    """The search for a violation of Definition 8, in the form of the other programs.

    ``objective`` and ``solution`` are those of the greedy assignment at the lower workload of
    the violation; without a violation, at the workload itself.
    """
    found = search_violation(numbers.space, numbers.rewards, numbers.workload, QUICK)
    workload = numbers.workload if found.witness is None else found.witness.lower
    greedy = global_greedy(numbers.space, numbers.rewards, workload)
    solution = [
        {"configuration": list(configuration), "servers": float(share)}
        for configuration, share in greedy.fractions().items()
    ]
    return program(float(greedy.objective), _status(found), greedy.objective, solution) | found.as_data()


def _status(found: MonotoneSearch) -> str:
    if found.witness is not None:
        return "violated"
    if found.evaluations == 1:
        return "nothing to compare"
    return f"no violation in {found.evaluations} evaluations"


def _curve(curve: AlphaCurve) -> dict[str, Any]:
    """Both rewards over alpha as breakpoints, with exact numbers as strings."""

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


def _text(result: Mapping[str, Any], numbers: ReservationNumbers) -> str:
    if not any(numbers.workload):
        note("the workload is unknown (scripted), so that all bounds are 0")
    ratio, curve = result["ratio"], result["curve"]
    guarantees = [
        f"  at least {shown(item['ratio'], 4)} {item['condition']}: {item['source']}" for item in result["guarantees"]
    ]
    lines = [
        f"{result['scenario']}: reward per server and time unit",
        program_table(result["programs"]),
        f"ratio {shown(ratio)} (greedy / optimum)",
        *guarantees,
        *_property(result["programs"].get("monotone")),
        *_forms(result.get("closed_forms")),
        "",
        *_solutions(result, numbers.type_names),
    ]
    if curve is not None:
        lines.append(
            f"over alpha: the same up to {curve['critical_low']} and from {curve['critical_high']} on; worst ratio "
            f"{curve['worst_ratio']} at {curve['worst_alpha']}"
        )
    return "\n".join(lines)


def _property(search: Mapping[str, Any] | None) -> list[str]:
    """The result of the search on Definition 8, as a sentence; empty without a search."""
    if search is None:
        return ["  the paper's guarantees and curves are for servers of one kind"]
    witness = search["witness"]
    said = f"{search['status']}; that proves nothing"
    if witness is not None:
        lower, upper = (", ".join(witness[name]) for name in ("lower", "upper"))
        said = (
            f"violated: workload ({lower}) earns {witness['greedy_lower']}, "
            f"the larger ({upper}) only {witness['greedy_upper']}"
        )
    return [f"  monotone greedy property: {said}"]


def _forms(forms: Mapping[str, Any] | None) -> list[str]:
    if forms is None:
        return []
    return [
        f"  closed forms for J = {forms['J']}, N = {forms['N']}: greedy {forms['greedy']}, "
        f"optimum {forms['optimum']}, ratio {forms['ratio']}"
    ]


def _solutions(result: Mapping[str, Any], type_names: tuple[str, ...]) -> list[str]:
    rows = [
        (
            name,
            f"{item.get('pool', '')} ({', '.join(map(str, item['configuration']))})".lstrip(),
            shown(item["servers"]),
        )
        for name, program in result["programs"].items()
        for item in program["solution"]
    ]
    return [
        f"configurations: slots of ({'; '.join(type_names)})",
        table(("program", "configuration", "share of servers"), rows, right=2),
        "",
    ]
