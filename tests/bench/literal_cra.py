"""DRA with CRA from scratch at each admission and departure, compiled: the paper's lines.

The kernel of :mod:`model.kinds.reservation.kernels.dra` moves boundaries; this one ranks all
servers anew, which takes time in proportion to their number.  It is for comparison only:
it makes the same decisions, so it must reach the same digests.  GPA is the kernel's own
(MaxReward with memoization), and so is the effect of a decision on the state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation import outcome as outcome_of
from slotscope.model.kinds.reservation import physics
from slotscope.model.kinds.reservation.classification import classify
from slotscope.model.kinds.reservation.kernels import cra, events, loop
from slotscope.model.kinds.reservation.kernels.driver import DraKernel
from slotscope.model.kinds.reservation.kernels.loop import ARRIVES, DEPARTS
from slotscope.model.kinds.reservation.outcome import (
    EMPTY_SLOTS,
    FIRST_REASSIGNED,
    FLAGS,
    JOB,
    KIND,
    MOVED,
    REASSIGNED,
    SERVER,
    SOURCE,
    TYPE,
)
from slotscope.model.kinds.reservation.rows import (
    FLAG_ADMITTED,
    FLAG_DEPARTED,
    FLAG_GREEDY,
    FLAG_I_STAR,
    FLAG_MIGRATED,
    FLAG_REASSIGNED,
    FLAG_REJECTED,
)
from slotscope.model.kinds.reservation.state import GREEDY_LENGTH, I_STAR, NOW, REJECTED, ReservationState
from slotscope.model.reporting.records import DEPARTURE
from slotscope.model.systems.compiled import AT_FLAG, AT_LIMIT, NEEDS_VALUE, STOP_FLAGS

State = Any
Array = Any

admit = physics.admit
depart = physics.depart
release = physics.release
migrate = physics.migrate
set_slots = physics.set_slots
stamp_as_most_recent = physics.stamp_as_most_recent
reset = events.reset
close = outcome_of.close
greedy_placement = cra.greedy_placement
next_due = loop.next_due
begin_arrival = loop.begin_arrival


class Ranking(NamedTuple):
    """The last result of CRA, for L servers, J types and C known configurations."""

    size: NDArray[np.int64]
    vectors: NDArray[np.int32]  #: [C, J]
    memo_key: NDArray[np.uint64]
    memo_value: NDArray[np.int32]
    configuration_of: NDArray[np.int32]  #: [L]
    by_age: NDArray[np.int32]  #: [L] servers, the least recently assigned first
    rank: NDArray[np.int64]  #: [L]
    index_one: NDArray[np.int32]  #: [C] the most recently assigned server of each
    greedy: NDArray[np.int32]  #: [J] the configurations of k[1], k[2], ...
    given: NDArray[np.int64]  #: [J] unused: the jobs in the system are counted instead


@jitable
def find_index_one(index: Any) -> None:
    """The most recently assigned server of every configuration."""
    for age in range(len(index.by_age)):
        server = index.by_age[age]
        index.index_one[index.configuration_of[server]] = server


@jitable
def in_reject_group(state: State, index: Any, server: int) -> bool:
    """Index 1 and rank above I*."""
    first = index.index_one[index.configuration_of[server]] == server
    return bool(first and index.rank[server] > state.number[I_STAR])


@jitable
def accepting_server(state: State, index: Any, job_type: int) -> int:
    """The oldest Accept Group server with an empty slot of the type, or -1 (line 18)."""
    for age in range(len(index.by_age)):
        server = index.by_age[age]
        empty = state.configuration[server, job_type] - state.placement[server, job_type]
        if empty > 0 and not in_reject_group(state, index, server):
            return int(server)
    return -1


@jitable
def migration_source(state: State, index: Any, job_type: int) -> int:
    """RG_j: the Reject Group server of highest rank with a job of the type, or -1 (line 24)."""
    best = -1
    for server in range(len(index.rank)):
        candidate = state.placement[server, job_type] > 0 and in_reject_group(state, index, server)
        if candidate and (best < 0 or index.rank[server] > index.rank[best]):
            best = server
    return best


@jitable
def empty_server(state: State, index: Any, types: int) -> int:
    """The lowest empty server of rank J + 1, or -1 (line 10)."""
    for server in range(len(index.rank)):
        if index.rank[server] == types + 1:
            jobs = 0
            for job_type in range(types):
                jobs += state.placement[server, job_type]
            if jobs == 0:
                return server
    return -1


@jitable
def reassign(state: State, index: Any, server: int, number: int, types: int) -> None:
    """Line 12: the empty server gets configuration *number* and index 1."""
    age = 0
    while index.by_age[age] != server:
        age += 1
    for later in range(age + 1, len(index.by_age)):
        index.by_age[later - 1] = index.by_age[later]
    index.by_age[len(index.by_age) - 1] = server
    index.configuration_of[server] = number
    for job_type in range(types):
        set_slots(state, server, job_type, index.vectors[number, job_type])
    stamp_as_most_recent(state, server)


@jitable
def adopt_greedy(state: State, index: Any, length: int, found: Array, counts: Array) -> bool:
    """Store GPA's result (line 2); True if it differs from the last one."""
    changed = length != state.number[GREEDY_LENGTH]
    for place in range(length):
        if found[place] != index.greedy[place] or counts[place] != state.greedy_count[place]:
            changed = True
        index.greedy[place] = found[place]
        state.greedy_count[place] = counts[place]
        for job_type in range(len(counts)):
            state.greedy_configuration[place, job_type] = index.vectors[found[place], job_type]
    state.number[GREEDY_LENGTH] = length
    return bool(changed)


