"""What is free on each server, in blocks of 64: the tightest, the first and the most, quickly.

Kept beside the state for the first resource.  A server that is stalled has nothing free, so that
one comparison tells whether a job fits a server that takes jobs.  A block's most lets a search
pass over 64 servers at once.
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


#: Servers of a block: as many as a word of a bit set holds.
BLOCK = 64

#: Free on a server that takes no jobs.
NOTHING = np.int64(-1)

#: Larger than any residual capacity; as an unsigned number smaller than any negative one.
NO_ROOM = np.int64(2**62)
UNSIGNED_NO_ROOM = np.uint64(2**62)


class Rooms(NamedTuple):
    """Servers by what is free on them; L servers in B blocks."""

    free: NDArray[np.int64]  #: [L] units of the first resource, NOTHING on a stalled server
    most: NDArray[np.int64]  #: [B] the largest of a block
    left: NDArray[np.uint64]  #: bit set of the servers that a job has left in this slot
    left_summary: NDArray[np.uint64]


def rooms_of(state: QueueState, capacity: NDArray[np.int64], looks_at_all: bool) -> Rooms:
    """What is free in a state between two slots.

    A policy that *looks at all* servers in a slot leaves none with room for a job that waits, unless a fork decided so.
    """
    free = np.where(state.stalled > 0, NOTHING, capacity[:, 0] - state.used[:, 0])
    starts = np.arange(0, len(free), BLOCK)
    left = np.zeros(len(starts), np.uint64)
    summary = np.zeros(bitset.words_for(len(starts)), np.uint64)
    # After a change of policy every server counts as one that a job leaves in the next slot.
    changed = state.last_departure > state.clock[NOW]
    if looks_at_all:
        waiting = (state.job_number >= 0) & (state.job_server < 0)
        changed |= free >= state.job_room[waiting, 0].min(initial=NO_ROOM)
    for server in np.flatnonzero(changed).tolist():
        insert_bit(left, summary, server)
    return Rooms(free, np.maximum.reduceat(free, starts), left, summary)


@jitable
def set_free(rooms: Any, server: int, free: Any) -> None:
    """So much is free on a server now."""
    before = rooms.free[unsigned(server)]
    rooms.free[unsigned(server)] = free
    keep_most(rooms.most, rooms.free, server, before)


@jitable
def keep_most(most: Array, values: Array, place: int, before: Any) -> None:
    """Of *values*, one of which was *before*, the largest of its block stays known in *most*."""
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
    """A server's jobs have changed, or whether it is stalled."""
    at = unsigned(server)
    if state.stalled[at]:
        set_free(rooms, server, NOTHING)
    else:
        set_free(rooms, server, capacity[at, 0] - state.used[at, 0])


@jitable
def most_free(rooms: Any) -> int:
    """The most that is free on a server that takes jobs."""
    return most_of(rooms.most)


@jitable
def most_of(most: Array) -> int:
    """The largest of all blocks, at least 0."""
    largest = np.int64(0)
    for block in range(len(most)):
        largest = max(largest, most[block])
    return int(largest)


@jitable
def tightest(rooms: Any, room: int) -> int:
    """The server with the least that is free among those that have *room*, or -1."""
    best = UNSIGNED_NO_ROOM
    found = -1
    for block in range(len(rooms.most)):
        if rooms.most[block] < room:
            continue
        start = block * BLOCK
        stop = min(start + BLOCK, len(rooms.free))
        least = UNSIGNED_NO_ROOM
        for server in range(start, stop):  # too little is a large number without a sign
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
    """The first server from *start* on that has *room*, or -1."""
    return first_before(rooms, room, start, len(rooms.free))


@jitable
def first_before(rooms: Any, room: Any, start: int, stop: int) -> int:
    """The same before *stop*, where a block ends."""
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
    """The least room of the jobs that have just arrived and wait; NO_ROOM: none does."""
    least = NO_ROOM
    for one in range(arrived):
        at = unsigned(fresh[one])
        if state.job_server[at] < 0:
            least = min(least, state.job_room[at, 0])
    return least


@jitable
def job_left(rooms: Any, server: int) -> None:
    """A job has left a server in this slot."""
    insert_bit(rooms.left, rooms.left_summary, server)


@jitable
def next_changed(rooms: Any, state: State, least: Any, start: int) -> int:
    """The next server that takes jobs and that a job has left or that has room for *least*, or -1.

    NO_ROOM stands for no job.  The caller visits all of them once in a slot: a server is then
    no longer one that a job has left.
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
