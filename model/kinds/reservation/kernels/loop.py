"""The loop over events that the kernels share, piece by piece.

Each kernel's own loop calls these; inlined, they cost nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.reservation.kernels.events import ENDS_WHEN_IDLE, reset, servers_with_room, take_sample
from slotscope.model.kinds.reservation.kernels.foresight import foresee_departures
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

State = Any
Array = Any

#: What :func:`next_due` returns where an event is due; all other codes end the call.
ARRIVES, DEPARTS, UPDATES = 100, 101, 102


@jitable
def next_due(state: State, jobs: Any, constant: Array, until: float) -> int:
    """ARRIVES, DEPARTS or UPDATES, or why no event can happen now.

    At equal times departures come first, then updates of the policy.
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
    """The next job arrives; returns its place in *jobs*.  Its type and number are in *outcome*."""
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
    """The arriving job goes to *server*."""
    departure = jobs.time[unsigned(place)] + jobs.service[unsigned(place)]
    physics_admit(state, server, outcome[TYPE], outcome[JOB], departure)
    outcome[SERVER] = server
    outcome[FLAGS] = FLAG_ADMITTED


@jitable
def reject(state: State, outcome: Array) -> None:
    """The arriving job is turned away."""
    j = unsigned(outcome[TYPE])
    state.tally[j, REJECTED] += 1
    outcome[FLAGS] = FLAG_REJECTED
    outcome[EMPTY_SLOTS] = state.slots_in_system[j] - state.jobs_in_system[j]


@jitable
def begin_departure(state: State, outcome: Array) -> int:
    """The job with the earliest departure leaves; returns its server, its type is in *outcome*."""
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
    """Write the event's row, and a sample if one is due; True if the run should stop here.

    *with_room* is how many servers would hold a rejected job, -1: not counted.
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
    """How many servers would hold the rejected job, if that was asked for; else -1."""
    if constant[EXPLAIN] and outcome[FLAGS] & FLAG_REJECTED:
        return int(servers_with_room(state, constant, demand, index.maximal, outcome[TYPE]))
    return -1
