"""Two-level bit sets over servers: set, clear, and the lowest member after another.

``words`` holds one bit for each server, ``summary`` one bit for each word that is not 0,
so that the lowest of 10,000 servers is found in two or three steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, lowest_bit, unsigned

Array = Any

ONE = np.uint64(1)
SIX = np.uint64(6)
LOW = np.uint64(63)
NO_BITS = np.uint64(0)
ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


def words_for(members: int) -> int:
    """How many words hold *members* bits."""
    return (members + 63) // 64


def packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """[..., n] booleans packed into [..., W] words, W = :func:`words_for` (n)."""
    padded = np.zeros((*bits.shape[:-1], words_for(bits.shape[-1]) * 64), np.bool_)
    padded[..., : bits.shape[-1]] = bits
    return np.asarray(np.packbits(padded, axis=-1, bitorder="little").view(np.uint64))


@jitable
def insert(words: Array, summary: Array, member: int) -> None:
    """Add a member."""
    place = np.uint64(member)
    word = place >> SIX
    words[word] |= ONE << (place & LOW)
    summary[word >> SIX] |= ONE << (word & LOW)


@jitable
def discard(words: Array, summary: Array, member: int) -> None:
    """Remove a member; nothing happens if it is not one."""
    place = np.uint64(member)
    word = place >> SIX
    left = words[word] & ~(ONE << (place & LOW))
    words[word] = left
    if left == NO_BITS:
        summary[word >> SIX] &= ~(ONE << (word & LOW))


@jitable
def next_member(words: Array, summary: Array, start: int) -> int:
    """The lowest member that is at least *start*, or -1."""
    word = start >> 6
    if word >= len(words):
        return -1
    rest = words[unsigned(word)] & (ALL_BITS << np.uint64(start & 63))
    if rest != NO_BITS:
        return (word << 6) + lowest_bit(rest)
    word += 1
    group = word >> 6
    if group >= len(summary):
        return -1
    found = summary[unsigned(group)] & (ALL_BITS << np.uint64(word & 63))
    while found == NO_BITS:
        group += 1
        if group >= len(summary):
            return -1
        found = summary[unsigned(group)]
    word = (group << 6) + lowest_bit(found)
    return (word << 6) + lowest_bit(words[unsigned(word)])
