"""Policies and pools that a user gives: read, checked against the job model, made into arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Mapping, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import Lattice, lattice_of
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS, PolicyTable

#: How far the probabilities of an entry, or of all entries, may be from 1 in sum.
SUM_TOLERANCE = 1e-6


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)


class PolicyEntry(_Table):
    """What a server does in one configuration; configurations that are not listed do nothing."""

    k: tuple[int, ...]
    case: Literal[1, 2, 3] = 3
    rates: dict[str, float] | tuple[float, ...] | None = None
    prob: dict[str, float] | tuple[float, ...] | None = None
    pi: float = Field(0.0, ge=0)
    u: tuple[float, ...] | None = None


class Patch(_Table):
    """The request of a server that rests at 0."""

    rate: float = Field(1.0, gt=0)
    k0: dict[str, int] | tuple[int, ...]


class PoolTable(_Table):
    """A pool as instance files give it."""

    servers: int = Field(ge=1, le=10_000_000)
    token_limit: int = Field(ge=0)
    policy: tuple[PolicyEntry, ...]
    patch: Patch | None = None


class SolutionFile(BaseModel):
    """A file with a policy and the pi and u that it comes from; other keys are left alone."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False, frozen=True)

    policy: tuple[PolicyEntry, ...] = Field(min_length=1)
    input: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class GivenSolution:
    """A policy and its [C] pi and [C, I] u."""

    table: PolicyTable
    stationary: NDArray[np.float64]
    requests: NDArray[np.float64]


class GivenPool(NamedTuple):
    """L, eta, policy, k0 and the rate of its timer."""

    servers: int
    token_limit: int
    table: PolicyTable
    patch: NDArray[np.int32] | None
    patch_rate: float


def read_solution(path: Path, model: JobModel) -> GivenSolution:
    """The policy of a JSON file. Raises ScenarioError with the file and the entry at fault."""
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
    """Pools as arrays. Raises ScenarioError with the pool (from 0) and the entry at fault."""
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
    """The policy of a list of entries."""
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
    """The place of a configuration that must be in K."""
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
    """[I] numbers >= 0 from a table by name, or from a list in the order of the phases."""
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
    """The first fault that pydantic found, with its path."""
    first = error.errors(include_url=False, include_context=False)[0]
    path = ""
    for part in first["loc"]:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return ScenarioError(first["msg"][:1].lower() + first["msg"][1:], where=path)
