"""What one event has done so far, and the row that is made from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable import physics
from slotscope.model.kinds.moldable.physics import extend_trail
from slotscope.model.kinds.moldable.rows import FLAG_BELOW, FLAG_FREED, FLAG_FULL
from slotscope.model.kinds.moldable.rules import AllocationRules
from slotscope.model.kinds.moldable.state import BUSY, EVENT, NOW, MoldableState
from slotscope.model.reporting.records import DEPARTURE, Event
from slotscope.model.systems.outcome import Outcome, fill_row


@jitable
def close(
    state: Any,
    kind: int,
    flags: int,
    job: int,
    job_class: int,
    record: int,
    request: int,
    width: int,
    free: int,
    below: int,
    row: Any,
) -> int:
    """Finish an event: count it, add it to the trail, and fill its row except for the job's execution time.

    *free* servers open to the class, and its jobs *below* i1 servers, are those before the event.
    Returns all flags of the event.
    """
    j = unsigned(job_class)
    if kind == DEPARTURE:
        if free == 0:
            flags |= FLAG_FREED
    else:
        if width == free:
            flags |= FLAG_FULL
        if below <= 1 and state.below[0, j] > 1:
            flags |= FLAG_BELOW
    event = state.number[EVENT] + 1
    state.number[EVENT] = event
    extend_trail(state, flags, job, record, width)
    row["event"] = event
    row["time"] = state.clock[NOW]
    row["job"] = job
    row["trail"] = state.trail[0]
    row["server"] = record
    row["type"] = job_class
    row["request"] = request
    row["width"] = width
    row["free"] = free
    row["running"] = state.jobs[j, unsigned(width)]
    row["busy"] = state.number[BUSY]
    row["flags"] = flags
    row["kind"] = kind
    return flags


class MoldableOutcome(Outcome):
    """What one event has done so far, in the reference engine."""

    def __init__(self, event: Event, state: MoldableState, rules: AllocationRules) -> None:
        super().__init__(event)
        self.server = -1
        self.request = -1
        self.width = 0
        self.lasts = -1.0
        self.free = physics.free_for(state, rules, event.type)
        self._below = int(state.below[0, event.type])

    def close(self, state: MoldableState, row: np.ndarray) -> None:
        """See :func:`close`."""
        event = self.event
        before = self.free, self._below
        decided = self.server, self.request, self.width
        given = state, event.kind, self.flags, event.job, event.type, *decided, *before
        fill_row(row, close, *given, lasts=self.lasts)
