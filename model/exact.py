"""Exact numbers: rationals from text, and common integer units for arrays.

Configurations, GPA and critical loads are computed in integers and rationals; a
decimal in a scenario means exactly what is written (0.1 is 1/10).
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import starmap
from math import gcd, lcm
from operator import mul
from typing import Sequence

#: Scaled integers stay below this bound, so that products of two of them fit int64.
INTEGER_BOUND = 2**31

#: Numbers in scenarios lie between these (and may be 0), and are not written longer.
SMALLEST, LARGEST, LONGEST = Fraction(1, 10**30), Fraction(10**30), 80


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """The sum of the products of integers."""
    return sum(starmap(mul, zip(left, right, strict=True)))


def rational(value: int | float | str | Fraction) -> Fraction:
    """The rational that *value* stands for as written.

    Accepts integers, decimals and strings such as ``"3/5"`` or ``"0.25"``.  A float is
    read through its shortest decimal form, so ``0.1`` is 1/10.
    Raises ValueError if *value* is not a finite number, or beyond 10^30 or (except 0) below 10^-30.
    """
    if isinstance(value, float):
        value = repr(value)
    if isinstance(value, str) and (len(value) > LONGEST or _far_exponent(value)):
        raise ValueError("numbers lie between 10^-30 and 10^30")
    try:
        result = Fraction(value)
    except ZeroDivisionError:
        raise ValueError(f"'{value}' divides by zero") from None
    if result and not SMALLEST <= abs(result) <= LARGEST:
        raise ValueError("numbers lie between 10^-30 and 10^30")
    return result


def _far_exponent(text: str) -> bool:
    """Whether an exponent is so large that the integer alone would fill the memory."""
    exponent = re.search(r"[eE][-+]?([\d_]+)", text)
    return exponent is not None and int(exponent[1]) > 60


def logarithm(value: Fraction) -> float:
    """The float nearest to log *value* > 0, on every machine.

    What NumPy finds differs in its last digit from processor to processor, and so would all jobs that are drawn by it.
    """
    with localcontext(prec=50):
        return float((Decimal(value.numerator) / value.denominator).ln())


def common_units(values: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """Integers ``n_i`` and a unit ``w > 0`` with ``values[i] = n_i * w``, ``w`` largest.

    Raises ValueError if an integer would reach :data:`INTEGER_BOUND`: the values are too far apart.
    """
    denominator = lcm(*(value.denominator for value in values)) if values else 1
    numerators = [int(value * denominator) for value in values]
    divisor = gcd(*numerators) if numerators else 1
    divisor = divisor or 1
    integers = [number // divisor for number in numerators]
    largest = max((abs(number) for number in integers), default=0)
    if largest >= INTEGER_BOUND:
        raise ValueError(
            f"the values need {_told(largest, Fraction(divisor, denominator))}; "
            f"at most {INTEGER_BOUND - 1} are allowed: write them with fewer digits"
        )
    return integers, Fraction(divisor, denominator)


def _told(units: int, unit: Fraction) -> str:
    """So many units in a sentence that can be read."""
    if max(units, unit.denominator) < 10**15:
        return f"{units} units of {unit}"
    return f"about 10^{len(str(units)) - 1} units in common"
