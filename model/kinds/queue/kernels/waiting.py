"""An index of the waiting jobs by size: finds the largest and the earliest job that fits, without a scan.

The size of a job is the room that it takes on a server.  Sizes are divided into buckets, the largest
sizes first, and each bucket has a linked list of its jobs.  A list is searched only if its bucket may hold
several sizes.  Jobs must be added in order of their numbers.

With a long queue most time is the latency of memory, so that data used together is stored together,
in small arrays: both ends of a bucket, and both neighbours of a record.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.facts import waiting_records
from slotscope.model.kinds.queue.layout import QueueLayout
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import QueueState
from slotscope.model.systems import bitset
from slotscope.model.systems.bitset import discard as discard_bit
from slotscope.model.systems.bitset import insert as insert_bit
from slotscope.model.systems.bitset import next_member

State = Any
Array = Any


#: Into how many buckets the range of a continuous size distribution is divided.  Lists by size are searched for each
#: job, so there are as many buckets as records; lists by arrival rarely are, and few buckets fit into the caches.
FEWEST_BUCKETS = 1024
MOST_BY_ARRIVAL, RECORDS_PER_BUCKET_BY_ARRIVAL = 16_384, 8

#: Larger than any job number: stands for "none" where the least number is searched.
NO_JOB = np.int64(2**62)

# Offsets in ``ends`` and ``node``, added to twice the number of a bucket or record.  With a second axis, whose length
# the compiler does not know, each access would need a multiplication.
FIRST, LAST = range(2)
BEFORE, AFTER = range(2)


class Buckets(NamedTuple):
    """The division of sizes into B buckets."""

    upper: NDArray[np.int64]  #: [B + 1] the largest size of each bucket, decreasing to 0
    shift: int  #: sizes are divided into cells of 2**shift units
    top: int  #: if the buckets are the cells (k 2**shift, (k + 1) 2**shift]: the k of the first bucket; else -1
    cell: NDArray[np.int32]  #: [n + 2] if they are not: the bucket of the first size in each cell


class WaitingJobs(NamedTuple):
    """The index of the waiting jobs, derived from the state; B buckets, M records.

    The list of a bucket is in order of decreasing size (index by size) or of arrival (index by arrival).
    """

    upper: NDArray[np.int64]  #: as in :class:`Buckets`
    shift: int
    top: int
    cell: NDArray[np.int32]
    ends: NDArray[np.int32]  #: [2 B] FIRST and LAST record of each bucket
    node: NDArray[np.int32]  #: [2 M] the records BEFORE and AFTER each record in its bucket's list
    words: NDArray[np.uint64]  #: bit set of the non-empty buckets
    summary: NDArray[np.uint64]
    earliest: NDArray[np.int64]  #: [2 T] tree of the least job number of the buckets, leaves from T on
    foreseen: NDArray[np.int64]  #: [1] the record expected next, see :mod:`model.kinds.queue.kernels.foresight`


def buckets_of(numbers: QueueNumbers, layout: QueueLayout, boundaries: Sequence[int], count: int) -> Buckets:
    """The buckets for a distribution of sizes; each of the *boundaries* within its range is the end of a bucket.

    The range of a continuous distribution is divided into about *count* buckets.  If a power of two divides the
    boundaries, buckets are found by arithmetic.  Of finitely many sizes each gets a bucket of its own.
    """
    if numbers.values:
        rooms = layout.room_of(np.array(numbers.values, np.int64))[:, 0].tolist()
        ends = [end for room in rooms for end in (room, room - 1)]
        return _looked_up([0, int(numbers.largest[0]), *boundaries, *ends])
    low, high = int(numbers.sizes.smallest[0]), int(numbers.sizes.largest[0])
    inside = [end for end in boundaries if low < end < high]
    probes = np.repeat(np.array([[low, high, *inside]], np.int64).T, numbers.resources, axis=1)
    rooms = layout.room_of(probes)[:, 0].tolist()
    low, high = min(low, *rooms), max(high, *rooms)
    shift = 0
    while ((high - 1) >> shift) - ((low - 1) >> shift) >= count:
        shift += 1
    if any(end % (1 << shift) for end in inside):
        even = np.linspace(low - 1, high, count + 1).astype(np.int64)
        return _looked_up(np.r_[0, int(numbers.largest[0]), boundaries, even])
    top = (high - 1) >> shift
    upper = np.arange(top + 1, (low - 1) >> shift, -1) << shift
    return Buckets(np.r_[upper, 0], shift, top, np.zeros(0, np.int32))


def _looked_up(ends: Sequence[int] | NDArray[np.int64]) -> Buckets:
    """Buckets with given *ends*, found by a table."""
    upper = np.unique(np.array(ends, np.int64))[::-1].copy()
    buckets = len(upper) - 1
    shift = max(0, int(upper[0]).bit_length() - buckets.bit_length() - 1)
    starts = np.arange((int(upper[0]) >> shift) + 3) << shift
    below = np.searchsorted(upper[::-1], starts)
    cell = np.clip(buckets - below, 0, buckets - 1).astype(np.int32)
    return Buckets(upper, shift, -1, cell)


def no_buckets() -> Buckets:
    """The buckets of a policy that needs no index."""
    return _looked_up([0, 1])


def buckets_for(records: int, by_size: bool) -> int:
    """The suitable number of buckets for a number of job *records*."""
    wanted = records if by_size else min(records // RECORDS_PER_BUCKET_BY_ARRIVAL, MOST_BY_ARRIVAL)
    return max(FEWEST_BUCKETS, wanted)


def empty_waiting(buckets: Buckets, records: int, with_tree: bool) -> WaitingJobs:
    """The index of an empty queue."""
    count = len(buckets.upper) - 1
    words = bitset.words_for(count)
    leaves = 1 << max(0, count - 1).bit_length() if with_tree else 0
    return WaitingJobs(
        *buckets,
        ends=np.full(2 * count, -1, np.int32),
        node=np.full(2 * records, -1, np.int32),
        words=np.zeros(words, np.uint64),
        summary=np.zeros(bitset.words_for(words), np.uint64),
        earliest=np.full(2 * leaves, NO_JOB, np.int64),
        foreseen=np.full(1, -1, np.int64),
    )


def waiting_of(state: QueueState, buckets: Buckets, by_size: bool) -> WaitingJobs:
    """Build the index of a state."""
    waiting = empty_waiting(buckets, len(state.job_number), not by_size)
    records = waiting_records(state)
    if not len(records):
        return waiting
    room, upper = state.job_room[records, 0], buckets.upper
    bucket = np.clip(len(upper) - 1 - np.searchsorted(upper[::-1], room), 0, None)
    order = np.lexsort((-room, bucket) if by_size else (bucket,))  # ties stay in order of arrival
    records, bucket = records[order], bucket[order]
    follows = bucket[1:] == bucket[:-1]
    starts, ends = np.r_[True, ~follows], np.r_[~follows, True]
    waiting.node[2 * records[1:][follows] + BEFORE] = records[:-1][follows]
    waiting.node[2 * records[:-1][follows] + AFTER] = records[1:][follows]
    waiting.ends[2 * bucket[starts] + FIRST] = records[starts]
    waiting.ends[2 * bucket[ends] + LAST] = records[ends]
    filled = np.zeros(len(upper) - 1, np.bool_)
    filled[bucket[starts]] = True
    waiting.words[:] = bitset.packed(filled)
    waiting.summary[:] = bitset.packed(waiting.words != 0)
    if not by_size:
        _grow_tree(waiting.earliest, bucket[starts], state.job_number[records[starts]])
    return waiting


def _grow_tree(tree: NDArray[np.int64], buckets: NDArray[np.int64], numbers: NDArray[np.int64]) -> None:
    """Fill the tree, given the job *numbers* at the leaves of *buckets*."""
    level = len(tree) // 2
    tree[level + buckets] = numbers
    while level > 1:
        below = tree[level : 2 * level]
        level //= 2
        tree[level : 2 * level] = np.minimum(below[::2], below[1::2])


@jitable
def bucket_of(waiting: Any, size: int) -> int:
    """The bucket of a size; the first or the last bucket for sizes outside the range."""
    if waiting.top >= 0:
        bucket = waiting.top - ((size - 1) >> waiting.shift)
        return int(max(0, min(bucket, len(waiting.upper) - 2)))
    cell = min(size >> waiting.shift, len(waiting.cell) - 2)
    low = int(waiting.cell[unsigned(cell + 1)])
    high = int(waiting.cell[unsigned(cell)]) + 1
    while high - low > 1:
        middle = (low + high) >> 1
        if waiting.upper[unsigned(middle)] >= size:
            low = middle
        else:
            high = middle
    return low


@jitable
def link_between(waiting: Any, record: int, bucket: int, before: int, after: int) -> None:
    """Insert a record into its bucket's list between the records *before* and *after* (-1: none)."""
    waiting.node[unsigned(2 * record + BEFORE)] = before
    waiting.node[unsigned(2 * record + AFTER)] = after
    if before >= 0:
        waiting.node[unsigned(2 * before + AFTER)] = record
    else:
        waiting.ends[unsigned(2 * bucket + FIRST)] = record
    if after >= 0:
        waiting.node[unsigned(2 * after + BEFORE)] = record
    else:
        waiting.ends[unsigned(2 * bucket + LAST)] = record
    insert_bit(waiting.words, waiting.summary, bucket)


