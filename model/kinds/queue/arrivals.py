"""Arrivals in slotted time: for each job its slot, size and service time, independent of the policy.

As in :mod:`model.scenario.workload`, a workload is a sequence of blocks that can be regenerated in any
order.  All arrivals of a slot are in one block.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple, Protocol, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.scenario.arrivals import (
    ScriptedSlots,
    SlotBatches,
    SlotCounts,
    SlotPoisson,
    TraceSlots,
)
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.kinds.queue.sizes import SizeDistribution, slot_sampler
from slotscope.model.kinds.queue.units import scaled
from slotscope.model.scenario.common import trace_not_read
from slotscope.model.scenario.streams import BlockStreams, drawn_classes
from slotscope.model.scenario.workload import RecentBlocks, Sampler

#: The mean number of arrivals in a block of random arrivals; more if a single slot has more.
EXPECTED = 16_384


class SlottedBlock(NamedTuple):
    """Consecutive arrivals of a workload in slotted time; D resources, times in whole slots."""

    time: NDArray[np.float64]  #: [n] the slot in which each job arrives, not decreasing
    size: NDArray[np.int64]  #: [n, D] sizes in units
    service: NDArray[np.float64]  #: [n] service time in slots, at least 1; inf: the job never departs
    first: NDArray[np.int64]  #: [1] the number of arrivals before this block

    @property
    def end(self) -> int:
        """The number of arrivals up to the end of this block."""
        return int(self.first[0]) + len(self.time)


class RecordedSlots:
    """A finite workload held in memory: scripted, or read from a trace."""

    def __init__(self, time: NDArray[np.float64], size: NDArray[np.int64], service: NDArray[np.float64]) -> None:
        self._block = SlottedBlock(time, size, service, np.zeros(1, np.int64))

    def block_at(self, arrival: int) -> SlottedBlock | None:
        """The whole workload, or None once it is used up."""
        return self._block if arrival < self._block.end else None


class Counts(Protocol):
    """How the arrivals of a block are distributed over its slots."""

    def total(self, random: np.random.Generator, slots: int) -> int:
        """The number of arrivals in *slots* slots; the same that :meth:`places` draws from the same stream."""

    def places(self, random: np.random.Generator, slots: int) -> NDArray[np.int64]:
        """[n] the slot of each arrival, from 0 to *slots* - 1, not decreasing."""


class PoissonCounts:
    """A Poisson number of jobs in each slot, with mean *rate*."""

    def __init__(self, rate: float) -> None:
        self._rate = rate

    def total(self, random: np.random.Generator, slots: int) -> int:
        """See :class:`Counts`."""
        return int(random.poisson(self._rate * slots))

    def places(self, random: np.random.Generator, slots: int) -> NDArray[np.int64]:
        """See :class:`Counts`: given their number, arrivals are uniform over the slots."""
        return np.sort(random.integers(0, slots, self.total(random, slots)))


class BatchCounts:
    """A Poisson number of batches in each slot; *rate* jobs per slot, *mean* jobs per batch."""

    def __init__(self, rate: float, mean: float, geometric: bool) -> None:
        self._batches = PoissonCounts(rate / mean)
        self._mean, self._geometric = mean, geometric

    def _sizes(self, random: np.random.Generator, batches: int) -> NDArray[np.int64]:
        if self._geometric:
            return random.geometric(1 / self._mean, batches)
        return np.full(batches, int(self._mean), np.int64)

    def total(self, random: np.random.Generator, slots: int) -> int:
        """See :class:`Counts`."""
        return int(self._sizes(random, self._batches.total(random, slots)).sum())

    def places(self, random: np.random.Generator, slots: int) -> NDArray[np.int64]:
        """See :class:`Counts`."""
        sizes = self._sizes(random, self._batches.total(random, slots))
        return np.repeat(np.sort(random.integers(0, slots, len(sizes))), sizes)


class IndependentCounts:
    """Each slot has k arrivals with probability ``probabilities[k]``, independently."""

    def __init__(self, probabilities: Sequence[float]) -> None:
        self._probabilities = np.asarray(probabilities) / sum(probabilities)

    def _slots_with(self, random: np.random.Generator, slots: int) -> NDArray[np.int64]:
        """[k] the number of slots with k arrivals."""
        return random.multinomial(slots, self._probabilities)

    def total(self, random: np.random.Generator, slots: int) -> int:
        """See :class:`Counts`."""
        counts = self._slots_with(random, slots)
        return int(counts @ np.arange(len(counts)))

    def places(self, random: np.random.Generator, slots: int) -> NDArray[np.int64]:
        """See :class:`Counts`; the slots with k arrivals are a random subset of their number."""
        counts = self._slots_with(random, slots)
        arrivals = np.repeat(np.arange(1, len(counts)), counts[1:])
        chosen = random.choice(slots, len(arrivals), replace=False)
        return np.sort(np.repeat(chosen, arrivals))


class SlottedWorkload:
    """Random arrivals, sizes and service times, independent of one another.

    - *counts*: How arrivals are distributed over slots.
    - *rate*: Mean number of arrivals per slot; it determines the number of slots in a block.
    - *distributions*, *services*, *shares*: [C] for each class of jobs the distribution of sizes, the sampler of
      services and its share.
    - *seed*: The scenario's seed.
    - *start*: The first slot in which jobs may arrive.
    - *branch*: Gives a forked run random streams of its own; 0 is the original run.
    """

    def __init__(
        self,
        counts: Counts,
        rate: float,
        distributions: Sequence[SizeDistribution],
        services: Sequence[Sampler],
        shares: Sequence[float],
        seed: int,
        start: int = 0,
        branch: int = 0,
    ) -> None:
        self._counts = counts
        self._distributions, self._services = tuple(distributions), tuple(services)
        self._below = np.cumsum(shares)[:-1]
        self._stream = BlockStreams(seed, branch)
        self._start = start
        self.slots = max(1, round(EXPECTED / rate))  #: slots in a block
        self._before = [0]  # number of arrivals before each block, for the blocks generated so far
        self._recent: RecentBlocks[SlottedBlock] = RecentBlocks()

    def block_at(self, arrival: int) -> SlottedBlock:
        """The block that contains arrival number *arrival* (from 0); there is no last block."""
        while self._before[-1] <= arrival:
            number = len(self._before) - 1
            total = self._counts.total(self._stream("arrivals", number), self.slots)
            self._before.append(self._before[-1] + total)
        return self._recent.at(bisect_right(self._before, arrival) - 1, self._made)

    def _made(self, number: int) -> SlottedBlock:
        places = self._counts.places(self._stream("arrivals", number), self.slots)
        time = (self._start + number * self.slots + places).astype(np.float64)
        count = len(time)
        several = len(self._below) > 0
        chosen = drawn_classes(self._stream("classes", number), self._below, count) if several else np.zeros(count)
        size = np.empty((count, self._distributions[0].resources), np.int64)
        service = np.empty(count)
        for kind, (distribution, sampler) in enumerate(zip(self._distributions, self._services, strict=True)):
            mine = np.flatnonzero(chosen == kind)
            size[mine] = distribution.sample(self._stream("sizes", kind, number), len(mine))
            service[mine] = sampler(self._stream("service", kind, number), len(mine))
        return SlottedBlock(time, size, service, np.array([self._before[number]], np.int64))


def workload_of(
    scenario: QueueScenario, numbers: QueueNumbers, start: float = 0.0, branch: int = 0
) -> RecordedSlots | SlottedWorkload:
    """The workload of a scenario; a script ignores *start* and *branch*.

    In a branch, nothing arrives up to slot *start*, the slot of the last event before the fork, whose
    arrivals have already happened.
    Raises ScenarioError if the workload is a trace, which must be read from its files.
    """
    workload = scenario.workload
    if isinstance(workload, ScriptedSlots):
        return _script(workload, numbers)
    if isinstance(workload, TraceSlots):
        raise trace_not_read()
    return SlottedWorkload(
        _counts(workload, float(numbers.arrival_rate)),
        float(numbers.arrival_rate),
        numbers.class_distributions,
        [slot_sampler(item.service) for item in scenario.jobs],
        [float(item.share) for item in scenario.jobs],
        scenario.seed,
        int(start) + 1 if branch else int(start),
        branch,
    )


def _counts(workload: SlotPoisson | SlotBatches | SlotCounts, rate: float) -> Counts:
    if isinstance(workload, SlotCounts):
        return IndependentCounts([float(share) for share in workload.probabilities])
    if isinstance(workload, SlotBatches):
        return BatchCounts(rate, float(workload.mean_batch), workload.batch == "geometric")
    return PoissonCounts(rate)


def _script(script: ScriptedSlots, numbers: QueueNumbers) -> RecordedSlots:
    jobs = script.arrivals
    return RecordedSlots(
        np.array([job.slot for job in jobs], np.float64),
        np.array([scaled(job.size, numbers.unit) for job in jobs], np.int64),
        np.array([np.inf if job.service is None else job.service for job in jobs], np.float64),
    )
