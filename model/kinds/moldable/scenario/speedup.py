"""Speed-ups of moldable jobs in a scenario: a list, or a law.

A job on i servers runs s_i times as fast as on one.  Every speed-up must satisfy the paper's (P1), s_1 = 1 and
strictly increasing, and (P2), concave (Ghanbarian et al. (2025), Section 2);
(P2) in its literal form, s_i / i not increasing, would not be enough for Theorem 1.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Annotated, Any, Iterable, Literal, Mapping

from pydantic import Field, TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from slotscope.model.scenario.fields import Exact, Numbers, Positive, Section, Whole, plain
from slotscope.model.scenario.validation import shown

#: Largest d, the degree of parallelism.
MOST_DEGREE = 1000

#: Smallest distance of an exponent from 0 and 1; nearer ones give steps that rounding would hide.
LEAST_EXPONENT = Fraction(1, 10**6)

#: Decimals of an irrational power, and the digits with which it is computed.
PLACES = Decimal(1).scaleb(-15)
_DIGITS = Context(prec=50, rounding=ROUND_HALF_EVEN)

Degree = Annotated[Whole, Field(ge=1, le=MOST_DEGREE)]


class LinearSpeedup(Section):
    """s_i = i up to the degree d."""

    law: Literal["linear"]
    degree: Degree

    def factors(self) -> tuple[Fraction, ...]:
        """s_1, ..., s_d."""
        return tuple(Fraction(i) for i in range(1, self.degree + 1))


class AmdahlSpeedup(Section):
    """s_i = 1 / ((1 - p) + p / i), where p is the parallel fraction of the job (Section 1)."""

    law: Literal["amdahl"]
    parallel: Positive
    degree: Degree

    @model_validator(mode="after")
    def _is_a_part(self) -> AmdahlSpeedup:
        if self.parallel > 1:
            raise ValueError(f"parallel must be a part above 0 and at most 1, found {plain(self.parallel)}")
        return self

    def factors(self) -> tuple[Fraction, ...]:
        """s_1, ..., s_d."""
        return tuple(i / (i * (1 - self.parallel) + self.parallel) for i in range(1, self.degree + 1))


class PowerSpeedup(Section):
    """s_i = i^exponent, to 15 decimals if it is irrational."""

    law: Literal["power"]
    exponent: Positive
    degree: Degree

    @model_validator(mode="after")
    def _is_concave(self) -> PowerSpeedup:
        if self.exponent != 1 and not LEAST_EXPONENT <= self.exponent <= 1 - LEAST_EXPONENT:
            raise ValueError(
                f"exponent must be 1, or from {plain(LEAST_EXPONENT)} to {plain(1 - LEAST_EXPONENT)}, so that every "
                f"further server helps, and none more than the one before; found {plain(self.exponent)}"
            )
        return self

    def factors(self) -> tuple[Fraction, ...]:
        """s_1, ..., s_d."""
        exponent = _DIGITS.divide(self.exponent.numerator, self.exponent.denominator)
        return tuple(_power(i, exponent) for i in range(1, self.degree + 1))


def _power(base: int, exponent: Decimal) -> Fraction:
    return Fraction(_DIGITS.quantize(_DIGITS.power(base, exponent), PLACES))


SpeedupLaw = LinearSpeedup | AmdahlSpeedup | PowerSpeedup

_LAWS: Mapping[str, type[SpeedupLaw]] = {"linear": LinearSpeedup, "amdahl": AmdahlSpeedup, "power": PowerSpeedup}

#: The allowed forms of a speed-up.
_ALLOWED = "a list s_1, s_2, ... such as [1, 1.8, 2.5], or a table with law = 'linear', 'amdahl' or 'power'"


def first_fault(factors: Iterable[Fraction]) -> str:
    """What is wrong with s_1, s_2, ... at the first index that fails; empty if nothing is."""
    before, step = Fraction(0), Fraction(1)
    for i, factor in enumerate(factors, 1):
        if i == 1 and factor != 1:
            return f"s_1 = 1, but s_1 is {plain(factor)}; sizes are times on one server"
        if factor <= before:
            return (
                f"an increasing speed-up, but s_{i} = {plain(factor)} is not above "
                f"s_{i - 1} = {plain(before)}; leave out servers that do not help"
            )
        if factor - before > step:
            earlier = f"s_{i - 1} - s_{i - 2} = {plain(step)}" if i > 2 else f"s_1 = {plain(step)}"
            return (
                f"a concave speed-up, but s_{i} - s_{i - 1} = {plain(factor - before)} is "
                f"above {earlier}; no step may be larger than the one before"
            )
        before, step = factor, factor - before
    return ""


def _concave(factors: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    if not factors:
        raise ValueError(f"at least s_1 = 1; {_ALLOWED}")
    if len(factors) > MOST_DEGREE:
        raise ValueError(f"at most {MOST_DEGREE} numbers, found {len(factors)}")
    fault = first_fault(factors)
    if fault:
        raise ValueError(fault)
    return factors


_LIST: TypeAdapter[tuple[Fraction, ...]] = TypeAdapter(Numbers)


def _either(value: Any, _: ValidatorFunctionWrapHandler) -> tuple[Fraction, ...] | SpeedupLaw:
    if isinstance(value, SpeedupLaw):
        return value
    if isinstance(value, Mapping):
        law = value.get("law")
        if not isinstance(law, str) or law not in _LAWS:
            found = f"the law {shown(law)}" if "law" in value else "a table without a law"
            raise ValueError(f"found {found}, allowed: {_ALLOWED}")
        return _LAWS[law].model_validate(value)
    if not isinstance(value, list | tuple | str):
        raise ValueError(_ALLOWED)
    return _concave(_LIST.validate_python(value))


#: A speed-up: s_1, s_2, ... or a law that gives them.
Speedup = Annotated[tuple[Exact, ...] | SpeedupLaw, WrapValidator(_either)]


def factors_of(speedup: tuple[Fraction, ...] | SpeedupLaw) -> tuple[Fraction, ...]:
    """s_1, ..., s_d."""
    return speedup if isinstance(speedup, tuple) else speedup.factors()
