"""Drives the compiled kernels of queueing systems: feeds them jobs and room, reads their tapes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable

import numpy as np

from model.engine import Advance, Reason, Task
from model.jit import compiled
from model.kinds.queue.kernels import best_fit, configurations, fifo, foresight, slots
from model.kinds.queue.kernels.best_fit import BestFitIndex
from model.kinds.queue.kernels.configurations import ConfigurationIndex
from model.kinds.queue.kernels.rooms import rooms_of
from model.kinds.queue.kernels.slots import Arrivals
from model.kinds.queue.kernels.waiting import (
    Buckets,
    Waiting,
    buckets_for,
    buckets_of,
    empty_waiting,
    no_buckets,
    waiting_of,
)
from model.kinds.queue.score import score_unit
from model.kinds.queue.state import EVENT, NEXT_ARRIVAL, QueueState
from model.kinds.queue.system import QueueSystem

_REASONS = {
    slots.AT_LIMIT: Reason.LIMIT,
    slots.AT_TIME: Reason.TIME,
    slots.AT_FLAG: Reason.FLAG,
    slots.AT_END: Reason.END,
}


class QueueKernel:
    """A compiled twin of a reference; a subclass says which function and which index."""

    name = "kernel"
    keyframe_every = 10_000
    function: Callable[..., int]

    def __init__(self, system: QueueSystem) -> None:
        self.system = system
        self.policy: Any = system.policy
        self.constant = np.zeros(slots.CONSTANTS, np.int64)
        self.constant[slots.INITIAL_JOBS] = system.initial_jobs
        self.constant[slots.SCORE_UNIT] = score_unit(system.numbers)
        self.constant[slots.LOOKS_AGAIN] = self.policy.looks_again
        self._buckets: dict[int, Buckets] = {}  # by how many are asked for
        foresight.register()
        self._run = compiled(type(self).function)
        self._arrivals: Arrivals | None = None
        self._index: Any = None
        self._index_of: tuple[int, int, int] | None = None

    def build(self, state: QueueState) -> Any:
        """The index of a state."""
        raise TypeError(f"{type(self).__name__} builds no index")

    def waiting(self, state: QueueState) -> Waiting:
        """Its part for the jobs that wait: empty where the policy needs none."""
        by_size, by_arrival = self.constant[[slots.BY_SIZE, slots.BY_ARRIVAL]] > 0
        if by_size or by_arrival:
            buckets = self._buckets_for(len(state.job_number), bool(by_size))
            return waiting_of(state, buckets, bool(by_size))
        return empty_waiting(no_buckets(), 0, with_tree=False)

    def _buckets_for(self, records: int, by_size: bool) -> Buckets:
        """The buckets of an index for so many records."""
        count = buckets_for(records, by_size)
        if count not in self._buckets:
            bounds = [end for interval in self.policy.intervals for end in interval]
            numbers, layout = self.system.numbers, self.policy.layout
            self._buckets[count] = buckets_of(numbers, layout, bounds, count)
        return self._buckets[count]

    def advance(self, state: QueueState, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.engine.Engine`."""
        done = np.zeros(2, np.int64)
        outcome = np.zeros(slots.OUTCOMES, np.int64)
        self.constant[slots.STOP_FLAGS] = task.stop_flags
        self.constant[slots.STRIDE] = task.stride
        self.constant[slots.EXPLAIN] = task.explain
        most = len(tape) // task.stride + 1 if task.stride else 0
        samples = np.empty((most, self.system.sample_width))
        index, fresh = self._index_for(state), np.zeros(len(state.job_number), np.int32)
        jobs = self._jobs(state)
        while True:
            code = self._run(
                state, index, jobs, self.constant, self.system.numbers.capacity,
                self.policy.configurations, self.system.used_weight, fresh, float(task.until), tape,
                samples, done, outcome,
            )  # fmt: skip
            if code == slots.NEEDS_JOBS:
                jobs = self._jobs(state)
            elif code == slots.NEEDS_ROOM:
                state = self.system.prepared(state)
                index, fresh = self.build(state), np.zeros(len(state.job_number), np.int32)
            else:
                break
        self._index, self._index_of = index, _identity(state)
        return Advance(state, int(done[0]), _REASONS[code], samples[: done[1]])

    def _index_for(self, state: QueueState) -> Any:
        if self._index is None or self._index_of != _identity(state):
            self._index = self.build(state)
        return self._index

    def _jobs(self, state: QueueState) -> Arrivals:
        """The block of the next arrival, with the queue and the room of each job."""
        block = self.system.workload.block_at(int(state.number[NEXT_ARRIVAL]))
        self.constant[slots.LAST_BLOCK] = block is None
        if block is None:
            return _no_jobs(self.system.numbers.resources)
        known = self._arrivals
        if known is None or known.time is not block.time or known.first[0] != block.first[0]:
            layout = self.policy.layout
            room = np.ascontiguousarray(layout.room_of(block.size))
            queue = layout.queue_of(block.size)
            known = Arrivals(block.time, block.size, room, queue, block.service, block.first)
            self._arrivals = known
        return known


