"""DRA compiled: the same decisions as the reference, by moving boundaries instead of ranking.

Reference
    Psychas & Ghaderi (2022), Section 4; the reference is :mod:`model.policies.dra`.
Implements
    Algorithms 1 and 2.  CRA is incremental: per configuration one list ordered by recency
    and a boundary between surplus and effective servers (Definition 9); bit sets of empty
    servers and of servers with an empty slot; MaxReward from a memo per subset of types.
Symbols
    As in the reference; ``index`` is :class:`model.kernels.index.Index`.
Deviations
    None: every free choice is made as in the reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from model.jit import jitable
from model.kernels import bitset, events, recency
from model.kernels.events import (
    AT_END,
    AT_FLAG,
    AT_LIMIT,
    AT_TIME,
    EMPTIED,
    EMPTY_SLOTS,
    EXPLAIN,
    FIRST_REASSIGNED,
    FITTING,
    FLAGS,
    INITIAL_JOBS,
    JOB,
    LAST_BLOCK,
    MOVED,
    NEEDS_JOBS,
    NEEDS_MAXIMUM,
    NEEDS_ROOM,
    PENDING,
    REASSIGNED,
    RESERVED,
    SERVER,
    SERVERS,
    SOURCE,
    STOP_FLAGS,
    STRIDE,
    TYPE,
)
from model.kernels.index import NEXT_PLACE, PRESENT, UNMATCHED, WANTED_MASK
from model.records import (
    ARRIVAL,
    DEPARTURE,
    FLAG_ADMITTED,
    FLAG_DEPARTED,
    FLAG_GREEDY,
    FLAG_I_STAR,
    FLAG_MIGRATED,
    FLAG_REASSIGNED,
    FLAG_REJECTED,
)
from model.systems.reservation import physics
from model.systems.reservation.sampling import REJECT_GROUP_COLUMN, SCALARS
from model.systems.reservation.state import (
    ARRIVED,
    DEPARTURES,
    EVENT,
    FREE,
    GREEDY_LENGTH,
    I_STAR,
    NEXT_ARRIVAL,
    NOW,
    REJECTED,
)

State = Any
Index = Any
Array = Any

admit = physics.admit
depart = physics.depart
release = physics.release
migrate = physics.migrate
set_slots = physics.set_slots
stamp_as_most_recent = physics.stamp_as_most_recent
reset = events.reset
write_row = events.write_row
take_sample = events.take_sample
servers_with_room = events.servers_with_room
insert = bitset.insert
discard = bitset.discard
next_member = bitset.next_member
move_boundary = recency.move_boundary
leave_configuration = recency.leave_configuration
join_configuration = recency.join_configuration
next_place = recency.next_place
close_ranks = recency.close_ranks

MEMO_FACTOR = np.uint64(0x9E3779B97F4A7C15)
MEMO_SHIFT = np.uint64(40)
BIT = np.uint64(1)


@jitable
def maximum(index: Index, mask: Any) -> int:
    """The number of MaxReward over a subset of types, or -1 if it is not known yet."""
    last = np.uint64(len(index.memo_key) - 1)
    place = ((mask * MEMO_FACTOR) >> MEMO_SHIFT) & last
    while index.memo_key[place] != mask:
        if index.memo_key[place] == np.uint64(0):
            return -1
        place = (place + BIT) & last
    return int(index.memo_value[place])


@jitable
def rank_of(index: Index, server: int, types: int) -> int:
    """The rank of a server after the last CRA."""
    position = index.position[index.configuration_of[server]]
    if position > 0 and index.is_effective[server]:
        return int(position)
    return types + 1


@jitable
def in_reject_group(state: State, index: Index, server: int, types: int) -> bool:
    """Index 1 and rank above I*."""
    if index.newest[index.configuration_of[server]] != server:
        return False
    if state.number[GREEDY_LENGTH] == 0:
        return False
    return bool(rank_of(index, server, types) > state.number[I_STAR])


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
    """Update the bit sets after a job left a slot; True if the server is now empty."""
    index.jobs[server] -= 1
    insert(index.free[job_type], index.free_summary[job_type], index.place[server])
    if index.jobs[server] == 0:
        insert(index.idle, index.idle_summary, server)
        return True
    return False


@jitable
def reassign(state: State, index: Index, server: int, number: int, types: int) -> None:
    """Line 12: the empty server gets configuration *number* and index 1."""
    leave_configuration(index, server)
    join_configuration(index, server, number)
    if index.size[NEXT_PLACE] == len(index.server_at):
        close_ranks(state, index)
    before = index.place[server]
    place = next_place(index, server)
    for job_type in range(types):
        slots = index.vectors[number, job_type]
        if state.configuration[server, job_type] > 0:
            discard(index.free[job_type], index.free_summary[job_type], before)
        if slots > 0:
            insert(index.free[job_type], index.free_summary[job_type], place)
        set_slots(state, server, job_type, slots)
    stamp_as_most_recent(state, server)


@jitable
def spare_server(index: Index, iteration: int) -> int:
    """l_e: the lowest empty server of rank J + 1 at this iteration, or -1 (line 10)."""
    server = next_member(index.idle, index.idle_summary, 0)
    while server >= 0:
        position = index.position[index.configuration_of[server]]
        if position == 0 or position > iteration or not index.is_effective[server]:
            return server
        server = next_member(index.idle, index.idle_summary, server + 1)
    return -1


@jitable
def greedy_placement(
    state: State, index: Index, constant: Array, left: Array, found: Array, counts: Array
) -> int:
    """Algorithm 1 on Y + g(L) 1; how many configurations it returned, -1: MaxReward unknown."""
    types = len(left)
    for job_type in range(types):
        left[job_type] = state.jobs_in_system[job_type] + constant[RESERVED]
    servers_left = constant[SERVERS]
    candidates = np.uint64(constant[FITTING])
    length = 0
    while candidates != np.uint64(0):
        number = maximum(index, candidates)
        if number < 0:
            index.size[WANTED_MASK] = np.int64(candidates)
            return -1
        exhausted = -1
        least = 0
        for job_type in range(types):
            slots = index.vectors[number, job_type]
            if slots > 0:
                jobs = left[job_type]
                needed = (jobs + slots - 1) // slots if jobs > 0 else -((-jobs) // slots)
                if exhausted < 0 or needed < least:
                    exhausted = job_type
                    least = needed
        count = max(0, min(least, servers_left))
        if count > 0:
            for job_type in range(types):
                left[job_type] -= count * index.vectors[number, job_type]
            servers_left -= count
        candidates &= ~(BIT << np.uint64(exhausted))
        found[length] = number
        counts[length] = count
        length += 1
    return length


@jitable
def adopt_greedy(state: State, index: Index, length: int, found: Array, counts: Array) -> bool:
    """Store GPA's result; True if it differs from the last one."""
    changed = length != state.number[GREEDY_LENGTH]
    for place in range(length):
        if found[place] != index.greedy[place] or counts[place] != state.greedy_count[place]:
            changed = True
    if not changed:
        return False
    types = state.configuration.shape[1]
    for place in range(state.number[GREEDY_LENGTH]):
        index.position[index.greedy[place]] = 0
    for place in range(length):
        number = found[place]
        index.position[number] = place + 1
        state.greedy_count[place] = counts[place]
        if index.greedy[place] != number or place >= state.number[GREEDY_LENGTH]:
            index.greedy[place] = number
            for job_type in range(types):
                state.greedy_configuration[place, job_type] = index.vectors[number, job_type]
    state.number[GREEDY_LENGTH] = length
    return True


