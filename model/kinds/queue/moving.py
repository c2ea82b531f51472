"""Which job records a slot has changed, told by compiled code while a run goes on: few of many that wait."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.state import DEPARTED, EVICTED, FREE, QueueState
from slotscope.model.systems.watching import Derived

Array = Any
State = Any

#: Records that are told at most; where a slot changes more, it may have been any.
MOST_TOLD = 512

# What is kept behind them, before [L] the number of the job placed last of those on each server.
(DEPARTURES_SO_FAR, EVICTIONS_SO_FAR, NEWEST, OF_SERVERS) = range(MOST_TOLD, MOST_TOLD + 4)


def jobs_known(state: QueueState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[0, M] nothing is derived; and what is kept of a state, to tell later ones from it."""
    kept = np.zeros(OF_SERVERS + len(state.last_job), np.int64)
    kept[DEPARTURES_SO_FAR], kept[EVICTIONS_SO_FAR] = state.tally[DEPARTED], state.tally[EVICTED]
    kept[NEWEST] = state.job_number.max(initial=-1)
    kept[OF_SERVERS:] = np.where(state.last_job >= 0, state.job_number[state.last_job], -1)
    return np.zeros((0, len(state.job_number)), np.int64), kept


@jitable
def tell_jobs(state: State, _derived: Array, kept: Array, rows: Array) -> int:
    """Jobs that have come are the last of their queues, those placed the last on their servers, and records of those
    that left the last that became free, if no other job has them.
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
    """Tell the records before one in its list, and this: of jobs newer than one, back to job *until*."""
    record = last
    while record >= 0 and state.job_number[unsigned(record)] > newest and state.job_number[unsigned(record)] != until:
        told = tell(kept, record, told)
        record = state.job_previous[unsigned(record)]
    return told


@jitable
def tell(kept: Array, record: int, told: int) -> int:
    """Tell a record where there is room; returns how many are told, or one more than can be."""
    if told < MOST_TOLD:
        kept[unsigned(told)] = record
        return told + 1
    return MOST_TOLD + 1


MOVING = Derived((), jobs_known, tell_jobs, every=True)
