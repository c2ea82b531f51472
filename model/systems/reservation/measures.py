"""The measures of a loss system: reward rate and counts, in the paper's words."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from model.metrics import BATCHES, Estimate, batch_rates, estimate
from model.systems.reservation.numbers import ReservationNumbers
from model.systems.reservation.sampling import TIME_COLUMN, area_until_now, columns
from model.systems.reservation.state import (
    ADMITTED,
    MIGRATED,
    REASSIGNMENTS,
    REJECTED,
    ReservationState,
)


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
    edges = np.linspace(warmup, until, BATCHES + 1)
    batches = []
    before = None
    for edge in edges:
        state = advance(float(np.nextafter(edge, -np.inf)))
        now = _totals(numbers, state, float(edge))
        if before is not None:
            batches.append(now - before)
        before = now
    table = np.array(batches)
    length = (until - warmup) / BATCHES
    result = {"reward_rate": estimate(table[:, 0] / length)}
    for column, name in enumerate(("admitted", "rejected", "migrations", "reassignments"), 1):
        one = estimate(table[:, column])
        result[name] = Estimate(one.mean * BATCHES, one.half_width * BATCHES)
    arrivals = table[:, 1] + table[:, 2]
    shares = table[:, 2][arrivals > 0] / arrivals[arrivals > 0]
    result["rejection_probability"] = estimate(shares)
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


__all__ = ["Estimate", "reward_rate", "run_metrics", "running_reward"]
