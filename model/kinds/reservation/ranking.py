"""The index, rank and group of every server, kept up to date by compiled code during a run.

Reference: Psychas & Ghaderi (2022), Definition 4 and Section 4 (CRA).  The results equal those of
:func:`.classification.classify`; they are used by questions about millions of events.
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

#: Rows of the derived numbers, as in :class:`.classification.Classification`.
RANK, INDEX, IN_REJECT_GROUP = range(3)

#: Fields of rows that name the servers that an event may have changed.
NAMED = Touched(("server", "source", "first_reassigned"), (("reassigned", 1), ("preempted", 0)))

#: The same fields as offsets in a row.
SERVERS = tuple(offset_of(EVENT_ROW, name) for name in NAMED.columns)
MOST = np.array([(offset_of(EVENT_ROW, name), last) for name, last in NAMED.most])


def ranked(state: ReservationState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[3, L] the derived numbers, and what is kept to update them.

    What is kept is [L] the servers sorted by configuration, in each stack the newest stamp first; and the latest values
    of everything that the derived numbers depend on.
    """
    found = classify(state)
    order = np.lexsort((-state.stamp, *state.configuration.T[::-1]))
    derived = np.array([found.rank, found.index, found.reject_group], np.int64)
    greedy = state.greedy_configuration.reshape(-1), state.greedy_count, state.number[I_STAR : EXTENDED + 1]
    return derived, np.concatenate([order, state.stamp, state.configuration.reshape(-1), *greedy])


@jitable
def rank_again(state: State, derived: Array, kept: Array, rows: Array) -> int:
    """Update the derived numbers if anything that they depend on has changed; any server may be affected."""
    servers = len(state.stamp)
    named = len(rows) == 1 and is_within(rows[0], MOST)
    first = take_named_out(state, derived, kept, rows[0]) if named else take_any_out(state, derived, kept)
    for place in range(first, servers):
        put_in_order(state, derived, kept, place)
    moved = first < servers
    at = 2 * servers + state.configuration.size
    moved |= renew(state.greedy_configuration.reshape(-1), kept, at)
    at += state.greedy_configuration.size
    moved |= renew(state.greedy_count, kept, at)
    moved |= renew(state.number[I_STAR : EXTENDED + 1], kept, at + len(state.greedy_count))
    if not moved:
        return 0
    rank_servers(state, derived, kept)
    return -1


@jitable
def take_named_out(state: State, derived: Array, kept: Array, row: Array) -> int:
    """Move the changed servers that an event names behind the others, which stay sorted; return where these end."""
    end = len(state.stamp)
    for column in SERVERS:
        server = number_in(row, column)
        if server >= 0 and has_moved(state, kept, server):
            end -= 1
            take_out(derived, kept, server, end)
    return end


@jitable
def take_any_out(state: State, derived: Array, kept: Array) -> int:
    """As :func:`take_named_out`, for an event that may have changed any server."""
    end = len(state.stamp)
    for server in range(len(state.stamp)):
        if has_moved(state, kept, server):
            end -= 1
            take_out(derived, kept, server, end)
    return end


@jitable
def has_moved(state: State, kept: Array, server: int) -> bool:
    """Whether the stamp or configuration of a server differs from the kept ones, which are replaced."""
    servers, types = state.configuration.shape
    moved = renew(state.stamp[server : server + 1], kept, servers + server)
    return bool(renew(state.configuration[server], kept, 2 * servers + server * types) or moved)


@jitable
def take_out(derived: Array, kept: Array, server: int, end: int) -> None:
    """Move a server to position *end*, and adjust the indexes of those behind it in its stack."""
    at = 0
    while kept[unsigned(at)] != server:
        at += 1
    for place in range(at, end):
        kept[unsigned(place)] = kept[unsigned(place + 1)]
    kept[unsigned(end)] = server
    while at < end and derived[INDEX, unsigned(kept[unsigned(at)])] > 1:
        derived[INDEX, unsigned(kept[unsigned(at)])] -= 1
        at += 1


