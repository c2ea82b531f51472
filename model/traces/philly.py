"""Philly: training jobs on Microsoft's GPU clusters in 2017, the file ``cluster_job_log`` (JSON).

A job has a submission time and attempts, each with a start, an end and the GPUs that it had on each server.  Its
duration is that of all its attempts together, its demand the GPUs of the last one.  Times are local, without a
time zone: around the change of clocks in November some are an hour off.

Data: Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads" (ATC 2019).
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Iterator, Sequence

import numpy as np

from slotscope.model.errors import TraceError
from slotscope.model.traces.job_table import AskedJobs
from slotscope.model.traces.jobs import ONE, SECOND, Demand, RecordedJobs, recorded
from slotscope.model.traces.reading import FieldError, Watch, text_of
from slotscope.model.traces.report import ImportReport, LeftOut

SOURCE = "Philly cluster_job_log"

_NO_ATTEMPT = "without an attempt"
_RUNNING = "still running: the last attempt has no end"
_NO_GPU = "without GPUs"
_REASONS = (_NO_ATTEMPT, _RUNNING, _NO_GPU)

_Job = tuple[int, int, int]  #: submission and duration in microseconds, and GPUs


def is_philly(first: bytes) -> bool:
    """Whether a file that begins with *first* is a list of jobs with attempts."""
    return first.lstrip().startswith(b"[") and (b'"jobid"' in first or b'"attempts"' in first)


def read_philly(paths: Sequence[Path], _: AskedJobs, watch: Watch) -> RecordedJobs:
    """Read one or several logs, as :func:`model.traces.job_table.read_job_table`; jobs are numbered as rows, from 1."""
    left: Counter[str] = Counter()
    table = np.array([job for path in paths for job in _jobs(path, left, watch)], np.int64).reshape(-1, 3)
    submitted, duration, gpus = table.T
    out = [LeftOut(reason, left[reason], "jobs") for reason in _REASONS]
    report = ImportReport(SOURCE, tuple(path.name for path in paths), len(table) + left.total(), 0, "jobs")
    demands = [Demand("gpu", "GPU", gpus * ONE)]
    return recorded(report.then(len(table), "jobs", out), submitted, duration, demands, width=gpus)


def _jobs(path: Path, left: Counter[str], watch: Watch) -> Iterator[_Job]:
    try:
        found = json.loads(text_of(path, watch))
    except (ValueError, RecursionError) as error:
        raise TraceError(f"found text that is not JSON ({error}); allowed is a list of jobs", where=str(path)) from None
    if not isinstance(found, list):
        raise TraceError("found no list; allowed is a list of jobs", where=str(path))
    for number, job in enumerate(found, 1):
        try:
            kept = _job(job, left)
        except FieldError as error:
            raise error.at(path, number) from None
        if kept is not None:
            yield kept


def _job(job: Any, left: Counter[str]) -> _Job | None:
    if not isinstance(job, dict) or not isinstance(attempts := job.get("attempts"), list):
        raise FieldError("attempts", str(job), "a job with a list of attempts")
    submitted = _time(job.get("submitted_time"), "submitted_time")
    if submitted is None:
        raise FieldError("submitted_time", "", "a time such as 2017-10-07 01:11:39")
    duration, ended, gpus = 0, False, 0
    for attempt in attempts:
        if not isinstance(attempt, dict):
            raise FieldError("attempts", str(attempt), "start_time, end_time and detail")
        start, end = (_time(attempt.get(name), name) for name in ("start_time", "end_time"))
        ended = end is not None
        if start is not None and end is not None:
            duration += max(0, end - start)
        gpus = _gpus(attempt.get("detail"))
    reason = _NO_ATTEMPT if not attempts else _RUNNING if not ended else "" if gpus else _NO_GPU
    if reason:
        left[reason] += 1
        return None
    return submitted, duration, gpus


def _gpus(detail: Any) -> int:
    servers = detail if isinstance(detail, list) else []
    if not all(isinstance(server, dict) and isinstance(server.get("gpus"), list) for server in servers):
        raise FieldError("detail", str(detail), "servers with a list of gpus each")
    return sum(len(server["gpus"]) for server in servers)


def _time(found: Any, name: str) -> int | None:
    """Microseconds since 1970; None if there is no time."""
    if found is None or found == "None":
        return None
    try:
        when = datetime.fromisoformat(found).replace(tzinfo=UTC)
    except (TypeError, ValueError):
        raise FieldError(name, str(found), "a time such as 2017-10-07 01:11:39, or none") from None
    return round(when.timestamp() * SECOND)
