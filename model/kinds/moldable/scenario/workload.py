"""The arrivals of moldable jobs in a scenario."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from slotscope.model.scenario.fields import (
    Name,
    NotNegative,
    Positive,
    Section,
    Whole,
    plain,
    refuse_disorder,
    refuse_namesakes,
    told_by,
)

#: Smallest and largest load rho, and largest exponent alpha of the traffic.
LEAST_LOAD, MOST_LOAD = Fraction(1, 10**9), Fraction(1000)
MOST_ALPHA = 10

#: Largest degree of roots of the number of servers that are tried: 2^20 exceeds the largest number of servers.
_LARGEST_ROOT = 20


def _within_bounds(load: Fraction) -> Fraction:
    if not LEAST_LOAD <= load <= MOST_LOAD:
        raise ValueError("a load from 1e-9 to 1000")
    return load


Load = Annotated[Positive, AfterValidator(_within_bounds)]


class MoldablePoisson(Section):
    """Independent Poisson arrivals of every class, at rate n lambda_j.

    The load rho, the sum of rho_j = lambda_j / mu_j, is given as ``load``, or by ``alpha`` and
    ``beta`` of rho = 1 - beta n^-alpha (Ghanbarian et al. (2025), Section 2), or else by the
    classes' own arrival rates.
    """

    kind: Literal["poisson"] = "poisson"
    load: Load | None = None
    alpha: NotNegative | None = None
    beta: Positive | None = None

    @model_validator(mode="after")
    def _told_once(self) -> Self:
        given = [name for name in ("alpha", "beta") if getattr(self, name) is not None]
        if self.load is not None and given:
            raise ValueError(f"found load and {' and '.join(given)}, allowed: load, or alpha and beta")
        if len(given) == 1:
            raise ValueError(f"found {given[0]} alone, allowed: alpha and beta, of rho = 1 - beta n^-alpha, or load")
        if self.alpha is not None and self.alpha > MOST_ALPHA:
            raise ValueError(f"found alpha = {plain(self.alpha)}, allowed: at most {MOST_ALPHA}")
        if self.alpha == 0 and self.beta is not None and self.beta >= 1:
            raise ValueError(
                f"found beta = {plain(self.beta)} with alpha = 0, allowed: above 0 "
                "and below 1, so that rho = 1 - beta is a load"
            )
        return self

    def told_load(self, servers: int) -> Fraction | None:
        """rho in a system of *servers* servers; None if the classes' arrival rates determine it."""
        if self.alpha is None or self.beta is None:
            return self.load
        return 1 - self.beta / power(servers, self.alpha)


def power(servers: int, alpha: Fraction) -> Fraction:
    """n^alpha: exact if it is rational, else the shortest decimal of its float."""
    root = _root(servers, alpha.denominator)
    if root:
        return Fraction(root) ** alpha.numerator
    return Fraction(repr(float(servers) ** float(alpha)))


def _root(servers: int, degree: int) -> int:
    """The integer whose *degree*-th power is *servers*; 0 if there is none."""
    if servers == 1:
        return 1
    root = round(servers ** (1 / degree)) if degree <= _LARGEST_ROOT else 0
    return root if root**degree == servers else 0


class ScriptedMoldableJob(Section):
    """One arrival at an exact time.

    ``size`` is the job's inherent size, its run time on one server; ``requested`` is its
    request, which the policy draws if it is omitted.
    """

    model_config = ConfigDict(serialize_by_alias=True)

    time: NotNegative
    class_name: Name | None = Field(default=None, alias="class")
    size: Positive
    requested: Annotated[Whole, Field(ge=1)] | None = None
    job: str = Field(default="", max_length=60)


class ScriptedMoldable(Section):
    """A list of arrivals in order of time; arrivals at the same time happen in the order of the list.

    ``load`` is rho, for policies and programs that need it.
    """

    kind: Literal["scripted"]
    arrivals: tuple[ScriptedMoldableJob, ...] = ()
    load: Load | None = None

    @model_validator(mode="after")
    def _in_order_of_time(self) -> Self:
        refuse_disorder("arrivals", "time", self.arrivals)
        refuse_namesakes(item.job for item in self.arrivals if item.job)
        return self


class TraceMoldable(Section):
    """Jobs from a recorded log of parallel jobs; times are in seconds.

    ``arrivals``: at the log's own times, with interarrival times drawn from the log's, or Poisson at its
    rate.  ``sizes``: the log's own, job by job, or drawn from all of them.  ``work``: how the
    inherent size, the time on one server, follows from a run time on p processors: times s_p
    (s_d beyond d) of the class's speed-up, times p, or the run time itself.  ``load`` is the rho
    to which interarrival times are scaled; if omitted they are the log's.  Only
    the first ``limit`` jobs are used.
    """

    kind: Literal["trace"]
    format: Literal["swf", "jobs"] = "swf"
    paths: tuple[str, ...] = ()
    arrivals: Literal["recorded", "resampled", "poisson"] = "recorded"
    sizes: Literal["recorded", "resampled"] = "recorded"
    work: Literal["speed-up", "linear", "run time"] = "speed-up"
    load: Load | None = None
    limit: Whole = Field(default=1_000_000, ge=1)

    @property
    def recorded(self) -> bool:
        """Whether jobs arrive at the log's own times."""
        return self.arrivals == "recorded"


MoldableWorkload = Annotated[
    MoldablePoisson | ScriptedMoldable | TraceMoldable,
    Field(discriminator="kind"),
    told_by("kind", MoldablePoisson, ScriptedMoldable, TraceMoldable),
]
