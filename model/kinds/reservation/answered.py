"""Admission decided from outside: the server of each arriving job, or its rejection."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.kinds.reservation.measures import reward_rate
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.policies.base import ArrivingJob, Decisions, ReservationPolicy
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.kinds.reservation.view import ReservationView
from slotscope.model.reporting.records import Admit, Reject
from slotscope.model.running.answering import Answered, one_of


class AnsweredAdmission(Answered, ReservationPolicy):
    """Answers 0 ... L - 1 are servers, L rejects the job.

    The observation has the share in use of each resource of each server [L, n], and the job's type, one-hot [J].  The
    reward is the reward rate of Psychas & Ghaderi (2022), the sum of u_j Y_j / L.
    """

    stands_for = "first-fit"

    def __init__(self, numbers: ReservationNumbers, _: Any) -> None:
        self.numbers = numbers
        self.capacities = numbers.capacities
        self.otherwise = numbers.servers
        self.actions = numbers.servers + 1
        self.observed = self.capacities.size + numbers.types

    def arrival(self, view: ReservationView, job: ArrivingJob) -> Decisions:
        """Admit or reject as answered."""
        used = view.placement @ self.numbers.demand / np.maximum(self.capacities, 1)
        allowed = np.append(np.zeros(self.numbers.servers, bool), True)
        allowed[view.with_room(job.type)] = True
        yield from self.question((used, one_of(job.type, self.numbers.types)), allowed)
        yield Admit(server=self.answer) if self.answer < self.numbers.servers else Reject()

    def rate(self, state: ReservationState) -> float:
        """The reward rate: the sum of u_j Y_j / L."""
        return float(reward_rate(self.numbers, state.jobs_in_system))
