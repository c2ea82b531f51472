"""Best fit compiled: for each job type a tournament among the servers with room for it.

Reference
    The reference is :mod:`model.kinds.reservation.policies.best_fit`.
Implements
    The winner of a type's tournament is the server of highest load after placing; of equal
    ones the lowest number.  After each admission and departure only the server concerned
    plays again: a step for each type and each doubling of the number of servers.
Symbols
    ``score``  [J, 2 P] load after placing, -1 without room; P >= L a power of two
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation.kernels import loop, placing
from slotscope.model.kinds.reservation.kernels.loop import ARRIVES, DEPARTS
from slotscope.model.kinds.reservation.loads import LoadMeasure
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.outcome import FLAGS, TYPE
from slotscope.model.kinds.reservation.rows import FLAG_REJECTED
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT

State = Any
Array = Any

next_due = loop.next_due
begin_arrival = loop.begin_arrival
begin_departure = loop.begin_departure
admit = loop.admit
reject = loop.reject
finish = loop.finish
has_room = placing.has_room
take_room = placing.take_room
add_load = placing.add_load
load_with = placing.load_with

#: The score of a server without room.
NO_ROOM = -1


class LossBestFitIndex(NamedTuple):
    """How full the servers are, and who wins; derived from the state."""

    score: NDArray[np.int64]  #: [J, 2 P] tournament: row 1 the winner's, server l at P + l
    used: NDArray[np.int64]  #: [L, n] resources in use
    load: NDArray[np.int64]  #: [L, m] the sums whose largest is the load
    weights: NDArray[np.int64]  #: [J, m] what a job adds to them
    maximal: NDArray[np.int64]  #: [c, J] maximal configurations where no resources are given


def build_index(numbers: ReservationNumbers, loads: LoadMeasure, state: ReservationState) -> LossBestFitIndex:
    """The index of a state."""
    half = 1 << (numbers.servers - 1).bit_length()
    score = np.full((numbers.types, 2 * half), NO_ROOM, np.int64)
    for j in range(numbers.types):
        placement = state.placement.copy()
        placement[:, j] += 1
        room = numbers.room_for(state.placement, j)
        score[j, half : half + numbers.servers] = np.where(
            room, loads.of(placement, np.arange(numbers.servers)), NO_ROOM
        )
    for node in range(half - 1, 0, -1):
        score[:, node] = score[:, 2 * node : 2 * node + 2].max(axis=1)
    return LossBestFitIndex(
        score=score,
        used=state.placement.astype(np.int64) @ numbers.demand,
        load=state.placement.astype(np.int64) @ loads.weights,
        weights=loads.weights,
        maximal=numbers.maximal,
    )


@jitable
def enter_score(tree: Array, server: int, score: int) -> None:
    """Let a server play again with another score."""
    node = (len(tree) >> 1) + server
    tree[node] = score
    while node > 1:
        node >>= 1
        best = max(tree[2 * node], tree[2 * node + 1])
        if tree[node] == best:
            break
        tree[node] = best


@jitable
def winner(tree: Array) -> int:
    """The lowest server of the highest score, or -1 if none has room."""
    best = tree[1]
    if best < 0:
        return -1
    half = len(tree) >> 1
    node = 1
    while node < half:
        node *= 2
        if tree[node] != best:
            node += 1
    return int(node - half)


@jitable
def update(state: State, index: Any, constant: Array, demand: Array, server: int, job_type: int, by: int) -> None:
    """A job of the type came to (1) or left (-1) the server: look at the server again."""
    take_room(state, index, demand, server, job_type, by)
    add_load(index, server, job_type, by)
    for j in range(state.configuration.shape[1]):
        score = NO_ROOM
        if has_room(state, index, constant, demand, server, j):
            score = load_with(index, server, j)
        enter_score(index.score[j], server, score)


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
            update(state, index, constant, demand, server, outcome[TYPE], -1)
        else:
            place = begin_arrival(state, jobs, constant, outcome)
            server = winner(index.score[outcome[TYPE]])
            if server >= 0:
                admit(state, jobs, place, server, outcome)
                update(state, index, constant, demand, server, outcome[TYPE], 1)
            else:
                reject(state, outcome)
        with_room = 0 if outcome[FLAGS] & FLAG_REJECTED else -1
        if finish(state, constant, outcome, tape, samples, done, with_room):
            return AT_FLAG
    return AT_LIMIT
