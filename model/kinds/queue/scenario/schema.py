"""Scenarios of servers with a queue in slotted time (Psychas & Ghaderi 2019, Section II)."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Iterator, Literal, Mapping, Self

from pydantic import Field, model_validator

from slotscope.model.kinds.queue.scenario.arrivals import ScriptedSlots, SlotWorkload, TraceSlots
from slotscope.model.kinds.queue.scenario.distributions import (
    MOST_SLOTS,
    AnySize,
    Discrete,
    Empirical,
    Geometric,
    Independent,
    Mixture,
    SlotService,
    must_sum_to_one,
)
from slotscope.model.scenario.common import MOST_SERVERS, PolicyChoice, ResourceScenario, RunLength, check_pools
from slotscope.model.scenario.fields import (
    SIZE,
    Capacity,
    Name,
    Positive,
    Quantity,
    Resource,
    Section,
    Whole,
    one_or_list,
    plain,
    refuse_duplicates,
)

#: Bound on classes of jobs.
MOST_CLASSES = 1000


class ServerPool(Section):
    """Further servers of another capacity."""

    name: Name
    count: Whole = Field(ge=1, le=MOST_SERVERS)
    capacity: Capacity


class QueueServers(Section):
    """The servers: their number, and the capacity of each.

    ``pools`` are further servers of other capacities (Section VIII), which are numbered after these.
    """

    count: Whole = Field(ge=1, le=MOST_SERVERS)
    capacity: Capacity
    pools: tuple[ServerPool, ...] = ()

    @property
    def total(self) -> int:
        """L: the servers of all pools."""
        return self.count + sum(pool.count for pool in self.pools)

    @property
    def kinds(self) -> tuple[tuple[str, int, Mapping[str, Quantity], str], ...]:
        """Name, number, capacity and path of the capacity of each kind of server."""
        return (
            ("", self.count, self.capacity, "servers.capacity"),
            *(
                (pool.name, pool.count, pool.capacity, f"servers.pools[{position}].capacity")
                for position, pool in enumerate(self.pools)
            ),
        )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_pools(self.total, self.capacity, [(pool.name, pool.capacity) for pool in self.pools])
        return self


class QueueJobClass(Section):
    """A class of jobs: its share of all jobs, and the distributions of sizes and of service times.

    Continuous service times are rounded up to whole slots.
    """

    name: str = Field(default="", max_length=60)
    share: Positive = Fraction(1)
    size: AnySize
    service: SlotService = Geometric()

    @model_validator(mode="after")
    def _slots_within_bounds(self) -> Self:
        mean = getattr(self.service, "mean", Fraction(0))
        if mean > MOST_SLOTS:
            raise ValueError(f"service.mean must be at most {MOST_SLOTS} slots, found {plain(mean)}")
        return self


class SlotRun(RunLength):
    """How long a run without drawing lasts, in slots."""

    until: Positive = Fraction(100_000)
    time_unit: str = Field(default="slot", max_length=20)

    @model_validator(mode="after")
    def _whole_slots(self) -> Self:
        for name in ("until", "warmup"):
            value = getattr(self, name)
            if value.denominator != 1:
                raise ValueError(f"{name} must be a whole number of slots, found {plain(value)}")
        return self


class QueueScenario(ResourceScenario):
    """Servers, jobs, arrivals and policy of a system with a queue in slotted time."""

    system: Literal["queue"] = "queue"
    run: SlotRun = SlotRun()
    resources: tuple[Resource, ...] = ()
    servers: QueueServers
    jobs: Annotated[tuple[QueueJobClass, ...], Field(max_length=MOST_CLASSES), one_or_list(QueueJobClass)] = ()
    workload: SlotWorkload
    policy: PolicyChoice = PolicyChoice(name="bf-js")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        refuse_duplicates("resources", (item.name for item in self.resources))
        self._check_capacities()
        self._check_classes()
        self._check_sizes()
        self._check_job_names()
        return self

    def amounts(self, capacity: Mapping[str, Quantity]) -> tuple[Fraction, ...]:
        """[D] a capacity in the declared units."""
        return tuple(capacity[name].in_unit(self.unit_of(name)) for name in self.resource_names)

    def _check_capacities(self) -> None:
        for _, _, capacity, where in self.servers.kinds:
            for name, amount in capacity.items():
                place = where if list(capacity) == [SIZE] else f"{where}.{name}"
                try:
                    found = amount.in_unit(self.unit_of(name))
                except ValueError as error:
                    raise ValueError(f"{place}: {error}") from None
                if found <= 0:
                    raise ValueError(f"{place}: found {plain(found)}, allowed: an amount above 0")

    def _check_classes(self) -> None:
        scripted = isinstance(self.workload, ScriptedSlots)
        if scripted and self.jobs:
            raise ValueError(
                "jobs: found distributions beside a script, "
                "allowed: a script alone, which gives each job's size and service"
            )
        if not self.jobs and not isinstance(self.workload, ScriptedSlots | TraceSlots):
            raise ValueError("jobs: found none, at least one class is needed")
        if self.jobs:
            try:
                must_sum_to_one("the shares", [item.share for item in self.jobs])
            except ValueError as error:
                raise ValueError(f"jobs: {error}") from None

    def _check_sizes(self) -> None:
        servers = [self.amounts(capacity) for _, _, capacity, _ in self.servers.kinds]
        for where, size in self._extreme_sizes():
            if len(size) != len(self.resource_names):
                raise ValueError(
                    f"{where}: found {_numbers(len(size))}, allowed: {len(self.resource_names)}, one for each "
                    f"resource, {', '.join(self.resource_names)}"
                )
            if not any(all(need <= has for need, has in zip(size, server, strict=True)) for server in servers):
                most = [plain(max(column)) for column in zip(*servers, strict=True)]
                raise ValueError(
                    f"{where}: found {_shown(size)}, allowed: at most {' and '.join(map(str, most))}, the capacity of "
                    "the largest server"
                )

    def _extreme_sizes(self) -> Iterator[tuple[str, tuple[Fraction, ...]]]:
        if isinstance(self.workload, ScriptedSlots):
            for position, arrival in enumerate(self.workload.arrivals):
                yield f"workload.arrivals[{position}].size", arrival.size
        for position, item in enumerate(self.jobs):
            where = "jobs.size" if len(self.jobs) == 1 else f"jobs[{position}].size"
            if isinstance(item.size, Independent):
                yield where, self._largest_of(where, item.size)
            else:
                yield from largest_sizes(where, item.size)

    def _largest_of(self, where: str, distribution: Independent) -> tuple[Fraction, ...]:
        if set(distribution.resources) != set(self.resource_names):
            found, allowed = ", ".join(distribution.resources), ", ".join(self.resource_names)
            raise ValueError(
                f"{where}.resources: found {found or 'none'}, allowed: the resources of servers.capacity, {allowed}"
            )
        corner = []
        for name in self.resource_names:
            sizes = list(largest_sizes(f"{where}.resources.{name}", distribution.resources[name]))
            for place, size in sizes:
                if len(size) != 1:
                    raise ValueError(f"{place}: found {_numbers(len(size))}, allowed: one")
            corner.append(max(size[0] for _, size in sizes))
        return tuple(corner)

    def _check_job_names(self) -> None:
        if not isinstance(self.workload, ScriptedSlots):
            return
        seen: set[str] = set()
        for position, arrival in enumerate(self.workload.arrivals):
            if arrival.job and arrival.job in seen:
                raise ValueError(
                    f"workload.arrivals[{position}].job: found the name '{arrival.job}' again, allowed: once"
                )
            seen.add(arrival.job)


def largest_sizes(where: str, distribution: AnySize) -> Iterator[tuple[str, tuple[Fraction, ...]]]:
    """The path and the size of all values of a distribution, or of the upper end of its interval."""
    if isinstance(distribution, Discrete | Empirical):
        for position, size in enumerate(distribution.values):
            yield f"{where}.values[{position}]", size
    elif isinstance(distribution, Mixture):
        for position, part in enumerate(distribution.parts):
            yield from largest_sizes(f"{where}.parts[{position}].size", part.size)
    elif not isinstance(distribution, Independent):
        yield f"{where}.high", (distribution.high,)


def _numbers(count: int) -> str:
    return "one number" if count == 1 else f"{count} numbers"


def _shown(size: tuple[Fraction, ...]) -> str:
    return " and ".join(str(plain(number)) for number in size)
