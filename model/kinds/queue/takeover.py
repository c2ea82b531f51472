"""Another policy goes on from a state: the same jobs, queued and accounted for its way."""

from __future__ import annotations

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue import physics
from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies.base import QueuePolicy
from slotscope.model.kinds.queue.state import NOW, STALLED_SERVERS, UNSETTLED, WAITING, QueueState


def taken_over(state: QueueState, numbers: QueueNumbers, policy: QueuePolicy, before: QueuePolicy) -> QueueState:
    """*state*, which the policy *before* has left, as *policy* sees it.

    Servers keep their active configurations where both choose from the same and serve by them
    alike; else they have their pool's first one until they are empty.  Every server counts as one
    that a job has just left, and the next slot as one in which something may happen, so that the
    policy looks at all servers and all jobs.

    Raises
    ------
    ScenarioError
        If a server cannot hold its jobs by the room that the policy grants them.
    """
    waiting = waiting_records(state)
    present = np.flatnonzero(state.job_number >= 0)
    queues = policy.layout.queue_of(state.job_size[present])
    state.job_room[present] = policy.layout.room_of(state.job_size[present])
    state = _with_queues(state, policy)
    _account(state, numbers)
    queue_of = dict(zip(present.tolist(), queues.tolist(), strict=True))
    for record in present.tolist():
        state.job_queue[record] = queue_of[record]
    for record in waiting.tolist():
        physics.join(state, record, queue_of[record])
    if not _same_configurations(policy, before):
        state.active[...] = -1
        for pool, (start, _) in enumerate(policy.pool_configurations):
            state.active[numbers.pool_of == pool] = start
    state.stalled[...] = 0
    state.number[STALLED_SERVERS] = 0
    state.last_departure[...] = int(state.clock[NOW]) + 1
    state.number[UNSETTLED] = 1
    return state


def _same_configurations(policy: QueuePolicy, before: QueuePolicy) -> bool:
    """Whether the jobs on a server are such as *policy* would have under its configuration."""
    same = np.array_equal(policy.configurations, before.configurations)
    return same and (before.reserves or not policy.reserves)


def _with_queues(state: QueueState, policy: QueuePolicy) -> QueueState:
    queues = policy.layout.queues
    state.number[WAITING] = 0
    return state._replace(
        queue_length=np.zeros(queues, np.int64),
        first_waiting=np.full(queues, -1, np.int32),
        last_waiting=np.full(queues, -1, np.int32),
        memory=np.zeros(policy.memory),
    )


def _account(state: QueueState, numbers: QueueNumbers) -> None:
    state.used[...] = 0
    served = np.flatnonzero(state.job_server >= 0)
    np.add.at(state.used, state.job_server[served], state.job_room[served])
    state.used_total[...] = state.used.sum(axis=0)
    over = np.flatnonzero((state.used > numbers.capacity).any(axis=1))
    if len(over):
        raise ScenarioError(
            f"found server {over[0] + 1} with jobs that this policy rounds up beyond its capacity; "
            "apply with a restart instead"
        )
