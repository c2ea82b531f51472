"""The constant numbers of servers with a queue, taken from a scenario.

The quantities of the scenario are converted to integers and rationals, which do not change during a
run.  A size is a whole number of units, so that sizes are added and compared exactly: 0.4 + 0.6 fills
a server.  Psychas & Ghaderi (2019), Section II.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.scenario.arrivals import LEAST_RATE, MOST_RATE, ScriptedSlots, SlotCounts, TraceSlots
from slotscope.model.kinds.queue.scenario.schema import QueueJobClass, QueueScenario
from slotscope.model.kinds.queue.sizes import Atoms, MixedSizes, SizeDistribution, Units, mean_slots
from slotscope.model.kinds.queue.units import scaled, size_distribution, units_of
from slotscope.model.scenario.fields import plain

_NONE = Fraction(0)


@dataclass(frozen=True)
class QueuePool:
    """Identical servers: numbers *first* to *first* + *count* - 1, with ``capacity`` [D] units each."""

    name: str
    first: int
    count: int
    capacity: Units


@dataclass(frozen=True, eq=False)
class QueueNumbers:
    """L servers in P pools, D resources."""

    servers: int  #: L
    resource_names: tuple[str, ...]
    capacity: NDArray[np.int64]  #: [L, D] units of each server
    #: [D] units of a server of the largest pool, the paper's capacity 1; the same number for every resource, divisible
    #: by 3 * 2^20, so that 2/3 and 1/2^J of it are whole
    largest: NDArray[np.int64]
    unit: tuple[Fraction, ...]  #: [D] the amount of a resource in one unit, in the scenario's unit of that resource
    pools: tuple[QueuePool, ...]
    pool_of: NDArray[np.int32]  #: [L] the number of each server's pool
    seed: int
    #: the distribution of the size of an arriving job, over all classes (for a script: the frequency of each size)
    sizes: SizeDistribution
    #: class_distributions, shares: [C] the distribution of each class's sizes, and its share of all jobs; empty for a
    #: script
    class_distributions: tuple[SizeDistribution, ...]
    shares: tuple[Fraction, ...]
    arrival_rate: Fraction  #: lambda, jobs per slot for the whole system (for a script: the mean over its slots)
    mean_service: Fraction  #: 1 / mu in slots (for a script: the mean over the jobs that depart)
    mean_work: tuple[Fraction, ...]  #: [D] E[size times service], in shares of a largest server times slots

    @property
    def resources(self) -> int:
        """D."""
        return len(self.resource_names)

    @cached_property
    def values(self) -> tuple[Units, ...]:
        """The distinct sizes in units, the largest first; none if the distribution is continuous."""
        return tuple(value for value, _ in self.sizes.atoms)

    @cached_property
    def probabilities(self) -> tuple[Fraction, ...]:
        """The probability of each of ``values``."""
        return tuple(share for _, share in self.sizes.atoms)

    @property
    def types(self) -> int:
        """The number of distinct sizes; 0 if the distribution is continuous."""
        return len(self.values)

    @property
    def smallest(self) -> int:
        """The units of the smallest possible job, measured by its largest component."""
        return self.sizes.least

    @property
    def workload(self) -> Fraction:
        """rho = lambda / mu (Section II)."""
        return self.arrival_rate * self.mean_service

    @cached_property
    def total_capacity(self) -> tuple[Fraction, ...]:
        """[D] the capacity of all servers, in units of a largest server's capacity."""
        return tuple(
            Fraction(sum(pool.count * pool.capacity[d] for pool in self.pools), int(self.largest[d]))
            for d in range(self.resources)
        )

    @property
    def intensity(self) -> Fraction:
        """alpha: the share of all capacity that jobs need on average, of the scarcest resource.

        Psychas & Ghaderi (2019), Section VII.A.3; no policy is stable above 1.
        """
        pairs = zip(self.mean_work, self.total_capacity, strict=True)
        return self.arrival_rate * max(work / total for work, total in pairs)

    @property
    def whole(self) -> str:
        """What sizes are shares of, in words."""
        alike = all((np.array(pool.capacity) == self.largest).all() for pool in self.pools)
        return "a server" if alike else "a largest server"

    def fraction(self, units: int, d: int = 0) -> Fraction:
        """*units* of resource d as a share of a largest server."""
        return Fraction(int(units), int(self.largest[d]))

    def amount(self, units: int, d: int = 0) -> Fraction:
        """*units* of resource d in the scenario's own unit."""
        return _amount(self, int(units), d)

    def amounts(self, units: Sequence[int]) -> Fraction | tuple[Fraction, ...]:
        """[D] units in the scenario's own units; of one resource the amount itself."""
        if len(units) == 1:
            return _amount(self, units[0], 0)
        return tuple(_amount(self, one, d) for d, one in enumerate(units))

    def units(self, amount: Fraction, d: int = 0) -> int:
        """An amount of resource d, in the scenario's own unit, in units.

        Raises ValueError if it is not a whole number of units.
        """
        units = amount / self.unit[d]
        if units.denominator != 1:
            raise ValueError(f"{plain(amount)} is no whole number of units of {self.unit[d]}")
        return units.numerator

    def warnings(self) -> tuple[str, ...]:
        """Sentences on properties of the scenario that are allowed but may be unintended."""
        if not self.class_distributions or self.intensity <= 1:
            return ()
        return (
            f"workload: found an intensity of {float(self.intensity):.3g}, the jobs need more "
            "than all servers have; the queue grows under every policy",
        )


