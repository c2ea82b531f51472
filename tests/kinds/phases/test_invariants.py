"""Invariants after every event of a system with phases: each planted fault must be found."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from slotscope.model.kinds.phases.state import (
    ACTIVE,
    ARRIVED,
    BACKUP,
    COST,
    DEPARTED,
    FIRST_BACKUP,
    FREE,
    MATCHED,
    MOVES,
    NEXT_ARRIVAL,
    NEXT_TIMER,
    NEXT_TOKEN,
    NEXT_VIRTUAL,
    NOW,
    PAUSED,
    REAL,
    REQUESTED,
    TOKENS,
    TOKENS_AREA,
    VIRTUAL,
    VIRTUAL_ARRIVED,
    VIRTUAL_LEFT,
    PhaseState,
)
from slotscope.model.kinds.phases.system import PhaseSystem
from slotscope.model.running.assembly import assemble
from slotscope.model.scenario.load import parse_scenario
from tests.kinds.phases.scenarios import POOL
from tests.sound import Plant, add, is_told, put, reached, violations

#: Two pools, so that tokens and backup servers can be exchanged; any two jobs in H overrun a server.
DATA: dict[str, Any] = {
    "system": "phases",
    "seed": 2,
    "servers": {"most_jobs": 4, "capacity": {"cpu": 5}},
    "cost": {"budget": "1/20"},
    "phases": [
        {"name": "L", "demand": {"cpu": 1}, "arrival_rate": 1, "departure_rate": 1, "to": {"H": "1/2"}},
        {"name": "H", "demand": {"cpu": 3}, "arrival_rate": "1/2", "departure_rate": 1, "to": {"L": 1}},
    ],
    "workload": {"kind": "poisson", "scale": 6},
}


def system_of(policy: str = "jrs", /, **changes: Any) -> Any:
    parameters = changes.pop("parameters", {})
    if policy == "jrs":
        parameters = {"pools": [POOL, POOL]} | parameters
    data = DATA | {"policy": {"name": policy, "parameters": parameters}} | changes
    return assemble(parse_scenario(data)).system


def everything(state: Any) -> bool:
    """Whether there are two tokens of a type, virtual jobs, two backups, an overrun, timers on two servers."""
    virtual_on_busy = (state.virtual.sum(axis=1) * state.jobs_on).any()
    backups = (state.backup_record >= 0).sum(axis=1)
    return bool(
        state.token_count[0].max() >= 2
        and virtual_on_busy
        and state.number[VIRTUAL] >= 2
        and backups[0] >= 2
        and (state.cost > 0).any()
        and (state.timer_number >= 0).sum() >= 2
        and (state.jobs_on[:4] >= 2).any()
        and state.number[MOVES] > 6
    )


@cache
def of_jrs() -> tuple[PhaseSystem, PhaseState]:
    return reached(system_of(), everything)


@cache
def of_first_fit() -> tuple[PhaseSystem, PhaseState]:
    return reached(system_of("first-fit", parameters={"factor": 2}), lambda state: bool((state.cost > 0).any()))


def record(state: PhaseState, virtual: int = 0, backup: bool = False, place: int = 0) -> int:
    """The record of some job."""
    on_backup = state.job_server <= FIRST_BACKUP
    found = np.flatnonzero((state.job_number >= 0) & (state.job_virtual == virtual) & (on_backup == backup))
    return int(found[place])


def busy(state: PhaseState) -> int:
    return int(np.argmax(state.jobs_on))


def freed_twice(_: PhaseSystem, state: PhaseState) -> None:
    free = int(state.number[FREE])
    state.free_record[free - 1] = state.free_record[free - 2]


def same_number(virtual: int) -> Plant:
    def plant(_: PhaseSystem, state: PhaseState) -> None:
        first, second = (record(state, virtual, place=place) for place in (0, 1))
        state.job_number[first] = state.job_number[second]

    return plant


of_the_other_pool = put("job_pool", record, lambda state: 1 - state.job_pool[record(state)])
other_phase = put("job_phase", record, lambda state: 1 - state.job_phase[record(state)])


def many_tokens(_: PhaseSystem, state: PhaseState) -> None:
    """A server has more outstanding tokens than it can hold jobs."""
    server = int(np.argmax(state.tokens_on))
    state.tokens[server, 0] += 9


def two_on_a_backup(_: PhaseSystem, state: PhaseState) -> None:
    first, second = (record(state, backup=True, place=place) for place in (0, 1))
    state.job_server[second] = state.job_server[first]
    state.job_pool[second] = state.job_pool[first]


beyond_the_backups = put("job_server", lambda state: record(state, backup=True), FIRST_BACKUP - 1000)


def mixed_backups(_: PhaseSystem, state: PhaseState) -> None:
    taken = np.flatnonzero(state.backup_record[0] >= 0)[:2]
    state.backup_record[0, taken] = state.backup_record[0, taken[::-1]]


def later_first(_: PhaseSystem, state: PhaseState) -> None:
    for field in (state.heap_time, state.heap_record):
        field[[0, 1]] = field[[1, 0]]


def no_other_phase(_: PhaseSystem, state: PhaseState) -> None:
    job = int(state.heap_record[0])
    state.job_next[job] = state.job_phase[job]


def first_kind(state: PhaseState) -> int:
    return int(np.argmax(state.token_count[0]))


token_of_no_server = put("token_server", lambda state: (0, first_kind(state), 0), 99)


token_of_the_other_pool = put("token_server", lambda state: (0, first_kind(state), 0), 5)


def youngest_first(_: PhaseSystem, state: PhaseState) -> None:
    numbers = state.token_number[0, first_kind(state)]
    numbers[[0, 1]] = numbers[[1, 0]]


from_the_future = put("token_time", lambda state: (0, first_kind(state), 1), lambda state: state.clock[NOW] + 1)


def token_moved(_: PhaseSystem, state: PhaseState) -> None:
    tokens = state.token_server[0, first_kind(state)]
    tokens[0] = (tokens[0] + 1) % 4


def above_the_limit(system: PhaseSystem, state: PhaseState) -> None:
    system.policy.rules.limit[0] = 1


def timer_while_paused(_: PhaseSystem, state: PhaseState) -> None:
    server = int(np.argmax(state.tokens_on))
    state.timer_number[server] = state.number[NEXT_TIMER] - 1


def running(state: PhaseState) -> int:
    """The server whose timer is due first."""
    return int(state.timer_tree[1])


def timers_alike(_: PhaseSystem, state: PhaseState) -> None:
    one, other = np.flatnonzero(state.timer_number >= 0)[:2]
    state.timer_number[one] = state.timer_number[other]


wrong_winner = put("timer_tree", 1, lambda state: (state.timer_tree[1] + 1) % 8)


FAULTS: dict[str, tuple[Plant, str]] = {
    "a record is free twice": (freed_twice, "job records are called free"),
    "two real jobs are the same": (same_number(0), "two real jobs have the same number"),
    "two virtual jobs are the same": (same_number(1), "two virtual jobs have the same number"),
    "a job in no phase": (put("job_phase", record, 7), "a job has a phase that is none of 2"),
    "a job of no type": (put("job_type", record, -1), "a job has a type that is none of 2"),
    "a virtual job on a backup server": (
        put("job_server", lambda state: record(state, virtual=1), FIRST_BACKUP),
        "a virtual job is on a backup server",
    ),
    "a job on no server": (put("job_server", record, 99), "a job is on no server"),
    "a job of another pool": (of_the_other_pool, "1 jobs are on servers of another pool"),
    "a job in another phase": (other_phase, "real jobs, counted"),
    "a real job too many": (add("real", (0, 0), 1), "real jobs, counted"),
    "a virtual job too many": (add("virtual", (0, 0), 1), "virtual jobs, counted"),
    "a unit in use too many": (add("use", (0, 0), 1), "units in use, counted"),
    # Types may have equal peak demands; here a second resource does not hide the fault.
    "a unit at the peak too many": (add("peak_use", busy, 1), "units at their peak, counted"),
    "a job in all too many": (add("jobs_on", 0, 1), "jobs in all, counted"),
    "fewer real jobs than counted": (add("number", REAL, 1), "real jobs, counted"),
    "fewer virtual jobs than counted": (add("number", VIRTUAL, 1), "virtual jobs, counted"),
    "fewer backup jobs than counted": (add("number", BACKUP, 1), "jobs on backup servers, counted"),
    "fewer active servers": (add("number", ACTIVE, 1), "active servers, counted"),
    "more asked for than K_max": (many_tokens, "jobs and tokens, allowed: 4"),
    "two jobs on a backup server": (two_on_a_backup, "has 2 jobs"),
    "a backup server that is not there": (beyond_the_backups, "a job is on a backup server that is not there"),
    "backup servers mixed up": (mixed_backups, "is not that of its job"),
    "another backup server is called idle": (add("backup_idle", 0, 1), "is the first that is idle"),
    "a move is not in the heap": (add("number", MOVES, -1), "jobs have one before them"),
    "the heap has another time": (add("heap_time", 0, -1e-06), "the heap has another time of move than the job"),
    "the heap is out of order": (later_first, "the heap of moves is not in order"),
    "a job should have moved": (put("clock", NOW, lambda state: state.heap_time[0] + 1e-09), "is before the present"),
    "a job moves to its own phase": (no_other_phase, "1 jobs will move to no other phase"),
    "a job vanished": (add("tally", (ARRIVED, 0), 1), "jobs came, but"),
    "a job came back": (add("tally", (DEPARTED, 0), -1), "jobs came, but"),
    "an arrival vanished": (add("number", NEXT_ARRIVAL, 1), "arrivals were taken"),
    "a virtual job vanished": (add("tally", (VIRTUAL_LEFT, 0), 1), "virtual jobs came, but"),
    "a virtual arrival vanished": (add("tally", (VIRTUAL_ARRIVED, 0), 1), "virtual arrivals, the"),
    "the next virtual job": (add("number", NEXT_VIRTUAL, 1), "virtual jobs came, but"),
    "a token's number": (add("number", NEXT_TOKEN, 1), "tokens were made, numbered up to"),
    "a match vanished": (add("tally", (MATCHED, 0), 1), "took a token and"),
    "a token vanished": (add("tally", (REQUESTED, 0), 1), "tokens were made, but"),
    "an integral below 0": (add("area", TOKENS_AREA, -1e9), "an integral over time is -"),
    "time that has not passed": (add("occupancy", 0, 1.0), "servers were observed for"),
    "a server's cost": (add("cost", 0, 1), "server 1 has cost"),
    "the cost in all": (add("number", COST, 1), "all servers have cost"),
    "a token of no server": (token_of_no_server, "is of no server of the pool"),
    "a token of another pool": (token_of_the_other_pool, "is of no server of the pool"),
    "tokens out of order": (youngest_first, "are not in order of age"),
    "a token from the future": (from_the_future, "are not in order of age"),
    "a token behind the last": (put("token_number", (0, 0, -1), 3), "tokens of type L in pool 1, counted"),
    "a token of another server": (token_moved, "tokens, counted"),
    "tokens of a server": (add("tokens_on", 0, 1), "tokens in all, counted"),
    "tokens in all": (add("number", TOKENS, 1), "tokens, counted"),
    "paused servers": (add("number", PAUSED, 1), "paused servers, counted"),
    "more tokens than the limit": (above_the_limit, "tokens of type"),
    "a timer of a paused server": (timer_while_paused, "is paused and a timer of it runs"),
    "a timer that does not run": (put("timer_number", running, -1), "does not run at"),
    "a timer without a time": (put("timer_due", running, np.inf), "a timer runs without a time"),
    "a timer in the past": (put("timer_due", running, lambda state: state.clock[NOW] - 1), "a timer at"),
    "two timers alike": (timers_alike, "two timers have the same number"),
    "a timer to come": (put("timer_number", running, lambda state: state.number[NEXT_TIMER]), "given were those below"),
    "another timer first": (wrong_winner, "wins the tournament of timers against"),
    "a leaf of another server": (put("timer_tree", -1, 0), "a leaf of the tournament"),
    "observed elsewhere": (put("observed", 0, lambda state: (state.observed[0] + 1) % 5), "is observed at"),
    "observed nowhere": (put("observed", 0, 500), "an observed configuration is none of the lattice"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_seen(name: str) -> None:
    plant, sentence = FAULTS[name]
    limit = of_jrs()[0].policy.rules.limit
    before = limit.copy()
    try:
        is_told(sentence, plant, *of_jrs())
    finally:
        limit[...] = before


WITHOUT_TOKENS: dict[str, tuple[Plant, str]] = {
    "tokens": (add("number", TOKENS, 1), "there are 1 tokens, and the policy knows none"),
    "virtual jobs": (add("number", VIRTUAL, 1), "1 virtual jobs, and the policy knows none"),
    "pauses": (add("number", PAUSED, 1), "1 pauses, and the policy knows none"),
    "backup servers": (put("job_server", record, FIRST_BACKUP), "of which the policy knows none"),
    "a cost": (add("cost", 0, 1), "server 1 has cost"),
    "a job too many": (add("real", (0, 1), 5), "server 1 has"),
}


@pytest.mark.parametrize("name", WITHOUT_TOKENS)
def test_policies_without_tokens_have_none(name: str) -> None:
    plant, sentence = WITHOUT_TOKENS[name]
    is_told(sentence, plant, *of_first_fit())


def test_a_policy_without_normal_servers_has_no_timers_to_look_at() -> None:
    assert violations(*of_first_fit()) == []
    assert not len(of_first_fit()[1].timer_due)


def test_a_hard_capacity_holds_for_what_is_asked_for_too() -> None:
    phases = [{"name": "L", "demand": {"cpu": 2}, "arrival_rate": 1, "departure_rate": 1}]
    changes: dict[str, Any] = {
        "phases": phases,
        "cost": None,
        "servers": {"most_jobs": 4, "capacity": {"cpu": 5}, "contention": "never"},
    }
    pool = POOL | {"policy": [{"k": [0], "case": 1, "rates": {"L": 2.0}}, {"k": [1], "case": 1, "rates": {"L": 2.0}}]}
    data = DATA | changes | {"policy": {"name": "jrs", "parameters": {"pools": [pool]}}}
    del data["cost"]
    system, state = reached(assemble(parse_scenario(data)).system, lambda state: bool((state.jobs_on == 2).any()))
    state.tokens[int(np.argmax(state.jobs_on)), 0] += 1
    assert any(
        "the jobs and tokens of server" in line and "its capacity is [5]" in line for line in violations(system, state)
    )


@pytest.mark.parametrize(
    ("readings", "most"),
    [({"at_limit": "reached"}, 1), ({"limit": "all"}, 2), ({"limit": "all", "at_limit": "reached"}, 1)],
)
def test_the_limit_is_that_of_the_reading(readings: dict[str, Any], most: int) -> None:
    system = system_of(parameters=readings)
    _, state = reached(system, lambda state: state.token_count[1].sum() >= most)
    system.policy.rules.limit[1] = 0
    assert any(
        f"pool 2 has {state.token_count[1].sum()} tokens" in line or "pool 2 has 1 tokens of type" in line
        for line in violations(system, state)
    )
