"""The bounds on the reward of a loss system with slots: step by step for the window, and as plain data.

The programs are the optimum, the greedy assignment, both curves over alpha, and V.  The bound over
time is that of the infinite system with the same arrivals (Psychas & Ghaderi 2022, Section 7.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Iterable, Iterator, Sequence

import numpy as np

from slotscope.model.kinds.reservation.arrivals import workload_of
from slotscope.model.kinds.reservation.bounds import Bounds, BoundSeries
from slotscope.model.kinds.reservation.initial import starting_jobs
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.programs.alpha_curve import alpha_curve
from slotscope.model.kinds.reservation.programs.greedy import GreedyAssignment, global_greedy
from slotscope.model.kinds.reservation.programs.infinite import infinite_bound
from slotscope.model.kinds.reservation.programs.lyapunov import Lyapunov, lyapunov
from slotscope.model.kinds.reservation.programs.pools import PoolShare, pooled_optimum
from slotscope.model.kinds.reservation.programs.reward_lp import RewardProgram, solve_optimum
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace
from slotscope.model.scenario.common import TraceWorkload

#: The default number of points of a curve.
POINTS = 2_000


def upper_bound_series(scenario: ReservationScenario, until: float | None = None, points: int = POINTS) -> BoundSeries:
    """The bound at *points* times from 0 to *until* (by default the scenario's); it holds for every policy.

    Raises UserError if the scenario cannot run, or its trace has not been read; ValueError if a search is too
    long.
    """
    numbers = numbers_of(scenario)
    times = np.linspace(0.0, float(scenario.run.until) if until is None else until, points)
    starting = starting_jobs(scenario, numbers)
    return BoundSeries(times, infinite_bound(numbers, workload_of(scenario, numbers), times, starting))


def all_bounds(scenario: ReservationScenario) -> Iterator[Bounds]:
    """The bounds on a scenario's reward: first the programs, then also the bound over time."""
    numbers = numbers_of(scenario)
    bounds = solve_bounds(numbers.pool_shares, numbers.rewards, numbers.workload)
    yield bounds
    if isinstance(scenario.workload, TraceWorkload):
        return  # the scenario does not contain its jobs
    try:
        yield replace(bounds, infinite=upper_bound_series(scenario))
    except ValueError:  # a search was too long: the programs remain
        return


def solve_bounds(pools: Sequence[PoolShare], rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> Bounds:
    """Optimum, greedy assignment, the curves over alpha, and the function V of a workload rho.

    Programs that cannot be solved are None, and ``problem`` tells why; nothing is raised for numbers
    that are merely too large.
    """
    if not any(workload):
        return Bounds(problem="The workload is 0 or unknown, so there is nothing to bound.")
    if len(pools) > 1:
        return _over_pools(pools, rewards, workload)
    space = pools[0][0]
    try:
        optimum = solve_optimum(space, rewards, workload)
        greedy = global_greedy(space, rewards, workload)
    except ValueError as error:
        return Bounds(problem=f"The programs are too large: {error}")
    function = _lyapunov(space, rewards, workload)
    try:
        curve = alpha_curve(space, rewards, workload)
    except ValueError as error:
        problem = f"The curve over alpha is too large: {error}"
        return Bounds(optimum, greedy, None, problem, function)
    return Bounds(optimum, greedy, curve, lyapunov=function)


def _over_pools(pools: Sequence[PoolShare], rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> Bounds:
    """The optimum only, because the paper's results on the greedy assignment are for one pool."""
    try:
        found = pooled_optimum(pools, rewards, workload)
    except ValueError as error:
        return Bounds(problem=f"The programs are too large: {error}")
    used: dict[Configuration, Fraction] = {}
    for _, configuration, share in found.servers:
        used[configuration] = used.get(configuration, Fraction(0)) + share
    optimum = RewardProgram(
        objective=float(found.value),
        exact=found.value,
        status="optimal",
        solver="",
        configurations=tuple(used),
        servers=tuple(map(float, used.values())),
        jobs=tuple(map(float, found.jobs)),
        workload_duals=tuple(map(float, found.workload_prices)),
        server_dual=float(sum(price * share for price, (_, share) in zip(found.pool_prices, pools, strict=True))),
        binding=("servers",),
    )
    return Bounds(
        optimum,
        problem=(
            f"With {len(pools)} pools of servers U* is {float(found.value):.6g}. The greedy "
            "assignment and its curve are drawn for one pool only; 'slotscope bounds' prints both."
        ),
    )


def _lyapunov(space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> Lyapunov | None:
    """V, or None if there are too many greedy configurations, or nothing fits."""
    try:
        return lyapunov(space, rewards, workload)
    except ValueError:
        return None


@dataclass(frozen=True)
class Guarantee:
    """A lower bound of U^(g)[rho] / U*[rho] proved in the paper."""

    ratio: float
    condition: str
    source: str


#: U^(g) >= U*/2 whatever the types, rewards and workload.
ALWAYS = Guarantee(0.5, "always", "Psychas & Ghaderi (2022), Theorem 1")
#: U^(g) >= (1 - 1/e) U* if a larger workload never decreases U^(g).
MONOTONE = Guarantee(
    1 - 1 / math.e,
    "if a larger workload never has a smaller greedy reward (Definition 8)",
    "Psychas & Ghaderi (2022), Theorem 2",
)
GUARANTEES = (ALWAYS, MONOTONE)


def bounds(space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> dict[str, Any]:
    """The optimum and the global greedy assignment of a workload, ready for JSON.

    - *space*: K, over J types.
    - *rewards*, *workload*: [J] u_j and rho_j, both >= 0.

    Returns ``programs`` (name -> ``objective``, ``exact``, ``status``, ``solution``, and further keys of each),
    ``optimal``, ``greedy``, ``ratio`` (None if the optimum is 0) and ``guarantees``.  Exact numbers are strings
    such as ``"799/927"``.

    Raises ValueError if a length is wrong, a number negative, or a search too long.
    """
    optimum = solve_optimum(space, rewards, workload)
    greedy = global_greedy(space, rewards, workload)
    ratio = None
    if optimum.exact:
        ratio = float(greedy.objective / optimum.exact)
    return {
        "programs": {"optimum": _optimum_data(optimum), "greedy": _greedy_data(greedy)},
        "optimal": optimum.objective,
        "greedy": float(greedy.objective),
        "ratio": ratio,
        "guarantees": [
            {"ratio": item.ratio, "condition": item.condition, "source": item.source} for item in GUARANTEES
        ],
    }


def _optimum_data(program: RewardProgram) -> dict[str, Any]:
    return {
        "objective": program.objective,
        "exact": str(program.exact),
        "status": program.status,
        "solver": program.solver,
        "solution": _solution(zip(program.configurations, program.servers, strict=True)),
        "jobs": list(program.jobs),
        "workload_prices": list(program.workload_duals),
        "server_price": program.server_dual,
        "binding": list(program.binding),
    }


def _greedy_data(greedy: GreedyAssignment) -> dict[str, Any]:
    return {
        "objective": float(greedy.objective),
        "exact": str(greedy.objective),
        "status": "exact",
        "solution": _solution((configuration, float(share)) for configuration, share in greedy.fractions().items()),
        "permutation": [j + 1 for j in greedy.permutation],
        "z": [str(share) for share in greedy.z],
        "last": greedy.last,
    }


def _solution(shares: Iterable[tuple[Configuration, float]]) -> list[dict[str, Any]]:
    return [{"configuration": list(configuration), "servers": share} for configuration, share in shares]
