"""Scenarios of moldable jobs: n servers, classes of jobs with concave speed-ups, no queue.

Ghanbarian, Mukhopadhyay, Mazumdar & Guillemin (2025), Sections 2 and 6.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from slotscope.model.kinds.moldable.scenario.speedup import Speedup, factors_of
from slotscope.model.kinds.moldable.scenario.workload import (
    MoldablePoisson,
    MoldableWorkload,
    ScriptedMoldable,
    TraceMoldable,
)
from slotscope.model.scenario.common import MOST_SERVERS, SERVICE_LAWS, Exponential, PolicyChoice, ScenarioBase, Service
from slotscope.model.scenario.fields import Name, Positive, Section, Whole, one_or_list, plain, told_by

#: Largest number of job classes.
MOST_CLASSES = 20

#: An inherent size: its distribution, in units of time on one server.
InherentSize = Annotated[Service, told_by("distribution", *SERVICE_LAWS)]


class MoldableServers(Section):
    """n servers, each for one job at a time; with a trace the number may be omitted."""

    count: Annotated[Whole, Field(ge=1, le=MOST_SERVERS)] | None = None


class MoldableJobClass(Section):
    """A class of jobs: its share of the arrivals, its speed-up, and the distribution of its sizes.

    ``arrival_rate`` is lambda_j, jobs per unit of time and server; ``share`` the class's
    share of all arrivals, relative to the others' (1 if omitted).
    """

    name: Name = "jobs"
    share: Positive | None = None
    arrival_rate: Positive | None = None
    speedup: Speedup
    size: InherentSize = Exponential()

    @model_validator(mode="after")
    def _told_once(self) -> Self:
        if self.share is not None and self.arrival_rate is not None:
            raise ValueError("found share and arrival_rate, allowed: one of them")
        return self

    @cached_property
    def factors(self) -> tuple[Fraction, ...]:
        """s_1, ..., s_d."""
        return factors_of(self.speedup)

    @property
    def degree(self) -> int:
        """d, the largest number of servers that a job can use."""
        return len(self.factors)


class MoldableScenario(ScenarioBase):
    """Servers, classes of jobs, arrivals and policy of a system of moldable jobs."""

    system: Literal["moldable"] = "moldable"
    servers: MoldableServers = MoldableServers()
    classes: Annotated[tuple[MoldableJobClass, ...], Field(max_length=MOST_CLASSES), one_or_list(MoldableJobClass)]
    workload: MoldableWorkload
    policy: PolicyChoice = PolicyChoice(name="greedy-p")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if not self.classes:
            raise ValueError("classes: found none, at least one is needed")
        for name, count in Counter(self.class_names).items():
            if count > 1:
                raise ValueError(f"classes: found the name '{name}' {count} times, allowed: once")
        if self.servers.count is None and not isinstance(self.workload, TraceMoldable):
            raise ValueError("servers.count: found nothing, allowed: this field is required; only a trace can tell it")
        self._check_degrees()
        self._check_rates()
        if isinstance(self.workload, MoldablePoisson):
            self._check_traffic(self.workload)
        if isinstance(self.workload, ScriptedMoldable):
            self._check_script(self.workload)
        if isinstance(self.workload, TraceMoldable) and len(self.classes) > 1:
            raise ValueError(
                f"classes: found {len(self.classes)}, allowed with a trace: one, because a log does not tell classes"
            )
        return self

    @property
    def class_names(self) -> tuple[str, ...]:
        """[l] the names of the classes."""
        return tuple(item.name for item in self.classes)

    @property
    def needs_trace(self) -> bool:
        """Whether jobs come from a trace that has not been read."""
        return isinstance(self.workload, TraceMoldable) and (
            self.servers.count is None or self.classes[0].arrival_rate is None
        )

    def speedup_of(self, number: int) -> tuple[Fraction, ...]:
        """s_1, ..., s_d of class *number*, from 0."""
        return self.classes[number].factors

    def mean_of(self, number: int) -> Fraction:
        """1 / mu_j: the mean inherent size of class *number*, from 0, in units of time."""
        return self.classes[number].size.mean

    @property
    def load(self) -> Fraction:
        """rho = sum_j rho_j; 0 if a script, or a trace that has not been read, gives none."""
        return sum(self.loads, Fraction(0))

    @property
    def loads(self) -> tuple[Fraction, ...]:
        """[l] rho_j = lambda_j / mu_j, per server; see :attr:`load`."""
        pairs = zip(self.arrival_rates, self.classes, strict=True)
        return tuple(rate * item.size.mean for rate, item in pairs)

    @property
    def arrival_rates(self) -> tuple[Fraction, ...]:
        """[l] lambda_j: jobs per unit of time and server; see :attr:`load`.

        Exact, except for rho = 1 - beta n^-alpha if n^alpha is irrational; then it is replaced by the
        shortest decimal of its float.
        """
        load = self._told_load()
        if load is None:
            return tuple(item.arrival_rate or Fraction(0) for item in self.classes)
        work = sum((share * item.size.mean for share, item in zip(self.shares, self.classes, strict=True)), Fraction(0))
        return tuple(load * share / work for share in self.shares)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """[l] the classes' shares of all arrivals; they add up to 1."""
        rated = any(item.arrival_rate is not None for item in self.classes)
        parts = [item.arrival_rate if rated else item.share for item in self.classes]
        known = [Fraction(1) if part is None else part for part in parts]
        return tuple(part / sum(known) for part in known)

    def _told_load(self) -> Fraction | None:
        if isinstance(self.workload, MoldablePoisson) and self.servers.count is not None:
            return self.workload.told_load(self.servers.count)
        return self.workload.load if isinstance(self.workload, ScriptedMoldable) else None

    def _check_degrees(self) -> None:
        if isinstance(self.workload, ScriptedMoldable):
            return  # requests are given: a job gets as many of them as are free
        for position, item in enumerate(self.classes):
            if self.servers.count is not None and item.degree > self.servers.count:
                raise ValueError(
                    f"classes[{position}].speedup: found a degree of {item.degree}, allowed: at most servers.count = "
                    f"{self.servers.count}; the analysis asks that it be small beside the servers"
                )

    def _check_rates(self) -> None:
        """Check that arrival rates are given for all classes or for none, and not together with a load."""
        rated = [item.arrival_rate is not None for item in self.classes]
        if not any(rated) or isinstance(self.workload, TraceMoldable):
            return
        for key in ("load", "alpha", "beta"):
            if getattr(self.workload, key, None) is not None:
                raise ValueError(
                    f"workload.{key}: found {plain(getattr(self.workload, key))} beside "
                    f"classes[{rated.index(True)}].arrival_rate, allowed: one of them"
                )
        if not all(rated):
            missing = rated.index(False)
            raise ValueError(
                f"classes[{missing}].arrival_rate: found nothing, allowed: a number "
                f"above 0, because classes[{rated.index(True)}] has one"
            )

    def _check_traffic(self, traffic: MoldablePoisson) -> None:
        rated = self.classes[0].arrival_rate is not None
        if not rated and traffic.load is None and traffic.alpha is None:
            raise ValueError(
                "workload.load: found nothing, allowed: a load above 0; or alpha and "
                "beta; or an arrival_rate for every class"
            )
        if traffic.beta is not None and self.load <= 0:
            raise ValueError(
                f"workload.beta: found {plain(traffic.beta)}, allowed: below n^alpha = "
                f"{float(traffic.beta / (1 - self.load)):.6g}, so that rho = 1 - beta n^-alpha is above 0"
            )

    def _check_script(self, script: ScriptedMoldable) -> None:
        for position, job in enumerate(script.arrivals):
            where = f"workload.arrivals[{position}]"
            if job.class_name is None and len(self.classes) > 1:
                raise ValueError(f"{where}.class: found nothing, allowed: {', '.join(self.class_names)}")
            if job.class_name is not None and job.class_name not in self.class_names:
                raise ValueError(f"{where}.class: found '{job.class_name}', allowed: {', '.join(self.class_names)}")
            degree = self.classes[self.class_of(job.class_name)].degree
            if job.requested is not None and job.requested > degree:
                raise ValueError(
                    f"{where}.requested: found {job.requested}, allowed: at most "
                    f"{degree}, the degree of the class's speed-up"
                )

    def class_of(self, name: str | None) -> int:
        """The index of the class of that name; without a name 0."""
        return 0 if name is None else self.class_names.index(name)
