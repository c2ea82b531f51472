"""The plan of a scenario: solves (61), or reads a policy from a file, and makes the pools.

Hong, Xie & Wang (2023), Section 4.2 and Appendix B.3.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf, sqrt
from pathlib import Path
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import cost_units, lattice_of
from slotscope.model.kinds.phases.programs.chains import RecurrentClass, chain_of, recurrent_classes
from slotscope.model.kinds.phases.programs.plan import (
    CEILING_TOLERANCE,
    GivenSolution,
    PoolPlan,
    ServerPlan,
    ceiling,
    read_solution,
)
from slotscope.model.kinds.phases.programs.policy import TIMERS, PolicyPart, PolicyTable, policy_of, together
from slotscope.model.kinds.phases.programs.simplex import Progress, unheard
from slotscope.model.kinds.phases.programs.single_server import solved

#: The rate of the timer of a server in configuration 0 (Appendix B.3).
PATCH_RATE = 1.0


def planned(model: JobModel, scale: Fraction, progress: Progress = unheard) -> ServerPlan:
    """Solve (61) and make the pools of B.3 for a scale r.

    Solutions are cached by job model, pools by job model and scale.
    Raises ScenarioError if there are too many configurations, or no server can serve what arrives; GivenUpError
    if the caller's wait was cancelled.
    """
    solved(model, progress)  # reports progress; the pools then use the cached solution
    return _pools_of(model, scale)


@lru_cache(maxsize=16)
def _pools_of(model: JobModel, scale: Fraction) -> ServerPlan:
    found = solved(model)
    policies = [(part, policy_of(part.stationary, part.requests)) for part in found.parts]
    return plan_of(model, scale, policies, found.certified, "solved")


def plan_of(
    model: JobModel, scale: Fraction, policies: Sequence[tuple[PolicyPart, PolicyTable]], certified: bool, source: str
) -> ServerPlan:
    """The pools of B.3 for the recurrent classes of some policies, each on its share of the servers.

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
    """The plan of a policy from a JSON file with its pi and u.

    Classes and pools are computed from the policy for this model and scale.
    Raises ScenarioError with the file and the entry if the file cannot be read, or does not fit the model.
    """
    given: GivenSolution = read_solution(Path(path), model)
    whole = PolicyPart(1.0, given.stationary, given.requests)
    source = f"given in {Path(path).name}"
    return plan_of(model, scale, [(whole, given.table)], False, source)
