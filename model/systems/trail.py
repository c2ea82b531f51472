"""A running hash of what has happened, so that the digest of a state covers its history."""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned
from slotscope.model.systems.random_words import scrambled


@jitable
def mixed(trail: Any, value: int) -> Any:
    """One step of a 64-bit running hash (the finalizer of splitmix64)."""
    return scrambled(trail ^ unsigned(value))
