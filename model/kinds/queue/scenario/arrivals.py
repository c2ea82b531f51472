"""The scenario's sections on arrivals in slotted time."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from slotscope.model.kinds.queue.scenario.distributions import MOST_SLOTS, NOT_EMPTY, Size, Slots, must_sum_to_one
from slotscope.model.scenario.fields import Numbers, Positive, Section, Whole, plain, refuse_disorder, told_by

#: Bounds on the mean number of arrivals per slot, and on the arrivals in one slot under i.i.d. counts.
LEAST_RATE, MOST_RATE = Fraction(1, 10**9), 10**6
MOST_AT_ONCE = 10_000


class _Rate(Section):
    """The arrival rate, given in one of three ways.

    ``arrival_rate`` is lambda, jobs per slot for the whole system; ``workload`` is
    rho = lambda / mu; ``intensity`` is alpha, the share of all capacity that the jobs need on
    average: lambda = alpha mu L / mean size (Psychas & Ghaderi (2019), Section VII.A.3).
    """

    arrival_rate: Positive | None = None
    workload: Positive | None = None
    intensity: Positive | None = None

    @model_validator(mode="after")
    def _one_of_three(self) -> Self:
        names = ("arrival_rate", "workload", "intensity")
        given = [name for name in names if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(
                f"found {' and '.join(given) or 'none'} of arrival_rate, workload and intensity, allowed: one of them"
            )
        return self


class SlotPoisson(_Rate):
    """A Poisson number of jobs in each slot."""

    kind: Literal["poisson"] = "poisson"


class SlotBatches(_Rate):
    """A Poisson number of batches in each slot; the rate counts jobs, not batches.

    Batch sizes are geometric (1, 2, ...) with mean ``mean_batch``, or all equal to that whole number.
    """

    kind: Literal["batch"]
    batch: Literal["geometric", "fixed"] = "geometric"
    mean_batch: Positive = Fraction(1)

    @model_validator(mode="after")
    def _batches_of_jobs(self) -> Self:
        whole = self.batch == "geometric" or self.mean_batch.denominator == 1
        if not whole or not 1 <= self.mean_batch <= MOST_AT_ONCE:
            kind = "a number" if self.batch == "geometric" else "a whole number"
            raise ValueError(f"mean_batch must be {kind} from 1 to {MOST_AT_ONCE}, found {plain(self.mean_batch)}")
        return self


class SlotCounts(Section):
    """Independent counts: a slot has k arrivals with probability ``probabilities[k]``."""

    kind: Literal["iid"]
    probabilities: Annotated[Numbers, Field(max_length=MOST_AT_ONCE + 1)]

    @model_validator(mode="after")
    def _some_arrive(self) -> Self:
        must_sum_to_one("probabilities", self.probabilities)
        if not any(self.probabilities[1:]):
            raise ValueError("probabilities must leave a chance of an arrival, found 1 for none")
        return self

    @property
    def mean(self) -> Fraction:
        """lambda, jobs per slot."""
        return sum((k * share for k, share in enumerate(self.probabilities)), Fraction(0))


class ScriptedQueueJob(Section):
    """One arrival: its slot, size and slots of service; without *service* it never leaves."""

    slot: Annotated[Whole, Field(ge=0, le=MOST_SLOTS)]
    size: Size
    service: Slots | None = None
    job: str = Field(default="", max_length=60)


class ScriptedSlots(Section):
    """Explicit arrivals; those of one slot join the queue in the given order."""

    kind: Literal["scripted"]
    arrivals: Annotated[tuple[ScriptedQueueJob, ...], NOT_EMPTY]

    @model_validator(mode="after")
    def _in_order_of_time(self) -> Self:
        refuse_disorder("arrivals", "slot", self.arrivals)
        return self


class TraceSlots(Section):
    """Jobs from a recorded trace, in slots of ``slot`` seconds.

    Arrival times are multiplied by ``time_scale`` (the paper's beta).  With ``resources =
    "max"`` the size of a job is the larger of its CPU and memory, with ``"all"`` it has both components.
    ``arrival_rate`` is an estimate that is filled in when the trace is read.
    """

    recorded: ClassVar[bool] = True
    kind: Literal["trace"]
    format: Literal["google-task-events", "alibaba-pods", "jobs"] = "google-task-events"
    paths: tuple[str, ...] = ()
    slot: Positive = Fraction(1, 10)
    time_scale: Positive = Fraction(1)
    limit: Whole = Field(default=1_000_000, ge=1)
    resources: Literal["max", "all"] = "max"
    arrival_rate: Positive | None = None


SlotWorkload = Annotated[
    SlotPoisson | SlotBatches | SlotCounts | ScriptedSlots | TraceSlots,
    Field(discriminator="kind"),
    told_by("kind", SlotPoisson, SlotBatches, SlotCounts, ScriptedSlots, TraceSlots),
]
