"""What could be changed just before a decision about jobs with phases: tokens, draws, moves, virtual jobs.

Reference: Hong, Xie & Wang (2023), Section 4.2.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator

import numpy as np

from slotscope.model.kinds.phases import timers, tokens
from slotscope.model.kinds.phases.programs.rules import LIMIT_IN_ALL, LIMIT_REACHED, PhaseRules
from slotscope.model.kinds.phases.state import MOVES, PhaseState, job_of
from slotscope.model.reporting.explain import counted, quantity
from slotscope.model.reporting.records import ARRIVAL, TICK, Match, Overflow
from slotscope.model.whys.decision import Change, Setting
from slotscope.model.whys.replays import rescheduled, soonest, with_policy

#: Servers and moves for which a change is tried at most.
_MOST = 30

#: Tokens, or draws, by which a change goes at most.
_MOST_MORE = 3


def changes_of(setting: Setting, before: PhaseState) -> Iterator[Change]:
    """Tokens more or taken, draws more, a move earlier."""
    system = setting.system
    if system.normal_servers and system.policy.observes:
        yield from _more_tokens(setting, before)
        if system.policy.rules is None and isinstance(setting.decision, Match):
            yield _taken_before(setting, before, int(setting.decision.values["token"]))
    if hasattr(system.policy, "draws"):
        yield from _more_draws(setting)
    if system.script is None:
        yield from _moves(setting, before)
        if setting.event.kind != ARRIVAL and system.policy.rules is not None:
            yield from _pauses(setting, before)


def sent_to(setting: Setting) -> int:
    """The pool that the job was sent to."""
    decision = setting.decision
    return decision.pool if isinstance(decision, Match | Overflow) else 0


def _more_tokens(setting: Setting, before: PhaseState) -> Iterator[Change]:
    """Tokens of the type, where a server asks for jobs of any type, on servers that have room for what they ask for."""
    system, arrives = setting.system, setting.event.kind == ARRIVAL
    pool_of = system.policy.pool_of
    pool = sent_to(setting) if arrives else int(pool_of[setting.event.server])
    there = before.real.sum(axis=1) + before.virtual.sum(axis=1) + before.tokens_on
    room = np.where(pool_of == pool, system.numbers.model.most_jobs - there, 0)

    def with_tokens(server: int, job_type: int, more: int) -> Any:
        def make(state: Any) -> Any:
            timers.stop_timer(state, server)  # a server that holds a token is paused
            tokens.begin_request(state)
            for _ in range(more):
                tokens.make_token(state, pool, job_type, server)
            return system

        return make

    asked = setting.server if arrives else setting.event.server
    meant = [asked] if asked >= 0 else np.flatnonzero(pool_of == pool)[:_MOST].tolist()
    for j in [setting.event.type] if arrives else range(system.numbers.phases):
        place = _place_for_tokens(system.policy.rules, before, pool, j)
        for server in meant:
            for more in range(1, 1 + int(min(_MOST_MORE, place, room[server]))):
                words = f"{counted(more, 'token')} more of type {system.numbers.model.phases[j]} on server {server + 1}"
                yield Change(more, words, with_tokens(server, j, more))


def _taken_before(setting: Setting, before: PhaseState, token: int) -> Change:
    """A virtual job takes, just before, the token that the job took."""
    system = setting.system
    where = tuple(int(one) for one in np.argwhere(before.token_number == token)[0])

    def make(state: Any) -> Any:
        tokens.arrive_virtually(state, system.tables, *where)
        return system

    words = f"a virtual job takes token {token + 1} of server {int(before.token_server[where]) + 1} just before"
    return Change(1, words, make)


def _place_for_tokens(rules: PhaseRules | None, before: PhaseState, pool: int, job_type: int) -> int:
    """How many tokens of the type the pool may have more, by the limit of a plan."""
    counts = before.token_count[pool]
    place = int(before.token_server.shape[2] - counts[job_type])
    if rules is not None:
        tokens_now = int(counts.sum() if rules.option[LIMIT_IN_ALL] else counts[job_type])
        place = min(int(rules.limit[pool] - rules.option[LIMIT_REACHED]) - tokens_now, place)
    return place


def _more_draws(setting: Setting) -> Iterator[Change]:
    d = setting.system.policy.draws
    for size in range(1, _MOST_MORE + 1):
        for other in (d + size, d - size):
            if other >= 1:
                yield Change(
                    size, f"d = {other} servers drawn instead of {d}", partial(_drawing, setting.system, other)
                )


def _drawing(system: Any, draws: int, _: Any) -> Any:
    return with_policy(system, draws=draws)


def _moves(setting: Setting, before: PhaseState) -> Iterator[Change]:
    """The next move of a job comes just before instead of soon after; where a server asks for jobs, of one on it."""
    system, now, phases = setting.system, setting.event.time, setting.system.numbers.phases

    due = np.where((before.job_number >= 0) & (before.job_due > now), before.job_due, np.inf)
    if setting.event.kind != ARRIVAL:
        due[before.job_server != setting.event.server] = np.inf
    for record in soonest(due, before.job_server, setting.server, _MOST).tolist():
        later = quantity(f"{due[record] - now:.3g}", system.scenario.run.time_unit)
        job, virtual = job_of(before, record), bool(before.job_virtual[record])
        name = system.virtual_name(int(before.job_number[record])) if virtual else system.job_name(job)
        what = (
            "departs"
            if int(before.job_next[record]) == phases
            else f"moves to phase {system.numbers.model.phases[int(before.job_next[record])]}"
        )
        server = int(before.job_server[record])
        where = f" on server {server + 1}" if server >= 0 else ""
        words = f"job {name}{where} {what} just before, {later} earlier"
        yield Change(1, words, partial(rescheduled, system, "job_due", MOVES, record, now))


def _pauses(setting: Setting, before: PhaseState) -> Iterator[Change]:
    """Virtual jobs take the tokens of the server just before, which ends its pause."""
    system, server = setting.system, setting.event.server
    held = int(before.tokens_on[server])
    if not held or setting.event.kind == TICK:
        return

    def make(state: Any) -> Any:
        rules = system.policy.rules
        for pool, kind, place in np.argwhere(state.token_server == server)[::-1].tolist():
            tokens.arrive_virtually(state, system.tables, pool, kind, place)
        rate = rules.rate[rules.pool_of[server], int(state.observed[server])]
        timers.start_timer(state, system.tables, server, float(rate))
        return system

    yield Change(held, f"virtual jobs take {counted(held, 'token')} of server {server + 1} just before", make)
