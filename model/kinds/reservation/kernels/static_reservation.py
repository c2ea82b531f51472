"""Static reservation compiled: bit sets of the servers with an empty slot, by age.

Reference
    The reference is :mod:`model.kinds.reservation.policies.static_reservation`.
Implements
    The servers' places are ordered by how long they have had their configuration, so that the
    lowest member of a type's bit set is the place of the oldest server with an empty slot.
Symbols
    ``plan``  [L, J] the configuration that each server gets, or has
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, with_others
from slotscope.model.kinds.reservation.kernels import first_fit, loop
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.outcome import FIRST_REASSIGNED, FLAGS, REASSIGNED, TYPE
from slotscope.model.kinds.reservation.physics import set_slots, stamp_as_most_recent
from slotscope.model.kinds.reservation.rows import FLAG_REASSIGNED
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.reporting.records import Configuration
from slotscope.model.systems import bitset
from slotscope.model.systems.bitset import discard, insert, next_member

State = Any
Array = Any


class SlotIndex(NamedTuple):
    """The servers with an empty slot of each type, derived from the state.

    A server that has jobs at time 0 is assigned only once, so that 2 L places by age are enough.
    """

    free: NDArray[np.uint64]  #: [J, W] bit sets of the places whose servers have an empty slot of a type
    free_summary: NDArray[np.uint64]  #: [J, S]
    place: NDArray[np.int64]  #: [L] each server's place by age
    server_at: NDArray[np.int64]  #: [2 L] the server at each place, -1: none
    next_place: NDArray[np.int64]  #: [1]
    plan: NDArray[np.int32]  #: [L, J]
    maximal: NDArray[np.int64]  #: [m, J] maximal configurations, if no resources are given


def build_index(numbers: ReservationNumbers, plan: Sequence[Configuration], state: ReservationState) -> SlotIndex:
    """Build the index of a state."""
    servers = numbers.servers
    server_at = np.full(2 * servers, -1, np.int64)
    server_at[:servers] = np.argsort(state.stamp)
    place = np.empty(servers, np.int64)
    place[server_at[:servers]] = np.arange(servers)
    bits = np.zeros((numbers.types, 2 * servers), np.bool_)
    bits[:, place] = (state.configuration > state.placement).T
    free = bitset.packed(bits)
    return SlotIndex(
        free=free,
        free_summary=bitset.packed(free != 0),
        place=place,
        server_at=server_at,
        next_place=np.array([servers], np.int64),
        plan=np.array(plan, np.int32).reshape(servers, numbers.types),
        maximal=numbers.maximal,
    )


@jitable
def oldest_with_slot(_state: State, index: Any, _constant: Array, _demand: Array, outcome: Array) -> int:
    """The oldest server with an empty slot of the arriving job's type, or -1."""
    j = outcome[TYPE]
    place = next_member(index.free[j], index.free_summary[j], 0)
    return int(index.server_at[place]) if place >= 0 else -1


@jitable
def waits_for_plan(state: State, index: Any, server: int) -> bool:
    """Whether the server is empty and does not have its planned configuration yet."""
    differs = False
    for j in range(index.plan.shape[1]):
        if state.placement[server, j] > 0:
            return False
        if state.configuration[server, j] != index.plan[server, j]:
            differs = True
    return differs


@jitable
def assign(state: State, index: Any, server: int, outcome: Array) -> None:
    """Give the server its planned configuration, and make it the most recent one."""
    before = index.place[server]
    place = index.next_place[0]
    index.next_place[0] = place + 1
    index.place[server] = place
    index.server_at[place] = server
    for j in range(index.plan.shape[1]):
        if state.configuration[server, j] > 0:
            discard(index.free[j], index.free_summary[j], before)
        if index.plan[server, j] > 0:
            insert(index.free[j], index.free_summary[j], place)
        set_slots(state, server, j, index.plan[server, j])
    stamp_as_most_recent(state, server)
    outcome[REASSIGNED] = 1
    outcome[FIRST_REASSIGNED] = server
    outcome[FLAGS] |= FLAG_REASSIGNED


@jitable
def follow_slot(
    state: State, index: Any, _constant: Array, _demand: Array, server: int, by: int, outcome: Array
) -> None:
    """Update the slots after the event's job has joined (*by* = 1) or left (-1) the server; assign the server its
    planned configuration if that was waiting for it to be empty."""
    j = outcome[TYPE]
    if by < 0:
        insert(index.free[j], index.free_summary[j], index.place[server])
        if waits_for_plan(state, index, server):
            assign(state, index, server, outcome)
    elif state.placement[server, j] == state.configuration[server, j]:
        discard(index.free[j], index.free_summary[j], index.place[server])


advance = with_others(
    first_fit.advance,
    {first_fit.chosen: oldest_with_slot, first_fit.follow: follow_slot, first_fit.room_left: loop.room_to_tell},
    "static_reservation",
)
