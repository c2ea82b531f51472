"""Why a loss system with slots admits a job to its server, rejects it, or migrates one.

Reference: Psychas & Ghaderi (2022), Algorithm 2; the peers as in their references.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation import physics, why_migrations
from slotscope.model.kinds.reservation.classification import classify
from slotscope.model.kinds.reservation.invariants import MONITORS
from slotscope.model.kinds.reservation.state import DEPARTURES, EXTENDED, TIMER, ReservationState
from slotscope.model.reporting.explain import counted, grouped, plural, quantity, shown
from slotscope.model.reporting.inspection import per_cent
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, Admit, Reject
from slotscope.model.whys.decision import (
    SYSTEM,
    Change,
    Happened,
    Setting,
    Subject,
    Whys,
    own_choice,
    rescheduled,
    soonest,
    with_policy,
)
from slotscope.model.whys.tables import Candidates, Condition, Preference

#: Most servers, and most departures, for which a change is tried.
_MOST = 30

#: Most slots by which g(L) is changed.
_MOST_SLOTS = 5


class ReservationWhys(Whys):
    """See :class:`model.whys.decision.Whys`."""

    # Changes deviate on purpose from what CRA has left.
    monitors = tuple(monitor for monitor in MONITORS if not monitor.stage)

    def subject(self, system: Any, happened: Happened, job: int) -> Subject | None:
        """The arriving job, or the one that migrates into a slot that has emptied."""
        event = happened.event
        if event.kind == ARRIVAL and job in (-1, event.job):
            place = next(n for n, record in enumerate(happened.records) if isinstance(record, Admit | Reject))
            return _arrival(system, happened, place)
        return why_migrations.subject(system, happened, job) if event.kind == DEPARTURE else None

    def server_now(self, state: ReservationState, job: int) -> int:
        """The server to which the job was admitted, or has migrated."""
        servers = state.job_server[state.job_number == job]
        return int(servers[0]) if len(servers) else -1

    def candidates(self, setting: Setting) -> tuple[Candidates, ...]:
        """All servers as candidates."""
        servers = setting.system.numbers.servers
        if setting.event.kind == DEPARTURE:
            conditions, preference = why_migrations.asked(setting)
        else:
            conditions, preference = _for_arrival(setting)
        return (
            Candidates(
                "server",
                lambda server: f"server {server + 1}",
                np.arange(servers),
                conditions,
                preference,
                np.array(setting.subject.on, np.int64),
            ),
        )

    def outlined(self, setting: Setting) -> NDArray[np.bool_]:
        """[L] whether each server has enough of all resources."""
        holds: NDArray[np.bool_] = setting.system.numbers.room_for(setting.state.placement, setting.event.type)
        return holds

    def changes(self, setting: Setting, before: ReservationState) -> Iterator[Change]:
        """Possible changes: a slot more or less, a longer tenure, another g(L) or d, an earlier departure."""
        policy = setting.system.policy
        if policy.reserves_slots:
            yield from _slots(setting, before)
        if getattr(policy, "cra", None) is not None and policy.reserved:
            yield from _factors(setting)
        if hasattr(policy, "sampled"):
            yield from _samples(setting)
        yield from _departures(setting, before)


def _arrival(system: Any, happened: Happened, place: int) -> Subject:
    decision, event = happened.records[place], happened.event
    job = f"{system.numbers.type_names[event.type]} job {system.job_name(event.job)}"
    if isinstance(decision, Admit):
        where = f"server {decision.server + 1}"
        return Subject(
            event.job, place, (decision.server,), f"Why is {job} on {where}?", f"{job} is admitted to {where}"
        )
    return Subject(event.job, place, (), f"Why is {job} rejected?", f"{job} is rejected")


# Conditions of an arrival.


def _for_arrival(setting: Setting) -> tuple[tuple[Condition, ...], Preference]:
    policy, state = setting.system.policy, setting.state
    numbers = np.arange(setting.system.numbers.servers)
    if policy.may_fail:
        asked = (_slot(setting, SYSTEM),) if policy.reserves_slots else _room(setting, SYSTEM)
        return asked, own_choice(setting)
    if policy.has_groups:
        return (_slot(setting, "Algorithm 2, line 18"), _accepts(state)), _oldest(
            state, "Algorithm 2, line 19; left open there"
        )
    if policy.reserves_slots:
        return (_slot(setting, "Section 3, line 5"),), _oldest(state, "Section 3, line 6; left open there")
    if hasattr(policy, "sampled"):
        sampled = policy.sampled(setting.subject.job)
        order = np.full(len(numbers), len(sampled))
        order[sampled] = np.arange(len(sampled))
        conditions = (_sampled(sampled, order), *_room(setting, "Section 7.2, line 3"))
        return conditions, _by_load(setting, order, "the least loaded of these", "Section 7.2, line 4", added=0)
    room = _room(setting, "line 2")
    if hasattr(policy, "loads"):
        return room, _by_load(setting, numbers, "the one with the least room left afterwards", "line 3", added=1)
    return room, Preference(
        "the one of lowest number", "line 3", lambda server: f"number {server + 1}", numbers, compares=numbers
    )


def _slot(setting: Setting, place: str) -> Condition:
    state, j = setting.state, setting.event.type
    slots, jobs = state.configuration[:, j], state.placement[:, j]
    empty = slots - jobs
    name = setting.system.numbers.type_names[j]
    return Condition(
        f"has an empty slot of type {name}",
        f"has no empty slot of type {name}",
        "k_j > k̂_j",
        place,
        empty > 0,
        f"{counted(int(empty.sum()), 'empty slot')} on {counted(int((empty > 0).sum()), 'server')}",
        lambda server: (
            f"{counted(int(slots[server]), 'slot')} of the type, {counted(int(jobs[server]), 'job')} in them"
        ),
        (f"room, but no slot for {name}", f"no slot for {name}", f"no {name}", "no slot", ""),
    )


def _accepts(state: ReservationState) -> Condition:
    groups = classify(state)
    extended = "rank < J + 1" if state.number[EXTENDED] else "rank ≤ I* or index > 1"
    return Condition(
        "is in the Accept Group",
        "is in the Reject Group",
        extended,
        "Section 4; Algorithm 2, line 18 (AG_j)",
        ~groups.reject_group,
        f"I* = {groups.i_star}; {counted(int(groups.reject_group.sum()), 'server')} in the Reject Group",
        lambda server: f"rank {groups.rank[server]}, I* = {groups.i_star}, index {groups.index[server]}",
        ("in the Reject Group", "Reject Group", "RG", ""),
    )


def _oldest(state: ReservationState, place: str) -> Preference:
    return Preference(
        "the one that has had its configuration longest",
        place,
        lambda server: f"assignment number {int(state.stamp[server])}",
        state.stamp,
    )


def _sampled(sampled: list[int], order: NDArray[np.int64]) -> Condition:
    return Condition(
        "is among the servers sampled",
        "was not sampled",
        "ℓ ∈ 𝒮",
        "Section 7.2, line 2",
        order < len(sampled),
        f"d = {len(sampled)}: {plural(len(sampled), 'server')} {', '.join(str(one + 1) for one in sampled[:10])}",
        lambda _: f"d = {len(sampled)} of {grouped(len(order))}",
        ("not sampled", ""),
    )


def _room(setting: Setting, place: str) -> tuple[Condition, ...]:
    """For each resource whether it suffices; if configurations are given, whether one of them contains the jobs."""
    numbers, state, j = setting.system.numbers, setting.state, setting.event.type
    if not numbers.demand.shape[1]:
        holds = numbers.room_for(state.placement, j)
        told = f"{counted(int(holds.sum()), 'server')} with room"
        return (
            Condition(
                "has room for the job",
                "has no room for the job",
                "k̂ + e_j ∈ K",
                place,
                holds,
                told,
                lambda server: f"its jobs are {shown(state.placement[server].tolist())}",
            ),
        )
    free = numbers.capacities - state.placement.astype(np.int64) @ numbers.demand
    return tuple(_enough(setting, name, r, free[:, r], place) for r, name in enumerate(numbers.resource_names))


def _enough(setting: Setting, name: str, resource: int, free: NDArray[np.int64], place: str) -> Condition:
    numbers = setting.system.numbers
    need, whole = int(numbers.demand[setting.event.type, resource]), int(numbers.capacity[resource])
    asked = per_cent(need / whole) if whole else str(need)
    most = per_cent(int(free.max()) / whole) if whole else "0"
    return Condition(
        f"has enough free {name}",
        f"has too little free {name}",
        f"r_j ≤ c − Σ r k̂ ({name})",
        place,
        free >= need,
        f"the job needs {asked}; the most that is free on a server is {most}",
        lambda server: f"{per_cent(int(free[server]) / whole) if whole else '0'} is free, the job needs {asked}",
    )


def _by_load(setting: Setting, ties: NDArray[np.int64], words: str, place: str, added: int) -> Preference:
    """Loads with *added* jobs of the type; the largest is preferred if it is 1, else the smallest."""
    loads, servers = setting.system.policy.loads, np.arange(len(ties))
    jobs = setting.state.placement.astype(np.int64)
    jobs[:, setting.event.type] += added
    load = loads.of(jobs, servers)
    rank = np.empty(len(load), np.int64)
    rank[np.lexsort((ties, -load if added else load))] = servers
    told = lambda server: f"load {per_cent(int(load[server]) / loads.full)}"  # noqa: E731
    return Preference(words, place, told, rank, True, -load if added else load)


# Changes.


def _slots(setting: Setting, before: ReservationState) -> Iterator[Change]:
    """One more slot of the type on a server, one less where the job went, and a longer tenure."""
    numbers, j, chosen = setting.system.numbers, setting.event.type, setting.subject.on
    if setting.event.kind != ARRIVAL:
        return
    name = numbers.type_names[j]

    def give(server: int, slots: int) -> Any:
        def make(state: Any) -> Any:
            physics.set_slots(state, server, j, int(state.configuration[server, j]) + slots)
            return setting.system

        return make

    def keep(server: int) -> Any:
        def make(state: Any) -> Any:
            state.stamp[server] = state.stamp.min() - 1
            return setting.system

        return make

    for server in _near(setting, before):
        wanted = before.configuration[server].astype(np.int64)
        wanted[j] += 1
        if numbers.space_of(server).contains(tuple(wanted.tolist())):
            yield Change(1, f"one slot more of type {name} on server {server + 1}", give(server, 1))
        if chosen and server not in chosen and before.configuration[server, j] > before.placement[server, j]:
            yield Change(1, f"server {server + 1} has had its configuration longest", keep(server))
    for server in chosen:
        if before.configuration[server, j] > before.placement[server, j]:
            yield Change(1, f"one slot less of type {name} on server {server + 1}", give(server, -1))


def _near(setting: Setting, before: ReservationState) -> list[int]:
    """The server asked about; else the servers nearest to being chosen: Accept Group and room first."""
    if setting.server >= 0:
        return [setting.server]
    room = setting.system.numbers.room_for(before.placement, setting.event.type)
    groups = classify(before)
    nearest = np.lexsort((~room, groups.reject_group))
    return [int(server) for server in nearest[:_MOST]]


def _factors(setting: Setting) -> Iterator[Change]:
    """A CRA with another g(L), just before."""
    policy, now = setting.system.policy, setting.event.time

    def other(by: int) -> Any:
        def make(state: Any) -> Any:
            state.clock[TIMER] = now  # updates precede arrivals at the same time
            return with_policy(setting.system, reserved=policy.reserved + by, reservation=policy.reservation + by)

        return make

    for size in range(1, _MOST_SLOTS + 1):
        for by in (-size, size):
            if policy.reserved + by > 0 and policy.reservation + by > 0:
                words = f"CRA with g(L) of {policy.reserved + by} instead of {policy.reserved} just before"
                yield Change(size, words, other(by))


def _samples(setting: Setting) -> Iterator[Change]:
    """More or fewer sampled servers."""
    most, d = setting.system.numbers.servers, setting.system.policy.choices
    for size in range(1, _MOST_SLOTS + 1):
        for other in (d + size, d - size):
            if 1 <= other <= most:
                yield Change(
                    size, f"d = {other} servers sampled instead of {d}", partial(_sampling, setting.system, other)
                )


def _sampling(system: Any, choices: int, _: Any) -> Any:
    return with_policy(system, choices=choices)


def _departures(setting: Setting, before: ReservationState) -> Iterator[Change]:
    """Changes in which a job departs just before the event instead of soon after."""
    system, now = setting.system, setting.event.time

    due = np.where(before.job_number >= 0, before.job_departure, np.inf)
    for record in soonest(due, before.job_server, setting.server, _MOST).tolist():
        if due[record] > now:
            later = quantity(f"{due[record] - now:.3g}", system.scenario.run.time_unit)
            job, server = system.job_name(int(before.job_number[record])), int(before.job_server[record]) + 1
            words = f"job {job} leaves server {server} just before, {later} earlier"
            yield Change(1, words, partial(rescheduled, system, "job_departure", DEPARTURES, record, now))


WHYS = ReservationWhys()
