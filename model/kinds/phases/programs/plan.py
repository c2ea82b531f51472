"""The plan of Join-Requesting-Server: pools, and a single-server policy for each.

Hong, Xie & Wang (2023), Section 4.2 and Appendix B.3.

Policies and pools given by users are read, checked against the job model, and converted to arrays.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import ceil, nan
from pathlib import Path
from typing import Any, Literal, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import Lattice, lattice_of
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS, PolicyTable

#: Largest deviation from 1 of the sum of an entry's probabilities, or of the sum of pi.
SUM_TOLERANCE = 1e-6


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class PolicyEntry(_Table):
    """What a server does in one configuration; in configurations that are not listed it does nothing."""

    k: tuple[int, ...]
    case: Literal[1, 2, 3] = 3
    rates: dict[str, float] | tuple[float, ...] | None = None
    prob: dict[str, float] | tuple[float, ...] | None = None
    pi: float = Field(0.0, ge=0)
    u: tuple[float, ...] | None = None


class Patch(_Table):
    """The request of a server that rests in configuration 0."""

    rate: float = Field(1.0, gt=0)
    k0: dict[str, int] | tuple[int, ...]


class PoolTable(_Table):
    """A pool as in instance files."""

    servers: int = Field(ge=1, le=10_000_000)
    token_limit: int = Field(ge=0)
    policy: tuple[PolicyEntry, ...]
    patch: Patch | None = None


class SolutionFile(BaseModel):
    """A file with a policy and the pi and u that it comes from; other keys are ignored."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, frozen=True)

    policy: tuple[PolicyEntry, ...] = Field(min_length=1)
    input: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class GivenSolution:
    """A given policy with its [C] pi and [C, I] u."""

    table: PolicyTable
    stationary: NDArray[np.float64]
    requests: NDArray[np.float64]


class GivenPool(NamedTuple):
    """A given pool: L, eta_max, the policy, k0 and the rate of its timer."""

    servers: int
    token_limit: int
    table: PolicyTable
    patch: NDArray[np.int32] | None
    patch_rate: float


def read_solution(path: Path, model: JobModel) -> GivenSolution:
    """The policy in a JSON file. Raises ScenarioError with the file and the entry at fault."""
    where = str(path)
    try:
        found = SolutionFile.model_validate(json.loads(path.read_text("utf-8")))
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        raise ScenarioError(f"cannot be read: {reason}", where=where) from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, ValidationError):
            raise _invalid(error).inside(where) from None
        raise ScenarioError(f"is no JSON file ({error})", where=where) from None
    try:
        return _solution(found, model)
    except ScenarioError as error:
        raise error.inside(where) from None


def _solution(found: SolutionFile, model: JobModel) -> GivenSolution:
    phases = found.input.get("phases")
    if phases is not None and list(phases) != list(model.phases):
        raise ScenarioError(
            f"found the phases {_listed(phases)}, but the scenario has {_listed(model.phases)}, in this order",
            where="input.phases",
        )
    lattice = lattice_of(model)
    table = _table(found.policy, model, lattice)
    stationary = np.zeros(len(lattice))
    requests = np.zeros((len(lattice), len(model.phases)))
    for number, entry in enumerate(found.policy):
        place = lattice.place(entry.k)
        where = f"policy[{number}]"
        stationary[place] = entry.pi
        requests[place] = _weights(entry.u or {}, model, f"{where}.u")
        if (entry.pi > 0) != (entry.case == TIMERS):
            raise ScenarioError(
                f"found pi = {entry.pi:g} in case {entry.case}; pi > 0 in case 1 and only there", where=where
            )
    if abs(stationary.sum() - 1) > SUM_TOLERANCE:
        raise ScenarioError(f"found pi that add up to {stationary.sum():.9g}, allowed: 1", where="policy.pi")
    if not requests.any():
        raise ScenarioError("found no request at all; u is needed", where="policy.u")
    return GivenSolution(table, stationary, requests)


def pool_tables(tables: Sequence[PoolTable | Mapping[str, Any]], model: JobModel) -> list[GivenPool]:
    """Given pools as arrays. Raises ScenarioError with the pool (from 0) and the entry at fault."""
    if not tables:
        raise ScenarioError("found no pool, allowed: at least one", where="pools")
    lattice = lattice_of(model)
    return [_pool(table, model, lattice, f"pools[{j}]") for j, table in enumerate(tables)]


