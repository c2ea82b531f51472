"""DRA and its variants compiled: the same decisions as the references.

Reference
    Psychas & Ghaderi (2022), Sections 4, 7.2, 8 and 9; the references are
    :mod:`model.kinds.reservation.policies.dra`, ``dra_periodic``, ``dra_no_migration`` and
    ``dra_preemption``.
Implements
    Algorithm 2, lines 17-26, and the variants' changes to these lines; CRA is in
    :mod:`model.kinds.reservation.kernels.cra`.
Symbols
    As in the references; ``index`` is :class:`model.kinds.reservation.kernels.index.Index`.
Deviations
    None: every free choice is made as in the references.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation.kernels.cra import classify_and_reassign, in_reject_group, rank_of
from slotscope.model.kinds.reservation.kernels.events import (
    CRA_AT_EVENTS,
    CRA_DUE,
    EMPTIED,
    MIGRATES,
    OWED,
    RETRIES,
    RETRY,
    reset,
    servers_with_room,
    take_sample,
)
from slotscope.model.kinds.reservation.kernels.index import PRESENT
from slotscope.model.kinds.reservation.kernels.loop import (
    ARRIVES,
    DEPARTS,
    UPDATES,
    begin_arrival,
    foresee_departures,
    next_due,
)
from slotscope.model.kinds.reservation.outcome import (
    EMPTY_SLOTS,
    FLAGS,
    JOB,
    KIND,
    MOVED,
    PREEMPTED,
    SERVER,
    SOURCE,
    TYPE,
    WITH_ROOM,
    close,
)
from slotscope.model.kinds.reservation.physics import admit, depart, migrate, preempt, release
from slotscope.model.kinds.reservation.rows import (
    FLAG_ADMITTED,
    FLAG_DEPARTED,
    FLAG_MIGRATED,
    FLAG_PREEMPTED,
    FLAG_REJECTED,
)
from slotscope.model.kinds.reservation.sampling import REJECT_GROUP_COLUMN, SCALARS
from slotscope.model.kinds.reservation.state import EVENT, EXTENDED, I_STAR, NEXT_ARRIVAL, NOW, REJECTED, TIMER
from slotscope.model.reporting.records import DEPARTURE, UPDATE
from slotscope.model.systems.bitset import discard, insert, next_member
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT, EXPLAIN, NEEDS_VALUE, STOP_FLAGS, STRIDE

State = Any
Index = Any
Array = Any


#: The next event has begun.
BEGUN = -1


@jitable
def accepting_server(state: State, index: Index, job_type: int, types: int) -> int:
    """The oldest Accept Group server with an empty slot of the type, or -1 (line 18)."""
    words = index.free[job_type]
    summary = index.free_summary[job_type]
    place = next_member(words, summary, 0)
    while place >= 0 and in_reject_group(state, index, index.server_at[place], types):
        place = next_member(words, summary, place + 1)
    return int(index.server_at[place]) if place >= 0 else -1


@jitable
def migration_source(state: State, index: Index, job_type: int, types: int) -> int:
    """RG_j: the Reject Group server of highest rank with a job of the type, or -1 (line 24)."""
    best = -1
    highest = state.number[I_STAR]
    for place in range(index.size[PRESENT]):
        server = index.newest[index.present[place]]
        if state.first_job[server, job_type] >= 0:
            rank = rank_of(index, server, types)
            if rank > highest or (rank == highest and best >= 0 and server < best):
                best = server
                highest = rank
    return best


@jitable
def count_job_in(state: State, index: Index, server: int, job_type: int) -> None:
    """Update the bit sets after a job entered a slot."""
    if index.jobs[server] == 0:
        discard(index.idle, index.idle_summary, server)
    index.jobs[server] += 1
    if state.placement[server, job_type] == state.configuration[server, job_type]:
        discard(index.free[job_type], index.free_summary[job_type], index.place[server])


@jitable
def count_job_out(index: Index, server: int, job_type: int) -> bool:
    """Update the bit sets after a job left a slot; returns whether the server is now empty."""
    index.jobs[server] -= 1
    insert(index.free[job_type], index.free_summary[job_type], index.place[server])
    if index.jobs[server] == 0:
        insert(index.idle, index.idle_summary, server)
        return True
    return False


@jitable
def arrive(state: State, index: Index, jobs: Any, constant: Array, demand: Array, outcome: Array) -> None:
    """Lines 17-22 without CRA: admit or reject the arriving job."""
    begin_arrival(state, jobs, constant, outcome)
    if not try_to_admit(state, index, jobs, constant, outcome):
        outcome[OWED] = index.owed[outcome[TYPE]]
        outcome[RETRY] = constant[RETRIES]
        if not constant[RETRIES]:
            turn_away(state, index, constant, demand, outcome)


@jitable
def try_to_admit(state: State, index: Index, jobs: Any, constant: Array, outcome: Array) -> bool:
    """Lines 18-19 for the job that arrived last; returns False if the Accept Group has no empty slot of its type."""
    types = state.configuration.shape[1]
    job_type = outcome[TYPE]
    server = accepting_server(state, index, job_type, types)
    if server < 0:
        return False
    place = state.number[NEXT_ARRIVAL] - 1 - jobs.first[0]
    admit(state, server, job_type, outcome[JOB], jobs.time[place] + jobs.service[place])
    count_job_in(state, index, server, job_type)
    outcome[SERVER] = server
    outcome[FLAGS] |= FLAG_ADMITTED
    outcome[CRA_DUE] = constant[CRA_AT_EVENTS]
    return True


@jitable
def turn_away(state: State, index: Index, constant: Array, demand: Array, outcome: Array) -> None:
    """Line 22: reject the job, as all empty slots of its type are on Reject Group servers."""
    job_type = outcome[TYPE]
    state.tally[job_type, REJECTED] += 1
    outcome[FLAGS] |= FLAG_REJECTED
    outcome[EMPTY_SLOTS] = state.slots_in_system[job_type] - state.jobs_in_system[job_type]
    if constant[EXPLAIN]:
        outcome[WITH_ROOM] = servers_with_room(state, constant, demand, index.maximal, job_type)


@jitable
def leave(state: State, index: Index, constant: Array, outcome: Array) -> None:
    """Lines 23-25 without CRA: the departure, and the migration that may follow it."""
    types = state.configuration.shape[1]
    state.clock[NOW] = state.heap_time[0]
    record = state.heap_record[0]
    server = state.job_server[record]
    job_type = state.job_type[record]
    outcome[JOB] = state.job_number[record]
    outcome[TYPE] = job_type
    outcome[SERVER] = server
    outcome[FLAGS] = FLAG_DEPARTED
    outcome[CRA_DUE] = constant[CRA_AT_EVENTS]
    accepting = constant[MIGRATES] and not in_reject_group(state, index, server, types)
    depart(state)
    release(state, record)
    source = migration_source(state, index, job_type, types) if accepting else -1
    if source >= 0:
        moved = state.first_job[source, job_type]
        outcome[MOVED] = state.job_number[moved]
        outcome[SOURCE] = source
        outcome[FLAGS] |= FLAG_MIGRATED
        migrate(state, moved, server)
        server = source
    outcome[EMPTIED] = count_job_out(index, server, job_type)
    foresee_departures(state)


@jitable
def update(state: State, index: Index, outcome: Array) -> None:
    """Mark a periodic CRA as due, and set the time of the next one."""
    now = state.clock[TIMER]
    state.clock[NOW] = now
    state.clock[TIMER] = now + index.period[0]
    if len(index.times) > 0:
        state.clock[TIMER] = np.inf
        for place in range(len(index.times) - 1, -1, -1):
            if index.times[place] > now:
                state.clock[TIMER] = index.times[place]
    outcome[CRA_DUE] = 1
    outcome[EMPTIED] = 1  # some server may have become empty since the last update


@jitable
def preempt_one(state: State, index: Index, outcome: Array) -> bool:
    """Preempt the smallest job of priority 0 in the Reject Group; returns False if there is none."""
    types = state.configuration.shape[1]
    for place in range(len(index.victims)):
        victim = index.victims[place]
        server = migration_source(state, index, victim, types)
        if server >= 0:
            record = state.first_job[server, victim]
            if outcome[PREEMPTED] == 0:
                outcome[MOVED] = state.job_number[record]
                outcome[SOURCE] = server
            outcome[PREEMPTED] += 1
            outcome[FLAGS] |= FLAG_PREEMPTED
            preempt(state, record)
            if count_job_out(index, server, victim):
                outcome[EMPTIED] = 1
            outcome[OWED] -= index.job_size[victim]
            outcome[CRA_DUE] = 1
            return True
    return False


@jitable
def begin(state: State, index: Index, jobs: Any, constant: Array, demand: Array, until: float, outcome: Array) -> int:
    """Carry out the next event without its consequences; returns BEGUN, or the reason why no event can happen."""
    due = next_due(state, jobs, constant, until)
    if due == ARRIVES:
        arrive(state, index, jobs, constant, demand, outcome)
    elif due == DEPARTS:
        reset(outcome)
        leave(state, index, constant, outcome)
        outcome[KIND] = DEPARTURE
    elif due == UPDATES:
        reset(outcome)
        update(state, index, outcome)
        outcome[KIND] = UPDATE
    else:
        return int(due)
    return BEGUN


@jitable
def settle(
    state: State, index: Index, jobs: Any, constant: Array, demand: Array, scratch: Array, outcome: Array
) -> bool:
    """Carry out the consequences of an event: CRA, preemptions, a second admission attempt.

    Returns False if a MaxReward is unknown; the call can then be repeated once it is known.
    """
    while True:
        if outcome[CRA_DUE]:
            if not classify_and_reassign(state, index, constant, scratch, outcome):
                return False
            outcome[CRA_DUE] = 0
            outcome[EMPTIED] = 0
        if outcome[OWED] > 0:
            if not preempt_one(state, index, outcome):
                outcome[OWED] = 0
        elif outcome[RETRY]:
            outcome[RETRY] = 0
            if not try_to_admit(state, index, jobs, constant, outcome):
                turn_away(state, index, constant, demand, outcome)
        elif not outcome[CRA_DUE]:
            return True


@jitable
def sample_groups(state: State, index: Index, row: Array) -> None:
    """Fill in the part of a sample that depends on the groups and the greedy configurations."""
    types = state.configuration.shape[1]
    if state.number[EXTENDED]:
        for server in range(len(state.stamp)):
            if in_reject_group(state, index, server, types):
                sample_server(state, server, row)
    else:
        for place in range(index.size[PRESENT]):
            server = index.newest[index.present[place]]
            if in_reject_group(state, index, server, types):
                sample_server(state, server, row)
    for place in range(len(index.target)):
        number = index.target[place]
        if index.position[number] > 0:
            row[SCALARS + 8 * types + place] = index.effective[number]


@jitable
def sample_server(state: State, server: int, row: Array) -> None:
    """Count a Reject Group server in a sample."""
    types = state.configuration.shape[1]
    row[REJECT_GROUP_COLUMN] += 1
    for j in range(types):
        empty = state.configuration[server, j] - state.placement[server, j]
        row[SCALARS + 7 * types + j] += empty


def advance(
    state: State,
    index: Index,
    demand: Array,
    scratch: Array,
    jobs: Any,
    constant: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run events; see :mod:`model.systems.compiled`.

    An event whose CRA waits for a MaxReward is kept in *outcome* between calls; *scratch* is [3, J].
    """
    while done[0] < len(tape):
        if outcome[KIND] == 0:
            code = begin(state, index, jobs, constant, demand, until, outcome)
            if code != BEGUN:
                return code
        if not settle(state, index, jobs, constant, demand, scratch, outcome):
            return NEEDS_VALUE
        close(state, outcome, tape[done[0]])
        outcome[KIND] = 0
        done[0] += 1
        if constant[STRIDE] and state.number[EVENT] % constant[STRIDE] == 0:
            take_sample(state, samples[done[1]])
            sample_groups(state, index, samples[done[1]])
            done[1] += 1
        if outcome[FLAGS] & constant[STOP_FLAGS]:
            return AT_FLAG
    return AT_LIMIT
