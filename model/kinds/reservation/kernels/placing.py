"""Common parts of kernels without reservation: which servers have room, and the loads of the servers."""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.reservation.kernels.events import CONSTANTS, below_maximal
from slotscope.model.kinds.reservation.physics import set_slots

State = Any
Array = Any


@jitable
def has_room(state: State, index: Any, constant: Array, demand: Array, server: int, job_type: int) -> bool:
    """Whether one more job of the type is feasible on the server.

    ``index.used`` [L, n] are the resources in use on each server, ``index.maximal`` [m, J] the
    maximal configurations, if no resources are given.
    """
    on, j = unsigned(server), unsigned(job_type)
    for resource in range(demand.shape[1]):
        used = index.used[on, unsigned(resource)] + demand[j, unsigned(resource)]
        if used > constant[unsigned(CONSTANTS + resource)]:
            return False
    return demand.shape[1] > 0 or below_maximal(state, index.maximal, server, job_type)


@jitable
def take_room(state: State, index: Any, demand: Array, server: int, job_type: int, by: int) -> None:
    """Update the resources and slots in use after a job of the type joined (*by* = 1) or left (-1) the server."""
    on, j = unsigned(server), unsigned(job_type)
    for resource in range(demand.shape[1]):
        index.used[on, unsigned(resource)] += by * demand[j, unsigned(resource)]
    set_slots(state, server, job_type, state.configuration[on, j] + by)


@jitable
def add_load(index: Any, server: int, job_type: int, by: int) -> None:
    """Update the sums ``index.load`` [L, m] after a job of the type joined (*by* = 1) or left (-1) the server."""
    on, j = unsigned(server), unsigned(job_type)
    for place in range(index.weights.shape[1]):
        index.load[on, unsigned(place)] += by * index.weights[j, unsigned(place)]


@jitable
def load_of(index: Any, server: int) -> int:
    """The server's load (see :mod:`model.kinds.reservation.loads`)."""
    on = unsigned(server)
    load = index.load[on, 0]
    for place in range(1, index.load.shape[1]):
        load = max(load, index.load[on, unsigned(place)])
    return int(load)


@jitable
def load_with(index: Any, server: int, job_type: int) -> int:
    """The load that the server would have with one more job of the type."""
    on, j = unsigned(server), unsigned(job_type)
    load = index.load[on, 0] + index.weights[j, 0]
    for place in range(1, index.load.shape[1]):
        load = max(load, index.load[on, unsigned(place)] + index.weights[j, unsigned(place)])
    return int(load)
