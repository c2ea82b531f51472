"""VQS, VQS-BF and MaxWeight compiled: active configurations, and three ways to serve by them.

Reference
    The references are :mod:`model.policies.queue.vqs`, ``vqs_bf`` and ``max_weight``; renewal and
    stalling are those of :mod:`model.policies.queue.active`.
Implements
    Weights are computed once for a slot, and only if a server is empty or stalling is on.
    VQS-BF passes over servers to which nothing can be added, as BF-S does: after a slot
    no waiting job fits any server that takes jobs.
Symbols
    k  ``index.wanted`` over ``index.start[active]``  the active configuration, sparse
    Q  ``index.lengths``                             [V] the queue that (8) weighs
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from model.jit import jitable
from model.kernels.queue import best_fit, rooms, slots, waiting
from model.kernels.queue.rooms import Rooms
from model.kernels.queue.slots import (
    ARRIVED,
    AT_FLAG,
    AT_LIMIT,
    BEFORE,
    BEST_FIT,
    BY_ARRIVAL,
    BY_SIZE,
    DUE,
    EXACTLY,
    GAMMA_DENOMINATOR,
    GAMMA_NUMERATOR,
    PLACED,
    PREEMPTIVE,
    SEQUENTIAL,
    SKIPS,
    STALLS,
)
from model.kernels.queue.waiting import Waiting
from model.systems.queue import physics
from model.systems.queue.state import IDLE, WAITING

State = Any
Array = Any

next_due = slots.next_due
due_departure = slots.depart
arrive = slots.arrive
slots_place = slots.place
renew = slots.renew
stall = slots.stall
evict = slots.evict
finish = slots.finish
depart = physics.depart
release = physics.release
bucket_of = waiting.bucket_of
add_by_size = waiting.add_by_size
remove_by_size = waiting.remove_by_size
largest_up_to = waiting.largest_up_to
add_by_arrival = waiting.add_by_arrival
remove_by_arrival = waiting.remove_by_arrival
earliest_up_to = waiting.earliest_up_to
fits = best_fit.fits
follow = rooms.follow
job_left = rooms.job_left
least_fresh = rooms.least_fresh
next_changed = rooms.next_changed
take_arrivals = best_fit.take_arrivals


class ConfigurationIndex(NamedTuple):
    """What follows from state and policy; C configurations, P pools."""

    waiting: Waiting
    rooms: Rooms
    start: NDArray[np.int64]  #: [C + 1] where a configuration's entries begin
    queue: NDArray[np.int32]  #: [n] virtual queues with k_j > 0
    wanted: NDArray[np.int64]  #: [n] their k_j
    pools: NDArray[np.int64]  #: [P, 2] the configurations of each pool
    pool_of: NDArray[np.int32]  #: [L]
    first_odd: NDArray[np.int32]  #: [C] the queue that k_1 means, -1: k_1 = 0
    other: NDArray[np.int32]  #: [C] the other queue with k_j > 0
    low: NDArray[np.int64]  #: [V] VQ_j holds the sizes in (low, high]
    high: NDArray[np.int64]  #: [V]
    present: NDArray[np.int32]  #: [L, V] jobs of a queue on a server
    taken: NDArray[np.int64]  #: [L] units of the jobs of the other queue on a server
    lengths: NDArray[np.int64]  #: [V] scratch
    best: NDArray[np.int64]  #: [P, 2] scratch: the heaviest configuration and its weight


@jitable
def weigh(index: Any, configuration: int) -> int:
    """The weight <k, Q>, (5)."""
    total = 0
    for entry in range(index.start[configuration], index.start[configuration + 1]):
        total += index.wanted[entry] * index.lengths[index.queue[entry]]
    return int(total)


@jitable
def choose(state: State, index: Any, constant: Array, fresh: Array, outcome: Array) -> None:
    """The heaviest configuration of each pool, (8); of equals the first."""
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
    """Whether the server is to be renewed, or perhaps stalled."""
    return bool(state.jobs_on[server] == 0 or (constant[STALLS] and not state.stalled[server]))


@jitable
def prepare(
    state: State, index: Any, constant: Array, capacity: Array, server: int, outcome: Array
) -> None:
    """Renew an empty server; stall one whose configuration weighs too little."""
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
def place(
    state: State, index: Any, constant: Array, record: int, server: int, outcome: Array
) -> None:
    """A waiting job goes into service, and the index follows."""
    if constant[BY_SIZE]:
        remove_by_size(index.waiting, record)
    elif constant[BY_ARRIVAL]:
        remove_by_arrival(index.waiting, state, record)
    queue = state.job_queue[record]
    index.present[server, queue] += 1
    if index.other[state.active[server]] == queue:
        index.taken[server] += state.job_room[record, 0]
    slots_place(state, record, server, outcome)


@jitable
def serve_reserved(
    state: State, index: Any, constant: Array, capacity: Array, server: int, outcome: Array
) -> None:
    """VQS: steps (i) and (ii) for one server."""
    active = state.active[server]
    odd = index.first_odd[active]
    queue = index.other[active]
    share = capacity[server, 0]
    if odd >= 0:
        share //= 3
        head = state.first_waiting[odd]
        if (
            head >= 0
            and index.present[server, odd] == 0
            and state.job_room[head, 0] <= capacity[server, 0] - state.used[server, 0]
        ):
            place(state, index, constant, head, server, outcome)
    free = min(share - index.taken[server], capacity[server, 0] - state.used[server, 0])
    while state.queue_length[queue] > 0:
        record = state.first_waiting[queue]
        if constant[SKIPS]:
            limit = min(free, index.high[queue])
            record = earliest_up_to(index.waiting, state, limit, index.low[queue])
            if record < 0:
                return
        elif state.job_room[record, 0] > free:
            return
        free -= state.job_room[record, 0]
        place(state, index, constant, record, server, outcome)


@jitable
def place_largest(
    state: State,
    index: Any,
    constant: Array,
    capacity: Array,
    server: int,
    queue: int,
    outcome: Array,
) -> bool:
    """The largest job of VQ_j (-1: of all) that fits; False if there is none."""
    limit = index.rooms.free[np.uintp(server)]
    above = 0
    if queue >= 0:
        limit = min(limit, index.high[queue])
        above = index.low[queue]
    record = largest_up_to(index.waiting, state, limit, above)
    if record < 0:
        return False
    place(state, index, constant, record, server, outcome)
    follow(index.rooms, state, capacity, server)
    return True


@jitable
def serve_best_fit(
    state: State, index: Any, constant: Array, capacity: Array, server: int, outcome: Array
) -> None:
    """VQS-BF: steps (i), (ii) and (iii) for one server."""
    if largest_up_to(index.waiting, state, index.rooms.free[np.uintp(server)], 0) < 0:
        return
    active = state.active[server]
    odd = index.first_odd[active]
    if odd >= 0:
        place_largest(state, index, constant, capacity, server, odd, outcome)
    queue = index.other[active]
    wanted = index.wanted[index.start[active]]
    for entry in range(index.start[active], index.start[active + 1]):
        if index.queue[entry] == queue:
            wanted = index.wanted[entry]
    while index.present[server, queue] < wanted:
        if not place_largest(state, index, constant, capacity, server, queue, outcome):
            break
    while place_largest(state, index, constant, capacity, server, -1, outcome):
        pass


@jitable
def serve_exactly(
    state: State, index: Any, constant: Array, capacity: Array, server: int, outcome: Array
) -> None:
    """MaxWeight: up to k_j jobs of each type; another policy's jobs may leave less room."""
    active = state.active[server]
    for entry in range(index.start[active], index.start[active + 1]):
        queue = index.queue[entry]
        while index.present[server, queue] < index.wanted[entry] and state.queue_length[queue] > 0:
            record = state.first_waiting[queue]
            if not fits(state, capacity, record, server):
                break
            place(state, index, constant, record, server, outcome)


