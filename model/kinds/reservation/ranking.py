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
from slotscope.model.kinds.reservation.state import EXTENDED, GREEDY_LENGTH, I_STAR, ReservationState
from slotscope.model.systems.watching import Derived

Array = Any
State = Any

#: What is derived, as of :class:`.classification.Classification`.
RANK, INDEX, IN_REJECT_GROUP = range(3)

#: Numbers that the last CRA leaves beside k[i] and X-hat.
OUTCOME = EXTENDED + 1 - I_STAR


def ranked(state: ReservationState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[3, L] what is derived, and what is kept beside it.

    That is [L] the servers by configuration, in each the newest stamp first; [L] the end of each of these stacks, at
    its begin; and what all follows from as it was last: of no state yet, so that the first one is looked at.
    """
    found = classify(state)
    order = np.lexsort((-state.stamp, *state.configuration.T[::-1]))
    derived = np.array([found.rank, found.index, found.reject_group], np.int64)
    nothing = state.configuration.size + state.greedy_configuration.size + state.greedy_count.size + OUTCOME
    kept = np.concatenate([order, np.zeros_like(order), state.stamp - 1, np.zeros(nothing, np.int64)])
    return derived, kept


@jitable
def rank_again(state: State, derived: Array, kept: Array) -> int:
    """Bring what is derived up to a state, where it has another cause than before; it may be of any server."""
    at = 2 * len(state.stamp)
    moved = renew(state.stamp, kept, at)
    at += len(state.stamp)
    moved |= renew(state.configuration.reshape(-1), kept, at)
    at += state.configuration.size
    if moved:
        order_again(state, kept)
        count_stacks(state, derived, kept)
    moved |= renew(state.greedy_configuration.reshape(-1), kept, at)
    at += state.greedy_configuration.size
    moved |= renew(state.greedy_count, kept, at)
    moved |= renew(state.number[I_STAR : EXTENDED + 1], kept, at + len(state.greedy_count))
    if not moved:
        return 0
    rank_servers(state, derived, kept)
    return -1


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
def order_again(state: State, order: Array) -> None:
    """Servers whose configuration or stamp is another one go to their stack."""
    for place in range(1, len(state.stamp)):
        at, server = place, order[unsigned(place)]
        while at > 0 and not goes_before(state, order[unsigned(at - 1)], server):
            order[unsigned(at)] = order[unsigned(at - 1)]
            at -= 1
        order[unsigned(at)] = server


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
