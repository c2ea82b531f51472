"""Small files in the formats of public traces, made from the documentation of each."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from slotscope.model.traces.alibaba_pods import COLUMNS

#: The published traces, and another program's counts of them, if they are available.
TRACES = Path(__file__).resolve().parents[2].parent / "shared" / "traces"

needs_traces = pytest.mark.skipif(
    not (TRACES / "oracle.json").is_file(), reason="the real traces are not beside the repository (../shared/traces)"
)


def oracle(name: str) -> dict[str, Any]:
    """The other program's counts of a trace."""
    found: dict[str, Any] = json.loads((TRACES / "oracle.json").read_text("utf-8"))[name]
    return found


def pod_row(number: int, created: Any, scheduled: Any, deleted: Any, cpu: Any = 1000, memory: Any = 2048) -> str:
    """A line of a list of pods."""
    return f"pod-{number},{cpu},{memory},1,1000,,LS,Running,{created},{deleted},{scheduled}"


def pod_list(path: Path, rows: list[str]) -> str:
    """A list of pods as a file."""
    path.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n")
    return str(path)


DAY = 86_400

#: time (s), type, collection, instance, priority, cpus, memory, collection type
_EVENTS: tuple[tuple[float, int, int, int, int, float | None, float | None, int], ...] = (
    (990, 6, 1, 0, 200, None, None, 0),  # rows may have any order
    (700, 0, 1, 0, 200, 0.125, 0.03125, 0),
    (700, 3, 1, 0, 200, 0.0625, 0.03125, 0),
    (701, 0, 2, 5, 25, 0.125, 0.25, 0),
    (710, 3, 2, 5, 25, 0.125, 0.25, 0),
    (810, 6, 2, 5, 25, 0.125, 0.25, 0),
    (600, 0, 3, 0, 110, 0.5, 0.5, 0),
    (601, 2, 3, 0, 110, 0.5, 0.5, 0),
    (602, 3, 3, 0, 110, 0.5, 0.5, 0),
    (603, 4, 3, 0, 110, 0.5, 0.5, 0),
    (604, 0, 3, 0, 110, 0.5, 0.5, 0),
    (605, 3, 3, 0, 110, 0.5, 0.5, 0),
    (650, 0, 4, 0, 360, 0.9, 0.9, 1),
)


def google_2019(path: Path) -> Path:
    """Events of instances, as JSON lines with numbers as text, or as CSV."""
    names = ("time", "type", "collection_id", "instance_index", "priority")
    rows = [(round(time * 10**6), *row) for time, *row in _EVENTS]
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            header = (*names, "resource_request.cpus", "resource_request.memory", "collection_type")
            csv.writer(file).writerows([header, *rows])
        return path
    lines = []
    for *facts, cpus, memory, kind in rows:
        event: dict[str, Any] = dict(zip(names, map(str, facts), strict=True)) | {"collection_type": str(kind)}
        if cpus is not None:
            event["resource_request"] = {"cpus": cpus, "memory": memory}
        lines.append(json.dumps(event) + "\n")
    path.write_text("".join(lines))
    return path


def packing(path: Path) -> Path:
    """A database of requests for virtual machines."""
    database = sqlite3.connect(path)
    with database:
        database.execute("CREATE TABLE vm (vmId, tenantId, vmTypeId, priority, starttime, endtime)")
        database.execute("CREATE TABLE vmType (id, vmTypeId, machineId, core, memory, hdd, ssd, nic)")
        vms = [
            (0, 1, 7, 0, 0.5, 1.5),
            (1, 1, 8, 1, 2, 2.25),
            (2, 1, 7, 0, -3.5, 4),
            (3, 2, 7, 0, 1, None),
            (4, 2, 9, 0, 1, 2),
        ]
        types = [
            (0, 7, 16, 0.0625, 0.125, None, 0.05, 0.025),
            (1, 8, 16, 0.25, 0.25, None, 0.1, 0.1),
            (2, 9, 17, 1, 1, 1, 1, 1),
        ]
        database.executemany("INSERT INTO vm VALUES (?, ?, ?, ?, ?, ?)", vms)
        database.executemany("INSERT INTO vmType VALUES (?, ?, ?, ?, ?, ?, ?, ?)", types)
    database.close()
    return path


def pai_tasks(path: Path) -> Path:
    """A table of tasks, without a header."""
    path.write_text(
        "a,tensorflow,1.0,Terminated,200.0,238.0,600.0,29.296875,50.0,MISC\n"
        "b,worker,2.0,Failed,100.0,150.0,400.0,8.0,25.0,T4\n"
        "c,ps,1.0,Waiting,,,400.0,8.0,,\n"
        "d,ps,1.0,Running,120.0,,400.0,8.0,,\n"
    )
    return path


def pai_instances(path: Path) -> Path:
    """A table of instances, without a header."""
    path.write_text(
        "b,worker,i1,w1,j1,Terminated,103.0,150.0,m1\n"
        "b,worker,i2,w2,j1,Terminated,101.0,141.0,m2\n"
        "x,worker,i3,w3,j2,Terminated,101.0,141.0,m2\n"
    )
    return path


def philly(path: Path, later: bool = False) -> Path:
    """A log of jobs: the example of its documentation, a job that still runs and one that never ran."""
    gpus = [f"gpu{number}" for number in range(8)]
    first: dict[str, Any] = {
        "status": "Pass",
        "vc": "ee9e8c",
        "jobid": "application_1506638472019_14199",
        "attempts": [
            {
                "start_time": "2017-10-07 01:12:09",
                "end_time": "2017-10-07 01:13:23",
                "detail": [{"ip": "m47", "gpus": gpus}],
            },
            {
                "start_time": "2017-10-07 01:13:30",
                "end_time": "2017-10-09 06:53:52",
                "detail": [{"ip": "m412", "gpus": gpus}],
            },
        ],
        "submitted_time": "2017-10-07 01:11:39",
        "user": "ce2f4c",
    }
    running = first | {"attempts": [first["attempts"][0] | {"end_time": None}]}
    jobs = [first, running, first | {"attempts": []}]
    if later:
        jobs.append(first | {"submitted_time": "2017-10-08 01:11:39"})
    path.write_text(json.dumps(jobs))
    return path


def short_log(folder: Path) -> Path:
    """A log of ten minutes: every ten seconds a job of half a minute on two processors."""
    rows = [f"{n} {10 * n} 0 30 2 -1 -1 2 60 -1 1 1 1 -1 1 -1 -1 -1" for n in range(1, 62)]
    path = folder / "short.swf"
    path.write_text("\n".join(["; MaxProcs: 32", *rows, ""]))
    return path
