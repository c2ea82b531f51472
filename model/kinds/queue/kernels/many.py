"""BF-J, BF-J/S and FIFO-FF compiled for very many servers, of which no search looks through all blocks.

Reference, Implements, Symbols
    As in :mod:`model.kinds.queue.kernels.best_fit` and :mod:`model.kinds.queue.kernels.fifo`, of whose loops these are
    copies with other searches.
Deviations
    None.

To look through blocks of servers (:mod:`model.kinds.queue.kernels.rooms`) is faster while they are few.

Keys in order (:class:`SortedKeys`), of which some come and go, tell the least one that is not below another
in a few reads.  They lie in blocks, each in order, and a list has the blocks in order by their least key.  A
block that is full is split, and two neighbours that together fill no more than half of one become one, so
that there are never many.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned, with_others
from slotscope.model.kinds.queue.kernels import best_fit, fifo, rooms
from slotscope.model.kinds.queue.kernels.rooms import BLOCK, Rooms, first_before, keep_most, most_of

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


#: Servers from which on it is faster to have them in order, where each job asks for the tightest one, and where BF-S
#: has placed most of them before; and to have blocks of blocks.
ASKED_BY_ALL, ASKED_BY_FEW, BY_FIRST_FIT = 4000, 40_000, 16_000

#: The bits of a key, which has what is free before the server's number.
KEY_BITS = 62

#: What follows blocks.
_set_free = rooms.set_free


class OrderedRooms(NamedTuple):
    """As :class:`.rooms.Rooms`, and servers by what is free on them."""

    free: NDArray[np.int64]
    most: NDArray[np.int64]
    left: NDArray[np.uint64]
    left_summary: NDArray[np.uint64]
    order: SortedKeys
    bits: NDArray[np.int64]  #: [1] those of a server's number


def have_keys(capacity: NDArray[np.int64]) -> bool:
    """Whether a key has room for what may be free on servers of this *capacity* [L, D], and for their numbers."""
    servers, resources = capacity.shape
    return bool(resources == 1 and int(capacity.max()).bit_length() + servers.bit_length() <= KEY_BITS)


def ordered(given: Rooms) -> OrderedRooms:
    """The same with servers in order."""
    servers = len(given.free)
    bits = servers.bit_length()
    return OrderedRooms(*given, sorted_keys((given.free << bits) + np.arange(servers)), np.array([bits]))


@jitable
def tightest(rooms: Any, room: int) -> int:
    """See :func:`.rooms.tightest`."""
    bits = rooms.bits[0]
    found = first_from(rooms.order, room << bits)
    return int(found & ((1 << bits) - 1)) if found >= 0 else -1


@jitable
def set_free_in_order(rooms: Any, server: int, free: Any) -> None:
    """See :func:`.rooms.set_free`."""
    before = rooms.free[unsigned(server)]
    if free == before:
        return
    bits = rooms.bits[0]
    drop(rooms.order, (before << bits) + server)
    add(rooms.order, (free << bits) + server)
    _set_free(rooms, server, free)


class BlockedRooms(NamedTuple):
    """As :class:`.rooms.Rooms`, and blocks in blocks of their own."""

    free: NDArray[np.int64]
    most: NDArray[np.int64]
    left: NDArray[np.uint64]
    left_summary: NDArray[np.uint64]
    above: NDArray[np.int64]  #: [B / BLOCK] the largest of so many blocks


def blocked(given: Rooms) -> BlockedRooms:
    """The same with blocks of blocks."""
    return BlockedRooms(*given, np.maximum.reduceat(given.most, np.arange(0, len(given.most), BLOCK)))


@jitable
def set_free_in_blocks(rooms: Any, server: int, free: Any) -> None:
    """See :func:`.rooms.set_free`."""
    block = server >> 6
    before = rooms.most[unsigned(block)]
    _set_free(rooms, server, free)
    keep_most(rooms.above, rooms.most, block, before)


@jitable
def most_free(rooms: Any) -> int:
    """See :func:`.rooms.most_free`."""
    return most_of(rooms.above)


@jitable
def first_with_room(rooms: Any, room: Any, start: int) -> int:
    """See :func:`.rooms.first_with_room`."""
    server = start
    while server < len(rooms.free):
        stop = min((server | 4095) + 1, len(rooms.free))
        found = first_before(rooms, room, server, stop) if rooms.above[unsigned(server >> 12)] >= room else -1
        if found >= 0:
            return found
        server = stop
    return -1


best_fit_advance = with_others(best_fit.advance, {rooms.tightest: tightest, rooms.set_free: set_free_in_order}, "many")
fifo_advance = with_others(
    fifo.advance,
    {rooms.first_with_room: first_with_room, rooms.most_free: most_free, rooms.set_free: set_free_in_blocks},
    "many",
)
