"""Power of d choices compiled: the same samples and decisions as the reference.

Reference
    The reference is :mod:`model.kinds.reservation.policies.power_of_d`.
Implements
    A partial Fisher-Yates shuffle of the servers' numbers, which is undone afterwards, so that
    a sample takes d steps, whatever the number of servers.
Symbols
    d  ``len(index.other)``
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, with_others
from slotscope.model.kinds.reservation.kernels import first_fit, loop
from slotscope.model.kinds.reservation.kernels.placing import add_load, has_room, load_of, take_room
from slotscope.model.kinds.reservation.loads import LoadMeasure
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.outcome import JOB, TYPE
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.systems.random_words import below, random_word

State = Any
Array = Any


class PowerIndex(NamedTuple):
    """The loads of the servers, derived from the state, and the data for sampling."""

    used: NDArray[np.int64]  #: [L, n] resources in use
    load: NDArray[np.int64]  #: [L, m] the sums of which the largest is the server's load
    weights: NDArray[np.int64]  #: [J, m] what a job of each type adds to these sums
    maximal: NDArray[np.int64]  #: [c, J] maximal configurations, if no resources are given
    order: NDArray[np.int64]  #: [L] the servers' numbers: 0, 1, 2, ... except while a sample is being drawn
    other: NDArray[np.int64]  #: [d] the position with which each of the first d was exchanged
    key: NDArray[np.uint64]  #: [1] key of the random words of the run


def build_index(
    numbers: ReservationNumbers, loads: LoadMeasure, state: ReservationState, choices: int, key: np.uint64
) -> PowerIndex:
    """Build the index of a state."""
    return PowerIndex(
        used=state.placement.astype(np.int64) @ numbers.demand,
        load=state.placement.astype(np.int64) @ loads.weights,
        weights=loads.weights,
        maximal=numbers.maximal,
        order=np.arange(numbers.servers, dtype=np.int64),
        other=np.zeros(choices, np.int64),
        key=np.array([key], np.uint64),
    )


@jitable
def exchange(order: Array, position: int, other: int) -> None:
    """Exchange two entries."""
    kept = order[position]
    order[position] = order[other]
    order[other] = kept


@jitable
def least_loaded(state: State, index: Any, constant: Array, demand: Array, outcome: Array) -> int:
    """The least loaded of the sampled servers with room, or -1 if none has room."""
    job, job_type = outcome[JOB], outcome[TYPE]
    best, least = -1, 0
    servers, choices = len(index.order), len(index.other)
    for position in range(choices):
        word = random_word(index.key[0], job, position)
        other = position + below(word, servers - position)
        index.other[position] = other
        exchange(index.order, position, other)
        server = index.order[position]
        if has_room(state, index, constant, demand, server, job_type):
            load = load_of(index, server)
            if best < 0 or load < least:
                best = server
                least = load
    for position in range(choices - 1, -1, -1):
        exchange(index.order, position, index.other[position])
    return int(best)


@jitable
def follow_load(
    state: State, index: Any, _constant: Array, demand: Array, server: int, by: int, outcome: Array
) -> None:
    """Update the index after the event's job has joined (*by* = 1) or left (-1) the server."""
    take_room(state, index, demand, server, outcome[TYPE], by)
    add_load(index, server, outcome[TYPE], by)


advance = with_others(
    first_fit.advance,
    {first_fit.chosen: least_loaded, first_fit.follow: follow_load, first_fit.room_left: loop.room_to_tell},
    "power_of_d",
)
