"""What one event of a loss system has led to so far, and the row that is made of it."""

from __future__ import annotations

import numpy as np

from model.kinds.reservation import physics
from model.kinds.reservation.state import EVENT, I_STAR, ReservationState
from model.records import Event


class Outcome:
    """What one event has led to so far."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self.flags = 0
        self.server = self.source = self.moved = self.first_reassigned = -1
        self.reassigned = self.preempted = 0
        self.empty_slots = self.servers_with_room = -1

    def close(self, state: ReservationState, row: np.ndarray) -> None:
        """Count the event, let it enter the trail, and fill its row."""
        state.number[EVENT] += 1
        event = self.event
        with np.errstate(over="ignore"):
            physics.extend_trail(
                state, self.flags, max(event.job, 0), self.server, self.moved, self.source,
                self.reassigned, self.first_reassigned,
            )  # fmt: skip
        row[0] = (
            int(state.number[EVENT]), event.time, event.job, self.moved, state.trail[0],
            self.server, self.source, self.reassigned, self.first_reassigned, self.empty_slots,
            self.servers_with_room, self.preempted, int(state.number[I_STAR]), event.type,
            self.flags, event.kind,
        )  # fmt: skip
