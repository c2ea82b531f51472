"""The reservation factor g(L) (Psychas & Ghaderi 2022, Section 4, (4.1))."""

from __future__ import annotations

import re
from fractions import Fraction
from math import log
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from slotscope.model.exact import rational
from slotscope.model.scenario.fields import plain

_LOGARITHM = re.compile(r"\s*log\s*(?:\^\s*([0-9./]+))?\s*$")

#: The largest reservation factor.
MOST_SLOTS = 10**9

ALLOWED = "a number above 0 and at most 10^9, or 'log^p' for the natural logarithm of L to the power p, 0 < p <= 8"


class ReservationFactor(tuple[Fraction, bool]):
    """g(L): a constant, or (log L)^p with the natural logarithm."""

    __slots__ = ()

    def of(self, servers: int) -> Fraction:
        """g(L), exactly: of (log L)^p the float that it is computed as.

        Raises
        ------
        ValueError
            If g(L) is not above 0 (one server: log 1 = 0); with g = 0 and an empty start
            everything would be rejected for ever.
        """
        value: Fraction = self[0]
        if not self[1]:
            return value
        if servers < 2:
            raise ValueError("found g(L) = 0 because log 1 = 0, allowed: a number above 0")
        power: float = log(servers) ** float(value)
        return Fraction(power)

    def __str__(self) -> str:
        value, is_power = self
        if not is_power:
            return str(value)
        return "log" if value == 1 else f"log^{plain(value)}"


def _factor(value: Any) -> ReservationFactor:
    if isinstance(value, ReservationFactor):
        return value
    logarithm = _LOGARITHM.match(value) if isinstance(value, str) else None
    try:
        number = rational(logarithm[1] or 1) if logarithm else rational(value)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(ALLOWED) from None
    if isinstance(value, bool) or not 0 < number <= (8 if logarithm else MOST_SLOTS):
        raise ValueError(ALLOWED)
    return ReservationFactor((number, logarithm is not None))


Factor = Annotated[
    ReservationFactor,
    BeforeValidator(_factor),
    PlainSerializer(lambda factor: str(factor) if factor[1] else plain(factor[0]), return_type=int | float | str),
    WithJsonSchema({"type": ["number", "string"]}),
]
