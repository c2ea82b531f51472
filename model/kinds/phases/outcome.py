"""What one event has done so far, and the row that is made from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.phases.physics import extend_trail
from slotscope.model.kinds.phases.rows import FLAG_IDLE, FLAG_OVERRUN
from slotscope.model.kinds.phases.state import ACTIVE, COST, EVENT, NOW, PhaseState
from slotscope.model.systems.outcome import Outcome, fill_row

# Places in an event's outcome.  HAD_JOBS: whether the event's server had a real job before.
(
    FLAGS,
    JOB,
    TOKEN,
    FIRST_TOKEN,
    FIRST_VIRTUAL,
    SERVER,
    POOL,
    TYPE,
    PHASE,
    MADE,
    VIRTUALS,
    OF_TYPE,
    FITTING,
    HAD_JOBS,
    KIND,
) = range(15)
OUTCOMES = 15


@jitable
def close(state: Any, capacity: Any, outcome: Any, row: Any) -> None:
    """Finish an event: count it, add it to the trail, and fill its row except for the age of the token."""
    note_server(state, capacity, outcome)
    state.number[EVENT] += 1
    extend_trail(
        state,
        outcome[FLAGS],
        max(outcome[JOB], 0),
        outcome[SERVER],
        outcome[PHASE] + 1,
        outcome[MADE],
        outcome[VIRTUALS],
    )
    row["event"] = state.number[EVENT]
    row["time"] = state.clock[NOW]
    row["job"] = outcome[JOB]
    row["token"] = outcome[TOKEN]
    row["first_token"] = outcome[FIRST_TOKEN]
    row["first_virtual"] = outcome[FIRST_VIRTUAL]
    row["cost"] = state.number[COST]
    row["trail"] = state.trail[0]
    row["server"] = outcome[SERVER]
    row["pool"] = outcome[POOL]
    row["type"] = outcome[TYPE]
    row["phase"] = outcome[PHASE]
    row["made"] = outcome[MADE]
    row["virtual"] = outcome[VIRTUALS]
    row["tokens"] = outcome[OF_TYPE]
    row["active"] = state.number[ACTIVE]
    row["fitting"] = outcome[FITTING]
    row["flags"] = outcome[FLAGS]
    row["kind"] = outcome[KIND]


@jitable
def note_server(state: Any, capacity: Any, outcome: Any) -> None:
    """Flag whether the event's server exceeds its capacity, and whether it has lost its last real job."""
    server = outcome[SERVER]
    if server < 0:
        return
    for d in range(len(capacity)):
        if state.use[unsigned(server), unsigned(d)] > capacity[unsigned(d)]:
            outcome[FLAGS] |= FLAG_OVERRUN
    if outcome[HAD_JOBS] > 0 and state.jobs_on[unsigned(server)] == 0:
        outcome[FLAGS] |= FLAG_IDLE


class PhaseOutcome(Outcome):
    """What one event has done so far, in the reference engine."""

    arrived = -1  #: the record of the arriving job
    job = token = first_token = first_virtual = -1
    token_age = -1.0
    server = pool = type = phase = -1
    made = virtual = 0
    tokens = fitting = -1
    had_jobs = takes_over = False

    def close(self, capacity: Any, state: PhaseState, row: np.ndarray) -> None:
        """See :func:`close`."""
        outcome = [
            self.flags,
            self.job,
            self.token,
            self.first_token,
            self.first_virtual,
            self.server,
            self.pool,
            self.type,
            self.phase,
            self.made,
            self.virtual,
            self.tokens,
            self.fitting,
            self.had_jobs,
            self.event.kind,
        ]
        fill_row(row, close, state, capacity, outcome, token_age=self.token_age)
