"""The outcome of an event of a loss system while it happens, and the event row made from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation.physics import extend_trail
from slotscope.model.kinds.reservation.state import EVENT, I_STAR, NOW, ReservationState
from slotscope.model.reporting.records import ARRIVAL, DEPARTURE, UPDATE
from slotscope.model.systems.outcome import Outcome, fill_row

# Positions in an event's outcome of the values that its row contains.
(KIND, FLAGS, SERVER, SOURCE, MOVED, REASSIGNED, FIRST_REASSIGNED, EMPTY_SLOTS, JOB, TYPE, WITH_ROOM, PREEMPTED) = (
    range(12)
)
OUTCOMES = 12

_EVENTS = {ARRIVAL: "arrival", DEPARTURE: "departure", UPDATE: "update"}


@jitable
def close(state: Any, outcome: Any, row: Any) -> None:
    """Count the event, extend the trail by it, and fill its row."""
    state.number[EVENT] += 1
    extend_trail(
        state,
        outcome[FLAGS],
        max(outcome[JOB], 0),
        outcome[SERVER],
        outcome[MOVED],
        outcome[SOURCE],
        outcome[REASSIGNED],
        outcome[FIRST_REASSIGNED],
    )
    row["event"] = state.number[EVENT]
    row["time"] = state.clock[NOW]
    row["job"] = outcome[JOB]
    row["moved"] = outcome[MOVED]
    row["trail"] = state.trail[0]
    row["server"] = outcome[SERVER]
    row["source"] = outcome[SOURCE]
    row["reassigned"] = outcome[REASSIGNED]
    row["first_reassigned"] = outcome[FIRST_REASSIGNED]
    row["empty_slots"] = outcome[EMPTY_SLOTS]
    row["servers_with_room"] = outcome[WITH_ROOM]
    row["preempted"] = outcome[PREEMPTED]
    row["i_star"] = state.number[I_STAR]
    row["type"] = outcome[TYPE]
    row["flags"] = outcome[FLAGS]
    row["kind"] = outcome[KIND]


class ReservationOutcome(Outcome):
    """The outcome of an event under the reference, while it happens."""

    server = source = moved = first_reassigned = -1
    reassigned = preempted = 0
    empty_slots = servers_with_room = -1

    def where(self) -> str:
        """The kind and the time of the event, for messages."""
        return f"at the {_EVENTS[self.event.kind]} at time {self.event.time:g}"

    def close(self, state: ReservationState, row: np.ndarray) -> None:
        """See :func:`close`."""
        event = self.event
        outcome = [
            event.kind,
            self.flags,
            self.server,
            self.source,
            self.moved,
            self.reassigned,
            self.first_reassigned,
            self.empty_slots,
            event.job,
            event.type,
            self.servers_with_room,
            self.preempted,
        ]
        fill_row(row, close, state, outcome)
