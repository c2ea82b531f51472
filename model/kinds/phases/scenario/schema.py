"""Scenarios of jobs with phases on unlimited servers (Hong, Xie & Wang 2023, Section 2)."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal, Mapping, Self

from pydantic import AfterValidator, Field, model_validator

from slotscope.model.kinds.phases.scenario.workload import (
    MOST_PHASES,
    PATCH,
    PhaseWorkload,
    ScriptedPhases,
    TracePhases,
)
from slotscope.model.scenario.common import PolicyChoice, ResourceScenario
from slotscope.model.scenario.fields import (
    SIZE,
    Capacity,
    Exact,
    Name,
    NotNegative,
    Quantity,
    Resource,
    Section,
    Whole,
    one_or_list,
    plain,
    refuse_duplicates,
)

#: Largest K_max, the service limit.
MOST_JOBS = 1000

#: Smallest and largest rate other than 0: beyond them floating point would be too imprecise.
LEAST_RATE, MOST_RATE = Fraction(1, 10**9), Fraction(10**9)

#: Largest number of configurations in a cost table.
MOST_LISTED = 10_000


def _within_bounds(rate: Fraction) -> Fraction:
    if rate and not LEAST_RATE <= rate <= MOST_RATE:
        raise ValueError("0, or a rate from 1e-9 to 1e9")
    return rate


def _above_zero(budget: Fraction) -> Fraction:
    if budget <= 0:
        raise ValueError(
            "a number above 0, because the analysis needs a budget above 0 "
            "(servers.contention = 'never' is the system without cost)"
        )
    return budget


Rate = Annotated[NotNegative, AfterValidator(_within_bounds)]
Budget = Annotated[Exact, AfterValidator(_above_zero)]


class PhaseServers(Section):
    """The servers, all equal and unlimited in number.

    ``most_jobs`` is the service limit K_max.  With ``contention = "costs"`` the demand of the jobs on a server
    may exceed its capacity, at a cost; with ``"never"`` it must not (Section 3.1: requirements
    do not vary over time).
    """

    most_jobs: Whole = Field(ge=1, le=MOST_JOBS)
    capacity: Capacity
    contention: Literal["costs", "never"] = "costs"


class CostRate(Section):
    """The cost rate of one configuration: the number of jobs in each phase, 0 if omitted."""

    jobs: dict[Name, Annotated[Whole, Field(ge=0)]]
    rate: Rate


class ContentionCost(Section):
    """The cost rate h of a configuration, and the budget epsilon.

    ``overrun``: the sum over resources of max(0, use - capacity) / capacity; ``quadratic``:
    the sum of its squares; ``table``: the listed rates, 0 elsewhere.
    """

    law: Literal["overrun", "quadratic", "table"] = "overrun"
    budget: Budget | None = None
    rates: Annotated[tuple[CostRate, ...], Field(max_length=MOST_LISTED)] = ()

    @model_validator(mode="after")
    def _listed_where_used(self) -> Self:
        if self.law == "table" and not self.rates:
            raise ValueError("rates: found none, allowed with law = 'table': at least one configuration and its rate")
        if self.law != "table" and self.rates:
            raise ValueError(f"rates: found a table beside law = '{self.law}', allowed: none, or law = 'table'")
        return self


class Phase(Section):
    """A phase of jobs: their demand in it, and the rates at which they arrive in it and leave it.

    ``arrival_rate`` is lambda_i, the arrivals in this phase per unit of time for r = 1;
    ``departure_rate`` the rate at which a job in it departs; ``to`` the rates of moves to other phases.
    """

    name: Name
    demand: Capacity
    arrival_rate: Rate = Fraction(0)
    departure_rate: Rate = Fraction(0)
    to: dict[Name, Rate] = Field(default_factory=dict)


class PhasesScenario(ResourceScenario):
    """Servers, phases, arrivals and policy of a system of jobs with phases."""

    system: Literal["phases"] = "phases"
    resources: tuple[Resource, ...] = ()
    servers: PhaseServers
    cost: ContentionCost | None = None
    phases: Annotated[tuple[Phase, ...], Field(max_length=MOST_PHASES), one_or_list(Phase)] = ()
    workload: PhaseWorkload
    policy: PolicyChoice = PolicyChoice(name="jrs")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        refuse_duplicates("resources", (item.name for item in self.resources))
        refuse_duplicates("phases", self.phase_names)
        if not self.phases and not isinstance(self.workload, TracePhases):
            raise ValueError("phases: found none, at least one is needed")
        self._check_capacity()
        self._check_demands()
        self._check_moves()
        self._check_cost()
        if isinstance(self.workload, ScriptedPhases):
            self._check_script(self.workload)
        elif self.phases:
            self._check_arrivals()
            self._check_ends()
        return self

    @property
    def hard(self) -> bool:
        """Whether no server may ever hold more than its capacity."""
        return self.servers.contention == "never"

    @property
    def phase_names(self) -> tuple[str, ...]:
        """[I] the names of the phases."""
        return tuple(phase.name for phase in self.phases)

    @property
    def capacity(self) -> tuple[Fraction, ...]:
        """[D] the capacity of a server, in the declared units."""
        return tuple(self.servers.capacity[name].in_unit(self.unit_of(name)) for name in self.resource_names)

    def demand_of(self, phase: Phase) -> tuple[Fraction, ...]:
        """[D] the demand of a job in a phase, in the declared units; 0 if omitted."""
        written = self._by_resource(phase.demand)
        return tuple(
            written[name].in_unit(self.unit_of(name)) if name in written else Fraction(0)
            for name in self.resource_names
        )

    def _by_resource(self, demand: Mapping[str, Quantity]) -> Mapping[str, Quantity]:
        """The amounts by resource; a bare number is the amount of the only resource."""
        if list(demand) == [SIZE] and len(self.resource_names) == 1:
            return {self.resource_names[0]: demand[SIZE]}
        return demand

    def _check_capacity(self) -> None:
        for name, amount in self.servers.capacity.items():
            found = self._amount(_path("servers.capacity", self.servers.capacity, name), name, amount)
            if found <= 0:
                raise ValueError(
                    f"{_path('servers.capacity', self.servers.capacity, name)}: "
                    f"found {plain(found)}, allowed: an amount above 0"
                )

    def _check_demands(self) -> None:
        for position, phase in enumerate(self.phases):
            where = f"phases[{position}].demand"
            for name, amount in self._by_resource(phase.demand).items():
                place = _path(where, phase.demand, name)
                if name not in self.resource_names:
                    found = "one number" if name == SIZE else f"'{name}'"
                    raise ValueError(
                        f"{place}: found {found}, allowed: {', '.join(self.resource_names)}, the resources of "
                        "servers.capacity"
                    )
                self._amount(place, name, amount)
            if self.hard:
                self._check_fits(where, phase)

    def _amount(self, where: str, resource: str, amount: Quantity) -> Fraction:
        try:
            return amount.in_unit(self.unit_of(resource))
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None

    def _check_fits(self, where: str, phase: Phase) -> None:
        rows = zip(self.resource_names, self.demand_of(phase), self.capacity, strict=True)
        for name, need, has in rows:
            if need > has:
                raise ValueError(
                    f"{_path(where, phase.demand, name)}: found {plain(need)}, allowed: at most {plain(has)}, what a "
                    "server has, because servers.contention = 'never'"
                )

    def _check_moves(self) -> None:
        for position, phase in enumerate(self.phases):
            where = f"phases[{position}].to"
            if phase.to and self.hard:
                raise ValueError(
                    f"{where}: found {', '.join(phase.to)}, allowed: none, because servers.contention = 'never' leaves "
                    "no room for requirements that vary over time"
                )
            for name in phase.to:
                if name not in self.phase_names or name == phase.name:
                    others = [other for other in self.phase_names if other != phase.name]
                    raise ValueError(f"{where}: found '{name}', allowed: {', '.join(others) or 'none'}, another phase")

    def _check_cost(self) -> None:
        if self.hard:
            if self.cost is not None:
                raise ValueError("cost: found a table, allowed: none, because servers.contention = 'never'")
            return
        planned = not isinstance(self.workload, ScriptedPhases)
        if planned and (self.cost is None or self.cost.budget is None):
            raise ValueError(
                "cost.budget: found nothing, allowed: a number above 0; or "
                "servers.contention = 'never', the system without cost"
            )
        if self.cost is not None:
            self._check_table(self.cost)

    def _check_table(self, cost: ContentionCost) -> None:
        seen: set[tuple[int, ...]] = set()
        for position, item in enumerate(cost.rates):
            where = f"cost.rates[{position}]"
            for name in item.jobs:
                if name not in self.phase_names:
                    raise ValueError(f"{where}.jobs: found '{name}', allowed: {', '.join(self.phase_names)}")
            configuration = self.configuration_of(item)
            if sum(configuration) > self.servers.most_jobs:
                raise ValueError(
                    f"{where}.jobs: found {sum(configuration)} jobs, allowed: at most "
                    f"servers.most_jobs = {self.servers.most_jobs}"
                )
            if not any(configuration) and item.rate:
                raise ValueError(f"{where}.rate: found {plain(item.rate)} for a server without jobs, allowed: 0")
            if configuration in seen:
                raise ValueError(f"{where}.jobs: found a configuration for the second time, allowed: once")
            seen.add(configuration)

    def configuration_of(self, item: CostRate) -> tuple[int, ...]:
        """[I] the configuration of an entry of the cost table."""
        return tuple(item.jobs.get(name, 0) for name in self.phase_names)

    def _check_arrivals(self) -> None:
        if not any(phase.arrival_rate for phase in self.phases):
            raise ValueError("phases: found no arrival_rate above 0, allowed: at least one, else no job ever comes")

    def _check_ends(self) -> None:
        """Check that from every phase that a job may visit it can depart."""
        ways = {phase.name: {name for name, rate in phase.to.items() if rate} for phase in self.phases}
        entered = _closed({phase.name for phase in self.phases if phase.arrival_rate}, ways)
        back: dict[str, set[str]] = {name: set() for name in ways}
        for name, targets in ways.items():
            for target in targets:
                back[target].add(name)
        ending = _closed({phase.name for phase in self.phases if phase.departure_rate}, back)
        for position, phase in enumerate(self.phases):
            if phase.name in entered - ending:
                raise ValueError(
                    f"phases[{position}].departure_rate: found 0 and no way from phase '{phase.name}' to the end; "
                    "allowed: a rate above 0, here or in a phase to which it leads"
                )

    def _check_script(self, script: ScriptedPhases) -> None:
        if PATCH in self.phase_names:
            raise ValueError(
                f"phases: found the name '{PATCH}', allowed: another, because a script gives that name to a timer"
            )
        for where, name in script.phases_named():
            if name not in self.phase_names:
                raise ValueError(f"workload.{where}: found '{name}', allowed: {', '.join(self.phase_names)}")
        for where, pool, server in script.places_named():
            self._check_place(f"workload.{where}", pool, server)

    def _check_place(self, where: str, pool: int, server: int) -> None:
        """Check that a pool, and a server in it, exist in the policy's parameters."""
        pools = self.policy.parameters.get("pools")
        if not isinstance(pools, list) or not all(isinstance(item, Mapping) for item in pools):
            return  # the policy's own schema says what it needs
        if pool > len(pools):
            raise ValueError(
                f"{where}: found pool {pool}, allowed: at most {len(pools)}, as many as policy.parameters.pools"
            )
        servers = pools[pool - 1].get("servers")
        if isinstance(servers, int) and server > servers:
            raise ValueError(
                f"{where}: found server {server}, allowed: at most {servers}, the normal servers of pool {pool}"
            )


def _path(where: str, written: Mapping[str, Quantity], name: str) -> str:
    """The path of an amount; a bare number has no name."""
    return where if list(written) == [SIZE] else f"{where}.{name}"


def _closed(names: set[str], ways: Mapping[str, set[str]]) -> set[str]:
    """*names* and all names that can be reached from them."""
    found, todo = set(names), list(names)
    while todo:
        fresh = ways[todo.pop()] - found
        found |= fresh
        todo += fresh
    return found
