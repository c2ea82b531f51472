"""The kernel of a queueing system in which a user-written function decides which job is placed next, and where."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.kernels import best_fit
from slotscope.model.kinds.queue.kernels.driver import QueueKernel
from slotscope.model.kinds.queue.kernels.foresight import foresee
from slotscope.model.kinds.queue.kernels.slots import arrive
from slotscope.model.kinds.queue.kernels.slots import depart as due_departure
from slotscope.model.kinds.queue.kernels.slots import place as place_job
from slotscope.model.kinds.queue.outcome import ARRIVED, REMEMBERED
from slotscope.model.kinds.queue.physics import depart, release
from slotscope.model.kinds.queue.state import QueueState
from slotscope.model.policies.own.driver import Hooks, KernelInput, OwnKernel
from slotscope.model.policies.own.sound import ImpossibleDecisionError

State = Any
Array = Any


#: The number of jobs that an error line lists.
TOLD = 3


class OwnFree(NamedTuple):
    """The residual capacities of the servers, derived from the state, and the inputs of the user's function."""

    free: NDArray[np.int64]  #: [L, D] units; -1 on a stalled server
    shown_free: NDArray[np.int64]  #: a read-only view of ``free``
    memory: NDArray[np.float64]  #: [m] the policy's memory before the slot
    own: KernelInput


@jitable
def follow_free(state: State, index: Any, capacity: Array, server: int) -> None:
    """Update ``free`` after a server's jobs, or its stalling, have changed."""
    for d in range(capacity.shape[1]):
        index.free[server, d] = -1 if state.stalled[server] else capacity[server, d] - state.used[server, d]


@jitable
def leave(state: State, index: Any, _constant: Array, capacity: Array, outcome: Array) -> None:
    """Carry out the departures that are due."""
    record = due_departure(state, outcome)
    while record >= 0:
        server = state.job_server[unsigned(record)]
        release(state, depart(state))
        follow_free(state, index, capacity, server)
        record = due_departure(state, outcome)


@jitable
def take_arrivals(state: State, _index: Any, jobs: Any, constant: Array, fresh: Array, outcome: Array) -> None:
    """Let the jobs that arrive in the slot join their queues."""
    for one in range(outcome[ARRIVED]):
        fresh[one] = arrive(state, jobs, constant, outcome)


@jitable
def foresee_nothing(_state: State, _index: Any, _jobs: Any, _constant: Array, _most: Any) -> None:
    """Prefetch nothing: what the user's function will read is not known."""


@jitable
def can_go(state: State, index: Any, record: int, server: int) -> bool:
    """Whether the record holds a waiting job, and the server has room for it."""
    if not (0 <= record < len(state.job_number) and 0 <= server < len(state.stalled)):
        return False
    if state.job_number[record] < 0 or state.job_server[record] >= 0:
        return False
    for d in range(index.free.shape[1]):
        if state.job_room[record, d] > index.free[server, d]:
            return False
    return not state.stalled[server]


class OwnQueueKernel(OwnKernel, QueueKernel):
    """The compiled twin of a policy whose file defines a ``kernel``."""

    loop = staticmethod(best_fit.advance)
    answers = 2

    def index(self, state: QueueState) -> OwnFree:
        """The residual capacities of the servers, and the inputs of the user's function."""
        free = np.where(state.stalled[:, None] > 0, -1, self.numbers.capacity - state.used)
        shown = free.view()
        shown.flags.writeable = False
        return OwnFree(free, shown, state.memory.copy(), self.asked(state, shown))

    @staticmethod
    def hooks(decide: Any) -> Hooks:
        """Replace the decisions of a slot: the user's function places one job after another until it places none."""

        def act(state: State, index: Any, _constant: Array, capacity: Array, _fresh: Array, outcome: Array) -> None:
            own = index.own
            for place in range(len(index.memory)):
                index.memory[place] = state.memory[place]
            record, server = decide(own.state, index.shown_free, own.data)
            while record != -1:
                own.told[0], own.told[1] = record, server
                if not can_go(state, index, record, server):
                    raise ImpossibleDecisionError("it cannot go there")
                place_job(state, record, server, outcome)
                follow_free(state, index, capacity, server)
                record, server = decide(own.state, index.shown_free, own.data)
            for place in range(len(index.memory)):
                if index.memory[place] != state.memory[place]:
                    outcome[REMEMBERED] = 1

        return {
            best_fit.leave: leave,
            best_fit.take_arrivals: take_arrivals,
            foresee: foresee_nothing,
            best_fit.act: act,
        }

    def decided(self, before: QueueState, mine: tuple[Any, Any], other: tuple[Any, Any]) -> str:
        """The placements of the slot as text, without those on which both engines agree, unless they agree on all."""
        placed, theirs = (_served(state).items() - _served(before).items() for _, state in (mine, other))
        told = sorted(placed - theirs if placed != theirs else placed)
        jobs = ", ".join(f"job {self.system.job_name(job)} on server {server + 1}" for job, server in told[:TOLD])
        more = f" and {len(told) - TOLD} more" if len(told) > TOLD else ""
        return f"{jobs}{more}" if told else "no more jobs placed" if placed else "no job is placed"

    def refused(self, _: Any) -> str:
        """Why the decision was refused, as text: an invalid server or record, or a job that does not fit."""
        record, server = self.told.tolist()
        state: QueueState = self._shown_of
        if not 0 <= server < self.numbers.servers:
            return f"the kernel returns server {server}, allowed: 0 to {self.numbers.servers - 1}"
        if not (0 <= record < len(state.job_number) and state.job_number[record] >= 0 > state.job_server[record]):
            return f"the kernel returns record {record}, allowed: that of a job that waits, or -1 (no more)"
        tried = f"the kernel places job {self.system.job_name(int(state.job_number[record]))} on server {server + 1}"
        return f"{tried}, which {'is stalled' if state.stalled[server] else 'has no room for it'}"


def _served(state: QueueState) -> dict[int, int]:
    """The servers of the jobs in service, by job number."""
    served = state.job_server >= 0
    return dict(zip(state.job_number[served].tolist(), state.job_server[served].tolist(), strict=True))
