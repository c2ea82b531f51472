"""What one slot has led to so far, and the row that is made of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from model.errors import PolicyError
from model.kinds.queue import physics
from model.kinds.queue.numbers import QueueNumbers
from model.kinds.queue.policies.base import QueuePolicy
from model.kinds.queue.rows import FLAG_EMPTY, FLAG_WAITS
from model.kinds.queue.state import ALWAYS, EVENT, IDLE, UNSETTLED, WAITING, QueueState
from model.records import SLOT


class Outcome:
    """What one slot has led to so far."""

    def __init__(self, slot: float, waiting: int) -> None:
        self.slot = slot
        self._waiting = waiting  #: Q(t)
        self.flags = 0
        self.fresh: list[int] = []  #: records of the jobs that arrived
        self.departed = self.placed = self.renewed = self.stalled = 0
        self.remembered = False
        self._first_left = self._first_came = self._first_placed = (-1, -1)

    def left(self, job: int, server: int) -> None:
        """A job left a server."""
        self.departed += 1
        if self._first_left[0] < 0:
            self._first_left = (job, server)

    def came(self, job: int, record: int) -> None:
        """A job arrived."""
        self.fresh.append(record)
        if self._first_came[0] < 0:
            self._first_came = (job, -1)

    def went(self, job: int, server: int) -> None:
        """A job was placed."""
        self.placed += 1
        if self._first_placed[0] < 0:
            self._first_placed = (job, server)

    def fault(self, what: str) -> PolicyError:
        """The error that a decision is impossible."""
        return PolicyError(f"the decision is impossible: {what}",
                           where=f"policy in slot {self.slot:g}")  # fmt: skip

    def close(
        self, numbers: QueueNumbers, policy: QueuePolicy, state: QueueState, row: np.ndarray
    ) -> None:
        """Count the slot, let it enter the trail, and fill its row."""
        kept = next((record for record in self.fresh if state.job_server[record] < 0), -1)
        if kept >= 0:
            self.flags |= FLAG_WAITS
        if self._waiting and not state.number[WAITING]:
            self.flags |= FLAG_EMPTY
        firsts = (self._first_placed, self._first_came, self._first_left)
        job, server = next((pair for pair in firsts if pair[0] >= 0), (-1, -1))
        state.number[EVENT] += 1
        again = policy.looks_again == ALWAYS or (policy.looks_again and state.number[IDLE])
        state.number[UNSETTLED] = bool(again and (self.flags or self.remembered))
        with np.errstate(over="ignore"):
            physics.extend_trail(state, self.flags, max(job, 0), server, self.placed,
                                 self.departed, self.renewed, self.stalled)  # fmt: skip
        row[0] = (
            int(state.number[EVENT]), self.slot, job, _number(state, kept),
            int(state.job_room[kept, 0]) if kept >= 0 else -1,
            _best_residual(numbers, state), int(state.number[WAITING]), state.trail[0],
            len(self.fresh), self.departed, self.placed, self.renewed, self.stalled, server,
            _serving(policy, state, kept), int(state.job_queue[kept]) if kept >= 0 else -1,
            self.flags, SLOT,
        )  # fmt: skip


def _number(state: QueueState, record: int) -> int:
    return int(state.job_number[record]) if record >= 0 else -1


def _best_residual(numbers: QueueNumbers, state: QueueState) -> int:
    """The most that is free of the first resource on a server that is not stalled."""
    free = (numbers.capacity[:, 0] - state.used[:, 0])[state.stalled == 0]
    return int(free.max()) if len(free) else 0


def _serving(policy: QueuePolicy, state: QueueState, kept: int) -> int:
    """Servers whose active configuration has k_j > 0 for the queue of the kept job."""
    if kept < 0 or not len(policy.configurations):
        return -1
    has: Any = policy.configurations[:, state.job_queue[kept]] > 0
    active = state.active[state.active >= 0]
    return int(has[active].sum())
