"""The jobs that wait, found by size: the largest and the earliest that fit, without a scan.

A job's size is the room that it takes on a server.  Sizes are cut into buckets, the largest
sizes first.  A bucket that may hold several sizes is a list; one that holds a single size
needs no search.  ``upper`` has a bucket's largest size, the next bucket's is the one below its
smallest.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from model.jit import jitable
from model.kernels import bitset
from model.systems.queue.facts import waiting_records
from model.systems.queue.layout import QueueLayout
from model.systems.queue.numbers import QueueNumbers
from model.systems.queue.state import QueueState

State = Any
Array = Any

insert_bit = bitset.insert
discard_bit = bitset.discard
next_member = bitset.next_member

#: Buckets that the range of a continuous law of sizes is cut into, in all: few fit the
#: processor's cache, many keep the lists of a long queue short.
FEWEST_BUCKETS, MOST_BUCKETS = 1024, 16_384
RECORDS_PER_BUCKET = 8

#: No job has this number: stands for "none" where the least number is wanted.
NO_JOB = np.int64(2**62)


class Waiting(NamedTuple):
    """Waiting jobs by size, derived from the state; B buckets, M records.

    In order of size (``by_size``) a bucket's list goes from the largest job, in order of arrival
    (otherwise) from the earliest.
    """

    upper: NDArray[np.int64]  #: [B + 1] the largest size of each bucket, decreasing to 0
    shift: int  #: sizes are cut into cells of 2**shift
    cell: NDArray[np.int32]  #: [n + 2] the bucket of the first size of each cell
    first: NDArray[np.int32]  #: [B] the first record of a bucket
    last: NDArray[np.int32]  #: [B]
    after: NDArray[np.int32]  #: [M]
    before: NDArray[np.int32]  #: [M]
    bucket: NDArray[np.int32]  #: [M] where a record is, -1: nowhere
    words: NDArray[np.uint64]  #: buckets that are not empty
    summary: NDArray[np.uint64]
    earliest: NDArray[np.int64]  #: [2 T] tree of the least job number, leaves from T on


def bucket_ends(
    numbers: QueueNumbers, layout: QueueLayout, boundaries: Sequence[int], buckets: int
) -> NDArray[np.int64]:
    """[B + 1] ``upper`` for a law of sizes; *boundaries* are ends in any case.

    A continuous law's range is cut into so many *buckets*.  Where sizes have finitely many values
    each gets a bucket of its own.
    """
    ends = {0, int(numbers.largest[0]), *boundaries}
    if numbers.values:
        rooms = layout.room_of(np.array(numbers.values, np.int64))[:, 0].tolist()
        ends |= {end for room in rooms for end in (room, room - 1)}
    else:
        low, high = int(numbers.sizes.smallest[0]), int(numbers.sizes.largest[0])
        ends |= {int(end) for end in np.linspace(max(low - 1, 0), high, buckets + 1)}
    return np.array(sorted(ends, reverse=True), np.int64)


def buckets_for(records: int) -> int:
    """How many buckets suit so many job records."""
    return min(max(FEWEST_BUCKETS, records // RECORDS_PER_BUCKET), MOST_BUCKETS)


def empty_waiting(upper: NDArray[np.int64], records: int, with_tree: bool) -> Waiting:
    """Nothing waits."""
    buckets = len(upper) - 1
    words = bitset.words_for(buckets)
    leaves = 1 << max(0, buckets - 1).bit_length() if with_tree else 0
    shift = max(0, int(upper[0]).bit_length() - buckets.bit_length() - 1)
    starts = np.arange((int(upper[0]) >> shift) + 3) << shift
    below = np.searchsorted(upper[::-1], starts)
    return Waiting(
        upper=upper,
        shift=shift,
        cell=np.clip(buckets - below, 0, buckets - 1).astype(np.int32),
        first=np.full(buckets, -1, np.int32),
        last=np.full(buckets, -1, np.int32),
        after=np.full(records, -1, np.int32),
        before=np.full(records, -1, np.int32),
        bucket=np.full(records, -1, np.int32),
        words=np.zeros(words, np.uint64),
        summary=np.zeros(bitset.words_for(words), np.uint64),
        earliest=np.full(2 * leaves, NO_JOB, np.int64),
    )


def waiting_of(state: QueueState, upper: NDArray[np.int64], by_size: bool) -> Waiting:
    """The index of a state."""
    waiting = empty_waiting(upper, len(state.job_number), not by_size)
    records = waiting_records(state)
    if not len(records):
        return waiting
    room = state.job_room[records, 0]
    bucket = np.clip(len(upper) - 1 - np.searchsorted(upper[::-1], room), 0, None)
    order = np.lexsort((-room, bucket) if by_size else (bucket,))  # else as they have arrived
    records, bucket = records[order], bucket[order]
    follows = bucket[1:] == bucket[:-1]
    starts, ends = np.r_[True, ~follows], np.r_[~follows, True]
    waiting.bucket[records] = bucket
    waiting.before[records[1:][follows]] = records[:-1][follows]
    waiting.after[records[:-1][follows]] = records[1:][follows]
    waiting.first[bucket[starts]] = records[starts]
    waiting.last[bucket[ends]] = records[ends]
    for one in bucket[starts].tolist():
        insert_bit(waiting.words, waiting.summary, one)
    if not by_size:
        _grow_tree(waiting.earliest, bucket[starts], state.job_number[records[starts]])
    return waiting


def _grow_tree(
    tree: NDArray[np.int64], buckets: NDArray[np.int64], numbers: NDArray[np.int64]
) -> None:
    """Fill the tree from the job numbers of its leaves."""
    level = len(tree) // 2
    tree[level + buckets] = numbers
    while level > 1:
        below = tree[level : 2 * level]
        level //= 2
        tree[level : 2 * level] = np.minimum(below[::2], below[1::2])


@jitable
def bucket_of(waiting: Any, size: int) -> int:
    """The bucket of a size; that of sizes above the largest is the first."""
    cell = min(size >> waiting.shift, len(waiting.cell) - 2)
    low = int(waiting.cell[np.uintp(cell + 1)])
    high = int(waiting.cell[np.uintp(cell)]) + 1
    while high - low > 1:
        middle = (low + high) >> 1
        if waiting.upper[np.uintp(middle)] >= size:
            low = middle
        else:
            high = middle
    return low


@jitable
def link_between(waiting: Any, record: int, bucket: int, before: int, after: int) -> None:
    """Put a record between two of its bucket's list (-1: its ends)."""
    at, list_of = np.uintp(record), np.uintp(bucket)
    waiting.bucket[at] = bucket
    waiting.before[at] = before
    waiting.after[at] = after
    if before >= 0:
        waiting.after[np.uintp(before)] = record
    else:
        waiting.first[list_of] = record
    if after >= 0:
        waiting.before[np.uintp(after)] = record
    else:
        waiting.last[list_of] = record
    insert_bit(waiting.words, waiting.summary, bucket)


