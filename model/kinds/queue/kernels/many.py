"""BF-J, BF-J/S and FIFO-FF compiled for very many servers: no search scans all blocks of servers.

Reference, Implements, Symbols
    As in :mod:`model.kinds.queue.kernels.best_fit` and :mod:`model.kinds.queue.kernels.fifo`: the same loops with
    other searches.
Deviations
    None.

With few servers, scanning blocks of servers (:mod:`model.kinds.queue.kernels.rooms`) is faster.

:class:`SortedKeys` is an ordered set of keys with insertion and removal that finds the least key at or above
a given one in a few reads.  The keys are stored in sorted blocks, and a list has the blocks in order of their
least keys.  A full block is split, and two neighbours that together fill no more than half a block are merged,
so that the number of blocks stays small.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned, with_others
from slotscope.model.kinds.queue.kernels import best_fit, fifo, rooms
from slotscope.model.kinds.queue.kernels.rooms import BLOCK, Rooms, first_before, keep_most, most_of

Array = Any

#: The most keys of one block, and the fewest keys of two neighbouring blocks together.
MOST, FEWEST = 64, 33


class SortedKeys(NamedTuple):
    """An ordered set of keys in B blocks; the first ``used`` of ``block`` are in use, in order of keys, others free."""

    key: NDArray[np.int64]  #: [B, MOST]
    held: NDArray[np.int64]  #: [B] number of keys in each block
    block: NDArray[np.int64]  #: [B] the blocks in order of their keys, by rank
    least: NDArray[np.int64]  #: [B] by rank: a bound between the keys of the block before and the block's own keys
    used: NDArray[np.int64]  #: [1] number of blocks in use


def sorted_keys(keys: NDArray[np.int64]) -> SortedKeys:
    """The ordered set of *keys*, which must be distinct; it never has room for more keys than these."""
    half = MOST // 2
    # Two neighbouring blocks hold at least FEWEST keys, or are half a split block and an empty one: at least MOST / 2.
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
    """The rank of the block that has a key, or would have it."""
    rank = 0
    left = keys.used[0]
    while left > 1:  # the branch is unpredictable, so a conditional move costs less than a jump
        half = left >> 1
        rank = rank + half if keys.least[unsigned(rank + half)] <= key else rank
        left -= half
    return int(rank)


@jitable
def position(keys: Any, block: int, key: Any) -> int:
    """The number of keys in a block that are less than *key*."""
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
    """Insert a key that is not in the set."""
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
    """Remove a key that is in the set."""
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
    """Move the upper half of a full block to a new block."""
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
    """Merge a block with the next one, if there is one and both together have few keys."""
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


#: The number of servers from which sorted servers are faster, if each job searches the tightest server (BF-J), and if
#: BF-S has placed most jobs before (BF-J/S); and the number from which blocks of blocks are faster.
ASKED_BY_ALL, ASKED_BY_FEW, BY_FIRST_FIT = 4000, 40_000, 16_000

#: The bits of a key: the residual capacity in the upper bits, the server's number in the lower ones.
KEY_BITS = 62

#: The update of :mod:`.rooms`, which maintains the blocks.
_set_free = rooms.set_free


class OrderedRooms(NamedTuple):
    """:class:`.rooms.Rooms`, and the servers sorted by residual capacity."""

    free: NDArray[np.int64]
    most: NDArray[np.int64]
    left: NDArray[np.uint64]
    left_summary: NDArray[np.uint64]
    order: SortedKeys
    bits: NDArray[np.int64]  #: [1] number of bits of a server's number


def have_keys(capacity: NDArray[np.int64]) -> bool:
    """Whether the residual capacity and the number of a server fit into a key, for servers of *capacity* [L, D]."""
    servers, resources = capacity.shape
    return bool(resources == 1 and int(capacity.max()).bit_length() + servers.bit_length() <= KEY_BITS)


def ordered(given: Rooms) -> OrderedRooms:
    """The same residual capacities, with sorted servers."""
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
    """:class:`.rooms.Rooms`, and the blocks grouped in blocks."""

    free: NDArray[np.int64]
    most: NDArray[np.int64]
    left: NDArray[np.uint64]
    left_summary: NDArray[np.uint64]
    above: NDArray[np.int64]  #: [B / BLOCK] the largest entry of ``most`` in each group of BLOCK blocks


def blocked(given: Rooms) -> BlockedRooms:
    """The same residual capacities, with blocks of blocks."""
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
