"""Prefetching: memory that a long queue will need soon is loaded into the caches ahead of time.

Of 100,000 waiting jobs few are in the processor's caches, and the job placed next is usually not one
of them: its cost is the latency of memory, not the steps of the index.  But that job can mostly be
predicted.  The block has the next arrivals and the heap the next departure, so that the largest job
that fits after this departure can be looked up a slot or more ahead.  A wrong prediction only costs
time: nothing here changes the state.
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


#: Shorter queues fit into the caches.
LONG_QUEUE = 8192

#: How many arrivals ahead the ends of a job's bucket are prefetched, and then the job at the bucket's end.
ENDS_AHEAD, JOB_AHEAD = 3, 1


@jitable
def expect(state: State, record: int) -> None:
    """Prefetch all fields of a job's record: the job will be placed, and depart some time later."""
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
    """Prefetch the neighbours of an expected job in its lists; its own record is in the caches by now."""
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
    """Prefetch the ends of the buckets into which the next arrivals will be inserted."""
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
    """Prefetch the largest job, of size at most *most*, that fits after the next departure; then its neighbours."""
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
    """Prefetch what the next slots need, if the queue is long and indexed by size.

    *most* is an upper bound on the size of a job that may take the place of the next departing job.
    """
    if not constant[BY_SIZE] or state.number[WAITING] < LONG_QUEUE:
        return
    foresee_arrivals(state, index, jobs)
    if state.number[DEPARTURES] > 0:
        foresee_placement(state, index, most)


@jitable
def foresee_head(state: State, queue: int) -> None:
    """Prefetch the new head of line of VQ_j after a placement, if the queue is long."""
    if state.number[WAITING] < LONG_QUEUE:
        return
    record = state.first_waiting[unsigned(queue)]
    if record >= 0:
        expect(state, record)
