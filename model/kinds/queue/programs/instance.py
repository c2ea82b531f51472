"""The input of the programs for a scenario with a queue: types, pools, a distribution, virtual queues.

If classes of jobs differ in their mean service times, the load of a type is its arrival rate times its
own mean service time.  The programs then use each size's share of the workload rho instead of its share
of the arrivals (Psychas & Ghaderi 2019, (4), with rho_j = lambda_j / mu_j).  For a script a size is
weighted by its number of occurrences.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.programs.fluid import FluidLimit, reduced_limit, stuck_limits
from slotscope.model.kinds.queue.programs.packing import MOST_UNITS
from slotscope.model.kinds.queue.programs.partition import LEAST_DEPTH, Partition, configuration_name, default_depth
from slotscope.model.kinds.queue.programs.reduced import (
    largest_sizes,
    nominal_contents,
    queue_probabilities,
    real_contents,
    real_supportable,
    reduced_supportable,
)
from slotscope.model.kinds.queue.programs.region import (
    Region,
    Vector,
    average_polygon,
    drawn_configurations,
    full_polygon,
    service_polygon,
)
from slotscope.model.kinds.queue.programs.supportable import PoolOfServers, SupportableWorkload, pools_of
from slotscope.model.kinds.queue.scenario.distributions import Fixed
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.kinds.queue.sizes import MixedSizes, SizeDistribution, mean_slots
from slotscope.model.programs.configurations import Configuration

#: The most types for which (4) is solved exactly: with one resource of few units, and in general.
MOST_TYPES, MOST_TYPES_IN_GENERAL = 64, 10


@dataclass(frozen=True, eq=False)
class Instance:
    """The input of the programs of one scenario."""

    numbers: QueueNumbers  #: the numbers of the scenario
    distribution: SizeDistribution  #: of a job's size, weighted by service
    partition: Partition | None  #: I; None with several resources, or with servers to which K_RED does not apply
    fixed_service: bool  #: whether all jobs have the same service time
    one_rate: bool  #: whether all classes of jobs have the same mean service

    @cached_property
    def _types(self) -> tuple[tuple[tuple[Fraction, ...], Fraction], ...]:
        """The sizes as shares, smallest first, and their probabilities; empty if there are too many."""
        found = []
        for value, share in reversed(self.distribution.atoms[: MOST_TYPES + 1]):
            size = tuple(self.numbers.fraction(units, d) for d, units in enumerate(value))
            found.append((size, share))
        if len(found) > MOST_TYPES_IN_GENERAL and not self._tabled(len(self.distribution.atoms)):
            return ()
        return tuple(found)

    def _tabled(self, types: int) -> bool:
        if self.numbers.resources > 1 or types > MOST_TYPES:
            return False
        values = [[self.numbers.fraction(value[0])] for value, _ in self.distribution.atoms]
        try:
            units = [space.capacity[0] for space, _ in pools_of(values, self._capacities)]
        except ValueError:
            return False
        return max(units) <= MOST_UNITS

    @cached_property
    def _capacities(self) -> list[tuple[tuple[Fraction, ...], int]]:
        return [
            (tuple(self.numbers.fraction(units, d) for d, units in enumerate(pool.capacity)), pool.count)
            for pool in self.numbers.pools
        ]

    @property
    def sizes(self) -> tuple[tuple[Fraction, ...], ...]:
        """[J][D] the types' sizes, smallest first; empty if (4) is not solved exactly."""
        return tuple(size for size, _ in self._types)

    @property
    def probabilities(self) -> tuple[Fraction, ...]:
        """[J] each type's share of the workload."""
        return tuple(share for _, share in self._types)

    @cached_property
    def pools(self) -> tuple[PoolOfServers, ...]:
        """[P] the feasible configurations over the types, and the number of servers of each pool."""
        return pools_of(self.sizes, self._capacities)

    @property
    def unit_pools(self) -> list[tuple[int, int]]:
        """[P] the units of a server and the number of servers of each pool; one resource."""
        return [(pool.capacity[0], pool.count) for pool in self.numbers.pools]

    @cached_property
    def points(self) -> tuple[tuple[int, Fraction], ...]:
        """Sizes in units that have a positive probability, one resource."""
        return tuple(_points(self.distribution).items())

    @property
    def mean_bound(self) -> Fraction | None:
        """L / E[R] of Lemma 1: the least ratio of the total capacity of a resource to a job's mean demand for it."""
        means = [self.distribution.mean(d) / int(self.numbers.largest[d]) for d in range(self.numbers.resources)]
        pairs = zip(self.numbers.total_capacity, means, strict=True)
        return min((total / mean for total, mean in pairs if mean), default=None)

    @property
    def _shares(self) -> list[tuple[Fraction, int]]:
        """[P] the capacity of each pool as a share of the largest, and its number of servers; one resource."""
        return [(capacity[0], count) for capacity, count in self._capacities]

    @cached_property
    def _queue_probabilities(self) -> tuple[Fraction, ...]:
        """[2J] P^(I), the distribution of jobs over the virtual queues."""
        assert self.partition is not None
        whole = int(self.numbers.largest[0])
        return tuple(
            max(Fraction(0), Fraction(self.distribution.probability(low * whole, high * whole)))
            for low, high in self.partition.ruler
        )

    def reduced(self) -> SupportableWorkload:
        """The workload that K_RED supports."""
        assert self.partition is not None
        return reduced_supportable(self.partition, self._queue_probabilities, self._shares)

    def real(self) -> SupportableWorkload | None:
        """The workload supported by what K_RED really holds; None for a distribution with too many sizes."""
        if not self.sizes or self.partition is None:
            return None
        return real_supportable(self.partition, self._queue_probabilities, self._largest, self._shares)

    @property
    def _largest(self) -> tuple[Fraction, ...]:
        assert self.partition is not None
        return largest_sizes(self.partition, [size[0] for size in self.sizes])

    def region(self, found: SupportableWorkload, real: SupportableWorkload | None) -> Region | None:
        """The supportable region of two types with the same mean service time."""
        if len(self.sizes) != 2 or not self.one_rate or not self.numbers.workload:
            return None
        rate = 1 / self.numbers.mean_service
        rates = (rate, rate)
        shares = {(part.pool, part.configuration): part.servers / found.servers for part in found.solution}
        return Region(
            full=full_polygon(self.pools, rates),
            reduced=self._reduced_polygon(rates),
            configurations=drawn_configurations([space for space, _ in self.pools], rates, shares),
            reduced_configurations=self._reduced_vectors(rates),
            arrivals=self._arrivals(self.numbers.workload),
            boundary=self._arrivals(found.value),
            reduced_boundary=None if real is None else self._arrivals(real.value),
        )

    def _arrivals(self, workload: Fraction) -> Vector:
        """The arrival rate of either type at a workload, jobs per slot and server."""
        one = workload / self.numbers.mean_service / self.numbers.servers
        return one * self.probabilities[0], one * self.probabilities[1]

    def _held(self, capacity: Fraction) -> list[tuple[str, Configuration]]:
        """The jobs of the two types that each configuration of K_RED holds on servers of *capacity*.

        Types in the same virtual queue are counted as if all jobs were of the larger type.
        """
        if self.partition is None:
            return []
        queues = [self.partition.type_of(size[0]) for size in self.sizes]
        held: dict[Configuration, str] = {}
        nominal = nominal_contents(self.partition, capacity)
        contents = real_contents(self.partition, self._largest, capacity)
        for configuration, content in zip(nominal, contents, strict=True):
            counts = [content[queue] for queue in queues]
            alone = [(counts[0], 0), (0, counts[1])] if queues[0] == queues[1] else [tuple(counts)]
            for k in alone:
                if any(k):
                    held.setdefault(k, configuration_name(configuration))
        return [(name, k) for k, name in held.items()]

    def _reduced_polygon(self, rates: Vector) -> tuple[Vector, ...]:
        if self.partition is None:
            return ()
        return average_polygon(
            [
                (service_polygon([k for _, k in self._held(capacity)], rates), Fraction(count, self.numbers.servers))
                for capacity, count in self._shares
            ]
        )

    def _reduced_vectors(self, rates: Vector) -> tuple[tuple[str, Vector], ...]:
        largest = max(self._shares)[0]
        return tuple((name, (k[0] * rates[0], k[1] * rates[1])) for name, k in self._held(largest))

    def fluid(self, real: SupportableWorkload | None) -> tuple[FluidLimit, ...]:
        """The known fluid limits: for identical servers with one resource and one mean service time."""
        numbers = self.numbers
        if numbers.resources > 1 or len(numbers.pools) > 1 or not self.one_rate:
            return ()
        if not numbers.workload:
            return ()
        rate = 1 / numbers.mean_service
        limits = []
        follows = real is not None and (not self.fixed_service or real.value >= numbers.workload)
        if follows and real is not None and self.partition is not None and self._one_size_each():
            arrivals = queue_probabilities(self.partition, [(s[0], p) for s, p in self._types])
            limits.append(
                reduced_limit(
                    real.value,
                    real_contents(self.partition, self._largest),
                    tuple(numbers.arrival_rate * share for share in arrivals),
                    rate,
                    self.partition.names,
                    numbers.servers,
                    nominal_contents(self.partition, Fraction(1)),
                )
            )
        limits += stuck_limits(
            self.pools[0][0],
            tuple(numbers.arrival_rate * share for share in self.probabilities),
            rate,
            tuple(str(numbers.amount(value[0])) for value, _ in reversed(self.distribution.atoms)),
            numbers.servers,
            self.fixed_service,
        )
        return tuple(limits)

    def _one_size_each(self) -> bool:
        """Whether no virtual queue has jobs of two sizes."""
        assert self.partition is not None
        queues = [self.partition.type_of(size[0]) for size in self.sizes]
        return len(set(queues)) == len(queues)


