"""Checks of user-written policies for jobs with phases: their attributes and the values that they yield."""

from __future__ import annotations

from math import isfinite
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.kernels.own import OwnPhaseKernel
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import OwnPolicy, PhasePolicy
from slotscope.model.kinds.phases.programs.plan import ServerPlan
from slotscope.model.kinds.phases.programs.rules import OPTIONS, PhaseRules
from slotscope.model.kinds.phases.rows import TOLD
from slotscope.model.kinds.phases.view import PhaseJob, PhaseView
from slotscope.model.policies.own.kind import KernelKind, Occasion, OwnKind
from slotscope.model.policies.own.sound import (
    MOST_JOBS,
    NotADecisionError,
    fields,
    found,
    number,
    of_class,
    real,
    remembered,
    same_tuple,
    sequence,
    truth,
    whole,
)
from slotscope.model.reporting.records import (
    Match,
    Overflow,
    Place,
    Record,
    Remember,
    Request,
    SetTimer,
    VirtualArrival,
)

#: Most servers that can request jobs.
MOST_SERVERS = 100_000


def _jobs(value: Any, what: str, numbers: PhaseNumbers) -> tuple[int, ...]:
    """Check a tuple [I] of a number of jobs of each type."""
    jobs = sequence(value, what)
    same = same_tuple(value, (whole(one, f"a number in {what}", 0, numbers.model.most_jobs) for one in jobs))
    if len(same) != numbers.phases:
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a tuple of {numbers.phases}, one for each type")
    return same


def _type(value: Any, what: str, numbers: PhaseNumbers) -> int:
    return whole(value, what, 0, numbers.phases - 1)


def _rate(value: Any, what: str, _: PhaseNumbers) -> float:
    rate = real(value, what)
    if rate < 0 or not isfinite(rate):
        raise NotADecisionError(f"{what} is {found(value)}, allowed: a rate, or 0 to cancel the timer")
    return rate


_job_and_server = fields(job=number(), server=number())


def _placed(record: Place, numbers: PhaseNumbers) -> dict[str, Any]:
    if "fitting" in record.values:
        whole(record.values["fitting"], "fitting of Place", -1, MOST_JOBS)
    return _job_and_server(record, numbers)


def _about(occasion: str, view: PhaseView, arguments: tuple[Any, ...]) -> str:
    if not isinstance(arguments[0], PhaseJob):
        return f"{occasion} of the timer of server {arguments[0] + 1}"
    return f"{occasion} of a job of type {view.numbers.model.phases[arguments[0].type]}"


def explained(record: Record, view: PhaseView, arguments: tuple[Any, ...]) -> Mapping[str, Any]:
    """The values that follow from the state: of the token that is taken, or the backup server that the job goes to."""
    if isinstance(record, Overflow) and 0 <= record.pool < view.pools and isinstance(arguments[0], PhaseJob):
        return {"type": arguments[0].type, "backup": view.idle_backup(record.pool)}
    if isinstance(record, VirtualArrival):
        return _token(view, record.pool, record.type, record.position) | {"number": view.next_virtual}
    if isinstance(record, Match) and arguments and isinstance(arguments[0], PhaseJob):
        return _token(view, record.pool, arguments[0].type, record.position)
    return {}


def _token(view: PhaseView, pool: int, job_type: int, position: int) -> dict[str, Any]:
    count = view.tokens(pool, job_type) if 0 <= pool < view.pools else 0
    if not 0 <= position < count:
        return {}  # the system's check reports it
    return {
        "server": view.token_server(pool, job_type, position),
        "count": count,
        "type": job_type,
        "token": view.token_number(pool, job_type, position),
    }


def _pool_of(value: Any, what: str, _: PhaseNumbers) -> NDArray[np.int32]:
    """[L] a checked copy, which only this program can change."""
    whole_numbers = type(value) is np.ndarray and value.dtype.kind == "i" and value.ndim == 1
    if not whole_numbers or len(value) > MOST_SERVERS or (np.diff(value) < 0).any():
        raise NotADecisionError(
            f"{what} is {found(value)}, allowed: an array of the pool of each of at most {MOST_SERVERS:,} servers, "
            "in order of the pools"
        )
    return np.array(value, np.int32)


def _together(policy: PhasePolicy, numbers: PhaseNumbers) -> None:
    """Check that the attributes of a policy fit together: pools, servers that request jobs, observing, sizes of tables.

    Raises NotADecisionError if they do not.
    """
    pools, servers, rules = policy.pools, len(policy.pool_of), policy.rules
    if servers and not 0 <= policy.pool_of.min() <= policy.pool_of.max() < pools:
        raise NotADecisionError(f"pool_of names pools beyond the {pools} that there are, allowed: 0 to {pools - 1}")
    if bool(servers) != policy.observes:
        raise NotADecisionError(
            f"observes is {policy.observes} with {servers} servers that ask for jobs, allowed: True with some"
        )
    if rules is None:
        return
    places, types = len(numbers.lattice), numbers.phases
    shapes = {
        **dict.fromkeys(("case", "rate"), (pools, places)),
        **dict.fromkeys(("timer", "choice", "asks"), (pools, places, types)),
        **{"limit": (pools,), "pool_of": (servers,), "route": (types, pools), "option": (OPTIONS,)},
    }
    wrong = [name for name, shape in shapes.items() if np.shape(getattr(rules, name)) != shape]
    if wrong or not np.array_equal(rules.pool_of, policy.pool_of):
        raise NotADecisionError(
            f"rules are not for this plan ({', '.join(wrong) or 'pool_of'}), allowed: rules_of(plan)"
        )


OWN = OwnKind(
    base=PhasePolicy,
    own=OwnPolicy,
    occasions=(
        Occasion("start"),
        Occasion(
            "arrival",
            ("view", "job"),
            (Place, Match, Overflow),
            "leaves the arriving job nowhere; allowed: Place, Match or Overflow",
        ),
        Occasion("move", ("view", "job")),
        Occasion("departure", ("view", "job")),
        Occasion("tick", ("view", "server")),
    ),
    enough=("arrival",),
    hint="yields one Place(job=..., server=...), Match or Overflow",
    records={
        Place: _placed,
        Match: fields(job=number(), pool=number(), position=number()),
        Overflow: fields(job=number(), pool=number()),
        Request: fields(server=number(), jobs=_jobs),
        VirtualArrival: fields(pool=number(), type=_type, position=number()),
        SetTimer: fields(server=number(), rate=_rate),
        Remember: remembered,
    },
    about=_about,
    attributes={
        "pool_of": _pool_of,
        "pools": number(1, MOST_SERVERS),
        "observes": truth,
        "most_tokens": number(0, MOST_JOBS),
        "plan": of_class(ServerPlan),
        "rules": of_class(PhaseRules),
    },
    reserved=frozenset(
        {
            *("arrival", "departure", "move", "place", "match", "overflow", "request", "virtual_arrival"),
            *("set_timer", "remember"),
        }
    ),
    needed={
        "limit": ("pool", "type"),
        "tokens_of_type": ("pool", "type"),
        "missed_request": ("server",),
        "resumed": ("server",),
    },
    heeded=frozenset(TOLD),
    names={"type": _type, "pool": number(), "server": number(-(2**31)), "job": number(-(2**31))},
    explained=explained,
    together=_together,
    kernels=KernelKind(("state", "job", "type", "room", "data"), OwnPhaseKernel),
)
