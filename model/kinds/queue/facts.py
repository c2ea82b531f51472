"""The data on a queueing system, besides its state, that panels and sentences use."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.layout import QueueLayout
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.state import WAITING, QueueState


@dataclass(frozen=True, eq=False)
class QueueFacts:
    """The data that are constant while one policy runs."""

    layout: QueueLayout  #: the virtual queues
    #: [V] of (low, high], in units of a largest server; empty without a partition of sizes
    intervals: tuple[tuple[int, int], ...]
    #: [C, V] the configurations from which the active configuration of a server is chosen; C = 0: there are none
    configurations: NDArray[np.int32]
    configuration_names: tuple[str, ...]  #: [C] such as "e₁ + 2e₅"
    #: [P] pairs (start, stop): the rows of ``configurations`` for the servers of each pool
    pool_configurations: tuple[tuple[int, int], ...]
    reserves: bool  #: whether k_1 = 1 reserves two thirds of a server for VQ_1 (VQS)
    #: a server is stalled if its configuration has a weight below this share of the largest weight; 0: never
    gamma: Fraction = Fraction(0)
    in_line: bool = False  #: whether no job is placed while an earlier job waits

    @property
    def has_configurations(self) -> bool:
        """Whether servers have an active configuration."""
        return len(self.configurations) > 0


@dataclass(frozen=True, eq=False)
class QueueStanding:
    """The quantities derived from a state."""

    weights: NDArray[np.int64]  #: [C] the weight <k, Q> of each configuration now, (5)
    heaviest: tuple[int, ...]  #: [P] for each pool the first configuration of largest weight; -1 without configurations
    free: NDArray[np.int64]  #: [L, D] residual capacity of each server, in units


def standing(state: QueueState, numbers: QueueNumbers, facts: QueueFacts) -> QueueStanding:
    """Derive the weights and the residual capacities from *state*."""
    weights = facts.configurations.astype(np.int64) @ state.queue_length
    heaviest = tuple(
        start + int(np.argmax(weights[start:stop])) if stop > start else -1 for start, stop in facts.pool_configurations
    )
    return QueueStanding(weights, heaviest, numbers.capacity - state.used)


def waiting_records(state: QueueState) -> NDArray[np.int64]:
    """[n] the records of the jobs that wait, in order of arrival."""
    if not state.number[WAITING]:
        return np.zeros(0, np.int64)
    (records,) = ((state.job_number >= 0) & (state.job_server < 0)).nonzero()
    return np.asarray(records[state.job_number[records].argsort()])


def records_on(state: QueueState, server: int) -> list[int]:
    """The records of the jobs on a server, in order of placement."""
    records, record = [], int(state.first_job[server])
    while record >= 0:
        records.append(record)
        record = int(state.job_next[record])
    return records
