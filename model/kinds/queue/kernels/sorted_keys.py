"""Whole numbers in order, of which some come and go: the least one that is not below another, in a few reads.

They lie in blocks, each in order, and a list has the blocks in order by their least key.  A block that is full is
split, and two neighbours that together fill no more than half of one become one, so that there are never many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned

Array = Any

#: Keys of a block at most, and of two neighbours at least.
MOST, FEWEST = 64, 33


class SortedKeys(NamedTuple):
    """B blocks; the first USED of ``block`` are in use, in order of their keys, the others are free."""

    key: NDArray[np.int64]  #: [B, MOST]
    held: NDArray[np.int64]  #: [B] keys of a block
    block: NDArray[np.int64]  #: [B] blocks in order
    least: NDArray[np.int64]  #: [B] beside ``block``: no key of it is less, nor one of the block before greater
    used: NDArray[np.int64]  #: [1]


def sorted_keys(keys: NDArray[np.int64]) -> SortedKeys:
    """Some keys, all different, with room for as many and no more."""
    half = MOST // 2
    # Two neighbours have FEWEST keys, or a half of a block that was split beside an empty one: at least half of MOST.
    blocks = 2 * len(keys) // half + 3
    made = SortedKeys(
        key=np.zeros((blocks, MOST), np.int64),
        held=np.zeros(blocks, np.int64),
        block=np.arange(blocks),
        least=np.zeros(blocks, np.int64),
        used=np.ones(1, np.int64),
    )
    ordered = np.sort(keys)
    for place, start in enumerate(range(0, len(keys), half)):
        part = ordered[start : start + half]
        made.key[place, : len(part)] = part
        made.held[place], made.least[place], made.used[0] = len(part), part[0], place + 1
    return made


@jitable
def rank_of(keys: Any, key: Any) -> int:
    """Which block in order has a key, or would have it."""
    rank = 0
    left = keys.used[0]
    while left > 1:  # which half it is cannot be foreseen: a choice of values costs less than a jump
        half = left >> 1
        rank = rank + half if keys.least[unsigned(rank + half)] <= key else rank
        left -= half
    return int(rank)


@jitable
def position(keys: Any, block: int, key: Any) -> int:
    """How many keys of a block are less than one."""
    less = 0
    left = keys.held[unsigned(block)]
    while left > 0:
        half = (left + 1) >> 1
        less = less + half if keys.key[unsigned(block), unsigned(less + half - 1)] < key else less
        left -= half
    return int(less)


@jitable
def first_from(keys: Any, key: Any) -> Any:
    """The least key that is at least *key*, or -1."""
    for rank in range(rank_of(keys, key), keys.used[0]):
        block = keys.block[unsigned(rank)]
        at = position(keys, block, key)
        if at < keys.held[unsigned(block)]:
            return keys.key[unsigned(block), unsigned(at)]
    return np.int64(-1)


@jitable
def add(keys: Any, key: Any) -> None:
    """A key that is not there comes."""
    rank = rank_of(keys, key)
    if keys.held[unsigned(keys.block[unsigned(rank)])] == MOST:
        split(keys, rank)
        if keys.least[unsigned(rank + 1)] <= key:
            rank += 1
    block = keys.block[unsigned(rank)]
    at = position(keys, block, key)
    for place in range(keys.held[unsigned(block)], at, -1):
        keys.key[unsigned(block), unsigned(place)] = keys.key[unsigned(block), unsigned(place - 1)]
    keys.key[unsigned(block), unsigned(at)] = key
    keys.held[unsigned(block)] += 1
    if at == 0:
        keys.least[unsigned(rank)] = key


@jitable
def drop(keys: Any, key: Any) -> None:
    """A key that is there goes."""
    rank = rank_of(keys, key)
    block = keys.block[unsigned(rank)]
    last = keys.held[unsigned(block)] - 1
    for place in range(position(keys, block, key), last):
        keys.key[unsigned(block), unsigned(place)] = keys.key[unsigned(block), unsigned(place + 1)]
    keys.held[unsigned(block)] = last
    join(keys, rank)
    if rank > 0:
        join(keys, rank - 1)


@jitable
def split(keys: Any, rank: int) -> None:
    """The upper half of a block that is full becomes one of its own."""
    half = MOST // 2
    used = keys.used[0]
    full, fresh = keys.block[unsigned(rank)], keys.block[unsigned(used)]
    for place in range(half):
        keys.key[unsigned(fresh), unsigned(place)] = keys.key[unsigned(full), unsigned(half + place)]
    keys.held[unsigned(full)] = half
    keys.held[unsigned(fresh)] = half
    for other in range(used, rank + 1, -1):
        keys.block[unsigned(other)] = keys.block[unsigned(other - 1)]
        keys.least[unsigned(other)] = keys.least[unsigned(other - 1)]
    keys.block[unsigned(rank + 1)] = fresh
    keys.least[unsigned(rank + 1)] = keys.key[unsigned(fresh), 0]
    keys.used[0] = used + 1


@jitable
def join(keys: Any, rank: int) -> None:
    """A block takes the keys of the next one, if there is one and both have few."""
    used = keys.used[0]
    if rank + 1 >= used:
        return
    block, other = keys.block[unsigned(rank)], keys.block[unsigned(rank + 1)]
    there, come = keys.held[unsigned(block)], keys.held[unsigned(other)]
    if there + come >= FEWEST:
        return
    for place in range(come):
        keys.key[unsigned(block), unsigned(there + place)] = keys.key[unsigned(other), unsigned(place)]
    keys.held[unsigned(block)] = there + come
    for later in range(rank + 1, used - 1):
        keys.block[unsigned(later)] = keys.block[unsigned(later + 1)]
        keys.least[unsigned(later)] = keys.least[unsigned(later + 1)]
    keys.block[unsigned(used - 1)] = other
    keys.used[0] = used - 1
