"""The invariants that hold after every slot of a queueing system; violations are sentences.

Psychas & Ghaderi (2019), Sections II to VI.  Each invariant is recomputed from the arrays, without
the code that maintains them, so that an error in either is detected.  In the sentences servers are
numbered from 1, virtual queues from 0 as in the paper.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.explain import amounts
from slotscope.model.kinds.queue.facts import records_on, waiting_records
from slotscope.model.kinds.queue.sampling import USED_COLUMN
from slotscope.model.kinds.queue.state import (
    ARRIVED,
    DEPARTED,
    DEPARTURES,
    EVICTED,
    FREE,
    IDLE,
    IN_SERVICE,
    NEXT_ARRIVAL,
    NOW,
    PLACED,
    SPEC,
    STALLED_SERVERS,
    WAITING,
    QueueState,
)
from slotscope.model.kinds.queue.system import QueueSystem
from slotscope.model.kinds.queue.weighed import heaviest
from slotscope.model.measures.job_records import Sentences, free_records, heap_of, numbered
from slotscope.model.measures.monitors import Monitor

Records = NDArray[np.int64]


def _queues(_: Any, state: QueueState) -> Sentences:
    """Each virtual queue is a list in order of arrival whose length is its counter."""
    waiting = (state.job_number >= 0) & (state.job_server < 0)
    for queue in range(len(state.queue_length)):
        mine = np.flatnonzero(waiting & (state.job_queue == queue))
        along = _along(state, int(state.first_waiting[queue]), int(state.last_waiting[queue]))
        if along is None or not np.array_equal(np.sort(along), mine):
            yield f"the list of virtual queue {queue} does not lead through its {len(mine)} jobs"
        elif (np.diff(state.job_number[along]) <= 0).any():
            yield f"virtual queue {queue} is not in order of arrival"
        if state.queue_length[queue] != len(mine):
            yield (f"{len(mine)} jobs wait in virtual queue {queue}, counted {state.queue_length[queue]}")
    if waiting.sum() != state.number[WAITING]:
        yield f"{waiting.sum()} jobs wait, counted {state.number[WAITING]}"
    outside = waiting & ~((state.job_queue >= 0) & (state.job_queue < len(state.queue_length)))
    if outside.any():
        yield f"{outside.sum()} jobs wait in no virtual queue"


def _servers(_: Any, state: QueueState) -> Sentences:
    """The jobs of each server are a list whose length is the server's counter."""
    served = np.flatnonzero((state.job_number >= 0) & (state.job_server >= 0))
    counts = np.bincount(state.job_server[served], minlength=len(state.jobs_on))
    for server in _astray(state, counts):
        yield f"the list of server {server + 1} does not lead through its {counts[server]} jobs"
    for server in np.flatnonzero(counts != state.jobs_on):
        yield f"server {server + 1} has {counts[server]} jobs, counted {state.jobs_on[server]}"
    if len(served) != state.number[IN_SERVICE]:
        yield f"{len(served)} jobs are in service, counted {state.number[IN_SERVICE]}"
    if (idle := np.count_nonzero(counts == 0)) != state.number[IDLE]:
        yield f"{idle} servers are idle, counted {state.number[IDLE]}"


def _astray(state: QueueState, counts: Records) -> Records:
    """The servers whose list does not have exactly *counts* jobs of theirs; all lists are traversed at once.

    A job that occurs twice is detected by its link to the previous job.
    """
    servers = len(counts)
    record, before = state.first_job.astype(np.int64), np.full(servers, -1)
    led, leads = np.zeros(servers, np.int64), np.ones(servers, np.bool_)
    while len(going := np.flatnonzero(leads & (record >= 0))):
        at = record[going]
        mine = (state.job_number[at] >= 0) & (state.job_server[at] == going)
        leads[going] = mine & (state.job_previous[at] == before[going]) & (led[going] < counts[going])
        led[going] += 1
        before[going], record[going] = at, state.job_next[at]
    return np.flatnonzero(~leads | (led != counts) | (before != state.last_job))


