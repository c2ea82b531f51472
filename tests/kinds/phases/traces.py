"""A small flavour trace, and a scenario that reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.load import parse_scenario

#: Three flavours, bins of 0, 300, 600 and 900 to 1500 seconds, and three lines until 3000 s.
FILES = {
    "v1.dev.txt": "1000 a,|,b,b\n1300 c\n2700 a,a,|,b\n",
    "v1.dev.c3000.txt": "1000 U0,|,U2,C3\n1300 U3\n2700 U1,C1,|,C1\n",
    "flav_map.txt": "1,0.75 a\n2,3.5 b\n8,64 c\n",
    "v1.interval_map.txt": "0 0\n300 1\n600 2\n900 3\n1200 3\n1500 3\n1800 4\n3000 4\n",
    "batch_size_map.txt": "1 1\n2 2\n",
    "LICENSE-traces.txt": "The licence.\n",
}


def written(folder: Path, **changes: str | None) -> Path:
    """A folder with the files above; *changes*, by the first letters of names, replace their contents."""
    for name, text in FILES.items():
        key = name.replace(".", "_").replace("-", "_").removesuffix("_txt")
        content = changes.get(key, text)
        if content is not None:
            (folder / name).write_text(content)
    return folder


def scenario(**workload: Any) -> PhasesScenario:
    data = {
        "system": "phases",
        "servers": {"most_jobs": 8, "capacity": {"vCPU": 8, "memory": 32}, "contention": "never"},
        "workload": {"kind": "trace", "format": "azure-flavours"} | workload,
    }
    return typed(parse_scenario(data))


def typed(found: Any) -> PhasesScenario:
    assert isinstance(found, PhasesScenario)
    return found
