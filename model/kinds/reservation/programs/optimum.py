"""LP (3.2) solved exactly, over all configurations, without enumerating them.

Psychas & Ghaderi (2022), (3.2).  With slots w that stay idle instead of jobs y:

    max  sum_k U(k) x_k - sum_j u_j w_j
    s.t. sum_k k_j x_k - w_j <= rho_j   (price p_j),     sum_k x_k = 1   (price q)

A configuration improves the solution if sum_j (u_j - p_j) k_j > q; finding the one with the largest
left side is a knapsack problem like MaxReward.  If none improves, the prices prove the optimum:
they are feasible for the dual of (3.2) over all of K, and the values are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Iterable, Literal, Sequence

from slotscope.model.exact import dot
from slotscope.model.kinds.reservation.programs.greedy import check_numbers
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace, integer_rewards
from slotscope.model.programs.simplex import ExactSimplex

#: A column of the program: servers of a configuration, unused workload, idle slots.
Column = tuple[Literal["servers", "unserved", "idle"], Configuration]


@dataclass(frozen=True)
class ExactOptimum:
    """An optimal solution of LP (3.2) and its proof, all exact."""

    value: Fraction  #: U*[rho]
    servers: tuple[tuple[Configuration, Fraction], ...]  #: (k, x_k) for the x_k > 0, which add up to 1
    jobs: tuple[Fraction, ...]  #: [J] y_j
    #: workload_prices, server_price: [J] the dual variables of (3.2b) and that of (3.2d): the marginal value of
    #: workload of each type, and of a server
    workload_prices: tuple[Fraction, ...]
    server_price: Fraction
    generated: tuple[Configuration, ...]  #: all configurations that were considered; an optimum needs no others
    pivots: int  #: steps of the simplex method
    #: [J + 1][J + 1] the basic columns, the row of the servers last.  Their prices do not depend on rho: for all rho
    #: for which they are feasible they are optimal, and U* is linear in rho.
    basis: tuple[tuple[int, ...], ...]


def exact_optimum(
    space: ConfigurationSpace,
    rewards: Sequence[Fraction],
    workload: Sequence[Fraction],
    known: Iterable[Configuration] = (),
) -> ExactOptimum:
    """U*[rho] exactly, with primal and dual solution.

    - *space*: K, over J types.
    - *rewards*, *workload*: [J] u_j and rho_j, both >= 0.
    - *known*: Configurations that are tried before others are searched for.  If they are the support of an optimal
      solution, no other enters except to complete the prices.

    Raises ValueError if a length is wrong, a number negative, or a search too long.
    """
    check_numbers(space, rewards, workload)
    program = _OptimumProgram(space, rewards, workload)
    for configuration in known:
        if not space.contains(configuration):
            raise ValueError(f"configuration {configuration} is not feasible")
        program.pool.setdefault(tuple(configuration))
    while program.improve():
        pass
    return program.result()


class _OptimumProgram:
    """The master program; rows 0..J-1 are the types, row J the servers."""

    def __init__(self, space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]) -> None:
        self.space, self.workload = space, tuple(workload)
        self.rewards, self.reward_unit = integer_rewards(rewards)
        # Right-hand sides as integers: quantities are multiples of 1 / scale.
        self.scale = lcm(*(amount.denominator for amount in workload))
        self.pool: dict[Configuration, None] = {}
        types = space.types
        labels: list[Column] = [("unserved", _unit(j, types)) for j in range(types)]
        labels.append(("servers", (0,) * types))
        right = [int(amount * self.scale) for amount in workload]
        self.simplex = ExactSimplex([*right, self.scale], labels, [0] * (types + 1))

    def improve(self) -> bool:
        """Enter the best column at the present prices; False if none improves."""
        *prices, server_price = self.simplex.prices()
        if self._improve_slack(prices):
            return True
        worth = [reward * self.simplex.denominator - price for reward, price in zip(self.rewards, prices, strict=True)]
        best = max(self.pool, key=lambda k: dot(worth, k), default=(0,) * self.space.types)
        if dot(worth, best) <= server_price:
            best = self.space.heaviest(worth)
        if dot(worth, best) <= server_price:
            return False
        self.pool.setdefault(best)
        self.simplex.enter(("servers", best), [*best, 1], dot(self.rewards, best))
        return True

    def _improve_slack(self, prices: Sequence[int]) -> bool:
        """Enter unserved workload of a type with p_j < 0, or idle slots of one with p_j > u_j."""
        scale, types = self.simplex.denominator, self.space.types
        unserved = min(range(types), key=lambda j: prices[j])
        idle = max(range(types), key=lambda j: prices[j] - self.rewards[j] * scale)
        if prices[unserved] < 0:
            unit = _unit(unserved, types)
            self.simplex.enter(("unserved", unit), [*unit, 0], 0)
        elif prices[idle] > self.rewards[idle] * scale:
            unit = _unit(idle, types)
            column = [-entry for entry in unit]
            self.simplex.enter(("idle", unit), [*column, 0], -self.rewards[idle])
        else:
            return False
        return True

    def result(self) -> ExactOptimum:
        """The present basic solution, in the caller's units."""
        servers = [
            (configuration, amount / self.scale)
            for (kind, configuration), amount in self.simplex.solution().items()
            if kind == "servers"
        ]
        slots = [
            sum((share * configuration[j] for configuration, share in servers), Fraction(0))
            for j in range(self.space.types)
        ]
        unit = self.reward_unit / self.simplex.denominator
        *prices, server_price = (price * unit for price in self.simplex.prices())
        return ExactOptimum(
            value=self.simplex.objective() * self.reward_unit / self.scale,
            servers=tuple(sorted(servers, reverse=True)),
            jobs=tuple(map(min, slots, self.workload)),
            workload_prices=tuple(prices),
            server_price=server_price,
            generated=tuple(self.pool),
            pivots=self.simplex.pivots,
            basis=tuple(_entries(column) for column in self.simplex.basis),
        )


def _entries(column: Column) -> tuple[int, ...]:
    """A column of the program, with the row of the servers last."""
    kind, vector = column
    if kind == "servers":
        return (*vector, 1)
    sign = 1 if kind == "unserved" else -1
    return (*(sign * entry for entry in vector), 0)


def _unit(j: int, types: int) -> Configuration:
    return tuple(int(i == j) for i in range(types))
