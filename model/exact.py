"""Exact numbers: rationals from text, and common integer units for arrays.

Configurations, GPA and critical loads are computed in integers and rationals; a
decimal in a scenario means exactly what is written (0.1 is 1/10).
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Sequence

#: Scaled integers stay below this bound, so that products of two of them fit int64.
INTEGER_BOUND = 2**31


def rational(value: int | float | str | Fraction) -> Fraction:
    """The rational that *value* stands for as written.

    Accepts integers, decimals and strings such as ``"3/5"`` or ``"0.25"``.  A float is
    read through its shortest decimal form, so ``0.1`` is 1/10.

    Raises
    ------
    ValueError
        If *value* is not a finite number.
    """
    if isinstance(value, float):
        return Fraction(repr(value))
    try:
        return Fraction(value)
    except ZeroDivisionError:
        raise ValueError(f"'{value}' divides by zero") from None


def common_units(values: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """Integers ``n_i`` and a unit ``w > 0`` with ``values[i] = n_i * w``, ``w`` largest.

    Raises
    ------
    ValueError
        If an integer would reach :data:`INTEGER_BOUND`: the values are too far apart.
    """
    denominator = lcm(*(value.denominator for value in values)) if values else 1
    numerators = [int(value * denominator) for value in values]
    divisor = gcd(*numerators) if numerators else 1
    divisor = divisor or 1
    integers = [number // divisor for number in numerators]
    largest = max((abs(number) for number in integers), default=0)
    if largest >= INTEGER_BOUND:
        raise ValueError(
            f"the values need {largest} units of {Fraction(divisor, denominator)}; "
            f"at most {INTEGER_BOUND - 1} are allowed: write them with fewer digits"
        )
    return integers, Fraction(divisor, denominator)
