"""What the arrays of servers with a queue are like: see :mod:`model.systems.statespec`.

Axes: L servers, D resources, V virtual queues, M job records, m numbers that the policy remembers.
Records without a job keep what they had, also under an earlier policy with other queues.
"""

from __future__ import annotations

from slotscope.model.kinds.queue.state import NUMBERS, TALLIES, QueueState
from slotscope.model.systems.statespec import MOST, Field, StateSpec, anything, count, due, index, span

#: Numbers of virtual queues and of configurations stay below it.
_MOST_NUMBER = 2**30

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
        "active": Field("L", -1, _MOST_NUMBER),
        "stalled": count("L", 1),
        "last_departure": Field("L", -1, MOST),
        "queue_length": count("V", "M"),
        "first_waiting": index("V", "M"),
        "last_waiting": index("V", "M"),
        "job_number": Field("M", -1, MOST),
        "job_size": count("M D"),
        "job_room": count("M D"),
        "job_queue": Field("M", -1, _MOST_NUMBER),
        "job_arrival": span("M"),
        "job_service": due("M"),
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
