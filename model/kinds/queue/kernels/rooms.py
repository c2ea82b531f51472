"""The residual capacity of each server, in blocks of 64: fast search for the tightest and the first server.

It is kept beside the state, for the first resource.  A stalled server counts as having nothing free, so
that one comparison tells whether a job fits a server that takes jobs.  The maximum of a block lets a
search skip 64 servers at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.state import NOW, QueueState
from slotscope.model.systems import bitset
from slotscope.model.systems.bitset import discard as discard_bit
from slotscope.model.systems.bitset import insert as insert_bit
from slotscope.model.systems.bitset import next_member

State = Any
Array = Any


#: The number of servers in a block, which is that of the bits in a word of a bit set.
BLOCK = 64

#: The residual capacity of a server that takes no jobs.
NOTHING = np.int64(-1)

#: Larger than any residual capacity, and smaller than any negative number that is read as unsigned.
NO_ROOM = np.int64(2**62)
UNSIGNED_NO_ROOM = np.uint64(2**62)


class Rooms(NamedTuple):
    """The residual capacities of L servers in B blocks."""

    free: NDArray[np.int64]  #: [L] units of the first resource, NOTHING on a stalled server
    most: NDArray[np.int64]  #: [B] the largest entry of ``free`` in each block
    left: NDArray[np.uint64]  #: bit set of the servers that a job has left in this slot
    left_summary: NDArray[np.uint64]


def rooms_of(state: QueueState, capacity: NDArray[np.int64], looks_at_all: bool) -> Rooms:
    """Build the residual capacities of a state between two slots.

    With *looks_at_all* (the policy visits all servers in each slot) a server can have room for a waiting job only
    because of a decision forced in a fork; such servers are marked in ``left``, so that the next slot visits them.
    """
    free = np.where(state.stalled > 0, NOTHING, capacity[:, 0] - state.used[:, 0])
    starts = np.arange(0, len(free), BLOCK)
    left = np.zeros(len(starts), np.uint64)
    summary = np.zeros(bitset.words_for(len(starts)), np.uint64)
    # After a change of policy the state gives every server a departure in the next slot.
    changed = state.last_departure > state.clock[NOW]
    if looks_at_all:
        waiting = (state.job_number >= 0) & (state.job_server < 0)
        changed |= free >= state.job_room[waiting, 0].min(initial=NO_ROOM)
    for server in np.flatnonzero(changed).tolist():
        insert_bit(left, summary, server)
    return Rooms(free, np.maximum.reduceat(free, starts), left, summary)


@jitable
def set_free(rooms: Any, server: int, free: Any) -> None:
    """Set the residual capacity of a server."""
    before = rooms.free[unsigned(server)]
    rooms.free[unsigned(server)] = free
    keep_most(rooms.most, rooms.free, server, before)


@jitable
def keep_most(most: Array, values: Array, place: int, before: Any) -> None:
    """Update the block maxima *most* after the entry of *values* at *place* has changed from *before*."""
    block, now = unsigned(place >> 6), values[unsigned(place)]
    if now >= most[block]:
        most[block] = now
    elif before == most[block]:
        start = place & ~63
        largest = NOTHING
        for other in range(start, min(start + BLOCK, len(values))):
            largest = max(largest, values[unsigned(other)])
        most[block] = largest


@jitable
def follow(rooms: Any, state: State, capacity: Array, server: int) -> None:
    """Update the residual capacity of a server after its jobs, or its stalling, have changed."""
    at = unsigned(server)
    if state.stalled[at]:
        set_free(rooms, server, NOTHING)
    else:
        set_free(rooms, server, capacity[at, 0] - state.used[at, 0])


@jitable
def most_free(rooms: Any) -> int:
    """The largest residual capacity of the servers that take jobs; at least 0."""
    return most_of(rooms.most)


@jitable
def most_of(most: Array) -> int:
    """The largest entry of *most*, at least 0."""
    largest = np.int64(0)
    for block in range(len(most)):
        largest = max(largest, most[block])
    return int(largest)


@jitable
def tightest(rooms: Any, room: int) -> int:
    """The server with the least residual capacity among those with at least *room* free, or -1."""
    best = UNSIGNED_NO_ROOM
    found = -1
    for block in range(len(rooms.most)):
        if rooms.most[block] < room:
            continue
        start = block * BLOCK
        stop = min(start + BLOCK, len(rooms.free))
        least = UNSIGNED_NO_ROOM
        for server in range(start, stop):  # a negative difference is a large unsigned number
            least = min(least, np.uint64(rooms.free[unsigned(server)] - room))
        if least < best:
            best = least
            found = start
    if found < 0:
        return -1
    while np.uint64(rooms.free[unsigned(found)] - room) != best:
        found += 1
    return int(found)


@jitable
def first_with_room(rooms: Any, room: Any, start: int) -> int:
    """The first server from *start* on with at least *room* free, or -1."""
    return first_before(rooms, room, start, len(rooms.free))


@jitable
def first_before(rooms: Any, room: Any, start: int, stop: int) -> int:
    """The first server in [*start*, *stop*) with at least *room* free, or -1; *stop* must be the end of a block."""
    server = start
    while server < stop:
        if rooms.most[unsigned(server >> 6)] < room:
            server = (server | 63) + 1
        elif rooms.free[unsigned(server)] >= room:
            return server
        else:
            server += 1
    return -1


@jitable
def least_fresh(state: State, fresh: Array, arrived: int) -> Any:
    """The least room that a job needs which has just arrived and waits; NO_ROOM: there is no such job."""
    least = NO_ROOM
    for one in range(arrived):
        at = unsigned(fresh[one])
        if state.job_server[at] < 0:
            least = min(least, state.job_room[at, 0])
    return least


@jitable
def job_left(rooms: Any, server: int) -> None:
    """Note that a job has left a server in this slot."""
    insert_bit(rooms.left, rooms.left_summary, server)


@jitable
def next_changed(rooms: Any, state: State, least: Any, start: int) -> int:
    """The next server from *start* on that takes jobs and that a job has left or that has room for *least*; or -1.

    *least* = NO_ROOM: only servers that a job has left.  The caller visits all these servers once in a slot;
    each visit removes the server from ``left``.
    """
    now = int(state.clock[NOW])
    server = start
    while True:
        found = next_member(rooms.left, rooms.left_summary, server)
        if least < NO_ROOM:
            other = first_with_room(rooms, least, server)
            if other >= 0 and (found < 0 or other < found):
                return other
        if found < 0:
            return -1
        last = state.last_departure[unsigned(found)]
        if last <= now:
            discard_bit(rooms.left, rooms.left_summary, found)
            if rooms.free[unsigned(found)] >= 0:
                return found
        server = found + 1
