"""BF-J, BF-S and BF-J/S compiled: a slot examines only what has changed since the previous one.

Reference
    The references are :mod:`model.kinds.queue.policies.bf_j`, ``bf_s`` and ``bf_js``.
Implements
    At the end of a slot no waiting job fits any server that takes jobs.  In the next slot, the jobs
    already waiting can therefore fit only servers that a job has just left, and all other servers can
    only take jobs that have just arrived.  The largest (or the earliest) job that fits is found by an
    index of the waiting jobs by size (:mod:`model.kinds.queue.kernels.waiting`), and the server with
    the least residual capacity by blocks of servers (:mod:`model.kinds.queue.kernels.rooms`).
Symbols
    l  ``server``
Deviations
    None.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.kernels.foresight import foresee
from slotscope.model.kinds.queue.kernels.rooms import (
    NO_ROOM,
    first_with_room,
    follow,
    job_left,
    least_fresh,
    most_free,
    next_changed,
)
from slotscope.model.kinds.queue.kernels.rooms import tightest as tightest_of_blocks
from slotscope.model.kinds.queue.kernels.slots import (
    BY_ARRIVAL,
    BY_SIZE,
    DUE,
    ONLY_DEPARTURES,
    SCORE_UNIT,
    STALLS,
    STEP_JOBS,
    STEP_SERVERS,
    arrive,
    finish,
    next_due,
    stall,
)
from slotscope.model.kinds.queue.kernels.slots import depart as due_departure
from slotscope.model.kinds.queue.kernels.slots import place as place_job
from slotscope.model.kinds.queue.kernels.waiting import (
    WaitingJobs,
    add_by_arrival,
    add_by_size,
    bucket_of,
    earliest_up_to,
    largest_up_to,
    remove_by_arrival,
    remove_by_size,
)
from slotscope.model.kinds.queue.outcome import ARRIVED, PLACED
from slotscope.model.kinds.queue.physics import depart, release
from slotscope.model.kinds.queue.state import WAITING
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT

State = Any
Array = Any


class QueueBestFitIndex(NamedTuple):
    """The index derived from the state: the waiting jobs, and the residual capacities of the servers."""

    waiting: WaitingJobs
    rooms: Any  #: Rooms, or OrderedRooms or BlockedRooms of :mod:`model.kinds.queue.kernels.many`


@jitable
def fits(state: State, capacity: Array, record: int, server: int) -> bool:
    """Whether a job fits the residual capacity of a server."""
    for d in range(capacity.shape[1]):
        if state.job_room[record, d] > capacity[server, d] - state.used[server, d]:
            return False
    return True


@jitable
def score(state: State, constant: Array, record: int, server: int) -> int:
    """The score of Section VIII: the inner product of the job's demand and the server's occupied capacity."""
    unit = constant[SCORE_UNIT]
    total = 0
    for d in range(state.used.shape[1]):
        total += (state.job_room[record, d] // unit) * (state.used[server, d] // unit)
    return int(total)


@jitable
def tightest(state: State, index: Any, constant: Array, capacity: Array, record: int) -> int:
    """The server that BF-J chooses for a job; -1: the job fits none."""
    room = state.job_room[unsigned(record), 0]
    if capacity.shape[1] == 1:
        return int(tightest_of_blocks(index.rooms, room))
    found = -1
    best = -1
    server = first_with_room(index.rooms, room, 0)
    while server >= 0:
        if fits(state, capacity, record, server):
            value = score(state, constant, record, server)
            if value > best:
                best = value
                found = server
        server = first_with_room(index.rooms, room, server + 1)
    return int(found)


@jitable
def best_for(state: State, index: Any, constant: Array, capacity: Array, server: int) -> int:
    """The record of the job that BF-S chooses for a server; -1: no waiting job fits."""
    if capacity.shape[1] == 1:
        return int(largest_up_to(index.waiting, state, index.rooms.free[unsigned(server)], 0))
    found = -1
    best = -1
    best_sum = -1
    record = state.first_waiting[0]
    while record >= 0:
        if fits(state, capacity, record, server):
            value = score(state, constant, record, server)
            total = 0
            for d in range(capacity.shape[1]):
                total += state.job_room[record, d]
            if value > best or (value == best and total > best_sum):
                found = record
                best = value
                best_sum = total
        record = state.job_next[record]
    return int(found)


@jitable
def place(state: State, index: Any, constant: Array, capacity: Array, record: int, server: int, outcome: Array) -> None:
    """Put a waiting job into service on a server, and update the index."""
    if constant[BY_SIZE]:
        remove_by_size(index.waiting, state, record)
    elif constant[BY_ARRIVAL]:
        remove_by_arrival(index.waiting, state, record)
    place_job(state, record, server, outcome)
    follow(index.rooms, state, capacity, server)


@jitable
def fill_servers(state: State, index: Any, constant: Array, capacity: Array, fresh: Array, outcome: Array) -> None:
    """Step 1: apply BF-S to the servers in order, skipping those that no waiting job can fit.

    BF-J/S visits only servers that a job has left; it leaves the other servers to step 2.
    """
    least = NO_ROOM
    if not constant[ONLY_DEPARTURES]:
        least = least_fresh(state, fresh, outcome[ARRIVED])
    server = next_changed(index.rooms, state, least, 0)
    while server >= 0:
        placed = outcome[PLACED]
        while True:
            record = best_for(state, index, constant, capacity, server)
            if record < 0:
                break
            place(state, index, constant, capacity, record, server, outcome)
        if least < NO_ROOM and outcome[PLACED] > placed:
            least = least_fresh(state, fresh, outcome[ARRIVED])
        server = next_changed(index.rooms, state, least, server + 1)


@jitable
def place_jobs(state: State, index: Any, constant: Array, capacity: Array, fresh: Array, outcome: Array) -> None:
    """Apply BF-J to the jobs that have just arrived (step 2 of BF-J/S) or to all waiting jobs (BF-J).

    In the latter case, the earliest waiting job that fits some server is taken repeatedly: a job that fits no
    server fits none later in the slot either.  With several resources the whole list is scanned.
    The three cases share one call of :func:`place`, because each further call is compiled separately.
    """
    one = 0
    following = state.first_waiting[0]
    while state.number[WAITING] > 0:
        record = -1
        if constant[STEP_SERVERS]:
            while one < outcome[ARRIVED] and record < 0:
                record = fresh[one] if state.job_server[fresh[one]] < 0 else -1
                one += 1
        elif capacity.shape[1] == 1:
            record = earliest_up_to(index.waiting, state, most_free(index.rooms), 0)
        else:
            record = following
            following = state.job_next[record] if record >= 0 else -1
        if record < 0:
            return
        server = tightest(state, index, constant, capacity, record)
        if server >= 0:
            place(state, index, constant, capacity, record, server, outcome)


@jitable
def stall_half_empty(state: State, index: Any, capacity: Array, outcome: Array) -> None:
    """Section VIII: if jobs wait, stall each non-empty server that is less than half full."""
    if state.number[WAITING] == 0:
        return
    for server in range(len(state.stalled)):
        if state.jobs_on[server] == 0 or state.stalled[server]:
            continue
        below = True
        for d in range(capacity.shape[1]):
            if 2 * state.used[server, d] >= capacity[server, d]:
                below = False
        if below:
            stall(state, server, outcome)
            follow(index.rooms, state, capacity, server)


@jitable
def act(state: State, index: Any, constant: Array, capacity: Array, fresh: Array, outcome: Array) -> None:
    """The decisions of the policy in a slot."""
    if constant[STEP_SERVERS]:
        fill_servers(state, index, constant, capacity, fresh, outcome)
    if constant[STEP_JOBS]:
        place_jobs(state, index, constant, capacity, fresh, outcome)
    if constant[STALLS]:
        stall_half_empty(state, index, capacity, outcome)


@jitable
def leave(state: State, index: Any, constant: Array, capacity: Array, outcome: Array) -> None:
    """Carry out the departures that are due."""
    record = due_departure(state, outcome)
    while record >= 0:
        server = state.job_server[unsigned(record)]
        release(state, depart(state))
        follow(index.rooms, state, capacity, server)
        if constant[STEP_SERVERS]:
            job_left(index.rooms, server)
        record = due_departure(state, outcome)


@jitable
def take_arrivals(state: State, index: Any, jobs: Any, constant: Array, fresh: Array, outcome: Array) -> None:
    """Let the jobs that arrive in the slot join the queue, and enter them in the index."""
    for one in range(outcome[ARRIVED]):
        record = arrive(state, jobs, constant, outcome)
        fresh[one] = record
        room = state.job_room[unsigned(record), 0]
        if constant[BY_SIZE]:
            add_by_size(index.waiting, state, record, bucket_of(index.waiting, room))
        elif constant[BY_ARRIVAL]:
            add_by_arrival(index.waiting, state, record, bucket_of(index.waiting, room))


@jitable
def largest_next(_state: State, _index: Any) -> Any:
    """Upper bound on the size of a job that may take the place of the next departing job."""
    return NO_ROOM


def advance(
    state: State,
    index: Any,
    capacity: Array,
    serves: Array,
    weight: Array,
    fresh: Array,
    jobs: Any,
    constant: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run busy slots; see :mod:`model.systems.compiled`.

    The kernels of other policies replace :func:`leave`, :func:`take_arrivals`, :func:`foresee`, :func:`largest_next`
    and :func:`act` by their own functions (:func:`model.jit.with_others`).

    - *index*: :class:`QueueBestFitIndex`, or the index of another policy.
    - *capacity*: [L, D] units.
    - *serves*, *weight*: See :func:`model.kinds.queue.kernels.slots.finish`.
    - *fresh*: [M] scratch: the records of the jobs that arrived in the slot.
    - *jobs*: :class:`model.kinds.queue.kernels.slots.Arrivals`.
    """
    while done[0] < len(tape):
        due = next_due(state, jobs, constant, until, outcome)
        if due != DUE:
            return due
        leave(state, index, constant, capacity, outcome)
        take_arrivals(state, index, jobs, constant, fresh, outcome)
        foresee(state, index, jobs, constant, largest_next(state, index))
        act(state, index, constant, capacity, fresh, outcome)
        if finish(state, constant, capacity, fresh, serves, weight, outcome, tape, samples, done):
            return AT_FLAG
    return AT_LIMIT
