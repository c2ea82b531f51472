"""What changes of a state just before an event are made of, for several kinds."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from slotscope.model.systems import heap


def with_policy(system: Any, **attributes: Any) -> Any:
    """The same system under a copy of its policy with other attributes."""
    policy = copy(system.policy)
    for name, value in attributes.items():
        setattr(policy, name, value)
    other = copy(system)
    other.policy = policy
    return other


def rescheduled(system: Any, field: str, count: int, record: int, time: float, state: Any) -> Any:
    """The *system*, after what is due of a job record comes at another *time*.

    *field* of the state has it, and ``number[count]`` the size of the heap.
    """
    due, size = getattr(state, field), int(state.number[count])
    position = int(np.flatnonzero(state.heap_record[:size] == record)[0])
    heap.remove(state.heap_time, state.heap_record, size, position, state.job_number)
    due[record] = time
    heap.push(state.heap_time, state.heap_record, size - 1, time, record, state.job_number)
    return system


def soonest(due: np.ndarray, server: np.ndarray, asked: int, most: int) -> np.ndarray:
    """Records in order of what is *due* of them: at most so many, and as many on the server asked about (-1: none)."""
    order = np.argsort(due, kind="stable")
    order = order[np.isfinite(due[order])]
    there = order[server[order] == asked][:most] if asked >= 0 else order[:0]
    return np.asarray(np.r_[there, order[:most][server[order[:most]] != asked]] if asked >= 0 else order[:most])