@jitable
def serve(
    state: State, index: Any, constant: Array, capacity: Array, server: int, outcome: Array
) -> None:
    """Let a server take jobs."""
    if state.stalled[np.uintp(server)] or state.number[WAITING] == 0:
        return
    if constant[EXACTLY]:
        serve_exactly(state, index, constant, capacity, server, outcome)
    elif constant[BEST_FIT]:
        serve_best_fit(state, index, constant, capacity, server, outcome)
    else:
        serve_reserved(state, index, constant, capacity, server, outcome)


@jitable
def make_way(state: State, index: Any, server: int, outcome: Array) -> None:
    """Preemptive MaxWeight: the heaviest configuration; jobs beyond it go back, newest first."""
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
def act_preemptively(
    state: State, index: Any, constant: Array, capacity: Array, fresh: Array, outcome: Array
) -> None:
    """Preemptive MaxWeight: all servers anew."""
    choose(state, index, constant, fresh, outcome)
    for server in range(len(state.stalled)):
        make_way(state, index, server, outcome)
    for server in range(len(state.stalled)):
        serve_exactly(state, index, constant, capacity, server, outcome)


@jitable
def act(
    state: State, index: Any, constant: Array, capacity: Array, fresh: Array, outcome: Array
) -> None:
    """What the policy does in a slot."""
    if constant[PREEMPTIVE]:
        act_preemptively(state, index, constant, capacity, fresh, outcome)
        return
    if constant[SEQUENTIAL]:
        for server in range(len(state.stalled)):
            if is_due(state, constant, server):
                choose(state, index, constant, fresh, outcome)
                prepare(state, index, constant, capacity, server, outcome)
            serve(state, index, constant, capacity, server, outcome)
        return
    if state.number[IDLE] > 0 or constant[STALLS]:
        choose(state, index, constant, fresh, outcome)
        for server in range(len(state.stalled)):
            if is_due(state, constant, server):
                prepare(state, index, constant, capacity, server, outcome)
    if constant[BEST_FIT]:
        least = least_fresh(state, fresh, outcome[ARRIVED])
        server = next_changed(index.rooms, state, least, 0)
        while server >= 0:
            placed = outcome[PLACED]
            serve(state, index, constant, capacity, server, outcome)
            if outcome[PLACED] > placed:
                least = least_fresh(state, fresh, outcome[ARRIVED])
            server = next_changed(index.rooms, state, least, server + 1)
    else:
        for server in range(len(state.stalled)):
            serve(state, index, constant, capacity, server, outcome)


