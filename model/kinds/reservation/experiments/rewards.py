"""The rewards that the loss system's experiments compare: those of runs, and those in the limit."""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.programs.optimum import exact_optimum
from slotscope.model.lab.parts import Outcome


def rewards_in_the_limit(numbers: ReservationNumbers) -> tuple[Fraction, Fraction]:
    """U^(g)[rho] and U*[rho], exactly."""
    greedy = global_greedy(numbers.space, numbers.rewards, numbers.workload).objective
    return greedy, exact_optimum(numbers.space, numbers.rewards, numbers.workload).value


def rewards(outcomes: Sequence[Outcome]) -> list[float]:
    """The mean reward rate of each replication."""
    return [item["metrics"]["reward_rate"] for item in outcomes]
