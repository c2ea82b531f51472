"""The measures of a loss system: reward rate and counts, in the paper's words."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from model.metrics import BATCHES, Batches, Estimate, batch_rates, estimate, estimates, ratio
from model.systems.reservation.numbers import ReservationNumbers
from model.systems.reservation.sampling import TIME_COLUMN, area_until_now, columns
from model.systems.reservation.state import (
    ADMITTED,
    MIGRATED,
    REASSIGNMENTS,
    REJECTED,
    ReservationState,
)

#: What is counted over a run, in the order of :func:`batches_of`.
COUNTS = ("admitted", "rejected", "migrations", "reassignments")


def reward_rate(numbers: ReservationNumbers, jobs: NDArray[Any]) -> NDArray[np.float64]:
    """Sum of u_j Y_j / L, normalized by the number of servers, for jobs [.., J]."""
    rewards = np.array([float(reward) for reward in numbers.rewards])
    return np.asarray(jobs @ rewards / numbers.servers)


def run_metrics(
    numbers: ReservationNumbers,
    state: ReservationState,
    advance: Callable[[float], ReservationState],
    warmup: float,
    until: float,
) -> dict[str, Estimate]:
    """Metrics over [warmup, until) in batches; *advance(t)* runs to time t.

    What happens at the very end of a batch counts for the next one.
    """
    return estimates(run_batches(numbers, state, advance, warmup, until))


def run_batches(
    numbers: ReservationNumbers,
    state: ReservationState,
    advance: Callable[[float], ReservationState],
    warmup: float,
    until: float,
) -> dict[str, Batches]:
    """Each metric in :data:`BATCHES` equal stretches of [warmup, until); see :func:`run_metrics`.

    Runs on the same jobs have batches of the same stretches, and can be paired.
    """
    edges = np.linspace(warmup, until, BATCHES + 1)
    rows = []
    before = None
    for edge in edges:
        state = advance(float(np.nextafter(edge, -np.inf)))
        now = _totals(numbers, state, float(edge))
        if before is not None:
            rows.append(now - before)
        before = now
    return batches_of(np.array(rows), (until - warmup) / BATCHES)


def batches_of(table: NDArray[np.float64], length: float) -> dict[str, Batches]:
    """Each metric from what it grew by in stretches of *length*.

    Parameters
    ----------
    table:
        [B, 5] the integral of the reward rate, jobs admitted and rejected, migrations and
        reassignments, in each stretch.
    """
    result = {"reward_rate": Batches(table[:, 0] / length)}
    for column, name in enumerate(COUNTS, 1):
        result[name] = Batches(table[:, column], len(table))
    result["rejection_probability"] = ratio(table[:, 2], table[:, 1] + table[:, 2])
    return result


def _totals(
    numbers: ReservationNumbers, state: ReservationState, now: float
) -> NDArray[np.float64]:
    area = reward_rate(numbers, area_until_now(state, now))
    counts = state.tally[:, [ADMITTED, REJECTED, MIGRATED]].sum(axis=0)
    return np.asarray(np.r_[area, counts, state.number[REASSIGNMENTS]], np.float64)


def running_reward(
    numbers: ReservationNumbers, samples: NDArray[np.float64], warmup: float
) -> Estimate:
    """The mean reward rate since *warmup* of the samples of a run, by batch means."""
    kept = samples[samples[:, TIME_COLUMN] >= warmup]
    totals = reward_rate(numbers, kept[:, columns("area", numbers.types)])
    return estimate(batch_rates(kept[:, TIME_COLUMN], totals))


__all__ = [
    "Batches", "Estimate", "batches_of", "reward_rate", "run_batches", "run_metrics",
    "running_reward",
]  # fmt: skip
