"""Best fit compiled: a tournament tree for each job type over the servers with room for it.

Reference
    The reference is :mod:`model.kinds.reservation.policies.best_fit`.
Implements
    The winner of a type's tournament is the server of highest load after placing the job; ties go to
    the lowest number.  An admission or departure updates the path of one server in each tree, in
    O(J log L) steps.
Symbols
    ``score``  [J, 2 P] load after placing, -1 without room; P >= L a power of two
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, with_others
from slotscope.model.kinds.reservation.kernels import first_fit
from slotscope.model.kinds.reservation.kernels.placing import add_load, has_room, load_with, take_room
from slotscope.model.kinds.reservation.loads import LoadMeasure
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.outcome import TYPE
from slotscope.model.kinds.reservation.state import ReservationState

State = Any
Array = Any


#: The score of a server without room.
NO_ROOM = -1


class LossBestFitIndex(NamedTuple):
    """The loads of the servers, and the tournament trees; derived from the state."""

    score: NDArray[np.int64]  #: [J, 2 P] tournament trees: entry 1 is the winner's score, server l is at P + l
    used: NDArray[np.int64]  #: [L, n] resources in use
    load: NDArray[np.int64]  #: [L, m] the sums of which the largest is the server's load
    weights: NDArray[np.int64]  #: [J, m] what a job of each type adds to these sums
    maximal: NDArray[np.int64]  #: [c, J] maximal configurations, if no resources are given


def build_index(numbers: ReservationNumbers, loads: LoadMeasure, state: ReservationState) -> LossBestFitIndex:
    """Build the index of a state."""
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
    """Set the score of a server, and update its path in a type's tournament tree."""
    node = (len(tree) >> 1) + server
    tree[node] = score
    while node > 1:
        node >>= 1
        best = max(tree[2 * node], tree[2 * node + 1])
        if tree[node] == best:
            break
        tree[node] = best


@jitable
def winner(_state: State, index: Any, _constant: Array, _demand: Array, outcome: Array) -> int:
    """The lowest server of the highest score, or -1 if none has room."""
    tree = index.score[outcome[TYPE]]
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
def play_again(state: State, index: Any, constant: Array, demand: Array, server: int, by: int, outcome: Array) -> None:
    """Update the index after the event's job has joined (*by* = 1) or left (-1) the server."""
    take_room(state, index, demand, server, outcome[TYPE], by)
    add_load(index, server, outcome[TYPE], by)
    for j in range(state.configuration.shape[1]):
        score = NO_ROOM
        if has_room(state, index, constant, demand, server, j):
            score = load_with(index, server, j)
        enter_score(index.score[j], server, score)


advance = with_others(first_fit.advance, {first_fit.chosen: winner, first_fit.follow: play_again}, "best_fit")
