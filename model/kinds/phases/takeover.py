"""Continuing from the state of another policy: jobs stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases import physics, timers
from slotscope.model.kinds.phases.policies.base import PhasePolicy
from slotscope.model.kinds.phases.state import (
    EVENT,
    FIRST_BACKUP,
    FREE,
    NEXT_ARRIVAL,
    NEXT_REQUEST,
    NEXT_TIMER,
    NEXT_TOKEN,
    NEXT_VIRTUAL,
    VIRTUAL_LEFT,
    PhaseState,
    doubled,
)

#: A :class:`model.kinds.phases.system.PhaseSystem`, which imports this module.
PhaseSystem = Any

_RESTART = "run it from the start instead"


def check_continuation(system: PhaseSystem, other: PhaseSystem) -> None:
    """Refuse to continue from a system whose jobs and servers do not fit this one.

    Raises ScenarioError if the phases, demands, costs or capacities differ, if events are scripted, or if this
    policy has other normal servers.
    """
    if system.script or other.script:
        raise ScenarioError("found a script, allowed when continuing: random arrivals; " + _RESTART)
    mine, theirs = system.numbers.model, other.numbers.model
    kept = ("phases", "resources", "demand", "capacity", "most_jobs", "hard", "cost")
    changed = [name for name in kept if getattr(mine, name) != getattr(theirs, name)]
    if changed:
        raise ScenarioError(f"found other {' and '.join(changed)}, allowed when continuing: the same; {_RESTART}")
    if system.normal_servers and not np.array_equal(system.policy.pool_of, other.policy.pool_of):
        here, there = system.normal_servers, other.normal_servers or "no"
        raise ScenarioError(
            f"found {here} normal servers after {there} in the same pools, allowed when continuing: as many; {_RESTART}"
        )


def taken_over(system: PhaseSystem, other: PhaseSystem, state: PhaseState) -> PhaseState:
    """The state with which *system* continues.

    With the same normal servers everything stays, also tokens and virtual jobs; if the rules differ, timers start
    anew, servers without jobs and tokens request jobs as at time 0, and a lower token limit holds at once.  If this
    policy has no normal servers, each job on a backup server gets a server of its own, and tokens and virtual jobs
    are removed.
    Raises ScenarioError: see :func:`check_continuation`.
    """
    check_continuation(system, other)
    _count_peaks(system, state)
    if system.scenario.policy != other.scenario.policy:
        state = state._replace(memory=np.zeros(system.policy.memory))
    if not other.normal_servers or _same_rules(system.policy, other.policy):
        return state
    if not system.normal_servers:
        return _without_tokens(system, state)
    state = system.prepared(state)
    for server in range(system.normal_servers):
        timers.stop_timer(state, server)
    for _ in system.start(state, taken_over=True):
        pass
    return state


def _count_peaks(system: PhaseSystem, state: PhaseState) -> None:
    """Recompute the peak demand of each server, as the reachable phases may differ now."""
    here = (state.job_server >= 0) & (state.job_virtual == 0)
    state.peak_use[...] = 0
    np.add.at(state.peak_use, state.job_server[here], system.tables.peak[state.job_type[here]])


def _same_rules(policy: PhasePolicy, before: PhasePolicy) -> bool:
    """Whether two policies have equal rules for making and keeping tokens."""
    mine, theirs = policy.rules, before.rules
    both = mine is not None and theirs is not None
    return both and all(map(np.array_equal, mine, theirs))


def _without_tokens(system: PhaseSystem, state: PhaseState) -> PhaseState:
    fresh: PhaseState = system.raw_state()
    for name in ("clock", "area", "tally", "trail"):
        getattr(fresh, name)[...] = getattr(state, name)
    lost = state.job_type[state.job_virtual == 1]
    np.add.at(fresh.tally[VIRTUAL_LEFT], lost, 1)
    for place in (EVENT, NEXT_ARRIVAL, NEXT_TOKEN, NEXT_VIRTUAL, NEXT_TIMER, NEXT_REQUEST):
        fresh.number[place] = state.number[place]
    records = np.flatnonzero((state.job_number >= 0) & (state.job_virtual == 0))
    for record in records[np.argsort(state.job_number[records])]:
        server = int(state.job_server[record])
        if server < 0:  # backup server n of pool p, of P pools
            backup, pools = FIRST_BACKUP - server, len(state.backup_idle)
            server = len(state.timer_due) + backup * pools + int(state.job_pool[record])
        fresh = _with_job(system, fresh, state, int(record), server)
    return fresh


def _with_job(system: PhaseSystem, fresh: PhaseState, state: PhaseState, record: int, server: int) -> PhaseState:
    """*fresh* with a job of *state* on a server; its next move stays as it was drawn."""
    while len(fresh.jobs_on) <= server or not fresh.number[FREE]:
        fresh = doubled(fresh)
    number, job_type = int(state.job_number[record]), int(state.job_type[record])
    at = physics.take_record(fresh, number, job_type, 0)
    fresh.job_phase[at] = state.job_phase[record]
    for name in ("job_arrival", "job_moves", "job_next", "job_due", "job_token", "job_token_time"):
        getattr(fresh, name)[at] = getattr(state, name)[record]
    physics.settle(fresh, system.tables, at, server)
    physics.schedule(fresh, at)
    return fresh
