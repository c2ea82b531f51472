"""First fit compiled: a bit set per job type of the servers that have room for it.

Reference
    The reference is :mod:`model.policies.first_fit`.
Implements
    After each admission and departure only the server concerned is looked at again.
Symbols
    ``room``  [J, W] servers that would hold one more job of a type
    ``used``  [L, n] resources in use
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.jit import jitable
from model.kernels import bitset, events
from model.kernels.events import (
    AT_END,
    AT_FLAG,
    AT_LIMIT,
    AT_TIME,
    CONSTANTS,
    EMPTY_SLOTS,
    EXPLAIN,
    FLAGS,
    INITIAL_JOBS,
    JOB,
    LAST_BLOCK,
    NEEDS_JOBS,
    NEEDS_ROOM,
    PENDING,
    SERVER,
    STOP_FLAGS,
    STRIDE,
    TYPE,
)
from model.kernels.index import packed
from model.records import ARRIVAL, DEPARTURE, FLAG_ADMITTED, FLAG_DEPARTED, FLAG_REJECTED
from model.systems.reservation import physics
from model.systems.reservation.numbers import ReservationNumbers
from model.systems.reservation.state import (
    ARRIVED,
    DEPARTURES,
    EVENT,
    FREE,
    NEXT_ARRIVAL,
    NOW,
    REJECTED,
    ReservationState,
)

State = Any
Array = Any

admit = physics.admit
depart = physics.depart
release = physics.release
set_slots = physics.set_slots
insert = bitset.insert
discard = bitset.discard
next_member = bitset.next_member
reset = events.reset
write_row = events.write_row
take_sample = events.take_sample
below_maximal = events.below_maximal


class RoomIndex(NamedTuple):
    """Which servers have room for which type; derived from the state."""

    room: NDArray[np.uint64]  #: [J, W]
    room_summary: NDArray[np.uint64]  #: [J, S]
    used: NDArray[np.int64]  #: [L, n]
    maximal: NDArray[np.int64]  #: [m, J] maximal configurations, m = 0 where demands are given


def build_room_index(numbers: ReservationNumbers, state: ReservationState) -> RoomIndex:
    """The index of a state."""
    words = bitset.words_for(numbers.servers)
    bits = np.array([numbers.room_for(state.placement, j) for j in range(numbers.types)])
    room = packed(bits, words)
    return RoomIndex(
        room=room,
        room_summary=packed(room != 0, bitset.words_for(words)),
        used=state.placement.astype(np.int64) @ numbers.demand,
        maximal=numbers.maximal,
    )


@jitable
def has_room(
    state: State, index: Any, constant: Array, demand: Array, server: int, job_type: int
) -> bool:
    """Would one more job of the type be feasible on the server?"""
    for resource in range(demand.shape[1]):
        used = index.used[server, resource] + demand[job_type, resource]
        if used > constant[CONSTANTS + resource]:
            return False
    return demand.shape[1] > 0 or below_maximal(state, index.maximal, server, job_type)


@jitable
def update_room(
    state: State, index: Any, constant: Array, demand: Array, server: int, job_type: int, by: int
) -> None:
    """A job of the type came to (1) or left (-1) the server: look at the server again."""
    for resource in range(demand.shape[1]):
        index.used[server, resource] += by * demand[job_type, resource]
    set_slots(state, server, job_type, state.configuration[server, job_type] + by)
    for j in range(state.configuration.shape[1]):
        if has_room(state, index, constant, demand, server, j):
            insert(index.room[j], index.room_summary[j], server)
        else:
            discard(index.room[j], index.room_summary[j], server)


@jitable
def arrive(
    state: State, index: Any, jobs: Any, constant: Array, demand: Array, outcome: Array
) -> None:
    """The first server with room, or rejection."""
    arrival = state.number[NEXT_ARRIVAL]
    place = arrival - jobs.first[0]
    job_type = jobs.type[place]
    state.clock[NOW] = jobs.time[place]
    state.number[NEXT_ARRIVAL] = arrival + 1
    state.tally[job_type, ARRIVED] += 1
    outcome[JOB] = arrival + constant[INITIAL_JOBS]
    outcome[TYPE] = job_type
    server = next_member(index.room[job_type], index.room_summary[job_type], 0)
    if server < 0:
        state.tally[job_type, REJECTED] += 1
        outcome[FLAGS] = FLAG_REJECTED
        outcome[EMPTY_SLOTS] = 0
        return
    admit(state, server, job_type, outcome[JOB], jobs.time[place] + jobs.service[place])
    update_room(state, index, constant, demand, server, job_type, 1)
    outcome[SERVER] = server
    outcome[FLAGS] = FLAG_ADMITTED


@jitable
def leave(state: State, index: Any, constant: Array, demand: Array, outcome: Array) -> None:
    """The job with the earliest departure leaves."""
    state.clock[NOW] = state.heap_time[0]
    record = state.heap_record[0]
    server = state.job_server[record]
    job_type = state.job_type[record]
    outcome[JOB] = state.job_number[record]
    outcome[TYPE] = job_type
    outcome[SERVER] = server
    outcome[FLAGS] = FLAG_DEPARTED
    depart(state)
    release(state, record)
    update_room(state, index, constant, demand, server, job_type, -1)


def advance(
    state: State,
    index: Any,
    jobs: Any,
    constant: Array,
    demand: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run events; arguments (but for the scratch) and result as in
    :func:`model.kernels.dra.advance`."""
    last = jobs.first[0] + len(jobs.time)
    while done[0] < len(tape):
        arrival = state.number[NEXT_ARRIVAL]
        if arrival >= last and not constant[LAST_BLOCK]:
            return NEEDS_JOBS
        arrives = jobs.time[arrival - jobs.first[0]] if arrival < last else np.inf
        departs = state.heap_time[0] if state.number[DEPARTURES] > 0 else np.inf
        if arrives == np.inf and departs == np.inf:
            return AT_END
        if min(arrives, departs) > until:
            return AT_TIME
        if state.number[FREE] == 0:
            return NEEDS_ROOM
        reset(outcome)
        if departs <= arrives:
            leave(state, index, constant, demand, outcome)
            outcome[PENDING] = DEPARTURE
        else:
            arrive(state, index, jobs, constant, demand, outcome)
            outcome[PENDING] = ARRIVAL
        row = tape[done[0]]
        write_row(state, outcome, row)
        if constant[EXPLAIN] and outcome[FLAGS] & FLAG_REJECTED:
            row.servers_with_room = 0
        outcome[PENDING] = 0
        done[0] += 1
        if constant[STRIDE] and state.number[EVENT] % constant[STRIDE] == 0:
            take_sample(state, samples[done[1]])
            done[1] += 1
        if outcome[FLAGS] & constant[STOP_FLAGS]:
            return AT_FLAG
    return AT_LIMIT
