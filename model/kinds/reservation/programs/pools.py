"""Optimum and greedy assignment for several pools of different servers, exactly.

Psychas & Ghaderi (2022) leave several pools to future work (Section 9: "constant fractions
of servers belong to different server types").  Pool p has the share b_p of the servers and
the feasible configurations K_p, so that LP (3.2) becomes

    max  sum_j u_j y_j
    s.t. y_j <= rho_j,   y_j <= sum_p sum_{k in K_p} k_j x_kp,   sum_{k in K_p} x_kp = b_p

and the greedy assignment uses, among the pools that have servers left, the one with the largest
MaxReward (as :mod:`model.kinds.reservation.policies.gpa` does with whole servers).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Iterable, Sequence

from slotscope.model.exact import dot
from slotscope.model.kinds.reservation.programs.greedy import check_numbers
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace, integer_rewards
from slotscope.model.programs.simplex import ExactSimplex

#: A pool: its feasible configurations, and its share of all servers.
PoolShare = tuple[ConfigurationSpace, Fraction]

#: A column: unused workload, idle slots, or servers of a pool (numbered from 0).
_Column = tuple[str, int, Configuration]


@dataclass(frozen=True)
class PooledAssignment:
    """The shares of all servers that have each configuration, by pool."""

    value: Fraction  #: reward per server and unit of time
    #: (p, k, x_kp) for the positive x_kp; those of a pool add up to its share
    servers: tuple[tuple[int, Configuration, Fraction], ...]
    jobs: tuple[Fraction, ...]  #: [J] y_j, jobs served per server
    #: workload_prices, pool_prices: [J] and [P] the marginal values at an optimum of workload of each type, and of
    #: servers of each pool (as a share of all); empty otherwise
    workload_prices: tuple[Fraction, ...] = ()
    pool_prices: tuple[Fraction, ...] = ()
    #: [J + P][J + P] the basic columns at an optimum, rows as in the program (the types, then the pools); for all
    #: right-hand sides for which they are feasible they are optimal.  Empty otherwise.
    basis: tuple[tuple[int, ...], ...] = ()


def pooled_optimum(
    pools: Sequence[PoolShare], rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> PooledAssignment:
    """U*[rho] over several pools, by exact column generation.

    - *pools*: [P] feasible configurations over J types, and shares b_p > 0.
    - *rewards*, *workload*: [J] u_j and rho_j, both >= 0.

    Raises ValueError if a length is wrong, a number negative, or a search too long.
    """
    for space, _ in pools:
        check_numbers(space, rewards, workload)
    program = _PoolsProgram(pools, rewards, workload)
    while program.improve():
        pass
    return program.result()


class _PoolsProgram:
    """The master program; rows 0..J-1 are the types, then one row for each pool."""

    def __init__(self, pools: Sequence[PoolShare], rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> None:
        self.spaces = [space for space, _ in pools]
        self.workload = tuple(workload)
        self.types = len(workload)
        self.rewards, self.reward_unit = integer_rewards(rewards)
        right = [*workload, *(share for _, share in pools)]
        self.scale = lcm(*(amount.denominator for amount in right))
        empty = (0,) * self.types
        labels: list[_Column] = [("unserved", j, empty) for j in range(self.types)]
        labels += [("servers", p, empty) for p in range(len(pools))]
        self.simplex = ExactSimplex([int(amount * self.scale) for amount in right], labels, [0] * len(right))

    def improve(self) -> bool:
        """Enter a column that improves at the present prices; False if none does."""
        prices = self.simplex.prices()
        scale = self.simplex.denominator
        for j, reward in enumerate(self.rewards):
            if prices[j] < 0:
                self.simplex.enter(("unserved", j, ()), self._column(j, 1), 0)
                return True
            if prices[j] > reward * scale:
                self.simplex.enter(("idle", j, ()), self._column(j, -1), -reward)
                return True
        worth = [u * scale - price for u, price in zip(self.rewards, prices, strict=False)]
        for p, space in enumerate(self.spaces):
            best = space.heaviest(worth)
            if dot(worth, best) > prices[self.types + p]:
                column = self._column(self.types + p, 1)
                column[: self.types] = best
                self.simplex.enter(("servers", p, best), column, dot(self.rewards, best))
                return True
        return False

    def _basis(self) -> tuple[tuple[int, ...], ...]:
        columns = []
        for kind, number, configuration in self.simplex.basis:
            row = self.types + number if kind == "servers" else number
            column = self._column(row, -1 if kind == "idle" else 1)
            if kind == "servers":
                column[: self.types] = configuration
            columns.append(tuple(column))
        return tuple(columns)

    def _column(self, row: int, entry: int) -> list[int]:
        return [entry * (place == row) for place in range(self.types + len(self.spaces))]

    def result(self) -> PooledAssignment:
        """The present basic solution in the caller's units."""
        servers = sorted(
            (p, configuration, amount / self.scale)
            for (kind, p, configuration), amount in self.simplex.solution().items()
            if kind == "servers"
        )
        unit = self.reward_unit / self.simplex.denominator
        prices = tuple(price * unit for price in self.simplex.prices())
        return PooledAssignment(
            value=self.simplex.objective() * self.reward_unit / self.scale,
            servers=tuple(servers),
            jobs=_served(servers, self.workload),
            workload_prices=prices[: self.types],
            pool_prices=prices[self.types :],
            basis=self._basis(),
        )


