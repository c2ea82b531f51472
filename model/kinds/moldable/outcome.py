"""What one event has led to so far, and the row that is made of it."""

from __future__ import annotations

import numpy as np

from model.errors import PolicyError
from model.kinds.moldable import physics
from model.kinds.moldable.rows import FLAG_BELOW, FLAG_FREED, FLAG_FULL
from model.kinds.moldable.rules import Rules
from model.kinds.moldable.state import BUSY, EVENT, MoldableState
from model.records import Event


class Outcome:
    """What one event has led to so far."""

    def __init__(self, event: Event, state: MoldableState, rules: Rules) -> None:
        self.event = event
        self.flags = 0
        self.server = -1
        self.request = -1
        self.width = 0
        self.lasts = -1.0
        self._rules = rules
        self.free = physics.free_for(state, rules, event.type)
        self._below = int(state.below[0, event.type])

    def fault(self, what: str) -> PolicyError:
        """The error that a decision is impossible."""
        return PolicyError(f"the decision is impossible: {what}",
                           where=f"policy at time {self.event.time:g}")  # fmt: skip

    def close(self, state: MoldableState, row: np.ndarray) -> None:
        """Count the event, let it enter the trail, and fill its row."""
        job_class = self.event.type
        free = physics.free_for(state, self._rules, job_class)
        self.flags |= FLAG_FULL if not free else 0
        self.flags |= FLAG_FREED if free and not self.free else 0
        self.flags |= FLAG_BELOW if state.below[0, job_class] > 1 >= self._below else 0
        state.number[EVENT] += 1
        with np.errstate(over="ignore"):
            physics.extend_trail(state, self.flags, self.event.job, self.server, self.width)
        row[0] = (
            int(state.number[EVENT]), self.event.time, self.event.job, self.lasts, state.trail[0],
            self.server, job_class, self.request, self.width, self.free,
            int(state.jobs[job_class, self.width]), int(state.number[BUSY]), self.flags,
            self.event.kind,
        )  # fmt: skip