@jitable
def assign_servers(state: State, index: Index, length: int, types: int, outcome: Array) -> None:
    """Lines 3-16: move the boundaries, reassign empty servers, find I*."""
    i_star = types
    unmatched = False
    for place in range(length):
        number = index.greedy[place]
        wanted = state.greedy_count[place]
        move_boundary(index, number, wanted)
        while index.held[number] < wanted:
            server = spare_server(index, place + 1)
            if server < 0:
                i_star = min(i_star, place + 1)
                unmatched = True
                break
            reassign(state, index, server, number, types)
            move_boundary(index, number, wanted)
            if outcome[REASSIGNED] == 0:
                outcome[FIRST_REASSIGNED] = server
            outcome[REASSIGNED] += 1
    index.size[UNMATCHED] = 1 if unmatched else 0
    if i_star != state.number[I_STAR]:
        state.number[I_STAR] = i_star
        outcome[FLAGS] |= FLAG_I_STAR
    if outcome[REASSIGNED] > 0:
        outcome[FLAGS] |= FLAG_REASSIGNED


@jitable
def arrive(state: State, index: Index, jobs: Any, constant: Array, outcome: Array) -> None:
    """Lines 17-22, without CRA."""
    types = state.configuration.shape[1]
    arrival = state.number[NEXT_ARRIVAL]
    place = arrival - jobs.first[0]
    job_type = jobs.type[place]
    state.clock[NOW] = jobs.time[place]
    state.number[NEXT_ARRIVAL] = arrival + 1
    state.tally[job_type, ARRIVED] += 1
    outcome[JOB] = arrival + constant[INITIAL_JOBS]
    outcome[TYPE] = job_type
    server = accepting_server(state, index, job_type, types)
    if server >= 0:
        departure = jobs.time[place] + jobs.service[place]
        admit(state, server, job_type, outcome[JOB], departure)
        count_job_in(state, index, server, job_type)
        outcome[SERVER] = server
        outcome[FLAGS] = FLAG_ADMITTED
    else:
        state.tally[job_type, REJECTED] += 1
        outcome[FLAGS] = FLAG_REJECTED
        outcome[EMPTY_SLOTS] = empty_slots_in_reject_group(state, index, job_type)


