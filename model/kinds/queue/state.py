"""State of servers with a queue in slotted time: (Q(t), H(t)) and its jobs.

Psychas & Ghaderi (2019), Section II.  Shapes: L servers, D resources, V virtual queues (one for
policies without virtual queues), M job records (grows by doubling), m numbers that the policy remembers.
Sizes are integers, see :mod:`model.kinds.queue.numbers`.  Servers, queues and records are numbered from
0; -1 stands for none.  A free record keeps the values of its last job, which may have been queued by an
earlier policy with other virtual queues.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.systems.statespec import (
    MOST,
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

# Positions in ``number``.
EVENT = 0  # busy slots so far
NEXT_ARRIVAL = 1  # arrivals taken from the workload so far
FREE = 2  # free job records
DEPARTURES = 3  # entries in the heap of departures
WAITING = 4  # Q: jobs that wait
IN_SERVICE = 5  # jobs on servers
STALLED_SERVERS = 6
UNSETTLED = 7  # 1 if the policy may act in the next slot although nothing arrives or departs
IDLE = 8  # servers without a job
NUMBERS = 9

# Positions in ``tally``.
ARRIVED, PLACED, DEPARTED, RENEWED, STALLS, EVICTED = range(6)
TALLIES = 6

#: The only position in ``clock``: the slot of the last event.
NOW = 0

#: When a policy may act in a slot without arrivals and departures that follows a busy slot: never; while a server
#: is idle (its renewal uses the changed queue); always.
NEVER, WHILE_IDLE, ALWAYS = range(3)

#: Job records of a new, empty system.
FIRST_RECORDS = 64
#: Upper bound on the numbers of virtual queues and of configurations.
_MOST_NUMBER = 2**30


class QueueState(NamedTuple):
    """The state of a queueing system."""

    number: Annotated[Integers, count(str(NUMBERS))]  #: scalars, see the constants
    clock: Annotated[Times, span("1")]  #: the slot of the last event
    tally: Annotated[Integers, count(str(TALLIES))]  #: arrivals, placements, ... so far
    waiting_area: Annotated[Times, span("1")]  #: sum of Q over the slots before ``clock``
    used_area: Annotated[Times, span("D")]  #: sum of the units in use over the slots before ``clock``
    used_total: Annotated[Integers, count("D")]  #: units in use on all servers
    used: Annotated[Integers, count("L D")]  #: units in use on each server, as the policy accounts for them
    jobs_on: Annotated[Indices, count("L", "M")]  #: jobs on each server
    first_job: Annotated[Indices, index("L", "M")]  #: record of the first placed of the jobs on a server
    last_job: Annotated[Indices, index("L", "M")]  #: record of the last placed one
    active: Annotated[Indices, identity("L", _MOST_NUMBER)]  #: number of the active configuration
    stalled: Annotated[NDArray[np.uint8], count("L", 1)]  #: 1: takes no job until it is empty
    last_departure: Annotated[Integers, identity("L")]  #: the slot at whose start a job left last
    queue_length: Annotated[Integers, count("V", "M")]  #: Q_j: jobs that wait in VQ_j
    first_waiting: Annotated[Indices, index("V", "M")]  #: head of line of VQ_j
    last_waiting: Annotated[Indices, index("V", "M")]
    job_number: Annotated[Integers, identity("M")]  #: identity of the job in a record, in order of arrival
    job_size: Annotated[Integers, count("M D")]  #: its true size
    job_room: Annotated[Integers, count("M D")]  #: the units that it takes on a server, as the policy accounts for it
    job_queue: Annotated[Indices, identity("M", _MOST_NUMBER)]  #: its virtual queue
    job_arrival: Annotated[Times, span("M")]  #: the slot in which it arrived
    job_service: Annotated[Times, due("M", blank=0)]  #: its service time in slots; inf: it never departs
    job_server: Annotated[Indices, index("M", "L")]  #: the server on which it is in service, -1: it waits
    job_departure: Annotated[Times, due("M")]  #: the slot at whose start it departs; inf while it waits
    job_next: Annotated[Indices, index("M", "M")]  #: the next job in its virtual queue, or on its server
    job_previous: Annotated[Indices, index("M", "M")]
    free_record: Annotated[Indices, index("M", "M")]  #: stack of free records, FREE of them
    heap_time: Annotated[Times, due("M")]  #: heap of departures
    heap_record: Annotated[Indices, index("M", "M")]
    trail: Annotated[NDArray[np.uint64], anything("1")]  #: running hash of all events
    memory: Annotated[Times, anything("m")]  #: the numbers that the policy remembers


def empty_state(servers: int, resources: int, queues: int, records: int = FIRST_RECORDS, memory: int = 0) -> QueueState:
    """L idle servers and no job, before slot 0."""
    state: QueueState = SPEC.blank(
        {"L": servers, "D": resources, "V": queues, "M": records, "m": memory}, free_record=free_records(records)
    )
    state.number[FREE] = records
    state.number[IDLE] = servers
    return state


def with_room(state: QueueState, arrivals: int) -> QueueState:
    """*state* with free records for at least *arrivals* jobs; the same object if it has them already.

    Both the reference engine and the kernels call it before each event, so that both grow the state at
    the same event.
    """
    while state.number[FREE] < arrivals:
        state = with_more_records(SPEC, state, FREE)
    return state


SPEC = StateSpec(
    state=QueueState,
    # EVENT, NEXT_ARRIVAL, FREE, DEPARTURES, WAITING, IN_SERVICE, STALLED_SERVERS, UNSETTLED, IDLE
    number=(MOST, MOST, "M", "M", "M", "M", "L", 1, "L"),
    growing=lambda _: "M",
)
