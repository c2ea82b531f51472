"""How events change the state; shared by the reference engine and the kernel.

This code neither decides nor checks: the system checks each decision before.  Unsigned indices (``unsigned``)
spare the compiled code a test for negative ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable.gaps import give_back, take
from slotscope.model.kinds.moldable.numbers import DISTANCE_UNIT
from slotscope.model.kinds.moldable.state import (
    ADMITTED,
    BELOW,
    BINS,
    DEPARTED,
    DISTANCE,
    JOBS,
    LEVELS,
    NOW,
    OF_ADMITTED,
    OF_DEPARTED,
    PARTIAL,
    SPLIT,
    SQUARED,
)
from slotscope.model.systems.random_words import mixed, random_word

State = Any
Array = Any


#: Bits of the flags in one word of the trail, and of the width in the other.
FLAG_BITS, WIDTH_BITS = 16, 12


@jitable
def request(tables: Any, rules: Any, job_class: int, number: int, free: int) -> int:
    """The number of servers that a job requests; *free* matters only if the policy has a table by free servers.

    The draw is a function of the job's number: blocked jobs draw a request, too.
    """
    j = unsigned(job_class)
    if rules.by_free.shape[0] > 0:
        return int(rules.by_free[j, unsigned(free)])
    last = rules.width.shape[1] - 1
    place = 0
    if last > 0:
        word = random_word(tables.key[0], number, 0)
        while place < last and word > rules.last_word[j, unsigned(place)]:
            place += 1
    return int(rules.width[j, unsigned(place)])


@jitable
def free_for(state: State, rules: Any, job_class: int) -> int:
    """The number of free servers that are open to the class."""
    free = state.free[unsigned(rules.own_pool[unsigned(job_class)])]
    if rules.common_pool[0] >= 0:
        free += state.free[unsigned(rules.common_pool[0])]
    return int(free)


@jitable
def settle_class(state: State, tables: Any, job_class: int) -> None:
    """Advance the integrals of a class, and its occupancy, to the present."""
    j = unsigned(job_class)
    now = state.clock[NOW]
    elapsed = now - state.class_since[j]
    for k in range(LEVELS):
        state.level_area[j, unsigned(k)] += state.level[j, unsigned(k)] * elapsed
    shift = tables.bin_shift[j]
    first = (state.jobs[j, unsigned(tables.pair[j, 0])] - tables.bin_low[j, 0]) >> shift
    second = (state.jobs[j, unsigned(tables.pair[j, 1])] - tables.bin_low[j, 1]) >> shift
    if 0 <= first < BINS and 0 <= second < BINS:
        state.occupancy[j, unsigned(first), unsigned(second)] += elapsed
    state.class_since[j] = now


@jitable
def set_levels(state: State, tables: Any, job_class: int) -> None:
    """Compute the levels of a class from its jobs."""
    j = unsigned(job_class)
    squared = 0.0
    for side in range(2):
        there = state.jobs[j, unsigned(tables.pair[j, side])] - tables.pair_target[j, side]
        squared += tables.pair_weight[j, side] * there * there
    below = state.below[0, j]
    state.level[j, DISTANCE] = state.distance[j] / DISTANCE_UNIT
    state.level[j, SQUARED] = squared
    state.level[j, BELOW] = 1.0 if below > 1 else 0.0


@jitable
def count_job(state: State, tables: Any, job_class: int, width: int, by: int) -> None:
    """Change X_i of a class by 1 or -1, and update integrals, distance and levels."""
    j = unsigned(job_class)
    i = unsigned(width)
    now = state.clock[NOW]
    before = state.jobs[j, i]
    spent = before * (now - state.since[j, i])
    settle_class(state, tables, job_class)
    state.area[j, i] += spent
    state.since[j, i] = now
    state.jobs[j, i] = before + by
    state.number[JOBS] += by
    off = before * DISTANCE_UNIT - tables.target[j, i]
    state.distance[j] += abs(off + by * DISTANCE_UNIT) - abs(off)
    if width < tables.least[j]:
        state.below[0, j] += by
        state.below[1, j] = max(state.below[1, j], state.below[0, j])
    set_levels(state, tables, job_class)


@jitable
def admit(state: State, tables: Any, rules: Any, job_class: int, number: int, requested: int, width: int) -> int:
    """Give a job *width* servers, those of its own pool first; return its record.

    :func:`schedule` then sets its departure.
    """
    own = rules.own_pool[unsigned(job_class)]
    mine = min(width, state.free[unsigned(own)])
    last = -1
    if mine > 0:
        last = take(state, own, mine, last)
    if width > mine:
        last = take(state, rules.common_pool[0], width - mine, last)
    record = state.server_job[unsigned(last)]
    at = unsigned(record)
    state.job_number[at] = number
    state.job_class[at] = job_class
    state.job_width[at] = width
    state.job_request[at] = requested
    state.job_arrival[at] = state.clock[NOW]
    j = unsigned(job_class)
    state.tally[ADMITTED, j] += 1
    if width < requested:
        state.tally[PARTIAL, j] += 1
    if last != record:
        state.tally[SPLIT, j] += 1
    count_job(state, tables, job_class, width, 1)
    return int(record)


@jitable
def schedule(state: State, record: int, departure: float) -> None:
    """Set a job's departure time."""
    at = unsigned(record)
    lasts = departure - state.job_arrival[at]
    state.time_sum[OF_ADMITTED, unsigned(state.job_class[at])] += lasts
    state.job_departure[at] = departure


@jitable
def depart(state: State, tables: Any, rules: Any, record: int) -> None:
    """The job in a record departs from its servers."""
    at = unsigned(record)
    job_class = state.job_class[at]
    width = state.job_width[at]
    lasts = state.job_departure[at] - state.job_arrival[at]
    j = unsigned(job_class)
    own = rules.own_pool[j]
    state.tally[DEPARTED, j] += 1
    state.time_sum[OF_DEPARTED, j] += lasts
    count_job(state, tables, job_class, width, -1)
    start = record
    while start >= 0:
        following = state.piece_next[unsigned(start)]
        inside = rules.pool_first[unsigned(own)] <= start < rules.pool_end[unsigned(own)]
        give_back(state, rules, own if inside else rules.common_pool[0], start)
        start = following
    state.job_number[at] = -1
    state.job_departure[at] = np.inf


@jitable
def extend_trail(state: State, flags: int, job: int, server: int, width: int) -> None:
    """Hash an event into the trail."""
    word = mixed(state.trail[0], (job << FLAG_BITS) | flags)
    state.trail[0] = mixed(word, ((server + 1) << WIDTH_BITS) | width)