class BestFitKernel(QueueKernel):
    """The compiled twin of BF-J, BF-S and BF-J/S."""

    function = staticmethod(best_fit.advance)

    def __init__(self, system: QueueSystem) -> None:
        super().__init__(system)
        name = self.policy.name
        self.constant[slots.STEP_SERVERS] = name != "bf-j"
        self.constant[slots.STEP_JOBS] = name != "bf-s"
        self.constant[slots.ONLY_DEPARTURES] = name == "bf-js"
        self.constant[slots.STALLS] = self.policy.stalls
        if system.numbers.resources == 1:
            self.constant[slots.BY_ARRIVAL if name == "bf-j" else slots.BY_SIZE] = 1

    def build(self, state: QueueState) -> Any:
        """Waiting jobs by size, or by arrival for BF-J, and what is free on servers."""
        return BestFitIndex(self.waiting(state), rooms_of(state, self.system.numbers.capacity))


class FifoKernel(QueueKernel):
    """The compiled twin of FIFO-FF and of FIFO over containers."""

    function = staticmethod(fifo.advance)

    def __init__(self, system: QueueSystem) -> None:
        super().__init__(system)
        self.constant[slots.SKIPS] = self.policy.skips
        self.constant[slots.BY_ARRIVAL] = self.policy.skips and system.numbers.resources == 1

    def build(self, state: QueueState) -> Any:
        """Waiting jobs by arrival, and what is free on servers."""
        return BestFitIndex(self.waiting(state), rooms_of(state, self.system.numbers.capacity))


class ConfigurationKernel(QueueKernel):
    """The compiled twin of VQS, VQS-BF and MaxWeight."""

    function = staticmethod(configurations.advance)

    def __init__(self, system: QueueSystem) -> None:
        super().__init__(system)
        policy = self.policy
        gamma: Fraction = policy.gamma
        self.constant[slots.BEFORE] = policy.before
        self.constant[slots.SEQUENTIAL] = policy.sequential
        self.constant[slots.STALLS] = gamma > 0
        self.constant[slots.GAMMA_NUMERATOR] = gamma.numerator
        self.constant[slots.GAMMA_DENOMINATOR] = gamma.denominator
        self.constant[slots.SKIPS] = getattr(policy, "skips", False)
        self.constant[slots.BEST_FIT] = policy.name == "vqs-bf"
        self.constant[slots.BY_SIZE] = policy.name == "vqs-bf"
        self.constant[slots.BY_ARRIVAL] = self.constant[slots.SKIPS]
        self.constant[slots.EXACTLY] = policy.name == "max-weight"
        self.constant[slots.PREEMPTIVE] = policy.preemptive
        self._sparse = _sparse(policy.configurations)

    def build(self, state: QueueState) -> ConfigurationIndex:
        """Configurations, jobs of each queue on each server, and waiting jobs by size."""
        policy, numbers = self.policy, self.system.numbers
        queues, pools = policy.layout.queues, policy.pool_configurations
        intervals = np.array(policy.intervals or ((0, 0),) * queues, np.int64)
        present = np.zeros((numbers.servers, queues), np.int32)
        served = np.flatnonzero(state.job_server >= 0)
        np.add.at(present, (state.job_server[served], state.job_queue[served]), 1)
        start, queue, wanted = self._sparse
        index = ConfigurationIndex(
            waiting=self.waiting(state),
            rooms=rooms_of(state, numbers.capacity),
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
    """[C] the queue of k_1 where k_1 = 1, else -1."""
    rows = policy.configurations
    if not hasattr(policy, "first_odd"):
        return np.full(len(rows), -1, np.int32)
    odd = policy.first_odd
    return np.where(rows[np.arange(len(rows)), odd] > 0, odd, -1).astype(np.int32)


def _sparse(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Starts [C + 1], queues and counts of the entries above 0, row by row."""
    row, queue = np.nonzero(rows)
    start = np.searchsorted(row, np.arange(len(rows) + 1)).astype(np.int64)
    return start, queue.astype(np.int32), rows[row, queue].astype(np.int64)


def _no_jobs(resources: int) -> Arrivals:
    none = np.zeros((0, resources), np.int64)
    queues = np.zeros(0, np.int32)
    return Arrivals(np.zeros(0), none, none, queues, np.zeros(0), np.zeros(1, np.int64))


def _identity(state: QueueState) -> tuple[int, int, int]:
    """Tells whether a state is still the one that the index was built for."""
    return id(state), int(state.number[EVENT]), int(state.trail[0])
