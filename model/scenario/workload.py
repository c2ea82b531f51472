"""Workloads: the arrival time, type and service time of each job, independent of the policy.

A workload is a sequence of blocks.  Any block can be generated again at any time, from the seed (Poisson), from
the scenario (scripted) or from a file (trace): rewinding needs no random state, and every policy gets
the same jobs (common random numbers).
"""

from __future__ import annotations

from collections import OrderedDict
from fractions import Fraction
from math import fsum
from threading import Lock
from typing import Callable, Generic, NamedTuple, Protocol, Sequence, TypeVar

import numpy as np
from numpy.typing import NDArray

from slotscope.model.exact import logarithm
from slotscope.model.scenario.common import (
    Deterministic,
    EmpiricalTimes,
    Erlang,
    Exponential,
    HyperExponential,
    MixedErlang,
    Pareto,
    Service,
)
from slotscope.model.scenario.streams import BlockStreams, drawn_classes

#: The number of jobs in a block of random arrivals.
BLOCK = 16_384

#: The number of blocks kept for replays; others are generated again when needed.
KEPT_BLOCKS = 256


class JobBlock(NamedTuple):
    """Consecutive jobs of a workload."""

    time: NDArray[np.float64]  #: [n] arrival times, in the scenario's unit
    type: NDArray[np.int32]  #: [n] job types, from 0
    service: NDArray[np.float64]  #: [n] service times; inf: never departs
    first: NDArray[np.int64]  #: [1] the number of arrivals before this block

    @property
    def end(self) -> int:
        """The number of arrivals up to the end of this block."""
        return int(self.first[0]) + len(self.time)


class Workload(Protocol):
    """A sequence of jobs in order of time."""

    def block_at(self, arrival: int) -> JobBlock | None:
        """The block that holds arrival number *arrival* (from 0); None after the last."""


class RecordedWorkload:
    """A finite workload held in memory: scripted, or read from a trace."""

    def __init__(self, time: NDArray[np.float64], job_type: NDArray[np.int32], service: NDArray[np.float64]) -> None:
        first = np.zeros(1, np.int64)
        self._block = JobBlock(time, job_type, service, first)

    def block_at(self, arrival: int) -> JobBlock | None:
        """The whole workload, or None after its end."""
        return self._block if arrival < self._block.end else None


class ContinuedWorkload:
    """A workload whose first job has the arrival number *first*: the arrivals after a fork."""

    def __init__(self, workload: Workload, first: int) -> None:
        self._workload = workload
        self._first = first

    def block_at(self, arrival: int) -> JobBlock | None:
        """See :class:`Workload`; for a state from before the fork, with which kernels are prepared, the first block."""
        block = self._workload.block_at(max(arrival - self._first, 0))
        return None if block is None else block._replace(first=block.first + self._first)


Block = TypeVar("Block")


class RecentBlocks(Generic[Block]):
    """A cache of the :data:`KEPT_BLOCKS` most recently used blocks.

    It does not hold the function that makes blocks: otherwise the workload that owns the cache would be part of a
    reference cycle, and its blocks would stay until Python's cycle collector runs.
    """

    def __init__(self) -> None:
        self._blocks: OrderedDict[int, Block] = OrderedDict()
        self._lock = Lock()  # a run that is ahead of another one uses a separate thread

    def at(self, position: int, make: Callable[[int], Block]) -> Block:
        """The block at a position; made by *make* if it is not in the cache."""
        with self._lock:
            if position not in self._blocks:
                self._blocks[position] = make(position)
                if len(self._blocks) > KEPT_BLOCKS:
                    self._blocks.popitem(last=False)
            self._blocks.move_to_end(position)
            return self._blocks[position]


