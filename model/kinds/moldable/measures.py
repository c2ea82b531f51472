"""The measures of moldable jobs: blocking, execution times, and the distance from the optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable import sampling
from slotscope.model.kinds.moldable.numbers import MoldableNumbers, tables_of
from slotscope.model.kinds.moldable.programs.bounds import MoldableBounds
from slotscope.model.kinds.moldable.programs.distance import DistanceBounds
from slotscope.model.kinds.moldable.state import (
    ADMITTED,
    ARRIVED,
    BELOW,
    BLOCKED,
    DEPARTED,
    DISTANCE,
    OF_ADMITTED,
    OF_DEPARTED,
    PARTIAL,
    SPLIT,
    SQUARED,
    MoldableState,
)
from slotscope.model.measures.metrics import Batches, between, ratio
from slotscope.model.measures.monitors import Claim

#: The counts that are measured, by name: rows of ``tally``.
_COUNTED = {"admitted": ADMITTED, "blocked": BLOCKED, "partial": PARTIAL, "split": SPLIT, "departed": DEPARTED}

#: Widths up to this one have a measure each.
MOST_WIDTHS = 16


def totals(numbers: MoldableNumbers, state: MoldableState, now: float) -> NDArray[np.float64]:
    """[l, PER_CLASS + d + 1] each class's columns of a sample at *now*, and its integrals of X_i up to *now*."""
    tables = tables_of(numbers)
    row = np.zeros(sampling.width(numbers.classes))
    later = state._replace(clock=np.array([now]))
    sampling.sample(later, tables.pair, tables.speedup, row)
    told = row[sampling.SCALARS :].reshape(numbers.classes, sampling.PER_CLASS)
    return np.hstack([told, state.area + state.jobs * (now - state.since)])


def _allocations(numbers: MoldableNumbers, areas: NDArray[np.float64], length: float) -> dict[str, Batches]:
    """x_i: the mean number of jobs on i servers divided by n; by class if there are several.

    For large degrees only the smallest widths and those of I*; empty if *areas* [B, l, 0] has no widths.
    """
    result: dict[str, Batches] = {}
    if not areas.shape[2]:
        return result
    for j, (name, degree) in enumerate(zip(numbers.class_names, numbers.degrees, strict=True)):
        prefix = "x" if numbers.classes == 1 else f"x_{name}"
        few = range(1, min(degree, MOST_WIDTHS) + 1)
        for i in sorted({*few, *numbers.support[j]}):
            values = areas[:, j, i] / (length * numbers.servers)
            result[f"{prefix}_{i}"] = Batches(values)
    return result


def totals_at(
    numbers: MoldableNumbers, samples: NDArray[np.float64], times: NDArray[np.float64]
) -> NDArray[np.float64]:
    """[t, l, PER_CLASS] the columns of each class at increasing times, interpolated between samples."""
    before, after, share = between(samples[:, sampling.TIME_COLUMN], times)
    values = samples[:, sampling.SCALARS :]
    found = values[before] + share[:, None] * (values[after] - values[before])
    return np.asarray(found.reshape(len(times), numbers.classes, sampling.PER_CLASS))


def batches_of(numbers: MoldableNumbers, table: NDArray[np.float64], length: float) -> dict[str, Batches]:
    """Each measure in batches, from its growth in stretches of *length*.

    There are three statistics of the mean execution time: over the admitted jobs, over the departed jobs,
    and by Little's law, Ghanbarian et al. (2025), (4).  ``busy`` is q_1; ``departure_rate`` is the
    right-hand side of (3): s_i x_i divided by the mean inherent size, in jobs per server and unit
    of time.  ``below`` is the share of time with more than one job on fewer than i1 servers
    (Lemma 2), averaged over the classes.

    - *table*: [B, l, PER_CLASS] differences of samples, or of :func:`totals`.
    """
    total = table.sum(axis=1)
    counts = total[:, sampling.COUNTS :]
    admitted, per_server = counts[:, ADMITTED], length * numbers.servers
    areas = total[:, sampling.LEVEL_AREA :]
    leaving = table[:, :, sampling.RATE_AREA] @ np.array([float(1 / mean) for mean in numbers.means])
    result = {
        "blocking_probability": ratio(counts[:, BLOCKED], counts[:, ARRIVED]),
        "execution_time": ratio(total[:, sampling.TIMES + OF_ADMITTED], admitted),
        "execution_time_completed": ratio(total[:, sampling.TIMES + OF_DEPARTED], counts[:, DEPARTED]),
        "execution_time_little": ratio(total[:, sampling.JOBS_AREA], admitted),
        "jobs": Batches(total[:, sampling.JOBS_AREA] / length),
        "busy": Batches(total[:, sampling.BUSY_AREA] / per_server),
        "departure_rate": Batches(leaving / per_server),
    }
    if numbers.optimum is not None:
        result["distance"] = Batches(areas[:, DISTANCE] / per_server)
        result["squared_distance"] = Batches(areas[:, SQUARED] / (per_server * numbers.servers))
        result["below"] = Batches(areas[:, BELOW] / (length * numbers.classes))
    for name, row in _COUNTED.items():
        result[name] = Batches(counts[:, row], len(table))
    if numbers.classes > 1:
        for j, name in enumerate(numbers.class_names):
            result[f"blocking_probability_{name}"] = ratio(
                table[:, j, sampling.COUNTS + BLOCKED], table[:, j, sampling.COUNTS + ARRIVED]
            )
    return result | _allocations(numbers, table[:, :, sampling.PER_CLASS :], length)


def headline_series(numbers: MoldableNumbers, samples: NDArray[np.float64]) -> tuple[NDArray[np.float64], None]:
    """[n] the share of the jobs so far that were blocked; 0 before the first job."""
    table = samples[:, sampling.SCALARS :].reshape(len(samples), numbers.classes, sampling.PER_CLASS)
    counts = table[:, :, sampling.COUNTS :].sum(axis=1)
    return counts[:, BLOCKED] / np.maximum(counts[:, ARRIVED], 1), None


def headline_now(_numbers: MoldableNumbers, state: MoldableState) -> float:
    """The share of the jobs so far that were blocked; 0 before the first job."""
    return float(state.tally[BLOCKED].sum() / max(int(state.tally[ARRIVED].sum()), 1))


def _theorem2(bounds: MoldableBounds) -> DistanceBounds | None:
    return bounds.classes[0].theorem2 if len(bounds.classes) == 1 else None


def _squared(_: Any, bounds: MoldableBounds) -> float | None:
    found = _theorem2(bounds)
    return None if found is None else found.squared


def _distance(_: Any, bounds: MoldableBounds) -> float | None:
    found = _theorem2(bounds)
    return None if found is None else found.distance


#: What Ghanbarian et al. (2025) prove about greedy(p*) and about the long run, for one class of jobs.
CLAIMS = (
    Claim(
        "squared-distance",
        "Under greedy(p*) the jobs on each number of servers stay near the optimum, in the square",
        "E[Σ s_i (x_i − y*_i)²] ≤ (19)",
        "Proposition 2, (19)",
        "squared_distance",
        "at most",
        _squared,
        "greedy-p",
    ),
    Claim(
        "near-optimum",
        "Under greedy(p*) the distance from the optimum vanishes as n grows",
        "E‖x − y*‖ = O(n^{-1/4})",
        "Theorem 2, Section 5.2",
        "distance",
        "at most",
        _distance,
        "greedy-p",
    ),
)