def _along(state: QueueState, first: int, last: int) -> Records | None:
    """The records of a doubly linked list; None if it is broken."""
    found: list[int] = []
    before, record = -1, first
    while record >= 0:
        broken = state.job_previous[record] != before or len(found) > len(state.job_number)
        if broken:
            return None
        found.append(record)
        before, record = record, int(state.job_next[record])
    return np.array(found, np.int64) if before == last else None


def _free(system: QueueSystem, state: QueueState) -> Sentences:
    """Each job record holds a job, or is once in the stack of free records."""
    yield from free_records(state, int(state.number[FREE]))
    live = state.job_number[state.job_number >= 0]
    yield from numbered(live, system.initial_jobs + state.number[NEXT_ARRIVAL])
    yield from SPEC.left_behind(state)


def _room(system: QueueSystem, state: QueueState) -> Sentences:
    """(1): the jobs of a server take no more than its capacity."""
    served = np.flatnonzero(state.job_server >= 0)
    used = np.zeros_like(state.used)
    np.add.at(used, state.job_server[served], state.job_room[served])
    apart = partial(_apart, system)
    for server in np.flatnonzero((used != state.used).any(axis=1)):
        yield f"the jobs of server {server + 1} take {apart(used[server], state.used[server], 'counted')}"
    capacity = system.numbers.capacity
    for server in np.flatnonzero((used > capacity).any(axis=1)):
        yield f"the jobs of server {server + 1} take {apart(used[server], capacity[server], 'its capacity is')}"
    if not np.array_equal(used.sum(axis=0), state.used_total):
        yield f"all jobs take {apart(used.sum(axis=0), state.used_total, 'counted')}"


def _told(system: QueueSystem, units: NDArray[Any]) -> str:
    """An amount [D] in the scenario's own unit."""
    return amounts(system.numbers.amounts(units.tolist()))


def _apart(system: QueueSystem, taken: NDArray[Any], other: NDArray[Any], which: str) -> str:
    """Two amounts that should be equal, and their difference, which may be too small to show in either of them."""
    return f"{_told(system, taken)}, {which} {_told(system, other)}, {_told(system, abs(taken - other))} apart"


def _conservation(_: Any, state: QueueState) -> Sentences:
    """(3): each job that has arrived waits, is in service, or has departed."""
    tally, number = state.tally, state.number
    if tally[ARRIVED] != number[WAITING] + number[IN_SERVICE] + tally[DEPARTED]:
        yield (
            f"{tally[ARRIVED]} jobs arrived, but {number[WAITING]} wait, "
            f"{number[IN_SERVICE]} are in service and {tally[DEPARTED]} left"
        )
    if tally[PLACED] != number[IN_SERVICE] + tally[DEPARTED] + tally[EVICTED]:
        yield (
            f"{tally[PLACED]} jobs were placed, but {number[IN_SERVICE]} are in service, "
            f"{tally[DEPARTED]} left and {tally[EVICTED]} were evicted"
        )
    if tally[ARRIVED] != number[NEXT_ARRIVAL]:
        yield f"{number[NEXT_ARRIVAL]} arrivals were taken, {tally[ARRIVED]} jobs arrived"


def _departures(_: Any, state: QueueState) -> Sentences:
    """The heap has each job that will depart exactly once, is in heap order, and has no departure in the past."""
    if np.isfinite(state.job_departure[state.job_server < 0]).any():
        yield "a job that is not in service has a time of departure"
    yield from heap_of(state, int(state.number[DEPARTURES]), state.job_departure, "departure", ahead=True)


def _stalls(_: Any, state: QueueState) -> Sentences:
    """A server is stalled until it is empty (Section VIII)."""
    stalled = np.flatnonzero(state.stalled)
    if len(stalled) != state.number[STALLED_SERVERS]:
        yield f"{len(stalled)} servers are stalled, counted {state.number[STALLED_SERVERS]}"
    for server in stalled[state.jobs_on[stalled] == 0]:
        yield f"server {server + 1} is empty and stalled"


