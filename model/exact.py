"""Exact numbers: rationals from text, and common integer units for arrays.

Configurations, GPA and critical loads are computed in integers and rationals; a decimal in a scenario
is taken exactly as written (0.1 is 1/10).
"""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import starmap
from math import gcd, lcm
from operator import mul
from typing import Sequence

#: Scaled integers stay below this bound, so that the product of two of them fits int64.
INTEGER_BOUND = 2**31

#: The range of absolute values of numbers in scenarios (which may also be 0), and the most characters of one.
SMALLEST, LARGEST, LONGEST = Fraction(1, 10**30), Fraction(10**30), 80


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """The dot product of two vectors of integers."""
    return sum(starmap(mul, zip(left, right, strict=True)))


def rational(value: int | float | str | Fraction) -> Fraction:
    """The rational that *value* represents as written.

    Accepts integers, decimals and strings such as ``"3/5"`` or ``"0.25"``.  A float is read through its
    shortest decimal form, so that ``0.1`` is 1/10.
    Raises ValueError if *value* is not a finite number, or its size is above 10^30 or (except 0) below 10^-30.
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
    """Whether an exponent is so large that the number would fill the memory as an integer."""
    exponent = re.search(r"[eE][-+]?([\d_]+)", text)
    return exponent is not None and int(exponent[1]) > 60


def logarithm(value: Fraction) -> float:
    """The float nearest to log *value*, *value* > 0; the same on every machine.

    NumPy's logarithm differs in the last digit between processors, and so would all jobs drawn with it.
    """
    with localcontext(prec=50):
        return float((Decimal(value.numerator) / value.denominator).ln())


def common_units(values: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """Integers ``n_i`` and the largest unit ``w > 0`` with ``values[i] = n_i * w``.

    Raises ValueError if an integer would reach :data:`INTEGER_BOUND`, because the values are too far apart.
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
    """A number of units as text, readable also if it is very large."""
    if max(units, unit.denominator) < 10**15:
        return f"{units} units of {unit}"
    return f"about 10^{len(str(units)) - 1} units in common"
