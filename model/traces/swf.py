"""Logs of parallel jobs in the Standard Workload Format of the Parallel Workloads Archive.

Header lines begin with ``;``; then there is one line for each job, with 18 numbers separated by blanks,
where -1 means unknown.  Used are: the submit time and the run time, in seconds; the allocated
processors, or the requested ones if the former are unknown; the status.

Left out are, in this order: lines with status 2, 3 or 4, which are parts of a job that has a line of its
own; jobs without a submit time; jobs that were cancelled (status 5) before they ran; jobs whose run time
is unknown, 0 or negative; jobs without a known number of processors; jobs with more processors than the
header's MaxProcs.  Jobs that failed or were cancelled while they ran are kept, as they held their
processors.

Several files are one log: the header's UnixStartTime gives the start of each, and a file without it
counts time from the same start as the file before it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import TraceError
from slotscope.model.traces.lately import read_lately
from slotscope.model.traces.reading import FieldError, Watch, lines, shown, table_hint
from slotscope.model.traces.report import ImportReport, LeftOut

SOURCE = "log in Standard Workload Format"

FIELDS = (
    "job number",
    "submit time",
    "wait time",
    "run time",
    "allocated processors",
    "average CPU time",
    "used memory",
    "requested processors",
    "requested time",
    "requested memory",
    "status",
    "user",
    "group",
    "application",
    "queue",
    "partition",
    "preceding job",
    "think time",
)
_SUBMIT, _RUN, _ALLOCATED, _REQUESTED, _STATUS = (
    FIELDS.index(name) for name in ("submit time", "run time", "allocated processors", "requested processors", "status")
)

#: The largest values of a line: seconds, and processors.
LATEST, MOST_PROCESSORS = 10**11, 10**9

#: Numbers are ASCII; the rest of a header may be in any encoding.
_ENCODING = "latin-1"

#: Characters that no number contains; float() would also read nan, inf, 1_0 and digits of other scripts.
_FOREIGN = re.compile(r"[^-+.0-9eE\s]", re.ASCII)

_HEADER = re.compile(r";\s*(\w+)\s*:\s*(.*?)\s*$")

_PARTS = (2, 3, 4)  # statuses of the parts of a job that was swapped out in between
_CANCELLED = 5

PART = "a part of a job that has a line of its own (status 2, 3 or 4)"
NO_SUBMIT = "without a time of submission"
CANCELLED = "cancelled before they ran (status 5)"
NO_RUN = "without a run time (-1)"
ZERO_RUN = "with a run time of 0"
NEGATIVE_RUN = "with a negative run time other than -1"
NO_PROCESSORS = "with no number of processors, neither allocated nor requested"
TOO_LARGE = "with more processors than the machine has (MaxProcs)"

#: In the order in which a line is checked.
REASONS = (PART, NO_SUBMIT, CANCELLED, NO_RUN, ZERO_RUN, NEGATIVE_RUN, NO_PROCESSORS, TOO_LARGE)

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ParallelJobs:
    """The jobs of a log that ran, in the order of their submission.  All arrays have shape (n,)."""

    #: submit, run: seconds; the submit time since the log's start, and the run time, above 0
    submit: Floats
    run: Floats
    processors: Integers  #: at least 1
    #: the machine's processors: the header's MaxProcs, or else the most of any job; if no job has more processors
    #: than MaxNodes, the number of nodes, since such logs count nodes
    machine: int
    report: ImportReport  #: what was read, kept and left out

    def __len__(self) -> int:
        return len(self.submit)


class _Job(NamedTuple):
    submit: float
    run: float
    processors: int


@dataclass
class _Log:
    """The data read so far from all files."""

    jobs: list[_Job] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    header: dict[str, int] = field(default_factory=dict)  #: of the current file
    most: int = 0  #: MaxProcs, the largest of all files; 0 if there is none
    nodes: int = 0  #: MaxNodes, likewise
    began: int | None = None  #: UnixStartTime of the first file that has one
    offset: int = 0  #: seconds from then to the start of the current file
    requested: int = 0  #: number of jobs whose requested processors replace the allocated ones


@read_lately
def read_swf(paths: Sequence[Path]) -> ParallelJobs:
    """Read one or several files of a log, plain or gzip'd.

    Raises TraceError if a file cannot be used, with one line that says where, what was found and what is allowed;
    GivenUpError if the user stops waiting.
    """
    if not paths:
        raise TraceError("no file was given; allowed are logs in Standard Workload Format")
    watch = Watch(paths)
    log = _Log()
    for path in paths:
        _read(path, watch, log)
    rows = len(log.jobs) + log.left.total()
    if log.most:
        kept = [job for job in log.jobs if job.processors <= log.most]
        log.left[TOO_LARGE] = len(log.jobs) - len(kept)
        log.jobs = kept
    return _sorted(log, rows, tuple(path.name for path in paths))


def _sorted(log: _Log, rows: int, names: tuple[str, ...]) -> ParallelJobs:
    out = [LeftOut(reason, log.left[reason], "jobs" if reason != PART else "lines") for reason in REASONS]
    widest = max((job.processors for job in log.jobs), default=0)
    report = ImportReport(SOURCE, names, rows, 0, "jobs").then(len(log.jobs), "jobs", out, _notes(log, widest))
    submit = np.array([job.submit for job in log.jobs], np.float64)
    order = np.argsort(submit, kind="stable")
    run = np.array([job.run for job in log.jobs], np.float64)
    processors = np.array([job.processors for job in log.jobs], np.int64)
    machine = log.nodes if _counts_nodes(log, widest) else log.most or widest
    return ParallelJobs(submit[order], run[order], processors[order], machine, report)


def _counts_nodes(log: _Log, widest: int) -> bool:
    return 0 < widest <= log.nodes < log.most


def _notes(log: _Log, widest: int) -> Iterator[str]:
    if _counts_nodes(log, widest):
        yield (
            f"the header tells {log.most:,} processors in {log.nodes:,} nodes, and no job has more than {widest:,}: "
            "its processors are taken to be nodes"
        )
    if log.requested:
        yield (f"of {log.requested:,} jobs the requested processors stand for the allocated ones, which are not known")
    if not log.most:
        yield "no header tells MaxProcs; the machine is taken to be as large as the largest job"


def _read(path: Path, watch: Watch, log: _Log) -> None:
    """Add a file's jobs to *log*."""
    log.header = {}
    found_any = False
    for number, line in enumerate(lines(path, watch=watch, encoding=_ENCODING), 1):
        text = line.strip()
        if text.startswith(";"):
            _read_header(text, log.header)
        elif text:
            if not found_any:
                _begin(log)
                found_any = True
            try:
                _add(_numbers(text, path, number), log)
            except FieldError as error:
                raise error.at(path, number) from None
    if not found_any:
        raise TraceError(
            "found no line of a job; allowed are lines of 18 numbers, after header lines that begin with ';'",
            where=str(path),
        )
    log.most = max(log.most, log.header.get("MaxProcs", 0))
    log.nodes = max(log.nodes, log.header.get("MaxNodes", 0))


