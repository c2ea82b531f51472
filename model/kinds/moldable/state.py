"""State of a loss system of moldable jobs: X_i, and which servers run which job.

Ghanbarian et al. (2025), Section 2.  Shapes: n servers, l job classes, d the largest degree, P
pools of servers.  Servers, classes and pools are numbered from 0; -1 stands for none.  The record
of a job is the number of its first server.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.statespec import MOST, Field, StateSpec, anything, count, due, index, span

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
Times = NDArray[np.float64]

# Places in ``number``.
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

#: The only place in ``clock``: the time of the last event.
NOW = 0

#: Bins of each axis of ``occupancy``.
BINS = 64


class MoldableState(NamedTuple):
    """Everything that changes while moldable jobs come and leave.

    A run of servers is a gap, neighbouring free servers of a pool that are as many as there are,
    or a piece, neighbouring servers that a job took together.
    """

    number: Integers  #: [NUMBERS] scalars, see the constants
    clock: Times  #: [1] time of the last event
    tally: Integers  #: [TALLIES, l] counts
    time_sum: Times  #: [2, l] sums of execution times
    jobs: Integers  #: [l, d + 1] X_i of each class; column 0 stays 0
    area: Times  #: [l, d + 1] integral of X_i up to ``since``
    since: Times  #: [l, d + 1] when X_i last changed
    below: Integers  #: [2, l] jobs on fewer than i1 servers: now, and at most so far
    distance: Integers  #: [l] sum over i of |X_i - n y*_i|, in units of 1 / DISTANCE_UNIT
    level: Times  #: [l, LEVELS] what the columns say, now
    level_area: Times  #: [l, LEVELS] their integrals up to ``class_since``
    occupancy: Times  #: [l, BINS, BINS] time spent in each bin of (X_i, X_i+1), see ``Tables``
    class_since: Times  #: [l] when a job of the class last came or left
    free: Integers  #: [P] free servers
    server_job: Indices  #: [n] the record of the job that each server runs
    run_length: Indices  #: [n] servers of the run that begins here, or of the gap that ends here
    gap_head: Indices  #: [P, d + 1] a gap of each length: 1, ..., d, longer
    gap_next: Indices  #: [n] the next gap of the same pool and length
    gap_previous: Indices  #: [n]
    piece_next: Indices  #: [n] the next piece of the same job
    job_number: Integers  #: [n] identity of the job in a record
    job_class: Indices  #: [n]
    job_width: Indices  #: [n] on how many servers it runs
    job_request: Indices  #: [n] for how many it asked
    job_arrival: Times  #: [n]
    job_departure: Times  #: [n] inf: no job
    trail: NDArray[np.uint64]  #: [1] running hash of all events
    memory: Times  #: [m] what the policy remembers, m as it declares


def blank_state(servers: int, classes: int, degree: int, pools: int, memory: int = 0) -> MoldableState:
    """No job at time 0, and no gap yet: see :func:`model.kinds.moldable.gaps.open_pools`."""
    lengths = {"n": servers, "l": classes, "w": degree + 1, "P": pools, "m": memory}
    state: MoldableState = SPEC.blank(lengths)
    return state


#: What the arrays are like; w widths from 0 to the largest degree, m numbers that the policy remembers.
SPEC = StateSpec(
    state=MoldableState,
    fields={
        "number": count(str(NUMBERS)),
        "clock": span("1"),
        "tally": count(f"{TALLIES} l"),
        "time_sum": span("2 l"),
        "jobs": count("l w", "n"),
        "area": span("l w"),
        "since": span("l w"),
        "below": count("2 l", "n"),
        "distance": count("l"),
        "level": span(f"l {LEVELS}"),
        "level_area": span(f"l {LEVELS}"),
        "occupancy": span(f"l {BINS} {BINS}"),
        "class_since": span("l"),
        "free": count("P", "n"),
        "server_job": index("n", "n"),
        "run_length": count("n", "n"),
        "gap_head": index("P w", "n"),
        "gap_next": index("n", "n"),
        "gap_previous": index("n", "n"),
        "piece_next": index("n", "n"),
        "job_number": Field("n", -1, MOST, blank=-1),
        "job_class": index("n", "l"),
        "job_width": index("n", "w", blank=0),
        "job_request": index("n", "w", blank=0),
        "job_arrival": span("n"),
        "job_departure": due("n"),
        "trail": anything("1"),
        "memory": anything("m"),
    },
    # EVENT, NEXT_ARRIVAL, JOBS, BUSY
    number=(MOST, MOST, "n", "n"),
    growing=lambda _: "",
)
