"""The content of the bins: every job with the room it takes, and the slots of active configurations.

Sizes are in units, not pixels, but for :class:`Levels`.  S is the number of servers asked for, D of resources.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slotscope.gui.pictures.layout import level
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import NOW, QueueState

Integers = npt.NDArray[np.int64]
Indices = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BinJobs:
    """The jobs (blocks) on some servers, ordered by server and on each from bottom to top."""

    start: Integers  #: [S + 1] index of each server's first block, and n
    place: Integers  #: [n] the index of the job's server among those asked for
    record: Integers  #: [n] the job's record in the state
    queue: Indices  #: [n] the job's virtual queue
    #: low, size, room: [n, D] lower edge of the job's room, its true size, and the room accounted for it
    low: Integers
    size: Integers
    room: Integers
    served: Floats  #: [n] the share of its service time that has passed; nan if its service never ends
    #: reserve, kept: [S, D] room that the active configuration reserves at the bottom, and room in use by its owner
    reserve: Integers
    kept: Integers
    owner: Indices  #: [S] the virtual queue for which room is reserved; -1 for none
    top: Integers  #: [S, D] lower edge of the free room

    def of(self, place: int) -> range:
        """The blocks of the server at index *place* of those asked for, from bottom to top."""
        return range(int(self.start[place]), int(self.start[place + 1]))


def blocks_of(state: QueueState, numbers: QueueNumbers, facts: QueueFacts, servers: Integers) -> BinJobs:
    """The jobs on *servers* [S] in order of placement; reserved room and its jobs are at the bottom."""
    record, place = records_by_server(state, servers)
    queue = state.job_queue[record]
    size, room = state.job_size[record], state.job_room[record]
    reserve, owner = reserves_of(state, numbers, facts, servers)
    start = np.concatenate([[0], np.cumsum(state.jobs_on[servers])]).astype(np.int64)
    inside = (queue == owner[place])[:, None]
    kept_low, kept = _stacked(np.where(inside, room, 0), start, place)
    other_low, others = _stacked(np.where(inside, 0, room), start, place)
    base = np.maximum(reserve, kept)
    low = np.where(inside, kept_low, base[place] + other_low)
    order = np.lexsort((low[:, 0], place)) if inside.any() else np.arange(len(place))
    return BinJobs(
        start,
        place,
        record[order],
        queue[order],
        low[order],
        size[order],
        room[order],
        served_share(state, record[order]),
        reserve,
        kept,
        owner,
        base + others,
    )


def records_by_server(state: QueueState, servers: Integers) -> tuple[Integers, Integers]:
    """The records of the jobs on *servers*, server by server in order of placement, and the index of each one's server.

    A job's position on its server is its distance from the first job in the linked list, found for all
    jobs at once by pointer doubling.
    """
    where = np.full(len(state.jobs_on), -1, np.int64)
    where[servers] = np.arange(len(servers))
    found = np.flatnonzero(state.job_server >= 0)
    place = where[state.job_server[found]]
    found, place = found[place >= 0], place[place >= 0]
    end = len(found)
    number = np.full(len(state.job_server) + 1, end, np.int64)  # the last entry is for no job
    number[found] = np.arange(end)
    before = np.append(number[state.job_previous[found]], end)
    distance = (before < end).astype(np.int64)
    while (before < end).any():
        distance += distance[before]
        before = before[before]
    start = np.cumsum(state.jobs_on[servers]) - state.jobs_on[servers]
    order = np.empty(end, np.int64)
    order[start[place] + distance[:-1]] = np.arange(end)
    return found[order], place[order]


def served_share(state: QueueState, records: Integers) -> Floats:
    """[n] the share of its service time that each job in service has had by the start of the slot; nan if endless."""
    service = state.job_service[records]
    known = np.isfinite(service)
    left = np.where(known, state.job_departure[records] - state.clock[NOW], 0.0)
    share = 1.0 - left / np.where(known, service, 1.0)
    return np.where(known, np.clip(share, 0.0, 1.0), np.nan)


def reserves_of(
    state: QueueState, numbers: QueueNumbers, facts: QueueFacts, servers: Integers
) -> tuple[Integers, Indices]:
    """The room that each server reserves [S, D], and the virtual queue for which it does so [S]; -1 for none.

    Psychas & Ghaderi (2019), Section V.B: k_1 = 1 reserves two thirds of a server.  On a
    smaller server VQ_1 is the queue of the jobs that take more than half of it and at most
    two thirds.
    """
    none = np.zeros((len(servers), len(numbers.largest)), np.int64)
    owner = np.full(len(servers), -1, np.int32)
    if not facts.reserves or not facts.intervals:
        return none, owner
    highs = [3 * high for _, high in facts.intervals]
    twos = [2 * pool.capacity[0] for pool in numbers.pools]
    first = np.array([highs.index(two) if two in highs else -1 for two in twos], np.int32)
    mine = first[np.asarray(numbers.pool_of)[servers]]
    active = state.active[servers]
    reserves = (active >= 0) & (mine >= 0)
    reserves[reserves] = facts.configurations[active[reserves], mine[reserves]] > 0
    owner[reserves] = mine[reserves]
    return np.where(reserves[:, None], 2 * numbers.capacity[servers] // 3, none), owner


def _stacked(room: Integers, start: Integers, place: Integers) -> tuple[Integers, Integers]:
    """Stack rooms [n, D] server by server: [n, D] the lower edge of each, and [S, D] the upper edge of each stack."""
    total = np.concatenate([np.zeros((1, room.shape[1]), np.int64), np.cumsum(room, axis=0)])
    first = total[start[:-1]]
    return total[:-1] - first[place], total[start[1:]] - first


@dataclass(frozen=True, eq=False)
class Slots:
    """The slots of the active configurations of some servers, from bottom to top."""

    place: Integers  #: [m] the index of the slot's server among those asked for
    queue: Integers  #: [m] the virtual queue that the slot is for
    #: low, high: [m, D] the slot's edges
    low: Integers
    high: Integers


def slot_heights(numbers: QueueNumbers, facts: QueueFacts) -> Integers | None:
    """[V, D] the units that a slot of each virtual queue takes; None without configurations.

    With a partition it is the upper end of the queue's interval, Psychas & Ghaderi (2019), Definition 4; with a queue
    for each size it is the size.
    """
    if not facts.has_configurations:
        return None
    if facts.intervals:
        highs = np.array([high for _, high in facts.intervals], np.int64)
        return np.repeat(highs[:, None], numbers.resources, axis=1)
    values = np.array(numbers.values, np.int64).reshape(-1, numbers.resources)
    return values if len(values) == facts.layout.queues else None


def slots_of(state: QueueState, facts: QueueFacts, heights: Integers, servers: Integers, most: int) -> Slots:
    """The slots of the active configurations of *servers* [S], at most *most* per server; *heights* [V, D]."""
    active = state.active[servers]
    none = np.zeros((0, heights.shape[1]), np.int64)
    place, queue, low, high = [none[:, 0]], [none[:, 0]], [none], [none]
    for number in np.unique(active[active >= 0]).tolist():
        mine = np.flatnonzero(active == number)
        taken = np.repeat(np.arange(len(heights)), facts.configurations[number])[:most]
        ends = np.cumsum(heights[taken], axis=0)
        place.append(np.repeat(mine, len(taken)))
        queue.append(np.tile(taken, len(mine)))
        low.append(np.tile(ends - heights[taken], (len(mine), 1)))
        high.append(np.tile(ends, (len(mine), 1)))
    return Slots(np.concatenate(place), np.concatenate(queue), np.concatenate(low), np.concatenate(high))


@dataclass(frozen=True, eq=False)
class Levels:
    """The edges of jobs and of reserved room in pixels above the floor, for S servers with D resources."""

    #: low, middle, high: [n, D] lower edge of a job's room, upper edge of its true size, and upper edge of its room
    low: Integers
    middle: Integers
    high: Integers
    #: kept, reserve: [S, D] lower and upper edge of the room that is reserved and empty
    kept: Integers
    reserve: Integers
    top: Integers  #: [S, D] lower edge of the free room
    capacity: Integers  #: [S, D] upper edge of the bin

    def block_at(self, blocks: BinJobs, place: int, resource: int, height: int) -> int | None:
        """The block that contains the pixel *height* pixels above a server's floor; None for none."""
        for block in blocks.of(place):
            if self.low[block, resource] <= height < self.high[block, resource]:
                return block
        return None


def levels_of(blocks: BinJobs, capacity: Integers, largest: Integers, tall: int) -> Levels:
    """The edges in bins of *capacity* [S, D], if the capacity *largest* [D] is *tall* pixels high."""
    in_use = np.minimum(blocks.kept, blocks.reserve)
    edges = (
        blocks.low,
        blocks.low + blocks.size,
        blocks.low + blocks.room,
        in_use,
        blocks.reserve,
        blocks.top,
        capacity,
    )
    return Levels(*(level(units / largest, tall) for units in edges))
