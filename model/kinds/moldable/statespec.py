"""What the arrays of a system of moldable jobs are like: see :mod:`model.systems.statespec`.

Axes: n servers, l job classes, w widths from 0 to the largest degree, P pools, m numbers that
the policy remembers.
"""

from __future__ import annotations

from slotscope.model.kinds.moldable.state import BINS, LEVELS, NUMBERS, TALLIES, MoldableState
from slotscope.model.systems.statespec import MOST, Field, StateSpec, anything, count, due, index, span

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
        "job_number": Field("n", -1, MOST),
        "job_class": index("n", "l"),
        "job_width": index("n", "w"),
        "job_request": index("n", "w"),
        "job_arrival": span("n"),
        "job_departure": due("n"),
        "trail": anything("1"),
        "memory": anything("m"),
    },
    # EVENT, NEXT_ARRIVAL, JOBS, BUSY
    number=(MOST, MOST, "n", "n"),
    growing=lambda _: "",
)
