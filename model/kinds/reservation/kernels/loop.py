"""The parts of the event loop that the kernels share.

The loop of each kernel calls these functions, which are inlined.

The memory that the next departure needs is prefetched an event ahead: of a million jobs few are in the
processor's caches, and the job that departs next is usually not one of them; but the heap tells in advance
which one it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, touch, unsigned
from slotscope.model.kinds.reservation.kernels.events import ENDS_WHEN_IDLE, reset, servers_with_room, take_sample
from slotscope.model.kinds.reservation.outcome import EMPTY_SLOTS, FLAGS, JOB, KIND, SERVER, TYPE, WITH_ROOM, close
from slotscope.model.kinds.reservation.physics import admit as physics_admit
from slotscope.model.kinds.reservation.physics import depart as physics_depart
from slotscope.model.kinds.reservation.physics import release
from slotscope.model.kinds.reservation.rows import FLAG_ADMITTED, FLAG_DEPARTED, FLAG_REJECTED
from slotscope.model.kinds.reservation.state import ARRIVED, DEPARTURES, EVENT, FREE, NEXT_ARRIVAL, NOW, REJECTED, TIMER
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE
from slotscope.model.systems.compiled import (
    AT_END,
    AT_TIME,
    EXPLAIN,
    INITIAL_JOBS,
    LAST_BLOCK,
    NEEDS_JOBS,
    NEEDS_ROOM,
    STOP_FLAGS,
    STRIDE,
)

#: Fewer jobs fit into the caches.
MANY_JOBS = 2**13

#: The number of children of the heap's root; one of them is the departure after the next.
FOLLOWING = 4


@jitable
def foresee_departures(state: State) -> None:
    """With many jobs, prefetch what the next departures need."""
    if state.number[DEPARTURES] >= MANY_JOBS:
        ask_for_departures(state)


@jitable
def ask_for_departures(state: State) -> None:
    """Prefetch the record of the next departure and its server, and the fields read first of the FOLLOWING candidates
    for the departure after it.

    There must be more than FOLLOWING jobs.
    """
    for place in range(1, FOLLOWING + 1):
        at = unsigned(state.heap_record[unsigned(place)])
        touch(state.job_server, at)
        touch(state.job_next, at)
        touch(state.job_previous, at)
    at = unsigned(state.heap_record[0])
    touch(state.job_number, at)
    touch(state.job_type, at)
    touch(state.job_arrival, at)
    touch(state.job_departure, at)
    server, after, before = state.job_server[at], state.job_next[at], state.job_previous[at]
    touch(state.configuration, unsigned(server))
    touch(state.placement, unsigned(server))
    touch(state.first_job, unsigned(server))
    if after >= 0:
        touch(state.job_previous, unsigned(after))
    if before >= 0:
        touch(state.job_next, unsigned(before))


State = Any
Array = Any

#: :func:`next_due` returns one of these if an event is due; all other codes end the call.
ARRIVES, DEPARTS, UPDATES = 100, 101, 102


@jitable
def next_due(state: State, jobs: Any, constant: Array, until: float) -> int:
    """ARRIVES, DEPARTS or UPDATES if such an event is due, or the reason why none can happen now.

    At equal times departures come first, then updates of the policy, then arrivals.
    """
    arrival = state.number[NEXT_ARRIVAL]
    last = jobs.first[0] + len(jobs.time)
    if arrival >= last and not constant[LAST_BLOCK]:
        return NEEDS_JOBS
    arrives = jobs.time[unsigned(arrival - jobs.first[0])] if arrival < last else np.inf
    departs = state.heap_time[0] if state.number[DEPARTURES] > 0 else np.inf
    timer = state.clock[TIMER]
    if arrives == np.inf and departs == np.inf and (timer == np.inf or constant[ENDS_WHEN_IDLE]):
        return AT_END
    if min(arrives, departs, timer) > until:
        return AT_TIME
    if state.number[FREE] == 0:
        return NEEDS_ROOM
    if departs <= min(arrives, timer):
        return DEPARTS
    return UPDATES if timer <= arrives else ARRIVES


@jitable
def begin_arrival(state: State, jobs: Any, constant: Array, outcome: Array) -> int:
    """Let the next job arrive; returns its place in *jobs*, and writes its type and number to *outcome*."""
    reset(outcome)
    arrival = state.number[NEXT_ARRIVAL]
    place = arrival - jobs.first[0]
    job_type = jobs.type[unsigned(place)]
    state.clock[NOW] = jobs.time[unsigned(place)]
    state.number[NEXT_ARRIVAL] = arrival + 1
    state.tally[unsigned(job_type), ARRIVED] += 1
    outcome[JOB] = arrival + constant[INITIAL_JOBS]
    outcome[TYPE] = job_type
    outcome[KIND] = ARRIVAL
    return int(place)


@jitable
def admit(state: State, jobs: Any, place: int, server: int, outcome: Array) -> None:
    """Admit the arriving job to *server*."""
    departure = jobs.time[unsigned(place)] + jobs.service[unsigned(place)]
    physics_admit(state, server, outcome[TYPE], outcome[JOB], departure)
    outcome[SERVER] = server
    outcome[FLAGS] = FLAG_ADMITTED


@jitable
def reject(state: State, outcome: Array) -> None:
    """Reject the arriving job."""
    j = unsigned(outcome[TYPE])
    state.tally[j, REJECTED] += 1
    outcome[FLAGS] = FLAG_REJECTED
    outcome[EMPTY_SLOTS] = state.slots_in_system[j] - state.jobs_in_system[j]


@jitable
def begin_departure(state: State, outcome: Array) -> int:
    """Let the job with the earliest departure leave; returns its server, and writes its type to *outcome*."""
    reset(outcome)
    state.clock[NOW] = state.heap_time[0]
    record = state.heap_record[0]
    at = unsigned(record)
    server = state.job_server[at]
    outcome[JOB] = state.job_number[at]
    outcome[TYPE] = state.job_type[at]
    outcome[SERVER] = server
    outcome[FLAGS] = FLAG_DEPARTED
    outcome[KIND] = DEPARTURE
    physics_depart(state)
    release(state, record)
    foresee_departures(state)
    return int(server)


@jitable
def finish(
    state: State, constant: Array, outcome: Array, tape: Array, samples: Array, done: Array, with_room: int
) -> bool:
    """Write the event's row, and a sample if one is due; returns whether the run should stop here.

    *with_room* is the number of servers with room for the rejected job, -1: not counted.
    """
    outcome[WITH_ROOM] = with_room
    close(state, outcome, tape[unsigned(done[0])])
    outcome[KIND] = 0
    done[0] += 1
    if constant[STRIDE] and state.number[EVENT] % constant[STRIDE] == 0:
        take_sample(state, samples[done[1]])
        done[1] += 1
    return bool(outcome[FLAGS] & constant[STOP_FLAGS] != 0)


@jitable
def room_to_tell(state: State, index: Any, constant: Array, demand: Array, outcome: Array) -> int:
    """The number of servers with room for the rejected job, if explanations are requested; otherwise -1."""
    if constant[EXPLAIN] and outcome[FLAGS] & FLAG_REJECTED:
        return int(servers_with_room(state, constant, demand, index.maximal, outcome[TYPE]))
    return -1
