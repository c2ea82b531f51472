"""The event loop of a system of moldable jobs, for all its policies.

Policies differ only in their rules (:mod:`model.kinds.moldable.rules`), which physics.py reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable.kernels.calendar import insert, remove_next, soonest
from slotscope.model.kinds.moldable.outcome import close
from slotscope.model.kinds.moldable.physics import admit, depart, free_for, request, schedule
from slotscope.model.kinds.moldable.rows import (
    FLAG_ADMITTED,
    FLAG_ARRIVED,
    FLAG_BLOCKED,
    FLAG_DEPARTED,
    FLAG_PARTIAL,
    FLAG_SPLIT,
)
from slotscope.model.kinds.moldable.sampling import sample as take_sample
from slotscope.model.kinds.moldable.state import ARRIVED, BLOCKED, EVENT, NEXT_ARRIVAL, NOW
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE
from slotscope.model.systems.compiled import (
    AT_END,
    AT_FLAG,
    AT_LIMIT,
    AT_TIME,
    INITIAL_JOBS,
    LAST_BLOCK,
    NEEDS_JOBS,
    STOP_FLAGS,
    STRIDE,
)

State = Any
Array = Any

#: The only position in ``outcome``.
FLAGS = 0


def advance(
    state: State,
    tables: Any,
    rules: Any,
    calendar: Any,
    jobs: Any,
    constant: Array,
    until: float,
    tape: Array,
    samples: Array,
    done: Array,
    outcome: Array,
) -> int:
    """Run events; see :mod:`model.systems.compiled`.

    At equal times departures come first, then arrivals.
    """
    initial_jobs, stride = constant[INITIAL_JOBS], constant[STRIDE]
    stop_flags = constant[STOP_FLAGS]
    first, last = jobs.first[0], len(jobs.time)
    while done[0] < len(tape):
        record = soonest(state, calendar)
        place = state.number[NEXT_ARRIVAL] - first
        if place >= last and not constant[LAST_BLOCK]:
            return NEEDS_JOBS
        comes = jobs.time[unsigned(place)] if place < last else np.inf
        departs = state.job_departure[unsigned(record)] if record >= 0 else np.inf
        due = min(comes, departs)
        if due == np.inf:
            return AT_END
        if due > until:
            return AT_TIME
        state.clock[NOW] = due
        row = tape[unsigned(done[0])]
        if departs <= comes:
            outcome[FLAGS] = run_departure(state, tables, rules, calendar, record, row)
        else:
            number = place + first + initial_jobs
            outcome[FLAGS] = run_arrival(state, tables, rules, calendar, jobs, place, number, row)
        done[0] += 1
        if stride and state.number[EVENT] % stride == 0:
            take_sample(state, tables.pair, tables.speedup, samples[done[1]])
            done[1] += 1
        if outcome[FLAGS] & stop_flags:
            return AT_FLAG
    return AT_LIMIT


@jitable
def run_departure(state: State, tables: Any, rules: Any, calendar: Any, record: int, row: Any) -> int:
    """The job in a record departs; returns the event's flags."""
    at = unsigned(record)
    job_class = state.job_class[at]
    free = free_for(state, rules, job_class)
    number = state.job_number[at]
    width = state.job_width[at]
    asked = state.job_request[at]
    lasts = state.clock[NOW] - state.job_arrival[at]
    depart(state, tables, rules, record)
    remove_next(calendar)
    row["lasts"] = lasts
    return int(close(state, DEPARTURE, FLAG_DEPARTED, number, job_class, record, asked, width, free, 0, row))


@jitable
def run_arrival(
    state: State, tables: Any, rules: Any, calendar: Any, jobs: Any, place: int, number: int, row: Any
) -> int:
    """The next job arrives and gets servers, or is blocked; returns the event's flags."""
    job_class = jobs.type[unsigned(place)]
    size = jobs.service[unsigned(place)]
    j = unsigned(job_class)
    state.number[NEXT_ARRIVAL] += 1
    state.tally[ARRIVED, j] += 1
    free = free_for(state, rules, job_class)
    asked = request(tables, rules, job_class, number, free)
    width = max(min(asked, free), 0)
    below = state.below[0, j]
    flags = FLAG_ARRIVED
    record = -1
    lasts = -1.0
    if width > 0:
        now = state.clock[NOW]
        departure = now + size / tables.speedup[j, unsigned(width)]
        lasts = departure - now
        record = admit(state, tables, rules, job_class, number, asked, width)
        schedule(state, record, departure)
        insert(state, calendar, record)
        flags |= FLAG_ADMITTED
        if width < asked:
            flags |= FLAG_PARTIAL
        if state.piece_next[unsigned(record)] >= 0:
            flags |= FLAG_SPLIT
    else:
        state.tally[BLOCKED, j] += 1
        flags |= FLAG_BLOCKED
    row["lasts"] = lasts
    return int(close(state, ARRIVAL, flags, number, job_class, record, asked, width, free, below, row))
