"""The kernel of the loss system in which a user-written function decides which server takes a job."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation.kernels import first_fit, loop
from slotscope.model.kinds.reservation.kernels.driver import ReservationKernel
from slotscope.model.kinds.reservation.kernels.loop import UPDATES, next_due
from slotscope.model.kinds.reservation.kernels.placing import has_room, take_room
from slotscope.model.kinds.reservation.outcome import JOB, TYPE
from slotscope.model.kinds.reservation.rows import FLAG_ADMITTED, FLAG_REJECTED
from slotscope.model.kinds.reservation.state import TIMER, ReservationState
from slotscope.model.policies.own.driver import Hooks, KernelInput, OwnKernel
from slotscope.model.policies.own.sound import ImpossibleDecisionError

State = Any
Array = Any


class OwnRoom(NamedTuple):
    """The servers that can take a job of each type, derived from the state, and the inputs of the user's function."""

    room: NDArray[np.bool_]  #: [J, L] whether a server can take a job of a type
    shown_room: NDArray[np.bool_]  #: a read-only view of ``room``
    reserves: bool  #: whether jobs go into reserved slots
    used: NDArray[np.int64]  #: [L, n] resources in use
    maximal: NDArray[np.int64]  #: [m, J] maximal configurations, if no resources are given
    own: KernelInput


@jitable
def follow_room(state: State, index: Any, constant: Array, demand: Array, server: int, by: int, outcome: Array) -> None:
    """Update the index after the event's job has joined (*by* = 1) or left (-1) the server."""
    if not index.reserves:
        take_room(state, index, demand, server, outcome[TYPE], by)
    for j in range(state.configuration.shape[1]):
        if index.reserves:
            index.room[j, server] = state.placement[server, j] < state.configuration[server, j]
        else:
            index.room[j, server] = has_room(state, index, constant, demand, server, j)


@jitable
def next_without_update(state: State, jobs: Any, constant: Array, until: float) -> int:
    """As :func:`..loop.next_due`; the kernel of a user-written policy has no updates."""
    due = next_due(state, jobs, constant, until)
    if due == UPDATES:
        raise ImpossibleDecisionError("an update")
    return due


class OwnReservationKernel(OwnKernel, ReservationKernel):
    """The compiled twin of a policy whose file defines a ``kernel``."""

    loop = staticmethod(first_fit.advance)

    def index(self, state: ReservationState) -> OwnRoom:
        """The servers that can take a job of each type, and the inputs of the user's function."""
        numbers, reserves = self.numbers, bool(self.policy.reserves_slots)
        room = np.ascontiguousarray((state.placement < state.configuration).T)
        if not reserves:
            room = np.array([numbers.room_for(state.placement, j) for j in range(numbers.types)])
        shown = room.view()
        shown.flags.writeable = False
        used = state.placement.astype(np.int64) @ numbers.demand
        return OwnRoom(room, shown, reserves, used, numbers.maximal, self.asked(state, 0, 0, shown[0]))

    @staticmethod
    def hooks(decide: Any) -> Hooks:
        """Replace the choice of a server by the user's function."""

        def chosen(_state: State, index: Any, _constant: Array, _demand: Array, outcome: Array) -> int:
            j, own = outcome[TYPE], index.own
            server = decide(own.state, outcome[JOB], j, index.shown_room[j], own.data)
            own.told[0] = server
            if server != -1 and (server < 0 or server >= index.room.shape[1] or not index.room[j, server]):
                raise ImpossibleDecisionError("no room there")
            return int(server)

        return {
            loop.next_due: next_without_update,
            first_fit.chosen: chosen,
            first_fit.follow: follow_room,
            first_fit.room_left: loop.room_to_tell,
        }

    def decided(self, _: Any, mine: tuple[Any, Any], __: Any) -> str:
        """The decision on the arriving job, as text."""
        row = mine[0]
        if row["flags"] & FLAG_REJECTED:
            return "the job is rejected"
        return f"server {row['server'] + 1}" if row["flags"] & FLAG_ADMITTED else "nothing"

    def refused(self, before: ReservationState) -> str:
        """Why the decision was refused, as text: the server chosen, and the servers allowed."""
        if before.clock[TIMER] < np.inf:
            return "found UpdateAt beside a kernel, allowed: a kernel that decides of arrivals alone"
        server, servers = int(self.told[0]), self.numbers.servers
        if not 0 <= server < servers:
            return f"the kernel returns {server}, allowed: a server, 0 to {servers - 1}, or -1 (the job is rejected)"
        lacks = "has no empty slot for it" if self.policy.reserves_slots else "has no room for it"
        return f"the kernel admits it on server {server + 1}, which {lacks}"
