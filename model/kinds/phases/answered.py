"""Placement decided from outside: the server of each arriving job, among unlimited servers without tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.policies.base import Decisions, PhaseJob, PhasePolicy
from slotscope.model.kinds.phases.state import ACTIVE, COST, PhaseState
from slotscope.model.kinds.phases.view import PhaseView
from slotscope.model.reporting.records import Place
from slotscope.model.running.answering import Answered, one_of

#: The first servers, which the agent observes and can choose.
SEEN = 32


class AnsweredPlacement(Answered, PhasePolicy):
    """Answers 0 ... 31 are the first 32 servers, while jobs run on them; 32 is the idle server of lowest number.

    The observation has, of each of the first servers, the use of each resource as a share of its capacity, cut off
    at 1 [32, D], and its jobs as a share of the service limit [32]; and the phase of the job, one-hot [I].  The reward
    is -N - h/ε per unit of time, for N active servers, total cost rate h and budget ε: Hong, Xie & Wang (2023)
    minimize N while the cost is within the budget, and N + h/ε is the Lagrangian that prices a budget at a server.
    """

    stands_for = "first-fit"
    otherwise = SEEN
    actions = SEEN + 1

    def __init__(self, numbers: PhaseNumbers, _: Any) -> None:
        super().__init__(numbers, None)
        self.observed = SEEN * (numbers.resources + 1) + numbers.phases
        hard = numbers.model.hard  # there is no cost then
        self.price = 0.0 if hard else float(numbers.cost_unit / numbers.model.budget)

    def arrival(self, view: PhaseView, job: PhaseJob) -> Decisions:
        """Place the job as answered: on a busy server with room, or on the first idle one."""
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
        """The reward per unit of time: -N - h/ε."""
        return -float(state.number[ACTIVE]) - self.price * float(state.number[COST])
