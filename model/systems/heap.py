"""A four-ary heap of departures over plain arrays, ordered by (time, job number).

Entries are (time, job record).  Written once for the reference engine and the kernels.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned

Array = Any


@jitable
def push(times: Array, records: Array, size: int, time: float, record: int, numbers: Array) -> None:
    """Insert an entry into a heap of *size* entries; the arrays must have room for one more."""
    number = numbers[unsigned(record)]
    hole = size
    while hole > 0:
        parent = (hole - 1) >> 2
        above = times[unsigned(parent)]
        if above < time or (above == time and numbers[unsigned(records[unsigned(parent)])] < number):
            break
        times[unsigned(hole)] = above
        records[unsigned(hole)] = records[unsigned(parent)]
        hole = parent
    times[unsigned(hole)] = time
    records[unsigned(hole)] = record


@jitable
def pop(times: Array, records: Array, size: int, numbers: Array) -> int:
    """Remove the first of *size* > 0 entries and return its job record."""
    first = records[0]
    remove(times, records, size, 0, numbers)
    return int(first)


@jitable
def remove(times: Array, records: Array, size: int, position: int, numbers: Array) -> None:
    """Remove the entry at *position*; the freed last place is cleared."""
    last = size - 1
    time = times[unsigned(last)]
    record = records[unsigned(last)]
    times[unsigned(last)] = float("inf")
    records[unsigned(last)] = -1
    if position == last:
        return
    hole = position
    while True:
        child = 4 * hole + 1
        if child >= last:
            break
        best = child
        below = times[unsigned(child)]
        for other in range(child + 1, min(child + 4, last)):
            there = times[unsigned(other)]
            if there == below and (
                numbers[unsigned(records[unsigned(other)])] < numbers[unsigned(records[unsigned(best)])]
            ):
                best = other
            # Which child is first is unpredictable: conditional moves cost less than a mispredicted branch.
            best = other if there < below else best
            below = there if there < below else below  # noqa: FURB136 plain Python would call a function for it
        if time < below or (time == below and numbers[unsigned(record)] < numbers[unsigned(records[unsigned(best)])]):
            break
        times[unsigned(hole)] = below
        records[unsigned(hole)] = records[unsigned(best)]
        hole = best
    if hole == position:
        push(times, records, hole, time, record, numbers)
    else:
        times[unsigned(hole)] = time
        records[unsigned(hole)] = record


@jitable
def find(records: Array, size: int, record: int) -> int:
    """The position of a job record in the heap, or -1."""
    for position in range(size):
        if records[position] == record:
            return position
    return -1
