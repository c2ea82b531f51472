"""Quantiles of Student's t-distribution, for intervals; scipy.special takes a tenth of a second to import."""

from __future__ import annotations

from functools import lru_cache
from math import atan, cos, exp, lgamma, pi, sin, sqrt, tan

#: Two-sided confidence of all intervals.
CONFIDENCE = 0.95

#: The same quantile of the normal distribution; module statistics takes longer to import than all that is here.
_NORMAL = 1.959963984540054

#: Degrees of freedom from which on the expansion about the normal distribution is exact to rounding.
_MANY = 1000

#: Newton's steps at most, and the relative step after which nothing but rounding is left.
_STEPS, _LAST_STEP = 60, 1e-12


@lru_cache(maxsize=1024)
def quantile(freedom: int) -> float:
    """How many standard errors a mean's interval reaches to either side, for so many degrees of freedom."""
    return _expanded(freedom, _NORMAL) if freedom >= _MANY else _solved(freedom, _NORMAL)


def _solved(freedom: int, start: float) -> float:
    """Newton's method for the angle theta = arctan(t / sqrt(freedom)), in which the probability is a finite sum."""
    angle = atan(start / sqrt(freedom))
    slope = 2 / sqrt(pi) * exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2))
    for _ in range(_STEPS):
        step = (CONFIDENCE - _within(freedom, angle)) / (slope * cos(angle) ** (freedom - 1))
        angle += step
        if abs(step) <= _LAST_STEP * angle:
            break
    return sqrt(freedom) * tan(angle)


def _within(freedom: int, angle: float) -> float:
    """The probability of at most t on either side; Abramowitz & Stegun, 26.7.3 and 26.7.4."""
    odd, squared = freedom % 2, cos(angle) ** 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for power in range(1 + odd, freedom, 2):
        total += term
        term *= squared * power / (power + 1)
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def _expanded(freedom: int, z: float) -> float:
    """The expansion in 1 / freedom about the normal quantile; Abramowitz & Stegun, 26.7.5."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    inverse = 1 / freedom
    return z + sum(term * inverse**power for power, term in enumerate(terms, 1))
