"""``slotscope bounds`` for jobs with phases: Phi, Nbar, the policy, its pools, and Lemma 7."""

from __future__ import annotations

import argparse
from typing import Any, Mapping

from slotscope.model.cli.bounding import LONGEST_FRACTION, Result, bench_of, fields_of, program, program_table
from slotscope.model.cli.output import Report, last_of, progress_of, shown, table
from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.programs.bounds import PhasesBounds, RecurrentClassRow, bounds_of
from slotscope.model.kinds.phases.programs.plan import PoolPlan

#: A policy without a plan.
PLANLESS = "first-fit"


def solved(options: argparse.Namespace) -> Report:
    """Compute what bounds the scenario's servers."""
    with progress_of(f"bounds {options.scenario}", quiet=options.json):
        # A policy with a plan would solve the program twice; the bounds are the same for all policies.
        result = {"scenario": options.scenario, **execute_phases(bench_of(options, PLANLESS).numbers)}
    return Report(result, lambda: _text(result))


def execute_phases(numbers: PhaseNumbers) -> Result:
    """Everything that bounds the servers of a scenario, ready for JSON.

    Returns ``programs`` (name -> ``objective``, ``exact``, ``status``, ``solution``), ``phases`` (their names, in the
    order of all vectors), ``configurations`` (|K|), ``mean_jobs``, ``budget``, ``spent``, ``cases``, ``classes``,
    ``pools`` and ``lemma7``.

    Raises ScenarioError if nothing bounds the servers.
    """
    bounds = last_of(bounds_of(numbers), "Reports on the single-server problem")
    if not bounds.solved:
        raise ScenarioError(bounds.problem.rstrip(".") or "found nothing that bounds the servers")
    assert bounds.lemma7 is not None
    return {
        "programs": _programs(bounds),
        "phases": list(bounds.phases),
        "scale": float(bounds.scale),
        **fields_of(bounds, "configurations", "mean_jobs", "budget", "spent", "budget_price", "type_prices"),
        "cases": {str(case): count for case, count in enumerate(bounds.cases, 1)},
        "timers": bounds.timers,
        "classes": [_class(one) for one in bounds.classes],
        "pools": [_pool(one) for one in bounds.pools],
        "lemma7": fields_of(bounds.lemma7, "stationary", "requests", "holds"),
        **fields_of(bounds, "certified", "gap"),
    }


def _programs(bounds: PhasesBounds) -> Result:
    assert bounds.nbar is not None
    phi = bounds.exact_phi
    scaled = None if phi is None else bounds.scale / phi
    used = [_class(one) for one in bounds.classes if one.share > 0]
    programs = {
        "single-server": program(bounds.phi, bounds.status, phi, used),
        "servers": program(bounds.nbar, "lower bound, Theorem 2", scaled),
    }
    if bounds.packing is not None:
        programs["configurations"] = program(float(bounds.scale) * bounds.packing, "optimal")
    return programs


def _class(one: RecurrentClassRow) -> Result:
    return fields_of(one, "share", "configurations", "passed", "throughput") | {"k0": list(one.start)}


def _pool(pool: PoolPlan) -> Result:
    told = fields_of(pool, "servers", "token_limit", "nbar", "share", "route", "arrival_rates")
    return told | {"k0": None if pool.patch is None else pool.patch.tolist()}


def _text(result: Mapping[str, Any]) -> str:
    cases, lemma = result["cases"], result["lemma7"]
    spent = f"cost {shown(result['spent'])} of a budget of {shown(result['budget'])}"
    lines = [
        f"{result['scenario']}: {result['configurations']:,} configurations, "
        f"{shown(result['mean_jobs'])} jobs in the long run",
        program_table(result["programs"], longest=LONGEST_FRACTION),
        *([] if result["budget_price"] is None else [spent]),
        f"timers or waiting in {cases['1']} configurations, a request at once in {cases['2']}, "
        f"nothing in {cases['3']}; timers run in {result['timers']}",
        f"Lemma 7 {'holds' if lemma['holds'] else 'does not hold'}: the policy's chain differs "
        f"from pi by {lemma['stationary']:.1e} and from u by {lemma['requests']:.1e}",
        "",
        "pools of Join-Requesting-Server",
        table(
            ("pool", "share", "Nbar", "servers", "token limit", "k0"),
            [
                (
                    str(number),
                    shown(pool["share"]),
                    shown(pool["nbar"]),
                    str(pool["servers"]),
                    str(pool["token_limit"]),
                    _listed(pool["k0"]),
                )
                for number, pool in enumerate(result["pools"], 1)
            ],
        ),
    ]
    return "\n".join(lines).rstrip()


def _listed(jobs: list[int] | None) -> str:
    return "-" if jobs is None else f"({', '.join(map(str, jobs))})"
