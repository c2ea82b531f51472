"""The universal partition I, its virtual queues, and the reduced configurations K_RED.

Psychas & Ghaderi (2019), Section V.A, (6), and Definition 5, (7).  With depth J the sizes
(1/2^J, 1] fall into the 2J intervals

    I_{2m}   = (2/3 1/2^m, 1/2^m],        m = 0, ..., J-1
    I_{2m+1} = (1/2 1/2^m, 2/3 1/2^m],    m = 0, ..., J-1

so that the right ends belong to them.  Sizes up to 1/2^J join VQ_{2J-1} and are rounded up
to 1/2^J.  Everything here is exact: sizes are fractions of a server, or integers in units of
which the server has *capacity*.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.reporting.letters import subscript

Configuration = tuple[int, ...]
Integers = NDArray[np.int64]
Indices = NDArray[np.int32]

#: The depths J that are allowed.  With J = 1 no configuration of (7) would serve VQ_1.
LEAST_DEPTH, MOST_DEPTH = 2, 20


def check_depth(depth: int) -> None:
    """Refuse a *depth* that may not be J.

    Raises ScenarioError if it is below 2, where VQ_1 could not be served, or above :data:`MOST_DEPTH`.
    """
    if not LEAST_DEPTH <= depth <= MOST_DEPTH:
        why = "; with J = 1 no configuration serves sizes in (1/2, 2/3]" if depth == 1 else ""
        raise ScenarioError(f"found a partition with J = {depth}, allowed: {LEAST_DEPTH} to {MOST_DEPTH}{why}")


def default_depth(smallest: Fraction) -> int:
    """ceil(log2(1 / smallest)), kept within the allowed depths.

    - *smallest*: The smallest possible size, > 0, as a fraction of a (largest) server.  Theorem 3 wants it to be at
      least 1/2^J; sizes below 1/2^20 are rounded up (Corollary 1).

    Raises ValueError if *smallest* is not in (0, 1].
    """
    if not 0 < smallest <= 1:
        raise ValueError(f"found {smallest} as the smallest size; it must be in (0, 1]")
    depth = next((j for j in range(MOST_DEPTH) if smallest * 2**j >= 1), MOST_DEPTH)
    return max(LEAST_DEPTH, depth)


@dataclass(frozen=True)
class Partition:
    """Partition I of depth J, (6).

    - *depth*: J, from 2 to 20.

    Raises ScenarioError if J is not allowed.
    """

    depth: int

    def __post_init__(self) -> None:
        check_depth(self.depth)

    @property
    def queues(self) -> int:
        """2J: how many virtual queues there are."""
        return 2 * self.depth

    @cached_property
    def names(self) -> tuple[str, ...]:
        """[2J] such as ``VQ₃``."""
        return tuple(f"VQ{subscript(j)}" for j in range(self.queues))

    @cached_property
    def intervals(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """[2J] (low, high] of each I_j; the last one's low end is 1/2^J."""
        ends = [*(right_end(j) for j in range(self.queues)), Fraction(1, 2**self.depth)]
        return tuple((ends[j + 1], ends[j]) for j in range(self.queues))

    @cached_property
    def ruler(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """[2J] (low, high] of the sizes that join each queue: the last one's low end is 0."""
        return (*self.intervals[:-1], (Fraction(0), self.intervals[-1][1]))

    def ends_in_units(self, capacity: int) -> list[int]:
        """[2J] the largest integer size of each virtual queue, in falling order."""
        return [int(high.numerator * capacity // high.denominator) for _, high in self.intervals]

    def queue_of(self, sizes: Integers, capacity: int) -> Indices:
        """The virtual queue of each size, compared in integers.

        - *sizes*: [...] from 1 to *capacity*.
        - *capacity*: Of a server, in the same units; any integer that fits in 64 bits.

        Raises ValueError if a size is below 1 or above the capacity.
        """
        _check_sizes(sizes, capacity)
        # s <= x and s <= floor(x) are the same for an integer s; a size belongs to the last
        # queue whose right end it does not exceed.
        ends = np.array(self.ends_in_units(capacity)[:0:-1], np.int64)
        smaller = np.searchsorted(ends, sizes, side="left")
        return np.asarray(self.queues - 1 - smaller, np.int32)

    def room_of(self, sizes: Integers, capacity: int) -> Integers:
        """What jobs of *sizes* [...] take under VQS and VQS-BF: at least capacity / 2^J.

        Raises ValueError if a size is out of range, or is rounded up and capacity / 2^J is no integer.
        """
        _check_sizes(sizes, capacity)
        least, rest = divmod(capacity, 2**self.depth)
        if rest and sizes.size and int(sizes.min()) <= least:
            raise ValueError(f"a capacity of {capacity} units has no part of 1/2^{self.depth}")
        return np.asarray(np.maximum(sizes, least), np.int64)

    def type_of(self, size: Fraction) -> int:
        """The virtual queue of one *size*, a fraction of a server. Raises ValueError if *size* is not in (0, 1]."""
        if not 0 < size <= 1:
            raise ValueError(f"found the size {size}; it must be in (0, 1]")
        return sum(size <= right_end(j) for j in range(1, self.queues))

    @cached_property
    def reduced(self) -> tuple[Configuration, ...]:
        """[4J - 4] K_RED in the order of (7)."""
        return tuple(reduced_configurations(self.depth))


def right_end(j: int) -> Fraction:
    """sup I_j: 1/2^m for j = 2m, 2/3 of it for j = 2m + 1."""
    end = Fraction(1, 2 ** (j // 2))
    return end * Fraction(2, 3) if j % 2 else end


def reduced_configurations(depth: int) -> list[Configuration]:
    """K_RED of Definition 5, (7): 4J - 4 configurations over 2J virtual queues.

    In the printed order, in which ties of (8) go to the first.
    Raises ScenarioError if J is not allowed.
    """
    check_depth(depth)
    alone = [{2 * m: 2**m} for m in range(depth)]
    alone += [{2 * m + 1: 3 * 2 ** (m - 1)} for m in range(1, depth)]
    beside = [{1: 1, 2 * m: 2**m // 3} for m in range(2, depth)]
    beside += [{1: 1, 2 * m + 1: 2 ** (m - 1)} for m in range(1, depth)]
    return [tuple(k.get(j, 0) for j in range(2 * depth)) for k in alone + beside]


def configuration_name(configuration: Sequence[int]) -> str:
    """How many jobs of each virtual queue, as a sum of basis vectors such as ``e₁+2e₅``; 0 if there are none."""
    parts = [f"{count if count > 1 else ''}e{subscript(j)}" for j, count in enumerate(configuration) if count]
    return "+".join(parts) or "0"


def _check_sizes(sizes: Integers, capacity: int) -> None:
    if sizes.size and (int(sizes.min()) < 1 or int(sizes.max()) > capacity):
        raise ValueError(f"found sizes from {sizes.min()} to {sizes.max()} units; allowed: 1 to {capacity}")
