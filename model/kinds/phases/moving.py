"""Compiled code that tells which record of a real job an event changed, out of hundreds, while a run goes on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.rows import PHASE_ROW
from slotscope.model.kinds.phases.state import FREE, PhaseState
from slotscope.model.systems.watching import Derived, number_in, offset_of

Array = Any
State = Any

#: Offset in a row of the lower half of its job's number, which is negative for a virtual job and for none.
JOB = offset_of(PHASE_ROW, "job")

#: Number of entries of the cache of jobs' records, by the job's number modulo this.
REMAINDERS = 4096

# Layout of what is kept: the record told, the record to be taken next, then a job and its record for each cache entry.
TOLD, NEXT, KNOWN = range(3)


def jobs_known(state: PhaseState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[0, M] an empty array, as nothing is derived; and what is kept for a state."""
    kept = np.full(KNOWN + 2 * REMAINDERS, -1)
    kept[NEXT] = state.free_record[state.number[FREE] - 1]
    records = np.flatnonzero((state.job_number >= 0) & (state.job_virtual == 0))
    places = KNOWN + 2 * (state.job_number[records] % REMAINDERS)
    kept[places], kept[places + 1] = state.job_number[records], records
    return np.zeros((0, len(state.job_number)), np.int64), kept


@jitable
def tell_job(state: State, _derived: Array, kept: Array, rows: Array) -> int:
    """Tell the record that an event changed: 1 if there is one, 0 if there is none, -1 if it is not known.

    A job keeps its record as long as it is there, and an event changes no other real job than its own.
    """
    following = kept[NEXT]
    kept[NEXT] = state.free_record[unsigned(state.number[FREE] - 1)] if state.number[FREE] > 0 else -1
    if len(rows) != 1:
        return -1
    job = number_in(rows[0], JOB)
    if job < 0:
        return 0
    place = KNOWN + 2 * (job % REMAINDERS)
    if kept[unsigned(place)] != job:
        record = record_of(state, job, following)
        if record < 0:
            return -1
        kept[unsigned(place)], kept[unsigned(place + 1)] = job, record
    kept[TOLD] = kept[unsigned(place + 1)]
    return 1


@jitable
def record_of(state: State, job: int, likely: int) -> int:
    """The record of a real job: *likely* if it is that job's, else found by search; -1 if there is none."""
    if likely >= 0 and has(state, likely, job):
        return likely
    for record in range(len(state.job_number)):
        if has(state, record, job):
            return record
    return -1


@jitable
def has(state: State, record: int, job: int) -> bool:
    """Whether a record is that of the real job whose number has the lower half *job*."""
    return bool(np.int32(state.job_number[unsigned(record)]) == job and state.job_virtual[unsigned(record)] == 0)


MOVING = Derived((), jobs_known, tell_job, every=True)
