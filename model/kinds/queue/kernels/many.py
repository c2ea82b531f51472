"""BF-J, BF-J/S and FIFO-FF compiled for very many servers, of which no search looks through all blocks.

Reference, Implements, Symbols
    As in :mod:`model.kinds.queue.kernels.best_fit` and :mod:`model.kinds.queue.kernels.fifo`, of whose loops these are
    copies with other searches.
Deviations
    None.

To look through blocks of servers (:mod:`model.kinds.queue.kernels.rooms`) is faster while they are few.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned, with_others
from slotscope.model.kinds.queue.kernels import best_fit, fifo, rooms
from slotscope.model.kinds.queue.kernels.rooms import BLOCK, Rooms, first_before, keep_most, most_of
from slotscope.model.kinds.queue.kernels.sorted_keys import SortedKeys, add, drop, first_from, sorted_keys

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
