"""What Join-Requesting-Server needs to know before it starts: pools, and a policy for each.

Hong, Xie & Wang (2023), Section 4.2 and Appendix B.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, inf, nan, sqrt
from pathlib import Path
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import Lattice, cost_units, lattice_of
from slotscope.model.kinds.phases.programs.plan_tables import GivenSolution, PoolTable, pool_tables, read_solution
from slotscope.model.kinds.phases.programs.policy import (
    AT_ONCE,
    NOTHING,
    TIMERS,
    PolicyPart,
    PolicyTable,
    RecurrentClass,
    chain_of,
    policy_of,
    recurrent_classes,
    together,
)
from slotscope.model.kinds.phases.programs.simplex import Cancelled, Progress
from slotscope.model.kinds.phases.programs.single_server import solved

__all__ = [
    "AT_ONCE",
    "NOTHING",
    "TIMERS",
    "PoolPlan",
    "ServerPlan",
    "ceiling",
    "classes_of",
    "plan_from_file",
    "plan_from_pools",
    "plan_of",
    "planned",
]

#: Ceilings forgive a relative excess that rounding alone can make.
CEILING_TOLERANCE = 1e-9
#: The rate of the timer of a server that rests at 0 (Appendix B.3).
PATCH_RATE = 1.0


@dataclass(frozen=True, eq=False)
class PoolPlan:
    """One pool of normal servers and its single-server policy (Appendix B.3).

    Attributes
    ----------
    servers:
        L_j, normal servers.
    token_limit:
        eta_max of the pool.
    nbar:
        p_j Nbar, of which ``servers`` is the ceiling; NaN where it is not known.
    share:
        p_j; NaN where it is not known.
    route:
        [I] the probability that an arriving job of a type goes to this pool.
    case:
        [C] int8: 1 (timers run), 2 (a request at once) or 3 (nothing) in each configuration.
    rate:
        [C, I] rates of the timers in case 1, else 0.
    choice:
        [C, I] probabilities of the type requested in case 2, else 0.
    patch:
        [I] int32: what a server that rests at 0 requests when the timer of rate ``patch_rate``
        ticks, all at once; None where it needs none.
    patch_rate:
        The rate of that timer.
    stationary:
        [C] pi^j, 0 outside the pool's recurrent class.
    requests:
        [C, I] u^j, transition frequencies of one server.
    arrival_rates:
        [I] jobs of each type into the pool per unit of time, at the plan's scale.
    """

    servers: int
    token_limit: int
    nbar: float
    share: float
    route: NDArray[np.float64]
    case: NDArray[np.int8]
    rate: NDArray[np.float64]
    choice: NDArray[np.float64]
    patch: NDArray[np.int32] | None
    patch_rate: float
    stationary: NDArray[np.float64]
    requests: NDArray[np.float64]
    arrival_rates: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ServerPlan:
    """All pools of a plan, and the solution of (61) that they come from.

    Attributes
    ----------
    pools:
        The pools; their normal servers are numbered in this order.
    lattice:
        The configurations that all arrays are over.
    phi:
        Phi, the throughput of one server; NaN where it is not known.
    nbar:
        Nbar = r / Phi; NaN where it is not known.
    budget, spent:
        epsilon, and the cost per active server h^T pi / (1 - pi(0)); NaN where not known.
    stationary, requests:
        [C] pi and [C, I] u over all pools.
    certified:
        Whether the support of pi and u is proved (an exact vertex, or a solution of the
        reduced program without residual).
    source:
        "solved", "given in FILE" or "given in the scenario".
    """

    pools: tuple[PoolPlan, ...]
    lattice: Lattice
    phi: float
    nbar: float
    budget: float
    spent: float
    stationary: NDArray[np.float64]
    requests: NDArray[np.float64]
    certified: bool
    source: str


def ceiling(value: float) -> int:
    """The least integer that is at least *value*, up to rounding."""
    return ceil(value - CEILING_TOLERANCE * abs(value))


def planned(
    model: JobModel, scale: Fraction, progress: Progress | None = None, cancelled: Cancelled | None = None
) -> ServerPlan:
    """Solve (61) and make the pools of B.3 for a scale r.

    The solution is remembered for each job model; pools are made anew for each scale.

    Raises
    ------
    ScenarioError
        If there are too many configurations, or no server can serve what arrives.
    SolvingStoppedError
        If *cancelled* says so.
    """
    found = solved(model, progress, cancelled)
    policies = [(part, policy_of(part.stationary, part.requests)) for part in found.parts]
    return plan_of(model, scale, policies, found.certified, "solved")


def plan_of(
    model: JobModel, scale: Fraction, policies: Sequence[tuple[PolicyPart, PolicyTable]], certified: bool, source: str
) -> ServerPlan:
    """The pools of B.3 for the recurrent classes of some policies, each on its share of servers.

    A class gets no pool if its share is 0, or if it never requests anything.
    """
    lattice = lattice_of(model)
    stationary, requests = together([part for part, _ in policies])
    arriving = np.array([float(rate) for rate in model.arrival_rates])
    phi = float(requests.sum() / arriving.sum()) if arriving.any() else 0.0
    nbar = float(scale) / phi if phi > 0 else inf
    found = [
        one
        for part, table in policies
        for one in classes_of(model, part, table)
        if one.share > CEILING_TOLERANCE and one.throughput.any()
    ]
    received = np.array([one.share * one.throughput for one in found]).reshape(-1, len(arriving))
    total = received.sum(axis=0)
    route = np.divide(received, total, out=np.zeros_like(received), where=total > 0)
    pools = tuple(_pool(one, nbar, route[j], nbar * received[j]) for j, one in enumerate(found))
    units, unit = cost_units(model, lattice)
    active = 1.0 - float(stationary[0])
    spent = float(units @ stationary) * float(unit) / active if active > 0 else 0.0
    return ServerPlan(pools, lattice, phi, nbar, float(model.budget), spent, stationary, requests, certified, source)


def classes_of(model: JobModel, part: PolicyPart, table: PolicyTable) -> tuple[RecurrentClass, ...]:
    """The recurrent classes of a policy, with their shares of all servers."""
    lattice = lattice_of(model)
    chain = chain_of(model, lattice, table)
    return recurrent_classes(lattice, table, chain, part)


def _pool(
    found: RecurrentClass, nbar: float, route: NDArray[np.float64], arrival_rates: NDArray[np.float64]
) -> PoolPlan:
    """The pool of a recurrent class."""
    own = found.table
    servers = ceiling(found.share * nbar)
    return PoolPlan(
        servers=servers,
        token_limit=ceiling(sqrt(servers)),
        nbar=found.share * nbar,
        share=found.share,
        route=route,
        case=own.case,
        rate=own.rate,
        choice=own.choice,
        patch=None if own.case[0] == TIMERS else found.start.astype(np.int32),
        patch_rate=PATCH_RATE,
        stationary=found.stationary,
        requests=found.requests,
        arrival_rates=arrival_rates,
    )


def plan_from_file(path: Path | str, model: JobModel, scale: Fraction) -> ServerPlan:
    """The plan of a policy that a JSON file gives with its pi and u.

    Classes and pools are made from the policy for this model and scale.

    Raises
    ------
    ScenarioError
        If the file cannot be read, or does not fit the model; names the file and the entry.
    """
    given: GivenSolution = read_solution(Path(path), model)
    whole = PolicyPart(1.0, given.stationary, given.requests)
    source = f"given in {Path(path).name}"
    return plan_of(model, scale, [(whole, given.table)], False, source)


def plan_from_pools(tables: Sequence[PoolTable | dict[str, Any]], model: JobModel) -> ServerPlan:
    """The plan that explicit pools are; nothing is known of Phi, pi and u.

    A type goes to the pools that may request it, in proportion to their servers.

    Raises
    ------
    ScenarioError
        If a table does not fit the model; names the pool and the entry.
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
