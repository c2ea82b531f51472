"""What the arrays of a system whose jobs have phases are like: see :mod:`model.systems.statespec`.

Axes: S servers, N normal ones with a timer, O observed ones, P pools, B backup servers of a pool, I
phases, D resources, C configurations of the lattice, T tokens of a type, W nodes of the
tournament, M job records, m numbers that the policy remembers.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.kinds.phases.state import AREAS, NUMBERS, TALLIES, PhaseState
from slotscope.model.systems.statespec import MOST, Field, StateSpec, anything, count, due, index, span


def _growing(like: Any) -> str:
    """Servers are unlimited where there are no normal ones."""
    return "M B T" if len(like.timer_due) else "M B T S"


SPEC = StateSpec(
    state=PhaseState,
    fields={
        "number": count(str(NUMBERS)),
        "clock": span("1"),
        "area": span(str(AREAS)),
        "tally": count(f"{TALLIES} I"),
        "real": count("S I", "M"),
        "jobs_on": count("S", "M"),
        "use": count("S D"),
        "peak_use": count("S D"),
        "cost": Field("S", -MOST, MOST),
        "virtual": count("S I", "M"),
        "tokens": count("S I", MOST),
        "tokens_on": count("S", MOST),
        "observed": index("O", "C"),
        "observed_since": span("O"),
        "occupancy": span("C"),
        "timer_due": due("N"),
        "timer_number": Field("N", -1, MOST),
        "timer_tree": index("W", "N"),
        "token_count": count("P I", "T"),
        "token_server": index("P I T", "S"),
        "token_number": Field("P I T", -1, MOST),
        "token_time": span("P I T"),
        "backup_record": index("P B", "M"),
        "backup_idle": count("P", "B"),
        "job_number": Field("M", -1, MOST),
        "job_virtual": count("M", 1),
        "job_type": index("M", "I"),
        "job_phase": index("M", "I"),
        "job_pool": index("M", "P"),
        "job_server": Field("M", -MOST, "S", below=True),
        "job_arrival": span("M"),
        "job_token": Field("M", -1, MOST),
        "job_token_time": span("M"),
        "job_moves": count("M"),
        "job_next": Field("M", -1, "I"),
        "job_due": due("M"),
        "free_record": index("M", "M"),
        "heap_time": due("M"),
        "heap_record": index("M", "M"),
        "trail": anything("1"),
        "memory": anything("m"),
    },
    # EVENT, NEXT_ARRIVAL, FREE, MOVES, ACTIVE, REAL, VIRTUAL, TOKENS, BACKUP, NEXT_TOKEN,
    # NEXT_VIRTUAL, NEXT_TIMER, NEXT_REQUEST, COST, PAUSED
    number=(MOST, MOST, "M", "M", "M", "M", "M", MOST, "M", MOST, MOST, MOST, MOST, MOST, "S"),
    growing=_growing,
)
