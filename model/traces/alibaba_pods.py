"""Alibaba's cluster-trace-gpu-v2023: the list of pods, a CSV file with a header and one row per pod.

A pod requests CPU (thousandths of a core) and memory (MiB).  It was created, scheduled to a node and
deleted; the field of the time of a step that did not happen is empty.  Requests for GPUs are not read.

Data: "cluster-trace-gpu-v2023" of Alibaba, for study or research.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import TraceError
from slotscope.model.traces.lately import read_lately
from slotscope.model.traces.reading import FieldError, Watch, rows, scaled_decimal, shown, whole_number
from slotscope.model.traces.report import ImportReport, LeftOut
from slotscope.model.traces.slots import SlottedJobs, slotted

SOURCE = "Alibaba cluster-trace-gpu-v2023 pods"

COLUMNS = (
    "name",
    "cpu_milli",
    "memory_mib",
    "num_gpu",
    "gpu_milli",
    "gpu_spec",
    "qos",
    "pod_phase",
    "creation_time",
    "deletion_time",
    "scheduled_time",
)
_CPU, _MEMORY, _CREATED, _DELETED, _SCHEDULED = (
    COLUMNS.index(name) for name in ("cpu_milli", "memory_mib", "creation_time", "deletion_time", "scheduled_time")
)

#: The largest amount that a row may request, and its latest time in seconds.
MOST_AMOUNT, LATEST = 10**12, 10**11

#: The most decimal places of times in seconds.
_DIGITS = 6

_PENDING = "never scheduled (Pending)"
_NOT_DELETED = "without a time of deletion: how long they ran is not known"
_NO_REQUEST = "asked for neither CPU nor memory"
_NO_TIME = "deleted in the moment in which they were scheduled, or before"

NOTES = (
    "a pod arrives when it was created and is served from when it was scheduled to when it was "
    "deleted, whether it succeeded, failed or was still running; requests for GPUs are left aside",
)

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pods:
    """Pods that ran, in the order of their creation.  All arrays have shape (n,)."""

    #: created, runtime: microseconds; the time of creation, and the time from scheduling to deletion
    created: Integers
    runtime: Integers
    #: cpu, memory: requests in thousandths of a core and in MiB
    cpu: Integers
    memory: Integers
    report: ImportReport  #: what was read, kept and left out


@read_lately
def read_pods(paths: Sequence[Path]) -> Pods:
    """Read one or several lists of pods, plain or gzip'd.

    Raises TraceError if a file cannot be used, with one line that says where, what was found and what is allowed;
    GivenUpError if the user stops waiting.
    """
    if not paths:
        raise TraceError("no file was given; allowed are lists of pods")
    watch = Watch(paths)
    left: Counter[str] = Counter()
    found = [pod for path in paths for pod in _pods(path, watch, left)]
    table = np.array(found, np.int64).reshape(-1, 4)
    table = table[np.argsort(table[:, 0], kind="stable")]
    out = [LeftOut(reason, left[reason], "pods") for reason in (_PENDING, _NOT_DELETED, _NO_REQUEST, _NO_TIME)]
    names = tuple(path.name for path in paths)
    report = ImportReport(SOURCE, names, len(found) + left.total(), 0, "pods")
    created, runtime, cpu, memory = table.T
    return Pods(created, runtime, cpu, memory, report.then(len(found), "pods", out, NOTES))


def pod_jobs(
    pods: Pods, *, slot: Fraction = Fraction(1), time_scale: Fraction = Fraction(1), limit: int | None = None
) -> SlottedJobs:
    """Jobs in slotted time, of two resources: thousandths of a core, and MiB.

    - *slot*, *time_scale*: As for :func:`model.traces.slots.slotted`.
    - *limit*: Use the first *limit* pods; None uses all.

    Raises TraceError if no pod remains, or slots are too short.
    """
    count = len(pods.created) if limit is None else min(limit, len(pods.created))
    out = LeftOut(f"after the first {count:,} pods", len(pods.created) - count, "pods")
    return slotted(
        pods.created[:count],
        pods.runtime[:count],
        np.stack((pods.cpu, pods.memory), axis=1)[:count],
        pods.report.then(count, "jobs", (out,)),
        slot,
        time_scale,
    )


def _pods(path: Path, watch: Watch, left: Counter[str]) -> Iterator[tuple[int, int, int, int]]:
    """(creation, run time, CPU, memory) of each pod in a file that ran."""
    table = rows(path, COLUMNS, watch=watch)
    number, header = next(table)
    if tuple(header) != COLUMNS:
        raise TraceError(
            f"row {number}: found the header {shown(','.join(header))}; allowed is {','.join(COLUMNS)}", where=str(path)
        )
    for number, row in table:
        try:
            cpu = whole_number(row[_CPU], COLUMNS[_CPU], 0, MOST_AMOUNT)
            memory = whole_number(row[_MEMORY], COLUMNS[_MEMORY], 0, MOST_AMOUNT)
            times = [_time(row, column) for column in (_CREATED, _SCHEDULED, _DELETED)]
        except FieldError as error:
            raise error.at(path, number) from None
        created, scheduled, deleted = times
        if created is None:
            raise FieldError(COLUMNS[_CREATED], "", "a time in seconds").at(path, number)
        if scheduled is None or deleted is None:
            left[_PENDING if scheduled is None else _NOT_DELETED] += 1
        elif not cpu and not memory:
            left[_NO_REQUEST] += 1
        elif deleted <= scheduled:
            left[_NO_TIME] += 1
        else:
            yield created, deleted - scheduled, cpu, memory


def _time(row: Sequence[str], column: int) -> int | None:
    """Microseconds, or None if the field is empty."""
    text = row[column]
    return scaled_decimal(text, COLUMNS[column], _DIGITS, LATEST) if text else None
