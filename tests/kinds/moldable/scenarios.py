"""Valid scenarios of moldable jobs, to be changed and broken, and a small log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.scenario.load import parse_scenario

#: The paper's sub-linear speed-up.
SUBLINEAR = [1, 1.8, 2.5, 3, 3.4]

GOOD: dict[str, Any] = {
    "system": "moldable",
    "seed": 1,
    "run": {"until": 10, "warmup": 1},
    "servers": {"count": 100},
    "classes": [{"speedup": SUBLINEAR}],
    "workload": {"kind": "poisson", "load": 0.8},
    "policy": {"name": "greedy-p"},
}

REGIME: dict[str, Any] = GOOD | {"workload": {"kind": "poisson", "alpha": "1/2", "beta": 0.1}}

SEVERAL: dict[str, Any] = {
    "system": "moldable",
    "servers": {"count": 60},
    "classes": [
        {
            "name": "render",
            "share": 2,
            "speedup": {"law": "linear", "degree": 4},
            "size": {"distribution": "hyper-exponential", "squared_variation": 3, "mean": 2},
        },
        {
            "name": "solve",
            "speedup": {"law": "amdahl", "parallel": "9/10", "degree": 6},
            "size": {"distribution": "mixed-erlang", "probabilities": [0.4, "3/5"]},
        },
        {
            "name": "search",
            "share": 0.5,
            "speedup": {"law": "power", "exponent": "1/2", "degree": 9},
            "size": {"distribution": "empirical", "values": [1, "1/3", 2.5]},
        },
    ],
    "workload": {"kind": "poisson", "load": "3/4"},
}

RATES: dict[str, Any] = {
    "system": "moldable",
    "servers": {"count": 60},
    "classes": [
        {"name": "a", "arrival_rate": 0.3, "speedup": [1, "3/2"]},
        {
            "name": "b",
            "arrival_rate": "1/5",
            "speedup": [1],
            "size": {"distribution": "pareto", "shape": 1.5, "mean": 2},
        },
    ],
    "workload": {"kind": "poisson"},
}

SCRIPT: dict[str, Any] = {
    "system": "moldable",
    "servers": {"count": 7},
    "classes": [{"name": "a", "speedup": [1, 2, 3]}, {"name": "b", "speedup": [1, 1.5]}],
    "workload": {
        "kind": "scripted",
        "load": 0.5,
        "arrivals": [
            {"time": 0, "class": "a", "size": 1, "requested": 3, "job": "first"},
            {"time": "1/3", "class": "b", "size": "2/7", "requested": 1},
            {"time": "1/3", "class": "a", "size": 2.5, "job": "third"},
        ],
    },
}

TRACE: dict[str, Any] = {
    "system": "moldable",
    "classes": [{"speedup": [1, 1.5]}],
    "workload": {"kind": "trace", "format": "swf", "load": 0.5},
}

ALL = (GOOD, REGIME, SEVERAL, RATES, SCRIPT, TRACE)


def opened(data: dict[str, Any]) -> MoldableScenario:
    """A validated scenario."""
    scenario = parse_scenario(data)
    assert isinstance(scenario, MoldableScenario)
    return scenario


def law(kind: str, **fields: Any) -> dict[str, Any]:
    """A speed-up by a law, of degree 5 by default."""
    return {"law": kind, "degree": 5} | fields


def size(kind: str, **fields: Any) -> dict[str, Any]:
    """A law of inherent sizes."""
    return {"distribution": kind} | fields


def job_line(
    number: int, submit: object, run: object, processors: object, requested: object = -1, status: object = 1
) -> str:
    """A line of a log in the Standard Workload Format."""
    return f"{number:5} {submit} 0 {run} {processors} -1 -1 {requested} -1 -1 {status} 1 1 -1 -1 -1 -1 -1\n"


HEADER = """\
; Version: 2.2
; Computer: A small machine
; UnixStartTime: 1000
; MaxNodes: 8
; MaxProcs: 8
;
"""

#: Six jobs within 100 s; their run times, processors and gaps are easy to sum.
JOBS = "".join(
    job_line(number, *job)
    for number, job in enumerate([(10, 40, 1), (20, 20, 2), (20, 30, 4), (50, 10, 8), (90, 60, 1), (110, 5, 2)], 1)
)


def log_file(folder: Path, text: str = HEADER + JOBS, name: str = "log.swf") -> Path:
    """A log file with the text."""
    path = folder / name
    path.write_text(text)
    return path
