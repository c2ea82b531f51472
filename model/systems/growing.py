"""The job records of a state: how they begin, and how there come to be more of them.

A state has arrays with a place for each job in the system, its record, and in ``free_record`` a
stack of those that hold none.
"""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

#: By the name of an array: what a record that holds no job has in it, and the array's type.
RecordFields = Mapping[str, tuple[float, type]]


def blank_records(fields: RecordFields, count: int) -> dict[str, Any]:
    """[count] of each field, and the stack of free records: all of them, the lowest on top."""
    arrays: dict[str, Any] = {name: np.full(count, blank, kind) for name, (blank, kind) in fields.items()}
    return arrays | {"free_record": np.arange(count, dtype=np.int32)[::-1].copy()}


def with_more_records(state: Any, fields: RecordFields, free: int) -> Any:
    """*state* with twice the records; the new ones are free, below those that were.

    *free* is the place in ``state.number`` that counts the free ones.
    """
    records, left = len(state.free_record), int(state.number[free])
    grown = {}
    for name, (blank, _) in fields.items():
        array = getattr(state, name)
        more = np.full((records, *array.shape[1:]), blank, array.dtype)
        grown[name] = np.concatenate([array, more])
    stack = np.full(2 * records, -1, np.int32)
    stack[:records] = np.arange(2 * records - 1, records - 1, -1)
    stack[records : records + left] = state.free_record[:left]
    state.number[free] = records + left
    return state._replace(**grown, free_record=stack)