@jitable
def unlink(waiting: Any, record: int) -> int:
    """Take a record out of its bucket's list; returns the bucket."""
    at = np.uintp(record)
    bucket = waiting.bucket[at]
    before = waiting.before[at]
    after = waiting.after[at]
    if before >= 0:
        waiting.after[np.uintp(before)] = after
    else:
        waiting.first[np.uintp(bucket)] = after
        if after < 0:
            discard_bit(waiting.words, waiting.summary, bucket)
    if after >= 0:
        waiting.before[np.uintp(after)] = before
    else:
        waiting.last[np.uintp(bucket)] = before
    waiting.bucket[at] = -1
    return int(bucket)


@jitable
def add_by_size(waiting: Any, state: State, record: int, bucket: int) -> None:
    """Insert a job; in its bucket larger ones stand before smaller, earlier before later ones."""
    size = state.job_room[np.uintp(record), 0]
    number = state.job_number[np.uintp(record)]
    before = waiting.last[np.uintp(bucket)]
    after = -1
    while before >= 0:
        at = np.uintp(before)
        other = state.job_room[at, 0]
        if other > size or (other == size and state.job_number[at] < number):
            break
        after = before
        before = waiting.before[at]
    link_between(waiting, record, bucket, before, after)


@jitable
def remove_by_size(waiting: Any, record: int) -> None:
    """A job waits no longer."""
    unlink(waiting, record)


