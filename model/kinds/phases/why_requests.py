"""Why a normal server requests jobs, or none; and which changes just before a decision about jobs are tried.

Reference: Hong, Xie & Wang (2023), Section 4.2, step 1; Appendix C.2 (cases), Appendix B.3 (the empty server).
"""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases import timers, tokens
from slotscope.model.kinds.phases.programs.policy import AT_ONCE
from slotscope.model.kinds.phases.programs.rules import LIMIT_IN_ALL, LIMIT_REACHED, PhaseRules
from slotscope.model.kinds.phases.state import FIRST_BACKUP, MOVES, PhaseState, job_of
from slotscope.model.kinds.phases.words import by_type
from slotscope.model.reporting.explain import counted, plural, quantity, shown
from slotscope.model.reporting.records import ARRIVAL, TICK, Match, Overflow, Record, Request, VirtualArrival
from slotscope.model.whys.decision import (
    Change,
    Happened,
    Setting,
    Subject,
    asked_by,
    own_choice,
    rescheduled,
    soonest,
    with_policy,
)
from slotscope.model.whys.tables import Candidates, Condition, Preference

#: Most servers, and most moves, for which a change is tried.
_MOST = 30

#: Most tokens, or draws, by which a change differs.
_MOST_MORE = 3


def changes_of(setting: Setting, before: PhaseState) -> Iterator[Change]:
    """Possible changes: more tokens, or one of them taken, more or fewer draws, an earlier move, the end of a pause."""
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
    """More tokens of the type, on servers with room for them; any type, if the decision is a request of a server."""
    system, arrives = setting.system, setting.event.kind == ARRIVAL
    pool_of = system.policy.pool_of
    pool = sent_to(setting) if arrives else int(pool_of[setting.event.server])
    there = before.real.sum(axis=1) + before.virtual.sum(axis=1) + before.tokens_on
    room = np.where(pool_of == pool, system.numbers.model.most_jobs - there, 0)

    def with_tokens(server: int, job_type: int, more: int) -> Any:
        def make(state: Any) -> Any:
            timers.stop_timer(state, server)  # a server with a token is paused
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
    """How many more tokens of the type the pool can have, by the plan's limit and the room of the list."""
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
    """A job's next move comes just before instead of soon after; for a request, only of jobs on the server itself."""
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
    """Virtual jobs take all tokens of the server just before, which ends its pause."""
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


#: Kinds of sub-step that tell that a request is not made.
_PAUSED = frozenset({"paused", "missed_request"})


def request_in(system: Any, happened: Happened, whose: int) -> Subject | None:
    """The request that a move or a tick leads to, or the fact that it leads to none.

    It concerns no job: -2 - the server stands for the job's number; *whose* is such a number, or -1 for any.
    """
    event, records = happened.event, happened.records
    server = int(event.server)
    if not system.policy.observes or server <= FIRST_BACKUP or not records or whose not in (-1, -2 - server):
        return None
    place = next((n for n, one in enumerate(records) if isinstance(one, Request) and one.server == server), None)
    name = f"server {server + 1}"
    if place is None:
        place = next((n for n, one in enumerate(records) if one.kind in _PAUSED), 1)
        return Subject(-2 - server, place, (), f"Why does {name} ask for no job?", f"{name} asks for no job")
    wanted = by_type(system.numbers, _jobs(records[place]))
    outcome = f"{name} asks for {wanted}" + _virtual(system, records)
    return Subject(-2 - server, place, (server,), f"Why does {name} ask for {wanted}?", outcome)


def about(request: Request) -> int:
    """The number that stands for a job: see :func:`request_in`."""
    return -2 - request.server


def _jobs(request: Record | None) -> tuple[int, ...]:
    return request.jobs if isinstance(request, Request) else ()


def _virtual(system: Any, records: Any) -> str:
    """The virtual arrivals that follow because the limit is exceeded."""
    made = [one.values["number"] for one in records if isinstance(one, VirtualArrival)]
    names = ", ".join(system.virtual_name(number) for number in made)
    return f"; above the limit: virtual {plural(len(made), 'job')} {names}" if made else ""


def of_request(setting: Setting) -> tuple[Candidates, ...]:
    """The candidates: the normal servers; with a plan also the types that could be requested."""
    servers = _servers(setting)
    return (servers,) if setting.system.policy.may_fail else (servers, _types(setting))


