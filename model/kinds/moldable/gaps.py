"""The servers that a job takes: neighbouring ones if possible, and the same until it departs.

In the paper servers have no order; here they have, so that a job can be drawn.  A job takes the
shortest gap that holds it, from its start; gaps longer than d count as d + 1, and of gaps
that count the same the latest one is taken.  If no gap holds the job, it takes whole gaps, the
longest first, and runs in several pieces.  Gaps are in lists by length with boundary tags (Knuth 1968,
The Art of Computer Programming 1, Section 2.5), so that the time per job does not depend on the number of
servers.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable.rules import AllocationRules
from slotscope.model.kinds.moldable.state import BUSY, MoldableState

State = Any


def open_pools(state: MoldableState, rules: AllocationRules) -> None:
    """Make each pool of a blank state one gap."""
    for pool in range(rules.pools):
        first, end = int(rules.pool_first[pool]), int(rules.pool_end[pool])
        state.free[pool] = end - first
        if end > first:
            link(state, pool, first, end - first)


@jitable
def link(state: State, pool: int, start: int, length: int) -> None:
    """Insert a gap into the list of its length."""
    place = unsigned(min(length, state.gap_head.shape[1]) - 1)
    head = state.gap_head[unsigned(pool), place]
    state.gap_next[unsigned(start)] = head
    state.gap_previous[unsigned(start)] = -1
    if head >= 0:
        state.gap_previous[unsigned(head)] = start
    state.gap_head[unsigned(pool), place] = start
    state.run_length[unsigned(start)] = length
    state.run_length[unsigned(start + length - 1)] = length


@jitable
def unlink(state: State, pool: int, start: int) -> int:
    """Remove a gap from its list; return its length."""
    length = state.run_length[unsigned(start)]
    following = state.gap_next[unsigned(start)]
    previous = state.gap_previous[unsigned(start)]
    if previous >= 0:
        state.gap_next[unsigned(previous)] = following
    else:
        place = unsigned(min(length, state.gap_head.shape[1]) - 1)
        state.gap_head[unsigned(pool), place] = following
    if following >= 0:
        state.gap_previous[unsigned(following)] = previous
    return int(length)


@jitable
def best_gap(state: State, pool: int, count: int) -> int:
    """The start of the shortest gap of at least *count* servers, else of the longest; the pool must have a gap."""
    lengths = state.gap_head.shape[1]
    for place in range(min(count, lengths) - 1, lengths):
        start = state.gap_head[unsigned(pool), unsigned(place)]
        if start >= 0:
            return int(start)
    place = min(count, lengths) - 2
    while state.gap_head[unsigned(pool), unsigned(place)] < 0:
        place -= 1
    return int(state.gap_head[unsigned(pool), unsigned(place)])


@jitable
def mark(state: State, start: int, count: int, record: int) -> None:
    """Let *count* > 0 neighbouring servers run the job of *record*; -1: none.

    The loop writes two servers at a time, and may write the last one twice: that spares the processor a branch that
    it would mispredict.
    """
    last = start + count - 1
    for server in range(start, start + count, 2):
        state.server_job[unsigned(server)] = record
        state.server_job[unsigned(min(server + 1, last))] = record


@jitable
def take(state: State, pool: int, count: int, last: int) -> int:
    """Give *count* free servers of a pool to the job whose last piece starts at *last* (-1: it has
    none yet); return the start of its last piece.
    """
    state.free[unsigned(pool)] -= count
    state.number[BUSY] += count
    record = state.server_job[unsigned(last)] if last >= 0 else -1
    while count > 0:
        start = best_gap(state, pool, count)
        length = unlink(state, pool, start)
        used = min(length, count)
        if length > used:
            link(state, pool, start + used, length - used)
        if last >= 0:
            state.piece_next[unsigned(last)] = start
        else:
            record = start
        mark(state, start, used, record)
        state.run_length[unsigned(start)] = used
        state.piece_next[unsigned(start)] = -1
        last = start
        count -= used
    return last


@jitable
def give_back(state: State, rules: Any, pool: int, start: int) -> None:
    """Free the piece that starts at *start*, and merge it with the gaps beside it."""
    length = int(state.run_length[unsigned(start)])
    pool_first, pool_end = rules.pool_first[unsigned(pool)], rules.pool_end[unsigned(pool)]
    mark(state, start, length, -1)
    state.free[unsigned(pool)] += length
    state.number[BUSY] -= length
    end = start + length
    if start > pool_first and state.server_job[unsigned(start - 1)] < 0:
        start -= state.run_length[unsigned(start - 1)]
        unlink(state, pool, start)
    if end < pool_end and state.server_job[unsigned(end)] < 0:
        end += unlink(state, pool, end)
    link(state, pool, start, end - start)
