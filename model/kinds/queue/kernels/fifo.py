"""FIFO-FF compiled, over true sizes or over containers.

Reference
    The references are :mod:`model.kinds.queue.policies.fifo_ff` and ``fifo_slots``.
Implements
    The head of the line is placed by first fit, repeatedly.  With ``skip``, the earliest waiting job that
    fits some server is placed repeatedly; it is found by the index of the waiting jobs by size.
Symbols
    l  ``server``
Deviations
    None.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, unsigned, with_others
from slotscope.model.kinds.queue.kernels import best_fit
from slotscope.model.kinds.queue.kernels.best_fit import fits, place
from slotscope.model.kinds.queue.kernels.rooms import first_with_room as next_with_room
from slotscope.model.kinds.queue.kernels.rooms import most_free
from slotscope.model.kinds.queue.kernels.slots import SKIPS
from slotscope.model.kinds.queue.kernels.waiting import earliest_up_to
from slotscope.model.kinds.queue.state import WAITING

State = Any
Array = Any


@jitable
def first_with_room(state: State, index: Any, capacity: Array, record: int) -> int:
    """The first server with room for a job, or -1."""
    room = state.job_room[unsigned(record), 0]
    server = next_with_room(index.rooms, room, 0)
    if capacity.shape[1] > 1:
        while server >= 0 and not fits(state, capacity, record, server):
            server = next_with_room(index.rooms, room, server + 1)
    return int(server)


@jitable
def place_in_order(state: State, index: Any, constant: Array, capacity: Array, outcome: Array) -> None:
    """Place the head of the line repeatedly; with SKIPS and several resources scan the whole list."""
    record = state.first_waiting[0]
    while record >= 0:
        after = state.job_next[record]
        server = first_with_room(state, index, capacity, record)
        if server >= 0:
            place(state, index, constant, capacity, record, server, outcome)
        elif not constant[SKIPS]:
            return
        record = after


@jitable
def place_earliest(state: State, index: Any, constant: Array, capacity: Array, outcome: Array) -> None:
    """Place the earliest waiting job that fits some server, repeatedly."""
    while state.number[WAITING] > 0:
        record = earliest_up_to(index.waiting, state, most_free(index.rooms), 0)
        if record < 0:
            return
        server = first_with_room(state, index, capacity, record)
        place(state, index, constant, capacity, record, server, outcome)


@jitable
def act(state: State, index: Any, constant: Array, capacity: Array, _fresh: Array, outcome: Array) -> None:
    """The decisions of the policy in a slot."""
    if constant[SKIPS] and capacity.shape[1] == 1:
        place_earliest(state, index, constant, capacity, outcome)
    else:
        place_in_order(state, index, constant, capacity, outcome)


advance = with_others(best_fit.advance, {best_fit.act: act}, "fifo")
