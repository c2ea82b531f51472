"""A good scenario and a good instance file, and how to break them."""

from __future__ import annotations

import copy
import json
import unicodedata
from pathlib import Path
from typing import Any

Place = tuple[str | int, ...]

GOLDEN = Path(__file__).parent / "golden" / "dra"

GOOD: dict[str, Any] = {
    "system": "reservation",
    "seed": 1,
    "run": {"until": 10, "warmup": 1},
    "resources": [{"name": "cpu"}, {"name": "ram", "unit": "GB"}],
    "servers": {"count": 3, "capacity": {"cpu": 4, "ram": "8 GB"}},
    "job_types": [
        {"name": "a", "demand": {"cpu": 1, "ram": "512 MB"}, "reward": 2, "workload": 1},
        {
            "name": "b",
            "demand": {"ram": 3},
            "reward": "5/2",
            "arrival_rate": 0.5,
            "service": {"distribution": "erlang", "phases": 2, "mean": 1},
        },
    ],
    "workload": {"kind": "poisson"},
    "initial": {
        "start": "given",
        "servers": [{"configuration": [1, 1], "jobs": [{"type": "a"}]}, {"configuration": [1, 1]}],
        "order": [{"configuration": [1, 1], "servers": [1, 0]}],
    },
    "policy": {"name": "dra", "parameters": {"reservation_factor": 2}},
}

FULL = {"start": "full", "type": "a"}
SCRIPT = {"kind": "scripted", "arrivals": [{"time": 1, "type": "a"}, {"time": 2, "type": "b"}]}


def changed(place: Place, value: Any, data: dict[str, Any] = GOOD) -> dict[str, Any]:
    """A copy with one field set; a value of None removes it."""
    result = copy.deepcopy(data)
    table: Any = result
    *parents, last = place
    for part in parents:
        table = table[part]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return result


def is_one_line(text: str) -> bool:
    """Whether *text* is one line without control characters, fit for any terminal."""
    return not any(unicodedata.category(letter) in {"Cc", "Zl", "Zp"} for letter in text)


TRACE: dict[str, Any] = json.loads((GOLDEN / "t02_migration.json").read_text())
INSTANCE = {key: TRACE[key] for key in ("instance", "L", "g", "variant", "cra_mode", "initial", "events")}
