"""The fields that all kinds of scenario have: titles, run length, service, workload, policy."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, isfinite, lcm
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Iterable, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from slotscope.model.errors import ScenarioError
from slotscope.model.exact import LONGEST, rational
from slotscope.model.scenario.fields import (
    Name,
    NotNegative,
    Numbers,
    PolicyName,
    Positive,
    Resource,
    Section,
    Whole,
    plain,
    refuse_disorder,
    refuse_duplicates,
)

#: Limits that keep a scenario within memory; errors name them.
MOST_SERVERS = 1_000_000
MOST_TYPES = 62
MOST_VALUES = 100_000

#: Numbers with a larger common denominator are averaged in floating point.
MOST_DENOMINATOR = 10**40


def check_pools(total: int, capacity: Iterable[str], pools: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Refuse too many servers, pools with equal names, and pools with other resources than the first servers."""
    if total > MOST_SERVERS:
        raise ValueError(f"found {total} servers in all, allowed: at most {MOST_SERVERS}")
    pools = tuple(pools)
    refuse_duplicates("pools", (name for name, _ in pools))
    for position, (_, resources) in enumerate(pools):
        if set(resources) != set(capacity):
            found, allowed = ", ".join(resources) or "none", ", ".join(capacity)
            raise ValueError(
                f"pools[{position}].capacity: found {found}, allowed: the resources of servers.capacity, {allowed}"
            )


class RunLength(Section):
    """The length of a run without drawing, in the scenario's unit of time."""

    until: Positive = Fraction(100)
    warmup: NotNegative = Fraction(0)
    time_unit: str = Field(default="", max_length=20)

    @model_validator(mode="after")
    def _warmup_before_end(self) -> Self:
        if self.warmup >= self.until:
            raise ValueError(f"warmup must be below until = {self.until}, found {self.warmup}")
        return self


class Exponential(Section):
    """Exponential service with the given mean."""

    distribution: Literal["exponential"] = "exponential"
    mean: Positive = Fraction(1)


class Deterministic(Section):
    """The same service time for every job."""

    distribution: Literal["deterministic"]
    mean: Positive = Fraction(1)


class Erlang(Section):
    """The sum of *phases* exponential times, with the given total mean."""

    distribution: Literal["erlang"]
    phases: Whole = Field(ge=1, le=1000)
    mean: Positive = Fraction(1)


class HyperExponential(Section):
    """Two exponentials with balanced means and the given squared coefficient of variation."""

    distribution: Literal["hyper-exponential"]
    squared_variation: Positive = Fraction(4)
    mean: Positive = Fraction(1)

    @model_validator(mode="after")
    def _more_variable_than_exponential(self) -> Self:
        if self.squared_variation < 1:
            raise ValueError(f"squared_variation must be at least 1, found {self.squared_variation}")
        return self


class Pareto(Section):
    """P(S > s) = (s / s0)^(-shape) for s >= s0, with the given mean."""

    distribution: Literal["pareto"]
    shape: Positive = Fraction(5, 2)
    mean: Positive = Fraction(1)

    @model_validator(mode="after")
    def _has_a_mean(self) -> Self:
        if self.shape <= 1:
            raise ValueError(f"shape must be above 1 (else there is no mean), found {self.shape}")
        return self


class LogNormal(Section):
    """Lognormal service with the given mean and squared coefficient of variation."""

    distribution: Literal["lognormal"]
    squared_variation: Positive = Fraction(1)
    mean: Positive = Fraction(1)


def _several(value: Any) -> Any:
    """A single number as a list of one; anything else unchanged."""
    return [value] if isinstance(value, int | float) else value


class MixedErlang(Section):
    """The sum of k exponential times with probability ``probabilities[k - 1]``.

    All phases have the same rate, (sum of k p_k) / mean (Ghanbarian et al. (2025), Section 7).
    """

    distribution: Literal["mixed-erlang"]
    probabilities: Annotated[Numbers, Field(max_length=1000), BeforeValidator(_several)] = (
        Fraction(2, 5),
        Fraction(3, 5),
    )
    mean: Positive = Fraction(1)

    @model_validator(mode="after")
    def _probable(self) -> Self:
        total = sum(self.probabilities, Fraction(0))
        if total != 1:
            raise ValueError(
                f"probabilities must sum to 1 exactly, found the sum {plain(total)} (write thirds as '1/3')"
            )
        return self


def _average(data: dict[str, Any]) -> Fraction:
    """The mean of validated values, rounded to 15 digits if the exact fraction is too long to be written."""
    values: tuple[Fraction, ...] = data["values"]
    denominator = 1
    for value in values:
        denominator = lcm(denominator, value.denominator)
        if denominator > MOST_DENOMINATOR:
            break
    else:
        exact = sum(values, Fraction(0)) / len(values)
        if len(str(exact)) <= LONGEST:
            return exact
    return rational(float(f"{fsum(map(float, values)) / len(values):.15g}"))


