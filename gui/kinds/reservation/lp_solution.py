"""Optimum and global greedy assignment at one workload alpha rho, as the LP panel shows them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Mapping, Sequence

import numpy as np

from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.greedy import GreedyAssignment, global_greedy
from slotscope.model.kinds.reservation.programs.optimum import ExactOptimum, exact_optimum
from slotscope.model.kinds.reservation.programs.reward_lp import RewardProgram
from slotscope.model.programs.configurations import Configuration
from slotscope.model.reporting.frame import Frame

#: Configurations that have a row of their own.
MOST_ROWS = 8

Shares = Mapping[Configuration, float]


@dataclass(frozen=True)
class Solution:
    """Both solutions for the workload alpha rho, per server.

    ``best`` and ``packed`` are x* and x^(g); ``jobs`` and ``slots`` belong to the optimum,
    as do the prices.  ``workload_binds`` and ``slots_bind`` say for each type whether (3.2b)
    and (3.2c) hold with equality.
    """

    alpha: Fraction
    optimum: Fraction
    greedy: Fraction
    best: Shares
    packed: Shares
    workload: tuple[float, ...]
    jobs: tuple[float, ...]
    slots: tuple[float, ...]
    workload_binds: tuple[bool, ...]
    slots_bind: tuple[bool, ...]
    prices: tuple[float, ...]
    server_price: float


def solve_at(numbers: ReservationNumbers, bounds: Bounds, alpha: Fraction) -> Solution:
    """Solve for the workload alpha rho; at alpha = 1 it is what *bounds* says.

    Raises ValueError if the bounds are not known yet, or a search is too long.
    """
    if bounds.optimum is None or bounds.greedy is None:
        raise ValueError("the programs have not been solved yet")
    workload = tuple(alpha * amount for amount in numbers.workload)
    if alpha == 1:
        return _as_proved(bounds.optimum, bounds.greedy, workload)
    known = bounds.optimum.configurations
    proof = exact_optimum(numbers.space, numbers.rewards, workload, known)
    greedy = global_greedy(numbers.space, numbers.rewards, workload)
    return _as_solved(alpha, proof, greedy, workload)


def _as_proved(program: RewardProgram, greedy: GreedyAssignment, workload: Sequence[Fraction]) -> Solution:
    types = range(len(workload))
    best = dict(zip(program.configurations, program.servers, strict=True))
    return Solution(
        alpha=Fraction(1),
        optimum=program.exact,
        greedy=greedy.objective,
        best=best,
        packed=_floats(greedy.fractions()),
        workload=tuple(map(float, workload)),
        jobs=program.jobs,
        slots=tuple(sum(share * k[j] for k, share in best.items()) for j in types),
        workload_binds=tuple(f"workload {j + 1}" in program.binding for j in types),
        slots_bind=tuple(f"slots {j + 1}" in program.binding for j in types),
        prices=program.workload_duals,
        server_price=program.server_dual,
    )


def _as_solved(
    alpha: Fraction, proof: ExactOptimum, greedy: GreedyAssignment, workload: Sequence[Fraction]
) -> Solution:
    slots = [sum((share * k[j] for k, share in proof.servers), Fraction(0)) for j in range(len(workload))]
    return Solution(
        alpha=alpha,
        optimum=proof.value,
        greedy=greedy.objective,
        best=_floats(dict(proof.servers)),
        packed=_floats(greedy.fractions()),
        workload=tuple(map(float, workload)),
        jobs=tuple(map(float, proof.jobs)),
        slots=tuple(map(float, slots)),
        workload_binds=tuple(a == b for a, b in zip(proof.jobs, workload, strict=True)),
        slots_bind=tuple(a == b for a, b in zip(proof.jobs, slots, strict=True)),
        prices=tuple(map(float, proof.workload_prices)),
        server_price=float(proof.server_price),
    )


def _floats(shares: Mapping[Configuration, Fraction]) -> Shares:
    return {configuration: float(share) for configuration, share in shares.items()}


def present_shares(frame: Frame) -> Shares:
    """X_k / L: the share of the servers that each configuration present has."""
    classes = frame.derived
    counts = np.bincount(classes.stack, minlength=len(classes.configurations))
    total = len(classes.stack)
    rows = zip(classes.configurations.tolist(), counts.tolist(), strict=True)
    return {tuple(row): count / total for row, count in rows if count}


@dataclass(frozen=True)
class BarRow:
    """Shares of the servers in one configuration; no configuration stands for all others."""

    configuration: Configuration | None
    best: float
    packed: float
    present: float

    @property
    def largest(self) -> float:
        """The largest of the three shares."""
        return max(self.best, self.packed, self.present)


def bar_rows(solution: Solution, present: Shares, rewards: Sequence[Fraction]) -> tuple[BarRow, ...]:
    """The configurations that a solution uses, the highest reward first, then all others.

    Of more than :data:`MOST_ROWS` those with the largest shares are kept.
    """

    def reward(row: BarRow) -> tuple[Fraction, Configuration]:
        configuration = row.configuration or ()
        pairs = zip(rewards, configuration, strict=True)
        return sum((a * b for a, b in pairs), Fraction(0)), configuration

    rows = [
        BarRow(k, solution.best.get(k, 0.0), solution.packed.get(k, 0.0), present.get(k, 0.0))
        for k in {*solution.best, *solution.packed, *present}
    ]
    used = [row for row in rows if row.best or row.packed]
    kept = sorted(used, key=lambda row: row.largest, reverse=True)[:MOST_ROWS]
    left = [row for row in rows if row not in kept]
    others = BarRow(
        None, sum(row.best for row in left), sum(row.packed for row in left), sum(row.present for row in left)
    )
    kept.sort(key=reward, reverse=True)
    return (*kept, others) if others.largest else tuple(kept)
