"""Valid scenarios with a queue, to be broken, and to be written and read again."""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.queue.arrivals import workload_of
from slotscope.model.kinds.queue.numbers import QueueNumbers, numbers_of
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.scenario.load import parse_scenario
from tests.breaking import changed

UNIFORM = {"distribution": "uniform", "low": 0.1, "high": 0.9}
GOOD: dict[str, Any] = {
    "system": "queue",
    "seed": 1,
    "run": {"until": 1000, "warmup": 100},
    "servers": {"count": 2, "capacity": 1, "pools": [{"name": "half", "count": 1, "capacity": 0.5}]},
    "jobs": {
        "size": {"distribution": "discrete", "values": [0.4, 0.6], "probabilities": ["1/3", "2/3"]},
        "service": {"distribution": "geometric", "mean": 10},
    },
    "workload": {"kind": "poisson", "arrival_rate": 0.1},
    "policy": {"name": "bf-js"},
}

CLASSES = changed(
    ("jobs",),
    [
        {"name": "few", "share": 0.25, "size": UNIFORM, "service": {"distribution": "fixed", "slots": 3}},
        {
            "name": "many",
            "share": 0.75,
            "size": {
                "distribution": "mixture",
                "parts": [
                    {"share": 0.5, "size": {"distribution": "beta", "a": 2, "b": 3, "high": 0.5}},
                    {"share": 0.5, "size": {"distribution": "empirical", "values": [0.1, 0.2], "counts": [3, 1]}},
                ],
            },
        },
    ],
    GOOD,
)

SCRIPT: dict[str, Any] = {
    "system": "queue",
    "servers": {"count": 1, "capacity": 10},
    "workload": {
        "kind": "scripted",
        "arrivals": [
            {"slot": 0, "size": 2, "service": 3, "job": "a"},
            {"slot": 0, "size": "5/2"},
            {"slot": 4, "size": 10, "service": 1},
        ],
    },
}

TWO: dict[str, Any] = {
    "system": "queue",
    "resources": [{"name": "CPU"}, {"name": "memory", "unit": "GB"}],
    "servers": {"count": 2, "capacity": {"CPU": 8, "memory": "32 GB"}},
    "jobs": [
        {"share": 0.5, "size": {"distribution": "discrete", "values": [[1, 4], [2, 0]]}},
        {
            "share": 0.5,
            "size": {
                "distribution": "independent",
                "resources": {
                    "memory": {"distribution": "uniform", "high": 16},
                    "CPU": {"distribution": "discrete", "values": [1, 2]},
                },
            },
        },
    ],
    "workload": {"kind": "batch", "intensity": 0.5, "mean_batch": 3},
}

TRACE = changed(
    ("workload",),
    {"kind": "trace", "format": "alibaba-pods", "resources": "all", "slot": 60, "time_scale": "2/3"},
    GOOD,
)


def opened(data: dict[str, Any]) -> QueueNumbers:
    """The numbers of a scenario, after checking that its workload can be built."""
    scenario = parse_scenario(data)
    assert isinstance(scenario, QueueScenario)
    numbers = numbers_of(scenario)
    assert workload_of(scenario, numbers).block_at(0) is not None
    return numbers
