"""Which job records an event has changed, reported by compiled code during a run: at most two of hundreds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.reservation.rows import EVENT_ROW
from slotscope.model.kinds.reservation.state import ADMITTED, DEPARTED, FREE, MIGRATED, PREEMPTED, ReservationState
from slotscope.model.systems.watching import Derived, number_in, offset_of

Array = Any
State = Any

#: The offsets, in a row, of the server of its job, and of the lower halves of the numbers of its jobs.
SERVER, JOB, MOVED = (offset_of(EVENT_ROW, name) for name in ("server", "job", "moved"))

# The layout of what is kept: at most two reported records, then the counts of admissions, departures, migrations and
# preemptions so far.
TOLD, (ADMITTED_SO_FAR, DEPARTED_SO_FAR, MIGRATED_SO_FAR, PREEMPTED_SO_FAR) = 0, range(2, 6)


def jobs_known(state: ReservationState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[0, M] an empty array, as nothing is derived; and the data of a state that later calls compare with."""
    counts = state.tally[:, [ADMITTED, DEPARTED, MIGRATED, PREEMPTED]].sum(axis=0)
    return np.zeros((0, len(state.job_number)), np.int64), np.concatenate([np.zeros(2, np.int64), counts])


@jitable
def tell_jobs(state: State, _derived: Array, kept: Array, rows: Array) -> int:
    """Report the record freed last (the job that left) and the first in its server's list (the job that came).

    This identifies the changes of a single event that did no more than that; otherwise all records count as changed.
    """
    admitted = since(state, kept, ADMITTED, ADMITTED_SO_FAR)
    departed = since(state, kept, DEPARTED, DEPARTED_SO_FAR)
    migrated = since(state, kept, MIGRATED, MIGRATED_SO_FAR)
    preempted = since(state, kept, PREEMPTED, PREEMPTED_SO_FAR)
    if len(rows) != 1 or preempted > 0 or admitted + departed > 1 or migrated > 1:
        return -1
    told = 0
    if departed > 0:
        kept[TOLD] = state.free_record[unsigned(state.number[FREE] - 1)]
        told = 1
    for offset, count in ((JOB, admitted), (MOVED, migrated)):
        if count > 0:
            record = record_of(state, rows[0], offset)
            if record < 0:
                return -1
            kept[unsigned(TOLD + told)] = record
            told += 1
    return told


@jitable
def since(state: State, kept: Array, tally: int, place: int) -> int:
    """The increase of a count since it was kept."""
    count = 0
    for j in range(len(state.tally)):
        count += state.tally[unsigned(j), tally]
    before = kept[place]
    kept[place] = count
    return int(count - before)


@jitable
def record_of(state: State, row: Array, offset: int) -> int:
    """The first record of a type on the row's server, if it holds the job that the row names."""
    server = number_in(row, SERVER)
    for j in range(len(state.tally)):
        record = state.first_job[unsigned(server), unsigned(j)]
        if record >= 0 and number_in(row, offset) == np.int32(state.job_number[unsigned(record)]):
            return int(record)
    return -1


MOVING = Derived((), jobs_known, tell_jobs, every=True)
