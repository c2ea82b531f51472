"""Allocation decided from outside: the number of servers of each arriving job."""

from __future__ import annotations

import numpy as np

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.policies.base import Decisions, MoldablePolicy
from slotscope.model.kinds.moldable.state import JOBS, MoldableState
from slotscope.model.kinds.moldable.view import MoldableJob, MoldableView
from slotscope.model.reporting.records import Allocate, Reject
from slotscope.model.running.answering import Answered, one_of

#: A blocked job is charged as much as this many jobs of its class, each run on one server.
BLOCKED = 10


class AnsweredAllocation(Answered, MoldablePolicy):
    """Answer i gives the job i servers; 0 blocks it.

    The observation has the share of servers in use, the share used by the jobs of each class on each number
    of servers [l, d], and the class of the job, one-hot [l].  The reward is minus the jobs in the system, per unit of
    time: by Little's law minus the sum of execution times, whose mean Ghanbarian et al. (2025)
    minimize without blocking; so a blocked job costs ten times the mean size of its class.
    """

    stands_for = "greedy"
    otherwise = 0

    def __init__(self, numbers: MoldableNumbers, like: MoldablePolicy) -> None:
        self.numbers, self.rules = numbers, like.rules
        self.actions = numbers.degree + 1
        self.observed = 1 + numbers.classes * (numbers.degree + 1)

    def arrival(self, view: MoldableView, job: MoldableJob) -> Decisions:
        """Allocate or block as answered."""
        numbers, widths = self.numbers, np.arange(self.actions)
        allowed = widths <= min(view.free(job.type), numbers.degrees[job.type])
        used = view.running[:, 1:] * widths[1:] / numbers.servers
        seen = (view.busy / numbers.servers, used, one_of(job.type, numbers.classes))
        yield from self.question(seen, allowed)
        if self.answer:
            yield Allocate(servers=self.answer)
        else:
            self.earned -= BLOCKED * float(numbers.means[job.type])
            yield Reject()

    def rate(self, state: MoldableState) -> float:
        """The reward per unit of time: minus the number of jobs in the system."""
        return -float(state.number[JOBS])
