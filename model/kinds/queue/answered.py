"""Service answered from outside: for each job that waits and fits somewhere, which server, or that it waits."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.policies.base import Decisions, QueuePolicy
from slotscope.model.kinds.queue.state import NEVER, WAITING, QueueState
from slotscope.model.kinds.queue.view import QueueView
from slotscope.model.reporting.records import Place
from slotscope.model.running.answering import Answered, squashed


class AnsweredService(Answered, QueuePolicy):
    """Answers 0 ... L - 1 are servers, L lets the job wait until something happens; jobs are asked about in
    order of arrival.

    Observed are the share in use of each resource of each server [L, D], the size of the job as a
    share of a largest server [D], and Q / (1 + Q) for the Q jobs that wait.  Earned is -Q in each
    slot: Psychas & Ghaderi (2019) ask whether the queue stays bounded.
    """

    stands_for = "fifo-ff"
    looks_again = NEVER

    def __init__(self, numbers: QueueNumbers, _: Any) -> None:
        super().__init__(numbers, None)
        self.otherwise = numbers.servers
        self.actions = numbers.servers + 1
        self.observed = numbers.capacity.size + numbers.resources + 1

    def slot(self, view: QueueView) -> Decisions:
        """As it is answered, once for each job that fits a server."""
        numbers = self.numbers
        for job in view.waiting():
            room = view.with_room(job)
            if not len(room):
                continue
            used = 1 - np.array([view.free(server) for server in range(numbers.servers)]) / numbers.capacity
            allowed = np.append(np.zeros(numbers.servers, bool), True)
            allowed[room] = True
            waiting = squashed(int(view.queue_length.sum()))
            yield from self.question((used, np.array(job.room) / numbers.largest, waiting), allowed)
            if self.answer < numbers.servers:
                yield Place(job=job.number, server=self.answer)

    def rate(self, state: QueueState) -> float:
        """-Q."""
        return -float(state.number[WAITING])
