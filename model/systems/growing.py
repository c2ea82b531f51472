"""The job records of a state: which are free, and how there come to be more of them.

A state has arrays with a place for each job in the system, its record (axis M), and in ``free_record`` a
stack of those that hold none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.statespec import StateSpec


def free_records(count: int) -> NDArray[np.int32]:
    """[count] the stack of free records: all of them, the lowest on top."""
    return np.arange(count, dtype=np.int32)[::-1].copy()


def with_more_records(spec: StateSpec, state: Any, free: int) -> Any:
    """*state* with twice the records; the new ones are free, below those that were.

    *free* is the place in ``state.number`` that counts the free ones.
    """
    records, left = len(state.free_record), int(state.number[free])
    larger = spec.longer(state, "M")
    larger.free_record[:records] = np.arange(2 * records - 1, records - 1, -1)
    larger.free_record[records : records + left] = state.free_record[:left]
    larger.number[free] = records + left
    return larger
