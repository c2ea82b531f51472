"""Distributions of service in whole slots, as a scenario says them."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from slotscope.model.kinds.queue.scenario.distributions import MOST_VALUES, NOT_EMPTY, Likely
from slotscope.model.scenario.common import Deterministic, Erlang, Exponential, HyperExponential, LogNormal, Pareto
from slotscope.model.scenario.fields import Positive, Section, Whole, plain, told_by

#: Slots stay far within exact floating point.
MOST_SLOTS = 10**12

Slots = Annotated[Whole, Field(ge=1, le=MOST_SLOTS)]


class Geometric(Section):
    """P(s slots) = (1 - 1/mean)^(s-1) / mean for s = 1, 2, ..."""

    distribution: Literal["geometric"] = "geometric"
    mean: Positive = Fraction(100)

    @model_validator(mode="after")
    def _at_least_one_slot(self) -> Self:
        if not 1 <= self.mean <= MOST_SLOTS:
            raise ValueError(f"mean must be from 1 to {MOST_SLOTS} slots, found {plain(self.mean)}")
        return self


class Fixed(Section):
    """The same whole number of slots for every job."""

    distribution: Literal["fixed"]
    slots: Slots


class UniformSlots(Section):
    """Each of low, low + 1, ..., high slots equally likely."""

    distribution: Literal["uniform"]
    low: Slots = 1
    high: Slots

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.low > self.high:
            raise ValueError(f"high must be at least low = {self.low}, found {self.high}")
        return self


class DiscreteSlots(Likely):
    """Finitely many numbers of slots; without probabilities all are equally likely."""

    values: Annotated[tuple[Slots, ...], Field(max_length=MOST_VALUES), NOT_EMPTY]


#: Service times of continuous distributions are in slots and rounded up to whole ones.
_ROUNDED_UP = (Exponential, Deterministic, Erlang, HyperExponential, Pareto, LogNormal)

SlotService = Annotated[
    Geometric
    | Fixed
    | UniformSlots
    | DiscreteSlots
    | Exponential
    | Deterministic
    | Erlang
    | HyperExponential
    | Pareto
    | LogNormal,
    Field(discriminator="distribution"),
    told_by("distribution", Geometric, Fixed, UniformSlots, DiscreteSlots, *_ROUNDED_UP),
]
