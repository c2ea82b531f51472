"""The maximum supportable workload rho* of finitely many job types, exactly.

Psychas & Ghaderi (2019), Section III.A, (4): the largest rho for which the workload vector
rho P is in the sum of the servers' convex hulls of feasible configurations,

    max  rho
    s.t. rho P_j <= sum_p sum_{k in K_p} k_j x_k   (price y_j, for every type j)
         sum_{k in K_p} x_k = L_p                  (price q_p, for every pool p of servers)

Configurations are generated as columns: one that improves the solution has sum_j y_j k_j > q_p, and
the one of maximum weight is found as a knapsack problem.  If none improves, the prices prove that the
solution is optimal: they satisfy sum_j P_j y_j = 1 and q_p >= <y, k> for all k of K_p, so that no rho
above sum_p L_p q_p is supportable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, Literal, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.exact import dot
from slotscope.model.kinds.queue.programs.packing import Packer
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace
from slotscope.model.programs.simplex import ExactSimplex
from slotscope.model.programs.solver import OBJECTIVE_TOLERANCE, choose_solver

#: The weight of the best prices so far in the smoothed prices.
INERTIA = 0.8

Prices = NDArray[np.float64]


class Smoothing:
    """Proposes a configuration for each pool at smoothed prices, which change less from step to step.

    The prices of a master program with few columns oscillate.  A search at a convex combination of these
    prices and the best prices so far needs a fraction of the columns (P. Wentges,
    "Weighted Dantzig-Wolfe decomposition for linear mixed-integer programming", International
    Transactions in Operational Research 4, 1997).  The best prices are those with the least bound on rho*
    (sum_p L_p max_k <y, k> at <P, y> = 1); the first are the sizes themselves, with Lemma 1's bound.
    A result is only a proposal: the caller checks it exactly at its own prices.

    - *packers*, *counts*: [P] the pools and L_p; all pools must have tables.
    - *probabilities*: [J] P_j.
    """

    def __init__(self, packers: Sequence[Packer], counts: Sequence[int], probabilities: Sequence[float]) -> None:
        self._packers, self._counts = packers, counts
        self._shares = np.array(probabilities)
        sizes = np.array([row[0] for row in packers[0].space.demand], np.float64)
        self._best = sizes / (sizes @ self._shares)
        self._bound = np.inf

    def proposals(self, prices: Sequence[float]) -> list[Configuration]:
        """[P] configurations of large weight at the combination of *prices* [J] and the best prices so far."""
        present = np.array(prices)
        worth = float(present @ self._shares)
        if worth <= 0:
            return []
        mixed = INERTIA * self._best + (1 - INERTIA) * present / worth
        found = [packer.near(mixed) for packer in self._packers]
        bound = sum(
            count * float(np.array(configuration) @ mixed)
            for count, configuration in zip(self._counts, found, strict=True)
        )
        if bound < self._bound:
            self._bound, self._best = bound, mixed
        return found


#: A pool of identical servers: their feasible configurations and their number.
PoolOfServers = tuple[ConfigurationSpace, int]

#: A column: servers of a pool with a configuration, slots that stay empty, or rho.
_Column = tuple[Literal["servers", "idle", "workload"], int, Configuration]

#: The prices are smoothed if there are more types than this.
FEW_TYPES = 3
#: The most maximal configurations that are listed for a solver.
MOST_WRITTEN = 1_000


class ServersWith(NamedTuple):
    """The number of servers of a pool that have a configuration, on average over time."""

    pool: int
    configuration: Configuration
    servers: Fraction


@dataclass(frozen=True)
class SupportableWorkload:
    """An optimal solution of (4) and its proof, all exact."""

    value: Fraction  #: rho*, in jobs
    servers: int  #: L
    solution: tuple[ServersWith, ...]  #: the configurations that support rho*; the servers of a pool add up to L_p
    type_prices: tuple[Fraction, ...]  #: [J] y_j, with sum_j P_j y_j = 1 (at least 1 where rho* is 0)
    pool_prices: tuple[Fraction, ...]  #: [P] q_p: the increase of rho* by one more server of each pool
    generated: int  #: the number of configurations generated

    def load(self, workload: Fraction) -> Fraction | None:
        """rho / rho*: *workload* as a share of the supportable workload; None if rho* is 0."""
        return workload / self.value if self.value else None

    def shares(self) -> dict[Configuration, Fraction]:
        """The share of all servers that have each configuration, summed over the pools."""
        found: dict[Configuration, Fraction] = {}
        for _, configuration, servers in self.solution:
            share = servers / self.servers
            found[configuration] = found.get(configuration, Fraction(0)) + share
        return found


def pools_of(
    sizes: Sequence[Sequence[Fraction | int]], capacities: Sequence[tuple[Sequence[Fraction | int], int]]
) -> tuple[PoolOfServers, ...]:
    """Pools of servers that hold jobs of finitely many sizes (Definition 1).

    - *sizes*: [J][D] the demand of one job of each type for each resource.
    - *capacities*: [P] the capacity [D] of a server of each pool, and the number of its servers.

    Raises ValueError if a number is negative, lengths differ, or the numbers differ too much in magnitude.
    """
    return tuple((ConfigurationSpace.from_demands(sizes, capacity), count) for capacity, count in capacities)


def supportable(pools: Sequence[PoolOfServers], probabilities: Sequence[Fraction]) -> SupportableWorkload:
    """rho* of (4) by exact column generation.

    - *pools*: [P] the feasible configurations over J types, and the number of servers of each pool.
    - *probabilities*: [J] P_j >= 0, not all 0.  They need not sum to 1: jobs that take no room may be left out, and
      rho* then still counts all jobs.

    Raises ValueError if a length is wrong, a number out of range, or a search too long.
    """
    _check(pools, probabilities)
    program = _SupportableProgram(pools, probabilities)
    while program.improve():
        pass
    return program.result()


def _check(pools: Sequence[PoolOfServers], probabilities: Sequence[Fraction]) -> None:
    if not pools or any(count < 1 for _, count in pools):
        raise ValueError("found a pool without servers, or no pool; at least 1 server is needed")
    if any(space.types != len(probabilities) for space, _ in pools):
        raise ValueError(f"found {len(probabilities)} probabilities for another number of types")
    if min(probabilities) < 0 or not any(probabilities):
        raise ValueError("probabilities must be at least 0, and one of them above 0")


class _FewCosts(ExactSimplex[_Column]):
    """The simplex method for programs in which few columns have a cost, and columns have few entries."""

    def prices(self) -> list[int]:
        """See :class:`model.programs.simplex.ExactSimplex`."""
        total = [0] * len(self._tableau)
        for cost, row in zip(self._costs, self._tableau, strict=True):
            if cost:
                total = [sum_ + cost * entry for sum_, entry in zip(total, row[1:], strict=True)]
        return total

    def enter(self, label: _Column, column: Sequence[int], cost: int) -> None:
        """See :class:`model.programs.simplex.ExactSimplex`."""
        entries = [(place, entry) for place, entry in enumerate(column, start=1) if entry]
        direction = [sum(entry * row[place] for place, entry in entries) for row in self._tableau]
        leaving = self._leaving_row(direction)
        self._pivot(leaving, direction)
        self.basis[leaving] = label
        self._costs[leaving] = cost
        self.pivots += 1


class _SupportableProgram:
    """The master program; rows 0..J-1 are the types, then one row for each pool."""

    def __init__(self, pools: Sequence[PoolOfServers], probabilities: Sequence[Fraction]) -> None:
        self.types = len(probabilities)
        self.packers = [Packer(space) for space, _ in pools]
        self.counts = [count for _, count in pools]
        # The column of rho in integers: the program's variable is rho / scale.
        self.scale = lcm(*(share.denominator for share in probabilities))
        self.direction = [int(share * self.scale) for share in probabilities]
        self.smoothing: Smoothing | None = None
        if self.types > FEW_TYPES and all(packer.tabled for packer in self.packers):
            shares = [float(share) for share in probabilities]
            self.smoothing = Smoothing(self.packers, self.counts, shares)
        self.generated: set[tuple[int, Configuration]] = set()
        empty = (0,) * self.types
        labels: list[_Column] = [("idle", j, ()) for j in range(self.types)]
        labels += [("servers", p, empty) for p in range(len(pools))]
        right = [0] * self.types + self.counts
        self.simplex = _FewCosts(right, labels, [0] * len(right))

    def improve(self) -> bool:
        """Enter a column that improves the solution at the present prices; returns False if there is none."""
        prices = self.simplex.prices()
        cheapest = min(range(self.types), key=prices.__getitem__)
        if prices[cheapest] < 0:
            self.simplex.enter(("idle", cheapest, ()), self._unit(cheapest), 0)
            return True
        if dot(self.direction, prices[: self.types]) < self.simplex.denominator:
            column = [*self.direction, *([0] * len(self.counts))]
            self.simplex.enter(("workload", 0, ()), column, 1)
            return True
        proposal = self._proposal(prices)
        if proposal is None:
            return any(self._improve_pool(p, prices) for p in range(len(self.counts)))
        self._enter(*proposal)
        return True

    def _proposal(self, prices: Sequence[int]) -> tuple[int, Configuration] | None:
        """A pool and a configuration, proposed at smoothed prices, that improve at the present *prices*; or None."""
        if self.smoothing is None:
            return None
        scale = self.simplex.denominator
        found = self.smoothing.proposals([price / scale for price in prices[: self.types]])
        gains = [
            (dot(prices[: self.types], configuration) - prices[self.types + pool], pool)
            for pool, configuration in enumerate(found)
        ]
        gain, pool = max(gains, default=(0, 0))
        return (pool, found[pool]) if gain > 0 else None

    def _improve_pool(self, pool: int, prices: Sequence[int]) -> bool:
        """Enter a configuration for *pool* whose value at *prices* exceeds the pool's price; False if there is none."""
        limit = prices[self.types + pool]
        found = self.packers[pool].above(prices[: self.types], limit)
        if found is None:
            return False
        self._enter(pool, found)
        return True

    def _enter(self, pool: int, configuration: Configuration) -> None:
        self.generated.add((pool, configuration))
        column = self._unit(self.types + pool)
        column[: self.types] = [-count for count in configuration]
        self.simplex.enter(("servers", pool, configuration), column, 0)

    def _unit(self, row: int) -> list[int]:
        return [int(place == row) for place in range(self.types + len(self.counts))]

    def result(self) -> SupportableWorkload:
        """The present basic solution, in the caller's units."""
        solution = sorted(
            (
                ServersWith(pool, configuration, amount)
                for (kind, pool, configuration), amount in self.simplex.solution().items()
                if kind == "servers"
            ),
            key=lambda part: (part.pool, tuple(-count for count in part.configuration)),
        )
        unit = Fraction(self.scale, self.simplex.denominator)
        prices = [price * unit for price in self.simplex.prices()]
        return SupportableWorkload(
            value=self.simplex.objective() * self.scale,
            servers=sum(self.counts),
            solution=tuple(solution),
            type_prices=tuple(prices[: self.types]),
            pool_prices=tuple(prices[self.types :]),
            generated=len(self.generated),
        )


