"""First fit compiled: for each job type a bit set of the servers with room for it.

Reference
    The reference is :mod:`model.kinds.reservation.policies.first_fit`.
Implements
    After each admission and departure only the server concerned is updated.
Symbols
    ``room``  [J, W] bit sets of the servers with room for one more job of a type
    ``used``  [L, n] resources in use
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.reservation.kernels.loop import (
    ARRIVES,
    DEPARTS,
    admit,
    begin_arrival,
    begin_departure,
    finish,
    next_due,
    reject,
)
from slotscope.model.kinds.reservation.kernels.placing import has_room, take_room
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.outcome import FLAGS, TYPE
from slotscope.model.kinds.reservation.rows import FLAG_REJECTED
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.systems import bitset
from slotscope.model.systems.bitset import discard, insert, next_member
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT

State = Any
Array = Any


class RoomIndex(NamedTuple):
    """The servers with room for each type, derived from the state."""

    room: NDArray[np.uint64]  #: [J, W]
    room_summary: NDArray[np.uint64]  #: [J, S]
    used: NDArray[np.int64]  #: [L, n]
    maximal: NDArray[np.int64]  #: [m, J] maximal configurations; m = 0 if demands are given


def build_room_index(numbers: ReservationNumbers, state: ReservationState) -> RoomIndex:
    """Build the index of a state."""
    bits = np.array([numbers.room_for(state.placement, j) for j in range(numbers.types)])
    room = bitset.packed(bits)
    return RoomIndex(
        room=room,
        room_summary=bitset.packed(room != 0),
        used=state.placement.astype(np.int64) @ numbers.demand,
        maximal=numbers.maximal,
    )


@jitable
def chosen(_state: State, index: Any, _constant: Array, _demand: Array, outcome: Array) -> int:
    """The server that takes the arriving job, or -1 if none has room."""
    j = unsigned(outcome[TYPE])
    return int(next_member(index.room[j], index.room_summary[j], 0))


@jitable
def follow(state: State, index: Any, constant: Array, demand: Array, server: int, by: int, outcome: Array) -> None:
    """Update the index after the event's job has joined (*by* = 1) or left (-1) the server."""
    take_room(state, index, demand, server, outcome[TYPE], by)
    for j in range(state.configuration.shape[1]):
        if has_room(state, index, constant, demand, server, j):
            insert(index.room[unsigned(j)], index.room_summary[unsigned(j)], server)
        else:
            discard(index.room[unsigned(j)], index.room_summary[unsigned(j)], server)


@jitable
def room_left(_state: State, _index: Any, _constant: Array, _demand: Array, outcome: Array) -> int:
    """The number of servers with room for the rejected job: 0; -1: no job was rejected."""
    return 0 if outcome[FLAGS] & FLAG_REJECTED else -1


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
    """Run events; see :mod:`model.systems.compiled`.

    The kernels of other policies that decide only at arrivals replace :func:`chosen`, :func:`follow` and
    :func:`room_left` by their own functions (:func:`model.jit.with_others`).
    """
    while done[0] < len(tape):
        due = next_due(state, jobs, constant, until)
        if due < ARRIVES:
            return due
        if due == DEPARTS:
            server = begin_departure(state, outcome)
            follow(state, index, constant, demand, server, -1, outcome)
        else:
            place = begin_arrival(state, jobs, constant, outcome)
            server = chosen(state, index, constant, demand, outcome)
            if server >= 0:
                admit(state, jobs, place, server, outcome)
                follow(state, index, constant, demand, server, 1, outcome)
            else:
                reject(state, outcome)
        with_room = room_left(state, index, constant, demand, outcome)
        if finish(state, constant, outcome, tape, samples, done, with_room):
            return AT_FLAG
    return AT_LIMIT
