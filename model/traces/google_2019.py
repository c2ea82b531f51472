"""Google ClusterData2019 (version 3): completed runs of instances from the table ``instance_events``.

The table comes as JSON lines, as Google publishes it, or as CSV with a header, as exported from BigQuery;
in CSV, ``resource_request`` is flattened into ``resource_request.cpus`` and ``.memory`` (or with an underscore).
``collection_events`` has the same form without requests; a collection then counts as one instance.  Rows may be in
any order.  Alloc sets are left out: they are reservations, within which tasks run.  Runs are made from rows as
for the 2011 trace (:mod:`model.traces.google`).

Data: "clusterdata-2019" by John Wilkes and others, CC-BY 4.0; ``clusterdata_trace_format_v3.proto`` is its schema.
"""

from __future__ import annotations

import json
from array import array
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import TraceError
from slotscope.model.traces.google import GoogleTasks, TaskRuns
from slotscope.model.traces.job_table import AskedJobs
from slotscope.model.traces.jobs import ONE, PART, Demand, RecordedJobs, recorded
from slotscope.model.traces.reading import FieldError, Watch, lines, rows, shown, titles_of, whole_number
from slotscope.model.traces.report import LeftOut
from slotscope.model.traces.task_events import (
    EVICT,
    FAIL,
    FINISH,
    KILL,
    LARGEST_REQUEST,
    LOST,
    REQUEST_UNIT,
    SCHEDULE,
    SUBMIT,
    UPDATE_PENDING,
    UPDATE_RUNNING,
    TaskEvent,
)

SOURCE = "Google ClusterData2019 instance_events"

#: The event types of this version, and the 2011 types that they map to; QUEUE and ENABLE change nothing.
_NAMES = (
    "SUBMIT",
    "QUEUE",
    "ENABLE",
    "SCHEDULE",
    "EVICT",
    "FAIL",
    "FINISH",
    "KILL",
    "LOST",
    "UPDATE_PENDING",
    "UPDATE_RUNNING",
)
_MEANT = (
    SUBMIT,
    UPDATE_PENDING,
    UPDATE_PENDING,
    SCHEDULE,
    EVICT,
    FAIL,
    FINISH,
    KILL,
    LOST,
    UPDATE_PENDING,
    UPDATE_RUNNING,
)
_EVENTS = {text: kind for number, kind in enumerate(_MEANT) for text in (str(number), _NAMES[number])}

_ALLOC_SETS = frozenset(("1", "ALLOC_SET"))
_OF_ALLOC_SETS = "of alloc sets, which are reservations for tasks"

#: The order of events at equal times, if rows are unordered: first what ends a run, then what begins one.
_FIRST = (EVICT, FAIL, FINISH, KILL, LOST, SUBMIT, UPDATE_PENDING, SCHEDULE, UPDATE_RUNNING)

#: The priorities at which tiers begin: below the first is the free tier, then best-effort batch and mid, production.
TIERS = (100, 120)

_MOST_PRIORITY, _NONE = 10_000, -1


def is_google_2019(first: bytes) -> bool:
    """Whether a file that begins with *first* has events of collections or instances."""
    line = first.partition(b"\n")[0]
    return b"collection_id" in line and b"type" in line


def read_google_2019(paths: Sequence[Path], _: AskedJobs, watch: Watch) -> RecordedJobs:
    """Read one or several files, as :func:`model.traces.job_table.read_job_table`."""
    table = tuple(array("q") for _ in TaskEvent._fields)
    left: Counter[str] = Counter()
    for path in paths:
        for event in _events(path, watch, left):
            for column, value in zip(table, event, strict=True):
                column.append(_NONE if value is None else value)
    columns = np.array([np.frombuffer(column, np.int64) for column in table])
    runs = TaskRuns(SOURCE)
    for row in columns[:, _in_time(columns[0], columns[1])].T:
        time, kind, job, task, priority, cpu, memory = row.tolist()
        requests = (None if cpu == _NONE else cpu, None if memory == _NONE else memory)
        runs.take(TaskEvent(time, kind, job, task, priority, *requests))
    tasks = runs.result([path.name for path in paths])
    return task_jobs(tasks, [LeftOut(why, n, "rows") for why, n in left.items()], TIERS)


