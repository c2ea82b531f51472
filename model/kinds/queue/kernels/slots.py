"""The loop over busy slots that the kernels of queueing systems share, piece by piece."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.jit import jitable
from model.kinds.queue import physics, sampling
from model.kinds.queue.rows import (
    FLAG_ARRIVED,
    FLAG_DEPARTED,
    FLAG_EMPTY,
    FLAG_EVICTED,
    FLAG_PLACED,
    FLAG_RENEWED,
    FLAG_STALLED,
    FLAG_WAITS,
)
from model.kinds.queue.state import (
    DEPARTURES,
    EVENT,
    FREE,
    IDLE,
    NEXT_ARRIVAL,
    NOW,
    UNSETTLED,
    WAITING,
    WHILE_IDLE,
)
from model.records import SLOT

State = Any
Array = Any

# Why a kernel returns.
AT_LIMIT, AT_TIME, AT_FLAG, AT_END, NEEDS_JOBS, NEEDS_ROOM = range(6)
#: What :func:`next_due` returns where a slot is due.
DUE = 100

# Places in ``constant``.
INITIAL_JOBS, LAST_BLOCK, STOP_FLAGS, STRIDE, EXPLAIN = range(5)
# Options of policies, each 0 or 1 unless said otherwise.
STEP_JOBS, STEP_SERVERS, ONLY_DEPARTURES, SKIPS, STALLS = range(5, 10)
BEFORE, SEQUENTIAL, BEST_FIT, EXACTLY = range(10, 14)
PREEMPTIVE, GAMMA_NUMERATOR, GAMMA_DENOMINATOR, SCORE_UNIT, LOOKS_AGAIN = range(14, 19)
# How waiting jobs are found: an index by size, one by arrival, or neither.
BY_SIZE, BY_ARRIVAL = range(19, 21)
CONSTANTS = 21

# Places in ``outcome``.
(FLAGS, ARRIVED, DEPARTED, PLACED, RENEWED, STALLED, BEFORE_WAITING, CAME_JOB, LEFT_JOB,
 LEFT_SERVER, PLACED_JOB, PLACED_SERVER, JOB, SERVER) = range(14)  # fmt: skip
OUTCOMES = 14

begin_slot_of = physics.begin_slot
take_record = physics.take_record
join = physics.join
depart_first = physics.depart
release = physics.release
place_job = physics.place
renew_server = physics.renew
stall_server = physics.stall
evict_job = physics.evict
extend_trail = physics.extend_trail
take_sample = sampling.sample


class Arrivals(NamedTuple):
    """A block of jobs as a policy sees them: :class:`SlottedBlock` with queues and rooms."""

    time: NDArray[np.float64]  #: [n]
    size: NDArray[np.int64]  #: [n, D]
    room: NDArray[np.int64]  #: [n, D]
    queue: NDArray[np.int32]  #: [n]
    service: NDArray[np.float64]  #: [n]
    first: NDArray[np.int64]  #: [1]


@jitable
def next_due(state: State, jobs: Any, constant: Array, until: float, outcome: Array) -> int:
    """DUE if a slot is due, after going on to it, or why none can happen now."""
    arrival = state.number[NEXT_ARRIVAL]
    place = arrival - jobs.first[0]
    last = len(jobs.time)
    if place >= last and not constant[LAST_BLOCK]:
        return NEEDS_JOBS
    slot = jobs.time[np.uintp(place)] if place < last else np.inf
    if state.number[DEPARTURES] > 0:
        slot = min(slot, state.heap_time[0])
    if state.number[UNSETTLED]:
        slot = min(slot, state.clock[NOW] + 1)
    if slot == np.inf:
        return AT_END
    if slot > until:
        return AT_TIME
    arriving = 0
    while place + arriving < last and jobs.time[np.uintp(place + arriving)] <= slot:
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
    """The next job that is due leaves; its record (to be released), or -1 if none is due."""
    if state.number[DEPARTURES] == 0 or state.heap_time[0] > state.clock[NOW]:
        return -1
    record = state.heap_record[0]
    if outcome[DEPARTED] == 0:
        outcome[LEFT_JOB] = state.job_number[np.uintp(record)]
        outcome[LEFT_SERVER] = state.job_server[np.uintp(record)]
    outcome[DEPARTED] += 1
    outcome[FLAGS] |= FLAG_DEPARTED
    return int(record)


@jitable
def arrive(state: State, jobs: Any, constant: Array, outcome: Array) -> int:
    """The next job of the slot joins its queue; returns its record."""
    place = state.number[NEXT_ARRIVAL] - jobs.first[0]
    number = constant[INITIAL_JOBS] + state.number[NEXT_ARRIVAL]
    state.number[NEXT_ARRIVAL] += 1
    record = take_record(state, number)
    at, here = np.uintp(record), np.uintp(place)
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
    """A waiting job goes into service."""
    place_job(state, record, server)
    if outcome[PLACED] == 0:
        outcome[PLACED_JOB] = state.job_number[np.uintp(record)]
        outcome[PLACED_SERVER] = server
    outcome[PLACED] += 1
    outcome[FLAGS] |= FLAG_PLACED


@jitable
def renew(state: State, server: int, configuration: int, outcome: Array) -> None:
    """An empty server's active configuration is chosen."""
    if renew_server(state, server, configuration):
        outcome[RENEWED] += 1
        outcome[FLAGS] |= FLAG_RENEWED


