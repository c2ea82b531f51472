"""The parts of the event loop that the kernels of systems with phases share."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.outcome import (
    FLAGS,
    HAD_JOBS,
    JOB,
    KIND,
    MADE,
    OUTCOMES,
    PHASE,
    POOL,
    SERVER,
    TYPE,
    VIRTUALS,
    close,
)
from slotscope.model.kinds.phases.physics import arrive, go_on, leave, move
from slotscope.model.kinds.phases.rows import FLAG_ARRIVED, FLAG_DEPARTED, FLAG_MOVED, FLAG_OF_VIRTUAL, FLAG_TICKED
from slotscope.model.kinds.phases.sampling import sample as take_sample
from slotscope.model.kinds.phases.state import ACTIVE, EVENT, FREE, NEXT_ARRIVAL, NOW, TOKENS
from slotscope.model.kinds.phases.timers import next_timer
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, MOVE, TICK
from slotscope.model.systems.compiled import (
    AT_END,
    AT_TIME,
    COMMON,
    INITIAL_JOBS,
    LAST_BLOCK,
    NEEDS_JOBS,
    NEEDS_ROOM,
    STOP_FLAGS,
    STRIDE,
)

State = Any
Array = Any

#: :func:`next_due` returns a code of at least DUE if an event is due; lower codes end the call.
DUE = 100
ARRIVES, MOVES_ON, RINGS = range(DUE, DUE + 3)

# The positions of this kind in ``constant``.
MOST_TOKENS = COMMON
# For policies without tokens: how they choose a server.
RULE, DRAWS, SHARE_NUMERATOR, SHARE_DENOMINATOR = range(COMMON + 1, COMMON + 5)
CONSTANTS = COMMON + 5


@jitable
def next_due(state: State, jobs: Any, constant: Array, until: float, outcome: Array) -> int:
    """ARRIVES, MOVES_ON or RINGS after advancing the clock to that event, or the reason why none can happen now.

    At equal times a move comes first, then a tick, then an arrival.
    """
    place = state.number[NEXT_ARRIVAL] - jobs.first[0]
    last = len(jobs.time)
    if place >= last and not constant[LAST_BLOCK]:
        return NEEDS_JOBS
    comes = jobs.time[unsigned(place)] if place < last else np.inf
    moves = state.heap_time[0]
    rings = next_timer(state.timer_due, state.timer_tree)
    due = min(comes, moves, rings)
    if due == np.inf:
        return AT_END
    if due > until:
        return AT_TIME
    if lacks_room(state, constant[MOST_TOKENS]):
        return NEEDS_ROOM
    for field in range(OUTCOMES):
        outcome[field] = -1
    outcome[FLAGS] = 0
    outcome[MADE] = 0
    outcome[VIRTUALS] = 0
    outcome[HAD_JOBS] = 0
    go_on(state, due)
    if moves == due:
        return MOVES_ON
    return RINGS if rings == due else ARRIVES


@jitable
def lacks_room(state: State, most_tokens: int) -> bool:
    """Whether :func:`model.kinds.phases.state.with_room` would let the state grow."""
    if state.number[FREE] <= state.number[TOKENS] + most_tokens:
        return True
    longest = state.token_server.shape[2] - most_tokens
    pools, types = state.token_count.shape
    if state.number[TOKENS] > longest:
        for pool in range(pools):
            for job_type in range(types):
                if state.token_count[unsigned(pool), unsigned(job_type)] > longest:
                    return True
    elif longest < 0:
        return True
    for pool in range(pools):
        if state.backup_idle[unsigned(pool)] >= state.backup_record.shape[1] - 1:
            return True
    return len(state.timer_due) == 0 and state.number[ACTIVE] == len(state.jobs_on)


@jitable
def begin_arrival(state: State, jobs: Any, constant: Array, outcome: Array) -> int:
    """Let the next job arrive; returns its record."""
    arrival = state.number[NEXT_ARRIVAL]
    job_type = jobs.type[unsigned(arrival - jobs.first[0])]
    state.number[NEXT_ARRIVAL] = arrival + 1
    outcome[KIND] = ARRIVAL
    outcome[JOB] = constant[INITIAL_JOBS] + arrival
    outcome[TYPE] = job_type
    outcome[PHASE] = job_type
    outcome[FLAGS] = FLAG_ARRIVED
    return int(arrive(state, outcome[JOB], job_type))


@jitable
def begin_tick(state: State, outcome: Array) -> int:
    """Let the next timer ring; returns its server."""
    server = state.timer_tree[1]
    outcome[KIND] = TICK
    outcome[SERVER] = server
    outcome[HAD_JOBS] = state.jobs_on[unsigned(server)]
    outcome[FLAGS] = FLAG_TICKED
    return int(server)


@jitable
def run_move(state: State, tables: Any, outcome: Array) -> int:
    """Let the job that moves next change its phase or depart; returns its server."""
    record = state.heap_record[0]
    at = unsigned(record)
    server = state.job_server[at]
    following = state.job_next[at]
    outcome[JOB] = state.job_number[at]
    outcome[SERVER] = server
    outcome[POOL] = state.job_pool[at]
    outcome[TYPE] = state.job_phase[at]
    outcome[PHASE] = following
    if server >= 0:
        outcome[HAD_JOBS] = state.jobs_on[unsigned(server)]
    if state.job_virtual[at]:
        outcome[FLAGS] = FLAG_OF_VIRTUAL
    if following == len(tables.out_rate):
        outcome[KIND] = DEPARTURE
        outcome[FLAGS] |= FLAG_DEPARTED
        leave(state, tables, record)
    else:
        outcome[KIND] = MOVE
        outcome[FLAGS] |= FLAG_MOVED
        move(state, tables, record, following)
    return int(server)


@jitable
def finish(
    state: State, tables: Any, constant: Array, came: int, outcome: Array, tape: Array, samples: Array, done: Array
) -> bool:
    """Close the event: write its row, and a sample if one is due; returns whether the run should stop here.

    *came* is the record of the job that arrived and took a token; -1: none did.
    """
    row = tape[unsigned(done[0])]
    close(state, tables.capacity, outcome, row)
    row["token_age"] = -1.0
    if came >= 0:
        row["token_age"] = state.clock[NOW] - state.job_token_time[unsigned(came)]
    done[0] += 1
    if constant[STRIDE] and state.number[EVENT] % constant[STRIDE] == 0:
        take_sample(state, samples[done[1]])
        done[1] += 1
    return bool(outcome[FLAGS] & constant[STOP_FLAGS] != 0)