class PoissonWorkload:
    """Independent Poisson arrivals per type, superposed.

    - *rates*: [J] arrivals per time unit of each type, for the whole system.
    - *distributions*: [J] service distributions.
    - *seed*: The scenario's seed.
    - *start*: The time before which there are no arrivals.
    - *branch*: Distinguishes the random streams of a forked run from those of the run that it left; 0: not forked.
    """

    def __init__(
        self, rates: Sequence[float], distributions: Sequence[Service], seed: int, start: float = 0.0, branch: int = 0
    ) -> None:
        self._total = fsum(rates)
        self._shares = np.cumsum(np.asarray(rates, float))[:-1] / (self._total or 1.0)
        self._samplers = [service_sampler(distribution) for distribution in distributions]
        self._stream = BlockStreams(seed, branch)
        self._starts = [start]
        self._only_type = np.zeros(BLOCK, np.int32)
        self._recent: RecentBlocks[JobBlock] = RecentBlocks()

    def block_at(self, arrival: int) -> JobBlock | None:
        """The block of that arrival; None only if every rate is 0."""
        return self._recent.at(arrival // BLOCK, self._made) if self._total > 0 else None

    def _made(self, position: int) -> JobBlock:
        while len(self._starts) <= position:
            last = len(self._starts) - 1
            self._starts.append(float(self._times(last)[-1]))
        time = self._times(position)
        if len(self._starts) == position + 1:
            self._starts.append(float(time[-1]))
        job_type = self._types(position)
        service = self._services(position, job_type)
        return JobBlock(time, job_type, service, np.array([position * BLOCK], np.int64))

    def _times(self, position: int) -> NDArray[np.float64]:
        # Always summed in this order, so that a block generated again has exactly the same times; and in
        # place, because allocating memory costs more than the numbers in it.
        times = self._stream("arrivals", position).standard_exponential(BLOCK)
        times /= self._total
        np.cumsum(times, out=times)
        times += self._starts[position]
        return times

    def _types(self, position: int) -> NDArray[np.int32]:
        if len(self._samplers) == 1:
            return self._only_type
        return drawn_classes(self._stream("types", position), self._shares, BLOCK).astype(np.int32)

    def _services(self, position: int, job_type: NDArray[np.int32]) -> NDArray[np.float64]:
        if len(self._samplers) == 1:
            return self._samplers[0](self._stream("service", 0, position), BLOCK)
        service = np.empty(BLOCK)
        for number, sampler in enumerate(self._samplers):
            mine = np.flatnonzero(job_type == number)
            service[mine] = sampler(self._stream("service", number, position), len(mine))
        return service


Sampler = Callable[[np.random.Generator, int], NDArray[np.float64]]


def service_sampler(distribution: Service) -> Sampler:
    """A function (generator, n) -> n service times of a distribution."""
    mean = float(distribution.mean)
    if isinstance(distribution, Exponential):
        return _exponential(mean)
    if isinstance(distribution, Deterministic):
        return lambda _, n: np.full(n, mean)
    if isinstance(distribution, Erlang):
        phases = distribution.phases
        return lambda random, n: random.gamma(phases, mean / phases, n)
    if isinstance(distribution, HyperExponential):
        return _hyper_exponential(mean, float(distribution.squared_variation))
    if isinstance(distribution, Pareto):
        shape = float(distribution.shape)
        least = mean * (shape - 1) / shape
        return lambda random, n: least * (1 + random.pareto(shape, n))
    if isinstance(distribution, MixedErlang):
        return _mixed_erlang(mean, [float(share) for share in distribution.probabilities])
    if isinstance(distribution, EmpiricalTimes):
        return empirical_sampler(np.array([float(value) for value in distribution.values]), mean)
    spread = logarithm(1 + distribution.squared_variation)
    centre = logarithm(Fraction(mean)) - spread / 2
    return lambda random, n: random.lognormal(centre, spread**0.5, n)


def _exponential(mean: float) -> Sampler:
    def sample(random: np.random.Generator, n: int) -> NDArray[np.float64]:
        times = random.standard_exponential(n)
        times *= mean
        return times

    return sample


def empirical_sampler(values: NDArray[np.float64], mean: float) -> Sampler:
    """A function (generator, n) -> n of *values*, drawn with replacement and scaled to *mean*."""
    scaled = values * (mean / (fsum(values) / len(values)))
    return lambda random, n: scaled[random.integers(0, len(scaled), n)]


def _mixed_erlang(mean: float, probabilities: Sequence[float]) -> Sampler:
    below = np.cumsum(probabilities)[:-1]
    phase = mean / fsum(k * share for k, share in enumerate(probabilities, 1))

    def sample(random: np.random.Generator, n: int) -> NDArray[np.float64]:
        phases = 1 + drawn_classes(random, below, n)
        return phase * random.standard_gamma(phases)

    return sample


def _hyper_exponential(mean: float, squared_variation: float) -> Sampler:
    # Balanced means: both branches carry half of the mean.
    ratio = ((squared_variation - 1) / (squared_variation + 1)) ** 0.5
    often = (1 + ratio) / 2

    def sample(random: np.random.Generator, n: int) -> NDArray[np.float64]:
        branch = random.random(n) < often
        scale = np.where(branch, mean / (2 * often), mean / (2 * (1 - often)) if often < 1 else 0)
        return scale * random.standard_exponential(n)

    return sample
