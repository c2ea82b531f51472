"""The virtual queues of a policy, and the room on a server that it accounts for a job of a given size."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Indices = NDArray[np.int32]


class QueueLayout(Protocol):
    """The virtual queues of a policy, VQ_0 to VQ_{V-1}."""

    queues: int  #: V
    names: tuple[str, ...]  #: [V] the name of each queue

    def queue_of(self, sizes: Integers) -> Indices:
        """[n] the virtual queue of jobs of *sizes* [n, D], in units."""

    def room_of(self, sizes: Integers) -> Integers:
        """[n, D] the units that jobs of *sizes* [n, D] take on a server."""


class OneQueue:
    """All jobs wait in one queue and take their true sizes."""

    queues = 1
    names: tuple[str, ...] = ("queue",)

    def queue_of(self, sizes: Integers) -> Indices:
        """See :class:`QueueLayout`."""
        return np.zeros(len(sizes), np.int32)

    def room_of(self, sizes: Integers) -> Integers:
        """See :class:`QueueLayout`."""
        return sizes


class Containers:
    """One queue; a job takes whole containers, of which the largest server has *count*.

    - *count*: Containers of a largest server.
    - *largest*: [D] units of a largest server.
    """

    queues = 1
    names: tuple[str, ...] = ("queue",)

    def __init__(self, count: int, largest: Integers) -> None:
        self._ends = [
            np.array([number * int(units) // count for number in range(count + 1)], np.int64) for units in largest
        ]

    def queue_of(self, sizes: Integers) -> Indices:
        """See :class:`QueueLayout`."""
        return np.zeros(len(sizes), np.int32)

    def room_of(self, sizes: Integers) -> Integers:
        """See :class:`QueueLayout`; the resource that needs the most containers determines their number."""
        pairs = list(zip(self._ends, sizes.T, strict=True))
        containers = np.max([np.searchsorted(ends, needed) for ends, needed in pairs], axis=0)
        return np.column_stack([ends[containers] for ends in self._ends])


class OneForEachSize:
    """A virtual queue for each of finitely many sizes.

    - *values*: [V, D] the distinct sizes in units.
    - *names*: [V] the name of each queue.
    """

    def __init__(self, values: Integers, names: tuple[str, ...]) -> None:
        self.queues = len(values)
        self.names = names
        order = np.lexsort(values.T[::-1])
        self._order = order.astype(np.int32)
        self._sorted = np.ascontiguousarray(values[order])

    def queue_of(self, sizes: Integers) -> Indices:
        """See :class:`QueueLayout`; the sizes must be among the values."""
        places = np.zeros(len(sizes), np.int64)
        found = np.zeros(len(sizes), np.bool_)
        for place, value in enumerate(self._sorted):
            mine = (sizes == value).all(axis=1)
            places[mine], found = place, found | mine
        if not found.all():
            raise ValueError(f"no virtual queue for the size {sizes[~found][0].tolist()}")
        return self._order[places]

    def room_of(self, sizes: Integers) -> Integers:
        """See :class:`QueueLayout`."""
        return sizes