def missed(setting: Setting) -> Subject | None:
    """The outcome if the timer that was to ring does not."""
    subject, server = setting.subject, setting.event.server
    if setting.event.kind != TICK:
        return None
    return subject._replace(on=(), outcome=f"the timer of server {server + 1} does not ring: it asks for no job then")


def _servers(setting: Setting) -> Candidates:
    state, server, count = setting.state, setting.event.server, setting.system.normal_servers
    out, ticks = state.tokens_on[:count], setting.event.kind == TICK
    what = "the timer rang" if ticks else "a job moved or departed"
    conditions = [
        Condition(
            f"is where {what}",
            f"is not where {what}",
            "",
            asked_by(setting, "Section 4.2, step 1, line 1" if ticks else "Section 4.2, step 1, line 3"),
            np.arange(count) == server,
            f"that was on server {server + 1}",
            lambda _: f"that was on server {server + 1}",
        ),
        Condition(
            "holds no token",
            "holds a token: it is paused",
            "η = 0",
            asked_by(setting, "Section 4.2, step 1, line 4"),
            out == 0,
            f"{counted(int((out > 0).sum()), 'server')} paused",
            lambda s: f"its tokens are {tuple(state.tokens[s].tolist())} by type",
        ),
    ]
    if not (ticks or setting.system.policy.may_fail):
        conditions.append(_reacts(setting))
    observed = lambda s: f"k̂ = {_observed(setting, s)}"  # noqa: E731
    preference = Preference("the only one", "Section 4.2, step 1, line 6", observed)
    if setting.system.policy.may_fail:
        preference = own_choice(setting, observed)
    chosen = np.array(setting.subject.on, np.int64)
    return Candidates("server", lambda s: f"server {s + 1}", np.arange(count), tuple(conditions), preference, chosen)


def _reacts(setting: Setting) -> Condition:
    policy, observed = setting.system.policy, setting.state.observed
    case = policy.rules.case[policy.pool_of, observed]
    return Condition(
        "asks at once where it is now: case 2",
        "does not ask at once where it is now",
        "π(k̂) = 0, u(k̂) ≠ 0",
        "Appendix C.2; step 1, line 5",
        case == AT_ONCE,
        f"{counted(int((case == AT_ONCE).sum()), 'server')} in case 2",
        lambda s: f"k̂ = {_observed(setting, s)} is case {int(case[s])}",
    )


def _observed(setting: Setting, server: int) -> str:
    return shown((setting.state.real[server] + setting.state.virtual[server]).tolist())


def _types(setting: Setting) -> Candidates:
    """The types, and whether timers or case 2 request each at the server's configuration, or further on."""
    names, jobs = setting.system.numbers.model.phases, np.array(_jobs(setting.decision), np.int64)
    wanted = _wanted(setting)
    condition = Condition(
        "is asked for there, or further on",
        "is not asked for there",
        "u_i > 0",
        "Appendix C.2; step 1, lines 2 and 5",
        wanted,
        f"k̂ = {_observed(setting, setting.event.server)}",
        lambda i: f"u is 0 for {names[i]}",
    )
    holds = np.full(len(names), bool(len(jobs)))
    makes = Condition(
        "belongs to a request that is made",
        "belongs to none: the server asks for nothing",
        "",
        "Section 4.2, step 1",
        holds,
        "see the table of servers",
        lambda _: "see the table of servers",
    )
    preference = Preference(
        "drawn by the rates of requests, u_i / Σ u",
        "Appendix C.2",
        lambda i: counted(int(jobs[i]), "job") if len(jobs) else "none",
    )
    chosen = np.flatnonzero(jobs) if len(jobs) else np.zeros(0, np.int64)
    return Candidates(
        "type", lambda i: f"type {names[i]}", np.arange(len(names)), (makes, condition), preference, chosen
    )


def _wanted(setting: Setting) -> NDArray[np.bool_]:
    """[I] the types with u > 0 at a configuration that the request starts from or passes through."""
    policy, state, server = setting.system.policy, setting.state, setting.event.server
    pool, rules, lattice = int(policy.pool_of[server]), policy.rules, policy.plan.lattice
    wanted = np.zeros(rules.timer.shape[2], np.bool_)
    for one in setting.records:
        if one.kind == "tick":
            wanted |= np.diff(rules.timer[pool, int(state.observed[server])], prepend=0.0) > 0
        elif one.kind == "recovery_tick":
            wanted |= np.array(one.values["jobs"]) > 0
        elif one.kind == "reactive":
            place = lattice.place(one.values["configuration"])
            wanted |= np.diff(rules.choice[pool, place], prepend=0.0) > 0
    return wanted
