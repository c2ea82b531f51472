"""Samples of a system of moldable jobs, taken every so many events, for curves and averages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable
from slotscope.model.kinds.moldable.state import BUSY, EVENT, JOBS, LEVELS, NOW, TALLIES, MoldableState

#: Columns: the event and the time, servers in use and jobs in the system.
EVENT_COLUMN, TIME_COLUMN, BUSY_COLUMN, JOBS_COLUMN = range(4)
SCALARS = 4

#: Then for each class: X of the two widths over which the state is drawn; the levels; integrals up to the time
#: of the jobs, of the servers that they use, of their total rate of departure s_i X_i,
#: and of the levels; counts; sums of execution times.
PAIR = 0
LEVEL = PAIR + 2
JOBS_AREA, BUSY_AREA, RATE_AREA = range(LEVEL + LEVELS, LEVEL + LEVELS + 3)
LEVEL_AREA = RATE_AREA + 1
COUNTS = LEVEL_AREA + LEVELS
TIMES = COUNTS + TALLIES
PER_CLASS = TIMES + 2


def width(classes: int) -> int:
    """The number of columns of a sample for l classes."""
    return SCALARS + PER_CLASS * classes


def columns(name: int, classes: int) -> NDArray[np.int64]:
    """[l] the columns of a quantity of each class in a sample."""
    return SCALARS + PER_CLASS * np.arange(classes) + name


@jitable
def sample(
    state: MoldableState, pair: NDArray[np.int32], speedup: NDArray[np.float64], row: NDArray[np.float64]
) -> None:
    """Fill one sample *row* [width(l)]; *pair* and *speedup* are those of the tables."""
    now = state.clock[NOW]
    row[EVENT_COLUMN] = state.number[EVENT]
    row[TIME_COLUMN] = now
    row[BUSY_COLUMN] = state.number[BUSY]
    row[JOBS_COLUMN] = state.number[JOBS]
    for j in range(state.jobs.shape[0]):
        start = SCALARS + j * PER_CLASS
        jobs = busy = rate = 0.0
        for i in range(1, state.jobs.shape[1]):
            spent = state.area[j, i] + state.jobs[j, i] * (now - state.since[j, i])
            jobs += spent
            busy += i * spent
            rate += speedup[j, i] * spent
        row[start + JOBS_AREA] = jobs
        row[start + BUSY_AREA] = busy
        row[start + RATE_AREA] = rate
        for side in range(2):
            row[start + PAIR + side] = state.jobs[j, pair[j, side]]
            row[start + TIMES + side] = state.time_sum[side, j]
        elapsed = now - state.class_since[j]
        for k in range(LEVELS):
            row[start + LEVEL + k] = state.level[j, k]
            row[start + LEVEL_AREA + k] = state.level_area[j, k] + state.level[j, k] * elapsed
        for k in range(TALLIES):
            row[start + COUNTS + k] = state.tally[k, j]
