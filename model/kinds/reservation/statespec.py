"""What the arrays of a loss system with slots are like: see :mod:`model.systems.statespec`.

Axes: L servers, J job types, G ranks, M job records, m numbers that the policy remembers.
"""

from __future__ import annotations

from slotscope.model.kinds.reservation.state import NUMBERS, TALLIES, ReservationState
from slotscope.model.systems.statespec import MOST, Field, StateSpec, anything, count, due, index, span

#: Slots of one server, or jobs in them; far above what a capacity holds.
_MOST_SLOTS = 2**30

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
        "job_number": Field("M", -1, MOST),
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
