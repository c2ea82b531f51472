"""Proposition 1: the reduced configurations against all, and where its 2/3 is tight.

Psychas & Ghaderi (2019), Section V.C, (10).  For a partition X that refines I, of the sizes in
(1/2^J, 1], the heaviest configuration of K_RED weighs at least 2/3 of the heaviest one of K^(X).
How much heavier that one can be is

    max over Q >= 0 of  max_{k in K^(X)} <k, Q^(X)>   subject to  <k, Q> <= 1 for all k in K_RED.

Two facts make this a finite search.  In each I_j all jobs may as well be in the cell of the
smallest upper end: it gives the queue VQ_j the same length and leaves the most room.  And the
constraints couple only Q_1 with each other queue, so that for a given Q_1 = q all other lengths
can be the largest allowed at once, min(1 / a_j, (1 - q) / b_j) with a_j e_j and e_1 + b_j e_j in
K_RED.  The largest weight is a maximum of functions that are linear between the q where the
minimum changes sides, so it is reached at one of these q.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Sequence

from slotscope.model.kinds.queue.programs.partition import Partition
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace, integer_rewards

#: What Proposition 1 guarantees.
GUARANTEE = Fraction(2, 3)


@dataclass(frozen=True)
class WorstQueue:
    """A queue for which K_RED is worst against all configurations."""

    depth: int  #: J
    ratio: Fraction  #: the heaviest weight over K_RED divided by that over K^(X); at least 2/3
    configuration: Configuration  #: [2J] the heaviest configuration of K^(X), by virtual queues of I
    queue: tuple[Fraction, ...]  #: [2J] Q, for which K_RED's heaviest weighs 1

    @property
    def tight(self) -> bool:
        """Whether it attains the bound of Proposition 1."""
        return self.ratio == GUARANTEE


def worst_queue(depth: int, ends: Sequence[Fraction] | None = None) -> WorstQueue:
    """Where K_RED is worst against the feasible configurations of a finer partition.

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
            # Queues that the configuration does not serve only add weight to K_RED.
            shown = tuple(q if k else Fraction(0) for k, q in zip(configuration, queue, strict=True))
            best = WorstQueue(depth, 1 / weight, configuration, shown)
    assert best is not None
    return best


def _finest(partition: Partition) -> tuple[ConfigurationSpace, list[int]]:
    """K^(X) of arbitrarily fine X: sizes just above the low ends, so that sums stay below 1.

    The low ends are multiples of 1 / (3 2^J), so that below 1 means at most one such part less.
    """
    lows = [low for low, _ in partition.intervals]
    parts = lcm(*(low.denominator for low in lows))
    sizes = [[int(low * parts)] for low in lows]
    return ConfigurationSpace.from_demands(sizes, [parts - 1]), list(range(partition.queues))


def _refined(partition: Partition, ends: Sequence[Fraction]) -> tuple[ConfigurationSpace, list[int]]:
    """K^(X) of given cells, of which only the smallest end in each interval matters."""
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
    """The lengths Q_1 in [0, 1] at which another queue's longest changes its reason."""
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
