"""Why an arriving job with phases joins its server, or a backup server.

Reference: Hong, Xie & Wang (2023), Section 4.2, step 2; the peers as in their references.
"""

from __future__ import annotations

from math import ceil
from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.kinds.phases.inspection import TOKEN, VIRTUAL, on_backup
from slotscope.model.kinds.phases.invariants import MONITORS
from slotscope.model.kinds.phases.state import NEXT_TOKEN, NEXT_VIRTUAL, REAL, PhaseState
from slotscope.model.kinds.phases.why_requests import about, changes_of, missed, of_request, request_in, sent_to
from slotscope.model.reporting.explain import counted, grouped
from slotscope.model.reporting.inspection import SERVER, Thing, per_cent
from slotscope.model.reporting.records import ARRIVAL, Match, Overflow, Place, Record, Request
from slotscope.model.whys.decision import Change, Happened, Meant, Setting, Subject, Whys, asked_by, own_choice
from slotscope.model.whys.tables import Candidates, Condition, Preference


class PhaseWhys(Whys):
    """See :class:`model.whys.decision.Whys`."""

    monitors = MONITORS

    def subject(self, system: Any, happened: Happened, job: int) -> Subject | None:
        """The arriving job; if a job moves or a timer rings, the request of the server."""
        event = happened.event
        if event.kind != ARRIVAL:
            return request_in(system, happened, job) if job < 0 else None
        if job not in (-1, event.job):
            return None
        place = next(n for n, one in enumerate(happened.records) if isinstance(one, Match | Overflow | Place))
        decision, name = happened.records[place], f"job {system.job_name(event.job)}"
        if isinstance(decision, Overflow):
            return Subject(
                event.job, place, (), f"Why is {name} on a backup server?", f"{name} goes to a backup server"
            )
        server = decision.server if isinstance(decision, Place) else decision.values["server"]
        where = f"server {server + 1}"
        return Subject(event.job, place, (int(server),), f"Why is {name} on {where}?", f"{name} joins {where}")

    def about(self, record: Record) -> int | None:
        """The job that a record is about; for a request, the number that stands for its server."""
        return about(record) if isinstance(record, Request) else super().about(record)

    def meant(self, state: PhaseState, thing: Thing) -> Meant:
        """The job meant by a thing: for a token or virtual job its creation, for a backup server the job on it.

        Raises UserError if the backup server is idle.
        """
        if thing.what == SERVER:
            record = on_backup(state, thing)
            if record < 0:
                raise UserError("found an idle backup server, allowed: one that holds a job")
            return Meant(int(state.job_number[record]))
        made = {TOKEN: NEXT_TOKEN, VIRTUAL: NEXT_VIRTUAL}.get(thing.what)
        if made is None:
            return Meant()
        return Meant(made=lambda later: bool(later.number[made] > thing.number))

    def missed(self, setting: Setting) -> Subject | None:
        """See :func:`model.kinds.phases.why_requests.missed`."""
        return missed(setting)

    def candidates(self, setting: Setting) -> tuple[Candidates, ...]:
        """The servers; with tokens also the tokens, or the types that are requested."""
        if setting.event.kind != ARRIVAL:
            return of_request(setting)
        if setting.system.normal_servers:
            return _by_tokens(setting), _tokens(setting)
        conditions = (*_meant(setting), *_fit(setting), *_idle(setting))
        return (_of_servers(setting, len(setting.state.jobs_on), conditions, _preferred(setting)),)

    def outlined(self, setting: Setting) -> NDArray[np.bool_]:
        """[L] whether each normal server has room for the job's current demand; all true for unlimited servers."""
        system, state = setting.system, setting.state
        count, j = system.normal_servers, setting.event.type
        if not count:
            return np.ones(len(state.jobs_on), np.bool_)
        jobs = (state.real + state.virtual)[:count].sum(axis=1)
        use = state.real[:count].astype(np.int64) @ system.numbers.demand
        fits = (use + system.numbers.demand[j] <= system.numbers.capacity).all(axis=1)
        return np.asarray(fits & (jobs < system.numbers.model.most_jobs))

    def changes(self, setting: Setting, before: PhaseState) -> Iterator[Change]:
        """See :func:`model.kinds.phases.why_requests.changes_of`."""
        return changes_of(setting, before)


def _of_servers(setting: Setting, count: int, conditions: tuple[Condition, ...], preference: Preference) -> Candidates:
    chosen = np.array(setting.subject.on, np.int64)
    return Candidates("server", lambda s: f"server {s + 1}", np.arange(count), conditions, preference, chosen)


# Tokens.


