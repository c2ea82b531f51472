"""The capacity region of K_RED, and of what its configurations really hold.

Psychas & Ghaderi (2019), Section V.A-C.  VQS chooses among the configurations of K_RED, which
are feasible if every size is rounded up to the end of its interval.  Two supportable workloads are
computed in the direction P^(I) of the arrivals to the virtual queues, each as the value of (4) over a
list of configurations:

- over K_RED itself: VQS is stable below this workload (Theorem 3's proof), which is at least 2/3 rho*
  if no size is below 1/2^J;
- over what the configurations hold if sizes are not rounded ("no more jobs can fit", step
  (ii)): floor(1/r) jobs of a queue whose largest size is r, or floor((1/3)/r) of them beside
  the 2/3 that k_1 = 1 reserves.  If every queue has a single size, VQS is unstable above this workload.

Servers of a pool that has 1/2^a of the largest capacity use K_RED of depth J - a, shifted by 2a
queues, because I_{j+2a} is I_j divided by 2^a (Section VIII).

**Proposition 1** (Section V.C, (10)) compares the reduced configurations with all feasible ones.  For a
partition X of (1/2^J, 1] that refines I, the maximum weight over K_RED is at least 2/3 of that over
K^(X).  The largest ratio of the latter to the former, which shows where the 2/3 is tight, is

    max over Q >= 0 of  max_{k in K^(X)} <k, Q^(X)>   subject to  <k, Q> <= 1 for all k in K_RED.

Two facts make this a finite search.  First, in each I_j all jobs may be assumed to be in the cell with
the smallest upper end, which gives VQ_j the same length and leaves the most room.  Second, the
constraints couple each other queue only with Q_1, so that for a given Q_1 = q all other lengths can
be at their maxima min(1 / a_j, (1 - q) / b_j) at once, with a_j e_j and e_1 + b_j e_j in K_RED.
The largest weight is a maximum of functions that are linear between the q at which such a minimum
switches from one term to the other, so that it is attained at one of these q.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Sequence

from slotscope.model.kinds.queue.programs.partition import LEAST_DEPTH, Partition, reduced_configurations
from slotscope.model.kinds.queue.programs.supportable import PoolOfServers, SupportableWorkload, supportable
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace, integer_rewards

#: The share of a server that k_1 = 1 leaves to the other queue.
THIRD = Fraction(1, 3)

#: Pairs of a capacity, as a share of the largest, and the number of servers that have it.
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
    """The largest rho supportable by what the configurations of K_RED really hold of jobs as large as *largest* [2J].

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

    For a queue without jobs it is the end of its interval; sizes below 1/2^J count as 1/2^J.
    """
    found = [Fraction(0)] * partition.queues
    for size in sizes:
        queue = partition.type_of(size)
        found[queue] = max(found[queue], size, Fraction(1, 2**partition.depth))
    return tuple(size or high for size, (_, high) in zip(found, partition.intervals, strict=True))


def nominal_contents(partition: Partition, capacity: Fraction) -> list[Configuration]:
    """K_RED for servers of *capacity* (a share of the largest), over all 2J queues.

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
    """The number of jobs as large as *largest* [2J] that each configuration of K_RED holds.

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


#: The guarantee of Proposition 1.
GUARANTEE = Fraction(2, 3)


@dataclass(frozen=True)
class WorstQueue:
    """Queue lengths for which K_RED is worst compared with all feasible configurations."""

    depth: int  #: J
    ratio: Fraction  #: the maximum weight over K_RED divided by that over K^(X); at least 2/3
    configuration: Configuration  #: [2J] the configuration of maximum weight of K^(X), by virtual queues of I
    queue: tuple[Fraction, ...]  #: [2J] Q, scaled so that the maximum weight over K_RED is 1

    @property
    def tight(self) -> bool:
        """Whether the ratio attains the bound of Proposition 1."""
        return self.ratio == GUARANTEE


def worst_queue(depth: int, ends: Sequence[Fraction] | None = None) -> WorstQueue:
    """The queue lengths for which K_RED is worst compared with the feasible configurations of a finer partition.

    - *depth*: J.
    - *ends*: The right ends of the cells of X, fractions of a server in (1/2^J, 1].  None: the smallest ratio over
      all partitions X that refine I.

    Raises ScenarioError if J is not allowed; ValueError if an end is not in (1/2^J, 1], or a search is too long.
    """
    partition = Partition(depth)
    space, places = _finest(partition) if ends is None else _refined(partition, ends)
    best: WorstQueue | None = None
    for first in critical_lengths(partition):
        queue = longest_queues(partition, first)
        lengths, unit = integer_rewards([queue[j] for j in places])
        found = space.heaviest(lengths)
        weight = unit * sum(k * q for k, q in zip(found, lengths, strict=True))
        if best is None or 1 / weight < best.ratio:
            by_queue = dict(zip(places, found, strict=True))
            configuration = tuple(by_queue.get(j, 0) for j in range(partition.queues))
            # Queues that the configuration does not serve only add to the weight of K_RED.
            shown = tuple(q if k else Fraction(0) for k, q in zip(configuration, queue, strict=True))
            best = WorstQueue(depth, 1 / weight, configuration, shown)
    assert best is not None
    return best


def _finest(partition: Partition) -> tuple[ConfigurationSpace, list[int]]:
    """K^(X) for arbitrarily fine X: sizes are just above the low ends, so that the low ends must add up to below 1.

    The low ends are multiples of 1 / (3 2^J), so that below 1 means at most 1 - 1 / (3 2^J).
    """
    lows = [low for low, _ in partition.intervals]
    parts = lcm(*(low.denominator for low in lows))
    sizes = [[int(low * parts)] for low in lows]
    return ConfigurationSpace.from_demands(sizes, [parts - 1]), list(range(partition.queues))


def _refined(partition: Partition, ends: Sequence[Fraction]) -> tuple[ConfigurationSpace, list[int]]:
    """K^(X) for cells with the given *ends*, of which only the smallest in each interval matters."""
    lowest = Fraction(1, 2**partition.depth)
    smallest: dict[int, Fraction] = {}
    for end in ends:
        if not lowest < end <= 1:
            raise ValueError(f"found the end {end} of a cell; it must be in ({lowest}, 1]")
        queue = partition.type_of(end)
        smallest[queue] = min(end, smallest.get(queue, end))
    places = sorted(smallest)
    return ConfigurationSpace.from_demands([[smallest[j]] for j in places], [1]), places


def critical_lengths(partition: Partition) -> list[Fraction]:
    """The values of Q_1 in [0, 1] at which the binding constraint on the length of another queue changes."""
    alone, beside = _bounds(partition)
    found = {Fraction(0), Fraction(1)}
    found |= {1 - Fraction(b, alone[j]) for j, b in beside.items() if b <= alone[j]}
    return sorted(found)


def longest_queues(partition: Partition, first: Fraction) -> tuple[Fraction, ...]:
    """[2J] Q with Q_1 = *first* and all others as long as <k, Q> <= 1 on K_RED allows."""
    alone, beside = _bounds(partition)
    lengths = [first] * partition.queues
    for j, count in alone.items():
        lengths[j] = Fraction(1, count)
        if j in beside:
            lengths[j] = min(lengths[j], (1 - first) / beside[j])
    return tuple(lengths)


def _bounds(partition: Partition) -> tuple[dict[int, int], dict[int, int]]:
    """a_j of a_j e_j and b_j of e_1 + b_j e_j in K_RED."""
    alone: dict[int, int] = {}
    beside: dict[int, int] = {}
    for configuration in partition.reduced:
        other = next(j for j, count in enumerate(configuration) if count and j != 1)
        (beside if configuration[1] else alone)[other] = configuration[other]
    return alone, beside
