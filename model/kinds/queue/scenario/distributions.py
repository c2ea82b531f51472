"""The scenario's sections on distributions of job sizes, and of service times in whole slots.

Sizes are in the unit of the servers' capacity.  With several resources a size is a list with
one number for each resource, in the order of ``servers.capacity``.
"""

from __future__ import annotations

from fractions import Fraction
from math import erfc, inf, log, log1p, sqrt
from typing import Annotated, Any, Literal, Self, Sequence

from pydantic import AfterValidator, Field, PlainSerializer, PlainValidator, WithJsonSchema, model_validator

from slotscope.model.exact import rational
from slotscope.model.scenario.common import Deterministic, Erlang, Exponential, HyperExponential, LogNormal, Pareto
from slotscope.model.scenario.fields import Name, NotNegative, Numbers, Positive, Section, Whole, plain, told_by

#: Bounds that keep distributions within memory.
MOST_VALUES = 100_000
MOST_PARTS = 1000

#: Bounds on the shapes of beta distributions: beyond them the distribution is practically a step, and not every
#: generator can draw from it.
LEAST_SHAPE, MOST_SHAPE = Fraction(1, 1000), 10**6

#: The least probability that a truncation must leave, so that the tail is still resolved in floating point.
LEAST_CHANCE = 1e-9

_ONE = Fraction(1)


def _not_empty(values: tuple[Any, ...]) -> tuple[Any, ...]:
    if not values:
        raise ValueError("at least one entry")
    return values


#: Checked after the entries' own validation, because pydantic's minimum length would count only the valid entries.
NOT_EMPTY = AfterValidator(_not_empty)


def _size(value: Any) -> tuple[Fraction, ...]:
    several = isinstance(value, list | tuple)
    allowed = (
        "finite numbers of at least 0, one of them above 0"
        if several
        else "a finite number above 0, or text such as '3/5'"
    )
    try:
        numbers = tuple(_number(item) for item in (value if several else (value,)))
    except (ValueError, OverflowError):
        raise ValueError(allowed) from None
    if not numbers or min(numbers) < 0 or max(numbers) == 0:
        raise ValueError(allowed)
    return numbers


