"""The read-only view that policies have of a system of moldable jobs; it is always current."""

from __future__ import annotations

from typing import Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable import physics
from slotscope.model.kinds.moldable.numbers import MoldableNumbers, MoldableTables
from slotscope.model.kinds.moldable.rules import AllocationRules
from slotscope.model.kinds.moldable.state import BUSY, MoldableState
from slotscope.model.systems import random_words
from slotscope.model.systems.view import PolicyView


class MoldableJob(NamedTuple):
    """A job that arrives or departs, as policies see it."""

    number: int
    type: int  #: the job's class
    servers: int = 0  #: the number of servers that it ran on, if it departs


class MoldableView(PolicyView):
    """The state as the policy sees it; *scripted* has the scripted requests, by the jobs' numbers."""

    numbers: MoldableNumbers
    _state: MoldableState

    def __init__(
        self,
        numbers: MoldableNumbers,
        tables: MoldableTables,
        rules: AllocationRules,
        state: MoldableState,
        scripted: Mapping[int, int],
    ) -> None:
        super().__init__(numbers, state)
        self._tables = tables
        self._rules = rules
        self._scripted = scripted

    @property
    def busy(self) -> int:
        """The number of servers in use, of ``numbers.servers``."""
        return int(self._state.number[BUSY])

    @property
    def running(self) -> NDArray[np.int64]:
        """[l, d + 1] X_i: jobs of each class that run on i servers; column 0 stays 0."""
        return self._state.jobs

    def free(self, job_class: int) -> int:
        """j: the number of free servers that are open to the class."""
        return physics.free_for(self._state, self._rules, job_class)

    def uniform(self, job: int) -> float:
        """The number in (0, 1] from which a job's request is drawn, for display."""
        return random_words.uniform(random_words.random_word(self._tables.key[0], job, 0))

    def request(self, job: MoldableJob) -> int:
        """The number of servers that a job requests: scripted, or by the policy's rules."""
        if job.number in self._scripted:
            return self._scripted[job.number]
        return physics.request(self._tables, self._rules, job.type, job.number, self.free(job.type))

    def is_scripted(self, job: int) -> bool:
        """Whether a script gives the job's request."""
        return job in self._scripted
