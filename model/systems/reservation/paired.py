"""Measures of several runs on the same jobs so far, in the same batches of time.

Time since the warm-up is cut into equal stretches, the same for all runs; what is common to
the runs in a stretch (the jobs) cancels in their difference, so that its interval is narrow.
"""

from __future__ import annotations

from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from model.metrics import BATCHES, Batches
from model.systems.reservation.measures import batches_of, reward_rate
from model.systems.reservation.numbers import ReservationNumbers
from model.systems.reservation.sampling import REASSIGNED_COLUMN, TIME_COLUMN, columns


def batches_so_far(
    numbers: ReservationNumbers,
    samples: Sequence[NDArray[np.float64]],
    warmup: float,
    now: float,
) -> tuple[dict[str, Batches], ...]:
    """Each run's measures in the same stretches of [warmup, now]; none if that is empty.

    Parameters
    ----------
    samples:
        For each run [n, width] its samples, see :mod:`model.systems.reservation.sampling`.
    warmup, now:
        In the scenario's unit of time.  The stretches end with the last sample that all have.

    Integrals are interpolated between samples; a count is that of the last sample before.
    """
    start = max(warmup, *(float(table[0, TIME_COLUMN]) for table in samples))
    end = min(now, *(float(table[-1, TIME_COLUMN]) for table in samples))
    if end <= start:
        return ()
    edges = np.linspace(start, end, BATCHES + 1)
    length = (end - start) / BATCHES
    return tuple(batches_of(np.diff(totals_at(numbers, table, edges), axis=0), length)
                 for table in samples)  # fmt: skip


def totals_at(
    numbers: ReservationNumbers, samples: NDArray[np.float64], times: NDArray[np.float64]
) -> NDArray[np.float64]:
    """[n, 5] integral of the reward rate, and counts, up to each of n increasing times."""
    grid = samples[:, TIME_COLUMN]
    before = np.clip(np.searchsorted(grid, times, side="right") - 1, 0, len(grid) - 1)
    after = np.minimum(before + 1, len(grid) - 1)
    areas = [reward_rate(numbers, samples[rows][:, columns("area", numbers.types)])
             for rows in (before, after)]  # fmt: skip
    span = grid[after] - grid[before]
    share = np.divide(times - grid[before], span, out=np.zeros(len(times)), where=span > 0)
    counts = [samples[before][:, columns(name, numbers.types)].sum(axis=1)
              for name in ("admitted", "rejected", "migrated")]  # fmt: skip
    reassigned = samples[before, REASSIGNED_COLUMN]
    return np.column_stack([areas[0] + share * (areas[1] - areas[0]), *counts, reassigned])