@jitable
def leave(state: State, index: Any, constant: Array, capacity: Array, outcome: Array) -> None:
    """The jobs that are due leave: their servers have one of their queue less."""
    record = due_departure(state, outcome)
    while record >= 0:
        at = np.uintp(record)
        server, queue = state.job_server[at], state.job_queue[at]
        index.present[np.uintp(server), np.uintp(queue)] -= 1
        if index.other[np.uintp(state.active[np.uintp(server)])] == queue:
            index.taken[np.uintp(server)] -= state.job_room[at, 0]
        release(state, depart(state))
        if constant[BEST_FIT]:
            follow(index.rooms, state, capacity, server)
            job_left(index.rooms, server)
        record = due_departure(state, outcome)


def advance(
    state: State,
    index: Any,
    jobs: Any,
    constant: Array,
    capacity: Array,
    serves: Array,
    weight: Array,
    fresh: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run busy slots; arguments and result as in :func:`model.kernels.queue.best_fit.advance`,
    with a :class:`ConfigurationIndex`."""
    while done[0] < len(tape):
        due = next_due(state, jobs, constant, until, outcome)
        if due != DUE:
            return due
        leave(state, index, constant, capacity, outcome)
        take_arrivals(state, index, jobs, constant, fresh, outcome)
        act(state, index, constant, capacity, fresh, outcome)
        if finish(state, constant, capacity, fresh, serves, weight, outcome, tape, samples, done):
            return AT_FLAG
    return AT_LIMIT
