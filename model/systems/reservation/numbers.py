"""The constant numbers of a loss system with slots, taken from a scenario.

What the scenario says in words and units stands here as arrays and rationals; nothing in
here changes while the system runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from model.errors import ScenarioError
from model.exact import common_units
from model.programs.configurations import ConfigurationSpace
from model.scenario.reservation import ReservationScenario


@dataclass(frozen=True, eq=False)
class ReservationNumbers:
    """L servers, J job types, n resources.

    Attributes
    ----------
    servers:
        L.
    space:
        The feasible configurations K (Section 2.2).
    rewards:
        [J] u_j, exact, per time unit of service.
    reward_units:
        [J] u_j as integers, in units of ``reward_unit``.
    demand, capacity:
        [J, n] and [n], integers in a common unit per resource; n = 0 where a set of
        configurations was given instead.
    workload:
        [J] rho_j per server, exact (0 where unknown, as in a trace).
    rates:
        [J] lambda_j per server.
    initial_jobs:
        How many jobs are in service at time 0; they have the numbers before the arrivals'.
    """

    servers: int
    type_names: tuple[str, ...]
    resource_names: tuple[str, ...]
    space: ConfigurationSpace
    rewards: tuple[Fraction, ...]
    reward_units: tuple[int, ...]
    reward_unit: Fraction
    demand: NDArray[np.int64]
    capacity: NDArray[np.int64]
    workload: tuple[Fraction, ...]
    rates: tuple[Fraction, ...]
    priorities: tuple[int, ...]
    initial_jobs: int

    @property
    def types(self) -> int:
        """J."""
        return len(self.type_names)

    @cached_property
    def maximal(self) -> NDArray[np.int64]:
        """[m, J] maximal feasible configurations where the scenario gives them, else [0, J]."""
        if self.demand.shape[1]:
            return np.zeros((0, self.types), np.int64)
        return np.asarray(self.space.maximal(), np.int64)

    @cached_property
    def largest_share(self) -> NDArray[np.float64]:
        """[J] share of a server that a job of each type takes, of its scarcest resource."""
        if self.demand.shape[1]:
            shares: NDArray[np.float64] = (self.demand / self.capacity).max(axis=1)
            return shares
        most = self.maximal.max(axis=0)
        return np.asarray(1.0 / np.maximum(most, 1), np.float64)

    def room_for(self, placement: NDArray[np.int32], job_type: int) -> NDArray[np.bool_]:
        """For each row of *placement* [.., J]: would one more job of the type be feasible?"""
        more = placement.astype(np.int64)
        more[:, job_type] += 1
        if self.demand.shape[1]:
            return np.asarray((more @ self.demand <= self.capacity).all(axis=1))
        below = np.asarray((more[:, None, :] <= self.maximal[None]).all(axis=2))
        return np.asarray(below.any(axis=1))

    def warnings(self) -> tuple[str, ...]:
        """Sentences about what is allowed but may surprise."""
        return tuple(
            f"job_types[{position}] '{name}': found a demand that fits no server; "
            "all its jobs are rejected"
            for position, (name, fits) in enumerate(
                zip(self.type_names, self.space.fits, strict=True)
            )
            if not fits
        )


def numbers_of(scenario: ReservationScenario) -> ReservationNumbers:
    """The constant numbers of a validated scenario.

    Raises
    ------
    ScenarioError
        If amounts or rewards are too far apart for exact integers.
    """
    resources = tuple(scenario.servers.capacity)
    demands, capacities = _amounts(scenario, resources)
    demand, capacity = _scaled(demands, capacities, resources)
    try:
        space = (
            ConfigurationSpace.from_demands(demands, capacities)
            if resources
            else ConfigurationSpace.from_maximal(scenario.servers.configurations)
        )
    except ValueError as error:
        where = "servers.capacity" if resources else "servers.configurations"
        raise ScenarioError(str(error), where=where) from None
    types = scenario.job_types
    try:
        reward_units, reward_unit = common_units([item.reward for item in types])
    except ValueError as error:
        raise ScenarioError(str(error), where="job_types.reward") from None
    return ReservationNumbers(
        servers=scenario.servers.count,
        type_names=tuple(item.name for item in types),
        resource_names=resources,
        space=space,
        rewards=tuple(item.reward for item in types),
        reward_units=tuple(reward_units),
        reward_unit=reward_unit,
        demand=demand,
        capacity=capacity,
        workload=tuple(item.load for item in types),
        rates=tuple(item.rate for item in types),
        priorities=tuple(item.priority for item in types),
        initial_jobs=0,
    )


def _amounts(
    scenario: ReservationScenario, resources: tuple[str, ...]
) -> tuple[list[list[Fraction]], list[Fraction]]:
    units = {name: scenario.unit_of(name) for name in resources}
    capacities = [scenario.servers.capacity[name].in_unit(units[name]) for name in resources]
    demands = [
        [
            item.demand[name].in_unit(units[name]) if name in item.demand else Fraction(0)
            for name in resources
        ]
        for item in scenario.job_types
    ]
    return demands, capacities


def _scaled(
    demands: list[list[Fraction]], capacities: list[Fraction], resources: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    demand = np.zeros((len(demands), len(resources)), np.int64)
    capacity = np.zeros(len(resources), np.int64)
    for column, name in enumerate(resources):
        values = [row[column] for row in demands] + [capacities[column]]
        try:
            integers, _ = common_units(values)
        except ValueError as error:
            raise ScenarioError(str(error), where=f"servers.capacity.{name}") from None
        demand[:, column] = integers[:-1]
        capacity[column] = integers[-1]
    return demand, capacity
