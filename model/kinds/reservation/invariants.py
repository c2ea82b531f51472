"""The invariants that hold after every event of a loss system with slots; violations are sentences.

Psychas & Ghaderi (2022), Sections 2 and 4.  Each invariant is recomputed from the arrays,
without the code that maintains them, so that an error in either is detected.  Servers and job
types are numbered from 1 in the sentences.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.classification import Classification, classify
from slotscope.model.kinds.reservation.initial import infeasible_server
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.sampling import columns
from slotscope.model.kinds.reservation.state import (
    ADMITTED,
    ARRIVED,
    DEPARTED,
    DEPARTURES,
    EXTENDED,
    FREE,
    GREEDY_LENGTH,
    I_STAR,
    NEXT_ARRIVAL,
    NEXT_STAMP,
    NOW,
    PREEMPTED,
    REJECTED,
    SPEC,
    ReservationState,
)
from slotscope.model.kinds.reservation.system import ReservationSystem
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.measures.job_records import Sentences, heap_of, numbered
from slotscope.model.measures.monitors import Monitor
from slotscope.model.reporting.explain import counted
from slotscope.model.reporting.records import Classify, Reassign
from slotscope.model.scenario.workload import ContinuedWorkload
from slotscope.model.systems.state import all_differ, copied


def _slots(system: ReservationSystem, state: ReservationState) -> Sentences:
    """Placement <= configuration, and every configuration is feasible (Section 2.2)."""
    over = np.argwhere((state.placement > state.configuration) | (state.placement < 0))
    for server, job_type in over[:1]:
        yield (
            f"server {server + 1} has {state.placement[server, job_type]} jobs of type "
            f"{job_type + 1} in {state.configuration[server, job_type]} slots"
        )
    holder = infeasible_server(state, system.numbers)
    if holder is not None:
        row = tuple(state.configuration[holder].tolist())
        yield f"server {holder + 1} has the configuration {row}, which exceeds its capacity"
    slots = state.configuration.sum(axis=0)
    if not np.array_equal(slots, state.slots_in_system):
        yield f"the servers have {slots.tolist()} slots, counted {state.slots_in_system.tolist()}"


def _jobs(system: ReservationSystem, state: ReservationState) -> Sentences:
    """Conservation: each arrival was admitted or rejected; each admitted job is in service or has left."""
    tally = state.tally
    decided = tally[:, ADMITTED] + tally[:, REJECTED]
    if not np.array_equal(tally[:, ARRIVED], decided):
        yield f"{tally[:, ARRIVED].tolist()} jobs arrived, {decided.tolist()} were decided on"
    if tally[:, ARRIVED].sum() != state.number[NEXT_ARRIVAL]:
        yield (f"{state.number[NEXT_ARRIVAL]} arrivals were taken, {tally[:, ARRIVED].sum()} jobs arrived")
    types = len(state.jobs_in_system)
    began = np.bincount([job.type for job in system.starting], minlength=types)
    expected = began + tally[:, ADMITTED] - tally[:, DEPARTED] - tally[:, PREEMPTED]
    if isinstance(system.workload, ContinuedWorkload):  # the run did not start from the scenario's initial jobs
        expected = state.jobs_in_system
    live = state.job_type[state.job_number >= 0]
    numbers = state.job_number[state.job_number >= 0]
    given = system.initial_jobs + state.number[NEXT_ARRIVAL]
    yield from numbered(numbers, given)
    counts = {
        "counted": state.jobs_in_system,
        "placed": state.placement.sum(axis=0),
        "recorded": np.bincount(live, minlength=types),
    }
    for word, count in counts.items():
        if not np.array_equal(count, expected):
            yield (f"{np.asarray(count).tolist()} jobs are {word}, but {expected.tolist()} came in and have not left")


def _lists(_: Any, state: ReservationState) -> Sentences:
    """Each job record occurs exactly once: in the list of its server and type, or in the stack of free ones."""
    records, (servers, types) = len(state.job_number), state.placement.shape
    visited, listed = np.zeros(records, np.bool_), []
    front = state.first_job[state.first_job >= 0]
    if (state.job_previous[front] >= 0).any():
        yield "the first job of a server's list has one before it"
    while len(front) and not visited[front].any():
        visited[front] = True
        listed.append(front)
        following = state.job_next[front]
        onward = following >= 0
        if (state.job_previous[following[onward]] != front[onward]).any():
            yield "a job's list does not lead back the way it leads on"
        front = following[onward]
    found = np.concatenate([*listed, front])  # includes records met twice if a list has a cycle
    slots = (state.job_server[found] * types + state.job_type[found]) % (servers * types)
    lengths = np.bincount(slots, minlength=servers * types).reshape(servers, types)
    if not np.array_equal(lengths, state.placement):
        server, job_type = np.argwhere(lengths != state.placement)[0]
        yield (
            f"the list of server {server + 1} and type {job_type + 1} has {lengths[server, job_type]} jobs, placed are "
            f"{state.placement[server, job_type]}"
        )
    free = state.free_record[: int(state.number[FREE])]
    visits = np.bincount(np.concatenate([found, free]) % records, minlength=records)
    if (visits != 1).any():
        record = int(np.flatnonzero(visits != 1)[0])
        yield f"job record {record} stands in {visits[record]} lists, allowed: 1"
    yield from SPEC.left_behind(state)


def _departures(_: Any, state: ReservationState) -> Sentences:
    """The heap has each job that will depart exactly once, is in heap order, and has no departure in the past."""
    yield from heap_of(state, int(state.number[DEPARTURES]), state.job_departure, "departure")
    if (state.since > state.clock[NOW]).any():
        yield f"the integrals reach {state.since.max()}, now is {state.clock[NOW]}"


def _groups(system: ReservationSystem, state: ReservationState) -> Sentences:
    """Definition 4: indexes are 1..X; the Reject Group has rank > I* and index 1 (extended: rank J + 1)."""
    classes = classify(state)
    if not all_differ(state.stamp):
        yield "two servers were assigned at the same moment, so their indexes are open"
    if state.stamp.max() >= state.number[NEXT_STAMP]:
        yield f"a server has the stamp {state.stamp.max()}, next is {state.number[NEXT_STAMP]}"
    if not 1 <= classes.i_star <= len(state.greedy_count):
        yield f"I* is {classes.i_star}, allowed: 1 to {len(state.greedy_count)}"
    spaces = [pool.space for pool in system.numbers.pools]
    for row in state.greedy_configuration[: int(state.number[GREEDY_LENGTH])].tolist():
        if not any(space.contains(tuple(row)) for space in spaces):
            yield f"GPA wants the configuration {tuple(row)}, which exceeds every capacity"
    wanted = int(state.greedy_count.sum())
    if wanted > len(state.stamp):
        yield f"GPA wants {wanted} servers of {len(state.stamp)}"
    for stack, configuration in enumerate(classes.configurations):
        mine = np.flatnonzero(classes.stack == stack)
        yield from _stack(state, classes, mine, tuple(configuration.tolist()))


def _stack(
    state: ReservationState, classes: Classification, mine: NDArray[np.int64], configuration: tuple[int, ...]
) -> Sentences:
    """Check the servers *mine* of one configuration."""
    newest_first = mine[np.argsort(-state.stamp[mine])]
    index = classes.index[newest_first]
    if not np.array_equal(index, np.arange(1, len(mine) + 1)):
        yield f"the servers of {configuration} have the indexes {index.tolist()}"
    rejecting = mine[classes.reject_group[mine]]
    extended, beyond = state.number[EXTENDED], len(state.greedy_count) + 1
    if len(rejecting) > 1 and not extended:
        yield f"{len(rejecting)} servers of {configuration} are in the Reject Group, allowed: 1"
    for server in rejecting:
        rank = classes.rank[server]
        if rank != beyond if extended else server != newest_first[0] or rank <= classes.i_star:
            yield (
                f"Reject Group server {server + 1} has rank {rank} and index "
                f"{classes.index[server]}; I* is {classes.i_star}"
            )


def _matched(_: ReservationSystem, state: ReservationState) -> Sentences:
    """Every k[i] with i < I* has at least the servers that GPA wants; k[I*] has fewer, unless I* = J."""
    classes = classify(state)
    found = int(state.number[GREEDY_LENGTH])
    missing = state.greedy_count[:found] - classes.held
    for place in np.flatnonzero(missing[: classes.i_star - 1] > 0):
        yield f"k[{place + 1}] lacks {counted(int(missing[place]), 'server')}, but I* is {classes.i_star}"
    last = classes.i_star == len(state.greedy_count)
    if not last and (classes.i_star > found or missing[classes.i_star - 1] <= 0):
        yield f"I* is {classes.i_star}, but k[{classes.i_star}] lacks no server"


def _cra_again(system: ReservationSystem, state: ReservationState) -> Sentences:
    """A second CRA changes nothing."""
    policy: Any = system.policy
    for record in policy.cra(ReservationView(system.numbers, copied(state))):
        if isinstance(record, Reassign):
            yield (f"CRA applied again would reassign server {record.server + 1} to {record.configuration}")
            return
        if isinstance(record, Classify):
            yield from _same_outcome(state, record)


def _same_outcome(state: ReservationState, record: Classify) -> Sentences:
    found = int(state.number[GREEDY_LENGTH])
    rows = tuple(tuple(row) for row in state.greedy_configuration[:found].tolist())
    counts = tuple(state.greedy_count[:found].tolist())
    if (rows, counts) != (record.configurations, record.counts):
        yield f"GPA applied again finds the counts {record.counts}, recorded are {counts}"
    if state.number[I_STAR] != record.i_star:
        yield f"CRA applied again finds I* = {record.i_star}, recorded is {state.number[I_STAR]}"


def _admission(_: ReservationSystem, before: ReservationState, state: ReservationState) -> Sentences:
    """An arriving job is admitted to a server that was in the Accept Group before the CRA that follows."""
    if (state.tally[:, ADMITTED] > before.tally[:, ADMITTED]).any():
        more = np.flatnonzero((state.placement > before.placement).any(axis=1))
        for server in more[classify(before).reject_group[more]].tolist():
            yield f"the job went to server {server + 1}, which was in the Reject Group"


def _runs_cra(system: ReservationSystem) -> bool:
    """Whether CRA ran at this event, and is the built-in one, which can be run again."""
    return bool(system.policy.has_groups and system.policy.cra_at_events)


def _spare_slots(numbers: ReservationNumbers, _: Any, samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] the empty slots of the type that has the fewest, at each sample."""
    slots, jobs = (samples[:, columns(name, numbers.types)] for name in ("slots", "jobs"))
    return np.asarray((slots - jobs).min(axis=1))


