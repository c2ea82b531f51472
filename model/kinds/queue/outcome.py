"""The outcome of a slot while it happens, and the event row made from it."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.queue.physics import extend_trail
from slotscope.model.kinds.queue.policies.base import QueuePolicy
from slotscope.model.kinds.queue.rows import FLAG_EMPTY, FLAG_WAITS
from slotscope.model.kinds.queue.state import EVENT, IDLE, NOW, UNSETTLED, WAITING, WHILE_IDLE, QueueState
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import SLOT, Event
from slotscope.model.systems.outcome import Outcome, fill_row

# Positions in a slot's outcome.  Jobs and servers are the first of their kind in the slot; BEFORE_WAITING is Q(t).
(
    FLAGS,
    ARRIVED,
    DEPARTED,
    PLACED,
    RENEWED,
    STALLED,
    BEFORE_WAITING,
    REMEMBERED,
    CAME_JOB,
    LEFT_JOB,
    LEFT_SERVER,
    PLACED_JOB,
    PLACED_SERVER,
) = range(13)
OUTCOMES = 13


@jitable
def told_of(outcome: Any) -> tuple[int, int]:
    """The job that the row names, and its server: the first job placed, or else arrived, or else departed."""
    if outcome[PLACED_JOB] >= 0:
        return outcome[PLACED_JOB], outcome[PLACED_SERVER]
    if outcome[CAME_JOB] >= 0:
        return outcome[CAME_JOB], -1
    return outcome[LEFT_JOB], outcome[LEFT_SERVER]


@jitable
def close(state: Any, looks_again: int, fresh: Any, outcome: Any, row: Any) -> int:
    """Count the slot, extend the trail by it, and fill its row, except for the fields that are costly to compute.

    *fresh* are the records of the jobs that arrived; returns the first of them that waits, or -1.
    """
    kept = first_kept(state, fresh, outcome[ARRIVED])
    if kept >= 0:
        outcome[FLAGS] |= FLAG_WAITS
    if outcome[BEFORE_WAITING] > 0 and state.number[WAITING] == 0:
        outcome[FLAGS] |= FLAG_EMPTY
    job, server = told_of(outcome)
    state.number[EVENT] += 1
    again = looks_again
    if again == WHILE_IDLE and state.number[IDLE] == 0:
        again = 0
    state.number[UNSETTLED] = 1 if again and (outcome[FLAGS] or outcome[REMEMBERED]) else 0
    extend_trail(
        state,
        outcome[FLAGS],
        max(job, 0),
        server,
        outcome[PLACED],
        outcome[DEPARTED],
        outcome[RENEWED],
        outcome[STALLED],
    )
    row["event"] = state.number[EVENT]
    row["time"] = state.clock[NOW]
    row["job"] = job
    row["kept"] = state.job_number[kept] if kept >= 0 else -1
    row["kept_size"] = state.job_room[kept, 0] if kept >= 0 else -1
    row["kept_queue"] = state.job_queue[kept] if kept >= 0 else -1
    row["best_residual"] = -1
    row["waiting"] = state.number[WAITING]
    row["trail"] = state.trail[0]
    row["arrived"] = outcome[ARRIVED]
    row["departed"] = outcome[DEPARTED]
    row["placed"] = outcome[PLACED]
    row["renewed"] = outcome[RENEWED]
    row["stalled"] = outcome[STALLED]
    row["server"] = server
    row["serving"] = -1
    row["flags"] = outcome[FLAGS]
    row["kind"] = SLOT
    return kept


@jitable
def first_kept(state: Any, fresh: Any, arrived: int) -> int:
    """The record of the first job that arrived in the slot and waits, or -1."""
    for one in range(arrived):
        if state.job_server[unsigned(fresh[one])] < 0:
            return int(fresh[one])
    return -1


class SlotOutcome(Outcome):
    """The outcome of a slot under the reference, while it happens."""

    def __init__(self, slot: Event, waiting: int) -> None:
        super().__init__(slot)
        self._waiting = waiting  #: Q(t)
        self.fresh: list[int] = []  #: records of the jobs that arrived
        self.departed = self.placed = self.renewed = self.stalled = 0
        self.remembered = False
        self._came = -1
        self._first_left = self._first_placed = (-1, -1)

    def left(self, job: int, server: int) -> None:
        """Note that a job left a server."""
        self.departed += 1
        if self._first_left[0] < 0:
            self._first_left = (job, server)

    def came(self, job: int, record: int) -> None:
        """Note that a job arrived."""
        self.fresh.append(record)
        if self._came < 0:
            self._came = job

    def went(self, job: int, server: int) -> None:
        """Note that a job was placed."""
        self.placed += 1
        if self._first_placed[0] < 0:
            self._first_placed = (job, server)

    def where(self) -> str:
        """The slot, for messages."""
        return f"in slot {self.event.time:g}"

    def close(self, view: QueueView, policy: QueuePolicy, state: QueueState, row: np.ndarray, now: Any) -> None:
        """See :func:`close`, which gets the state as *now*; also fills the fields that are costly to compute."""
        outcome = [
            self.flags,
            len(self.fresh),
            self.departed,
            self.placed,
            self.renewed,
            self.stalled,
            self._waiting,
            self.remembered,
            self._came,
            *self._first_left,
            *self._first_placed,
        ]
        residual = int(view.most_free()[0])
        serving = _serving(policy, state, first_kept(now, self.fresh, len(self.fresh)))
        fill_row(row, close, now, policy.looks_again, self.fresh, outcome, best_residual=residual, serving=serving)


def _serving(policy: QueuePolicy, state: QueueState, kept: int) -> int:
    """The number of servers whose active configuration has k_j > 0 for the queue of the kept job."""
    if kept < 0 or not len(policy.configurations):
        return -1
    has: Any = policy.configurations[:, state.job_queue[kept]] > 0
    active = state.active[state.active >= 0]
    return int(has[active].sum())
