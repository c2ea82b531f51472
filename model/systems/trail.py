"""A running hash of what has happened, so that the digest of a state covers its history."""

from __future__ import annotations

from typing import Any

import numpy as np

from model.jit import jitable


@jitable
def mixed(trail: Any, value: int) -> Any:
    """One step of a 64-bit running hash (the finalizer of splitmix64)."""
    word = trail ^ np.uint64(value)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))
