"""Quantiles of Student's t-distribution, for intervals."""

from __future__ import annotations

from functools import lru_cache

#: Two-sided confidence of all intervals.
CONFIDENCE = 0.95


@lru_cache(maxsize=1024)
def quantile(freedom: int) -> float:
    """How many standard errors a mean's interval reaches to either side, for so many degrees of freedom."""
    from scipy.special import stdtrit  # imported late: it takes a while, and the window waits

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))
