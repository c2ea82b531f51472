"""An invariant: the active configurations of a queueing system are those of maximum weight.

Psychas & Ghaderi (2019), Section V.B, (8), and Section III.A, (5).
"""

from __future__ import annotations

from typing import Callable

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.state import NOW, QueueState
from slotscope.model.kinds.queue.system import QueueSystem
from slotscope.model.measures.job_records import Sentences

#: Maps a server to [V] the queue lengths by which its configurations were weighed.
Lengths = Callable[[int], NDArray[np.int64]]


def heaviest(system: QueueSystem, state: QueueState) -> Sentences:
    """(8): no configuration has a larger weight than that of a server that was empty in the slot (preemptive: of any).

    The queue lengths at the time are reconstructed: a job in service since this slot waited before.
    """
    if (state.last_departure > state.clock[NOW]).any():  # taken over: the policy has not acted yet
        return
    renewed, lengths = _renewed(system, state)
    if lengths is None:
        return
    policy = system.policy
    table = policy.configurations.astype(np.int64)
    most: dict[tuple[int, bytes], int] = {}  # by pool and queue lengths, which many servers share
    for server in renewed[state.active[renewed] >= 0].tolist():
        pool, queue, active = int(system.numbers.pool_of[server]), lengths(server), int(state.active[server])
        start, stop = policy.pool_configurations[pool]
        key = pool, queue.tobytes()
        if key not in most:
            most[key] = start + int(np.argmax(table[start:stop] @ queue))
        best, weight = most[key], int(table[active] @ queue)
        if weight < (largest := int(table[best] @ queue)):
            names = policy.configuration_names
            yield f"server {server + 1} has {names[active]}, which weighs {weight}, and {names[best]} weighs {largest}"


def _renewed(system: QueueSystem, state: QueueState) -> tuple[NDArray[np.intp], Lengths | None]:
    """The servers that got a configuration in this slot, and the queue lengths by which it was weighed.

    These are unknown if a job never departs, because its record does not tell when it was placed.
    """
    policy, now = system.policy, float(state.clock[NOW])
    jobs = np.flatnonzero(state.job_number >= 0)
    server, queue = state.job_server[jobs], state.job_queue[jobs]
    served = server >= 0
    if not np.isfinite(state.job_service[jobs[served]]).all():
        return np.zeros(0, np.intp), None
    began = np.full(len(jobs), np.inf)
    began[served] = state.job_departure[jobs[served]] - state.job_service[jobs[served]]
    old = served & (began < now) & (not policy.preemptive)
    empty = np.ones(len(state.jobs_on), np.bool_)
    empty[server[old]] = False
    weighed = ~old & ((state.job_arrival[jobs] < now) | (not policy.before))

    def lengths(mine: int) -> NDArray[np.int64]:
        left = weighed & (~served | (server >= mine)) if policy.sequential and not policy.preemptive else weighed
        return np.bincount(queue[left], minlength=len(state.queue_length)).astype(np.int64)

    return np.flatnonzero(empty), lengths