def _pool(given: PoolTable | Mapping[str, Any], model: JobModel, lattice: Lattice, where: str) -> GivenPool:
    try:
        pool = given if isinstance(given, PoolTable) else PoolTable.model_validate(dict(given))
    except ValidationError as error:
        raise _invalid(error).inside(where) from None
    try:
        table = _table(pool.policy, model, lattice)
        patch = None
        if pool.patch is not None:
            amounts = _weights(pool.patch.k0, model, "patch.k0")
            patch = amounts.astype(np.int32)
            _place(tuple(patch.tolist()), lattice, model, "patch.k0")
            if not patch.any():
                raise ScenarioError("found 0 jobs, allowed: at least one", where="patch.k0")
    except ScenarioError as error:
        raise error.inside(where) from None
    rate = 1.0 if pool.patch is None else pool.patch.rate
    return GivenPool(pool.servers, pool.token_limit, table, patch, rate)


def _table(entries: Sequence[PolicyEntry], model: JobModel, lattice: Lattice) -> PolicyTable:
    """The policy of a list of entries, as arrays."""
    size, types = len(lattice), len(model.phases)
    case = np.full(size, NOTHING, np.int8)
    rate, choice = np.zeros((size, types)), np.zeros((size, types))
    seen: dict[int, int] = {}
    for number, entry in enumerate(entries):
        where = f"policy[{number}]"
        place = _place(entry.k, lattice, model, f"{where}.k")
        if place in seen:
            raise ScenarioError(
                f"found {_listed(entry.k)} again, it stands in policy[{seen[place]}] already", where=f"{where}.k"
            )
        seen[place] = number
        case[place] = entry.case
        if entry.case == TIMERS:
            rate[place] = _weights(entry.rates or {}, model, f"{where}.rates")
        if entry.case == AT_ONCE:
            choice[place] = _weights(entry.prob or {}, model, f"{where}.prob")
            total = choice[place].sum()
            if abs(total - 1) > SUM_TOLERANCE:
                raise ScenarioError(
                    f"found probabilities that add up to {total:.9g}, allowed: 1", where=f"{where}.prob"
                )
            choice[place] /= total
        beyond = ((rate[place] + choice[place]) > 0) & (lattice.up[place] < 0)
        if beyond.any():
            name = model.phases[int(np.argmax(beyond))]
            raise ScenarioError(
                f"requests type '{name}' in {_listed(entry.k)}, where no server can take another one", where=where
            )
    return PolicyTable(case, rate, choice)


def _place(k: tuple[int, ...], lattice: Lattice, model: JobModel, where: str) -> int:
    """The index of a configuration. Raises ScenarioError if it is not in K."""
    if len(k) != len(model.phases):
        raise ScenarioError(
            f"found {len(k)} numbers, allowed: {len(model.phases)}, one for each phase ({_listed(model.phases)})",
            where=where,
        )
    place = lattice.place(k)
    if place < 0:
        raise ScenarioError(
            f"found {_listed(k)}, which no server may hold (at most "
            f"{model.most_jobs} jobs" + (" that fit its capacity)" if model.hard else ")"),
            where=where,
        )
    return place


def _weights(given: Mapping[str, float] | Sequence[float], model: JobModel, where: str) -> NDArray[np.float64]:
    """[I] numbers >= 0, from a table by name or from a list in the order of the phases."""
    found = np.zeros(len(model.phases))
    if isinstance(given, Mapping):
        for name, value in given.items():
            if name not in model.phases:
                raise ScenarioError(f"found phase '{name}', known are {_listed(model.phases)}", where=where)
            found[model.phases.index(name)] = value
    elif len(given) != len(found):
        raise ScenarioError(f"found {len(given)} numbers, allowed: {len(found)}", where=where)
    else:
        found[:] = given
    if (found < 0).any():
        raise ScenarioError(f"found {found.min():g}, allowed: 0 or more", where=where)
    return found


def _listed(values: Any) -> str:
    return ", ".join(map(str, values))


