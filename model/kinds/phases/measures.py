"""The measures of a system with phases: servers, cost, tokens, virtual and backup jobs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.sampling import ACTIVE_COLUMN, AREA_COLUMNS, COUNTED, SCALARS, TIME_COLUMN
from slotscope.model.kinds.phases.state import (
    ACTIVE,
    ACTIVE_AREA,
    AREAS,
    BACKUP_AREA,
    COST_AREA,
    INTEGRATED,
    NOW,
    REAL_AREA,
    TOKENS_AREA,
    VIRTUAL_AREA,
    PhaseState,
)
from slotscope.model.measures.metrics import Batches, last_at, ratio
from slotscope.model.measures.monitors import Claim

#: The counts that are measured, summed over types, in the order of ``COUNTED``.
COUNTS = ("requests", "matches", "virtual_arrivals", "overflows")

_MEANS = {
    "active_servers": ACTIVE_AREA,
    "tokens": TOKENS_AREA,
    "virtual_jobs": VIRTUAL_AREA,
    "backup_jobs": BACKUP_AREA,
    "real_jobs": REAL_AREA,
}


def totals(_numbers: PhaseNumbers, state: PhaseState, now: float) -> NDArray[np.float64]:
    """[AREAS + 4] integrals over time and counts up to *now*."""
    elapsed = now - float(state.clock[NOW])
    areas = state.area + state.number[list(INTEGRATED)] * elapsed
    return np.asarray(np.r_[areas, state.tally[list(COUNTED)].sum(axis=1)], np.float64)


def totals_at(numbers: PhaseNumbers, samples: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n, AREAS + 4] as :func:`totals`, at each of n increasing times, computed from samples.

    Between samples the state is taken to be constant, and counts are those of the last sample.
    """
    last = samples[last_at(samples[:, TIME_COLUMN], times)]
    elapsed = (times - last[:, TIME_COLUMN])[:, None]
    values = last[:, ACTIVE_COLUMN : ACTIVE_COLUMN + AREAS]
    areas = last[:, AREA_COLUMNS : AREA_COLUMNS + AREAS] + values * elapsed
    first, phases = SCALARS + numbers.phases, numbers.phases
    counts = last[:, first:].reshape(len(last), len(COUNTED), phases).sum(axis=2)
    return np.hstack([areas, counts])


def batches_of(numbers: PhaseNumbers, table: NDArray[np.float64], length: float) -> dict[str, Batches]:
    """Each measure in batches, from its growth in stretches of *length*.

    *table* [B, AREAS + 4] has the growth of the integrals, and of the counts of :data:`COUNTS`, in each stretch.
    C is the integral of h over all servers divided by the integral of N (Hong, Xie & Wang (2023), Section 2).
    """
    result = {name: Batches(table[:, place] / length) for name, place in _MEANS.items()}
    active = table[:, ACTIVE_AREA]
    cost = table[:, COST_AREA] * float(numbers.cost_unit)
    result["cost_rate"] = ratio(cost, active) if active.any() else Batches(np.zeros(len(cost)))
    for column, name in enumerate(COUNTS, AREAS):
        result[name] = Batches(table[:, column], len(table))
    return result


def headline_series(_numbers: PhaseNumbers, samples: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """[n] N at each sample, and [n] the integral of N up to each."""
    return samples[:, ACTIVE_COLUMN], samples[:, AREA_COLUMNS + ACTIVE_AREA]


def headline_now(_numbers: PhaseNumbers, state: PhaseState) -> float:
    """N, the number of active servers."""
    return float(state.number[ACTIVE])


def _budget(numbers: PhaseNumbers, _: Any) -> float | None:
    return None if numbers.model.hard else float(numbers.model.budget)


def _least_servers(_: Any, bounds: Any) -> float | None:
    """Nbar*, the lower bound, which JRS also approaches."""
    nbar: float | None = bounds.nbar
    return nbar if bounds.solved else None


#: What Hong, Xie & Wang (2023) claim about servers and costs in the long run.
CLAIMS = (
    Claim(
        "budget",
        "The cost rate of contention, per active server, stays within its budget",
        "C(σ) ≤ ε",
        "(2), Section 2",
        "cost_rate",
        "at most",
        _budget,
        "jrs",
    ),
    Claim(
        "lower-bound",
        "No policy within the budget does with fewer servers than the single-server problem says",
        "N* ≥ N̄*",
        "Theorem 2",
        "active_servers",
        "at least",
        _least_servers,
    ),
)