@jitable
def largest_up_to(waiting: Any, state: State, limit: int, above: int) -> int:
    """The largest job of a size in (above, limit], the earliest of equals; its record, or -1.

    *above* must be the end of a bucket.
    """
    if limit <= above:
        return -1
    bucket = next_member(waiting.words, waiting.summary, bucket_of(waiting, limit))
    while bucket >= 0 and waiting.upper[np.uintp(bucket)] > above:
        if state.job_room[np.uintp(waiting.last[np.uintp(bucket)]), 0] <= limit:
            record = waiting.first[np.uintp(bucket)]
            while state.job_room[np.uintp(record), 0] > limit:
                record = waiting.after[np.uintp(record)]
            return int(record)
        bucket = next_member(waiting.words, waiting.summary, bucket + 1)
    return -1


@jitable
def add_by_arrival(waiting: Any, state: State, record: int, bucket: int) -> None:
    """Insert a job; in its bucket earlier ones stand before later ones."""
    number = state.job_number[np.uintp(record)]
    before = waiting.last[np.uintp(bucket)]
    after = -1
    while before >= 0 and state.job_number[np.uintp(before)] > number:
        after = before
        before = waiting.before[np.uintp(before)]
    link_between(waiting, record, bucket, before, after)
    update_tree(waiting, state, bucket)


@jitable
def remove_by_arrival(waiting: Any, state: State, record: int) -> None:
    """A job waits no longer."""
    update_tree(waiting, state, unlink(waiting, record))


@jitable
def update_tree(waiting: Any, state: State, bucket: int) -> None:
    """The first job of a bucket may be another one."""
    first = waiting.first[np.uintp(bucket)]
    tree = waiting.earliest
    node = (len(tree) >> 1) + bucket
    tree[np.uintp(node)] = state.job_number[np.uintp(first)] if first >= 0 else NO_JOB
    node >>= 1
    while node > 0:
        least = min(tree[np.uintp(2 * node)], tree[np.uintp(2 * node + 1)])
        if tree[np.uintp(node)] == least:
            break
        tree[np.uintp(node)] = least
        node >>= 1


@jitable
def earliest_up_to(waiting: Any, state: State, limit: int, above: int) -> int:
    """The earliest job of a size in (above, limit]; its record, or -1.

    *above* must be the end of a bucket.
    """
    if limit <= above:
        return -1
    bucket = bucket_of(waiting, limit)
    found = -1
    if waiting.upper[bucket] > limit:  # not all of this bucket fits
        if waiting.upper[bucket + 1] < limit:
            record = waiting.first[bucket]
            while record >= 0 and state.job_room[np.uintp(record), 0] > limit:
                record = waiting.after[np.uintp(record)]
            found = record
        bucket += 1
    end = len(waiting.first) if above == 0 else bucket_of(waiting, above + 1) + 1
    other = earliest_between(waiting, bucket, end)
    if other < 0:
        return int(found)
    if found < 0 or state.job_number[other] < state.job_number[found]:
        return int(other)
    return int(found)


@jitable
def earliest_between(waiting: Any, start: int, end: int) -> int:
    """The earliest of the first jobs of the buckets from *start* to *end* - 1, or -1."""
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
    return int(waiting.first[best - leaves])
