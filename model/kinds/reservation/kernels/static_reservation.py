"""Static reservation compiled: bit sets of the servers with an empty slot, by age.

Reference
    The reference is :mod:`model.kinds.reservation.policies.static_reservation`.
Implements
    Servers are numbered by how long they have had their configuration, so that the lowest
    member of a type's bit set is the oldest server with an empty slot.
Symbols
    ``plan``  [L, J] the configuration that each server gets, or has
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation import physics
from slotscope.model.kinds.reservation.kernels import loop
from slotscope.model.kinds.reservation.kernels.index import packed
from slotscope.model.kinds.reservation.kernels.loop import ARRIVES, DEPARTS
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.outcome import FIRST_REASSIGNED, FLAGS, REASSIGNED, TYPE
from slotscope.model.kinds.reservation.rows import FLAG_REASSIGNED
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.records import Configuration
from slotscope.model.systems import bitset
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT

State = Any
Array = Any

next_due = loop.next_due
begin_arrival = loop.begin_arrival
begin_departure = loop.begin_departure
admit = loop.admit
reject = loop.reject
finish = loop.finish
room_to_tell = loop.room_to_tell
insert = bitset.insert
discard = bitset.discard
next_member = bitset.next_member
set_slots = physics.set_slots
stamp_as_most_recent = physics.stamp_as_most_recent


class SlotIndex(NamedTuple):
    """Which servers have an empty slot of which type; derived from the state.

    A server that has jobs at time 0 is assigned once, so 2 L places by age are enough.
    """

    free: NDArray[np.uint64]  #: [J, W] places of the servers with an empty slot of a type
    free_summary: NDArray[np.uint64]  #: [J, S]
    place: NDArray[np.int64]  #: [L] each server's place by age
    server_at: NDArray[np.int64]  #: [2 L] the server in a place, -1: none
    next_place: NDArray[np.int64]  #: [1]
    plan: NDArray[np.int32]  #: [L, J]
    maximal: NDArray[np.int64]  #: [m, J] maximal configurations where no resources are given


def build_index(numbers: ReservationNumbers, plan: Sequence[Configuration], state: ReservationState) -> SlotIndex:
    """The index of a state."""
    servers = numbers.servers
    server_at = np.full(2 * servers, -1, np.int64)
    server_at[:servers] = np.argsort(state.stamp)
    place = np.empty(servers, np.int64)
    place[server_at[:servers]] = np.arange(servers)
    bits = np.zeros((numbers.types, 2 * servers), np.bool_)
    bits[:, place] = (state.configuration > state.placement).T
    words = bitset.words_for(2 * servers)
    free = packed(bits, words)
    return SlotIndex(
        free=free,
        free_summary=packed(free != 0, bitset.words_for(words)),
        place=place,
        server_at=server_at,
        next_place=np.array([servers], np.int64),
        plan=np.array(plan, np.int32).reshape(servers, numbers.types),
        maximal=numbers.maximal,
    )


@jitable
def oldest_with_slot(index: Any, job_type: int) -> int:
    """The oldest server with an empty slot of the type, or -1."""
    place = next_member(index.free[job_type], index.free_summary[job_type], 0)
    return int(index.server_at[place]) if place >= 0 else -1


@jitable
def waits_for_plan(state: State, index: Any, server: int) -> bool:
    """Is the server empty, but not of its configuration yet?"""
    differs = False
    for j in range(index.plan.shape[1]):
        if state.placement[server, j] > 0:
            return False
        if state.configuration[server, j] != index.plan[server, j]:
            differs = True
    return differs


@jitable
def assign(state: State, index: Any, server: int, outcome: Array) -> None:
    """The server gets its configuration and becomes the most recent one."""
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


def advance(
    state: State,
    index: Any,
    demand: Array,
    jobs: Any,
    constant: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run events; see :mod:`model.systems.compiled`."""
    while done[0] < len(tape):
        due = next_due(state, jobs, constant, until)
        if due < ARRIVES:
            return due
        if due == DEPARTS:
            server = begin_departure(state, outcome)
            j = outcome[TYPE]
            insert(index.free[j], index.free_summary[j], index.place[server])
            if waits_for_plan(state, index, server):
                assign(state, index, server, outcome)
        else:
            place = begin_arrival(state, jobs, constant, outcome)
            j = outcome[TYPE]
            server = oldest_with_slot(index, j)
            if server >= 0:
                admit(state, jobs, place, server, outcome)
                if state.placement[server, j] == state.configuration[server, j]:
                    discard(index.free[j], index.free_summary[j], index.place[server])
            else:
                reject(state, outcome)
        with_room = room_to_tell(state, constant, demand, index.maximal, outcome)
        if finish(state, constant, outcome, tape, samples, done, with_room):
            return AT_FLAG
    return AT_LIMIT
