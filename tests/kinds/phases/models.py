"""Job models of the golden scenarios, with certified optima and explicit policies."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from slotscope.model.kinds.phases.jobs import Cost, JobModel

GOLDEN = Path(__file__).parents[2] / "golden" / "phases"

#: Two phases with moves in both directions, a burst, three phases, and fixed sizes.
NAMES = ("A", "B", "C", "E")


def golden_path(name: str) -> Path:
    """The file of a golden scenario."""
    return GOLDEN / f"scenario_{name}.json"


def golden_data(name: str) -> dict[str, Any]:
    """The content of the file."""
    data: dict[str, Any] = json.loads(golden_path(name).read_text("utf-8"))
    return data


def golden_model(name: str) -> JobModel:
    """The job model of a golden scenario."""
    given = golden_data(name)["input"]
    resources = given["resources"]
    return JobModel(
        phases=tuple(given["phases"]),
        resources=tuple(one["name"] for one in resources),
        demand=tuple(tuple(Fraction(one["req"][i]) for one in resources) for i in range(len(given["phases"]))),
        capacity=tuple(Fraction(one["cap"]) for one in resources),
        most_jobs=given["K_max"],
        hard=given["mode"] == "hard",
        arrival_rates=tuple(map(Fraction, given["lam"])),
        departure_rates=tuple(map(Fraction, given["mu_out"])),
        moves=tuple(tuple(map(Fraction, row)) for row in given["mu"]),
        cost=Cost(),
        budget=Fraction(given.get("eps", "0")),
    )


def four_phases(most_jobs: int) -> JobModel:
    """Four phases with moves between most of them; |K| is the binomial of most_jobs + 4 over 4."""
    half = Fraction(1, 2)
    moves = [[0, 1, 1, 1], [0, 0, 2, 3], [3, 0, 0, 2], [0, 3, 1, 0]]
    return JobModel(
        phases=("a", "b", "c", "d"),
        resources=("cpu",),
        demand=((Fraction(1),), (Fraction(3),), (Fraction(2),), (Fraction(5),)),
        capacity=(Fraction(20 * most_jobs // 16),),
        most_jobs=most_jobs,
        hard=False,
        arrival_rates=(Fraction(1), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4)),
        departure_rates=(Fraction(1), Fraction(2), Fraction(1), Fraction(2)),
        moves=tuple(tuple(half * rate for rate in row) for row in moves),
        cost=Cost(),
        budget=Fraction(1, 20),
    )


def _weightless(name: str, rates: str, **to: str) -> dict[str, object]:
    arrival, departure = rates.split()
    return {"name": name, "demand": {"cpu": 0}, "arrival_rate": arrival, "departure_rate": departure, "to": to}


def _paying(jobs: dict[str, int]) -> dict[str, object]:
    return {"law": "table", "budget": "1/20", "rates": [{"jobs": jobs, "rate": "2/7"}]}


#: The presolve of HiGHS fails on one of the programs of this model.
HARD_TO_PRESOLVE: dict[str, object] = {
    "system": "phases",
    "seed": 0,
    "servers": {"most_jobs": 1, "capacity": {"cpu": 3}, "contention": "costs"},
    "phases": [_weightless("boot", "1/2 1/2", steady="1/2"), _weightless("steady", "1/2 7/3", boot="7/3")],
    "workload": {"kind": "poisson", "scale": "1/2"},
    "cost": _paying({"boot": 1, "steady": 0}),
}

#: The dual simplex method fails on one of the programs of this model, with and without presolve.
HARD_FOR_SIMPLEX: dict[str, object] = HARD_TO_PRESOLVE | {
    "phases": [_weightless("boot", "2 2"), *(_weightless(name, "1/2 1/2", boot="1/2") for name in ("steady", "peak"))],
    "cost": _paying({"boot": 1, "steady": 0, "peak": 0}),
}
