"""Four servers under a policy with all three cases, and the narrator of their runs."""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.phases.explain import PhaseNarrator
from slotscope.model.running.assembly import assemble
from slotscope.model.scenario.load import parse_scenario

#: One pool with all three cases: (0, 1) requests one L or H at once, (2, 0) is case 3.
POOL: dict[str, Any] = {
    "servers": 4,
    "token_limit": 5,
    "patch": {"rate": 1.0, "k0": {"L": 2, "H": 1}},
    "policy": [
        {"k": [1, 1], "case": 1, "rates": {"L": 2.0, "H": 0.5}},
        {"k": [1, 2], "case": 1},
        {"k": [0, 1], "case": 2, "prob": {"L": 0.5, "H": 0.5}},
        {"k": [1, 0], "case": 2, "prob": {"H": 1.0}},
    ],
}

DATA: dict[str, Any] = {
    "system": "phases",
    "servers": {"most_jobs": 4, "capacity": {"cpu": 5}},
    "cost": {"budget": "1/20"},
    "phases": [
        {"name": "L", "demand": {"cpu": 1}, "arrival_rate": 1, "departure_rate": 1, "to": {"H": "1/2"}},
        {"name": "H", "demand": {"cpu": 3}, "arrival_rate": "1/2", "departure_rate": 1},
    ],
    "workload": {"kind": "poisson", "scale": 6},
}


def bench_of(policy: str = "jrs", pools: int = 1, **parameters: Any) -> Any:
    if policy == "jrs":
        parameters = {"pools": [POOL] * pools} | parameters
    data = DATA | {"policy": {"name": policy, "parameters": parameters}}
    return assemble(parse_scenario(data))


def narrator(policy: str = "jrs", pools: int = 1, **parameters: Any) -> PhaseNarrator:
    bench = bench_of(policy, pools, **parameters)
    found = bench.kind.narrator(bench.system)
    assert isinstance(found, PhaseNarrator)
    return found