def _begin(log: _Log) -> None:
    """Set the offset of the file's time 0, once its header has been read."""
    start = log.header.get("UnixStartTime")
    if start is not None:
        if log.began is None:
            log.began = start
        log.offset = start - log.began


def _read_header(text: str, header: dict[str, int]) -> None:
    match = _HEADER.match(text)
    if match and match[1] in {"MaxNodes", "MaxProcs", "UnixStartTime"}:
        digits = re.match(r"\d{1,12}(?!\d)", match[2])
        if digits:
            header[match[1]] = int(digits[0])


def _numbers(text: str, path: Path, row: int) -> list[float]:
    """The 18 numbers of a line.

    Raises TraceError if the line has more or fewer, or anything but blanks between them; FieldError if one of
    them is not a number.
    """
    words = text.split()
    if len(words) != len(FIELDS):
        missing = f", '{FIELDS[len(words)]}' is the first that is absent" if len(words) < len(FIELDS) else ""
        raise TraceError(
            f"row {row}: found {len(words)} fields, {shown(text)}; allowed in the Standard "
            f"Workload Format are {len(FIELDS)} numbers with blanks between them{missing}{table_hint(row, text)}",
            where=str(path),
        )
    try:
        if not _FOREIGN.search(text):
            return [float(word) for word in words]
    except ValueError:
        pass
    for column, word in zip(FIELDS, words, strict=True):
        if not _is_number(word):
            raise FieldError(column, word, "a number, or -1 where it is not known")
    raise TraceError(f"row {row}: found {shown(text)}; allowed between the numbers are blanks", where=str(path))


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return not _FOREIGN.search(word)


def _add(numbers: list[float], log: _Log) -> None:
    """Keep the job of a line, or count why it is left out."""
    submit, run = numbers[_SUBMIT], numbers[_RUN]
    allocated, requested = (_whole(numbers, place) for place in (_ALLOCATED, _REQUESTED))
    reason = _reason(submit, run, max(allocated, requested), numbers[_STATUS])
    if reason:
        log.left[reason] += 1
        return
    for column, value in ((_SUBMIT, submit), (_RUN, run)):
        if value > LATEST:
            raise FieldError(FIELDS[column], f"{value:g}", f"seconds up to {LATEST}")
    log.requested += allocated <= 0
    log.jobs.append(_Job(log.offset + submit, run, allocated if allocated > 0 else requested))


def _reason(submit: float, run: float, processors: int, status: float) -> str:
    """The reason for leaving out a job; empty if it is kept."""
    if status in _PARTS:
        return PART
    if submit < 0:
        return NO_SUBMIT
    if status == _CANCELLED and run <= 0:
        return CANCELLED
    if run <= 0:
        return ZERO_RUN if run == 0 else NO_RUN if run == -1 else NEGATIVE_RUN
    return "" if processors > 0 else NO_PROCESSORS


def _whole(numbers: list[float], column: int) -> int:
    value = numbers[column]
    if not abs(value) <= MOST_PROCESSORS or value != int(value):
        raise FieldError(FIELDS[column], f"{value:g}", f"a whole number up to {MOST_PROCESSORS}, or -1")
    return int(value)
