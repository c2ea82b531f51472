"""VQS, VQS-BF and MaxWeight compiled: active configurations, and three ways to take jobs by them.

Reference
    The references are :mod:`model.kinds.queue.policies.vqs`, ``vqs_bf`` and ``max_weight``; renewal
    and stalling are those of :mod:`model.kinds.queue.policies.active`.
Implements
    Weights are computed once per slot, and only if a server is empty or stalling is on.
    Like BF-S, VQS-BF skips servers that no waiting job can fit: at the end of a slot
    no waiting job fits any server that takes jobs.
Symbols
    k  ``index.wanted`` from ``index.start[active]``  the active configuration, sparse
    Q  ``index.lengths``                             [V] the queue lengths in (8)
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned, with_others
from slotscope.model.kinds.queue.kernels import best_fit
from slotscope.model.kinds.queue.kernels.best_fit import fits
from slotscope.model.kinds.queue.kernels.foresight import foresee_head
from slotscope.model.kinds.queue.kernels.rooms import NO_ROOM, Rooms, follow, job_left, least_fresh, next_changed
from slotscope.model.kinds.queue.kernels.slots import (
    BEFORE,
    BEST_FIT,
    BY_ARRIVAL,
    BY_SIZE,
    EXACTLY,
    GAMMA_DENOMINATOR,
    GAMMA_NUMERATOR,
    PREEMPTIVE,
    SEQUENTIAL,
    SKIPS,
    STALLS,
    evict,
    renew,
    stall,
)
from slotscope.model.kinds.queue.kernels.slots import depart as due_departure
from slotscope.model.kinds.queue.kernels.slots import place as slots_place
from slotscope.model.kinds.queue.kernels.waiting import (
    WaitingJobs,
    earliest_up_to,
    largest_up_to,
    remove_by_arrival,
    remove_by_size,
)
from slotscope.model.kinds.queue.outcome import ARRIVED, PLACED
from slotscope.model.kinds.queue.physics import depart, release
from slotscope.model.kinds.queue.state import DEPARTURES, IDLE, WAITING

State = Any
Array = Any


class ConfigurationIndex(NamedTuple):
    """The index derived from the state and the policy; C configurations, P pools."""

    waiting: WaitingJobs
    rooms: Rooms
    start: NDArray[np.int64]  #: [C + 1] where the entries of a configuration begin in ``queue`` and ``wanted``
    queue: NDArray[np.int32]  #: [n] the virtual queues with k_j > 0
    wanted: NDArray[np.int64]  #: [n] their k_j
    pools: NDArray[np.int64]  #: [P, 2] the configurations of each pool: first, and one past the last
    pool_of: NDArray[np.int32]  #: [L]
    first_odd: NDArray[np.int32]  #: [C] the virtual queue that k_1 refers to, -1: k_1 = 0
    other: NDArray[np.int32]  #: [C] the other queue with k_j > 0
    low: NDArray[np.int64]  #: [V] VQ_j holds the sizes in (low, high]
    high: NDArray[np.int64]  #: [V]
    present: NDArray[np.int32]  #: [L, V] number of jobs of each virtual queue on each server
    taken: NDArray[np.int64]  #: [L] units in use by jobs of queue ``other`` on each server
    lengths: NDArray[np.int64]  #: [V] scratch
    best: NDArray[np.int64]  #: [P, 2] scratch: the configuration of maximum weight, and its weight


@jitable
def weigh(index: Any, configuration: int) -> int:
    """The weight <k, Q> of a configuration, (5)."""
    total = 0
    for entry in range(index.start[configuration], index.start[configuration + 1]):
        total += index.wanted[entry] * index.lengths[index.queue[entry]]
    return int(total)


@jitable
def choose(state: State, index: Any, constant: Array, fresh: Array, outcome: Array) -> None:
    """Find the configuration of maximum weight of each pool, (8); ties go to the first."""
    for queue in range(len(index.lengths)):
        index.lengths[queue] = state.queue_length[queue]
    if constant[BEFORE]:
        for one in range(outcome[ARRIVED]):
            record = fresh[one]
            if state.job_server[record] < 0:
                index.lengths[state.job_queue[record]] -= 1
    if constant[PREEMPTIVE]:
        for server in range(index.present.shape[0]):
            for queue in range(len(index.lengths)):
                index.lengths[queue] += index.present[server, queue]
    for pool in range(len(index.pools)):
        best = -1
        for configuration in range(index.pools[pool, 0], index.pools[pool, 1]):
            weight = weigh(index, configuration)
            if weight > best:
                best = weight
                index.best[pool, 0] = configuration
        index.best[pool, 1] = best


@jitable
def is_due(state: State, constant: Array, server: int) -> bool:
    """Whether the server must be renewed, or checked for stalling."""
    return bool(state.jobs_on[server] == 0 or (constant[STALLS] and not state.stalled[server]))


@jitable
def prepare(state: State, index: Any, constant: Array, capacity: Array, server: int, outcome: Array) -> None:
    """Renew an empty server; stall a non-empty one whose configuration has too small a weight."""
    pool = index.pool_of[server]
    if state.jobs_on[server] == 0:
        renew(state, server, index.best[pool, 0], outcome)
        return
    weight = weigh(index, state.active[server])
    if weight * constant[GAMMA_DENOMINATOR] < constant[GAMMA_NUMERATOR] * index.best[pool, 1]:
        stall(state, server, outcome)
        if constant[BEST_FIT]:
            follow(index.rooms, state, capacity, server)


@jitable
def place(state: State, index: Any, constant: Array, record: int, server: int, outcome: Array) -> None:
    """Put a waiting job into service on a server, and update the index."""
    if constant[BY_SIZE]:
        remove_by_size(index.waiting, state, record)
    elif constant[BY_ARRIVAL]:
        remove_by_arrival(index.waiting, state, record)
    queue = state.job_queue[record]
    index.present[server, queue] += 1
    if index.other[state.active[server]] == queue:
        index.taken[server] += state.job_room[record, 0]
    slots_place(state, record, server, outcome)
    if not constant[BY_SIZE]:
        foresee_head(state, queue)


@jitable
def of_reserved(state: State, index: Any, constant: Array, capacity: Array, server: int, step: int) -> int:
    """VQS: the record of the job that step (i) or (ii) takes next, or -1."""
    active = state.active[server]
    odd = index.first_odd[active]
    free = capacity[server, 0] - state.used[server, 0]
    if step == 0:
        queue = odd
        if odd < 0 or index.present[server, odd] > 0:
            return -1
    else:
        queue = index.other[active]
        share = capacity[server, 0] // 3 if odd >= 0 else capacity[server, 0]
        free = min(free, share - index.taken[server])
        if constant[SKIPS]:
            limit = min(free, index.high[queue])
            return int(earliest_up_to(index.waiting, state, limit, index.low[queue]))
    head = state.first_waiting[queue]
    return int(head) if head >= 0 and state.job_room[head, 0] <= free else -1


@jitable
def of_best_fit(state: State, index: Any, server: int, step: int) -> int:
    """VQS-BF: the record of the job that step (i), (ii) or (iii) takes next, or -1."""
    active = state.active[server]
    limit = index.rooms.free[unsigned(server)]
    above = 0
    if step < 2:
        queue = index.first_odd[active] if step == 0 else index.other[active]
        if queue < 0:
            return -1
        if step == 1:
            wanted = 0
            for entry in range(index.start[active], index.start[active + 1]):
                if index.queue[entry] == queue:
                    wanted = index.wanted[entry]
            if index.present[server, queue] >= wanted:
                return -1
        limit = min(limit, index.high[queue])
        above = index.low[queue]
    return int(largest_up_to(index.waiting, state, limit, above))


@jitable
def of_exactly(state: State, index: Any, capacity: Array, server: int, step: int) -> int:
    """MaxWeight: the record of the next job of the configuration's *step*-th type, or -1.

    The job must also fit: jobs placed by another policy may leave less room than the configuration needs.
    """
    entry = index.start[state.active[server]] + step
    queue = index.queue[entry]
    head = state.first_waiting[queue]
    if head < 0 or index.present[server, queue] >= index.wanted[entry]:
        return -1
    return int(head) if fits(state, capacity, head, server) else -1


@jitable
def serve(state: State, index: Any, constant: Array, capacity: Array, server: int, outcome: Array) -> None:
    """Let a server take jobs, step after step.

    VQS-BF tries its last step first: if no job fits at all, the other steps can be skipped.  All policies
    share one call of :func:`place`, because each further call is compiled separately.
    """
    if state.stalled[unsigned(server)]:
        return
    active = state.active[server]
    probing = constant[BEST_FIT] > 0
    steps = 3 if probing else 2
    if constant[EXACTLY]:
        steps = index.start[active + 1] - index.start[active]
    step = steps - 1 if probing else 0
    while step < steps and state.number[WAITING] > 0:
        if constant[EXACTLY]:
            record = of_exactly(state, index, capacity, server, step)
        elif constant[BEST_FIT]:
            record = of_best_fit(state, index, server, step)
        else:
            record = of_reserved(state, index, constant, capacity, server, step)
        if record < 0:
            step += 1
        elif probing:
            probing = False
            step = 0
        else:
            place(state, index, constant, record, server, outcome)
            if constant[BEST_FIT]:
                follow(index.rooms, state, capacity, server)


@jitable
def make_way(state: State, index: Any, server: int, outcome: Array) -> None:
    """Preemptive MaxWeight: renew a server; jobs in excess of k_j return to the queue, newest first."""
    active = index.best[index.pool_of[server], 0]
    renew(state, server, active, outcome)
    record = state.last_job[server]
    while record >= 0:
        before = state.job_previous[record]
        queue = state.job_queue[record]
        wanted = 0
        for entry in range(index.start[active], index.start[active + 1]):
            if index.queue[entry] == queue:
                wanted = index.wanted[entry]
        if index.present[server, queue] > wanted:
            index.present[server, queue] -= 1
            evict(state, record, outcome)
        record = before


@jitable
def renew_all(state: State, index: Any, constant: Array, capacity: Array, fresh: Array, outcome: Array) -> None:
    """Renew and stall all servers by the same queue lengths, before any server takes jobs."""
    if not constant[PREEMPTIVE] and not constant[STALLS] and state.number[IDLE] == 0:
        return
    choose(state, index, constant, fresh, outcome)
    for server in range(len(state.stalled)):
        if constant[PREEMPTIVE]:
            make_way(state, index, server, outcome)
        elif is_due(state, constant, server):
            prepare(state, index, constant, capacity, server, outcome)


@jitable
def act(state: State, index: Any, constant: Array, capacity: Array, fresh: Array, outcome: Array) -> None:
    """The decisions of the policy in a slot."""
    one_by_one = constant[SEQUENTIAL] and not constant[PREEMPTIVE]
    if not one_by_one:
        renew_all(state, index, constant, capacity, fresh, outcome)
    passes = constant[BEST_FIT] and not one_by_one
    least = NO_ROOM
    server = 0
    if passes:
        least = least_fresh(state, fresh, outcome[ARRIVED])
        server = next_changed(index.rooms, state, least, 0)
    while 0 <= server < len(state.stalled):
        if one_by_one and is_due(state, constant, server):
            choose(state, index, constant, fresh, outcome)
            prepare(state, index, constant, capacity, server, outcome)
        placed = outcome[PLACED]
        serve(state, index, constant, capacity, server, outcome)
        server += 1
        if passes:
            if outcome[PLACED] > placed:
                least = least_fresh(state, fresh, outcome[ARRIVED])
            server = next_changed(index.rooms, state, least, server)


@jitable
def leave(state: State, index: Any, constant: Array, capacity: Array, outcome: Array) -> None:
    """Carry out the departures that are due, and update the index."""
    record = due_departure(state, outcome)
    while record >= 0:
        at = unsigned(record)
        server, queue = state.job_server[at], state.job_queue[at]
        index.present[unsigned(server), unsigned(queue)] -= 1
        if index.other[unsigned(state.active[unsigned(server)])] == queue:
            index.taken[unsigned(server)] -= state.job_room[at, 0]
        release(state, depart(state))
        if constant[BEST_FIT]:
            follow(index.rooms, state, capacity, server)
            job_left(index.rooms, server)
        record = due_departure(state, outcome)


@jitable
def largest_next(state: State, index: Any) -> int:
    """The largest size in the virtual queue of the next departing job; 0 if no job is in service."""
    if state.number[DEPARTURES] == 0:
        return 0
    return int(index.high[unsigned(state.job_queue[unsigned(state.heap_record[0])])])


advance = with_others(
    best_fit.advance, {best_fit.leave: leave, best_fit.largest_next: largest_next, best_fit.act: act}, "configurations"
)
