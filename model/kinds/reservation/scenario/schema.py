"""Scenarios of the loss system with slots (Psychas & Ghaderi 2022, Section 2)."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from slotscope.model.scenario.common import (
    MOST_SERVERS,
    MOST_TYPES,
    Exponential,
    PoissonArrivals,
    PolicyChoice,
    ResourceScenario,
    Service,
    TraceWorkload,
    Workload,
    check_pools,
)
from slotscope.model.scenario.fields import Amount, Name, NotNegative, Resource, Section, Whole, refuse_duplicates


class JobType(Section):
    """A job type: demand per resource, reward u_j per unit of time in service, and traffic.

    ``workload`` is rho_j = lambda_j / mu_j per server, ``arrival_rate`` is lambda_j per
    server; one of the two is given for Poisson arrivals.
    """

    name: Name
    demand: dict[Name, Amount] = Field(default_factory=dict)
    reward: NotNegative
    workload: NotNegative | None = None
    arrival_rate: NotNegative | None = None
    priority: Whole = Field(default=0, ge=0, le=100)
    service: Service = Exponential()

    @model_validator(mode="after")
    def _one_of_workload_and_rate(self) -> Self:
        if self.workload is not None and self.arrival_rate is not None:
            raise ValueError("found workload and arrival_rate, allowed: one of them")
        return self

    @property
    def load(self) -> Fraction:
        """rho_j, per server (0 if neither workload nor rate is given)."""
        if self.workload is not None:
            return self.workload
        return (self.arrival_rate or Fraction(0)) * self.service.mean

    @property
    def rate(self) -> Fraction:
        """lambda_j, per server and unit of time."""
        if self.arrival_rate is not None:
            return self.arrival_rate
        return (self.workload or Fraction(0)) / self.service.mean


class PoolOfServers(Section):
    """Further servers: their number, and the capacity of each for every resource."""

    name: Name
    count: Whole = Field(ge=1, le=MOST_SERVERS)
    capacity: dict[Name, Amount]


class ServersSection(Section):
    """The servers: their number, and the capacity of each.

    Either a capacity per resource, or the maximal members of a monotone set of feasible
    configurations (Section 2.2: demands need not be additive).  ``pools`` are further servers
    with other capacities (Section 9); they are numbered after these.
    """

    count: Whole = Field(ge=1, le=MOST_SERVERS)
    capacity: dict[Name, Amount] = Field(default_factory=dict)
    configurations: tuple[tuple[Annotated[Whole, Field(ge=0, le=10_000)], ...], ...] = ()
    pools: tuple[PoolOfServers, ...] = ()

    @property
    def total(self) -> int:
        """L: the number of servers in all pools."""
        return self.count + sum(pool.count for pool in self.pools)

    @model_validator(mode="after")
    def _one_of_capacity_and_configurations(self) -> Self:
        if bool(self.capacity) == bool(self.configurations):
            given = "both" if self.capacity else "neither"
            raise ValueError(f"found {given} of capacity and configurations, allowed: one of them")
        if self.pools and self.configurations:
            raise ValueError("found pools and configurations, allowed: pools with a capacity each")
        check_pools(self.total, self.capacity, [(pool.name, pool.capacity) for pool in self.pools])
        return self


class InitialJob(Section):
    """A job in service at time 0; if *service* is omitted it is drawn from the type's distribution."""

    type: Name
    job: str = Field(default="", max_length=60)
    service: NotNegative | None = None


class InitialServer(Section):
    """One server at time 0; if the configuration is omitted it equals the placement."""

    configuration: tuple[Annotated[Whole, Field(ge=0, le=10_000)], ...] | None = None
    jobs: tuple[InitialJob, ...] = ()


class RecencyOrder(Section):
    """The servers of one configuration, numbered from 0, in order of index: the most recent (index 1) first."""

    configuration: tuple[Annotated[Whole, Field(ge=0)], ...]
    servers: tuple[Annotated[Whole, Field(ge=0)], ...]


class EmptyStart(Section):
    """All servers are empty, with the empty configuration."""

    start: Literal["empty"] = "empty"


class FullStart(Section):
    """All servers are full of jobs of one type, with configurations equal to the placements."""

    start: Literal["full"]
    type: Name


class GivenStart(Section):
    """The configuration and the jobs of each server."""

    start: Literal["given"]
    servers: tuple[InitialServer, ...]
    order: tuple[RecencyOrder, ...] = ()


Initial = Annotated[EmptyStart | FullStart | GivenStart, Field(discriminator="start")]