def _by_tokens(setting: Setting) -> Candidates:
    """The normal servers: those in the job's pool, with a token, with one of the job's type."""
    policy, state, j, pool = setting.system.policy, setting.state, setting.event.type, sent_to(setting)
    count, name = setting.system.normal_servers, setting.system.numbers.model.phases[j]
    out, of_type = state.tokens_on[:count], state.tokens[:count, j]
    total = int(state.token_count[pool, j])
    conditions = (
        *_in_pool(setting, policy.pool_of, pool),
        Condition(
            "has a token out",
            "has no token out: it asks for no job",
            "η ≠ 0",
            asked_by(setting, "Section 4.2, step 1, line 6"),
            out > 0,
            f"{counted(int(out.sum()), 'token')} of {counted(int((out > 0).sum()), 'server')}",
            lambda s: f"its jobs are {tuple((state.real[s] + state.virtual[s]).tolist())}, virtual ones included",
            ("asks for no job", "no token", ""),
        ),
        Condition(
            f"has a token of type {name}",
            f"has no token of type {name}",
            f"η_{j + 1} > 0",
            asked_by(setting, "Section 4.2, step 2, line 2"),
            of_type > 0,
            f"{counted(total, 'token')} of the type; the limit is {int(policy.rules.limit[pool])}"
            if policy.rules
            else counted(total, "token"),
            lambda s: f"its tokens are {tuple(state.tokens[s].tolist())} by type",
            (f"asks for no {name}", f"no {name}", ""),
        ),
    )
    has = lambda s: f"{int(of_type[s])} of the {total} tokens" if total > 1 else "the only token"  # noqa: E731
    preference = Preference(
        "the server of the token that was drawn uniformly at random", "Section 4.2, step 2, line 3", has, compared=True
    )
    if policy.may_fail:
        preference = own_choice(setting, has)
    return _of_servers(setting, count, conditions, preference)


def _in_pool(setting: Setting, pool_of: NDArray[Any], pool: int) -> tuple[Condition, ...]:
    if setting.system.policy.pools == 1:
        return ()
    return (
        Condition(
            f"is of pool {pool + 1}",
            f"is not of pool {pool + 1}",
            f"pool = {pool + 1}",
            "Appendix B.3",
            pool_of == pool,
            "the job's pool is drawn",
            lambda one: f"it is of pool {int(pool_of[one]) + 1}",
            ("of another pool", "other pool", ""),
        ),
    )


def _tokens(setting: Setting) -> Candidates:
    """All tokens in the system."""
    state, j, pool = setting.state, setting.event.type, sent_to(setting)
    present = np.arange(state.token_server.shape[2]) < state.token_count[:, :, None]
    pools, types, _ = np.nonzero(present)
    numbers, servers = state.token_number[present], state.token_server[present]
    drawn = setting.decision.values["token"] if isinstance(setting.decision, Match) else -1
    total, names = int(state.token_count[pool, j]), setting.system.numbers.model.phases
    conditions = (
        *_in_pool(setting, pools, pool),
        Condition(
            f"is of type {names[j]}",
            f"is not of type {names[j]}",
            f"i = {j + 1}",
            asked_by(setting, "Section 4.2, step 2, line 2"),
            types == j,
            counted(total, "token"),
            lambda one: f"it is of type {names[types[one]]}",
        ),
    )
    made = lambda one: f"1 of {total}, made by server {int(servers[one]) + 1}"  # noqa: E731
    preference = Preference("drawn uniformly at random", "Section 4.2, step 2, line 3", made)
    if setting.system.policy.may_fail:
        preference = own_choice(setting, made)
    return Candidates(
        "token",
        lambda one: f"token {int(numbers[one]) + 1}",
        numbers,
        conditions,
        preference,
        np.flatnonzero(numbers == drawn),
    )


# Peers without tokens.


def _line(setting: Setting, step: int) -> str:
    """The line of the policy's pseudocode, as printed beside the run."""
    return asked_by(setting, f"{setting.system.policy.title}, line {step}")


def _meant(setting: Setting) -> Iterator[Condition]:
    """Busy servers and the first idle one, which stands for all idle servers; if the policy draws, those drawn."""
    state = setting.state
    busy = state.jobs_on > 0
    first_idle = int(np.argmax(~busy))
    here = np.arange(len(busy)) == first_idle
    yield Condition(
        "is busy, or the idle one of lowest number",
        "is idle, as others of lower number are",
        "",
        _line(setting, 2),
        busy | here,
        f"{counted(int(busy.sum()), 'server')} busy; the first idle one is server {first_idle + 1}",
        lambda _: f"server {first_idle + 1} stands for the idle ones",
    )
    if drawn := _drawn(setting):
        among = np.isin(np.arange(len(busy)), drawn)
        yield Condition(
            "was drawn, or is idle",
            "was not drawn",
            "ℓ ∈ draw",
            _line(setting, 2),
            among | here,
            f"drawn: {', '.join(str(one + 1) for one in drawn[:10])}",
            lambda _: f"d = {len(drawn)}",
        )


