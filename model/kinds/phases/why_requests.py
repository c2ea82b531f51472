"""Why a normal server asks for jobs, or for none, when one of its jobs moves or its timer rings.

Reference: Hong, Xie & Wang (2023), Section 4.2, step 1; Appendix C.2 (cases), Appendix B.3 (the empty server).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.programs.policy import AT_ONCE
from slotscope.model.kinds.phases.state import FIRST_BACKUP
from slotscope.model.kinds.phases.words import by_type
from slotscope.model.reporting.explain import counted, plural, shown
from slotscope.model.reporting.records import TICK, Record, Request, VirtualArrival
from slotscope.model.whys.decision import Happened, Setting, Subject
from slotscope.model.whys.own import asked_by, own_choice
from slotscope.model.whys.tables import Candidates, Condition, Preference

#: Kinds of sub-step that tell of a request that is not made.
_PAUSED = frozenset({"paused", "missed_request"})


def request_in(system: Any, happened: Happened, whose: int) -> Subject | None:
    """The request that a move or a tick leads to, or that it leads to none.

    It is about no job: in place of one stands -2 - the server; *whose* is such a number, or -1 for any.
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
    """What stands in place of a job: see :func:`request_in`."""
    return -2 - request.server


def _jobs(request: Record | None) -> tuple[int, ...]:
    return request.jobs if isinstance(request, Request) else ()


def _virtual(system: Any, records: Any) -> str:
    """Virtual arrivals that follow, above the limit."""
    made = [one.values["number"] for one in records if isinstance(one, VirtualArrival)]
    names = ", ".join(system.virtual_name(number) for number in made)
    return f"; above the limit: virtual {plural(len(made), 'job')} {names}" if made else ""


def of_request(setting: Setting) -> tuple[Candidates, ...]:
    """The normal servers; under a plan, the types that could be asked for."""
    servers = _servers(setting)
    return (servers,) if setting.system.policy.may_fail else (servers, _types(setting))


def missed(setting: Setting) -> Subject | None:
    """What it comes to where the timer that was to ring does not."""
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
    """Types of jobs: what timers or case 2 ask for where the server is, and on the way that the request takes."""
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
    """[I] types with u > 0 at a configuration that the request starts from or leads through."""
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
