"""Invariants of every state of the loss system with slots, checked independently of the program.

Nothing here calls the program's own classification: ranks and groups are counted anew from
the paper's definitions, so that an error in it is found.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Iterator, Sequence

import numpy as np

from slotscope.model.kinds.reservation.classification import classify
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies import gpa
from slotscope.model.kinds.reservation.state import (
    ADMITTED,
    ARRIVED,
    DEPARTED,
    DEPARTURES,
    FREE,
    GREEDY_LENGTH,
    I_STAR,
    NEXT_ARRIVAL,
    NEXT_STAMP,
    NOW,
    PREEMPTED,
    REJECTED,
    ReservationState,
)
from slotscope.model.kinds.reservation.system import ReservationSystem
from slotscope.model.systems.state import copied, differences


def assignment_of(numbers: ReservationNumbers, reference: Sequence[int]) -> tuple[gpa.Assigned, ...]:
    """The assignment that GPA computes, without its sub-steps."""
    _, last = gpa.steps(numbers, reference)
    assert isinstance(last, tuple)
    return last


def violations(system: ReservationSystem, state: ReservationState) -> list[str]:
    """One sentence for each violated invariant of *state*; an empty list if there is none."""
    found = [
        *_servers(system, state),
        *_conservation(system, state),
        *_lists(state),
        *_records(state),
        *_heap(state),
        *_indexes(state),
    ]
    if getattr(system.policy, "has_groups", False) and not found:
        found += [*_greedy(system, state), *_groups(state), *_cra_again(system, state)]
    return found


def _servers(system: ReservationSystem, state: ReservationState) -> Iterator[str]:
    for server, slots in enumerate(state.configuration.tolist()):
        if not system.numbers.space.contains(slots):
            yield f"server {server} has the infeasible configuration {slots}"
    if (state.placement > state.configuration).any():
        yield "a placement exceeds its configuration"
    if (state.placement < 0).any():
        yield "a placement is negative"
    if not system.policy.reserves_slots and (state.placement != state.configuration).any():
        yield "a server has slots that no job fills, without reservation"


def _conservation(system: ReservationSystem, state: ReservationState) -> Iterator[str]:
    tally = state.tally
    starting = np.zeros(system.numbers.types, np.int64)
    for job in system.starting:
        starting[job.type] += 1
    inside = starting + tally[:, ADMITTED] - tally[:, DEPARTED] - tally[:, PREEMPTED]
    if (tally[:, ARRIVED] != tally[:, ADMITTED] + tally[:, REJECTED]).any():
        yield "arrived is not admitted plus rejected"
    if tally[:, ARRIVED].sum() != state.number[NEXT_ARRIVAL]:
        yield "the arrivals taken from the workload are not those counted"
    if (inside != state.jobs_in_system).any():
        yield "jobs in the system are not those that came and did not leave"
    if (state.placement.sum(axis=0) != state.jobs_in_system).any():
        yield "jobs in the system are not those placed"
    if (state.configuration.sum(axis=0) != state.slots_in_system).any():
        yield "slots in the system are not those of the servers"
    if (state.since > state.clock[NOW]).any() or (state.area < 0).any():
        yield "an integral runs ahead of the clock"


def _lists(state: ReservationState) -> Iterator[str]:
    seen: set[int] = set()
    for server, job_type in np.ndindex(*state.first_job.shape):
        before, record = -1, int(state.first_job[server, job_type])
        length = 0
        while record >= 0 and length <= len(state.job_number):
            here = (state.job_server[record], state.job_type[record])
            if here != (server, job_type) or state.job_previous[record] != before:
                yield f"record {record} is linked wrongly on server {server}"
            seen.add(record)
            length += 1
            before, record = record, int(state.job_next[record])
        if length != state.placement[server, job_type]:
            yield f"the list of server {server}, type {job_type} has {length} jobs"
    if seen != set(np.flatnonzero(state.job_number >= 0).tolist()):
        yield "the jobs in lists are not the jobs in service"


def _records(state: ReservationState) -> Iterator[str]:
    live = np.flatnonzero(state.job_number >= 0)
    free = int(state.number[FREE])
    stack = state.free_record[:free]
    if free + len(live) != len(state.job_number) or set(stack) & set(live):
        yield "free and used records do not make up all"
    if len(set(stack.tolist())) != free or (stack < 0).any() or (state.free_record[free:] != -1).any():
        yield "the stack of free records is broken"
    if len(set(state.job_number[live].tolist())) != len(live):
        yield "two jobs have the same number"
    blank = (state.job_type[stack], state.job_server[stack], state.job_next[stack], state.job_previous[stack])
    if any((column != -1).any() for column in blank) or np.isfinite(state.job_departure[stack]).any():
        yield "a free record is not blank"


def _heap(state: ReservationState) -> Iterator[str]:
    size = int(state.number[DEPARTURES])
    records = state.heap_record[:size]
    leaving = np.flatnonzero((state.job_number >= 0) & np.isfinite(state.job_departure))
    if sorted(records.tolist()) != leaving.tolist():
        yield "the heap does not hold exactly the jobs that will depart"
        return
    if (state.heap_time[:size] != state.job_departure[records]).any():
        yield "a time in the heap is not the job's departure"
    if np.isfinite(state.heap_time[size:]).any() or (state.heap_record[size:] != -1).any():
        yield "the heap's free places are not blank"
    keys = [(state.heap_time[place], state.job_number[records[place]]) for place in range(size)]
    if any(keys[place] < keys[(place - 1) // 4] for place in range(1, size)):
        yield "the heap is out of order"
    if size and min(keys)[0] < state.clock[NOW]:
        yield "a departure lies in the past"


def _by_configuration(state: ReservationState) -> dict[tuple[int, ...], list[int]]:
    """The servers of each configuration, the most recent first."""
    holders: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for server in sorted(range(len(state.stamp)), key=lambda number: -state.stamp[number]):
        holders[tuple(state.configuration[server].tolist())].append(server)
    return dict(holders)


def _indexes(state: ReservationState) -> Iterator[str]:
    if len(set(state.stamp.tolist())) != len(state.stamp):
        yield "two servers have the same stamp"
    if (state.stamp >= state.number[NEXT_STAMP]).any():
        yield "a stamp was not given out yet"
    index = classify(state).index
    for configuration, servers in _by_configuration(state).items():
        if index[servers].tolist() != list(range(1, len(servers) + 1)):
            yield f"the indexes of {configuration} are not 1 to X by recency"


def _greedy(system: ReservationSystem, state: ReservationState) -> Iterator[str]:
    reserved = system.policy.reserved  # type: ignore[attr-defined]
    expected = assignment_of(system.numbers, (state.jobs_in_system + reserved).tolist())
    length = int(state.number[GREEDY_LENGTH])
    kept = [
        (tuple(row), int(count))
        for row, count in zip(state.greedy_configuration[:length].tolist(), state.greedy_count, strict=False)
    ]
    if kept != [(item.configuration, item.count) for item in expected]:
        yield f"the state keeps {kept}, GPA says {expected}"
    if state.greedy_configuration[length:].any() or state.greedy_count[length:].any():
        yield "the state keeps configurations beyond GPA's"
    if len(set(kept)) != len(kept) or sum(count for _, count in kept) > len(state.stamp):
        yield "GPA repeats a configuration or wants more servers than there are"


def _groups(state: ReservationState) -> Iterator[str]:
    """Remark 4: rank i for the servers of k[i] with index > X - X-hat; I*; the Reject Group.

    If no type fits a server, GPA has no result and there are no groups.
    """
    types = state.configuration.shape[1]
    holders = _by_configuration(state)
    rank = np.full(len(state.stamp), types + 1)
    i_star = types
    for place in reversed(range(int(state.number[GREEDY_LENGTH]))):
        wanted = int(state.greedy_count[place])
        servers = holders.get(tuple(state.greedy_configuration[place].tolist()), [])
        rank[servers[max(0, len(servers) - wanted) :]] = place + 1
        if len(servers) < wanted:
            i_star = place + 1
    reject = np.zeros(len(rank), bool)
    for servers in holders.values():
        reject[servers[0]] = rank[servers[0]] > i_star and state.number[GREEDY_LENGTH] > 0
    classes = classify(state)
    if i_star != state.number[I_STAR]:
        yield f"I* is kept as {state.number[I_STAR]}, it is {i_star}"
    if classes.rank.tolist() != rank.tolist():
        yield f"ranks {classes.rank.tolist()}, by Remark 4 {rank.tolist()}"
    if classes.reject_group.tolist() != reject.tolist():
        yield f"Reject Group {classes.reject_group.tolist()}, by definition {reject.tolist()}"


def _cra_again(system: ReservationSystem, state: ReservationState) -> Iterator[str]:
    again = copied(state)
    for _ in system.start(again):
        pass
    if changed := differences(again, state):
        yield f"CRA on its own result changes {', '.join(changed)}"
