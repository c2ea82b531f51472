"""Samples of a system with phases, taken every so many events, for curves and averages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable
from slotscope.model.kinds.phases.state import (
    AREAS,
    EVENT,
    INTEGRATED,
    MATCHED,
    NOW,
    OVERFLOWED,
    PAUSED,
    REQUESTED,
    VIRTUAL_ARRIVED,
    PhaseState,
)

#: Columns: the event and the time; the numbers of INTEGRATED; their integrals up to the time; the paused servers;
#: then, for each type, its tokens and the counts so far.
EVENT_COLUMN, TIME_COLUMN = 0, 1
(ACTIVE_COLUMN, COST_COLUMN, TOKENS_COLUMN, VIRTUAL_COLUMN, BACKUP_COLUMN, REAL_COLUMN) = range(2, 8)
AREA_COLUMNS = 8
PAUSED_COLUMN = AREA_COLUMNS + AREAS
SCALARS = PAUSED_COLUMN + 1

#: The counts of each type; a sample has them after the type's tokens.
COUNTED = (REQUESTED, MATCHED, VIRTUAL_ARRIVED, OVERFLOWED)
PER_TYPE = 1 + len(COUNTED)


def width(phases: int) -> int:
    """The number of columns of a sample for I phases."""
    return SCALARS + PER_TYPE * phases


@jitable
def sample(state: PhaseState, row: NDArray[np.float64]) -> None:
    """Fill one sample *row* [width(I)]."""
    row[EVENT_COLUMN] = state.number[EVENT]
    row[TIME_COLUMN] = state.clock[NOW]
    for place in range(AREAS):
        row[2 + place] = state.number[INTEGRATED[place]]
        row[AREA_COLUMNS + place] = state.area[place]
    row[PAUSED_COLUMN] = state.number[PAUSED]
    phases = state.token_count.shape[1]
    for i in range(phases):
        tokens = 0
        for pool in range(state.token_count.shape[0]):
            tokens += state.token_count[pool, i]
        row[SCALARS + i] = tokens
        for place in range(len(COUNTED)):
            row[SCALARS + (1 + place) * phases + i] = state.tally[COUNTED[place], i]