@jitable
def unlink(waiting: Any, record: int, bucket: int) -> None:
    """Remove a record from its bucket's list."""
    before = waiting.node[unsigned(2 * record + BEFORE)]
    after = waiting.node[unsigned(2 * record + AFTER)]
    if before >= 0:
        waiting.node[unsigned(2 * before + AFTER)] = after
    else:
        waiting.ends[unsigned(2 * bucket + FIRST)] = after
        if after < 0:
            discard_bit(waiting.words, waiting.summary, bucket)
    if after >= 0:
        waiting.node[unsigned(2 * after + BEFORE)] = before
    else:
        waiting.ends[unsigned(2 * bucket + LAST)] = before


@jitable
def add_by_size(waiting: Any, state: State, record: int, bucket: int) -> None:
    """Insert a job into its bucket, in order of decreasing size, then of arrival."""
    size = state.job_room[unsigned(record), 0]
    before = int(waiting.ends[unsigned(2 * bucket + LAST)])
    after = -1
    while before >= 0 and state.job_room[unsigned(before), 0] < size:
        after = before
        before = int(waiting.node[unsigned(2 * before + BEFORE)])
    link_between(waiting, record, bucket, before, after)


@jitable
def remove_by_size(waiting: Any, state: State, record: int) -> None:
    """Remove a job that waits no longer."""
    unlink(waiting, record, bucket_of(waiting, state.job_room[unsigned(record), 0]))


