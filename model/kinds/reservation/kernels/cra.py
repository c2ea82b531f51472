"""CRA compiled: greedy placement with memoized MaxReward, and ranks by moving boundaries.

Reference
    Psychas & Ghaderi (2022), Sections 3.1 and 4; the reference is
    :mod:`model.kinds.reservation.policies.dra`.
Implements
    Algorithm 1, and Algorithm 2, lines 1-16, incrementally: for each configuration a list of its
    servers by recency, with a boundary between effective and surplus servers (Definition 9); bit sets
    of empty servers and of servers with an empty slot; MaxReward memoized for each subset of types.
Symbols
    As in the reference; ``index`` is :class:`model.kinds.reservation.kernels.index.Index`.
Deviations
    None: every free choice is made as in the reference.

The list of a configuration has its servers from the oldest to the most recent (index 1); the boundary is behind
the effective ones.  All servers also have places in one common order of age, by which the bit sets of servers with
an empty slot are indexed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation.kernels.events import EMPTIED, FITTING, GIVEN, RESERVED, SERVERS
from slotscope.model.kinds.reservation.kernels.index import NEXT_PLACE, PRESENT, UNMATCHED, WANTED_MASK
from slotscope.model.kinds.reservation.outcome import FIRST_REASSIGNED, FLAGS, REASSIGNED
from slotscope.model.kinds.reservation.physics import set_slots, stamp_as_most_recent
from slotscope.model.kinds.reservation.rows import FLAG_GREEDY, FLAG_I_STAR, FLAG_REASSIGNED
from slotscope.model.kinds.reservation.state import EXTENDED, GREEDY_LENGTH, I_STAR
from slotscope.model.systems.bitset import discard, insert, next_member

NO_BITS = np.uint64(0)


@jitable
def move_boundary(index: Index, number: int, wanted: int) -> None:
    """Move the boundary so that exactly the oldest min(X, X-hat) servers of a configuration are effective."""
    while index.effective[number] > wanted:
        server = index.boundary[number]
        index.is_effective[server] = 0
        index.boundary[number] = index.older[server]
        index.effective[number] -= 1
    target = min(wanted, index.held[number])
    while index.effective[number] < target:
        server = index.boundary[number]
        server = index.newer[server] if server >= 0 else index.oldest[number]
        index.is_effective[server] = 1
        index.boundary[number] = server
        index.effective[number] += 1


@jitable
def leave_configuration(index: Index, server: int) -> None:
    """Remove a server from its configuration's list."""
    number = index.configuration_of[server]
    newer = index.newer[server]
    older = index.older[server]
    if index.is_effective[server]:
        index.effective[number] -= 1
        if index.boundary[number] == server:
            index.boundary[number] = older
        index.is_effective[server] = 0
    if newer >= 0:
        index.older[newer] = older
    else:
        index.newest[number] = older
    if older >= 0:
        index.newer[older] = newer
    else:
        index.oldest[number] = newer
    index.held[number] -= 1
    if index.held[number] == 0:
        last = index.size[PRESENT] - 1
        place = index.present_at[number]
        moved = index.present[last]
        index.present[place] = moved
        index.present_at[moved] = place
        index.present_at[number] = -1
        index.size[PRESENT] = last


@jitable
def join_configuration(index: Index, server: int, number: int) -> None:
    """Put a server at the recent end (index 1) of a configuration's list."""
    first = index.newest[number]
    index.configuration_of[server] = number
    index.older[server] = first
    index.newer[server] = -1
    if first >= 0:
        index.newer[first] = server
    else:
        index.oldest[number] = server
    index.newest[number] = server
    if index.held[number] == 0:
        place = index.size[PRESENT]
        index.present[place] = number
        index.present_at[number] = place
        index.size[PRESENT] = place + 1
    index.held[number] += 1


@jitable
def next_place(index: Index, server: int) -> int:
    """Make an empty server the youngest; returns its new place by age."""
    index.server_at[index.place[server]] = -1
    place = index.size[NEXT_PLACE]
    index.server_at[place] = server
    index.place[server] = place
    index.size[NEXT_PLACE] = place + 1
    return int(place)


@jitable
def close_ranks(state: State, index: Index) -> None:
    """Renumber the places by age to the first L, in the same order; O(1) amortized."""
    types = state.configuration.shape[1]
    index.free[:] = NO_BITS
    index.free_summary[:] = NO_BITS
    last = 0
    for place in range(len(index.server_at)):
        server = index.server_at[place]
        index.server_at[place] = -1
        if server >= 0:
            index.server_at[last] = server
            index.place[server] = last
            for job_type in range(types):
                if state.placement[server, job_type] < state.configuration[server, job_type]:
                    insert(index.free[job_type], index.free_summary[job_type], last)
            last += 1
    index.size[NEXT_PLACE] = last


State = Any
Index = Any
Array = Any


MEMO_FACTOR = np.uint64(0x9E3779B97F4A7C15)
MEMO_SHIFT = np.uint64(40)
BIT = np.uint64(1)


@jitable
def maximum(index: Index, mask: Any) -> int:
    """The number of the MaxReward configuration over a subset of types (a bit *mask*), or -1 if not known yet."""
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
    """Whether the server has index 1 and a rank above I*; if the group is extended, whether it has rank J + 1."""
    if state.number[GREEDY_LENGTH] == 0:
        return False
    if state.number[EXTENDED]:
        return bool(rank_of(index, server, types) > types)
    if index.newest[index.configuration_of[server]] != server:
        return False
    return bool(rank_of(index, server, types) > state.number[I_STAR])


@jitable
def reassign(state: State, index: Index, server: int, number: int, types: int) -> None:
    """Line 12: give the empty server configuration *number* and index 1."""
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
    """l_e (line 10): the empty server of lowest number that has rank J + 1 at this iteration, or -1."""
    server = next_member(index.idle, index.idle_summary, 0)
    while server >= 0:
        position = index.position[index.configuration_of[server]]
        if position == 0 or position > iteration or not index.is_effective[server]:
            return server
        server = next_member(index.idle, index.idle_summary, server + 1)
    return -1


@jitable
def greedy_placement(state: State, index: Index, constant: Array, left: Array, found: Array, counts: Array) -> int:
    """Run Algorithm 1 on Y + g(L) 1; returns the number of configurations found, or -1 if a MaxReward is unknown."""
    types = len(left)
    for job_type in range(types):
        jobs = index.given[job_type] if constant[GIVEN] else state.jobs_in_system[job_type]
        left[job_type] = jobs + constant[RESERVED]
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
    """Store GPA's result; returns whether it differs from the previous one."""
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
def classify_and_reassign(state: State, index: Index, constant: Array, scratch: Array, outcome: Array) -> bool:
    """Run CRA; returns False, with nothing changed, if a MaxReward is unknown."""
    types = state.configuration.shape[1]
    found, counts = scratch[1], scratch[2]
    length = greedy_placement(state, index, constant, scratch[0], found, counts)
    if length < 0:
        return False
    if adopt_greedy(state, index, length, found, counts):
        outcome[FLAGS] |= FLAG_GREEDY
        assign_servers(state, index, length, types, outcome)
    elif index.size[UNMATCHED] < 0 or (outcome[EMPTIED] and index.size[UNMATCHED]):
        assign_servers(state, index, length, types, outcome)
    return True
