"""The view of a queueing system that a policy gets: read-only, and always current."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.facts import records_on, waiting_records
from slotscope.model.kinds.queue.layout import QueueLayout
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.score import score_unit
from slotscope.model.kinds.queue.state import NOW, STALLED_SERVERS, QueueState
from slotscope.model.systems.view import PolicyView

Amounts = tuple[int, ...]

#: Fewer jobs than this are processed one by one.
_FEW = 6


class QueuedJob(NamedTuple):
    """A job as a policy sees it; sizes in units, one for each resource."""

    number: int
    size: Amounts
    room: Amounts  #: the units that it takes on a server
    queue: int  #: its virtual queue
    arrival: int  #: the slot in which it arrived


class QueueView(PolicyView):
    """The state as a policy sees it in one slot."""

    numbers: QueueNumbers
    _state: QueueState

    def __init__(
        self, numbers: QueueNumbers, layout: QueueLayout, state: QueueState, arrived: tuple[int, ...] = ()
    ) -> None:
        super().__init__(numbers, state)
        self.layout = layout
        self._arrived = arrived

    @cached_property
    def _score_unit(self) -> int:
        return score_unit(self.numbers)

    def _lately(self) -> tuple[bytes, NDArray[np.int64], list[NDArray[np.int64]]]:
        """The tally at the time of computing, [D, L] the residual capacities (-1 on a stalled server), and their maxima
        once they were requested.

        They are recomputed when the tally has changed, because everything that changes them is counted there.
        """
        moment = self._state.tally.tobytes()
        known = vars(self).get("_known")
        if known is None or known[0] != moment:
            room = (self.numbers.capacity - self._state.used).T
            if self._state.number[STALLED_SERVERS]:
                room[:, self._state.stalled != 0] = -1
            room.flags.writeable = False
            known = vars(self)["_known"] = moment, room, []  # attributes are read-only for user-written policies
        return known

    # The slot.

    @property
    def slot(self) -> int:
        """The slot t."""
        return int(self._state.clock[NOW])

    # The queue.

    @property
    def queue_length(self) -> NDArray[np.int64]:
        """[V] Q_j, the jobs that wait in VQ_j now."""
        return self._state.queue_length

    def lengths(self, before: bool = False) -> NDArray[np.int64]:
        """[V] Q_j now; with *before*, without the jobs that arrived in this slot."""
        lengths = self._state.queue_length.copy()
        if before:
            for job in self.arrived():
                lengths[job.queue] -= 1
        return lengths

    def in_service(self) -> NDArray[np.int64]:
        """[V] jobs of each virtual queue that are in service."""
        queues = self._state.job_queue[self._state.job_server >= 0]
        return np.bincount(queues, minlength=self.layout.queues).astype(np.int64)

    def waiting(self, queue: int | None = None) -> list[QueuedJob]:
        """The jobs that wait, all or those of VQ_j, in order of arrival."""
        records = waiting_records(self._state)
        if queue is not None:
            records = records[self._state.job_queue[records] == queue]
        return self._jobs(records)

    def in_line(self, queue: int) -> Iterator[QueuedJob]:
        """The jobs of VQ_j from the head of the line on; the caller may place the current one while iterating."""
        record = self._state.first_waiting.item(queue)
        while record >= 0:
            after = self._state.job_next.item(record)
            yield self._job(record)
            record = after

    def arrived(self) -> list[QueuedJob]:
        """The jobs that arrived in this slot and still wait, in order of arrival."""
        return [self._job(record) for record in self._arrived if self._state.job_server[record] < 0]

    def largest_that_fits(self, server: int, queue: int | None = None) -> QueuedJob | None:
        """The largest waiting job (of VQ_j) that fits the server; of equal sizes the earliest.

        The size of a job is the room that it takes, that is, after rounding up.
        """
        state = self._state
        fits = (state.job_number >= 0) & (state.job_server < 0)
        if queue is not None:
            fits &= state.job_queue == queue
        for room, free in zip(state.job_room.T, self.free(server).tolist(), strict=True):
            fits &= room <= free
        (records,) = fits.nonzero()
        if not len(records):
            return None
        size = state.job_room[:, 0][records]
        largest = records[size == size.max()]
        return self._job(int(largest[state.job_number[largest].argmin()]))

    def best_score(self, server: int) -> tuple[QueuedJob, int] | None:
        """The waiting job with the best score among those that fit the server, and its score.

        The score is the inner product of demand and capacity in use; ties go to the larger sum of
        demands, then to the earlier job.
        """
        records = waiting_records(self._state)
        rooms = self._state.job_room[records]
        records = records[(rooms <= self.free(server)).all(axis=1)]
        if not len(records):
            return None
        scores = [
            (
                self.score(self._state.job_room[record], server),
                int(self._state.job_room[record].sum()),
                -int(self._state.job_number[record]),
                int(record),
            )
            for record in records
        ]
        best = max(scores)
        return self._job(best[-1]), best[0]

    def score(self, demand: Any, server: int) -> int:
        """The inner product of a demand and the capacity in use on a server.

        Psychas & Ghaderi (2019), Section VIII; both factors are in units of :func:`score_unit`.
        """
        unit, used = self._score_unit, self._state.used[server]
        return sum(int(amount) // unit * (int(taken) // unit) for amount, taken in zip(demand, used, strict=True))

    # The servers.

    def free(self, server: int) -> NDArray[np.int64]:
        """[D] the residual capacity of a server."""
        free: NDArray[np.int64] = self.numbers.capacity[server] - self._state.used[server]
        return free

    def used(self, server: int) -> NDArray[np.int64]:
        """[D] the units in use on a server."""
        return np.asarray(self._state.used[server], np.int64)

    def most_free(self) -> NDArray[np.int64]:
        """[D] the largest residual capacity of each resource over the servers that are not stalled."""
        _, room, most = self._lately()
        if not most:
            most.append(np.maximum.reduce(room, axis=1, initial=0))
        return most[0]

    def with_room(self, job: QueuedJob) -> NDArray[np.int64]:
        """Numbers of the servers that have room for a job and are not stalled."""
        free = self._lately()[1]
        fits: NDArray[np.bool_] = free[0] >= job.room[0]
        for d in range(1, len(free)):
            fits &= free[d] >= job.room[d]  # much faster than a reduction along short rows
        return fits.nonzero()[0]

    def least_residual(self, servers: NDArray[np.int64]) -> int:
        """The first of *servers* with the least residual capacity."""
        free = self.numbers.capacity[:, 0] - self._state.used[:, 0]
        return int(servers[free[servers].argmin()])

    def fits(self, job: QueuedJob, server: int) -> bool:
        """Whether a job fits the residual capacity of a server."""
        return bool((np.array(job.room) <= self.free(server)).all())

    def is_empty(self, server: int) -> bool:
        """Whether no job is on a server."""
        return bool(self._state.jobs_on[server] == 0)

    def is_stalled(self, server: int) -> bool:
        """Whether a server takes no job until it is empty."""
        return bool(self._state.stalled[server])

    def active(self, server: int) -> int:
        """The number of the server's active configuration, -1 before the first renewal."""
        return int(self._state.active[server])

    def left(self) -> list[int]:
        """The servers that jobs left at the end of the previous slot, by number."""
        return [int(server) for server in np.flatnonzero(self._state.last_departure == self.slot)]

    def jobs_on(self, server: int) -> list[QueuedJob]:
        """The jobs on a server, in order of placement."""
        return [self._job(record) for record in records_on(self._state, server)]

    def _jobs(self, records: NDArray[np.int64]) -> list[QueuedJob]:
        if len(records) < _FEW:
            return [self._job(record) for record in records.tolist()]
        state = self._state
        of_all = state.job_number, state.job_size, state.job_room, state.job_queue, state.job_arrival
        number, size, room, queue, arrival = (column[records].tolist() for column in of_all)
        return list(map(QueuedJob, number, map(tuple, size), map(tuple, room), queue, map(int, arrival)))

    def _job(self, record: Any) -> QueuedJob:
        state = self._state
        return QueuedJob(
            state.job_number.item(record),
            tuple(state.job_size[record].tolist()),
            tuple(state.job_room[record].tolist()),
            state.job_queue.item(record),
            int(state.job_arrival.item(record)),
        )

    # Numbers to tell.

    def told(self, units: Any) -> Fraction | tuple[Fraction, ...]:
        """An amount in units, converted to the scenario's own units, for records."""
        if type(units) is not tuple:
            units = units.tolist() if isinstance(units, np.ndarray) and units.ndim else (int(units),)
        return self.numbers.amounts(units)