def _each_above_zero(values: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    if not values:
        raise ValueError("at least one number above 0")
    for position, value in enumerate(values):
        if value <= 0:
            raise ValueError(f"numbers above 0, but values[{position}] is {plain(value)}")
    return values


class EmpiricalTimes(Section):
    """One of the listed values, each equally likely; scaled to ``mean`` if that is given."""

    distribution: Literal["empirical"]
    values: Annotated[
        Numbers, Field(max_length=MOST_VALUES), AfterValidator(_each_above_zero), BeforeValidator(_several)
    ]
    mean: Positive = Field(default_factory=_average)


#: Every distribution of service times, in the order in which forms offer them.
SERVICE_LAWS = (Exponential, Deterministic, Erlang, HyperExponential, Pareto, LogNormal, MixedErlang, EmpiricalTimes)

Service = Annotated[
    Exponential | Deterministic | Erlang | HyperExponential | Pareto | LogNormal | MixedErlang | EmpiricalTimes,
    Field(discriminator="distribution"),
]


#: Why claims about the long run are not judged for recorded jobs.
ARE_RECORDED = "the jobs are recorded, and are one run only"


class PoissonArrivals(Section):
    """Independent Poisson arrivals of each job type; its total rate is its own rate times the number of servers.

    ``scale`` multiplies the rates and workloads of all types: a single number for the load.
    """

    kind: Literal["poisson"] = "poisson"
    scale: Positive = Fraction(1)


class ScriptedArrival(Section):
    """One arrival at an exact time; without *service* the job never departs."""

    time: NotNegative
    type: Name
    job: str = Field(default="", max_length=60)
    service: NotNegative | None = None


class ScriptedWorkload(Section):
    """Explicit arrivals and service times."""

    kind: Literal["scripted"]
    arrivals: tuple[ScriptedArrival, ...] = ()

    @model_validator(mode="after")
    def _in_order_of_time(self) -> Self:
        refuse_disorder("arrivals", "time", self.arrivals)
        return self


class TraceWorkload(Section):
    """Arrivals, types and service times from a recorded trace."""

    recorded: ClassVar[bool] = True
    kind: Literal["trace"]
    format: Literal["google-task-events", "jobs"] = "google-task-events"
    paths: tuple[str, ...] = ()
    time_scale: Positive = Fraction(1)
    limit: Whole = Field(default=1_000_000, ge=1)


def is_recorded(workload: Any) -> bool:
    """Whether jobs arrive as recorded in a script or trace; a trace with ``recorded = False`` only gives rates."""
    return bool(workload.kind == "scripted" or (workload.kind == "trace" and workload.recorded))


Workload = Annotated[PoissonArrivals | ScriptedWorkload | TraceWorkload, Field(discriminator="kind")]


def _written(value: Any) -> Any:
    """Check that all numbers in plain data are finite, as in a file."""
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"found {value}, allowed: finite numbers")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _written(part)
    return value


class PolicyChoice(Section):
    """The policy's name and parameters, which the policy's schema checks.

    A name that is the path of a ``.py`` file means a user policy; in a scenario file it is relative to the
    folder of that file.
    """

    name: PolicyName
    parameters: dict[str, Annotated[Any, AfterValidator(_written)]] = Field(default_factory=dict)


class ScenarioBase(Section):
    """The top-level fields of every scenario."""

    title: str = Field(default="", max_length=200)
    description: str = Field(default="", max_length=4000)
    paper: str = Field(default="", max_length=200)
    seed: Whole = Field(default=1, ge=0, lt=2**63)
    run: RunLength = RunLength()

    if TYPE_CHECKING:  # every schema declares these fields in their place among its others
        system: str
        servers: Any
        workload: Any
        policy: PolicyChoice


class ResourceScenario(ScenarioBase):
    """Base of scenarios in which jobs need resources of servers."""

    if TYPE_CHECKING:
        resources: tuple[Resource, ...]

    @property
    def resource_names(self) -> tuple[str, ...]:
        """[D] the names in the order of ``servers.capacity``."""
        return tuple(self.servers.capacity)

    def unit_of(self, resource: str) -> str:
        """The declared unit of a resource, or an empty string."""
        return next((item.unit for item in self.resources if item.name == resource), "")


def trace_not_read() -> ScenarioError:
    """The error for a trace whose files are not given."""
    return ScenarioError(
        "found a trace that has not been read; give its files with --trace PATH", where="workload.paths"
    )