def _layout(system: QueueSystem, state: QueueState) -> Sentences:
    """A job's virtual queue and its room follow from its size."""
    live = np.flatnonzero(state.job_number >= 0)
    if not len(live):
        return
    sizes, layout = state.job_size[live], system.policy.layout
    try:
        queues, rooms = layout.queue_of(sizes), layout.room_of(sizes)
    except ValueError:
        least, most = (_told(system, found(axis=0)) for found in (sizes.min, sizes.max))
        yield f"found sizes from {least} to {most}, for which there is no virtual queue"
        return
    for place in np.flatnonzero(queues != state.job_queue[live])[:1]:
        yield f"a job of size {_told(system, sizes[place])} is in virtual queue {state.job_queue[live[place]]}"
    for place in np.flatnonzero((rooms != state.job_room[live]).any(axis=1))[:1]:
        taken = state.job_room[live[place]]
        yield f"a job of size {_told(system, sizes[place])} takes {_apart(system, taken, rooms[place], 'allowed:')}"


def _none_active(system: QueueSystem, state: QueueState) -> Sentences:
    """If the policy has no configurations, no server has an active one."""
    if not len(system.policy.configurations):
        for server in np.flatnonzero(state.active >= 0)[:1]:
            yield f"server {server + 1} has a configuration, but the policy knows none"


def _configurations(system: QueueSystem, state: QueueState) -> Sentences:
    """The active configuration of a server is one of its pool's."""
    policy, pool_of = system.policy, system.numbers.pool_of
    limits = np.array(policy.pool_configurations)[pool_of]
    none_yet = (state.active < 0) & (state.jobs_on == 0)
    strange = (state.active < limits[:, 0]) | (state.active >= limits[:, 1])
    for server in np.flatnonzero(strange & ~none_yet):
        yield (
            f"server {server + 1} has configuration {state.active[server]}, its pool those "
            f"from {limits[server, 0]} to {limits[server, 1] - 1}"
        )


