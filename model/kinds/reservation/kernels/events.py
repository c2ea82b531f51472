"""What the kernels of the loss system share: codes, the outcome of an event, its row."""

from __future__ import annotations

from typing import Any

from model.jit import jitable
from model.kinds.reservation import physics
from model.kinds.reservation.sampling import (
    EVENT_COLUMN,
    I_STAR_COLUMN,
    REASSIGNED_COLUMN,
    REJECT_GROUP_COLUMN,
    SCALARS,
    TIME_COLUMN,
)
from model.kinds.reservation.state import (
    ADMITTED,
    ARRIVED,
    EVENT,
    I_STAR,
    MIGRATED,
    NOW,
    REASSIGNMENTS,
    REJECTED,
)

State = Any
Array = Any

# Why a kernel returns.
AT_LIMIT, AT_TIME, AT_FLAG, AT_END, NEEDS_JOBS, NEEDS_ROOM, NEEDS_MAXIMUM = range(7)

# Places in ``constant``; the capacity of each resource follows them.
SERVERS, RESERVED, INITIAL_JOBS, FITTING, LAST_BLOCK, STOP_FLAGS, STRIDE, EXPLAIN = range(8)
# Variants of DRA, each 0 or 1.
GIVEN, MIGRATES, CRA_AT_EVENTS, RETRIES, ENDS_WHEN_IDLE = range(8, 13)
CONSTANTS = 13

# Places in ``outcome``.
FLAGS, SERVER, SOURCE, MOVED, REASSIGNED, FIRST_REASSIGNED, EMPTY_SLOTS, JOB, TYPE = range(9)
EMPTIED = 9  # 1 if a server became empty
PENDING = 10  # the kind of an event that is not closed yet, else 0
WITH_ROOM = 11  # servers whose free resources would hold the rejected job
PREEMPTED = 12  # jobs preempted
CRA_DUE = 13  # 1 if CRA has to run
OWED = 14  # size of the jobs that are still to be preempted
RETRY = 15  # 1 if the rejected job is to be tried again
OUTCOMES = 16

extend_trail = physics.extend_trail


@jitable
def reset(outcome: Array) -> None:
    """Nothing has happened yet in this event."""
    for place in range(OUTCOMES):
        outcome[place] = -1
    outcome[FLAGS] = 0
    outcome[REASSIGNED] = 0
    outcome[EMPTIED] = 0
    outcome[PENDING] = 0
    outcome[PREEMPTED] = 0
    outcome[CRA_DUE] = 0
    outcome[OWED] = 0
    outcome[RETRY] = 0


@jitable
def write_row(state: State, outcome: Array, row: Any) -> None:
    """Close an event: count it, let it enter the trail, fill its row of the tape."""
    state.number[EVENT] += 1
    extend_trail(
        state, outcome[FLAGS], max(outcome[JOB], 0), outcome[SERVER], outcome[MOVED],
        outcome[SOURCE], outcome[REASSIGNED], outcome[FIRST_REASSIGNED],
    )  # fmt: skip
    row.event = state.number[EVENT]
    row.time = state.clock[NOW]
    row.job = outcome[JOB]
    row.moved = outcome[MOVED]
    row.trail = state.trail[0]
    row.server = outcome[SERVER]
    row.source = outcome[SOURCE]
    row.reassigned = outcome[REASSIGNED]
    row.first_reassigned = outcome[FIRST_REASSIGNED]
    row.empty_slots = outcome[EMPTY_SLOTS]
    row.servers_with_room = outcome[WITH_ROOM]
    row.preempted = outcome[PREEMPTED]
    row.i_star = state.number[I_STAR]
    row.type = outcome[TYPE]
    row.flags = outcome[FLAGS]
    row.kind = outcome[PENDING]


@jitable
def take_sample(state: State, row: Array) -> None:
    """The compiled twin of :func:`model.kinds.reservation.sampling.sample`, without what
    needs groups or greedy configurations."""
    types = state.configuration.shape[1]
    now = state.clock[NOW]
    row[EVENT_COLUMN] = state.number[EVENT]
    row[TIME_COLUMN] = now
    row[I_STAR_COLUMN] = state.number[I_STAR]
    row[REASSIGNED_COLUMN] = state.number[REASSIGNMENTS]
    row[REJECT_GROUP_COLUMN] = 0
    for j in range(types):
        row[SCALARS + j] = state.jobs_in_system[j]
        row[SCALARS + types + j] = state.area[j] + state.jobs_in_system[j] * (now - state.since[j])
        row[SCALARS + 2 * types + j] = state.tally[j, ARRIVED]
        row[SCALARS + 3 * types + j] = state.tally[j, ADMITTED]
        row[SCALARS + 4 * types + j] = state.tally[j, REJECTED]
        row[SCALARS + 5 * types + j] = state.tally[j, MIGRATED]
        row[SCALARS + 6 * types + j] = state.slots_in_system[j]
        row[SCALARS + 7 * types + j] = 0
        row[SCALARS + 8 * types + j] = 0


@jitable
def below_maximal(state: State, maximal: Array, server: int, job_type: int) -> bool:
    """Is the server's placement, with one more job, below a maximal configuration?"""
    for member in range(maximal.shape[0]):
        below = True
        for j in range(maximal.shape[1]):
            more = 1 if j == job_type else 0
            if state.placement[server, j] + more > maximal[member, j]:
                below = False
                break
        if below:
            return True
    return False


@jitable
def servers_with_room(
    state: State, constant: Array, demand: Array, maximal: Array, job_type: int
) -> int:
    """How many servers' free resources would hold one more job of the type."""
    servers, types = state.configuration.shape
    resources = demand.shape[1]
    count = 0
    for server in range(servers):
        fits = resources > 0 or below_maximal(state, maximal, server, job_type)
        for resource in range(resources):
            used = demand[job_type, resource]
            for j in range(types):
                used += state.placement[server, j] * demand[j, resource]
            if used > constant[CONSTANTS + resource]:
                fits = False
                break
        if fits:
            count += 1
    return count
