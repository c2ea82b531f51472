"""The kernel of a queueing system in which a function of the user's says which job goes where next."""

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


#: Jobs that a line names.
TOLD = 3


class OwnFree(NamedTuple):
    """What is free on servers, derived from the state, and what the user's function is given."""

    free: NDArray[np.int64]  #: [L, D] units; -1 on a stalled server
    shown_free: NDArray[np.int64]  #: the same, read-only
    memory: NDArray[np.float64]  #: [m] what was remembered before the slot
    own: KernelInput


@jitable
def follow_free(state: State, index: Any, capacity: Array, server: int) -> None:
    """A server's jobs have changed, or whether it is stalled."""
    for d in range(capacity.shape[1]):
        index.free[server, d] = -1 if state.stalled[server] else capacity[server, d] - state.used[server, d]


@jitable
def leave(state: State, index: Any, _constant: Array, capacity: Array, outcome: Array) -> None:
    """The jobs that are due leave."""
    record = due_departure(state, outcome)
    while record >= 0:
        server = state.job_server[unsigned(record)]
        release(state, depart(state))
        follow_free(state, index, capacity, server)
        record = due_departure(state, outcome)


@jitable
def take_arrivals(state: State, _index: Any, jobs: Any, constant: Array, fresh: Array, outcome: Array) -> None:
    """The jobs of the slot join their queues."""
    for one in range(outcome[ARRIVED]):
        fresh[one] = arrive(state, jobs, constant, outcome)


@jitable
def foresee_nothing(_state: State, _index: Any, _jobs: Any, _constant: Array, _most: Any) -> None:
    """Nothing is known of what the function will look at."""


@jitable
def can_go(state: State, index: Any, record: int, server: int) -> bool:
    """Whether a job waits in the record, and the server has room for it."""
    if not (0 <= record < len(state.job_number) and 0 <= server < len(state.stalled)):
        return False
    if state.job_number[record] < 0 or state.job_server[record] >= 0:
        return False
    for d in range(index.free.shape[1]):
        if state.job_room[record, d] > index.free[server, d]:
            return False
    return not state.stalled[server]


class OwnQueueKernel(OwnKernel, QueueKernel):
    """The compiled twin of a policy whose file has a ``kernel``."""

    loop = staticmethod(best_fit.advance)
    answers = 2

    def index(self, state: QueueState) -> OwnFree:
        """What is free on servers, and what the function is given."""
        free = np.where(state.stalled[:, None] > 0, -1, self.numbers.capacity - state.used)
        shown = free.view()
        shown.flags.writeable = False
        return OwnFree(free, shown, state.memory.copy(), self.asked(state, shown))

    @staticmethod
    def hooks(decide: Any) -> Hooks:
        """The function says which job goes where, until it says that none does."""

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
        """Which jobs went where; those that went alike by both engines are left out, unless all did."""
        placed, theirs = (_served(state).items() - _served(before).items() for _, state in (mine, other))
        told = sorted(placed - theirs if placed != theirs else placed)
        jobs = ", ".join(f"job {self.system.job_name(job)} on server {server + 1}" for job, server in told[:TOLD])
        more = f" and {len(told) - TOLD} more" if len(told) > TOLD else ""
        return f"{jobs}{more}" if told else "no more jobs placed" if placed else "no job is placed"

    def refused(self, _: Any) -> str:
        """Which jobs wait, and what is free."""
        record, server = self.told.tolist()
        state: QueueState = self._shown_of
        if not 0 <= server < self.numbers.servers:
            return f"the kernel returns server {server}, allowed: 0 to {self.numbers.servers - 1}"
        if not (0 <= record < len(state.job_number) and state.job_number[record] >= 0 > state.job_server[record]):
            return f"the kernel returns record {record}, allowed: that of a job that waits, or -1 (no more)"
        tried = f"the kernel places job {self.system.job_name(int(state.job_number[record]))} on server {server + 1}"
        return f"{tried}, which {'is stalled' if state.stalled[server] else 'has no room for it'}"


def _served(state: QueueState) -> dict[int, int]:
    """The jobs in service, and where."""
    served = state.job_server >= 0
    return dict(zip(state.job_number[served].tolist(), state.job_server[served].tolist(), strict=True))
