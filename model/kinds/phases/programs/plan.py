"""What Join-Requesting-Server needs to know before it starts: pools, and a policy for each.

Hong, Xie & Wang (2023), Section 4.2 and Appendix B.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, nan
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import Lattice, lattice_of
from slotscope.model.kinds.phases.programs.plan_tables import PoolTable, pool_tables

#: Ceilings forgive a relative excess that rounding alone can make.
CEILING_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class PoolPlan:
    """One pool of normal servers and its single-server policy (Appendix B.3)."""

    servers: int  #: L_j, normal servers
    token_limit: int  #: eta_max of the pool
    nbar: float  #: p_j Nbar, of which ``servers`` is the ceiling; NaN where it is not known
    share: float  #: p_j; NaN where it is not known
    route: NDArray[np.float64]  #: [I] the probability that an arriving job of a type goes to this pool
    case: NDArray[np.int8]  #: [C] int8: 1 (timers run), 2 (a request at once) or 3 (nothing) in each configuration
    rate: NDArray[np.float64]  #: [C, I] rates of the timers in case 1, else 0
    choice: NDArray[np.float64]  #: [C, I] probabilities of the type requested in case 2, else 0
    #: [I] int32: what a server that rests at 0 requests when the timer of rate ``patch_rate`` ticks, all at once; None
    #: where it needs none
    patch: NDArray[np.int32] | None
    patch_rate: float  #: the rate of that timer
    stationary: NDArray[np.float64]  #: [C] pi^j, 0 outside the pool's recurrent class
    requests: NDArray[np.float64]  #: [C, I] u^j, transition frequencies of one server
    arrival_rates: NDArray[np.float64]  #: [I] jobs of each type into the pool per unit of time, at the plan's scale


@dataclass(frozen=True, eq=False)
class ServerPlan:
    """All pools of a plan, and the solution of (61) that they come from."""

    pools: tuple[PoolPlan, ...]  #: the pools; their normal servers are numbered in this order
    lattice: Lattice  #: the configurations that all arrays are over
    phi: float  #: Phi, the throughput of one server; NaN where it is not known
    nbar: float  #: Nbar = r / Phi; NaN where it is not known
    #: budget, spent: epsilon, and the cost per active server h^T pi / (1 - pi(0)); NaN where not known
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
    """The least integer that is at least *value*, up to rounding."""
    return ceil(value - CEILING_TOLERANCE * abs(value))


def plan_from_pools(tables: Sequence[PoolTable | dict[str, Any]], model: JobModel) -> ServerPlan:
    """The plan that explicit pools are; nothing is known of Phi, pi and u.

    A type goes to the pools that may request it, in proportion to their servers.
    Raises ScenarioError if a table does not fit the model; names the pool and the entry.
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
