"""The measures of a loss system: reward rate and counts, in the paper's terms."""

from __future__ import annotations

from math import e
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.bounds import Bounds
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.sampling import REASSIGNED_COLUMN, TIME_COLUMN, area_until_now, columns
from slotscope.model.kinds.reservation.state import ADMITTED, MIGRATED, REASSIGNMENTS, REJECTED, ReservationState
from slotscope.model.measures.metrics import Batches, between, ratio
from slotscope.model.measures.monitors import Claim

#: The counts of a run, in the order of :func:`batches_of`.
COUNTS = ("admitted", "rejected", "migrations", "reassignments")


def reward_rate(numbers: ReservationNumbers, jobs: NDArray[Any]) -> NDArray[np.float64]:
    """The sum of u_j Y_j / L, the reward rate per server, for jobs [.., J]."""
    rewards = np.array([float(reward) for reward in numbers.rewards])
    return np.asarray(jobs @ rewards / numbers.servers)


def batches_of(_numbers: ReservationNumbers, table: NDArray[np.float64], length: float) -> dict[str, Batches]:
    """The batches of each measure, from the increments of the totals over batches of *length* units of time.

    - *table*: [B, 5] the integral of the reward rate, and the numbers of jobs admitted and rejected, of migrations and
      of reassignments, in each batch.
    """
    result = {"reward_rate": Batches(table[:, 0] / length)}
    for column, name in enumerate(COUNTS, 1):
        result[name] = Batches(table[:, column], len(table))
    result["rejection_probability"] = ratio(table[:, 2], table[:, 1] + table[:, 2])
    return result


def totals(numbers: ReservationNumbers, state: ReservationState, now: float) -> NDArray[np.float64]:
    """[5] the totals up to *now*: the integral of the reward rate, and the counts."""
    area = reward_rate(numbers, area_until_now(state, now))
    counts = state.tally[:, [ADMITTED, REJECTED, MIGRATED]].sum(axis=0)
    return np.asarray(np.r_[area, counts, state.number[REASSIGNMENTS]], np.float64)


def totals_at(
    numbers: ReservationNumbers, samples: NDArray[np.float64], times: NDArray[np.float64]
) -> NDArray[np.float64]:
    """[n, 5] as :func:`totals`, at each of n increasing times, computed from samples.

    Integrals are interpolated between samples; counts are those of the last sample before.
    """
    before, after, share = between(samples[:, TIME_COLUMN], times)
    areas = [reward_rate(numbers, samples[rows][:, columns("area", numbers.types)]) for rows in (before, after)]
    counts = [
        samples[before][:, columns(name, numbers.types)].sum(axis=1) for name in ("admitted", "rejected", "migrated")
    ]
    reassigned = samples[before, REASSIGNED_COLUMN]
    return np.column_stack([areas[0] + share * (areas[1] - areas[0]), *counts, reassigned])


def headline_series(
    numbers: ReservationNumbers, samples: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[n] the reward rate at each sample, and [n] its exact integral up to each."""
    jobs, areas = (samples[:, columns(name, numbers.types)] for name in ("jobs", "area"))
    return reward_rate(numbers, jobs), reward_rate(numbers, areas)


def headline_now(numbers: ReservationNumbers, state: ReservationState) -> float:
    """The reward rate."""
    return float(reward_rate(numbers, state.jobs_in_system))


def _optimum(_: Any, bounds: Bounds) -> float | None:
    """U*[rho], (3.2)."""
    return None if bounds.optimum is None else float(bounds.optimum.exact)


def _half(_: Any, bounds: Bounds) -> float | None:
    return None if bounds.optimum is None else float(bounds.optimum.exact) / 2


def _monotone(_: Any, bounds: Bounds) -> float | None:
    return None if bounds.optimum is None else float(bounds.optimum.exact) * (1 - 1 / e)


#: The results of Psychas & Ghaderi (2022) on the reward of DRA, and of every policy.
CLAIMS = (
    Claim(
        "optimum",
        "No policy earns more in the long run than the optimum of the static program",
        "F/L ≤ U*[ρ]",
        "(3.2), Section 3",
        "reward_rate",
        "at most",
        _optimum,
    ),
    Claim(
        "half",
        "DRA earns at least half of the optimum, as L grows",
        "lim F/F* ≥ 1/2",
        "Theorem 3",
        "reward_rate",
        "at least",
        _half,
        "dra",
    ),
    Claim(
        "monotone",
        "DRA earns at least 1 − 1/e of the optimum, as L grows, under the monotone greedy property",
        "lim F/F* ≥ 1 − 1/e",
        "Theorem 3, Definition 8",
        "reward_rate",
        "at least",
        _monotone,
        "dra",
    ),
)
