"""Which job records a slot has changed, reported by compiled code during a run: few of the many that wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.state import DEPARTED, EVICTED, FREE, QueueState
from slotscope.model.systems.watching import Derived

Array = Any
State = Any

#: The most records that are reported; if a slot changes more, all count as changed.
MOST_TOLD = 512

# The positions behind the reported records; OF_SERVERS is the first of [L] numbers of each server's last placed job.
(DEPARTURES_SO_FAR, EVICTIONS_SO_FAR, NEWEST, OF_SERVERS) = range(MOST_TOLD, MOST_TOLD + 4)


def jobs_known(state: QueueState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[0, M] an empty array, as nothing is derived; and the data of a state that later calls compare with."""
    kept = np.zeros(OF_SERVERS + len(state.last_job), np.int64)
    kept[DEPARTURES_SO_FAR], kept[EVICTIONS_SO_FAR] = state.tally[DEPARTED], state.tally[EVICTED]
    kept[NEWEST] = state.job_number.max(initial=-1)
    kept[OF_SERVERS:] = np.where(state.last_job >= 0, state.job_number[state.last_job], -1)
    return np.zeros((0, len(state.job_number)), np.int64), kept


@jitable
def tell_jobs(state: State, _derived: Array, kept: Array, rows: Array) -> int:
    """Report the records that have changed: new arrivals are at the ends of their queues, placed jobs at the ends of
    their servers' lists, and the records of departed jobs on top of the stack of free ones, unless reused.
    """
    known = len(rows) == 1 and state.tally[EVICTED] == kept[EVICTIONS_SO_FAR]
    left = state.tally[DEPARTED] - kept[DEPARTURES_SO_FAR]
    kept[DEPARTURES_SO_FAR], kept[EVICTIONS_SO_FAR] = state.tally[DEPARTED], state.tally[EVICTED]
    told, newest = 0, kept[NEWEST]
    for queue in range(len(state.last_waiting)):
        last = state.last_waiting[unsigned(queue)]
        if last >= 0:
            newest = max(newest, state.job_number[unsigned(last)])
        told = tell_back(state, kept, last, kept[NEWEST], told)
    kept[NEWEST] = newest
    for server in range(len(state.last_job)):
        last = state.last_job[unsigned(server)]
        told = tell_back(state, kept, last, -1, told, kept[unsigned(OF_SERVERS + server)])
        kept[unsigned(OF_SERVERS + server)] = state.job_number[unsigned(last)] if last >= 0 else -1
    for free in range(max(0, state.number[FREE] - left), state.number[FREE]):
        told = tell(kept, state.free_record[unsigned(free)], told)
    return told if known and told <= MOST_TOLD else -1


@jitable
def tell_back(state: State, kept: Array, last: int, newest: int, told: int, until: int = -1) -> int:
    """Report the record *last* and those before it in its list, while their jobs are newer than *newest*, back to
    job *until*; returns how many are reported."""
    record = last
    while record >= 0 and state.job_number[unsigned(record)] > newest and state.job_number[unsigned(record)] != until:
        told = tell(kept, record, told)
        record = state.job_previous[unsigned(record)]
    return told


@jitable
def tell(kept: Array, record: int, told: int) -> int:
    """Report a record if there is room; returns the number of reported records, or one more than there is room for."""
    if told < MOST_TOLD:
        kept[unsigned(told)] = record
        return told + 1
    return MOST_TOLD + 1


MOVING = Derived((), jobs_known, tell_jobs, every=True)
