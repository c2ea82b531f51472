"""Bounds on the distance of the system from the optimum, as in the paper, for a given n.

Ghanbarian et al. (2025), Proposition 2, (19), and Section 5.2, (29)-(34).  The numbers use the constants that
the paper prints in front of its orders.

For |I*| = 1 the bounds are proved.  For |I*| = 2 they are not, for two reasons.

- (23) uses Lemma 2, that at most one job runs on fewer than i1 servers.  That is false if
  i1 >= 2: a job that got a single server does not keep the next one from getting, say, 3 of
  the 4 servers that another job frees, and the one after it from getting the last.  Then there are two,
  and in large systems many.
- (28) uses Lemma 3, that P(r > lambda + delta) is at most of the order 1 / (n delta), with a delta
  that shrinks like 1 / sqrt(n).  But so do the fluctuations of r, and the probability does not vanish.  With linear
  speed-up, lambda = 0.8, n = 10,000 and delta = 0.01 it is 0.303 and the bound 0.126.  (The lemma's
  proof takes steps of V_2 to be of the order 1 / n; at r = lambda + delta they are not.)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Sequence

from slotscope.model.kinds.moldable.programs.theorem1 import Optimum


@dataclass(frozen=True)
class DistanceBounds:
    """The bounds of Theorem 2 as numbers."""

    squared: float  #: on E[sum over I* of s_i (x_i - y*_i)^2], (19), minimized over ``delta``
    distance: float  #: on E||x - y*||
    blocking: float  #: on P_b, (31); trivial unless below 1
    #: on |E[D] - D*| for jobs with mean inherent size 1: by (33), or for |I*| = 1 by what follows from (34).  Both need
    #: P_b; this uses the bound on it, and is None if that is not below 1.
    time: float | None
    #: the best delta in (0, 1 - lambda), or its upper end if (19) decreases up to it; None for |I*| = 1, which needs
    #: none
    delta: float | None
    proved: bool  #: whether the paper's proof is correct: for |I*| = 1


def theorem2(servers: int, speedup: Sequence[Fraction], found: Optimum) -> DistanceBounds:
    """The bounds of Theorem 2 for n servers.

    - *servers*: n; for a class of (Q) its own servers.
    - *speedup*: [d] s_1..s_d.
    - *found*: The optimum for these servers.
    """
    degree, load = len(speedup), float(found.load)
    squared, delta = (1 + 2 * degree) / servers, None
    if found.i1 != found.i2:
        delta = best_delta(servers, speedup, found)
        squared += _second_term(servers, speedup, found, delta)
    distance = 1 / servers + sqrt(2 * squared)
    blocking = degree * distance / load
    time = None
    if blocking < 1:
        time = time_bound(servers, found, blocking, distance)
    return DistanceBounds(squared, distance, blocking, time, delta, delta is None)


def time_bound(servers: int, found: Optimum, blocking: float, distance: float) -> float:
    """The bound on |E[D] - D*|, from P_b < 1 and E||x - y*||, or bounds on them."""
    load = float(found.load)
    if found.i1 == found.i2:
        return 1 / (servers * load * (1 - blocking))  # below (34)
    return (distance + blocking) / ((1 - blocking) * load)  # (33)


def slope_gap(speedup: Sequence[Fraction], found: Optimum) -> Fraction:
    """s_{i1} / i1 - s_{i2} / i2, for |I*| = 2."""
    return speedup[found.i1 - 1] / found.i1 - speedup[found.i2 - 1] / found.i2


def best_delta(servers: int, speedup: Sequence[Fraction], found: Optimum) -> float:
    """The delta that minimizes (19): for a / delta + b delta it is sqrt(a / b).

    It is at most 1 - lambda, up to which (19) decreases if the root is larger; lambda < 1 if |I*| = 2.
    """
    gap = float(slope_gap(speedup, found))
    return min(sqrt(2 * len(speedup) * gap / (servers * float(found.load))), 1 - float(found.load))


def _second_term(servers: int, speedup: Sequence[Fraction], found: Optimum, delta: float) -> float:
    """The term of (19) that the indicator of |I*| = 2 multiplies."""
    degree, load, gap = len(speedup), float(found.load), float(slope_gap(speedup, found))
    fixed = 2 * degree / servers * (1 / load + 1 / gap)
    return fixed + 4 * degree / (servers * load * delta) + 2 * delta / gap
