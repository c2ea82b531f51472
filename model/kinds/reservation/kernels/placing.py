"""What kernels without reservation share: which servers have room, and how full they are."""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable
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
    for resource in range(demand.shape[1]):
        used = index.used[server, resource] + demand[job_type, resource]
        if used > constant[CONSTANTS + resource]:
            return False
    return demand.shape[1] > 0 or below_maximal(state, index.maximal, server, job_type)


@jitable
def take_room(state: State, index: Any, demand: Array, server: int, job_type: int, by: int) -> None:
    """A job of the type came to (1) or left (-1) the server: its room, and its slots with it."""
    for resource in range(demand.shape[1]):
        index.used[server, resource] += by * demand[job_type, resource]
    set_slots(state, server, job_type, state.configuration[server, job_type] + by)


@jitable
def add_load(index: Any, server: int, job_type: int, by: int) -> None:
    """The server's sums ``index.load`` [L, m] after a job of the type came (1) or left (-1)."""
    for place in range(index.weights.shape[1]):
        index.load[server, place] += by * index.weights[job_type, place]


@jitable
def load_of(index: Any, server: int) -> int:
    """The server's load (see :mod:`model.kinds.reservation.loads`)."""
    load = index.load[server, 0]
    for place in range(1, index.load.shape[1]):
        load = max(load, index.load[server, place])
    return int(load)


@jitable
def load_with(index: Any, server: int, job_type: int) -> int:
    """The server's load if it had one more job of the type."""
    load = index.load[server, 0] + index.weights[job_type, 0]
    for place in range(1, index.load.shape[1]):
        load = max(load, index.load[server, place] + index.weights[job_type, place])
    return int(load)
