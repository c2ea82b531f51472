"""State of the loss system with slots: S(t) of Definition 4, (2.2), and its jobs.

Shapes: L servers, J job types, M job records (grows by doubling).  Servers, types and
records are numbered from 0; -1 stands for none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.growing import free_records, with_more_records
from slotscope.model.systems.statespec import MOST, Field, StateSpec, anything, count, due, index, span

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
Times = NDArray[np.float64]

# Places in ``number``.
EVENT = 0  # events so far
NEXT_ARRIVAL = 1  # arrivals taken from the workload so far
NEXT_STAMP = 2  # the stamp that the next reassigned server gets
FREE = 3  # job records that are free
DEPARTURES = 4  # entries in the heap of departures
I_STAR = 5  # I* of the last CRA (1..J)
GREEDY_LENGTH = 6  # configurations k[i] that the last GPA returned
REASSIGNMENTS = 7  # servers reassigned so far
EXTENDED = 8  # 1 if all servers of rank J + 1 are in the Reject Group (Section 8)
NUMBERS = 9

# Columns of ``tally``.
ARRIVED, ADMITTED, REJECTED, DEPARTED, MIGRATED, PREEMPTED = range(6)
TALLIES = 6

# Places in ``clock``.
NOW, TIMER = range(2)

#: Job records of a new, empty system.
FIRST_RECORDS = 64
#: Slots of one server, or jobs in them; far above what a capacity holds.
_MOST_SLOTS = 2**30


class ReservationState(NamedTuple):
    """Everything that changes while a loss system with slots runs."""

    number: Integers  #: [NUMBERS] scalars, see the constants
    clock: Times  #: [2] the time now; the time of the policy's next update
    configuration: Indices  #: [L, J] slots per server and type, k^l
    placement: Indices  #: [L, J] jobs per server and type, k-hat^l
    stamp: Integers  #: [L] larger is more recent: orders the servers of a configuration
    jobs_in_system: Integers  #: [J] Y_j
    slots_in_system: Integers  #: [J] slots of all servers
    tally: Integers  #: [J, TALLIES] arrivals, admissions, ... per type
    area: Times  #: [J] integral of Y_j up to ``since``
    since: Times  #: [J] when Y_j last changed
    greedy_configuration: Indices  #: [G, J] k[i] of the last GPA, row i - 1; G = J with one pool
    greedy_count: Integers  #: [G] X-hat_{k[i]} of the last GPA
    job_number: Integers  #: [M] identity of the job in a record
    job_type: Indices  #: [M]
    job_server: Indices  #: [M]
    job_arrival: Times  #: [M] when it was admitted
    job_departure: Times  #: [M]
    job_next: Indices  #: [M] the next job of the same server and type
    job_previous: Indices  #: [M]
    first_job: Indices  #: [L, J] the most recently placed job of a server and type
    free_record: Indices  #: [M] stack of free records, FREE of them
    heap_time: Times  #: [M] heap of departures
    heap_record: Indices  #: [M]
    trail: NDArray[np.uint64]  #: [1] running hash of all events
    memory: Times  #: [m] what the policy remembers, m as it declares


def empty_state(
    servers: int, types: int, records: int = FIRST_RECORDS, memory: int = 0, ranks: int | None = None
) -> ReservationState:
    """L empty servers with the empty configuration at time 0; server 0 has index 1."""
    ranks = types if ranks is None else ranks
    state: ReservationState = SPEC.blank(
        {"L": servers, "J": types, "G": ranks, "M": records, "m": memory},
        clock=np.array([0.0, np.inf]),
        stamp=-np.arange(servers, dtype=np.int64),
        free_record=free_records(records),
    )
    state.number[FREE] = records
    state.number[NEXT_STAMP] = 1
    state.number[I_STAR] = ranks
    return state


def with_room(state: ReservationState) -> ReservationState:
    """*state* with twice the job records; the same object where one is still free.

    Called before each arrival, by the reference engine and the kernels alike, so that both
    grow at the same event.
    """
    if state.number[FREE] > 0:
        return state
    larger: ReservationState = with_more_records(SPEC, state, FREE)
    return larger


#: What the arrays are like; G ranks, m numbers that the policy remembers.
SPEC = StateSpec(
    state=ReservationState,
    fields={
        "number": count(str(NUMBERS)),
        "clock": due("2"),
        "configuration": count("L J", _MOST_SLOTS),
        "placement": count("L J", _MOST_SLOTS),
        "stamp": Field("L", -MOST, MOST),
        "jobs_in_system": count("J"),
        "slots_in_system": count("J"),
        "tally": count(f"J {TALLIES}"),
        "area": span("J"),
        "since": span("J"),
        "greedy_configuration": count("G J", _MOST_SLOTS),
        "greedy_count": count("G", "L"),
        "job_number": Field("M", -1, MOST, blank=-1),
        "job_type": index("M", "J"),
        "job_server": index("M", "L"),
        "job_arrival": span("M"),
        "job_departure": due("M"),
        "job_next": index("M", "M"),
        "job_previous": index("M", "M"),
        "first_job": index("L J", "M"),
        "free_record": index("M", "M"),
        "heap_time": due("M"),
        "heap_record": index("M", "M"),
        "trail": anything("1"),
        "memory": anything("m"),
    },
    # EVENT, NEXT_ARRIVAL, NEXT_STAMP, FREE, DEPARTURES, I_STAR, GREEDY_LENGTH, REASSIGNMENTS,
    # EXTENDED
    number=(MOST, MOST, MOST, "M", "M", "G", "G", MOST, 1),
    growing=lambda _: "M",
)
