"""What one event has led to so far, and the row that is made of it."""

from __future__ import annotations

import numpy as np

from model.errors import PolicyError
from model.kinds.phases import physics
from model.kinds.phases.numbers import PhaseNumbers
from model.kinds.phases.rows import FLAG_IDLE, FLAG_OVERRUN
from model.kinds.phases.state import ACTIVE, COST, EVENT, PhaseState
from model.records import Event


class Outcome:
    """What one event has led to so far."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self.flags = 0
        self.job = self.token = self.first_token = self.first_virtual = -1
        self.token_age = -1.0
        self.server = self.pool = self.type = self.phase = -1
        self.made = self.virtual = 0
        self.tokens = self.fitting = -1
        self.had_jobs = False  #: whether the event's server had a real job before it

    def fault(self, what: str) -> PolicyError:
        """The error that a decision is impossible."""
        return PolicyError(f"the decision is impossible: {what}",
                           where=f"policy at time {self._event.time:g}")  # fmt: skip

    def close(self, numbers: PhaseNumbers, state: PhaseState, row: np.ndarray) -> None:
        """Count the event, let it enter the trail, and fill its row."""
        if self.server >= 0:
            if (state.use[self.server] > numbers.capacity).any():
                self.flags |= FLAG_OVERRUN
            if self.had_jobs and not state.jobs_on[self.server]:
                self.flags |= FLAG_IDLE
        state.number[EVENT] += 1
        with np.errstate(over="ignore"):
            physics.extend_trail(state, self.flags, max(self.job, 0), self.server,
                                 self.phase + 1, self.made, self.virtual)  # fmt: skip
        row[0] = (
            int(state.number[EVENT]), self._event.time, self.job, self.token, self.token_age,
            self.first_token, self.first_virtual, int(state.number[COST]), state.trail[0],
            self.server, self.pool, self.type, self.phase, self.made, self.virtual, self.tokens,
            int(state.number[ACTIVE]), self.fitting, self.flags, self._event.kind,
        )  # fmt: skip
