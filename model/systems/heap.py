"""A four-ary heap of departures over plain arrays, ordered by (time, job number).

Entries are (time, job record).  Written once for the reference engine and the kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable

Array = Any


@jitable
def push(times: Array, records: Array, size: int, time: float, record: int, numbers: Array) -> None:
    """Insert an entry into a heap of *size* entries; the arrays must have room for one more."""
    number = numbers[np.uintp(record)]
    hole = size
    while hole > 0:
        parent = (hole - 1) >> 2
        above = times[np.uintp(parent)]
        if above < time or (above == time and numbers[np.uintp(records[np.uintp(parent)])] < number):
            break
        times[np.uintp(hole)] = above
        records[np.uintp(hole)] = records[np.uintp(parent)]
        hole = parent
    times[np.uintp(hole)] = time
    records[np.uintp(hole)] = record


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
    time = times[np.uintp(last)]
    record = records[np.uintp(last)]
    times[np.uintp(last)] = float("inf")
    records[np.uintp(last)] = -1
    if position == last:
        return
    number = numbers[np.uintp(record)]
    hole = position
    while True:
        child = 4 * hole + 1
        if child >= last:
            break
        best = child
        below = times[np.uintp(child)]
        for other in range(child + 1, min(child + 4, last)):
            there = times[np.uintp(other)]
            if there == below and (
                numbers[np.uintp(records[np.uintp(other)])] < numbers[np.uintp(records[np.uintp(best)])]
            ):
                best = other
            # Which child is first cannot be foreseen: a choice of values costs less than a jump.
            best = other if there < below else best
            below = min(there, below)
        if time < below or (time == below and number < numbers[np.uintp(records[np.uintp(best)])]):
            break
        times[np.uintp(hole)] = below
        records[np.uintp(hole)] = records[np.uintp(best)]
        hole = best
    if hole == position:
        push(times, records, hole, time, record, numbers)
    else:
        times[np.uintp(hole)] = time
        records[np.uintp(hole)] = record


@jitable
def find(records: Array, size: int, record: int) -> int:
    """The position of a job record in the heap, or -1."""
    for position in range(size):
        if records[position] == record:
            return position
    return -1