@lru_cache(maxsize=4096)
def _amount(numbers: QueueNumbers, units: int, d: int) -> Fraction:
    return units * numbers.unit[d]


def numbers_of(scenario: QueueScenario) -> QueueNumbers:
    """The constant numbers of a validated scenario.

    Raises ScenarioError if sizes have too many digits for exact units, the arrival rate is out of bounds, or
    the scenario's trace has not been read.
    """
    unit, largest = units_of(scenario)
    pools = _pools(scenario, unit)
    counts = [pool.count for pool in pools]
    pool_of = np.repeat(np.arange(len(pools), dtype=np.int32), counts)
    total = [Fraction(sum(pool.count * pool.capacity[d] for pool in pools), largest) for d in range(len(unit))]
    units = dict(zip(scenario.resource_names, unit, strict=True))
    distributions = tuple(size_distribution(item.size, units) for item in scenario.jobs)
    shares = tuple(item.share for item in scenario.jobs)
    traffic = (
        _scripted(scenario.workload, unit, largest)
        if isinstance(scenario.workload, ScriptedSlots)
        else _random(scenario, distributions, largest, total)
    )
    return QueueNumbers(
        servers=scenario.servers.total,
        resource_names=scenario.resource_names,
        capacity=np.array([pool.capacity for pool in pools], np.int64)[pool_of],
        largest=np.full(len(unit), largest, np.int64),
        unit=unit,
        pools=pools,
        pool_of=pool_of,
        seed=scenario.seed,
        sizes=_distribution(scenario, distributions, shares, unit),
        class_distributions=distributions,
        shares=shares,
        arrival_rate=traffic[0],
        mean_service=traffic[1],
        mean_work=traffic[2],
    )


def _pools(scenario: QueueScenario, unit: Sequence[Fraction]) -> tuple[QueuePool, ...]:
    pools, first = [], 0
    for name, count, capacity, _ in scenario.servers.kinds:
        pools.append(QueuePool(name, first, count, scaled(scenario.amounts(capacity), unit)))
        first += count
    return tuple(pools)


def _distribution(
    scenario: QueueScenario,
    distributions: Sequence[SizeDistribution],
    shares: Sequence[Fraction],
    unit: Sequence[Fraction],
) -> SizeDistribution:
    if isinstance(scenario.workload, ScriptedSlots):
        values = [scaled(arrival.size, unit) for arrival in scenario.workload.arrivals]
        return Atoms(values, [Fraction(1, len(values))] * len(values))
    return distributions[0] if len(distributions) == 1 else MixedSizes(distributions, shares)


Traffic = tuple[Fraction, Fraction, tuple[Fraction, ...]]


def _scripted(script: ScriptedSlots, unit: Sequence[Fraction], largest: int) -> Traffic:
    """lambda, 1 / mu and the mean work of a job in each resource, over the jobs of a script that depart."""
    leaving = [(job.service, scaled(job.size, unit)) for job in script.arrivals if job.service]
    count = len(leaving) or 1
    service = Fraction(sum(slots for slots, _ in leaving), count)
    work = tuple(Fraction(sum(slots * size[d] for slots, size in leaving), count * largest) for d in range(len(unit)))
    return Fraction(len(script.arrivals), script.arrivals[-1].slot + 1), service, work


def _random(
    scenario: QueueScenario, distributions: Sequence[SizeDistribution], largest: int, total: Sequence[Fraction]
) -> Traffic:
    """lambda, 1 / mu and the mean work of a job in each resource."""
    if not scenario.jobs:
        raise ScenarioError("found a trace that has not been read; give its files", where="workload.paths")
    service = sum((item.share * mean_slots(item.service) for item in scenario.jobs), _NONE)
    work = tuple(_mean_work(scenario.jobs, distributions, d) / largest for d in range(len(scenario.resource_names)))
    return _rate(scenario, service, work, total), service, work


def _mean_work(jobs: Sequence[QueueJobClass], distributions: Sequence[SizeDistribution], d: int) -> Fraction:
    pairs = zip(jobs, distributions, strict=True)
    return sum((item.share * mean_slots(item.service) * distribution.mean(d) for item, distribution in pairs), _NONE)


def _rate(scenario: QueueScenario, service: Fraction, work: Sequence[Fraction], total: Sequence[Fraction]) -> Fraction:
    workload = scenario.workload
    assert not isinstance(workload, ScriptedSlots)
    if isinstance(workload, TraceSlots):
        return workload.arrival_rate or _NONE
    if isinstance(workload, SlotCounts):
        rate = workload.mean
    elif workload.workload is not None:
        rate = workload.workload / service
    elif workload.intensity is not None:
        rate = workload.intensity / max(need / has for need, has in zip(work, total, strict=True))
    else:
        rate = workload.arrival_rate or _NONE
    if not LEAST_RATE <= rate <= MOST_RATE:
        raise ScenarioError(
            f"found {float(rate):.3g} jobs per slot, allowed: from {float(LEAST_RATE):g} to {MOST_RATE}",
            where="workload",
        )
    return rate
