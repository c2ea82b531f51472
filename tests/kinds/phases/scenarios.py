"""Valid scenarios of jobs with phases, to be changed and broken."""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.phases.numbers import PhaseNumbers, numbers_of
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.load import Scenario, edited, load_scenario, parse_scenario
from tests.breaking import changed

GOOD: dict[str, Any] = {
    "system": "phases",
    "seed": 1,
    "run": {"until": 1000, "warmup": 100},
    "servers": {"most_jobs": 8, "capacity": {"cpu": 10}},
    "cost": {"law": "overrun", "budget": 0.05},
    "phases": [
        {"name": "L", "demand": {"cpu": 1}, "arrival_rate": 1, "departure_rate": "1/3", "to": {"H": 0.5}},
        {"name": "H", "demand": {"cpu": 3}, "departure_rate": 1, "to": {"L": 1}},
    ],
    "workload": {"kind": "poisson", "scale": 100},
    "policy": {"name": "jrs"},
}

#: A server requests an L at once whenever it has fewer than two jobs, and more by timers.
POOL: dict[str, Any] = {
    "servers": 4,
    "token_limit": 2,
    "policy": [
        {"k": [0, 0], "case": 1, "rates": {"L": 2.0, "H": 1.0}},
        {"k": [1, 0], "case": 2, "prob": {"L": 0.5, "H": 0.5}},
        {"k": [1, 1], "case": 1, "rates": {"L": 1.0}},
        {"k": [2, 0], "case": 1, "rates": {"L": 0.5}},
    ],
}

TABLE = changed(
    ("cost",),
    {
        "law": "table",
        "budget": "1/20",
        "rates": [{"jobs": {"L": 4, "H": 2}, "rate": 0.3}, {"jobs": {"H": 4}, "rate": "1/7"}, {"jobs": {}, "rate": 0}],
    },
    GOOD,
)

SEVERAL: dict[str, Any] = {
    "system": "phases",
    "resources": [{"name": "CPU"}, {"name": "memory", "unit": "GB"}],
    "servers": {"most_jobs": 5, "capacity": {"CPU": 8, "memory": "32 GB"}, "contention": "never"},
    "phases": [
        {"name": "small", "demand": {"CPU": 1, "memory": "500 MB"}, "arrival_rate": 1, "departure_rate": 1},
        {"name": "large", "demand": {"memory": 16}, "arrival_rate": 0.5, "departure_rate": 2},
    ],
    "workload": {"kind": "poisson", "scale": "5/2"},
}

SCRIPT: dict[str, Any] = {
    "system": "phases",
    "servers": {"most_jobs": 3, "capacity": 4},
    "phases": [{"name": "L", "demand": 1}, {"name": "H", "demand": 3}],
    "workload": {
        "kind": "scripted",
        "initial": [[{"real": {"a": "L"}, "virtual": {"v1": "H"}}, {}], []],
        "initial_tokens": [{"L": [2, 2]}],
        "events": [
            {"t": 0, "kind": "tick", "server": 1, "type": "patch", "virtual_choices": [0, 1]},
            {"t": 0, "kind": "arrival", "type": "H", "job": "b", "token_index": 0, "pool": 2},
            {"t": "1/3", "kind": "phase", "job": "a", "to": "H"},
            {"t": 2, "kind": "departure", "job": "a"},
            {"t": 3, "kind": "tick", "server": 2, "type": "L"},
        ],
    },
}

TRACE: dict[str, Any] = {
    "system": "phases",
    "servers": {"most_jobs": 4, "capacity": {"vCPU": 8, "memory": 32}, "contention": "never"},
    "workload": {"kind": "trace", "format": "azure-flavours", "most_types": 3},
}


def opened(data: dict[str, Any]) -> PhaseNumbers:
    """The numbers of a scenario."""
    scenario = parse_scenario(data)
    assert isinstance(scenario, PhasesScenario)
    return numbers_of(scenario)


def many_configurations() -> Scenario:
    """A scenario whose plan takes longer than a test waits."""
    phases = [
        {"name": name, "demand": {"cpu": need}, "arrival_rate": need, "departure_rate": 1, "to": {other: 0.3}}
        for name, need, other in (("a", 1, "b"), ("b", 2, "c"), ("c", 3, "d"), ("d", 4, "a"))
    ]
    servers = {"most_jobs": 16, "capacity": {"cpu": 30}}
    return edited(load_scenario("jrs-two-phases"), {"phases": phases, "servers": servers})
