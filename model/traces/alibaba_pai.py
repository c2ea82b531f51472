"""Alibaba's cluster-trace-gpu-v2020: the table of tasks and, if given, the table of instances.

Both are CSV without a header (a header that was added is skipped).  A task has one or more instances, each of which
requests ``plan_cpu`` and ``plan_gpu`` (in percent of one) and ``plan_mem`` (called GB; the numbers are whole MiB over
1024).  Everything that ran held its requested resources from start to end, whether it succeeded or not.

Data: Weng et al., "MLaaS in the Wild" (NSDI 2022), for study or research.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

import numpy as np

from slotscope.model.errors import TraceError
from slotscope.model.traces.job_table import WIDTH, AskedJobs
from slotscope.model.traces.jobs import LATEST, MOST_DEMAND, Demand, RecordedJobs, recorded
from slotscope.model.traces.reading import FieldError, Watch, lines, rows, scaled_decimal
from slotscope.model.traces.report import ImportReport, LeftOut

SOURCE = "Alibaba cluster-trace-gpu-v2020"

TASKS = (
    "job_name",
    "task_name",
    "inst_num",
    "status",
    "start_time",
    "end_time",
    "plan_cpu",
    "plan_mem",
    "plan_gpu",
    "gpu_type",
)
INSTANCES = (
    "job_name",
    "task_name",
    "inst_name",
    "worker_name",
    "inst_id",
    "status",
    "start_time",
    "end_time",
    "machine",
)
_STATUS = frozenset(("Running", "Terminated", "Failed", "Waiting", "Interrupted", "status"))

_MOST_INSTANCES, _DIGITS = 10**5, 20

_NEVER = "never started"
_ENDLESS = "without an end: still running, or not told"
_NO_NUMBER = "without a number of instances"
_NO_TASK = "of a task that is not in the table of tasks"
_REASONS = (_NEVER, _ENDLESS, _NO_NUMBER, _NO_TASK)


class _Plan(NamedTuple):
    """What an instance of a task requests, in units of 10^-9 of a CPU, of a GiB and of a GPU."""

    cpu: int
    memory: int
    gpu: int


class _Run(NamedTuple):
    """A job: start and duration in microseconds, its number of instances, and what each of them requests."""

    start: int
    duration: int
    instances: int
    plan: _Plan


def is_alibaba_pai(first: bytes) -> bool:
    """Whether a file that begins with *first* is a table of tasks or of instances."""
    return _columns(first.decode("utf-8", "replace").partition("\n")[0]) is not None


def _columns(line: str) -> tuple[str, ...] | None:
    fields = [field.strip().strip('"') for field in line.split(",")]
    for columns in (TASKS, INSTANCES):
        if len(fields) == len(columns) and fields[columns.index("status")] in _STATUS:
            return columns
    return None


def read_alibaba_pai(paths: Sequence[Path], asked: AskedJobs, watch: Watch) -> RecordedJobs:
    """Read tables, as :func:`model.traces.job_table.read_job_table`.

    For moldable jobs a task is one job on as many servers as it has instances.  Otherwise each instance is
    a job: with its own times if the table of instances is given, otherwise with those of its task.
    """
    instances = [path for path in paths if _columns(next(lines(path))) == INSTANCES]
    tasks = [path for path in paths if path not in instances]
    if not tasks:
        raise TraceError("found instances alone; allowed with the table of tasks, which says what they ask for")
    left: Counter[str] = Counter()
    whole = WIDTH in asked.columns
    if instances and not whole:
        plans = {key: plan for path in tasks for key, plan in _plans(path, watch)}
        found = [run for path in instances for run in _instance_runs(path, plans, left, watch)]
    else:
        found = [run for path in tasks for run in _task_runs(path, left, watch)]
    table = np.array([(run.start, run.duration, run.instances, *run.plan) for run in found], np.int64).reshape(-1, 6)
    if not whole:
        table = np.repeat(table, table[:, 2], axis=0)
    start, duration, width, *amounts = table.T
    demands = [Demand(*one) for one in zip(("cpu", "memory", "gpu"), ("CPU", "GiB", "GPU"), amounts, strict=True)]
    out = [LeftOut(reason, left[reason], "rows") for reason in _REASONS]
    report = ImportReport(SOURCE, tuple(path.name for path in paths), len(found) + left.total(), 0, "jobs")
    report = report.then(len(start), "jobs", out, ("a job arrives when it started: waiting is not told",))
    return recorded(report, start, duration, demands, width=width if whole else None)


def _rows(path: Path, columns: tuple[str, ...], watch: Watch) -> Iterator[tuple[int, dict[str, str]]]:
    for number, fields in rows(path, columns, watch=watch):
        row = dict(zip(columns, fields, strict=True))
        if row["status"] != "status":
            yield number, row


def _plans(path: Path, watch: Watch) -> Iterator[tuple[tuple[str, str], _Plan]]:
    for number, row in _rows(path, TASKS, watch):
        try:
            yield (row["job_name"], row["task_name"]), _plan(row)
        except FieldError as error:
            raise error.at(path, number) from None


def _task_runs(path: Path, left: Counter[str], watch: Watch) -> Iterator[_Run]:
    for number, row in _rows(path, TASKS, watch):
        try:
            times = _times(row, left)
            if times is None:
                continue
            count = _amount(row, "inst_num", _MOST_INSTANCES, 0)
            if count:
                yield _Run(*times, count, _plan(row))
            else:
                left[_NO_NUMBER] += 1
        except FieldError as error:
            raise error.at(path, number) from None


def _instance_runs(path: Path, plans: dict[tuple[str, str], _Plan], left: Counter[str], watch: Watch) -> Iterator[_Run]:
    for number, row in _rows(path, INSTANCES, watch):
        try:
            times = _times(row, left)
        except FieldError as error:
            raise error.at(path, number) from None
        plan = plans.get((row["job_name"], row["task_name"]))
        if times is not None and plan is not None:
            yield _Run(*times, 1, plan)
        elif times is not None:
            left[_NO_TASK] += 1


def _times(row: dict[str, str], left: Counter[str]) -> tuple[int, int] | None:
    """Start and duration in microseconds; None for a row that is left out."""
    start, end = (_amount(row, name, LATEST, 6) for name in ("start_time", "end_time"))
    if not row["start_time"] or not row["end_time"]:
        left[_ENDLESS if row["start_time"] else _NEVER] += 1
        return None
    return start, max(0, end - start)


def _plan(row: dict[str, str]) -> _Plan:
    cpu, memory, gpu = (_amount(row, name, MOST_DEMAND, 9) for name in ("plan_cpu", "plan_mem", "plan_gpu"))
    return _Plan(cpu // 100, memory, gpu // 100)


def _amount(row: dict[str, str], name: str, most: int, places: int) -> int:
    """A number in units of 10^-places, rounded down; 0 if the field is empty."""
    text = row[name].strip()
    return scaled_decimal(text, name, _DIGITS, most) // 10 ** (_DIGITS - places) if text else 0