@jitable
def empty_slots_in_reject_group(state: State, index: Index, job_type: int) -> int:
    """Empty slots of a type; at a rejection all of them are on Reject Group servers."""
    total = 0
    for place in range(index.size[PRESENT]):
        server = index.newest[index.present[place]]
        total += state.configuration[server, job_type] - state.placement[server, job_type]
    return total


@jitable
def leave(state: State, index: Index, outcome: Array) -> bool:
    """Lines 23-25, without CRA; True if a server became empty."""
    types = state.configuration.shape[1]
    state.clock[NOW] = state.heap_time[0]
    record = state.heap_record[0]
    server = state.job_server[record]
    job_type = state.job_type[record]
    outcome[JOB] = state.job_number[record]
    outcome[TYPE] = job_type
    outcome[SERVER] = server
    outcome[FLAGS] = FLAG_DEPARTED
    accepting = not in_reject_group(state, index, server, types)
    depart(state)
    release(state, record)
    source = migration_source(state, index, job_type, types) if accepting else -1
    if source < 0:
        return count_job_out(index, server, job_type)
    moved = state.first_job[source, job_type]
    outcome[MOVED] = state.job_number[moved]
    outcome[SOURCE] = source
    outcome[FLAGS] |= FLAG_MIGRATED
    migrate(state, moved, server)
    return count_job_out(index, source, job_type)


@jitable
def sample_reject_group(state: State, index: Index, row: Array) -> None:
    """The part of a sample that needs the groups."""
    types = state.configuration.shape[1]
    for place in range(index.size[PRESENT]):
        server = index.newest[index.present[place]]
        if in_reject_group(state, index, server, types):
            row[REJECT_GROUP_COLUMN] += 1
            for j in range(types):
                row[SCALARS + 7 * types + j] += (
                    state.configuration[server, j] - state.placement[server, j]
                )


def advance(
    state: State,
    index: Index,
    jobs: Any,
    constant: Array,
    demand: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
    scratch: Array,
) -> int:
    """Run events until the tape is full, the time is past *until*, or something is needed.

    ``done[0]`` counts the rows of *tape*, ``done[1]`` those of *samples* written so far; a
    sample is taken every ``constant[STRIDE]`` events (0: never).  Returns one of the AT_ and NEEDS_
    codes; after a NEEDS_ code the caller provides what is missing and calls again with the
    same *outcome*, in which an event that waits for its CRA is kept.  *scratch* is [3, J].
    """
    types = state.configuration.shape[1]
    left, found, counts = scratch[0], scratch[1], scratch[2]
    last = jobs.first[0] + len(jobs.time)
    while done[0] < len(tape):
        if outcome[PENDING] == 0:
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
                outcome[EMPTIED] = leave(state, index, outcome)
                outcome[PENDING] = DEPARTURE
            else:
                arrive(state, index, jobs, constant, outcome)
                outcome[PENDING] = ARRIVAL
        if not outcome[FLAGS] & FLAG_REJECTED:
            length = greedy_placement(state, index, constant, left, found, counts)
            if length < 0:
                return NEEDS_MAXIMUM
            if adopt_greedy(state, index, length, found, counts):
                outcome[FLAGS] |= FLAG_GREEDY
                assign_servers(state, index, length, types, outcome)
            elif outcome[EMPTIED] and index.size[UNMATCHED]:
                assign_servers(state, index, length, types, outcome)
        row = tape[done[0]]
        write_row(state, outcome, row)
        if constant[EXPLAIN] and outcome[FLAGS] & FLAG_REJECTED:
            row.servers_with_room = servers_with_room(
                state, constant, demand, index.maximal, outcome[TYPE]
            )
        outcome[PENDING] = 0
        done[0] += 1
        if constant[STRIDE] and state.number[EVENT] % constant[STRIDE] == 0:
            take_sample(state, samples[done[1]])
            sample_reject_group(state, index, samples[done[1]])
            done[1] += 1
        if outcome[FLAGS] & constant[STOP_FLAGS]:
            return AT_FLAG
    return AT_LIMIT
