"""The constants of a loss system with slots, from a scenario.

The quantities of the scenario are converted to arrays and rationals, which do not change during a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from typing import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.exact import common_units
from slotscope.model.kinds.reservation.programs.greedy import global_greedy
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace
from slotscope.model.scenario.common import PoissonArrivals
from slotscope.model.scenario.fields import Quantity


@dataclass(frozen=True, eq=False)
class Pool:
    """Identical servers: numbers *first* to *first* + *count* - 1.

    ``capacity`` is [n] in the units of the demands, ``space`` the feasible configurations of a server.
    """

    name: str
    first: int
    count: int
    capacity: NDArray[np.int64]
    space: ConfigurationSpace


@dataclass(frozen=True, eq=False)
class ReservationNumbers:
    """L servers in P pools, J job types, n resources."""

    servers: int  #: L
    type_names: tuple[str, ...]
    resource_names: tuple[str, ...]
    pools: tuple[Pool, ...]  #: [P] the pools of servers (Section 9); a single one in the paper's system
    #: the feasible configurations K (Section 2.2); with several pools, those of a server with the largest capacity of
    #: each resource over the pools, which include the configurations of every pool
    space: ConfigurationSpace
    rewards: tuple[Fraction, ...]  #: [J] u_j, exact, per unit of time in service
    reward_units: tuple[int, ...]  #: [J] u_j as integers, in units of ``reward_unit``
    reward_unit: Fraction
    #: demand, capacity: [J, n] and [n], integers in a common unit per resource; n = 0 if a set of configurations was
    #: given instead.  With several pools ``capacity`` is the largest over the pools.
    demand: NDArray[np.int64]
    capacity: NDArray[np.int64]
    workload: tuple[Fraction, ...]  #: [J] rho_j per server, exact (0 if unknown, as for a trace)
    rates: tuple[Fraction, ...]  #: [J] lambda_j per server
    priorities: tuple[int, ...]
    initial_jobs: int  #: the number of jobs in service at time 0, whose numbers precede those of the arrivals
    seed: int  #: the seed of the scenario, for policies that choose at random

    @cached_property
    def types(self) -> int:
        """J, the number of job types."""
        return len(self.type_names)

    @cached_property
    def ranks(self) -> int:
        """The largest number of configurations that GPA can return: J, plus one for each further pool."""
        return self.types + len(self.pools) - 1

    @cached_property
    def pool_of(self) -> NDArray[np.int32]:
        """[L] the pool of each server."""
        counts = [pool.count for pool in self.pools]
        return np.repeat(np.arange(len(counts), dtype=np.int32), counts)

    @cached_property
    def capacities(self) -> NDArray[np.int64]:
        """[L, n] the capacity of each server."""
        return np.asarray(np.array([pool.capacity for pool in self.pools])[self.pool_of])

    @cached_property
    def _most_before(self) -> NDArray[np.int64]:
        """[J, n, L] the largest use of each server at which one more job of a type fits."""
        return np.ascontiguousarray(self.capacities.T - self.demand[:, :, None])

    @cached_property
    def _demand_by_resource(self) -> NDArray[np.int64]:
        """[n, J] the demands by resource, so that the use of one resource on all servers is contiguous in memory."""
        return np.ascontiguousarray(self.demand.T)

    @cached_property
    def fitting(self) -> int:
        """The job types that fit some server, as a bit set."""
        fits_any = zip(*(pool.space.fits for pool in self.pools), strict=True)
        return sum(1 << j for j, fits in enumerate(fits_any) if any(fits))

    @property
    def pool_shares(self) -> tuple[tuple[ConfigurationSpace, Fraction], ...]:
        """[P] the feasible configurations of each pool, and its share of the servers."""
        return tuple((pool.space, Fraction(pool.count, self.servers)) for pool in self.pools)

    def space_of(self, server: int) -> ConfigurationSpace:
        """The feasible configurations of a server."""
        return self.pools[int(self.pool_of[server])].space

    @cached_property
    def maximal(self) -> NDArray[np.int64]:
        """[m, J] the maximal feasible configurations if the scenario gives them, otherwise [0, J]."""
        if self.demand.shape[1]:
            return np.zeros((0, self.types), np.int64)
        return np.asarray(self.space.maximal(), np.int64)

    @cached_property
    def greedy_set(self) -> tuple[Configuration, ...]:
        """The configurations of the global greedy assignment of the workload, at most J.

        Psychas & Ghaderi (2022), Definition 5, for one pool; empty if the workload is unknown.
        """
        if not any(self.workload) or len(self.pools) > 1:
            return ()
        greedy = global_greedy(self.space, self.rewards, self.workload)
        return greedy.configurations[: len(greedy.permutation)]

    @cached_property
    def size_units(self) -> tuple[int, ...]:
        """[J] the size of a job, its share of its scarcest resource, in a common unit for all types.

        It is 0 for a type that fits no server.
        """
        if self.demand.shape[1]:
            sizes = [
                max(Fraction(int(need), int(has)) for need, has in zip(row, self.capacity, strict=True))
                for row in self.demand
            ]
        else:
            most = [int(slots) for slots in self.maximal.max(axis=0)]
            sizes = [Fraction(1, slots) if slots else Fraction(0) for slots in most]
        fitting = [size if fits else Fraction(0) for size, fits in zip(sizes, self.space.fits, strict=True)]
        return tuple(common_units(fitting)[0])

    @cached_property
    def largest_share(self) -> NDArray[np.float64]:
        """[J] the share of a server's scarcest resource that a job of each type takes."""
        if self.demand.shape[1]:
            shares: NDArray[np.float64] = (self.demand / self.capacity).max(axis=1)
            return shares
        most = self.maximal.max(axis=0)
        return np.asarray(1.0 / np.maximum(most, 1), np.float64)

    def room_for(
        self, placement: NDArray[np.int32], job_type: int, servers: NDArray[np.integer] | slice = slice(None)
    ) -> NDArray[np.bool_]:
        """Whether one more job of the type is feasible on each of *servers*, which have *placement* [.., J].

        By default *servers* are all L servers.
        """
        if self.demand.shape[1]:
            within = self._most_before[job_type][:, servers] >= self._demand_by_resource @ placement.T
            return np.asarray(reduce(np.logical_and, within))  # much faster than a reduction along short rows
        more = placement.astype(np.int64)
        more[:, job_type] += 1
        below = np.asarray((more[:, None, :] <= self.maximal[None]).all(axis=2))
        return np.asarray(below.any(axis=1))

    def holds_one_more(self, placement: NDArray[np.int32], job_type: int, server: int) -> bool:
        """Whether one more job of the type is feasible on *server*, which has *placement* [J]."""
        return _holds_one_more(self, placement.tobytes(), job_type, self.pool_of.item(server))

    def warnings(self) -> tuple[str, ...]:
        """Sentences on properties of the scenario that are allowed but may be unintended."""
        return tuple(
            f"job_types[{position}] '{name}': found a demand that fits no server; all its jobs are rejected"
            for position, (name, fits) in enumerate(zip(self.type_names, self.space.fits, strict=True))
            if not fits
        )


