"""Placement answered from outside: which server an arriving job goes to, of unlimited ones without tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import Decisions, PhaseJob, PhasePolicy
from slotscope.model.kinds.phases.state import ACTIVE, COST, PhaseState
from slotscope.model.kinds.phases.view import PhaseView
from slotscope.model.reporting.records import Place
from slotscope.model.running.answering import Answered, one_of

#: The first servers, which are observed and can be chosen.
SEEN = 32


class AnsweredPlacement(Answered, PhasePolicy):
    """Answers 0 ... 31 are the first servers where jobs run, 32 is the first idle server of all.

    Observed are the use of each resource of each of them as a share of its capacity, cut off at 1 [32, D],
    their jobs as a share of the service limit [32], and the phase of the job [I].  Earned is -N - h/ε a
    unit of time, for N active servers, cost h and budget ε: Hong, Xie & Wang (2023) minimize N where the
    cost stays within the budget, and h/ε is its Lagrangian at the price of a server for a budget.
    """

    stands_for = "first-fit"
    otherwise = SEEN
    actions = SEEN + 1

    def __init__(self, numbers: PhaseNumbers, _: Any) -> None:
        super().__init__(numbers, None)
        self.observed = SEEN * (numbers.resources + 1) + numbers.phases
        hard = numbers.model.hard  # then nothing costs anything
        self.price = 0.0 if hard else float(numbers.cost_unit / numbers.model.budget)

    def arrival(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """As it is answered."""
        numbers, model = self.numbers, self.numbers.model
        use, jobs = np.zeros((SEEN, numbers.resources)), np.zeros(SEEN)
        allowed = np.append(np.zeros(SEEN, bool), True)
        for server in view.busy_servers():
            if server < SEEN:
                use[server], jobs[server] = view.use(server), view.jobs_on(server)
                fits = (view.use(server) + numbers.demand[job.type] <= numbers.capacity).all()
                allowed[server] = jobs[server] < model.most_jobs and (fits or not model.hard)
        seen = (use / np.maximum(numbers.capacity, 1), jobs / model.most_jobs, one_of(job.type, numbers.phases))
        yield from self.question(seen, allowed)
        yield Place(job=job.number, server=self.answer if self.answer < SEEN else view.first_idle())

    def rate(self, state: PhaseState) -> float:
        """-N - h/ε."""
        return -float(state.number[ACTIVE]) - self.price * float(state.number[COST])
