"""What kernels without reservation share: which servers have room, and how full they are."""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.reservation.kernels.events import CONSTANTS, below_maximal
from slotscope.model.kinds.reservation.physics import set_slots

State = Any
Array = Any


@jitable
def has_room(state: State, index: Any, constant: Array, demand: Array, server: int, job_type: int) -> bool:
    """Would one more job of the type be feasible on the server?

    ``index.used`` [L, n] is what each server's jobs take, ``index.maximal`` [m, J] the
    maximal configurations where no resources are given.
    """
    on, j = unsigned(server), unsigned(job_type)
    for resource in range(demand.shape[1]):
        used = index.used[on, unsigned(resource)] + demand[j, unsigned(resource)]
        if used > constant[unsigned(CONSTANTS + resource)]:
            return False
    return demand.shape[1] > 0 or below_maximal(state, index.maximal, server, job_type)


@jitable
def take_room(state: State, index: Any, demand: Array, server: int, job_type: int, by: int) -> None:
    """A job of the type came to (1) or left (-1) the server: its room, and its slots with it."""
    on, j = unsigned(server), unsigned(job_type)
    for resource in range(demand.shape[1]):
        index.used[on, unsigned(resource)] += by * demand[j, unsigned(resource)]
    set_slots(state, server, job_type, state.configuration[on, j] + by)


@jitable
def add_load(index: Any, server: int, job_type: int, by: int) -> None:
    """The server's sums ``index.load`` [L, m] after a job of the type came (1) or left (-1)."""
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
    """The server's load if it had one more job of the type."""
    on, j = unsigned(server), unsigned(job_type)
    load = index.load[on, 0] + index.weights[j, 0]
    for place in range(1, index.load.shape[1]):
        load = max(load, index.load[on, unsigned(place)] + index.weights[j, unsigned(place)])
    return int(load)
