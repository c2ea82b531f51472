"""The drivers of the kernels of queueing systems: they build the kernels' arguments."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Callable

import numpy as np

from slotscope.model.kinds.queue.kernels import best_fit, configurations, fifo, many, slots
from slotscope.model.kinds.queue.kernels.best_fit import QueueBestFitIndex
from slotscope.model.kinds.queue.kernels.configurations import ConfigurationIndex
from slotscope.model.kinds.queue.kernels.rooms import Rooms, rooms_of
from slotscope.model.kinds.queue.kernels.slots import Arrivals
from slotscope.model.kinds.queue.kernels.waiting import (
    Buckets,
    WaitingJobs,
    buckets_for,
    buckets_of,
    empty_waiting,
    no_buckets,
    waiting_of,
)
from slotscope.model.kinds.queue.moving import MOVING
from slotscope.model.kinds.queue.outcome import OUTCOMES
from slotscope.model.kinds.queue.score import score_unit
from slotscope.model.kinds.queue.state import QueueState
from slotscope.model.kinds.queue.system import QueueSystem
from slotscope.model.systems.compiled import CompiledEngine

#: The number of arrivals between two keyframes if a slot has many, and the least number of slots between them.
_JOBS_BETWEEN, _FEWEST_SLOTS = 20_000, 20


class QueueKernel(CompiledEngine):
    """The compiled twin of a reference policy; a subclass defines the kernel and its index."""

    constants = slots.CONSTANTS
    outcomes = OUTCOMES
    disjoint = False
    follow = staticmethod(MOVING.follow)

    def __init__(self, system: QueueSystem) -> None:
        self.numbers = system.numbers
        super().__init__(system)
        self.no_jobs = _no_jobs(system.numbers.resources)
        self._buckets: dict[int, Buckets] = {}  # by the number of buckets requested
        slots_between = max(_FEWEST_SLOTS, int(_JOBS_BETWEEN / system.numbers.arrival_rate))
        self.keyframe_every = min(self.keyframe_every, slots_between)
        self._arrivals: Arrivals = self.no_jobs

    def options(self) -> dict[int, int]:
        """The options that all policies have."""
        return {slots.SCORE_UNIT: score_unit(self.numbers), slots.LOOKS_AGAIN: self.policy.looks_again}

    def index(self, state: QueueState) -> Any:
        """The index of the waiting jobs that the policy needs, and the residual capacities of the servers."""
        return QueueBestFitIndex(self.waiting(state), self.rooms(state))

    def rooms(self, state: QueueState) -> Rooms:
        """The residual capacities of the servers."""
        looks_at_all = self.constant[slots.BEST_FIT] or (
            self.constant[slots.STEP_SERVERS] and not self.constant[slots.ONLY_DEPARTURES]
        )
        return rooms_of(state, self.numbers.capacity, bool(looks_at_all))

    def build(self, state: QueueState) -> tuple[Any, ...]:
        """The index, capacities, configurations, the weights of samples, and a scratch array."""
        return (
            self.index(state),
            self.numbers.capacity,
            self.policy.configurations,
            self.system.used_weight,
            np.zeros(len(state.job_number), np.int32),
        )

    def waiting(self, state: QueueState) -> WaitingJobs:
        """The index of the waiting jobs; empty if the policy needs none."""
        by_size, by_arrival = self.constant[[slots.BY_SIZE, slots.BY_ARRIVAL]] > 0
        if by_size or by_arrival:
            buckets = self._buckets_for(len(state.job_number), bool(by_size))
            return waiting_of(state, buckets, bool(by_size))
        return empty_waiting(no_buckets(), 0, with_tree=False)

    def _buckets_for(self, records: int, by_size: bool) -> Buckets:
        """The buckets of an index for a number of job *records*."""
        count = buckets_for(records, by_size)
        if count not in self._buckets:
            bounds = [end for interval in self.policy.intervals for end in interval]
            self._buckets[count] = buckets_of(self.numbers, self.policy.layout, bounds, count)
        return self._buckets[count]

    def block_at(self, arrival: int) -> Arrivals | None:
        """The block of jobs that contains an arrival, with the queue and the room of each job."""
        block, known = self.system.workload.block_at(arrival), self._arrivals
        if block is not None and (known.time is not block.time or known.first[0] != block.first[0]):
            layout = self.policy.layout
            room = np.ascontiguousarray(layout.room_of(block.size))
            queue = layout.queue_of(block.size)
            known = Arrivals(block.time, block.size, room, queue, block.service, block.first)
            self._arrivals = known
        return None if block is None else known


class QueueBestFitKernel(QueueKernel):
    """The compiled twin of BF-J, BF-S and BF-J/S."""

    kernel = staticmethod(best_fit.advance)

    @cached_property
    def function(self) -> Callable[..., int]:
        """The kernel; the one with sorted servers if there are many servers and the policy searches the tightest."""
        least = many.ASKED_BY_FEW if self.policy.by_server else many.ASKED_BY_ALL
        are_many = self.policy.by_job and self.numbers.servers >= least
        return many.best_fit_advance if are_many and many.have_keys(self.numbers.capacity) else best_fit.advance

    def index(self, state: QueueState) -> QueueBestFitIndex:
        """See :class:`QueueKernel`; with very many servers these are sorted by residual capacity."""
        index: QueueBestFitIndex = super().index(state)
        return index._replace(rooms=many.ordered(index.rooms)) if self.function is many.best_fit_advance else index

    def options(self) -> dict[int, int]:
        """The steps of the policy; BF-J takes jobs by arrival, so that its index is in order of arrival."""
        policy, one_resource = self.policy, self.numbers.resources == 1
        return super().options() | {
            slots.STEP_SERVERS: policy.by_server,
            slots.STEP_JOBS: policy.by_job,
            slots.ONLY_DEPARTURES: policy.by_server and policy.by_job,
            slots.STALLS: policy.stalls,
            slots.BY_SIZE: one_resource and policy.by_server,
            slots.BY_ARRIVAL: one_resource and not policy.by_server,
        }


class FifoKernel(QueueKernel):
    """The compiled twin of FIFO-FF and of FIFO over containers."""

    kernel = staticmethod(fifo.advance)

    @cached_property
    def function(self) -> Callable[..., int]:
        """The kernel; with many servers the one that skips many blocks of servers at once."""
        return many.fifo_advance if self.numbers.servers >= many.BY_FIRST_FIT else fifo.advance

    def index(self, state: QueueState) -> QueueBestFitIndex:
        """See :class:`QueueKernel`; with very many servers their blocks are grouped in blocks."""
        index: QueueBestFitIndex = super().index(state)
        return index._replace(rooms=many.blocked(index.rooms)) if self.function is many.fifo_advance else index

    def options(self) -> dict[int, int]:
        """Whether jobs behind the head of the line may overtake it."""
        return super().options() | {
            slots.SKIPS: self.policy.skips,
            slots.BY_ARRIVAL: self.policy.skips and self.numbers.resources == 1,
        }


class ConfigurationKernel(QueueKernel):
    """The compiled twin of VQS, VQS-BF and MaxWeight."""

    kernel = staticmethod(configurations.advance)

    def __init__(self, system: QueueSystem) -> None:
        super().__init__(system)
        self._sparse = _sparse(self.policy.configurations)

    def options(self) -> dict[int, int]:
        """How configurations are renewed, and how servers take jobs by them."""
        policy = self.policy
        return super().options() | {
            slots.BEFORE: policy.before,
            slots.SEQUENTIAL: policy.sequential,
            slots.STALLS: policy.gamma > 0,
            slots.GAMMA_NUMERATOR: policy.gamma.numerator,
            slots.GAMMA_DENOMINATOR: policy.gamma.denominator,
            slots.SKIPS: policy.skips,
            slots.BEST_FIT: policy.serves_by == "best fit",
            slots.BY_SIZE: policy.serves_by == "best fit",
            slots.BY_ARRIVAL: policy.skips,
            slots.EXACTLY: policy.serves_by == "exactly",
            slots.PREEMPTIVE: policy.preemptive,
        }

    def index(self, state: QueueState) -> ConfigurationIndex:
        """The configurations, the number of jobs of each queue on each server, and the waiting jobs by size."""
        policy, numbers = self.policy, self.system.numbers
        queues, pools = policy.layout.queues, policy.pool_configurations
        intervals = np.array(policy.intervals or ((0, 0),) * queues, np.int64)
        present = np.zeros((numbers.servers, queues), np.int32)
        served = np.flatnonzero(state.job_server >= 0)
        np.add.at(present, (state.job_server[served], state.job_queue[served]), 1)
        start, queue, wanted = self._sparse
        index = ConfigurationIndex(
            waiting=self.waiting(state),
            rooms=self.rooms(state),
            start=start,
            queue=queue,
            wanted=wanted,
            pools=np.array(pools, np.int64),
            pool_of=numbers.pool_of,
            first_odd=_first_odd(policy),
            other=getattr(policy, "other", np.zeros(len(policy.configurations), np.int32)),
            low=np.ascontiguousarray(intervals[:, 0]),
            high=np.ascontiguousarray(intervals[:, 1]),
            present=present,
            taken=np.zeros(numbers.servers, np.int64),
            lengths=np.zeros(queues, np.int64),
            best=np.zeros((len(pools), 2), np.int64),
        )
        active = state.active[state.job_server[served]]
        counts = served[(active >= 0) & (index.other[active] == state.job_queue[served])]
        np.add.at(index.taken, state.job_server[counts], state.job_room[counts, 0])
        return index


def _first_odd(policy: Any) -> np.ndarray:
    """[C] the virtual queue that k_1 refers to if k_1 = 1, otherwise -1."""
    rows = policy.configurations
    if not hasattr(policy, "first_odd"):
        return np.full(len(rows), -1, np.int32)
    odd = policy.first_odd
    return np.where(rows[np.arange(len(rows)), odd] > 0, odd, -1).astype(np.int32)


def _sparse(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The positive entries of *rows* [C, V], row by row: starts [C + 1], queues [n] and counts [n]."""
    row, queue = np.nonzero(rows)
    start = np.searchsorted(row, np.arange(len(rows) + 1)).astype(np.int64)
    return start, queue.astype(np.int32), rows[row, queue].astype(np.int64)


def _no_jobs(resources: int) -> Arrivals:
    none = np.zeros((0, resources), np.int64)
    queues = np.zeros(0, np.int32)
    return Arrivals(np.zeros(0), none, none, queues, np.zeros(0), np.zeros(1, np.int64))