def solver_status(pools: Sequence[PoolOfServers], probabilities: Sequence[Fraction], found: SupportableWorkload) -> str:
    """``optimal`` if a solver finds the same value, otherwise a sentence with the solver's result.

    The solver gets all maximal configurations, or only those of the solution if these are too many.
    """
    import pulp

    solver, name, note = choose_solver()
    if solver is None:
        return note
    problem = formulate(
        [_written(p, pools, found) for p in range(len(pools))], [count for _, count in pools], probabilities
    )
    try:
        code = problem.solve(solver)
    except pulp.PulpSolverError as error:
        return f"{name} failed ({error}); the value is exact without it"
    if code != pulp.LpStatusOptimal:
        said = pulp.LpStatus[code].lower()
        return f"{name} says '{said}'; the value is exact without it"
    value, exact = float(pulp.value(problem.objective)), float(found.value)
    if not math.isclose(value, exact, rel_tol=OBJECTIVE_TOLERANCE, abs_tol=OBJECTIVE_TOLERANCE):
        return f"{name} found {value:.9g}; the optimum is {exact:.9g}"
    return note


def _written(pool: int, pools: Sequence[PoolOfServers], found: SupportableWorkload) -> list[Configuration]:
    try:
        rows = pools[pool][0].maximal(limit=MOST_WRITTEN)
    except ValueError:
        return [part.configuration for part in found.solution if part.pool == pool]
    return [tuple(map(int, row)) for row in rows]


def formulate(
    configurations: Sequence[Sequence[Configuration]], servers: Sequence[int], probabilities: Sequence[Fraction]
) -> Any:
    """The program (4) in PuLP.

    - *configurations*: [P][C_p][J] the configurations of the servers of each pool.
    - *servers*: [P] L_p.
    - *probabilities*: [J] P_j.
    """
    import pulp

    problem = pulp.LpProblem("supportable", pulp.LpMaximize)
    rho = problem.add_variable("rho", lowBound=0)
    problem += rho
    x = [
        [problem.add_variable(f"x_{p}_{i}", lowBound=0) for i in range(len(members))]
        for p, members in enumerate(configurations)
    ]
    for j, share in enumerate(probabilities):
        slots = pulp.lpSum(
            k[j] * x_k
            for members, amounts in zip(configurations, x, strict=True)
            for k, x_k in zip(members, amounts, strict=True)
        )
        problem += float(share) * rho <= slots, f"type_{j + 1}"
    for p, count in enumerate(servers):
        problem += pulp.lpSum(x[p]) == count, f"pool_{p + 1}"
    return problem