@lru_cache(maxsize=4096)
def _holds_one_more(numbers: ReservationNumbers, placement: bytes, job_type: int, pool: int) -> bool:
    server = int(np.searchsorted(numbers.pool_of, pool))  # any server of the pool
    row = np.frombuffer(placement, np.int32)[None]
    return bool(numbers.room_for(row, job_type, slice(server, server + 1))[0])


def numbers_of(scenario: ReservationScenario) -> ReservationNumbers:
    """The constant numbers of a validated scenario.

    Raises ScenarioError if amounts or rewards differ too much in magnitude for exact integers.
    """
    resources = tuple(scenario.servers.capacity)
    pools, demand = _pools(scenario, resources)
    capacity = np.max([pool.capacity for pool in pools], axis=0)
    space = pools[0].space
    if len(pools) > 1:
        space = ConfigurationSpace.from_demands(demand.tolist(), capacity.tolist())
    types = scenario.job_types
    scale = scenario.workload.scale if isinstance(scenario.workload, PoissonArrivals) else Fraction(1)
    try:
        reward_units, reward_unit = common_units([item.reward for item in types])
    except ValueError as error:
        raise ScenarioError(str(error), where="job_types.reward") from None
    return ReservationNumbers(
        servers=scenario.servers.total,
        type_names=tuple(item.name for item in types),
        resource_names=resources,
        pools=pools,
        space=space,
        rewards=tuple(item.reward for item in types),
        reward_units=tuple(reward_units),
        reward_unit=reward_unit,
        demand=demand,
        capacity=capacity,
        workload=tuple(scale * item.load for item in types),
        rates=tuple(scale * item.rate for item in types),
        priorities=tuple(item.priority for item in types),
        initial_jobs=0,
        seed=scenario.seed,
    )


def _pools(scenario: ReservationScenario, resources: tuple[str, ...]) -> tuple[tuple[Pool, ...], NDArray[np.int64]]:
    """The pools, and the demands [J, n] in the units of the pools' capacities."""
    servers = scenario.servers
    kinds = [("", servers.count, servers.capacity, "servers.capacity")]
    kinds += [
        (pool.name, pool.count, pool.capacity, f"servers.pools[{position}].capacity")
        for position, pool in enumerate(servers.pools)
    ]
    demand, capacities = _scaled(scenario, resources, [capacity for _, _, capacity, _ in kinds])
    pools: list[Pool] = []
    for (name, count, _, where), capacity in zip(kinds, capacities, strict=True):
        try:
            space = (
                ConfigurationSpace.from_demands(demand.tolist(), capacity.tolist())
                if resources
                else ConfigurationSpace.from_maximal(servers.configurations)
            )
        except ValueError as error:
            place = where if resources else "servers.configurations"
            raise ScenarioError(str(error), where=place) from None
        first = pools[-1].first + pools[-1].count if pools else 0
        pools.append(Pool(name, first, count, capacity, space))
    return tuple(pools), demand


def _scaled(
    scenario: ReservationScenario, resources: tuple[str, ...], capacities: Sequence[Mapping[str, Quantity]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Demands [J, n] and capacities [P, n] as integers in one unit per resource."""
    types = len(scenario.job_types)
    table = np.zeros((types + len(capacities), len(resources)), np.int64)
    nothing = Quantity((Fraction(0), ""))
    for column, name in enumerate(resources):
        unit = scenario.unit_of(name)
        amounts = [item.demand.get(name, nothing) for item in scenario.job_types]
        amounts += [capacity[name] for capacity in capacities]
        try:
            table[:, column] = common_units([amount.in_unit(unit) for amount in amounts])[0]
        except ValueError as error:
            raise ScenarioError(str(error), where=f"servers.capacity.{name}") from None
    return table[:types], table[types:]
