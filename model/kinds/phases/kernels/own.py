"""The kernel for jobs with phases in which a user-written function decides which server takes a job."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import PolicyFileError
from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.kernels import fitting
from slotscope.model.kinds.phases.kernels.driver import PhaseKernel
from slotscope.model.kinds.phases.outcome import JOB, TYPE
from slotscope.model.kinds.phases.rows import FLAG_PLACED
from slotscope.model.kinds.phases.state import PhaseState
from slotscope.model.policies.own.driver import Hooks, KernelInput, OwnKernel
from slotscope.model.policies.own.sound import ImpossibleDecisionError

State = Any
Array = Any


class OwnFits(NamedTuple):
    """The servers with room for each type, derived from the state, and the inputs of the user's function."""

    room: NDArray[np.bool_]  #: [I, S] whether a server has room now for an arriving job of a type
    shown_room: NDArray[np.bool_]  #: a read-only view of ``room``
    demand: NDArray[np.int64]  #: [I, D]
    capacity: NDArray[np.int64]  #: [D]
    most_jobs: int  #: K_max
    hard: bool  #: whether the capacity of a server must not be exceeded
    own: KernelInput


@jitable
def follow_room(index: Any, state: State, server: int) -> None:
    """Update ``room`` after the jobs on a server have changed."""
    on = unsigned(server)
    for kind in range(index.room.shape[0]):
        room = state.jobs_on[on] < index.most_jobs
        for d in range(len(index.capacity)):
            room = room and state.use[on, d] + index.demand[kind, d] <= index.capacity[d]
        index.room[kind, server] = room


@jitable
def first_idle(state: State) -> int:
    """The idle server of lowest number; there is always one."""
    server = 0
    while state.jobs_on[unsigned(server)] > 0:
        server += 1
    return server


class OwnPhaseKernel(OwnKernel, PhaseKernel):
    """The compiled twin of a policy that places each job and whose file defines a ``kernel``.

    Raises PolicyFileError if the policy's servers request jobs.
    """

    loop = staticmethod(fitting.advance)

    def __init__(self, system: Any) -> None:
        if servers := system.normal_servers:
            found = f"found a kernel with {servers} servers that ask for jobs"
            raise PolicyFileError(f"{found}, allowed: servers = 0", where=system.policy.brought.where)
        super().__init__(system)

    def build(self, state: PhaseState) -> tuple[Any, ...]:
        """Tables, the servers with room for each type, and the inputs of the user's function."""
        numbers = self.system.numbers
        room = np.zeros((numbers.phases, len(state.jobs_on)), np.bool_)
        shown = room.view()
        shown.flags.writeable = False
        demand, most, hard = np.ascontiguousarray(numbers.demand), numbers.model.most_jobs, numbers.model.hard
        own = self.asked(state, 0, 0, shown[0])
        index = OwnFits(room, shown, demand, numbers.capacity, most, bool(hard), own)
        for server in range(len(state.jobs_on)):
            follow_room(index, state, server)
        return self.system.tables, index

    @staticmethod
    def hooks(decide: Any) -> Hooks:
        """Replace the choice of a server by the user's function."""

        def taking(state: State, _tables: Any, index: Any, _constant: Array, outcome: Array) -> int:
            kind, own = outcome[TYPE], index.own
            server = decide(own.state, outcome[JOB], kind, index.shown_room[kind], own.data)
            own.told[0] = server
            if server == -1:
                server = first_idle(state)
            if server < 0 or server >= len(state.jobs_on):
                raise ImpossibleDecisionError("no such server")
            if state.jobs_on[server] >= index.most_jobs or (index.hard and not index.room[kind, server]):
                raise ImpossibleDecisionError("no room there")
            return int(server)

        return {fitting.taking: taking, fitting.follow: follow_room}

    def decided(self, _: Any, mine: tuple[Any, Any], __: Any) -> str:
        """The decision on the arriving job, as text."""
        return f"server {mine[0]['server'] + 1}" if mine[0]["flags"] & FLAG_PLACED else "nothing"

    def refused(self, before: PhaseState) -> str:
        """Why the decision was refused, as text: the server chosen, and the servers allowed."""
        servers = len(self._shown_of.jobs_on)
        server = int(self.told[0])
        if not -1 <= server < servers:
            return f"the kernel returns {server}, allowed: a server, 0 to {servers - 1}, or -1 (an idle one)"
        return (
            f"the kernel places it on server {(server if server >= 0 else first_idle(before)) + 1}, which has no room"
        )
