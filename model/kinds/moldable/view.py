"""What a policy of a system of moldable jobs may look at: read-only, and always current."""

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
    """A job that arrives or departs, as a policy sees it."""

    number: int
    type: int  #: its class
    servers: int = 0  #: on how many it has run, where it departs


class MoldableView(PolicyView):
    """The state as a policy sees it; *scripted* has the requests that a script gives, by job."""

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
        """Servers in use, of ``numbers.servers``."""
        return int(self._state.number[BUSY])

    @property
    def running(self) -> NDArray[np.int64]:
        """[l, d + 1] X_i: jobs of each class that run on i servers; column 0 stays 0."""
        return self._state.jobs

    def free(self, job_class: int) -> int:
        """j: free servers that a job of the class may take."""
        return physics.free_for(self._state, self._rules, job_class)

    def uniform(self, job: int) -> float:
        """The number in (0, 1] by which a job's request is drawn, for display."""
        return random_words.uniform(random_words.random_word(self._tables.key[0], job, 0))

    def request(self, job: MoldableJob) -> int:
        """For how many servers a job asks, as its script says or as it is drawn."""
        if job.number in self._scripted:
            return self._scripted[job.number]
        return physics.request(self._tables, self._rules, job.type, job.number, self.free(job.type))

    def is_scripted(self, job: int) -> bool:
        """Whether a script says how many servers the job asks for."""
        return job in self._scripted
