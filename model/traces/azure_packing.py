"""Azure Trace for Packing 2020: requests for virtual machines, as a SQLite file with the tables ``vm`` and ``vmType``.

``vm`` has a row for each request: its type, its priority (0 high, 1 low), and its start and end times in days.
Machines that existed before the trace have a negative start, those that stayed for more than 90 days have no end.
``vmType`` gives the fraction of a machine that a type takes, for each kind of machine that offers it.  Here all
machines are of one kind, the one that can run the most requests; requests that it cannot run are left out.

Data: Hadary et al., "Protean: VM Allocation Service at Scale" (OSDI 2020), CC-BY.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

import numpy as np

from slotscope.model.errors import TraceError
from slotscope.model.traces.job_table import AskedJobs
from slotscope.model.traces.jobs import ONE, PART, SECOND, Demand, RecordedJobs, recorded
from slotscope.model.traces.reading import Watch, file_size, shown
from slotscope.model.traces.report import ImportReport, LeftOut

SOURCE = "Azure Trace for Packing 2020"
MAGIC = b"SQLite format 3\0"

RESOURCES = ("core", "memory", "hdd", "ssd", "nic")

_DAY = 86_400 * SECOND
_MOST_DAYS, _MOST_PART = 10**4, 10**3
_ROWS = 1 << 16

_BEFORE = "there before the trace began (a negative start)"
_ENDLESS = "without an end: they stayed for more than 90 days"
_ELSEWHERE = "of types that the chosen machine does not offer"
_REASONS = (_BEFORE, _ENDLESS, _ELSEWHERE)


class _Request(NamedTuple):
    """A kept request: times in microseconds, the index of its type, and 1 if its priority is high."""

    start: int
    duration: int
    type: int
    high: int


def is_azure_packing(first: bytes) -> bool:
    """Whether a file that begins with *first* is a SQLite database."""
    return first.startswith(MAGIC)


def read_azure_packing(paths: Sequence[Path], _: AskedJobs, watch: Watch) -> RecordedJobs:
    """Read one file, as :func:`model.traces.job_table.read_job_table`."""
    path = paths[0]
    if len(paths) > 1:
        raise TraceError(f"found {len(paths)} files; allowed is one, because their IDs are unrelated", where=str(path))
    left: Counter[str] = Counter()
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            machine, types = _types(database, path)
            names = list(types)
            places = {name: place for place, name in enumerate(names)}
            table = np.array(list(_requests(database, path, places, left, watch)), np.int64).reshape(-1, 4)
        finally:
            database.close()
    except sqlite3.Error as error:
        raise TraceError(f"{error}; allowed is a database with the tables vm and vmType", where=str(path)) from None
    out = [LeftOut(reason, left[reason], "requests") for reason in _REASONS]
    notes = (f"machines are of kind {machine}, which can run the most requests; demands are parts of it",)
    report = ImportReport(SOURCE, (path.name,), len(table) + left.total(), 0, "jobs").then(
        len(table), "jobs", out, notes
    )
    amounts = np.array([types[name] for name in names], np.int64).reshape(-1, len(RESOURCES))
    start, duration, kind, high = table.T
    demands = [Demand(name, PART, amounts[kind, column]) for column, name in enumerate(RESOURCES)]
    titles = tuple(f"VM type {name}" for name in names)
    return recorded(report, start, duration, demands, priority=high, type=kind, names=titles)


def _types(database: sqlite3.Connection, path: Path) -> tuple[str, dict[str, list[int]]]:
    """The kind of machine that can run the most requests, and the fractions of it that each type takes."""
    asked = dict(database.execute("SELECT vmTypeId, count(*) FROM vm GROUP BY vmTypeId"))
    offered: Counter[str] = Counter()
    found: dict[str, dict[str, list[int]]] = {}
    for kind, machine, *amounts in database.execute(f"SELECT vmTypeId, machineId, {', '.join(RESOURCES)} FROM vmType"):
        offered[str(machine)] += asked.get(kind, 0)
        parts = [
            round(_number(path, "vmType", name, amount or 0, 0, _MOST_PART) * ONE)
            for name, amount in zip(RESOURCES, amounts, strict=True)
        ]
        found.setdefault(str(machine), {})[str(kind)] = parts
    if not found:
        raise TraceError("the table vmType is empty; allowed are the types of machines", where=str(path))
    most = max(sorted(found), key=lambda machine: offered[machine])
    return most, found[most]


def _requests(
    database: sqlite3.Connection, path: Path, places: dict[str, int], left: Counter[str], watch: Watch
) -> Iterator[_Request]:
    count, size, done = max(1, database.execute("SELECT count(*) FROM vm").fetchone()[0]), file_size(path), 0
    rows = database.execute("SELECT vmTypeId, priority, starttime, endtime FROM vm")
    while found := rows.fetchmany(_ROWS):
        watch.advance(size * (done + len(found)) // count - size * done // count)
        done += len(found)
        for kind, priority, starts, ends in found:
            start = _number(path, "vm", "starttime", starts, -_MOST_DAYS, _MOST_DAYS)
            if start < 0:
                left[_BEFORE] += 1
            elif ends is None or ends == "":
                left[_ENDLESS] += 1
            elif str(kind) not in places:
                left[_ELSEWHERE] += 1
            else:
                end = _number(path, "vm", "endtime", ends, -_MOST_DAYS, _MOST_DAYS)
                lasts = max(0, round(end * _DAY) - round(start * _DAY))
                yield _Request(round(start * _DAY), lasts, places[str(kind)], int(str(priority) == "0"))


def _number(path: Path, table: str, column: str, found: object, least: int, most: int) -> float:
    try:
        value = float(str(found))
        if least <= value <= most:
            return value
    except ValueError:
        pass
    raise TraceError(
        f"table {table}, column '{column}': found {shown(str(found))}; allowed is a number from {least} to {most}",
        where=str(path),
    )