#: Psychas & Ghaderi (2022).
MONITORS = (
    Monitor(
        "capacity",
        "Every job is in a slot of its type, and the slots of a server fit into its capacity",
        "k̂ ≤ k, k ∈ K",
        "Sections 2.2 and 2.3",
        (_slots,),
        slack=_spare_slots,
        unit="empty slots of the type that has the fewest",
    ),
    Monitor(
        "conservation",
        "Who arrived was admitted or rejected, and who was admitted is here or has left",
        "Y_j = Σ_ℓ k̂_j^ℓ",
        "(2.3)",
        (_jobs,),
    ),
    Monitor(
        "records",
        "Each job's record stands once in the list of its server, and once among the departures to come",
        "",
        "the program's own",
        (_lists, _departures),
    ),
    Monitor(
        "groups",
        "The Accept Group is what the ranks say: every configuration before I* is matched, the one at I* is not",
        "rank ≤ I*, index > 1",
        "Definition 4, Section 4",
        (_groups, _matched),
        stage=1,
        applies=attrgetter("policy.has_groups"),
        decided=(_matched,),
    ),
    Monitor(
        "admission",
        "A job is admitted to a reserved slot on the Accept Group, as that was before the event",
        "ℓ ∈ AG_j",
        "Algorithm 2, lines 18 and 19",
        (),
        stage=1,
        applies=attrgetter("policy.has_groups"),
        promise=True,
        steps=(_admission,),
    ),
    Monitor(
        "reassignment",
        "Classification and Reassignment, applied to its own result, changes nothing",
        "CRA(CRA(x)) = CRA(x)",
        "Algorithm 2",
        (_cra_again,),
        stage=1,
        applies=_runs_cra,
    ),
)
