"""The load of a server as an integer, so that servers can be compared exactly.

The load of a server is the largest used share over its resources.  With a common
denominator it is an integer: the largest of n sums of the jobs' weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import lcm
from typing import Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.numbers import ReservationNumbers

#: Upper bound on sums of loads, so that they fit into 64 bits.
LOAD_BOUND = 2**62


@dataclass(frozen=True, eq=False)
class LoadMeasure:
    """Loads in units of 1/``full`` of a server."""

    #: [P, J, m] what a job of each type, on a server of each pool, adds to each of the m sums of which the largest is
    #: the load; 0 for a type that fits no server
    by_pool: NDArray[np.int64]
    pool_of: NDArray[np.int32]  #: [L] the pool of each server
    full: int  #: the load of a server on which some resource is used up

    @property
    def weights(self) -> NDArray[np.int64]:
        """[J, m] what a job of each type adds to the sums on a server of the first pool."""
        return np.asarray(self.by_pool[0])

    def of(self, placement: NDArray[np.integer], servers: Sequence[int] | NDArray[np.integer]) -> NDArray[np.int64]:
        """[s] the loads of *servers* [s] with the jobs *placement* [s, J]."""
        if len(self.by_pool) == 1:
            sums = placement @ self.weights
        else:
            sums = np.einsum("sj,sjm->sm", placement, self.by_pool[self.pool_of[np.asarray(servers)]])
        return np.asarray(reduce(np.maximum, sums.T))  # much faster than along short rows


def load_measure(numbers: ReservationNumbers) -> LoadMeasure:
    """The load measure of a system's servers.

    If demands and a capacity are given, there is one sum for each resource.  If only maximal
    configurations are given, there is a single sum, in which a job of type j counts as 1/K_j of a
    server, with K_j the largest number of jobs of its type that fit alone.
    Raises ValueError if the common denominator is beyond 64 bits.
    """
    if numbers.demand.shape[1]:
        rooms = [[int(room) for room in pool.capacity] for pool in numbers.pools]
        wanted = [[int(amount) for amount in row] for row in numbers.demand]
    else:
        rooms = [[max(int(most), 1) for most in numbers.maximal.max(axis=0)]]
        wanted = [[int(i == j) for i in range(numbers.types)] for j in range(numbers.types)]
    full = lcm(*(part for parts in rooms for part in parts if part))
    rows = [
        [
            [amount * full // part if part and fits else 0 for amount, part in zip(row, parts, strict=True)]
            for row, fits in zip(wanted, numbers.space.fits, strict=True)
        ]
        for parts in rooms
    ]
    if not numbers.demand.shape[1]:
        rows = [[[sum(row)] for row in pool] for pool in rows]
    if full * max(len(rooms[0]), 2) >= LOAD_BOUND:
        raise ValueError(
            f"found servers whose loads need the common denominator {full}, allowed: one below "
            "10^18: write the capacities with fewer digits"
        )
    return LoadMeasure(np.array(rows, np.int64), numbers.pool_of, full)
