"""Google ClusterData2011_2: completed runs of tasks from the table ``task_events``.

A task is identified by (job ID, task index).  Its rows are events: submission, scheduling, updates and an
end; after an end it may be submitted again.  One *run* lasts from a SUBMIT row to the next end (EVICT,
FAIL, FINISH, KILL, LOST).  A run is kept if it completed within the window of the trace: SUBMIT and
SCHEDULE after time 0, and then FINISH.  Time 0 means "before the trace began", the largest 64-bit integer
"after it ended".

Data: "clusterdata-2011-2" by John Wilkes and Charles Reiss, CC-BY 4.0.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Sequence

import numpy as np
import numpy.typing as npt

from slotscope.model.traces.lately import read_lately
from slotscope.model.traces.report import ImportReport, LeftOut
from slotscope.model.traces.task_events import (
    AFTER,
    BEFORE,
    EVICT,
    FAIL,
    FINISH,
    KILL,
    LOST,
    REQUEST_UNIT,
    SCHEDULE,
    SUBMIT,
    UPDATE_RUNNING,
    TaskEvent,
    TaskEventTable,
)

SOURCE = "Google ClusterData2011_2 task_events"

_ENDINGS = frozenset((EVICT, FAIL, FINISH, KILL, LOST))
_UNKNOWN = -1

_ROWS_BEFORE = "at time 0: they tell of tasks that were there before the trace began"
_ROWS_AFTER = "after the end of the trace"
_ROWS_NO_REQUEST = "without a CPU or memory request: the run's other rows count"
_ROW_REASONS = (_ROWS_BEFORE, _ROWS_AFTER, _ROWS_NO_REQUEST)
_RUN_BEFORE = "submitted or scheduled before the trace began"
_RUN_UNSEEN = "finished, but their SUBMIT or SCHEDULE row is not in the files"
_RUN_NO_REQUEST = "finished without a CPU or memory request in any row"
_RUN_REPLACED = "submitted again before they had ended"
_RUN_PENDING = "still waiting when the files end"
_RUN_RUNNING = "still running when the files end"
_RUN_ENDED = {EVICT: "evicted", FAIL: "failed", KILL: "killed", LOST: "lost"}
_RUN_REASONS = (
    _RUN_BEFORE,
    _RUN_UNSEEN,
    _RUN_NO_REQUEST,
    *_RUN_ENDED.values(),
    _RUN_REPLACED,
    _RUN_RUNNING,
    _RUN_PENDING,
)


@dataclass(frozen=True, eq=False)
class GoogleTasks:
    """Completed runs, in the order of their SUBMIT rows.  All arrays have shape (n,)."""

    #: submit, schedule, finish: int64, microseconds in trace time (which begins at 600 s)
    submit: npt.NDArray[np.int64]
    schedule: npt.NDArray[np.int64]
    finish: npt.NDArray[np.int64]
    #: cpu, memory: int64, the run's latest requests, exact, in units of 1/:data:`REQUEST_UNIT` of the largest
    #: machine
    cpu: npt.NDArray[np.int64]
    memory: npt.NDArray[np.int64]
    priority: npt.NDArray[np.int16]  #: int16, 0 (least) to 11 or 12
    #: job, index: int64 and int32, identify the task
    job: npt.NDArray[np.int64]
    index: npt.NDArray[np.int32]
    report: ImportReport  #: what was read, kept and left out

    def __len__(self) -> int:
        return len(self.submit)

    @property
    def size(self) -> npt.NDArray[np.int64]:
        """The larger of the CPU and the memory request, int64 [n], in 1/:data:`REQUEST_UNIT`."""
        return np.maximum(self.cpu, self.memory)

    @property
    def runtime(self) -> npt.NDArray[np.int64]:
        """The time from scheduling to finish, int64 [n], microseconds."""
        return self.finish - self.schedule

    @property
    def wait(self) -> npt.NDArray[np.int64]:
        """The time from submission to scheduling, int64 [n], microseconds."""
        return self.schedule - self.submit

    def keep(self, kept: npt.NDArray[np.bool_], reason: str) -> GoogleTasks:
        """The runs where *kept* (bool [n]) is true; the report counts the others as *reason*."""
        arrays = {field.name: getattr(self, field.name)[kept] for field in fields(self) if field.name != "report"}
        out = LeftOut(reason, int(len(kept) - np.count_nonzero(kept)), "completed runs")
        report = self.report.then(self.report.kept - out.count, self.report.kept_as, (out,))
        return replace(self, **arrays, report=report)

    def servable(self) -> GoogleTasks:
        """The runs that can be jobs of a server of capacity 1: 0 < size <= 1, run time > 0."""
        tasks = self.keep(self.size > 0, "requested neither CPU nor memory (size 0)")
        tasks = tasks.keep(tasks.size <= REQUEST_UNIT, "larger than the largest machine (size > 1)")
        return tasks.keep(tasks.runtime > 0, "finished in the microsecond in which they began")


@read_lately
def read_task_events(paths: Sequence[Path]) -> GoogleTasks:
    """Read one or several parts of the table.

    Only the unfinished and the completed runs are kept in memory, not the rows.

    - *paths*: Parts of the table in any order, or a folder of them: :class:`TaskEventTable`.

    Raises TraceError if a file cannot be used, with one line that says where, what was found and what is allowed;
    GivenUpError if the user stops waiting.
    """
    table = TaskEventTable(paths)
    runs = TaskRuns()
    for event in table:
        runs.take(event)
    return runs.result([path.name for path in table.files], [path.name for path in table.overlapping])


@dataclass(slots=True)
class _OpenRun:
    """A run that has not ended; each time is _UNKNOWN until its row is read."""

    sequence: int
    submit: int
    schedule: int = _UNKNOWN
    cpu: int | None = None
    memory: int | None = None
    priority: int = 0
    running: bool = False


class TaskRuns:
    """Tracks all tasks through the events, and collects the runs that complete."""

    def __init__(self, source: str = SOURCE) -> None:
        self._source = source
        self._open: dict[tuple[int, int], _OpenRun] = {}
        self._left: Counter[str] = Counter()
        self._rows = 0
        self._kept = tuple(array("q") for _ in range(9))

    def take(self, event: TaskEvent) -> None:
        """Process the next event; events come in time order."""
        self._rows += 1
        time, kind, job, index, priority, cpu, memory = event
        if cpu is None or memory is None:
            self._left[_ROWS_NO_REQUEST] += 1
        if time == BEFORE:
            self._left[_ROWS_BEFORE] += 1
        elif time == AFTER:
            self._left[_ROWS_AFTER] += 1
            return
        run = self._run_of((job, index), time, kind)
        run.priority = priority
        if cpu is not None:
            run.cpu = cpu
        if memory is not None:
            run.memory = memory
        if kind == SCHEDULE:
            run.schedule, run.running = time, True
        elif kind == UPDATE_RUNNING:
            run.running = True
        elif kind in _ENDINGS:
            del self._open[job, index]
            self._end(run, event)

    def _run_of(self, task: tuple[int, int], time: int, kind: int) -> _OpenRun:
        run = self._open.get(task)
        if kind == SUBMIT:
            if run is not None:
                self._left[_RUN_REPLACED] += 1
            run = self._open[task] = _OpenRun(self._rows, time)
        elif run is None:
            run = self._open[task] = _OpenRun(self._rows, _UNKNOWN)
        return run

    def _end(self, run: _OpenRun, event: TaskEvent) -> None:
        if event.kind != FINISH:
            self._left[_RUN_ENDED[event.kind]] += 1
        elif BEFORE in (run.submit, run.schedule):
            self._left[_RUN_BEFORE] += 1
        elif _UNKNOWN in (run.submit, run.schedule):
            self._left[_RUN_UNSEEN] += 1
        elif run.cpu is None or run.memory is None:
            self._left[_RUN_NO_REQUEST] += 1
        else:
            times = (run.submit, run.schedule, event.time)
            values = (run.sequence, *times, run.cpu, run.memory, run.priority, event.job, event.task)
            for column, value in zip(self._kept, values, strict=True):
                column.append(value)

    def result(self, names: Sequence[str], overlapping: Sequence[str] = ()) -> GoogleTasks:
        """The runs completed so far, sorted by SUBMIT row, with the report on the files of these *names*."""
        columns = [np.array(column, dtype=np.int64) for column in self._kept]
        order = np.argsort(columns[0])
        submit, schedule, finish, cpu, memory, priority, job, index = (column[order] for column in columns[1:])
        return GoogleTasks(
            submit=submit,
            schedule=schedule,
            finish=finish,
            cpu=cpu,
            memory=memory,
            priority=priority.astype(np.int16),
            job=job,
            index=index.astype(np.int32),
            report=self._report(names, overlapping, len(order)),
        )

    def _report(self, names: Sequence[str], overlapping: Sequence[str], kept: int) -> ImportReport:
        left = self._left + Counter(_RUN_RUNNING if run.running else _RUN_PENDING for run in self._open.values())
        out = [LeftOut(reason, left[reason], "rows") for reason in _ROW_REASONS]
        out += [LeftOut(reason, left[reason], "runs") for reason in _RUN_REASONS]
        notes = [f"these files overlap in time and were merged row by row: {', '.join(overlapping)}"]
        report = ImportReport(self._source, tuple(names), self._rows, 0, "runs")
        return report.then(kept, "completed runs", out, notes if overlapping else ())