@jitable
def largest_up_to(waiting: Any, state: State, limit: int, above: int) -> int:
    """The record of the largest job with a size in (*above*, *limit*], of equal sizes the earliest; or -1."""
    if limit <= above:
        return -1
    bucket = next_member(waiting.words, waiting.summary, bucket_of(waiting, limit))
    while bucket >= 0:
        record = int(waiting.ends[unsigned(2 * bucket + FIRST)])
        size = state.job_room[unsigned(record), 0]
        if size > limit:
            last = waiting.ends[unsigned(2 * bucket + LAST)]
            if state.job_room[unsigned(last), 0] <= limit:
                while size > limit:
                    record = int(waiting.node[unsigned(2 * record + AFTER)])
                    size = state.job_room[unsigned(record), 0]
        if size <= limit:
            return record if size > above else -1
        bucket = next_member(waiting.words, waiting.summary, bucket + 1)
    return -1


@jitable
def add_by_arrival(waiting: Any, state: State, record: int, bucket: int) -> None:
    """Insert a job into its bucket, in order of arrival."""
    before = int(waiting.ends[unsigned(2 * bucket + LAST)])
    link_between(waiting, record, bucket, before, -1)
    if before < 0:
        update_tree(waiting, state, bucket)


@jitable
def remove_by_arrival(waiting: Any, state: State, record: int) -> None:
    """Remove a job that waits no longer."""
    bucket = bucket_of(waiting, state.job_room[unsigned(record), 0])
    was_first = waiting.node[unsigned(2 * record + BEFORE)] < 0
    unlink(waiting, record, bucket)
    if was_first:
        update_tree(waiting, state, bucket)


@jitable
def update_tree(waiting: Any, state: State, bucket: int) -> None:
    """Update the tree after the first job of a bucket has changed."""
    first = waiting.ends[unsigned(2 * bucket + FIRST)]
    tree = waiting.earliest
    place = (len(tree) >> 1) + bucket
    tree[unsigned(place)] = state.job_number[unsigned(first)] if first >= 0 else NO_JOB
    place >>= 1
    while place > 0:
        least = min(tree[unsigned(2 * place)], tree[unsigned(2 * place + 1)])
        if tree[unsigned(place)] == least:
            break
        tree[unsigned(place)] = least
        place >>= 1


@jitable
def earliest_up_to(waiting: Any, state: State, limit: int, above: int) -> int:
    """The record of the earliest job with a size in (*above*, *limit*], or -1.

    *above* must be the end of a bucket, or at least the largest size.
    """
    if limit <= above or waiting.upper[0] <= above:
        return -1
    bucket = bucket_of(waiting, limit)
    found = -1
    if waiting.upper[bucket] > limit:  # not all jobs of this bucket fit
        if waiting.upper[bucket + 1] < limit:
            record = int(waiting.ends[unsigned(2 * bucket + FIRST)])
            while record >= 0 and state.job_room[unsigned(record), 0] > limit:
                record = int(waiting.node[unsigned(2 * record + AFTER)])
            found = record
        bucket += 1
    end = len(waiting.upper) - 1 if above == 0 else bucket_of(waiting, above + 1) + 1
    other = earliest_between(waiting, bucket, end)
    if other < 0:
        return int(found)
    if found < 0 or state.job_number[other] < state.job_number[found]:
        return int(other)
    return int(found)


@jitable
def earliest_between(waiting: Any, start: int, end: int) -> int:
    """The record of the earliest job in the buckets from *start* to *end* - 1, or -1."""
    tree = waiting.earliest
    leaves = len(tree) >> 1
    best = 0
    low = start + leaves
    high = end + leaves
    while low < high:
        if low & 1:
            if best == 0 or tree[low] < tree[best]:
                best = low
            low += 1
        if high & 1:
            high -= 1
            if best == 0 or tree[high] < tree[best]:
                best = high
        low >>= 1
        high >>= 1
    if best == 0 or tree[best] == NO_JOB:
        return -1
    while best < leaves:
        best *= 2
        if tree[best] != tree[best >> 1]:
            best += 1
    return int(waiting.ends[unsigned(2 * (best - leaves) + FIRST)])
