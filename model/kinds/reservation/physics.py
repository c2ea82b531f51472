"""The changes of the state in an event, shared by the reference engine and the kernels.

Nothing here decides or checks: the system checks a decision before it calls these functions.  With
``unsigned`` indices the compiled code need not test for negative ones, which count from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.reservation.state import (
    ADMITTED,
    DEPARTED,
    DEPARTURES,
    FREE,
    MIGRATED,
    NEXT_STAMP,
    NOW,
    PREEMPTED,
    REASSIGNMENTS,
)
from slotscope.model.systems.heap import find as heap_find
from slotscope.model.systems.heap import pop as heap_pop
from slotscope.model.systems.heap import push as heap_push
from slotscope.model.systems.heap import remove as heap_remove
from slotscope.model.systems.random_words import mixed

State = Any


@jitable
def change_jobs(state: State, job_type: int, by: int) -> None:
    """Update the integral of Y_j up to now, then change Y_j."""
    now, j = state.clock[NOW], unsigned(job_type)
    state.area[j] += state.jobs_in_system[j] * (now - state.since[j])
    state.since[j] = now
    state.jobs_in_system[j] += by


@jitable
def link(state: State, record: int, server: int) -> None:
    """Put a job record at the front of its server's list."""
    at, on = unsigned(record), unsigned(server)
    j = unsigned(state.job_type[at])
    first = state.first_job[on, j]
    state.job_server[at] = server
    state.job_next[at] = first
    state.job_previous[at] = -1
    if first >= 0:
        state.job_previous[unsigned(first)] = record
    state.first_job[on, j] = record
    state.placement[on, j] += 1


@jitable
def unlink(state: State, record: int) -> None:
    """Remove a job record from its server's list."""
    at = unsigned(record)
    j, on = unsigned(state.job_type[at]), unsigned(state.job_server[at])
    after = state.job_next[at]
    before = state.job_previous[at]
    if before >= 0:
        state.job_next[unsigned(before)] = after
    else:
        state.first_job[on, j] = after
    if after >= 0:
        state.job_previous[unsigned(after)] = before
    state.placement[on, j] -= 1


@jitable
def admit(state: State, server: int, job_type: int, number: int, departure: float) -> int:
    """Place a new job on *server* until *departure* (inf: for ever); return its record."""
    free = state.number[FREE] - 1
    state.number[FREE] = free
    record = state.free_record[unsigned(free)]
    state.free_record[unsigned(free)] = -1
    at = unsigned(record)
    state.job_number[at] = number
    state.job_type[at] = job_type
    state.job_arrival[at] = state.clock[NOW]
    state.job_departure[at] = departure
    link(state, record, server)
    change_jobs(state, job_type, 1)
    state.tally[unsigned(job_type), ADMITTED] += 1
    if departure < np.inf:
        size = state.number[DEPARTURES]
        heap_push(state.heap_time, state.heap_record, size, departure, record, state.job_number)
        state.number[DEPARTURES] = size + 1
    return int(record)


@jitable
def release(state: State, record: int) -> None:
    """Return a job record to the stack of free ones."""
    at = unsigned(record)
    state.job_number[at] = -1
    state.job_type[at] = -1
    state.job_server[at] = -1
    state.job_arrival[at] = 0.0
    state.job_departure[at] = np.inf
    state.job_next[at] = -1
    state.job_previous[at] = -1
    free = state.number[FREE]
    state.free_record[unsigned(free)] = record
    state.number[FREE] = free + 1


@jitable
def depart(state: State) -> int:
    """Let the job with the earliest departure leave its slot; returns its record, which the caller must release."""
    size = state.number[DEPARTURES]
    record = heap_pop(state.heap_time, state.heap_record, size, state.job_number)
    state.number[DEPARTURES] = size - 1
    job_type = state.job_type[unsigned(record)]
    unlink(state, record)
    change_jobs(state, job_type, -1)
    state.tally[unsigned(job_type), DEPARTED] += 1
    return int(record)


@jitable
def preempt(state: State, record: int) -> None:
    """Remove a job before its service ends, and release its record."""
    position = heap_find(state.heap_record, state.number[DEPARTURES], record)
    if position >= 0:
        heap_remove(state.heap_time, state.heap_record, state.number[DEPARTURES], position, state.job_number)
        state.number[DEPARTURES] -= 1
    job_type = state.job_type[record]
    unlink(state, record)
    change_jobs(state, job_type, -1)
    state.tally[job_type, PREEMPTED] += 1
    release(state, record)


@jitable
def migrate(state: State, record: int, target: int) -> None:
    """Move a job to an empty slot of *target*, without interruption of its service."""
    unlink(state, record)
    link(state, record, target)
    state.tally[state.job_type[record], MIGRATED] += 1


@jitable
def set_slots(state: State, server: int, job_type: int, slots: int) -> None:
    """Set the number of slots of a type on a server."""
    on, j = unsigned(server), unsigned(job_type)
    state.slots_in_system[j] += slots - state.configuration[on, j]
    state.configuration[on, j] = slots


@jitable
def stamp_as_most_recent(state: State, server: int) -> None:
    """Give *server* index 1 of its configuration (Definition 4)."""
    state.stamp[server] = state.number[NEXT_STAMP]
    state.number[NEXT_STAMP] += 1
    state.number[REASSIGNMENTS] += 1


@jitable
def extend_trail(
    state: State, flags: int, job: int, server: int, moved: int, source: int, reassigned: int, first_reassigned: int
) -> None:
    """Add the outcome of an event to the running hash, so that a digest covers the whole history."""
    word = mixed(state.trail[0], job * 512 + flags)
    word = mixed(word, (server + 1) * 2097152 + source + 1)
    word = mixed(word, (moved + 1) * 64 + reassigned % 64)
    state.trail[0] = mixed(word, first_reassigned + 1)
