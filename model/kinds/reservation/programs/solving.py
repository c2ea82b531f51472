"""All programs of a loss system at once, for the window: optimum, greedy, both curves, and V."""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.programs.alpha_curve import alpha_curve
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.lyapunov import Lyapunov, lyapunov
from slotscope.model.kinds.reservation.programs.pools import PoolShare, pooled_optimum
from slotscope.model.kinds.reservation.programs.reward_lp import RewardProgram, solve_optimum
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace


def solve_bounds(pools: Sequence[PoolShare], rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> Bounds:
    """Optimum, greedy assignment, the curves over alpha, and the function V of a workload rho.

    What cannot be solved is None, and ``problem`` says why; nothing is raised for numbers
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
    """The optimum; what the paper proves of the greedy assignment it proves for one pool."""
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
    """V, or None where there are too many greedy configurations, or nothing fits."""
    try:
        return lyapunov(space, rewards, workload)
    except ValueError:
        return None