@jitable
def stall(state: State, server: int, outcome: Array) -> None:
    """A server takes no more jobs until it is empty."""
    stall_server(state, server)
    outcome[STALLED] += 1
    outcome[FLAGS] |= FLAG_STALLED


@jitable
def evict(state: State, record: int, outcome: Array) -> None:
    """A job in service goes back to its queue."""
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
    """Close the slot: its row, and a sample if one is due; True if the run should stop here.

    Parameters
    ----------
    fresh:
        Records of the jobs that arrived in the slot.
    serves:
        [C, V] configurations; C = 0 without.
    """
    kept = first_kept(state, fresh, outcome)
    close(state, constant, kept, outcome)
    row = tape[np.uintp(done[0])]
    write_row(state, kept, outcome, row)
    if constant[EXPLAIN]:
        explain(state, capacity, serves, kept, row)
    done[0] += 1
    if constant[STRIDE] and state.number[EVENT] % constant[STRIDE] == 0:
        take_sample(state, samples[done[1]], weight)
        done[1] += 1
    return bool(outcome[FLAGS] & constant[STOP_FLAGS] != 0)


@jitable
def first_kept(state: State, fresh: Array, outcome: Array) -> int:
    """The record of the first job that arrived in the slot and waits, or -1."""
    for one in range(outcome[ARRIVED]):
        if state.job_server[np.uintp(fresh[one])] < 0:
            return int(fresh[one])
    return -1


@jitable
def close(state: State, constant: Array, kept: int, outcome: Array) -> None:
    """Count the slot, and let it enter the trail; ``JOB`` and ``SERVER`` stand for it."""
    if kept >= 0:
        outcome[FLAGS] |= FLAG_WAITS
    if outcome[BEFORE_WAITING] > 0 and state.number[WAITING] == 0:
        outcome[FLAGS] |= FLAG_EMPTY
    outcome[JOB] = outcome[PLACED_JOB]
    outcome[SERVER] = outcome[PLACED_SERVER]
    if outcome[JOB] < 0:
        outcome[JOB] = outcome[CAME_JOB]
        outcome[SERVER] = -1
    if outcome[JOB] < 0:
        outcome[JOB] = outcome[LEFT_JOB]
        outcome[SERVER] = outcome[LEFT_SERVER]
    state.number[EVENT] += 1
    again = constant[LOOKS_AGAIN]
    if again == WHILE_IDLE and state.number[IDLE] == 0:
        again = 0
    state.number[UNSETTLED] = 1 if again and outcome[FLAGS] else 0
    extend_trail(
        state, outcome[FLAGS], max(outcome[JOB], 0), outcome[SERVER], outcome[PLACED],
        outcome[DEPARTED], outcome[RENEWED], outcome[STALLED],
    )  # fmt: skip


@jitable
def write_row(state: State, kept: int, outcome: Array, row: Any) -> None:
    """Fill the slot's row, but for what is costly to count."""
    row.event = state.number[EVENT]
    row.time = state.clock[NOW]
    row.job = outcome[JOB]
    row.kept = state.job_number[kept] if kept >= 0 else -1
    row.kept_size = state.job_room[kept, 0] if kept >= 0 else -1
    row.kept_queue = state.job_queue[kept] if kept >= 0 else -1
    row.waiting = state.number[WAITING]
    row.trail = state.trail[0]
    row.arrived = outcome[ARRIVED]
    row.departed = outcome[DEPARTED]
    row.placed = outcome[PLACED]
    row.renewed = outcome[RENEWED]
    row.stalled = outcome[STALLED]
    row.server = outcome[SERVER]
    row.best_residual = -1
    row.serving = -1
    row.flags = outcome[FLAGS]
    row.kind = SLOT


@jitable
def explain(state: State, capacity: Array, serves: Array, kept: int, row: Any) -> None:
    """What is costly to count: the best residual, and servers that serve the kept job's queue."""
    best = 0
    for server in range(len(state.stalled)):
        if not state.stalled[server]:
            best = max(best, capacity[server, 0] - state.used[server, 0])
    row.best_residual = best
    if kept < 0 or serves.shape[0] == 0:
        return
    count = 0
    for server in range(len(state.active)):
        active = state.active[server]
        if active >= 0 and serves[active, state.job_queue[kept]] > 0:
            count += 1
    row.serving = count