def instance_of(scenario: QueueScenario, numbers: QueueNumbers) -> Instance:
    """The input of the programs for *scenario*."""
    means = [mean_slots(item.service) for item in scenario.jobs]
    distribution = numbers.sizes
    if len(set(means)) > 1:
        weights = [share * mean for share, mean in zip(numbers.shares, means, strict=True)]
        distribution = MixedSizes(numbers.class_distributions, [weight / sum(weights) for weight in weights])
    return Instance(
        numbers=numbers,
        distribution=distribution,
        partition=_partition(scenario, numbers),
        fixed_service=len(scenario.jobs) == 1 and isinstance(scenario.jobs[0].service, Fixed),
        one_rate=len(set(means)) == 1,
    )


def _partition(scenario: QueueScenario, numbers: QueueNumbers) -> Partition | None:
    """I with the J of the scenario's policy, or the least J that Theorem 3 requires."""
    if numbers.resources > 1:
        return None
    largest = int(numbers.largest[0])
    shares = [Fraction(pool.capacity[0], largest) for pool in numbers.pools]
    least = LEAST_DEPTH + max(share.denominator.bit_length() - 1 for share in shares)
    given = scenario.policy.parameters.get("j")
    depth = max(default_depth(Fraction(int(numbers.smallest), largest)), least)
    try:
        partition = Partition(given if isinstance(given, int) else depth)
        for share in shares:
            nominal_contents(partition, share)
    except (ScenarioError, ValueError):
        return None
    return partition


def _points(distribution: SizeDistribution) -> dict[int, Fraction]:
    """The sizes of positive probability, in units, and their probabilities."""
    if distribution.atoms:
        return {value[0]: share for value, share in distribution.atoms}
    points: dict[int, Fraction] = {}
    if isinstance(distribution, MixedSizes):
        for part, share in zip(distribution.distributions, distribution.shares, strict=True):
            for size, probability in _points(part).items():
                points[size] = points.get(size, Fraction(0)) + share * probability
    return points
