"""State of a loss system of moldable jobs: X_i, and the job on each server.

Ghanbarian et al. (2025), Section 2.  Dimensions: n servers, l job classes, d the largest degree, P
pools of servers, w = d + 1 widths from 0, m numbers that the policy remembers.  Indices and numbers start at 0;
-1 stands for none.  The record of a job is the number of its first server.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.statespec import MOST, StateSpec, anything, count, due, identity, index, span

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
Times = NDArray[np.float64]

# Indices into ``number``.
EVENT = 0
NEXT_ARRIVAL = 1  # arrivals taken from the workload so far
JOBS = 2  # jobs in the system
BUSY = 3  # servers in use
NUMBERS = 4

# Rows of ``tally``: counts so far, by class.
(ARRIVED, ADMITTED, BLOCKED, PARTIAL, SPLIT, DEPARTED) = range(6)
TALLIES = 6

# Rows of ``time_sum``: execution times so far, by class, of all admitted jobs and of those that
# have departed.
OF_ADMITTED, OF_DEPARTED = range(2)

# Columns of ``level`` and ``level_area``.
DISTANCE = 0  # sum over i of |X_i - n y*_i|
SQUARED = 1  # sum over I* of s_i (X_i - n y*_i)^2
BELOW = 2  # 1 while more than one job runs on fewer than i1 servers (Lemma 2)
LEVELS = 3

#: The only index into ``clock``: the time of the last event.
NOW = 0

#: Bins of each axis of ``occupancy``.
BINS = 64


class MoldableState(NamedTuple):
    """All that changes while moldable jobs arrive and depart.

    A run of servers is either a gap, a maximal sequence of neighbouring free servers of a pool,
    or a piece, neighbouring servers that a job took together.
    """

    number: Annotated[Integers, count(str(NUMBERS))]  #: scalars, see the constants
    clock: Annotated[Times, span("1")]  #: time of the last event
    tally: Annotated[Integers, count(f"{TALLIES} l")]  #: counts
    time_sum: Annotated[Times, span("2 l")]  #: sums of execution times
    jobs: Annotated[Integers, count("l w", "n")]  #: X_i of each class; column 0 stays 0
    area: Annotated[Times, span("l w")]  #: integral of X_i up to ``since``
    since: Annotated[Times, span("l w")]  #: when X_i last changed
    below: Annotated[Integers, count("2 l", "n")]  #: jobs on fewer than i1 servers: now, and at most so far
    distance: Annotated[Integers, count("l")]  #: sum over i of |X_i - n y*_i|, in units of 1 / DISTANCE_UNIT
    level: Annotated[Times, span(f"l {LEVELS}")]  #: the values of the columns now
    level_area: Annotated[Times, span(f"l {LEVELS}")]  #: their integrals up to ``class_since``
    occupancy: Annotated[Times, span(f"l {BINS} {BINS}")]  #: time spent in each bin of (X_i, X_i+1), see ``Tables``
    class_since: Annotated[Times, span("l")]  #: when a job of the class last arrived or departed
    free: Annotated[Integers, count("P", "n")]  #: free servers of each pool
    server_job: Annotated[Indices, index("n", "n")]  #: the record of the job that each server runs
    run_length: Annotated[Indices, count("n", "n")]  #: of the run starting here, or the gap ending here
    gap_head: Annotated[Indices, index("P w", "n")]  #: the first gap in the list of each length: 1, ..., d, longer
    gap_next: Annotated[Indices, index("n", "n")]  #: the next gap of the same pool and length
    gap_previous: Annotated[Indices, index("n", "n")]
    piece_next: Annotated[Indices, index("n", "n")]  #: the next piece of the same job
    job_number: Annotated[Integers, identity("n")]  #: the number of the job in a record
    job_class: Annotated[Indices, index("n", "l")]
    job_width: Annotated[Indices, index("n", "w", blank=0)]  #: the number of servers that the job runs on
    job_request: Annotated[Indices, index("n", "w", blank=0)]  #: the number of servers that the job requested
    job_arrival: Annotated[Times, span("n")]
    job_departure: Annotated[Times, due("n")]  #: departure time; inf: no job
    trail: Annotated[NDArray[np.uint64], anything("1")]  #: running hash of all events
    memory: Annotated[Times, anything("m")]  #: what the policy remembers between events


def blank_state(servers: int, classes: int, degree: int, pools: int, memory: int = 0) -> MoldableState:
    """The state at time 0 without jobs, and without gaps yet: see :func:`model.kinds.moldable.gaps.open_pools`."""
    lengths = {"n": servers, "l": classes, "w": degree + 1, "P": pools, "m": memory}
    state: MoldableState = SPEC.blank(lengths)
    return state


SPEC = StateSpec(
    state=MoldableState,
    # EVENT, NEXT_ARRIVAL, JOBS, BUSY
    number=(MOST, MOST, "n", "n"),
    growing=lambda _: "",
)
