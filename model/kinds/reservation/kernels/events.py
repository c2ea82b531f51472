"""Common parts of the kernels of the loss system: constants, the outcome of an event, samples."""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation.outcome import FLAGS, KIND, OUTCOMES, PREEMPTED, REASSIGNED
from slotscope.model.kinds.reservation.sampling import (
    EVENT_COLUMN,
    I_STAR_COLUMN,
    REASSIGNED_COLUMN,
    REJECT_GROUP_COLUMN,
    SCALARS,
    TIME_COLUMN,
)
from slotscope.model.kinds.reservation.state import (
    ADMITTED,
    ARRIVED,
    EVENT,
    I_STAR,
    MIGRATED,
    NOW,
    REASSIGNMENTS,
    REJECTED,
)
from slotscope.model.systems.compiled import COMMON

State = Any
Array = Any

# The positions of this kind in ``constant``; the capacities of the resources follow them.
SERVERS, RESERVED, FITTING = range(COMMON, COMMON + 3)
# Variants of DRA, each 0 or 1.
GIVEN, MIGRATES, CRA_AT_EVENTS, RETRIES, ENDS_WHEN_IDLE = range(COMMON + 3, COMMON + 8)
CONSTANTS = COMMON + 8

# Positions in ``outcome`` after those of :mod:`model.kinds.reservation.outcome`, whose KIND is 0
# unless an event has begun and is not closed yet.
EMPTIED = OUTCOMES  # 1 if a server became empty
CRA_DUE = OUTCOMES + 1  # 1 if CRA has to run
OWED = OUTCOMES + 2  # total size of the jobs that are still to be preempted
RETRY = OUTCOMES + 3  # 1 if the admission of the rejected job is to be tried again
PLACES = OUTCOMES + 4


@jitable
def reset(outcome: Array) -> None:
    """Clear *outcome* for the next event."""
    for place in range(PLACES):
        outcome[place] = -1
    outcome[KIND] = 0
    outcome[FLAGS] = 0
    outcome[REASSIGNED] = 0
    outcome[EMPTIED] = 0
    outcome[PREEMPTED] = 0
    outcome[CRA_DUE] = 0
    outcome[OWED] = 0
    outcome[RETRY] = 0


@jitable
def take_sample(state: State, row: Array) -> None:
    """The compiled twin of :func:`model.kinds.reservation.sampling.sample`, without the values that
    depend on groups or greedy configurations."""
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
    """Whether the server's placement plus one job of the type is dominated by a maximal configuration."""
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
def servers_with_room(state: State, constant: Array, demand: Array, maximal: Array, job_type: int) -> int:
    """The number of servers with enough free resources for one more job of the type."""
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
