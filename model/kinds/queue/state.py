"""State of servers with a queue in slotted time: (Q(t), H(t)) and its jobs.

Psychas & Ghaderi (2019), Section II.  Shapes: L servers, D resources, V virtual queues (one for
policies that know no others), M job records (grows by doubling).  Sizes are integers, see
:mod:`model.kinds.queue.numbers`.  Servers, queues and records are numbered from 0; -1 stands
for none.
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
EVENT = 0  # busy slots so far
NEXT_ARRIVAL = 1  # arrivals taken from the workload so far
FREE = 2  # job records that are free
DEPARTURES = 3  # entries in the heap of departures
WAITING = 4  # Q: jobs that wait
IN_SERVICE = 5  # jobs on servers
STALLED_SERVERS = 6
UNSETTLED = 7  # 1 if the next slot may differ from this one although nothing arrives or leaves
IDLE = 8  # servers without a job
NUMBERS = 9

# Places in ``tally``.
ARRIVED, PLACED, DEPARTED, RENEWED, STALLS, EVICTED = range(6)
TALLIES = 6

#: The only place in ``clock``: the slot of the last event.
NOW = 0

#: When a policy may act in a slot in which nothing arrives or leaves, after one in which
#: something happened: never; while a server is idle (it is renewed by another queue); always.
NEVER, WHILE_IDLE, ALWAYS = range(3)

#: Job records of a new, empty system.
FIRST_RECORDS = 64
#: Numbers of virtual queues and of configurations stay below it.
_MOST_NUMBER = 2**30


class QueueState(NamedTuple):
    """Everything that changes while jobs queue for servers."""

    number: Integers  #: [NUMBERS] scalars, see the constants
    clock: Times  #: [1] the slot of the last event
    tally: Integers  #: [TALLIES] arrivals, placements, ... so far
    waiting_area: Times  #: [1] sum of Q over the slots before ``clock``
    used_area: Times  #: [D] sum of the units in use over the slots before ``clock``
    used_total: Integers  #: [D] units in use on all servers
    used: Integers  #: [L, D] units in use, as the policy accounts for them
    jobs_on: Indices  #: [L] jobs on each server
    first_job: Indices  #: [L] the job record placed first of those on a server
    last_job: Indices  #: [L] the one placed last
    active: Indices  #: [L] number of the active configuration
    stalled: NDArray[np.uint8]  #: [L] 1: takes no job until it is empty
    last_departure: Integers  #: [L] the slot at whose start a job left last, -1: none yet
    queue_length: Integers  #: [V] Q_j: jobs that wait in VQ_j
    first_waiting: Indices  #: [V] head of line of VQ_j
    last_waiting: Indices  #: [V]
    job_number: Integers  #: [M] identity of the job in a record, in order of arrival
    job_size: Integers  #: [M, D] its true size
    job_room: Integers  #: [M, D] what it takes on a server, as the policy accounts for it
    job_queue: Indices  #: [M] its virtual queue
    job_arrival: Times  #: [M] the slot in which it arrived
    job_service: Times  #: [M] slots of service that it needs once it is placed; inf: for ever
    job_server: Indices  #: [M] where it is in service, -1: it waits
    job_departure: Times  #: [M] the slot at whose start its room is free; inf while it waits
    job_next: Indices  #: [M] the next job in its virtual queue, or of its server
    job_previous: Indices  #: [M]
    free_record: Indices  #: [M] stack of free records, FREE of them
    heap_time: Times  #: [M] heap of departures
    heap_record: Indices  #: [M]
    trail: NDArray[np.uint64]  #: [1] running hash of all events
    memory: Times  #: [m] what the policy remembers, m as it declares


def empty_state(servers: int, resources: int, queues: int, records: int = FIRST_RECORDS, memory: int = 0) -> QueueState:
    """L idle servers and no job, before slot 0."""
    state: QueueState = SPEC.blank(
        {"L": servers, "D": resources, "V": queues, "M": records, "m": memory}, free_record=free_records(records)
    )
    state.number[FREE] = records
    state.number[IDLE] = servers
    return state


def with_room(state: QueueState, arrivals: int) -> QueueState:
    """*state* with at least so many free job records; the same object where they are there.

    Called before each event, by the reference engine and the kernels alike, so that both grow
    at the same event.
    """
    while state.number[FREE] < arrivals:
        state = with_more_records(SPEC, state, FREE)
    return state


#: What the arrays are like; m numbers that the policy remembers.  Records without a job keep what they had, also
#: under an earlier policy with other queues.
SPEC = StateSpec(
    state=QueueState,
    fields={
        "number": count(str(NUMBERS)),
        "clock": span("1"),
        "tally": count(str(TALLIES)),
        "waiting_area": span("1"),
        "used_area": span("D"),
        "used_total": count("D"),
        "used": count("L D"),
        "jobs_on": count("L", "M"),
        "first_job": index("L", "M"),
        "last_job": index("L", "M"),
        "active": Field("L", -1, _MOST_NUMBER, blank=-1),
        "stalled": count("L", 1),
        "last_departure": Field("L", -1, MOST, blank=-1),
        "queue_length": count("V", "M"),
        "first_waiting": index("V", "M"),
        "last_waiting": index("V", "M"),
        "job_number": Field("M", -1, MOST, blank=-1),
        "job_size": count("M D"),
        "job_room": count("M D"),
        "job_queue": Field("M", -1, _MOST_NUMBER, blank=-1),
        "job_arrival": span("M"),
        "job_service": due("M", blank=0),
        "job_server": index("M", "L"),
        "job_departure": due("M"),
        "job_next": index("M", "M"),
        "job_previous": index("M", "M"),
        "free_record": index("M", "M"),
        "heap_time": due("M"),
        "heap_record": index("M", "M"),
        "trail": anything("1"),
        "memory": anything("m"),
    },
    # EVENT, NEXT_ARRIVAL, FREE, DEPARTURES, WAITING, IN_SERVICE, STALLED_SERVERS, UNSETTLED, IDLE
    number=(MOST, MOST, "M", "M", "M", "M", "L", 1, "L"),
    growing=lambda _: "M",
)
