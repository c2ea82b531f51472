"""Index, rank and group of every server, kept up by compiled code while a run goes on.

Reference: Psychas & Ghaderi (2022), Definition 4 and Section 4 (CRA).  The same as
:func:`.classification.classify` says of one state, for questions about millions of events.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.reservation.classification import classify
from slotscope.model.kinds.reservation.rows import EVENT_ROW
from slotscope.model.kinds.reservation.state import EXTENDED, GREEDY_LENGTH, I_STAR, ReservationState
from slotscope.model.systems.watching import Derived, Touched, is_within, number_in, offset_of

Array = Any
State = Any

#: What is derived, as of :class:`.classification.Classification`.
RANK, INDEX, IN_REJECT_GROUP = range(3)

#: Where rows name the servers that their events may have changed.
NAMED = Touched(("server", "source", "first_reassigned"), (("reassigned", 1), ("preempted", 0)))

#: The same as places in a row.
SERVERS = tuple(offset_of(EVENT_ROW, name) for name in NAMED.columns)
MOST = np.array([(offset_of(EVENT_ROW, name), last) for name, last in NAMED.most])


def ranked(state: ReservationState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[3, L] what is derived, and what is kept beside it.

    That is [L] the servers by configuration, in each the newest stamp first; [L] the end of each of these stacks, at
    its begin; and what all follows from as it was last.
    """
    found = classify(state)
    order = np.lexsort((-state.stamp, *state.configuration.T[::-1]))
    derived = np.array([found.rank, found.index, found.reject_group], np.int64)
    begins = np.flatnonzero(np.r_[True, (np.diff(state.configuration[order], axis=0) != 0).any(axis=1)])
    ends = np.zeros_like(order)
    ends[begins] = np.r_[begins[1:], len(order)]
    greedy = state.greedy_configuration.reshape(-1), state.greedy_count, state.number[I_STAR : EXTENDED + 1]
    kept = np.concatenate([order, ends, state.stamp, state.configuration.reshape(-1), *greedy])
    return derived, kept


@jitable
def rank_again(state: State, derived: Array, kept: Array, rows: Array) -> int:
    """Bring what is derived up to a state, where it has another cause than before; it may be of any server."""
    servers = len(state.stamp)
    first = (
        set_aside(state, kept, rows[0]) if len(rows) == 1 and is_within(rows[0], MOST) else set_any_aside(state, kept)
    )
    for place in range(first, servers):
        put_in_order(state, kept, place)
    moved = first < servers
    if moved:
        count_stacks(state, derived, kept)
    at = 3 * servers + state.configuration.size
    moved |= renew(state.greedy_configuration.reshape(-1), kept, at)
    at += state.greedy_configuration.size
    moved |= renew(state.greedy_count, kept, at)
    moved |= renew(state.number[I_STAR : EXTENDED + 1], kept, at + len(state.greedy_count))
    if not moved:
        return 0
    rank_servers(state, derived, kept)
    return -1


@jitable
def set_aside(state: State, kept: Array, row: Array) -> int:
    """The servers that an event names and has moved go behind the others, which stay in order; where those end."""
    servers, types = len(state.stamp), state.configuration.shape[1]
    end = servers
    for column in SERVERS:
        server = number_in(row, column)
        if server < 0:
            continue
        moved = renew(state.stamp[server : server + 1], kept, 2 * servers + server)
        if renew(state.configuration[server], kept, 3 * servers + server * types) or moved:
            end -= 1
            at = 0
            while kept[unsigned(at)] != server:
                at += 1
            while at < end:
                kept[unsigned(at)] = kept[unsigned(at + 1)]
                at += 1
            kept[unsigned(end)] = server
    return end


@jitable
def set_any_aside(state: State, kept: Array) -> int:
    """As :func:`set_aside`, where any server may have moved: then the first one is in order, and it is seen later."""
    servers = len(state.stamp)
    moved = renew(state.stamp, kept, 2 * servers)
    moved |= renew(state.configuration.reshape(-1), kept, 3 * servers)
    return 1 if moved and servers > 1 else servers


@jitable
def renew(content: Array, kept: Array, start: int) -> bool:
    """Whether numbers are other ones than those that were kept, which they replace."""
    found = np.int64(0)
    for at in range(len(content)):
        found |= content[unsigned(at)] ^ kept[unsigned(start + at)]
    if found == 0:
        return False
    for at in range(len(content)):
        kept[unsigned(start + at)] = content[unsigned(at)]
    return True


@jitable
def put_in_order(state: State, order: Array, place: int) -> None:
    """The server at a place goes to its own among those before it, which are in order."""
    server = order[unsigned(place)]
    if place == 0 or goes_before(state, order[unsigned(place - 1)], server):
        return
    low, high = 0, place
    while low < high:
        middle = (low + high) // 2
        if goes_before(state, order[unsigned(middle)], server):
            low = middle + 1
        else:
            high = middle
    for at in range(place, low, -1):
        order[unsigned(at)] = order[unsigned(at - 1)]
    order[unsigned(low)] = server


@jitable
def goes_before(state: State, one: int, other: int) -> bool:
    """Whether a server stands before another one: by configuration, in each the newest stamp first."""
    for j in range(state.configuration.shape[1]):
        difference = state.configuration[unsigned(one), unsigned(j)] - state.configuration[unsigned(other), unsigned(j)]
        if difference != 0:
            return bool(difference < 0)
    return bool(state.stamp[unsigned(one)] > state.stamp[unsigned(other)])


@jitable
def count_stacks(state: State, derived: Array, kept: Array) -> None:
    """The index of each server in its stack, and where the stacks end."""
    servers, begin = len(state.stamp), 0
    for place in range(servers):
        server = kept[unsigned(place)]
        if not has(state.configuration, server, state.configuration, kept[unsigned(begin)]):
            kept[unsigned(servers + begin)] = place
            begin = place
        derived[INDEX, unsigned(server)] = place - begin + 1
    kept[unsigned(servers + begin)] = servers


@jitable
def rank_servers(state: State, derived: Array, kept: Array) -> None:
    """Ranks and groups, from the stacks and what the last CRA said."""
    found, i_star = state.number[GREEDY_LENGTH], state.number[I_STAR]
    surplus = len(state.greedy_count) + 1
    derived[RANK, :] = surplus
    for position in range(found):
        rank_stack(state, derived, kept, position)
    for server in range(len(state.stamp)):
        rank = derived[RANK, unsigned(server)]
        first = rank > i_star and derived[INDEX, unsigned(server)] == 1
        rejecting = rank == surplus if state.number[EXTENDED] else first
        derived[IN_REJECT_GROUP, unsigned(server)] = rejecting and found > 0


@jitable
def rank_stack(state: State, derived: Array, kept: Array, position: int) -> None:
    """The X-hat_k[i] servers of configuration k[i] that were assigned to it first have rank i (Definition 4)."""
    servers, begin = len(state.stamp), 0
    while begin < servers:
        end = kept[unsigned(servers + begin)]
        if has(state.configuration, kept[unsigned(begin)], state.greedy_configuration, position):
            for place in range(max(begin, end - state.greedy_count[position]), end):
                derived[RANK, unsigned(kept[unsigned(place)])] = position + 1
            return
        begin = end


@jitable
def has(table: Array, row: int, other: Array, place: int) -> bool:
    """Whether a row of a table of configurations is that of another one."""
    same = True
    for j in range(table.shape[1]):
        same &= table[unsigned(row), unsigned(j)] == other[unsigned(place), unsigned(j)]
    return same


RANKS = Derived(("rank", "index", "in_reject_group"), ranked, rank_again)
