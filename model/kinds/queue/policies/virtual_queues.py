"""The virtual queues of partition I and the configurations of K_RED, for the servers of all pools.

Reference
    Psychas & Ghaderi (2019), (6) and (7); servers that differ by powers of two: Section VIII.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.queue.layout import Integers, QueueLayout
from slotscope.model.kinds.queue.numbers import QueueNumbers
from slotscope.model.kinds.queue.programs.partition import (
    LEAST_DEPTH,
    Partition,
    configuration_name,
    default_depth,
    reduced_configurations,
)


class PartitionLayout:
    """The virtual queues of partition I; sizes below 1/2^J are rounded up to 1/2^J if *rounds* is set."""

    def __init__(self, partition: Partition, capacity: int, rounds: bool) -> None:
        self.queues = partition.queues
        self.names = partition.names
        self._partition = partition
        self._capacity = capacity
        self._rounds = rounds

    def queue_of(self, sizes: Integers) -> NDArray[np.int32]:
        """See :class:`model.kinds.queue.layout.QueueLayout`."""
        return self._partition.queue_of(sizes[:, 0], self._capacity)

    def room_of(self, sizes: Integers) -> Integers:
        """See :class:`model.kinds.queue.layout.QueueLayout`."""
        if not self._rounds:
            return sizes
        return self._partition.room_of(sizes[:, 0], self._capacity)[:, None]


class VirtualQueues(NamedTuple):
    """The virtual queues and configurations of a policy over partition I: V = 2 J queues, C configurations, P pools."""

    depth: int
    layout: QueueLayout
    intervals: tuple[tuple[int, int], ...]
    configurations: NDArray[np.int32]  #: [C, V]
    names: tuple[str, ...]  #: [C]
    pools: tuple[tuple[int, int], ...]  #: [P] (start, stop)
    first_odd: NDArray[np.int32]  #: [C]
    other: NDArray[np.int32]  #: [C]


def virtual_queues(numbers: QueueNumbers, depth: int | None, rounds: bool) -> VirtualQueues:
    """The virtual queues and configurations for the servers of *numbers*.

    - *depth*: J; None: the least J for which the smallest size is at least 1/2^J.
    - *rounds*: Whether jobs smaller than 1/2^J take 1/2^J of a largest server.

    Raises ValueError if there are several resources, a server's capacity is not that of the largest divided by a
    power of two, or J is too small for the smallest servers.
    """
    if numbers.resources > 1:
        raise ValueError(
            f"found {numbers.resources} resources, allowed for virtual queues: one; "
            "use bf-js, or map the sizes to their largest"
        )
    largest = int(numbers.largest[0])
    halvings = [_halvings(largest, int(pool.capacity[0]), pool.name) for pool in numbers.pools]
    least = max(halvings) + LEAST_DEPTH
    if depth is None:
        depth = max(default_depth(Fraction(int(numbers.smallest), largest)), least)
    elif depth < least:
        raise ValueError(
            f"found j = {depth} with servers of 1/{2 ** max(halvings)} of the "
            f"largest capacity, allowed: at least {least}"
        )
    partition = Partition(depth)
    rows: list[tuple[int, ...]] = []
    odd: list[int] = []
    pools = []
    for skipped in (2 * count for count in halvings):
        own = reduced_configurations(depth - skipped // 2)
        pools.append((len(rows), len(rows) + len(own)))
        rows += [(0,) * skipped + row for row in own]
        odd += [skipped + 1] * len(own)
    other = [_other(row, queue) for row, queue in zip(rows, odd, strict=True)]
    intervals = tuple((int(low * largest), int(high * largest)) for low, high in partition.ruler)
    return VirtualQueues(
        depth,
        PartitionLayout(partition, largest, rounds),
        intervals,
        np.array(rows, np.int32),
        tuple(configuration_name(row) for row in rows),
        tuple(pools),
        np.array(odd, np.int32),
        np.array(other, np.int32),
    )


def _other(row: tuple[int, ...], odd: int) -> int:
    """The queue with k_j > 0 that is not VQ_1."""
    return next(queue for queue, count in enumerate(row) if count and queue != odd)


def _halvings(largest: int, capacity: int, name: str) -> int:
    """The exponent a for which a capacity is the largest capacity divided by 2^a."""
    ratio = Fraction(largest, capacity)
    halvings = ratio.numerator.bit_length() - 1
    if ratio != 2**halvings:
        raise ValueError(
            f"found servers ({name}) of 1/({ratio}) of the largest capacity, allowed "
            "for virtual queues: 1/2, 1/4, 1/8, ..."
        )
    return halvings
