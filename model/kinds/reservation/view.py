"""The read-only view that policies have of a loss system with slots, in the paper's terms."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.classification import Classification, classify, servers_of
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.state import GREEDY_LENGTH, I_STAR, ReservationState
from slotscope.model.reporting.records import Configuration
from slotscope.model.systems.state import viewed
from slotscope.model.systems.view import PolicyView


class ReservationView(PolicyView):
    """The system as policies see it; all arrays are read-only and always current.

    Servers and types are numbered from 0.
    """

    numbers: ReservationNumbers
    _state: ReservationState

    def __init__(self, numbers: ReservationNumbers, state: ReservationState) -> None:
        super().__init__(numbers, viewed(state))

    @property
    def servers(self) -> int:
        """L, the number of servers."""
        return self.numbers.servers

    @property
    def types(self) -> int:
        """J, the number of job types."""
        return self.numbers.types

    @property
    def ranks(self) -> int:
        """The number of ranks besides that of surplus servers: J with one pool."""
        return self.numbers.ranks

    @property
    def rewards(self) -> tuple[Fraction, ...]:
        """[J] the rewards u_j."""
        return self.numbers.rewards

    @property
    def configuration(self) -> NDArray[np.int32]:
        """[L, J] the slots of each server."""
        return self._state.configuration

    @property
    def placement(self) -> NDArray[np.int32]:
        """[L, J] the jobs on each server."""
        return self._state.placement

    @property
    def jobs_in_system(self) -> NDArray[np.int64]:
        """[J] the numbers of jobs Y_j."""
        return self._state.jobs_in_system

    @property
    def i_star(self) -> int:
        """I* of the last CRA."""
        return int(self._state.number[I_STAR])

    @property
    def greedy_configurations(self) -> NDArray[np.int32]:
        """[G, J] k[1], k[2], ... of the last GPA, row i - 1."""
        return self._state.greedy_configuration[: int(self._state.number[GREEDY_LENGTH])]

    def empty_slots(self, job_type: int) -> NDArray[np.int64]:
        """[L] empty slots of a type on each server."""
        difference = self._state.configuration[:, job_type] - self._state.placement[:, job_type]
        return np.asarray(difference, np.int64)

    def empty_servers(self) -> NDArray[np.int64]:
        """[s] the servers without a job, in increasing order."""
        jobs = reduce(np.bitwise_or, self._state.placement.T)  # much faster than a reduction along short rows
        return np.asarray((jobs == 0).nonzero()[0])

    def with_room(self, job_type: int) -> NDArray[np.int64]:
        """[s] the servers whose free resources suffice for one more job of a type."""
        return self.numbers.room_for(self._state.placement, job_type).nonzero()[0]

    def servers_of(self, configuration: Configuration) -> NDArray[np.int64]:
        """The servers of a configuration in order of their index: the first has index 1."""
        return servers_of(self._state, tuple(configuration))

    def oldest(self, servers: NDArray[np.int64]) -> int:
        """Of the given servers, the one that has had its configuration longest."""
        return int(servers[self._state.stamp[servers].argmin()])

    def newest_job(self, server: int, job_type: int) -> int:
        """The number of the most recently placed job of a type on a server, or -1."""
        record = int(self._state.first_job[server, job_type])
        return int(self._state.job_number[record]) if record >= 0 else -1

    def classification(self) -> Classification:
        """The index, rank and group of every server after the last CRA."""
        return classify(self._state)