def _drawn(setting: Setting) -> tuple[int, ...]:
    """The busy servers that were drawn, in order; empty if the policy draws none."""
    return next((one.values["servers"] for one in setting.records if one.kind == "drawn"), ())


def _fit(setting: Setting) -> Iterator[Condition]:
    """Room for the job: the service limit, and each resource; an idle server has room for any job."""
    system, policy, state = setting.system, setting.system.policy, setting.state
    idle, most, place = state.jobs_on == 0, system.numbers.model.most_jobs, _line(setting, 2)
    yield Condition(
        "is below the service limit",
        "has as many jobs as the service limit",
        "|K| < K_max",
        place,
        state.jobs_on < most,
        f"at most {counted(most, 'job')} a server",
        lambda s: counted(int(state.jobs_on[s]), "job"),
    )
    if policy.may_fail:
        return
    left = policy.limit - (state.peak_use if policy.by_peak else state.use)
    need = policy.need(setting.event.type)
    what = "peak demand" if policy.by_peak else "demand"
    for d, name in enumerate(system.numbers.model.resources):
        yield Condition(
            f"has enough {name} left, or is idle",
            f"has too little {name} left",
            f"{what} ≤ what is left",
            place,
            (left[:, d] >= need[d]) | idle,
            f"the job needs {_share(setting, need[d], d)}",
            lambda s, d=d: f"{_share(setting, left[s, d], d)} is left, the job needs {_share(setting, need[d], d)}",  # type: ignore[misc]
        )


def _share(setting: Setting, units: Any, resource: int) -> str:
    return per_cent(int(units) / int(setting.system.numbers.capacity[resource]))


def _fitting(setting: Setting) -> NDArray[np.bool_]:
    """[S] the busy servers that satisfy all conditions so far."""
    busy: NDArray[np.bool_] = setting.state.jobs_on > 0
    for condition in (*_meant(setting), *_fit(setting)):
        busy &= condition.holds
    return busy


def _idle(setting: Setting) -> Iterator[Condition]:
    """When an idle server may be chosen; first fit has no such condition."""
    policy, state = setting.system.policy, setting.state
    if policy.may_fail or not (hasattr(policy, "weight") or hasattr(policy, "share")):
        return
    idle, fitting = state.jobs_on == 0, int(_fitting(setting).sum())
    if hasattr(policy, "share"):
        in_draw = ceil(policy.share * int(state.number[REAL]))
        holds = ~idle | (in_draw > 0) | (fitting == 0)
        told = f"⌈aZ⌉ = {in_draw} idle in the draw, {fitting} busy"
    else:
        holds = ~idle | (fitting == 0)
        told = f"it fits {counted(fitting, 'busy server')}"
    yield Condition(
        "is busy, or idle ones are in the draw" if hasattr(policy, "share") else "is busy, or the job fits no busy one",
        "is idle, and the job fits a busy one",
        "",
        _line(setting, 2),
        holds,
        told,
        lambda _: told,
    )


def _preferred(setting: Setting) -> Preference:
    policy, state = setting.system.policy, setting.state
    servers = np.arange(len(state.jobs_on))
    if policy.may_fail:
        return own_choice(setting)
    if hasattr(policy, "share"):
        return Preference(
            "drawn uniformly at random", _line(setting, 3), lambda s: f"{grouped(int(state.jobs_on[s]))} jobs"
        )
    if not hasattr(policy, "weight"):
        return Preference(
            "the one of lowest number", _line(setting, 3), lambda s: f"number {s + 1}", servers, compares=servers
        )
    left = (policy.limit - (state.peak_use if policy.by_peak else state.use)) @ policy.weight
    ties = servers
    if drawn := _drawn(setting):
        ties = np.array([drawn.index(one) if one in drawn else len(drawn) for one in servers.tolist()])
    rank = np.empty(len(left), np.int64)
    rank[np.lexsort((ties, left))] = servers
    whole = int(policy.limit @ policy.weight)
    return Preference(
        "the one with the least capacity left",
        _line(setting, 3),
        lambda s: f"{per_cent(int(left[s]) / whole)} left",
        rank,
        compared=True,
        compares=left,
    )


WHYS = PhaseWhys()