@jitable
def rank_servers(state: State, index: Any, length: int, types: int, outcome: Array) -> None:
    """Lines 3-16: the ranks of all servers, from scratch."""
    for server in range(len(index.rank)):  # line 3
        index.rank[server] = types + 1
    i_star = types  # line 4
    for place in range(length):  # line 5
        wanted = state.greedy_count[place]
        taken = 0
        age = 0
        while taken < wanted and age < len(index.by_age):  # lines 6-8, 15-16
            server = index.by_age[age]
            if index.configuration_of[server] == index.greedy[place]:
                index.rank[server] = place + 1
                taken += 1
            age += 1
        while taken < wanted:  # line 9
            server = empty_server(state, index, types)
            if server < 0:
                i_star = min(i_star, place + 1)  # line 14
                break
            index.rank[server] = place + 1  # line 11
            reassign(state, index, server, index.greedy[place], types)
            if outcome[REASSIGNED] == 0:
                outcome[FIRST_REASSIGNED] = server
            outcome[REASSIGNED] += 1
            taken += 1
    find_index_one(index)
    if i_star != state.number[I_STAR]:
        state.number[I_STAR] = i_star
        outcome[FLAGS] |= FLAG_I_STAR
    if outcome[REASSIGNED] > 0:
        outcome[FLAGS] |= FLAG_REASSIGNED


@jitable
def arrive(state: State, index: Any, jobs: Any, constant: Array, outcome: Array) -> None:
    """Lines 17-22, without CRA."""
    place = begin_arrival(state, jobs, constant, outcome)
    job_type = outcome[TYPE]
    server = accepting_server(state, index, job_type)
    if server >= 0:
        admit(state, server, job_type, outcome[JOB], jobs.time[place] + jobs.service[place])
        outcome[SERVER] = server
        outcome[FLAGS] = FLAG_ADMITTED
        return
    state.tally[job_type, REJECTED] += 1
    outcome[FLAGS] = FLAG_REJECTED
    outcome[EMPTY_SLOTS] = 0
    for server in range(len(index.rank)):
        outcome[EMPTY_SLOTS] += state.configuration[server, job_type] - state.placement[server, job_type]


@jitable
def leave(state: State, index: Any, outcome: Array) -> None:
    """Lines 23-25, without CRA."""
    state.clock[NOW] = state.heap_time[0]
    record = state.heap_record[0]
    server = state.job_server[record]
    job_type = state.job_type[record]
    outcome[JOB] = state.job_number[record]
    outcome[TYPE] = job_type
    outcome[SERVER] = server
    outcome[FLAGS] = FLAG_DEPARTED
    accepting = not in_reject_group(state, index, server)
    depart(state)
    release(state, record)
    source = migration_source(state, index, job_type) if accepting else -1
    if source >= 0:
        moved = state.first_job[source, job_type]
        outcome[MOVED] = state.job_number[moved]
        outcome[SOURCE] = source
        outcome[FLAGS] |= FLAG_MIGRATED
        migrate(state, moved, server)


def advance(
    state: State,
    index: Any,
    demand: Array,
    scratch: Array,
    jobs: Any,
    constant: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run events; arguments and result as in the kernel ``dra.advance``, no samples."""
    types = state.configuration.shape[1]
    left, found, counts = scratch[0], scratch[1], scratch[2]
    while done[0] < len(tape):
        if outcome[KIND] == 0:
            due = next_due(state, jobs, constant, until)
            if due == ARRIVES:
                arrive(state, index, jobs, constant, outcome)
            elif due == DEPARTS:
                reset(outcome)
                leave(state, index, outcome)
                outcome[KIND] = DEPARTURE
            else:
                return int(due)
        if not outcome[FLAGS] & FLAG_REJECTED:
            length = greedy_placement(state, index, constant, left, found, counts)
            if length < 0:
                return NEEDS_VALUE
            if adopt_greedy(state, index, length, found, counts):
                outcome[FLAGS] |= FLAG_GREEDY
            rank_servers(state, index, length, types, outcome)
        close(state, outcome, tape[done[0]])
        outcome[KIND] = 0
        done[0] += 1
        if outcome[FLAGS] & constant[STOP_FLAGS]:
            return AT_FLAG
    return AT_LIMIT


class LiteralKernel(DraKernel):
    """An engine that runs DRA with CRA from scratch."""

    name = "literal"
    kernel = staticmethod(advance)

    def index(self, state: ReservationState) -> Ranking:
        """The ranks of a state."""
        known = super().index(state)
        index = Ranking(
            size=known.size,
            vectors=known.vectors,
            memo_key=known.memo_key,
            memo_value=known.memo_value,
            configuration_of=known.configuration_of,
            by_age=np.argsort(state.stamp).astype(np.int32),
            rank=classify(state).rank.astype(np.int64),
            index_one=np.full(len(known.vectors), -1, np.int32),
            greedy=known.greedy,
            given=known.given,
        )
        find_index_one(index)
        return index
