"""The parts of the loop over busy slots that the kernels of queueing systems share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.outcome import (
    ARRIVED,
    BEFORE_WAITING,
    CAME_JOB,
    DEPARTED,
    FLAGS,
    LEFT_JOB,
    LEFT_SERVER,
    OUTCOMES,
    PLACED,
    PLACED_JOB,
    PLACED_SERVER,
    RENEWED,
    STALLED,
    close,
)
from slotscope.model.kinds.queue.physics import begin_slot as begin_slot_of
from slotscope.model.kinds.queue.physics import evict as evict_job
from slotscope.model.kinds.queue.physics import join, take_record
from slotscope.model.kinds.queue.physics import place as place_job
from slotscope.model.kinds.queue.physics import renew as renew_server
from slotscope.model.kinds.queue.physics import stall as stall_server
from slotscope.model.kinds.queue.rows import (
    FLAG_ARRIVED,
    FLAG_DEPARTED,
    FLAG_EVICTED,
    FLAG_PLACED,
    FLAG_RENEWED,
    FLAG_STALLED,
)
from slotscope.model.kinds.queue.sampling import sample as take_sample
from slotscope.model.kinds.queue.state import DEPARTURES, EVENT, FREE, NEXT_ARRIVAL, NOW, UNSETTLED, WAITING
from slotscope.model.systems.compiled import (
    AT_END,
    AT_TIME,
    COMMON,
    EXPLAIN,
    INITIAL_JOBS,
    LAST_BLOCK,
    NEEDS_JOBS,
    NEEDS_ROOM,
    STOP_FLAGS,
    STRIDE,
)

State = Any
Array = Any

#: :func:`next_due` returns this if a slot is due.
DUE = 100

# The positions of this kind in ``constant``: options of policies, each 0 or 1 unless stated otherwise.
STEP_JOBS, STEP_SERVERS, ONLY_DEPARTURES, SKIPS, STALLS = range(COMMON, COMMON + 5)
BEFORE, SEQUENTIAL, BEST_FIT, EXACTLY = range(COMMON + 5, COMMON + 9)
PREEMPTIVE, GAMMA_NUMERATOR, GAMMA_DENOMINATOR, SCORE_UNIT, LOOKS_AGAIN = range(COMMON + 9, COMMON + 14)
# Which index of the waiting jobs is kept: by size, by arrival, or neither.
BY_SIZE, BY_ARRIVAL = range(COMMON + 14, COMMON + 16)
CONSTANTS = COMMON + 16


class Arrivals(NamedTuple):
    """A block of n arrivals: a :class:`SlottedBlock` with the queue and the room of each job under the policy."""

    time: NDArray[np.float64]  #: [n]
    size: NDArray[np.int64]  #: [n, D]
    room: NDArray[np.int64]  #: [n, D]
    queue: NDArray[np.int32]  #: [n]
    service: NDArray[np.float64]  #: [n]
    first: NDArray[np.int64]  #: [1]


@jitable
def next_due(state: State, jobs: Any, constant: Array, until: float, outcome: Array) -> int:
    """DUE after advancing the clock to the next busy slot, or the reason why none can happen now."""
    arrival = state.number[NEXT_ARRIVAL]
    place = arrival - jobs.first[0]
    last = len(jobs.time)
    if place >= last and not constant[LAST_BLOCK]:
        return NEEDS_JOBS
    slot = jobs.time[unsigned(place)] if place < last else np.inf
    if state.number[DEPARTURES] > 0:
        slot = min(slot, state.heap_time[0])
    if state.number[UNSETTLED]:
        slot = min(slot, state.clock[NOW] + 1)
    if slot == np.inf:
        return AT_END
    if slot > until:
        return AT_TIME
    arriving = 0
    while place + arriving < last and jobs.time[unsigned(place + arriving)] <= slot:
        arriving += 1
    if state.number[FREE] < arriving:
        return NEEDS_ROOM
    for field in range(OUTCOMES):
        outcome[field] = 0
    outcome[CAME_JOB] = -1
    outcome[LEFT_JOB] = -1
    outcome[LEFT_SERVER] = -1
    outcome[PLACED_JOB] = -1
    outcome[PLACED_SERVER] = -1
    outcome[ARRIVED] = arriving
    outcome[BEFORE_WAITING] = state.number[WAITING]
    begin_slot_of(state, slot)
    return DUE


@jitable
def depart(state: State, outcome: Array) -> int:
    """Let the next due job depart; returns its record, which the caller must release, or -1 if none is due."""
    if state.number[DEPARTURES] == 0 or state.heap_time[0] > state.clock[NOW]:
        return -1
    record = state.heap_record[0]
    if outcome[DEPARTED] == 0:
        outcome[LEFT_JOB] = state.job_number[unsigned(record)]
        outcome[LEFT_SERVER] = state.job_server[unsigned(record)]
    outcome[DEPARTED] += 1
    outcome[FLAGS] |= FLAG_DEPARTED
    return int(record)


@jitable
def arrive(state: State, jobs: Any, constant: Array, outcome: Array) -> int:
    """Let the next arrival of the slot join its queue; returns its record."""
    place = state.number[NEXT_ARRIVAL] - jobs.first[0]
    number = constant[INITIAL_JOBS] + state.number[NEXT_ARRIVAL]
    state.number[NEXT_ARRIVAL] += 1
    record = take_record(state, number)
    at, here = unsigned(record), unsigned(place)
    for d in range(state.job_size.shape[1]):
        state.job_size[at, d] = jobs.size[here, d]
        state.job_room[at, d] = jobs.room[here, d]
    state.job_service[at] = jobs.service[here]
    join(state, record, jobs.queue[here])
    if outcome[CAME_JOB] < 0:
        outcome[CAME_JOB] = number
    outcome[FLAGS] |= FLAG_ARRIVED
    return record


@jitable
def place(state: State, record: int, server: int, outcome: Array) -> None:
    """Put a waiting job into service."""
    place_job(state, record, server)
    if outcome[PLACED] == 0:
        outcome[PLACED_JOB] = state.job_number[unsigned(record)]
        outcome[PLACED_SERVER] = server
    outcome[PLACED] += 1
    outcome[FLAGS] |= FLAG_PLACED


@jitable
def renew(state: State, server: int, configuration: int, outcome: Array) -> None:
    """Set the active configuration of a server."""
    if renew_server(state, server, configuration):
        outcome[RENEWED] += 1
        outcome[FLAGS] |= FLAG_RENEWED


@jitable
def stall(state: State, server: int, outcome: Array) -> None:
    """Stall a server: it takes no job until it is empty."""
    stall_server(state, server)
    outcome[STALLED] += 1
    outcome[FLAGS] |= FLAG_STALLED


@jitable
def evict(state: State, record: int, outcome: Array) -> None:
    """Return a job in service to its queue."""
    evict_job(state, record)
    outcome[FLAGS] |= FLAG_EVICTED


@jitable
def finish(
    state: State,
    constant: Array,
    capacity: Array,
    fresh: Array,
    serves: Array,
    weight: Array,
    outcome: Array,
    tape: Array,
    samples: Array,
    done: Array,
) -> bool:
    """Close the slot: write its row, and a sample if one is due; returns whether the run should stop here.

    - *fresh*: Records of the jobs that arrived in the slot.
    - *serves*: [C, V] configurations; C = 0 for a policy without configurations.
    """
    row = tape[unsigned(done[0])]
    kept = close(state, constant[LOOKS_AGAIN], fresh, outcome, row)
    if constant[EXPLAIN]:
        explain(state, capacity, serves, kept, row)
    done[0] += 1
    if constant[STRIDE] and state.number[EVENT] % constant[STRIDE] == 0:
        take_sample(state, samples[done[1]], weight)
        done[1] += 1
    return bool(outcome[FLAGS] & constant[STOP_FLAGS] != 0)


@jitable
def explain(state: State, capacity: Array, serves: Array, kept: int, row: Any) -> None:
    """Write to *row* what is costly to compute: the best residual capacity, and the number of servers that serve the
    queue of the kept job."""
    best = 0
    for server in range(len(state.stalled)):
        if not state.stalled[server]:
            best = max(best, capacity[server, 0] - state.used[server, 0])
    row["best_residual"] = best
    if kept < 0 or serves.shape[0] == 0:
        return
    count = 0
    for server in range(len(state.active)):
        active = state.active[server]
        if active >= 0 and serves[active, state.job_queue[kept]] > 0:
            count += 1
    row["serving"] = count