def _in_time(time: NDArray[np.int64], kind: NDArray[np.int64]) -> NDArray[np.int64]:
    """[n] the permutation that sorts rows by time; rows that are in order already stay as they are."""
    if (np.diff(time) >= 0).all():
        return np.arange(len(time))
    return np.lexsort((np.argsort(_FIRST)[kind], time))


def task_jobs(tasks: GoogleTasks, left_out: Sequence[LeftOut], tiers: Sequence[int]) -> RecordedJobs:
    """Completed runs as jobs, which arrive at submission and last for the run time.

    The priority of a job is the number of *tiers* that its task's priority has reached.
    """
    unit = REQUEST_UNIT // ONE
    demands = [
        Demand(name, PART, (amount + unit // 2) // unit)
        for name, amount in (("cpu", tasks.cpu), ("memory", tasks.memory))
    ]
    report = tasks.report.then(len(tasks), "jobs", left_out)
    tier = np.searchsorted(np.array(tiers), tasks.priority, side="right").astype(np.int64)
    return recorded(report, tasks.submit, tasks.runtime, demands, priority=tier)


def _events(path: Path, watch: Watch, left: Counter[str]) -> Iterator[TaskEvent]:
    first = next(lines(path))
    for number, row in _json_rows(path, watch) if first.lstrip().startswith("{") else _csv_rows(path, watch):
        if str(row.get("collection_type") or "") in _ALLOC_SETS:
            left[_OF_ALLOC_SETS] += 1
            continue
        try:
            yield _event(row)
        except FieldError as error:
            raise error.at(path, number) from None


def _csv_rows(path: Path, watch: Watch) -> Iterator[tuple[int, Mapping[str, Any]]]:
    named = titles_of(path)
    names = [title.replace("resource_request_", "resource_request.") for title in named]
    absent = [name for name in ("time", "type", "collection_id") if name not in names]
    if absent:
        raise TraceError(f"found the columns {shown(', '.join(named))}; '{absent[0]}' is absent", where=str(path))
    table = rows(path, named, watch=watch)
    next(table)
    return ((number, dict(zip(names, fields, strict=True))) for number, fields in table)


def _json_rows(path: Path, watch: Watch) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(lines(path, watch=watch), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise TraceError(f"row {number}: found {shown(line)}; allowed is a JSON object", where=str(path))
        request = row.get("resource_request")
        if isinstance(request, dict):
            row |= {f"resource_request.{name}": amount for name, amount in request.items()}
        yield number, row


def _event(row: Mapping[str, Any]) -> TaskEvent:
    kind = _text(row, "type")
    if kind not in _EVENTS:
        raise FieldError("type", kind, f"0 to {len(_MEANT) - 1}, or a name such as {_NAMES[0]}")
    priority = _text(row, "priority")
    return TaskEvent(
        time=whole_number(_text(row, "time"), "time"),
        kind=_EVENTS[kind],
        job=whole_number(_text(row, "collection_id"), "collection_id"),
        task=whole_number(_text(row, "instance_index") or "0", "instance_index", 0, 2**31 - 1),
        priority=whole_number(priority, "priority", 0, _MOST_PRIORITY) if priority else 0,
        cpu=_request(row, "resource_request.cpus"),
        memory=_request(row, "resource_request.memory"),
    )


def _request(row: Mapping[str, Any], name: str) -> int | None:
    """A request in units of 10^-12 of the largest machine; None if the row has none."""
    text = _text(row, name)
    if not text:
        return None
    try:
        amount = float(text)
        if 0 <= amount <= LARGEST_REQUEST:
            return round(amount * REQUEST_UNIT)
    except ValueError:
        pass
    raise FieldError(name, text, f"a number from 0 to {LARGEST_REQUEST}")


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()
