"""State of the loss system with slots: S(t) of Definition 4, (2.2), and its jobs.

Dimensions: L servers, J job types, G ranks (J with one pool), M job records (doubles when full), m numbers
that the policy remembers.  Servers, types and records are numbered from 0; -1 stands for none.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.statespec import (
    MOST,
    Field,
    StateSpec,
    anything,
    count,
    due,
    free_records,
    identity,
    index,
    span,
    with_more_records,
)

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]
Times = NDArray[np.float64]

# Indices into ``number``.
EVENT = 0  # events so far
NEXT_ARRIVAL = 1  # arrivals taken from the workload so far
NEXT_STAMP = 2  # the stamp that the next reassigned server gets
FREE = 3  # free job records
DEPARTURES = 4  # entries in the heap of departures
I_STAR = 5  # I* of the last CRA (1..J)
GREEDY_LENGTH = 6  # the number of configurations k[i] that the last GPA returned
REASSIGNMENTS = 7  # servers reassigned so far
EXTENDED = 8  # 1 if all servers of rank J + 1 are in the Reject Group (Section 8)
NUMBERS = 9

# Columns of ``tally``.
ARRIVED, ADMITTED, REJECTED, DEPARTED, MIGRATED, PREEMPTED = range(6)
TALLIES = 6

# Indices into ``clock``.
NOW, TIMER = range(2)

#: Initial number of job records of an empty system.
FIRST_RECORDS = 64
#: Largest number of slots of one server, or of jobs in them; far above what a capacity holds.
_MOST_SLOTS = 2**30


class ReservationState(NamedTuple):
    """All that changes while a loss system with slots runs."""

    number: Annotated[Integers, count(str(NUMBERS))]  #: scalars, see the constants
    clock: Annotated[Times, due("2")]  #: the present time; the time of the policy's next update
    configuration: Annotated[Indices, count("L J", _MOST_SLOTS)]  #: slots per server and type, k^l
    placement: Annotated[Indices, count("L J", _MOST_SLOTS)]  #: jobs per server and type, k-hat^l
    stamp: Annotated[Integers, Field("L", -MOST, MOST)]  #: larger is more recent: orders servers of a configuration
    jobs_in_system: Annotated[Integers, count("J")]  #: Y_j
    slots_in_system: Annotated[Integers, count("J")]  #: slots of all servers, by type
    tally: Annotated[Integers, count(f"J {TALLIES}")]  #: arrivals, admissions, ... per type
    area: Annotated[Times, span("J")]  #: integral of Y_j up to ``since``
    since: Annotated[Times, span("J")]  #: time of the last change of Y_j
    greedy_configuration: Annotated[Indices, count("G J", _MOST_SLOTS)]  #: k[i] of the last GPA, row i - 1
    greedy_count: Annotated[Integers, count("G", "L")]  #: X-hat_{k[i]} of the last GPA
    job_number: Annotated[Integers, identity("M")]  #: the number of the job in a record
    job_type: Annotated[Indices, index("M", "J")]
    job_server: Annotated[Indices, index("M", "L")]
    job_arrival: Annotated[Times, span("M")]  #: time of admission
    job_departure: Annotated[Times, due("M")]
    job_next: Annotated[Indices, index("M", "M")]  #: the next job of the same server and type
    job_previous: Annotated[Indices, index("M", "M")]
    first_job: Annotated[Indices, index("L J", "M")]  #: the most recently placed job of a server and type
    free_record: Annotated[Indices, index("M", "M")]  #: stack of the FREE free records
    heap_time: Annotated[Times, due("M")]  #: heap of departures
    heap_record: Annotated[Indices, index("M", "M")]
    trail: Annotated[NDArray[np.uint64], anything("1")]  #: running hash of all events
    memory: Annotated[Times, anything("m")]  #: the numbers that the policy remembers between events


def empty_state(
    servers: int, types: int, records: int = FIRST_RECORDS, memory: int = 0, ranks: int | None = None
) -> ReservationState:
    """The state at time 0 with L empty servers of the empty configuration; server 0 has index 1."""
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
    """*state* with room for one more job; the same object if a record is still free, else with twice the records.

    Called before each arrival, by the reference engine and the kernels alike, so that both
    grow at the same event.
    """
    if state.number[FREE] > 0:
        return state
    larger: ReservationState = with_more_records(SPEC, state, FREE)
    return larger


SPEC = StateSpec(
    state=ReservationState,
    # EVENT, NEXT_ARRIVAL, NEXT_STAMP, FREE, DEPARTURES, I_STAR, GREEDY_LENGTH, REASSIGNMENTS,
    # EXTENDED
    number=(MOST, MOST, MOST, "M", "M", "G", "G", MOST, 1),
    growing=lambda _: "M",
)
