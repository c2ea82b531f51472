"""The future departures as a calendar queue, which is derived from the state and not part of it.

Brown (1988), Calendar queues: a fast O(1) priority queue implementation for the simulation event
set problem.  Time is divided into days of equal length.  Slot k mod B has a linked list of the jobs
that depart on day k.  A day is about as long as the mean time between arrivals, so that it has about
one departure, and the next departure is found in a step or two, whatever the number of jobs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable.state import JOBS, MoldableState

State = Any

# Positions in ``place``.
DAY = 0  # no job departs on an earlier day
NEXT = 1  # the record of the job that departs next; -1: not looked for yet
PLACES = 2

#: Bounds on the number of slots, and the last day, which includes all later departures.
FEWEST_SLOTS, MOST_SLOTS = 64, 2**20
LAST_DAY = 2.0**62


class Calendar(NamedTuple):
    """A calendar of B slots, B a power of two."""

    first: NDArray[np.int32]  #: [B] record of the first job in the slot's list; -1: the list is empty
    following: NDArray[np.int32]  #: [n] the record after each record in its slot's list; -1: none
    days: NDArray[np.float64]  #: [1] days per unit of time
    place: NDArray[np.int64]  #: [PLACES] see the constants


def calendar_of(state: MoldableState, rate: float) -> Calendar:
    """Build the calendar of a state; *rate* > 0 is the number of days per unit of time."""
    servers = len(state.job_departure)
    slots = min(max(FEWEST_SLOTS, 1 << (2 * servers - 1).bit_length()), MOST_SLOTS)
    live = np.flatnonzero(state.job_number >= 0)
    slot = _days_of(state.job_departure[live], rate) & (slots - 1)
    order = np.argsort(slot, kind="stable")
    records, slot = live[order], slot[order]
    starts = np.flatnonzero(np.diff(slot, prepend=-1))
    first, following = np.full(slots, -1, np.int32), np.full(servers, -1, np.int32)
    first[slot[starts]] = records[starts]
    following[records[:-1]] = np.where(slot[1:] == slot[:-1], records[1:], -1)
    return Calendar(
        first=first,
        following=following,
        days=np.array([rate]),
        place=np.array([_days_of(state.clock, rate)[0], -1], np.int64),
    )


def _days_of(times: NDArray[np.float64], rate: float) -> NDArray[np.int64]:
    """As :func:`day_of`, for several times."""
    return np.minimum(times * rate, LAST_DAY).astype(np.int64)


@jitable
def day_of(calendar: Any, time: float) -> int:
    """The number of the day that contains a time."""
    return int(min(time * calendar.days[0], LAST_DAY))


@jitable
def insert(state: State, calendar: Any, record: int) -> None:
    """Enter the departure of the job in a record."""
    at = unsigned(record)
    day = day_of(calendar, state.job_departure[at])
    slot = unsigned(day & (len(calendar.first) - 1))
    calendar.following[at] = calendar.first[slot]
    calendar.first[slot] = record
    soonest = calendar.place[NEXT]
    if soonest >= 0 and is_before(state, record, soonest):
        calendar.place[NEXT] = record
    calendar.place[DAY] = min(calendar.place[DAY], day)


@jitable
def is_before(state: State, record: int, other: int) -> bool:
    """Whether one job departs before another; at equal times the job of lower number departs first."""
    mine = state.job_departure[unsigned(record)]
    theirs = state.job_departure[unsigned(other)]
    if mine != theirs:
        return bool(mine < theirs)
    return bool(state.job_number[unsigned(record)] < state.job_number[unsigned(other)])


@jitable
def soonest(state: State, calendar: Any) -> int:
    """Find the record of the job that departs next; -1: there is no job."""
    if calendar.place[NEXT] >= 0 or state.number[JOBS] == 0:
        return int(calendar.place[NEXT])
    day = calendar.place[DAY]
    for _ in range(len(calendar.first)):
        best = best_of(state, calendar, day)
        if best >= 0:
            calendar.place[DAY] = day
            calendar.place[NEXT] = best
            return best
        day += 1
    return after_a_year(state, calendar)


@jitable
def best_of(state: State, calendar: Any, day: int) -> int:
    """The record of the first job that departs on a day; -1: none does."""
    record = calendar.first[unsigned(day & (len(calendar.first) - 1))]
    best = -1
    while record >= 0:
        if day_of(calendar, state.job_departure[unsigned(record)]) == day and (
            best < 0 or is_before(state, record, best)
        ):
            best = record
        record = calendar.following[unsigned(record)]
    return int(best)


@jitable
def after_a_year(state: State, calendar: Any) -> int:
    """Find the next departure by a search of all jobs, when none is on any of the next B days."""
    best = -1
    for record in range(len(state.job_departure)):
        if state.job_number[record] >= 0 and (best < 0 or is_before(state, record, best)):
            best = record
    calendar.place[DAY] = day_of(calendar, state.job_departure[unsigned(best)])
    calendar.place[NEXT] = best
    return best


@jitable
def remove_next(calendar: Any) -> None:
    """Remove the job that departs next; its record must still hold its time of departure."""
    record = calendar.place[NEXT]
    slot = unsigned(calendar.place[DAY] & (len(calendar.first) - 1))
    behind = calendar.following[unsigned(record)]
    other = calendar.first[slot]
    if other == record:
        calendar.first[slot] = behind
    else:
        while calendar.following[unsigned(other)] != record:
            other = calendar.following[unsigned(other)]
        calendar.following[unsigned(other)] = behind
    calendar.place[NEXT] = -1