def _number(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise ValueError("not a number")
    return rational(value)


def _plain_size(size: tuple[Fraction, ...]) -> Any:
    return plain(size[0]) if len(size) == 1 else [plain(number) for number in size]


#: A job's size: one number, or a list with one for each resource.
Size = Annotated[
    tuple[Fraction, ...],
    PlainValidator(_size),
    PlainSerializer(_plain_size),
    WithJsonSchema({"type": ["number", "string", "array"]}),
]


def must_sum_to_one(what: str, shares: Sequence[Fraction]) -> None:
    """Refuse shares that do not sum to 1 exactly."""
    total = sum(shares, Fraction(0))
    if total != 1:
        raise ValueError(f"{what} must sum to 1 exactly, found the sum {plain(total)} (write thirds as '1/3')")


def one_for_each(what: str, found: int, values: int) -> None:
    """Refuse probabilities or counts whose number differs from that of the values."""
    if found != values:
        raise ValueError(f"{what} must be as many as values, {values}, found {found}")


class Likely(Section):
    """Finitely many values, of a type that a subclass sets; without probabilities all are equally likely."""

    distribution: Literal["discrete"]
    values: tuple[Any, ...]
    probabilities: Numbers = ()

    @model_validator(mode="after")
    def _probable(self) -> Self:
        if self.probabilities:
            one_for_each("probabilities", len(self.probabilities), len(self.values))
            must_sum_to_one("probabilities", self.probabilities)
        return self

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The probability of each value."""
        return self.probabilities or (Fraction(1, len(self.values)),) * len(self.values)


class Discrete(Likely):
    """Finitely many sizes; without probabilities all are equally likely."""

    values: Annotated[tuple[Size, ...], Field(max_length=MOST_VALUES), NOT_EMPTY]


class Empirical(Section):
    """Observed sizes, each with its number of observations in ``counts`` (once each without counts)."""

    distribution: Literal["empirical"]
    values: Annotated[tuple[Size, ...], Field(max_length=MOST_VALUES), NOT_EMPTY]
    counts: tuple[Annotated[Whole, Field(ge=1)], ...] = ()

    @model_validator(mode="after")
    def _counted(self) -> Self:
        if self.counts:
            one_for_each("counts", len(self.counts), len(self.values))
        return self

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The relative frequency of each value."""
        counts = self.counts or (1,) * len(self.values)
        total = sum(counts)
        return tuple(Fraction(count, total) for count in counts)


class _Interval(Section):
    """Sizes in (low, high]."""

    low: NotNegative = Fraction(0)
    high: Positive

    @model_validator(mode="after")
    def _low_below_high(self) -> Self:
        if self.low >= self.high:
            raise ValueError(f"high must be above low = {plain(self.low)}, found {plain(self.high)}")
        return self


class Uniform(_Interval):
    """Uniform on (low, high]."""

    distribution: Literal["uniform"]


class Beta(_Interval):
    """A beta variable with parameters a and b, stretched from (0, 1] to (low, high]."""

    distribution: Literal["beta"]
    a: Positive
    b: Positive

    @model_validator(mode="after")
    def _shaped(self) -> Self:
        for name, shape in (("a", self.a), ("b", self.b)):
            if not LEAST_SHAPE <= shape <= MOST_SHAPE:
                raise ValueError(f"{name} must be from {plain(LEAST_SHAPE)} to {MOST_SHAPE}, found {plain(shape)}")
        return self


class TruncatedNormal(_Interval):
    """Normal with this mean and deviation before it is truncated to (low, high]."""

    distribution: Literal["truncated-normal"]
    mean: Positive
    deviation: Positive

    @model_validator(mode="after")
    def _some_chance(self) -> Self:
        scale = float(self.deviation)
        _refuse_no_chance(float(self.low - self.mean) / scale, float(self.high - self.mean) / scale)
        return self


class TruncatedExponential(_Interval):
    """Exponential with this mean before it is truncated to (low, high]."""

    distribution: Literal["truncated-exponential"]
    mean: Positive


class TruncatedLogNormal(_Interval):
    """Lognormal with this mean and squared coefficient of variation before truncation."""

    distribution: Literal["truncated-lognormal"]
    mean: Positive
    squared_variation: Positive = _ONE

    @model_validator(mode="after")
    def _some_chance(self) -> Self:
        centre, spread = self.logarithm
        low = (log(self.low) - centre) / spread if self.low else -inf
        _refuse_no_chance(low, (log(self.high) - centre) / spread)
        return self

    @property
    def logarithm(self) -> tuple[float, float]:
        """Mean and deviation of the normal distribution of the logarithm, before truncation."""
        variance = log1p(float(self.squared_variation))
        return log(self.mean) - variance / 2, sqrt(variance)


def _refuse_no_chance(low: float, high: float) -> None:
    """Refuse a truncation of the standard normal distribution to (low, high] with a probability below LEAST_CHANCE.

    An interval above 0 is mirrored, because the probability of the lower tail is more precise.
    """
    if low > 0:
        low, high = -high, -low
    chance = (erfc(-high / sqrt(2)) - erfc(-low / sqrt(2))) / 2
    if chance < LEAST_CHANCE:
        raise ValueError(f"low and high must leave at least {LEAST_CHANCE:g} of the distribution, found {chance:.2g}")


_LINES = (Discrete, Empirical, Uniform, Beta, TruncatedNormal, TruncatedExponential, TruncatedLogNormal)

Line = Annotated[
    Discrete | Empirical | Uniform | Beta | TruncatedNormal | TruncatedExponential | TruncatedLogNormal,
    Field(discriminator="distribution"),
    told_by("distribution", *_LINES),
]


class MixturePart(Section):
    """One component of a mixture, and the share of jobs whose sizes are drawn from it."""

    share: Positive
    size: Line


class Mixture(Section):
    """A size from one of several distributions, chosen by their shares."""

    distribution: Literal["mixture"]
    parts: Annotated[tuple[MixturePart, ...], Field(max_length=MOST_PARTS), NOT_EMPTY]

    @model_validator(mode="after")
    def _whole(self) -> Self:
        must_sum_to_one("the shares of the parts", [part.share for part in self.parts])
        return self


Single = Annotated[
    Discrete | Empirical | Uniform | Beta | TruncatedNormal | TruncatedExponential | TruncatedLogNormal | Mixture,
    Field(discriminator="distribution"),
    told_by("distribution", *_LINES, Mixture),
]


class Independent(Section):
    """One distribution for each resource, independent of one another."""

    distribution: Literal["independent"]
    resources: dict[Name, Single]


AnySize = Annotated[
    Discrete
    | Empirical
    | Uniform
    | Beta
    | TruncatedNormal
    | TruncatedExponential
    | TruncatedLogNormal
    | Mixture
    | Independent,
    Field(discriminator="distribution"),
    told_by("distribution", *_LINES, Mixture, Independent),
]


#: Bound on slot numbers, far within the range of exact floating-point integers.
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