@jitable
def renew(content: Array, kept: Array, start: int) -> bool:
    """Whether numbers differ from the kept ones, which are replaced."""
    found = np.int64(0)
    for at in range(len(content)):
        found |= content[unsigned(at)] ^ kept[unsigned(start + at)]
    if found == 0:
        return False
    for at in range(len(content)):
        kept[unsigned(start + at)] = content[unsigned(at)]
    return True


@jitable
def put_in_order(state: State, derived: Array, kept: Array, end: int) -> None:
    """Insert the server at position *end* into the sorted ones before it; the indexes in its stack are adjusted."""
    server, low, high = kept[unsigned(end)], 0, end
    while low < high:
        middle = (low + high) // 2
        if goes_before(state, kept[unsigned(middle)], server):
            low = middle + 1
        else:
            high = middle
    for place in range(end, low, -1):
        kept[unsigned(place)] = kept[unsigned(place - 1)]
    kept[unsigned(low)] = server
    before = kept[unsigned(low - 1 if low > 0 else low)]
    begins = low == 0 or not has(state.configuration, before, state.configuration, server)
    derived[INDEX, unsigned(server)] = 1 if begins else derived[INDEX, unsigned(before)] + 1
    follows = low < end and has(state.configuration, kept[unsigned(low + 1)], state.configuration, server)
    at = low + 1
    while at <= end and (follows if at == low + 1 else derived[INDEX, unsigned(kept[unsigned(at)])] > 1):
        derived[INDEX, unsigned(kept[unsigned(at)])] += 1
        at += 1


@jitable
def goes_before(state: State, one: int, other: int) -> bool:
    """Whether a server is sorted before another: by configuration, then the newest stamp first."""
    for j in range(state.configuration.shape[1]):
        difference = state.configuration[unsigned(one), unsigned(j)] - state.configuration[unsigned(other), unsigned(j)]
        if difference != 0:
            return bool(difference < 0)
    return bool(state.stamp[unsigned(one)] > state.stamp[unsigned(other)])


@jitable
def rank_servers(state: State, derived: Array, kept: Array) -> None:
    """Compute ranks and groups, from the stacks and the outcome of the last CRA."""
    servers, begin = len(state.stamp), 0
    found, surplus = state.number[GREEDY_LENGTH], len(state.greedy_count) + 1
    derived[RANK, :] = surplus
    derived[IN_REJECT_GROUP, :] = 0
    while begin < servers:
        end = begin + 1
        while end < servers and derived[INDEX, unsigned(kept[unsigned(end)])] > 1:
            end += 1
        rank_stack(state, derived, kept, begin, end)
        first = unsigned(kept[unsigned(begin)])
        derived[IN_REJECT_GROUP, first] = found > 0 and derived[RANK, first] > state.number[I_STAR]
        begin = end
    if found > 0 and state.number[EXTENDED]:
        for server in range(servers):
            derived[IN_REJECT_GROUP, unsigned(server)] = derived[RANK, unsigned(server)] == surplus


@jitable
def rank_stack(state: State, derived: Array, kept: Array, begin: int, end: int) -> None:
    """Give rank i to the X-hat_k[i] servers that have had configuration k[i] longest (Definition 4)."""
    for position in range(state.number[GREEDY_LENGTH]):
        if has(state.configuration, kept[unsigned(begin)], state.greedy_configuration, position):
            for place in range(max(begin, end - state.greedy_count[position]), end):
                derived[RANK, unsigned(kept[unsigned(place)])] = position + 1


@jitable
def has(table: Array, row: int, other: Array, place: int) -> bool:
    """Whether a row of a table of configurations equals a row of another table."""
    same = True
    for j in range(table.shape[1]):
        same &= table[unsigned(row), unsigned(j)] == other[unsigned(place), unsigned(j)]
    return same


RANKS = Derived(("rank", "index", "in_reject_group"), ranked, rank_again)
