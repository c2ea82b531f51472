"""Invariants of job records and heaps in a state, for all kinds of system; each violation is a sentence."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.state import all_differ

Sentences = Iterator[str]

#: Children of a node in the heap.
_CHILDREN = 4


def free_records(state: Any, free: int) -> Sentences:
    """Each job record belongs to a job, or occurs once in the stack of *free* records."""
    listed = np.sort(state.free_record[:free])
    if not np.array_equal(listed, np.flatnonzero(state.job_number < 0)):
        yield f"{free} job records are called free, {(state.job_number < 0).sum()} have no job"


def numbered(numbers: NDArray[Any], given: int, what: str = "job") -> Sentences:
    """The *numbers* of the present jobs, or of other things, are distinct and below *given*."""
    if (numbers >= given).any():
        yield f"a {what} has number {numbers.max()}, given were those below {given}"
    if not all_differ(numbers):
        yield f"two {what}s have the same number"


def heap_of(state: Any, size: int, due: NDArray[Any], what: str, ahead: bool = False) -> Sentences:
    """The heap holds each job with a finite time in *due* once, in order, and none in the past.

    *what* is due, such as "departure"; *ahead*: none may be due exactly now.
    """
    times, records, now = state.heap_time[:size], state.heap_record[:size], state.clock[0]
    will = np.flatnonzero((state.job_number >= 0) & np.isfinite(due))
    if not np.array_equal(np.sort(records), will):
        yield f"the heap has {size} {what}s, {len(will)} jobs have one before them"
        return
    if not np.array_equal(times, due[records]):
        yield f"the heap has another time of {what} than the job"
    parents = (np.arange(1, size) - 1) // _CHILDREN
    later = state.job_number[records[parents]] > state.job_number[records[1:]]
    if ((times[parents] > times[1:]) | ((times[parents] == times[1:]) & later)).any():
        yield f"the heap of {what}s is not in order"
    if size and (times.min() < now or (ahead and times.min() == now)):
        yield f"a {what} at {times.min():g} is {'not after' if ahead else 'before'} the present, {now:g}"