def _invalid(error: ValidationError) -> ScenarioError:
    """The first error that pydantic found, with its path."""
    first = error.errors(include_url=False, include_context=False)[0]
    path = ""
    for part in first["loc"]:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return ScenarioError(first["msg"][:1].lower() + first["msg"][1:], where=path)


#: Relative excess that ceilings ignore, as rounding can cause it.
CEILING_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class PoolPlan:
    """One pool of normal servers and its single-server policy (Appendix B.3)."""

    servers: int  #: L_j, normal servers
    token_limit: int  #: eta_max of the pool
    nbar: float  #: p_j Nbar; ``servers`` is its ceiling; NaN if not known
    share: float  #: p_j; NaN if not known
    route: NDArray[np.float64]  #: [I] the probability that an arriving job of a type goes to this pool
    case: NDArray[np.int8]  #: [C] int8: 1 (timers run), 2 (a request at once) or 3 (nothing) in each configuration
    rate: NDArray[np.float64]  #: [C, I] rates of the timers in case 1, else 0
    choice: NDArray[np.float64]  #: [C, I] probabilities of the type requested in case 2, else 0
    #: [I] int32: what a server in configuration 0 requests at once when the timer of rate ``patch_rate`` rings; None if
    #: it needs no such timer
    patch: NDArray[np.int32] | None
    patch_rate: float  #: the rate of that timer
    stationary: NDArray[np.float64]  #: [C] pi^j, 0 outside the pool's recurrent class
    requests: NDArray[np.float64]  #: [C, I] u^j, transition frequencies of one server
    arrival_rates: NDArray[np.float64]  #: [I] arrivals of each type at the pool per unit of time, at the plan's scale


@dataclass(frozen=True, eq=False)
class ServerPlan:
    """All pools of a plan, and the solution of (61) that they come from."""

    pools: tuple[PoolPlan, ...]  #: the pools; their normal servers are numbered in this order
    lattice: Lattice  #: the configurations that index all arrays
    phi: float  #: Phi, the throughput of one server; NaN if not known
    nbar: float  #: Nbar = r / Phi; NaN if not known
    #: budget, spent: epsilon, and the cost per active server h^T pi / (1 - pi(0)); NaN if not known
    budget: float
    spent: float
    #: stationary, requests: [C] pi and [C, I] u over all pools
    stationary: NDArray[np.float64]
    requests: NDArray[np.float64]
    #: whether the support of pi and u is proved (an exact vertex, or a solution of the reduced program without
    #: residual)
    certified: bool
    source: str  #: "solved", "given in FILE" or "given in the scenario"


def ceiling(value: float) -> int:
    """The least integer that is at least *value*, ignoring an excess by rounding."""
    return ceil(value - CEILING_TOLERANCE * abs(value))


def plan_from_pools(tables: Sequence[PoolTable | dict[str, Any]], model: JobModel) -> ServerPlan:
    """The plan of explicitly given pools; its Phi, pi and u are not known.

    Jobs of a type go to the pools that may request the type, in proportion to their servers.
    Raises ScenarioError with the pool and the entry if a table does not fit the model.
    """
    lattice = lattice_of(model)
    read = pool_tables(tables, model)
    nothing = np.zeros((len(lattice), len(model.phases)))
    wanted = []
    for servers, _, table, patch, _ in read:
        asked = (table.rate + table.choice).sum(axis=0) + (0 if patch is None else patch)
        wanted.append(servers * (asked > 0) if len(read) > 1 else np.ones(len(asked)))
    total = np.sum(wanted, axis=0)
    pools = tuple(
        PoolPlan(
            servers=servers,
            token_limit=limit,
            nbar=nan,
            share=nan,
            route=np.divide(weight, total, out=np.zeros(len(total)), where=total > 0),
            case=table.case,
            rate=table.rate,
            choice=table.choice,
            patch=patch,
            patch_rate=rate,
            stationary=nothing[:, 0],
            requests=nothing,
            arrival_rates=nothing[0],
        )
        for (servers, limit, table, patch, rate), weight in zip(read, wanted, strict=True)
    )
    return ServerPlan(
        pools, lattice, nan, nan, float(model.budget), nan, nothing[:, 0], nothing, False, "given in the scenario"
    )