class ReservationScenario(ResourceScenario):
    """Servers, job types, workload, start and policy of a loss system with slots."""

    system: Literal["reservation"] = "reservation"
    resources: tuple[Resource, ...] = ()
    servers: ServersSection
    job_types: tuple[JobType, ...] = Field(default=(), max_length=MOST_TYPES)
    workload: Workload = PoissonArrivals()
    initial: Initial = EmptyStart()
    policy: PolicyChoice = PolicyChoice(name="dra")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.job_types and not isinstance(self.workload, TraceWorkload):
            raise ValueError("job_types: found none, at least one is needed")
        refuse_duplicates("job_types", (item.name for item in self.job_types))
        refuse_duplicates("resources", (item.name for item in self.resources))
        self._check_demands()
        self._check_lengths()
        self._check_names()
        self._check_job_names()
        return self

    def _check_demands(self) -> None:
        known = list(self.servers.capacity)
        for name, amount in self.servers.capacity.items():
            _in_unit(f"servers.capacity.{name}", amount, self.unit_of(name))
            if amount.amount <= 0:
                raise ValueError(f"servers.capacity.{name}: found {amount.amount}, allowed: an amount above 0")
        for position, pool in enumerate(self.servers.pools):
            for name, amount in pool.capacity.items():
                _in_unit(f"servers.pools[{position}].capacity.{name}", amount, self.unit_of(name))
        for position, job_type in enumerate(self.job_types):
            where = f"job_types[{position}].demand"
            for name, amount in job_type.demand.items():
                if name not in known:
                    raise ValueError(
                        f"{where}.{name}: found a resource that the servers do not "
                        f"have; allowed: {', '.join(known) or 'none'}"
                    )
                _in_unit(f"{where}.{name}", amount, self.unit_of(name))
            if known and not any(amount.amount > 0 for amount in job_type.demand.values()):
                raise ValueError(
                    f"{where}: found no demand above 0; without one, any number of its jobs would fit a server"
                )

    def _check_lengths(self) -> None:
        types = len(self.job_types)
        rows = [(f"servers.configurations[{i}]", row) for i, row in enumerate(self.servers.configurations)]
        if isinstance(self.initial, GivenStart):
            if len(self.initial.servers) > self.servers.total:
                raise ValueError(
                    f"initial.servers: found {len(self.initial.servers)} servers, "
                    f"allowed: at most {self.servers.total}, the number of servers"
                )
            rows += [
                (f"initial.servers[{i}].configuration", server.configuration)
                for i, server in enumerate(self.initial.servers)
                if server.configuration is not None
            ]
            rows += [
                (f"initial.order[{i}].configuration", order.configuration) for i, order in enumerate(self.initial.order)
            ]
        for where, row in rows:
            if len(row) != types:
                raise ValueError(f"{where}: found {len(row)} numbers, allowed: {types}, one for each job type")

    def _check_job_names(self) -> None:
        given = self.initial.servers if isinstance(self.initial, GivenStart) else ()
        named = [
            (f"initial.servers[{i}].jobs[{n}].job", job.job)
            for i, server in enumerate(given)
            for n, job in enumerate(server.jobs)
        ]
        if self.workload.kind == "scripted":
            named += [(f"workload.arrivals[{i}].job", arrival.job) for i, arrival in enumerate(self.workload.arrivals)]
        seen: set[str] = set()
        for where, name in named:
            if name and name in seen:
                raise ValueError(f"{where}: found the name '{name}' again, allowed: once")
            seen.add(name)

    def _check_names(self) -> None:
        known = {item.name for item in self.job_types}
        used: list[tuple[str, str]] = []
        if isinstance(self.initial, FullStart):
            used.append(("initial.type", self.initial.type))
        if isinstance(self.initial, GivenStart):
            used += [
                (f"initial.servers[{i}].jobs[{n}].type", job.type)
                for i, server in enumerate(self.initial.servers)
                for n, job in enumerate(server.jobs)
            ]
        if self.workload.kind == "scripted":
            used += [(f"workload.arrivals[{i}].type", arrival.type) for i, arrival in enumerate(self.workload.arrivals)]
        for where, name in used:
            if name not in known:
                raise ValueError(f"{where}: found '{name}', allowed: {', '.join(sorted(known))}")


def _in_unit(where: str, amount: object, unit: str) -> Fraction:
    from slotscope.model.scenario.fields import Quantity

    assert isinstance(amount, Quantity)
    try:
        return amount.in_unit(unit)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
