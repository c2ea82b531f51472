"""The changes of the state in a slot, shared by the reference engine and the kernels.

Nothing here decides or checks: the system checks a decision before it calls these functions.  With
``unsigned`` indices the compiled code need not test for negative ones, which count from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.state import (
    ARRIVED,
    DEPARTED,
    DEPARTURES,
    EVICTED,
    FREE,
    IDLE,
    IN_SERVICE,
    NOW,
    PLACED,
    RENEWED,
    STALLED_SERVERS,
    STALLS,
    WAITING,
)
from slotscope.model.systems.heap import find as heap_find
from slotscope.model.systems.heap import pop as heap_pop
from slotscope.model.systems.heap import push as heap_push
from slotscope.model.systems.heap import remove as heap_remove
from slotscope.model.systems.random_words import mixed

State = Any
Array = Any


@jitable
def begin_slot(state: State, slot: float) -> None:
    """Advance the clock to *slot*, and add the jobs waiting and the units in use since the last event to the sums."""
    slots = slot - state.clock[NOW]
    state.waiting_area[0] += state.number[WAITING] * slots
    for d in range(len(state.used_area)):
        state.used_area[d] += state.used_total[d] * slots
    state.clock[NOW] = slot


@jitable
def take_record(state: State, number: int) -> int:
    """Take a free record for a job that has just arrived; the caller must fill in its sizes."""
    free = state.number[FREE] - 1
    state.number[FREE] = free
    record = state.free_record[unsigned(free)]
    state.free_record[unsigned(free)] = -1
    state.job_number[unsigned(record)] = number
    state.job_arrival[unsigned(record)] = state.clock[NOW]
    state.tally[ARRIVED] += 1
    return int(record)


@jitable
def link_last(state: State, record: int, first: Array, last: Array, place: Any) -> None:
    """Append a job to the list that begins at *first[place]* and ends at *last[place]*."""
    at, before = unsigned(record), last[place]
    state.job_previous[at] = before
    state.job_next[at] = -1
    if before >= 0:
        state.job_next[unsigned(before)] = record
    else:
        first[place] = record
    last[place] = record


@jitable
def unlink(state: State, record: int, first: Array, last: Array, place: Any) -> None:
    """Remove a job from the list that begins at *first[place]* and ends at *last[place]*."""
    at = unsigned(record)
    after, before = state.job_next[at], state.job_previous[at]
    if before >= 0:
        state.job_next[unsigned(before)] = after
    else:
        first[place] = after
    if after >= 0:
        state.job_previous[unsigned(after)] = before
    else:
        last[place] = before


@jitable
def join(state: State, record: int, queue: int) -> None:
    """Append a job to virtual queue VQ_j."""
    at, line = unsigned(record), unsigned(queue)
    state.job_queue[at] = queue
    link_last(state, record, state.first_waiting, state.last_waiting, line)
    state.queue_length[line] += 1
    state.number[WAITING] += 1


@jitable
def join_again(state: State, record: int, queue: int) -> None:
    """Insert an evicted job into VQ_j at its place in order of arrival."""
    number = state.job_number[record]
    after = state.first_waiting[queue]
    while after >= 0 and state.job_number[after] < number:
        after = state.job_next[after]
    if after < 0:
        join(state, record, queue)
        return
    before = state.job_previous[after]
    state.job_queue[record] = queue
    state.job_next[record] = after
    state.job_previous[record] = before
    state.job_previous[after] = record
    if before >= 0:
        state.job_next[before] = record
    else:
        state.first_waiting[queue] = record
    state.queue_length[queue] += 1
    state.number[WAITING] += 1


@jitable
def leave_queue(state: State, record: int) -> None:
    """Remove a job from its virtual queue."""
    queue = unsigned(state.job_queue[unsigned(record)])
    unlink(state, record, state.first_waiting, state.last_waiting, queue)
    state.queue_length[queue] -= 1
    state.number[WAITING] -= 1


@jitable
def place(state: State, record: int, server: int) -> None:
    """Put a waiting job into service on *server*, from this slot on."""
    leave_queue(state, record)
    at, on = unsigned(record), unsigned(server)
    state.job_server[at] = server
    link_last(state, record, state.first_job, state.last_job, on)
    if state.jobs_on[on] == 0:
        state.number[IDLE] -= 1
    state.jobs_on[on] += 1
    state.number[IN_SERVICE] += 1
    for d in range(state.used.shape[1]):
        room = state.job_room[at, d]
        state.used[on, d] += room
        state.used_total[d] += room
    state.tally[PLACED] += 1
    departure = state.clock[NOW] + state.job_service[at]
    state.job_departure[at] = departure
    if departure < np.inf:
        size = state.number[DEPARTURES]
        heap_push(state.heap_time, state.heap_record, size, departure, record, state.job_number)
        state.number[DEPARTURES] = size + 1


@jitable
def leave_server(state: State, record: int) -> None:
    """Remove a job from its server; a server that becomes empty is no longer stalled."""
    at = unsigned(record)
    server = unsigned(state.job_server[at])
    unlink(state, record, state.first_job, state.last_job, server)
    for d in range(state.used.shape[1]):
        room = state.job_room[at, d]
        state.used[server, d] -= room
        state.used_total[d] -= room
    state.jobs_on[server] -= 1
    state.number[IN_SERVICE] -= 1
    state.job_server[at] = -1
    if state.jobs_on[server] == 0:
        state.number[IDLE] += 1
        if state.stalled[server]:
            state.stalled[server] = 0
            state.number[STALLED_SERVERS] -= 1


@jitable
def depart(state: State) -> int:
    """Let the job whose departure is due leave its server; returns its record, which the caller must release."""
    size = state.number[DEPARTURES]
    record = heap_pop(state.heap_time, state.heap_record, size, state.job_number)
    state.number[DEPARTURES] = size - 1
    server = state.job_server[unsigned(record)]
    leave_server(state, record)
    state.last_departure[unsigned(server)] = int(state.clock[NOW])
    state.tally[DEPARTED] += 1
    return int(record)


@jitable
def release(state: State, record: int) -> None:
    """Return a job record to the stack of free ones."""
    at = unsigned(record)
    state.job_number[at] = -1
    for d in range(state.job_size.shape[1]):
        state.job_size[at, d] = 0
        state.job_room[at, d] = 0
    state.job_queue[at] = -1
    state.job_arrival[at] = 0.0
    state.job_service[at] = 0.0
    state.job_server[at] = -1
    state.job_departure[at] = np.inf
    state.job_next[at] = -1
    state.job_previous[at] = -1
    free = state.number[FREE]
    state.free_record[unsigned(free)] = record
    state.number[FREE] = free + 1


@jitable
def evict(state: State, record: int) -> None:
    """Return a job in service to its queue, with its remaining service time."""
    position = heap_find(state.heap_record, state.number[DEPARTURES], record)
    if position >= 0:
        heap_remove(state.heap_time, state.heap_record, state.number[DEPARTURES], position, state.job_number)
        state.number[DEPARTURES] -= 1
    state.job_service[record] = state.job_departure[record] - state.clock[NOW]
    state.job_departure[record] = np.inf
    leave_server(state, record)
    join_again(state, record, state.job_queue[record])
    state.tally[EVICTED] += 1


@jitable
def renew(state: State, server: int, configuration: int) -> bool:
    """Set the active configuration of a server; returns whether it has changed."""
    if state.active[server] == configuration:
        return False
    state.active[server] = configuration
    state.tally[RENEWED] += 1
    return True


@jitable
def stall(state: State, server: int) -> None:
    """Stall a server: it takes no job until it is empty."""
    state.stalled[server] = 1
    state.number[STALLED_SERVERS] += 1
    state.tally[STALLS] += 1


@jitable
def extend_trail(
    state: State, flags: int, job: int, server: int, placed: int, departed: int, renewed: int, stalled: int
) -> None:
    """Add the outcome of a slot to the running hash, so that a digest covers the whole history."""
    word = mixed(state.trail[0], job * 512 + flags)
    word = mixed(word, (server + 1) * 2097152 + placed)
    state.trail[0] = mixed(word, (departed * 2097152 + renewed) * 1024 + stalled)
