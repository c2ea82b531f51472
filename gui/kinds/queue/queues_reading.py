"""The content of the virtual queues' lanes at a moment, independent of pixels."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Iterable, NamedTuple

import numpy as np

from slotscope.gui.kinds.queue.colours import Look, SizeClasses, queue_name, size_classes
from slotscope.gui.kinds.queue.wording import Interval
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import NOW, QueueState
from slotscope.model.reporting.frame import Frame
from slotscope.model.reporting.records import Evict, Place, Record

#: A lane's height stands for at least the size 1 / _MOST_PARTS of a server.
_MOST_PARTS = 1024


class JobCell(NamedTuple):
    """A job in a lane; with several resources, the one that it needs most counts."""

    record: int
    number: int
    share: float  #: its true size, as a share of a largest server
    look: int  #: the class of its size


class QueueLane(NamedTuple):
    """One virtual queue at a moment."""

    queue: int
    length: int
    first: tuple[JobCell, ...]  #: the first jobs, from the head of the line, at most as many as asked for
    placed: tuple[JobCell, ...]  #: the jobs placed in the slot shown, the latest first
    deep: JobCell | None  #: a job named by the step or selected that waits behind ``first``


class LaneName(NamedTuple):
    """The name, interval and look of a lane, which stay the same during a run."""

    text: str
    interval: Interval | None  #: sizes (low, high] as shares of a largest server
    look: Look


@dataclass(frozen=True)
class Focus:
    """The numbers of the jobs that the current step names, and of the selected job."""

    looked_at: int | None = None
    evicted: int | None = None
    placed: tuple[int, ...] = ()
    arrived: int | None = None  #: only if the step names no other job
    selected: int | None = None

    @property
    def pointed_at(self) -> tuple[int, ...]:
        """The jobs that are shown wherever they wait, the most important first."""
        jobs = (self.looked_at, self.evicted, self.selected, self.arrived)
        return tuple(job for job in jobs if job is not None)


def focus_of(frame: Frame, selected: int | None) -> Focus:
    """The jobs named by the last sub-step, or else by the whole last slot, and the *selected* job."""
    if frame.running:
        return Focus(selected=selected)
    records = frame.records or frame.last_records
    placed = tuple(record.job for record in reversed(records) if isinstance(record, Place))
    last = frame.records[-1] if frame.records else None
    looked_at, evicted = _named(last), last.job if isinstance(last, Evict) else None
    nothing = not placed and looked_at is None and evicted is None
    arrived = arrived_now(frame.state) if nothing else None
    return Focus(looked_at, evicted, placed, arrived, selected)


def _named(record: Record | None) -> int | None:
    """The job that a sub-step considers; None for placements and evictions, which are shown otherwise."""
    if record is None or isinstance(record, Place | Evict):
        return None
    job = record.values.get("job")
    return int(job) if isinstance(job, int | np.integer) and job >= 0 else None


def arrived_now(state: QueueState) -> int | None:
    """The first job of those that arrived in the current slot and are in the system; None for none."""
    fresh = (state.job_arrival == state.clock[NOW]) & (state.job_number >= 0)
    numbers = state.job_number[fresh]
    return int(numbers.min()) if len(numbers) else None


def records_of(state: QueueState, jobs: Iterable[int]) -> dict[int, int]:
    """The records of those *jobs* that are in the system, by number."""
    wanted = list(jobs)
    if not wanted:
        return {}
    found = np.flatnonzero(np.isin(state.job_number, wanted)).tolist()
    return {int(state.job_number[record]): record for record in found}


def first_in_line(state: QueueState, queue: int, most: int) -> list[int]:
    """The records of the first jobs of a queue, at most *most*; takes O(most) steps."""
    records: list[int] = []
    record = int(state.first_waiting[queue])
    following = state.job_next
    while record >= 0 and len(records) < most:
        records.append(record)
        record = int(following[record])
    return records


def cells(state: QueueState, records: list[int], classes: SizeClasses) -> tuple[JobCell, ...]:
    """The cells of the jobs in some records."""
    sizes, numbers = state.job_size[records], state.job_number[records]
    shares = sizes.max(axis=1, initial=0) / classes.capacity
    looks = classes.of(sizes)
    return tuple(map(JobCell, records, numbers.tolist(), shares.tolist(), looks.tolist()))


def lanes(frame: Frame, focus: Focus, most: int, queues: Iterable[int]) -> tuple[QueueLane, ...]:
    """The lanes of these *queues*, each with its first *most* jobs."""
    state, classes = frame.state, size_classes(frame.info.numbers)
    known = records_of(state, {*focus.placed, *focus.pointed_at})
    gone = [known[job] for job in focus.placed if job in known]
    waiting = [known[job] for job in focus.pointed_at if job in known]
    waiting = [record for record in waiting if state.job_server[record] < 0]
    result = []
    for queue in queues:
        first = first_in_line(state, queue, most)
        placed = [record for record in gone if state.job_queue[record] == queue and state.job_server[record] >= 0]
        deep = [record for record in waiting if state.job_queue[record] == queue and record not in first]
        result.append(
            QueueLane(
                queue,
                int(state.queue_length[queue]),
                cells(state, first, classes),
                cells(state, placed, classes),
                next(iter(cells(state, deep[:1], classes)), None),
            )
        )
    return tuple(result)


def lane_names(facts: QueueFacts, numbers: QueueNumbers) -> tuple[LaneName, ...]:
    """Names, intervals and looks of all lanes."""
    queues, looks = facts.layout.queues, size_classes(numbers).of_queues(numbers, facts)
    if facts.intervals:
        whole = int(numbers.largest[0])
        return tuple(
            LaneName(queue_name(queue, queues), (Fraction(low, whole), Fraction(high, whole)), look)
            for (queue, (low, high)), look in zip(enumerate(facts.intervals), looks, strict=True)
        )
    if queues == 1:
        return (LaneName(queue_name(0, 1), None, None),)
    return tuple(LaneName(f"size {name}", None, look) for name, look in zip(facts.layout.names, looks, strict=True))


def lane_top(numbers: QueueNumbers) -> Fraction:
    """The size as high as a lane: 1 (a server), or the least of 1/2, 1/4 ... that no job's size exceeds."""
    pairs = zip(numbers.sizes.largest, numbers.largest.tolist(), strict=True)
    most = max(Fraction(size, whole) for size, whole in pairs)
    top = Fraction(1)
    while most <= top / 2 and top.denominator < _MOST_PARTS:
        top /= 2
    return top
