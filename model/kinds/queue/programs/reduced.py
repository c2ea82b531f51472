"""The capacity region of K_RED, and what its configurations really hold.

Psychas & Ghaderi (2019), Section V.A-C.  VQS chooses among the configurations of K_RED, which
are feasible when every size is rounded up to the end of its interval.  Two workloads follow,
both along the direction P^(I) of arrivals to the virtual queues, and both the value of (4) over
a set of configurations that is listed:

- over K_RED itself: VQS is stable below it (Theorem 3's proof), and it is at least 2/3 rho*
  where no size is below 1/2^J;
- over what the configurations hold when sizes are not rounded ("no more jobs can fit", step
  (ii)): floor(1/r) jobs of a queue whose largest size is r, or floor((1/3)/r) of them beside
  the 2/3 that k_1 = 1 reserves.  Where every queue has one size, VQS is not stable above it.

Servers of a pool that has 1/2^a of the largest capacity use K_RED of depth J - a, shifted by 2a
queues, because I_{j+2a} is I_j divided by 2^a (Section VIII).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Sequence

from slotscope.model.kinds.queue.programs.partition import LEAST_DEPTH, Partition, reduced_configurations
from slotscope.model.kinds.queue.programs.supportable import PoolOfServers, SupportableWorkload, supportable
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace

#: A server that k_1 = 1 leaves to the other queue.
THIRD = Fraction(1, 3)

#: How many servers have which capacity, as a share of the largest.
Capacities = Sequence[tuple[Fraction, int]]

ONE_SERVER: Capacities = ((Fraction(1), 1),)


def reduced_supportable(
    partition: Partition, probabilities: Sequence[Fraction], capacities: Capacities = ONE_SERVER
) -> SupportableWorkload:
    """The largest rho with rho P^(I) in the region of K_RED.

    - *partition*: I.
    - *probabilities*: [2J] P^(I)_j, as :func:`queue_probabilities` gives them.
    - *capacities*: [P] each pool's capacity, the largest being 1, and its servers.

    Raises ValueError if a capacity is not a power of 1/2, or J is too small for it.
    """
    return supportable([_pool(nominal_contents(partition, share), count) for share, count in capacities], probabilities)


def real_supportable(
    partition: Partition,
    probabilities: Sequence[Fraction],
    largest: Sequence[Fraction],
    capacities: Capacities = ONE_SERVER,
) -> SupportableWorkload:
    """The same over what the configurations hold of jobs as large as *largest* [2J].

    Raises ValueError as for :func:`reduced_supportable`.
    """
    return supportable(
        [_pool(real_contents(partition, largest, share), count) for share, count in capacities], probabilities
    )


def queue_probabilities(partition: Partition, types: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, ...]:
    """[2J] P^(I) of finitely many *types* (size as a share of a largest server, probability)."""
    shares = [Fraction(0)] * partition.queues
    for size, probability in types:
        shares[partition.type_of(size)] += probability
    return tuple(shares)


def largest_sizes(partition: Partition, sizes: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """[2J] the room that the largest of *sizes* in each virtual queue takes.

    Where a queue gets no job it is the end of its interval; sizes below 1/2^J count as 1/2^J.
    """
    found = [Fraction(0)] * partition.queues
    for size in sizes:
        queue = partition.type_of(size)
        found[queue] = max(found[queue], size, Fraction(1, 2**partition.depth))
    return tuple(size or high for size, (_, high) in zip(found, partition.intervals, strict=True))


def nominal_contents(partition: Partition, capacity: Fraction) -> list[Configuration]:
    """K_RED as servers of *capacity* (a share of the largest) use it, over all 2J queues.

    Raises ValueError if *capacity* is not a power of 1/2, or J is too small for it.
    """
    halvings = capacity.denominator.bit_length() - 1
    if capacity != Fraction(1, 2**halvings):
        raise ValueError(f"found servers of {capacity} of the largest capacity; K_RED needs 1/2, 1/4, 1/8, ...")
    if partition.depth - halvings < LEAST_DEPTH:
        raise ValueError(
            f"found J = {partition.depth} with servers of {capacity} of the largest "
            f"capacity; J must be at least {halvings + LEAST_DEPTH}"
        )
    shifted = (0,) * (2 * halvings)
    return [shifted + k for k in reduced_configurations(partition.depth - halvings)]


def real_contents(
    partition: Partition, largest: Sequence[Fraction], capacity: Fraction = Fraction(1)
) -> list[Configuration]:
    """What each configuration of K_RED holds of jobs as large as *largest* [2J].

    In the order of :func:`nominal_contents`; never less than the configuration itself.
    Raises ValueError as for :func:`nominal_contents`.
    """
    first = 2 * (capacity.denominator.bit_length() - 1)
    held = []
    for configuration in nominal_contents(partition, capacity):
        other = next(j for j, count in enumerate(configuration) if count and j != first + 1)
        room = capacity * (THIRD if configuration[first + 1] else 1)
        content = list(configuration)
        content[other] = int(room // largest[other])
        held.append(tuple(content))
    return held


def _pool(contents: Sequence[Configuration], count: int) -> PoolOfServers:
    return ConfigurationSpace.from_maximal(contents), count