def _reduced(system: QueueSystem, _: Any) -> Sentences:
    """(7): a pool's K_RED has 4J - 4 members, each of them feasible for rounded-up sizes."""
    policy, numbers = system.policy, system.numbers
    if not policy.intervals:
        return
    ends = np.array([high for _, high in policy.intervals], np.int64)
    for pool, (start, stop) in zip(numbers.pools, policy.pool_configurations, strict=True):
        halvings = (int(numbers.largest[0]) // pool.capacity[0]).bit_length() - 1
        members = 4 * (len(ends) // 2 - halvings) - 4
        if stop - start != members:
            yield f"K_RED of pool '{pool.name}' has {stop - start} members, not {members}"
        needed = policy.configurations[start:stop].astype(np.int64) @ ends
        for place in np.flatnonzero(needed > pool.capacity[0]):
            taken = _apart(system, needed[place : place + 1], np.array(pool.capacity[:1]), "its servers have")
            yield f"configuration {start + place} takes {taken}"


def _reservations(system: QueueSystem, state: QueueState) -> Sentences:
    """VQS: on a server with k_1 = 1 there is at most one job of VQ_1, and the other jobs keep within their share.

    Servers with the first configuration of their pool are not checked, because a server that was taken over
    with the jobs of another policy has that configuration too.
    """
    policy, numbers = system.policy, system.numbers
    if not policy.reserves:
        return
    for server in np.flatnonzero(state.jobs_on):
        start, stop = policy.pool_configurations[numbers.pool_of[server]]
        if not start < state.active[server] < stop:
            continue
        first_odd = 2 * ((int(numbers.largest[0]) // int(numbers.capacity[server, 0])).bit_length() - 1) + 1
        yield from _reserved(system, state, int(server), first_odd)


def _reserved(system: QueueSystem, state: QueueState, server: int, first_odd: int) -> Sentences:
    row = system.policy.configurations[state.active[server]]
    records = np.array(records_on(state, server))
    queues, rooms = state.job_queue[records], state.job_room[records, 0]
    allowed = set(np.flatnonzero(row).tolist())
    for queue in sorted(set(queues.tolist()) - allowed):
        yield f"server {server + 1} has a job of virtual queue {queue}, where k_{queue} = 0"
    if not row[first_odd]:
        return
    first = queues == first_odd
    if first.sum() > 1:
        yield f"server {server + 1} has {first.sum()} jobs of VQ_1, allowed: 1"
    third = int(system.numbers.capacity[server, 0]) // 3
    if rooms[~first].sum() > third:
        yield (
            f"the jobs beside VQ_1 on server {server + 1} take "
            f"{_apart(system, rooms[~first].sum(keepdims=True), np.array([third]), 'allowed: a third of it,')}"
        )


def _left_over(system: QueueSystem, state: QueueState) -> Sentences:
    """No waiting job fits a server that takes jobs, if the policy guarantees that."""
    now = state.clock[NOW]
    taken_over = (state.last_departure > now).any()  # the policy has not acted yet
    records = waiting_records(state)
    if not system.policy.exhausts or taken_over or not len(records):
        return
    if system.policy.exhausts == "head of line":
        records = records[:1]
    free = system.numbers.capacity - state.used
    takes = np.flatnonzero(state.stalled == 0)
    _, one_each = np.unique(free[takes], axis=0, return_index=True)
    for server in takes[np.sort(one_each)]:
        fitting = records[(state.job_room[records] <= free[server]).all(axis=1)]
        if len(fitting):
            yield (
                f"job {state.job_number[fitting[0]]} waits, takes {_told(system, state.job_room[fitting[0]])} and fits "
                f"server {server + 1}, which has {_told(system, free[server])} left"
            )
            return


def _has_configurations(system: QueueSystem) -> bool:
    return bool(len(system.policy.configurations))


def _idle_share(_: Any, __: Any, samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] the share of the total capacity that is not in use, at each sample."""
    return np.asarray(1.0 - samples[:, USED_COLUMN])


#: Psychas & Ghaderi (2019).
MONITORS = (
    Monitor(
        "records",
        "Each waiting job stands in one virtual queue, in order of arrival, and each job in service on one server",
        "",
        "the program's own",
        (_queues, _servers, _free),
    ),
    Monitor(
        "capacity",
        "The jobs of a server take no more than its capacity",
        "Σ R_j ≤ 1",
        "(1), Section II",
        (_room,),
        stage=1,
        slack=_idle_share,
        unit="share of all servers' capacity that is idle",
    ),
    Monitor(
        "conservation",
        "Who arrived waits, is in service, or has left",
        "Q(t + 1) = Q(t) + A(t) − D(t)",
        "(3), Section II",
        (_conservation, _departures),
        stage=1,
    ),
    Monitor("stalls", "A stalled server takes no job until it is empty", "", "Section VIII", (_stalls,), stage=1),
    Monitor(
        "virtual-queues",
        "A job's virtual queue, and the room that it is granted, follow from its size",
        "R ∈ I_j ⇒ VQ_j",
        "Section V, partition I",
        (_layout, _none_active),
        stage=1,
    ),
    Monitor(
        "configurations",
        "Active configurations are members of the reduced set of the server's pool, each of them feasible",
        "k ∈ K_RED",
        "(7), Definition 5",
        (_configurations, _reduced),
        stage=1,
        applies=_has_configurations,
    ),
    Monitor(
        "max-weight",
        "A server that is empty in a slot gets a configuration of maximum weight",
        "k = argmax ⟨k, Q(t)⟩",
        "(8), Section V; (5), Section III",
        (heaviest,),
        stage=1,
        applies=attrgetter("policy.max_weight"),
        promise=True,
    ),
    Monitor(
        "reservations",
        "A server holds at most one job of VQ_1 where k_1 = 1, and the others within their share",
        "k_1 = 1 ⇒ 2/3 is kept",
        "Section V, VQS",
        (_reservations,),
        stage=1,
        applies=attrgetter("policy.reserves"),
        promise=True,
    ),
    Monitor(
        "work-conserving",
        "No job waits that fits a server which its policy must fill",
        "",
        "Sections IV and VI, Best-Fit",
        (_left_over,),
        stage=1,
        applies=attrgetter("policy.exhausts"),
        promise=True,
    ),
)