def pooled_greedy(
    pools: Sequence[PoolShare], rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> PooledAssignment:
    """The greedy assignment of a workload over several pools.

    - *pools*, *rewards*, *workload*: As for :func:`pooled_optimum`.

    Raises ValueError if a length is wrong or a number negative.
    """
    for space, _ in pools:
        check_numbers(space, rewards, workload)
    units, unit = integer_rewards(rewards)
    left = list(workload)
    shares = [share for _, share in pools]
    allowed = (1 << len(workload)) - 1
    used: dict[tuple[int, Configuration], Fraction] = {}
    while (best := _best(pools, units, allowed, shares)) is not None:
        p, configuration = best
        reach = {j: left[j] / count for j, count in enumerate(configuration) if count}
        first = min(reach, key=lambda j: (reach[j], j))
        share = min(reach[first], shares[p])
        left = [amount - share * k for amount, k in zip(left, configuration, strict=True)]
        shares[p] -= share
        used[best] = used.get(best, Fraction(0)) + share
        if share == reach[first]:
            allowed &= ~(1 << first)
    value = sum((share * dot(units, k) for (_, k), share in used.items()), Fraction(0))
    for p, share in enumerate(shares):
        used[p, (0,) * len(workload)] = share
    servers = tuple(sorted((p, k, share) for (p, k), share in used.items() if share))
    return PooledAssignment(value * unit, servers, _served(servers, workload))


def _served(
    servers: Iterable[tuple[int, Configuration, Fraction]], workload: Sequence[Fraction]
) -> tuple[Fraction, ...]:
    """[J] the jobs that the slots of *servers* serve, at most the workload."""
    slots = [Fraction(0)] * len(workload)
    for _, configuration, share in servers:
        slots = [have + share * k for have, k in zip(slots, configuration, strict=True)]
    return tuple(map(min, slots, workload))


def _best(
    pools: Sequence[PoolShare], units: Sequence[int], allowed: int, shares: Sequence[Fraction]
) -> tuple[int, Configuration] | None:
    """The pool with servers left whose MaxReward is largest, and its configuration; None if none fits."""
    found = []
    for p, (space, _) in enumerate(pools):
        fitting = sum(1 << j for j, fits in enumerate(space.fits) if fits) & allowed
        if shares[p] and fitting:
            configuration = space.max_reward(tuple(units), fitting)
            found.append((dot(units, configuration), -p, configuration))
    if not found:
        return None
    _, pool, configuration = max(found)
    return -pool, configuration
