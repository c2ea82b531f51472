"""The rows of Google ClusterData2011_2's table ``task_events``, merged over its parts.

The table comes in parts that follow one another in time; a part's rows are in time order
and have no header.  :mod:`model.traces.google` makes runs of tasks from them.
"""

from __future__ import annotations

import heapq
import os
from collections import deque
from pathlib import Path
from typing import Callable, Generic, Iterator, NamedTuple, Sequence, TypeVar

from slotscope.model.errors import TraceError
from slotscope.model.traces.reading import INT64_MAX, FieldError, Watch, rows, scaled_decimal, shown, whole_number

Value = TypeVar("Value")

COLUMNS = (
    "timestamp",
    "missing info",
    "job ID",
    "task index",
    "machine ID",
    "event type",
    "user",
    "scheduling class",
    "priority",
    "CPU request",
    "memory request",
    "disk space request",
    "different machines restriction",
)
#: CPU and memory are integers in units of 10^-REQUEST_PLACES of the largest machine.
REQUEST_PLACES = 12
REQUEST_UNIT: int = 10**REQUEST_PLACES
#: Some tasks request more than any machine has; a larger number than this is not a request.
LARGEST_REQUEST = 1000
#: The data contain 0 to 11; their description also mentions 12.
LARGEST_PRIORITY = 12
#: Timestamps that stand for "before the trace began" and "after it ended".
BEFORE, AFTER = 0, INT64_MAX
#: Event types.
SUBMIT, SCHEDULE, EVICT, FAIL, FINISH, KILL, LOST, UPDATE_PENDING, UPDATE_RUNNING = range(9)


class TaskEvent(NamedTuple):
    """One row of the table."""

    time: int  #: microseconds
    kind: int  #: event type
    job: int  #: job ID
    task: int  #: task index within the job
    priority: int
    cpu: int | None  #: in 1/:data:`REQUEST_UNIT`; None if the row has no request
    memory: int | None  #: likewise


class TaskEventTable:
    """One or several parts of the table, iterated row by row in time order.

    The parts are ordered by their first timestamps.  Rows with equal times keep the order of the parts.

    - *paths*: Files, plain or gzip'd, in any order; a folder means the ``.csv`` and ``.csv.gz`` files in it
      (or in its subfolder ``task_events``).

    Raises TraceError if there is no part, or a part is given twice, or its first row cannot be read; while iterating,
    TraceError if a row cannot be used, and GivenUpError if the user stops waiting.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        found = _files(paths)
        self._watch = Watch(found)
        parts = sorted((next(_events(path)).time, path) for path in found)
        self._firsts = [first for first, _ in parts]
        self.files = [path for _, path in parts]  #: the parts in order
        self._overlapping: set[int] = set()

    @property
    def overlapping(self) -> list[Path]:
        """The parts whose rows had to be merged with another's, once iterated."""
        return [self.files[part] for part in sorted(self._overlapping)]

    def __iter__(self) -> Iterator[TaskEvent]:
        # A part is opened only when its first timestamp is reached, so that only one file is open at a time
        # if the parts follow one another.
        waiting = deque(range(len(self.files)))
        heads: list[tuple[int, int, TaskEvent, Iterator[TaskEvent]]] = []
        while waiting or heads:
            if waiting and (not heads or self._firsts[waiting[0]] <= heads[0][0]):
                part = waiting.popleft()
                stream = _events(self.files[part], self._watch)
                head = next(stream)
                heapq.heappush(heads, (head.time, part, head, stream))
                continue
            _, part, head, stream = heapq.heappop(heads)
            bounds = [heads[0][:2]] if heads else []
            if waiting:
                bounds.append((self._firsts[waiting[0]], waiting[0]))
            bound = min(bounds, default=(AFTER, len(self.files)))
            event: TaskEvent | None = head
            while event is not None and (event.time, part) < bound:
                yield event
                event = next(stream, None)
            if event is not None:
                self._overlapping |= {part, bound[1]}
                heapq.heappush(heads, (event.time, part, event, stream))


def _files(paths: Sequence[Path]) -> list[Path]:
    """The files that *paths* mean, each once."""
    for path in paths:
        if "\0" in str(path):
            raise TraceError(f"found the name {shown(str(path))}; allowed is a file's name")
    files = [file for path in paths for file in (_parts_in(path) if _is_folder(path) else [path])]
    if not files:
        raise TraceError("no file was given; allowed are parts of task_events, or a folder of them")
    seen: dict[str, Path] = {}
    for file in files:
        key = os.path.realpath(file).removesuffix(".gz")
        if key in seen:
            raise TraceError(
                f"found the same part twice, the other time as {seen[key].name}; give it once", where=str(file)
            )
        seen[key] = file
    return files


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: OSError) -> TraceError:
    return TraceError(f"this cannot be read: {error.strerror or error}", where=str(path))


def _parts_in(folder: Path) -> list[Path]:
    """The parts in *folder*, or in its subfolder ``task_events``."""
    inner = folder / "task_events"
    place = inner if _is_folder(inner) else folder
    try:
        found = sorted(
            path
            for path in place.iterdir()
            if path.name.endswith((".csv", ".csv.gz")) and not path.name.startswith(".")
        )
    except OSError as error:
        raise _unreadable(place, error) from None
    if not found:
        raise TraceError(
            "the folder has no .csv or .csv.gz file; allowed is a folder of task_events parts", where=str(place)
        )
    return found


class _Memo(dict[str, Value], Generic[Value]):
    """Texts of one column to their values; each text is parsed once."""

    def __init__(self, parse: Callable[[str], Value]) -> None:
        self._parse = parse

    def __missing__(self, text: str) -> Value:
        value = self[text] = self._parse(text)
        return value


def _numbers(column: str, highest: int) -> _Memo[int]:
    return _Memo(lambda text: whole_number(text, column, 0, highest))


def _requests(column: str) -> _Memo[int | None]:
    return _Memo(lambda text: scaled_decimal(text, column, REQUEST_PLACES, LARGEST_REQUEST) if text else None)


def _events(path: Path, watch: Watch | None = None) -> Iterator[TaskEvent]:
    """The rows of one part, checked."""
    time_column, job_column = COLUMNS[0], COLUMNS[2]
    tasks, kinds = _numbers(COLUMNS[3], 2**31 - 1), _numbers(COLUMNS[5], UPDATE_RUNNING)
    priorities = _numbers(COLUMNS[8], LARGEST_PRIORITY)
    cpus, memories = _requests(COLUMNS[9]), _requests(COLUMNS[10])
    last = 0
    for number, row in rows(path, COLUMNS, watch=watch):
        try:
            time = whole_number(row[0], time_column)
            if time < last:
                raise FieldError(time_column, row[0], f"{last} or later: rows are in time order")
            job = whole_number(row[2], job_column)
            event = TaskEvent(
                time, kinds[row[5]], job, tasks[row[3]], priorities[row[8]], cpus[row[9]], memories[row[10]]
            )
        except FieldError as error:
            raise error.at(path, number) from None
        last = time
        yield event
