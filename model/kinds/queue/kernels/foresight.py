"""A long queue's memory, asked for before it is needed.

Of 100,000 waiting jobs few are in the processor's caches, and the one that is placed next is not
among them: what it costs is waiting for memory, not steps of the index.  But mostly it is known
beforehand.  The jobs that arrive next stand in the block, and the next departure in the heap, so
that the largest job that then fits can be looked up a slot or more ahead.  A guess that proves
wrong costs time and nothing else: nothing here changes the state.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, touch, unsigned
from slotscope.model.kinds.queue.kernels.slots import BY_SIZE
from slotscope.model.kinds.queue.kernels.waiting import AFTER, FIRST, LAST, bucket_of
from slotscope.model.kinds.queue.state import DEPARTURES, NEXT_ARRIVAL, WAITING
from slotscope.model.systems.bitset import next_member

State = Any
Array = Any


#: Shorter queues fit the caches.
LONG_QUEUE = 8192

#: Arrivals ahead for which the ends of a bucket are asked for, and then a job at its end.
ENDS_AHEAD, JOB_AHEAD = 3, 1


@jitable
def expect(state: State, record: int) -> None:
    """A job will be placed, and leave some time later: all that is kept of it."""
    at = unsigned(record)
    touch(state.job_number, at)
    touch(state.job_room, at)
    touch(state.job_size, at)
    touch(state.job_queue, at)
    touch(state.job_arrival, at)
    touch(state.job_service, at)
    touch(state.job_server, at)
    touch(state.job_departure, at)
    touch(state.job_next, at)
    touch(state.job_previous, at)


@jitable
def expect_neighbours(state: State, index: Any, record: int) -> None:
    """The jobs between which an expected one stands; what is kept of it is near by now."""
    at = unsigned(record)
    after, before = state.job_next[at], state.job_previous[at]
    if after >= 0:
        touch(state.job_previous, unsigned(after))
    if before >= 0:
        touch(state.job_next, unsigned(before))
    after = index.waiting.node[unsigned(2 * record + AFTER)]
    if after >= 0:
        touch(index.waiting.node, unsigned(2 * after))


@jitable
def foresee_arrivals(state: State, index: Any, jobs: Any) -> None:
    """Where the next jobs will be put in."""
    lists = index.waiting
    place = state.number[NEXT_ARRIVAL] - jobs.first[0]
    if place + ENDS_AHEAD >= len(jobs.time):
        return
    touch(lists.ends, unsigned(2 * bucket_of(lists, jobs.room[unsigned(place + ENDS_AHEAD), 0])))
    bucket = bucket_of(lists, jobs.room[unsigned(place + JOB_AHEAD), 0])
    last = lists.ends[unsigned(2 * bucket + LAST)]
    if last >= 0:
        touch(state.job_room, unsigned(last))
        touch(lists.node, unsigned(2 * last))


@jitable
def foresee_placement(state: State, index: Any, most: Any) -> None:
    """The largest job up to *most* that fits when the next one leaves; then its neighbours."""
    lists = index.waiting
    served = state.heap_record[0]
    at = unsigned(served)
    limit = index.rooms.free[unsigned(state.job_server[at])] + state.job_room[at, 0]
    bucket = next_member(lists.words, lists.summary, bucket_of(lists, min(limit, most)))
    if bucket < 0:
        return
    record = lists.ends[unsigned(2 * bucket + FIRST)]
    if record == lists.foreseen[0]:
        expect_neighbours(state, index, record)
    else:
        expect(state, record)
        touch(lists.node, unsigned(2 * record))
        lists.foreseen[0] = record


@jitable
def foresee(state: State, index: Any, jobs: Any, constant: Array, most: Any) -> None:
    """With a long queue ordered by size: what the next slots need.

    *most* is the largest size that may follow the job that leaves next.
    """
    if not constant[BY_SIZE] or state.number[WAITING] < LONG_QUEUE:
        return
    foresee_arrivals(state, index, jobs)
    if state.number[DEPARTURES] > 0:
        foresee_placement(state, index, most)


@jitable
def foresee_head(state: State, queue: int) -> None:
    """The next head of line of VQ_j, when the last one has been placed, if the queue is long."""
    if state.number[WAITING] < LONG_QUEUE:
        return
    record = state.first_waiting[unsigned(queue)]
    if record >= 0:
        expect(state, record)
