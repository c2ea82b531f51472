"""JRS: Join-Requesting-Server.

Reference
    Hong, Xie & Wang (2023), Section 4.2 (the policy), Appendix B.3 (pools, and how a server leaves
    the empty configuration), Appendix C.2 (how the optimal single-server policy requests jobs).
Implements
    Steps 1 and 2 of Section 4.2, with the cases of Appendix C.2; lines are counted in the order
    in which the paper describes them, see ``pseudocode``.
Symbols
    sigma-bar      ``rules``         the single-server policy, as tables
    K-hat          ``view.observed`` the observed configuration, real and virtual jobs
    eta_max        ``rules.limit``
    k^0            ``rules.asks`` at the empty configuration
    a              ``jobs``          [I] jobs of each type in one request
Deviations
    One request contains the whole chain of Appendix C.2: case 2 is applied again at the configuration
    that the request leads to.  Only a server without tokens makes requests.  Nothing is requested at the
    end of a pause.  The limit holds for each type, and is exceeded by strictly more tokens.  Virtual
    arrivals happen one at a time, type by type, each with a token drawn uniformly from those of its type.
    The timer of B.3 runs in every pool whose empty configuration is not case 1.  Options select the other
    readings of the paper.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Generator, Literal, Sequence

import numpy as np
from pydantic import Field

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import Decisions, PhaseJob, PhasePolicy, PseudocodeLine, listing
from slotscope.model.kinds.phases.programs.choosing import RateEstimate, plan_of
from slotscope.model.kinds.phases.programs.plan import PoolTable
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, TIMERS
from slotscope.model.kinds.phases.programs.rules import (
    AFTER_PAUSE,
    ANY_TOKEN,
    LIMIT_IN_ALL,
    LIMIT_REACHED,
    OPTIONS,
    TOKEN_ASKED_FOR,
    rules_of,
)
from slotscope.model.kinds.phases.view import PhaseView
from slotscope.model.policies.common import departing
from slotscope.model.reporting.records import Line, Match, Overflow, Record, Request, SetTimer, VirtualArrival
from slotscope.model.scenario.fields import NotNegative, Section, Whole

#: The values of ``limit``, as values of the rules' option LIMIT_IN_ALL.
_IN_ALL = {"type": 0, "all": ANY_TOKEN, "requested": TOKEN_ASKED_FOR}


class Parameters(Section):
    """The plan, and a choice for each statement of the paper that can be read in several ways.

    ``limit``: the token limit holds for each type (``type``), or for all types together; a virtual job then
    takes any token (``all``), or one of the type requested last (``requested``).
    ``plan``: the path of a file with a policy table; ``pools``: policy tables given in the scenario;
    ``estimate``: the rates from which the plan is computed, if these are not the true ones.
    """

    token_limit: Whole | None = Field(default=None, ge=0)
    limit: Literal["type", "all", "requested"] = "type"
    at_limit: Literal["above", "reached"] = "above"
    request_after_pause: bool = False
    recovery_rate: NotNegative = Fraction(0)
    patch: bool = True
    estimate: RateEstimate | None = None
    plan: str = Field(default="", max_length=1000)
    pools: tuple[PoolTable, ...] = ()


class Reference(PhasePolicy):
    """JRS; its subroutine is SINGLE-OPT or a given single-server policy."""

    schema = Parameters
    observes = True
    pseudocode: tuple[PseudocodeLine, ...] = listing("""
        #1 Step 1: job requesting on a normal server
        <b>when</b> a timer of server ℓ ticks <b>do</b>
          ask for one job of its type (at 0: for k⁰) || a type i job (C.2, case 1)
        <b>when</b> a job on ℓ changes phase or departs <b>do</b> || when the system enters k̂ (C.2)
          <b>if</b> ℓ holds a token <b>then</b> nothing (a pause)
          <b>while</b> π(k̂ + a) = 0, u(k̂ + a) ≠ 0: ask for one more
        make a token for each job asked for; ℓ is paused
        <b>when</b> k̂ changed and ℓ holds no token: new timers
        #2 Step 2: arrival dispatching
        <b>when</b> a job of type i arrives <b>do</b>
          <b>if</b> there is a token of type i <b>then</b>
            take one at random; the job joins its server
          <b>else</b> it goes to an idle backup server
        <b>while</b> a type has more than η<sub>max</sub> tokens <b>do</b>
          take one at random; a virtual job joins its server
    """)

    def __init__(self, numbers: PhaseNumbers, parameters: Parameters) -> None:
        super().__init__(numbers, parameters)
        self.plan = plan_of(numbers, parameters)
        options = np.zeros(OPTIONS, np.int64)
        options[LIMIT_IN_ALL] = _IN_ALL[parameters.limit]
        options[LIMIT_REACHED] = parameters.at_limit == "reached"
        options[AFTER_PAUSE] = parameters.request_after_pause
        self.rules = rules_of(self.plan, options, float(parameters.recovery_rate), parameters.patch)
        self.pseudocode = departing(self.pseudocode, _texts(parameters), _printed(parameters, len(self.plan.pools)))
        self.pool_of = self.rules.pool_of
        self.pools = len(self.plan.pools)
        most = numbers.model.most_jobs
        self.most_tokens = most * len(self.pool_of) if parameters.request_after_pause else most

    def start(self, view: PhaseView) -> Decisions:
        """Start the timers; no server makes a reactive request in its initial configuration.

        If another policy has left more tokens than the limit allows, virtual arrivals follow at once.
        """
        for server in range(len(self.pool_of)):
            if not view.is_paused(server):
                yield from self._new_timer(view, server)
        for pool in range(self.pools):
            yield from self._keep_limit(view, pool)

    def arrival(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Step 2: the job takes a token of its type, or goes to a backup server."""
        pool = view.choices.pool(job.number, self.rules.route[job.type])
        count = view.tokens(pool, job.type)
        limit = int(self.rules.limit[pool])
        yield Record("tokens_of_type", Line(2, 2), {"pool": pool, "type": job.type, "count": count, "limit": limit})
        position = view.choices.token(job.number, count)
        if position < 0:
            yield Overflow(
                line=Line(2, 4),
                job=job.number,
                pool=pool,
                values={"type": job.type, "limit": limit, "backup": view.idle_backup(pool)},
            )
            return
        server = view.token_server(pool, job.type, position)
        yield Match(
            line=Line(2, 3),
            job=job.number,
            pool=pool,
            position=position,
            values={
                "server": server,
                "count": count,
                "type": job.type,
                "token": view.token_number(pool, job.type, position),
            },
        )
        asked = yield from self._token_gone(view, server)
        yield from self._keep_limit(view, pool, asked)

    def move(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Step 1: the server makes a reactive request, unless it is paused."""
        server = job.server
        observed = view.observed_configuration(server)
        if view.is_paused(server):
            missed = self._case(view, server) == AT_ONCE
            kind = "missed_request" if missed else "paused"
            yield Record(kind, Line(1, 4), {"server": server, "observed": observed, "tokens": view.tokens_on(server)})
            return
        yield from self._react(view, server)

    def tick(self, view: PhaseView, server: int) -> Decisions:
        """Step 1: the server makes a proactive request."""
        pool, place = int(self.pool_of[server]), view.observed(server)
        jobs = [0] * self.numbers.phases
        observed = view.observed_configuration(server)
        if self.rules.case[pool, place] == TIMERS:
            job_type = view.choices.ticked(server, self.rules.timer[pool, place])
            jobs[job_type] = 1
            yield Record("tick", Line(1, 2), {"server": server, "type": job_type, "observed": observed})
            yield from self._chain(view, server, int(self._up[place, job_type]), jobs)
        else:
            jobs = self.rules.asks[pool, place].tolist()
            yield Record("recovery_tick", Line(1, 2), {"server": server, "jobs": tuple(jobs), "observed": observed})
        yield from self._request(view, server, jobs)

    @property
    def _up(self) -> np.ndarray:
        up: np.ndarray = self.plan.lattice.up
        return up

    def _case(self, view: PhaseView, server: int) -> int:
        return int(self.rules.case[self.pool_of[server], view.observed(server)])

    def _react(self, view: PhaseView, server: int) -> Decisions:
        jobs = [0] * self.numbers.phases
        yield from self._chain(view, server, view.observed(server), jobs)
        if any(jobs):
            yield from self._request(view, server, jobs)
        else:
            yield from self._new_timer(view, server)

    def _chain(self, view: PhaseView, server: int, place: int, jobs: list[int]) -> Decisions:
        """Add to *jobs* one job after another while the configuration that they lead to is in case 2."""
        pool = self.pool_of[server]
        while self.rules.case[pool, place] == AT_ONCE:
            job_type = view.choices.requested(sum(jobs), self.rules.choice[pool, place])
            yield Record(
                "reactive",
                Line(1, 5),
                {
                    "server": server,
                    "type": job_type,
                    "configuration": tuple(self.plan.lattice.configurations[place].tolist()),
                },
            )
            jobs[job_type] += 1
            place = int(self._up[place, job_type])

    def _request(self, view: PhaseView, server: int, jobs: list[int]) -> Decisions:
        yield Request(line=Line(1, 6), server=server, jobs=tuple(jobs))
        if view.timer_runs(server):
            yield SetTimer(line=Line(1, 6), server=server, rate=0.0)
        yield from self._keep_limit(view, int(self.pool_of[server]), _first(jobs))

    def _keep_limit(self, view: PhaseView, pool: int, asked: int = 0) -> Decisions:
        """Let virtual jobs arrive, one at a time, until no limit is exceeded; *asked*: the type requested last."""
        while (job_type := self._over_limit(view, pool, asked)) is not None:
            in_all = self.rules.option[LIMIT_IN_ALL] == ANY_TOKEN
            count = view.all_tokens(pool) if in_all else view.tokens(pool, job_type)
            found = {"pool": pool, "type": job_type, "count": count, "limit": int(self.rules.limit[pool])}
            yield Record("limit", Line(2, 5), found)
            position = view.choices.virtual_token(count)
            while in_all and position >= view.tokens(pool, job_type):
                position -= view.tokens(pool, job_type)
                job_type += 1
            server = view.token_server(pool, job_type, position)
            yield VirtualArrival(
                line=Line(2, 6),
                pool=pool,
                type=job_type,
                position=position,
                values=found
                | {"server": server, "number": view.next_virtual, "token": view.token_number(pool, job_type, position)},
            )
            asked = yield from self._token_gone(view, server, asked)

    def _over_limit(self, view: PhaseView, pool: int, asked: int) -> int | None:
        """The type whose token a virtual job is to take: the first with too many tokens; None if no limit is exceeded.

        With one limit for all types: type 0 if any token may be taken (``all``), otherwise the type *asked* for last,
        or the next type after it, cyclically, that has tokens.
        """
        most = int(self.rules.limit[pool]) - int(self.rules.option[LIMIT_REACHED])
        most, types = max(most, 0), range(self.numbers.phases)
        if not self.rules.option[LIMIT_IN_ALL]:
            return next((i for i in types if view.tokens(pool, i) > most), None)
        if view.all_tokens(pool) <= most:
            return None
        if self.rules.option[LIMIT_IN_ALL] == ANY_TOKEN:
            return 0
        in_turn = (*types[asked:], *types[:asked])
        return next((i for i in in_turn if view.tokens(pool, i)), None)

    def _token_gone(self, view: PhaseView, server: int, asked: int = 0) -> Generator[Record, None, int]:
        """If the last token of the server was taken, its pause ends; returns the type requested last."""
        if view.is_paused(server):
            return asked
        yield Record("resumed", Line(1, 7), {"server": server, "observed": view.observed_configuration(server)})
        if not self.rules.option[AFTER_PAUSE]:
            yield from self._new_timer(view, server)
            return asked
        jobs = [0] * self.numbers.phases
        yield from self._chain(view, server, view.observed(server), jobs)
        if any(jobs):
            yield Request(line=Line(1, 6), server=server, jobs=tuple(jobs))
            return _first(jobs)
        yield from self._new_timer(view, server)
        return asked

    def _new_timer(self, view: PhaseView, server: int) -> Decisions:
        rate = float(self.rules.rate[self.pool_of[server], view.observed(server)])
        if rate > 0 or view.timer_runs(server):
            yield SetTimer(
                line=Line(1, 7), server=server, rate=rate, values={"observed": view.observed_configuration(server)}
            )


def _texts(parameters: Parameters) -> dict[Line, str]:
    """The pseudocode lines that differ under the chosen readings of the paper."""
    texts: dict[Line, str] = {}
    if parameters.recovery_rate:
        texts[Line(1, 2)] = "ask for one job of its type (at 0: for k⁰; outside S: for the way back)"
        texts[Line(1, 7)] = "<b>when</b> k̂ changed and ℓ holds no token: new timers, also outside S"
    elif not parameters.patch:
        texts[Line(1, 2)] = "ask for one job of its type"
    if parameters.request_after_pause:
        texts[Line(1, 3)] = "<b>when</b> a job on ℓ moves, or a pause of ℓ ends <b>do</b>"
    reached = parameters.at_limit == "reached"
    if reached or parameters.limit != "type":
        whose = "a type has" if parameters.limit == "type" else "all types have together"
        count = "η<sub>max</sub> tokens or more" if reached else "more than η<sub>max</sub> tokens"
        texts[Line(2, 5)] = f"<b>while</b> {whose} {count} <b>do</b>"
    if parameters.limit == "requested":
        texts[Line(2, 6)] = "take one of the type asked for; a virtual job joins its server"
    return texts


def _printed(parameters: Parameters, pools: int) -> dict[Line, str]:
    """The text of the paper for lines that deviate from it without saying so themselves."""
    printed: dict[Line, str] = {}
    if not parameters.patch:
        printed[Line(1, 2)] = "at 0 outside S a timer of rate 1 asks for k⁰ (B.3)"
    if pools > 1:
        printed[Line(1, 5)] = "outside S<sub>j</sub>, at k̂ ≠ 0, nothing is asked for (B.3)"
    if parameters.token_limit is not None:
        printed[Line(2, 5)] = "η<sub>max</sub> = ⌈√L⌉"
    return printed


def _first(jobs: Sequence[int]) -> int:
    """The lowest type in a request."""
    return next(i for i, count in enumerate(jobs) if count)
