"""What the next departure needs of the memory, asked for an event ahead.

Of a million jobs few are in the processor's caches, and the one that departs next is mostly not among them; but the
heap says beforehand which it is.  Nothing here changes the state.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, touch, unsigned
from slotscope.model.kinds.reservation.state import DEPARTURES

State = Any

#: Fewer jobs fit the caches.
MANY_JOBS = 2**13

#: The first of a heap has so many below it, of which one follows it.
FOLLOWING = 4


@jitable
def foresee_departures(state: State) -> None:
    """With many jobs: what the next departures need."""
    if state.number[DEPARTURES] >= MANY_JOBS:
        ask_for_departures(state)


@jitable
def ask_for_departures(state: State) -> None:
    """The job that departs next, and its server; of those of which one follows it, what is read first.

    There are more than these.
    """
    for place in range(1, FOLLOWING + 1):
        at = unsigned(state.heap_record[unsigned(place)])
        touch(state.job_server, at)
        touch(state.job_next, at)
        touch(state.job_previous, at)
    at = unsigned(state.heap_record[0])
    touch(state.job_number, at)
    touch(state.job_type, at)
    touch(state.job_arrival, at)
    touch(state.job_departure, at)
    server, after, before = state.job_server[at], state.job_next[at], state.job_previous[at]
    touch(state.configuration, unsigned(server))
    touch(state.placement, unsigned(server))
    touch(state.first_job, unsigned(server))
    if after >= 0:
        touch(state.job_previous, unsigned(after))
    if before >= 0:
        touch(state.job_next, unsigned(before))
