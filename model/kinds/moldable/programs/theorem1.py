"""The optimum of (P) in closed form and in rationals.

Ghanbarian, Mukhopadhyay, Mazumdar & Guillemin (2025), "On Optimal Server Allocation for Moldable
Jobs with Concave Speed-Up", Theorem 1 and Appendix B.  Sizes have mean 1: lambda is the load rho, and times
are multiples of a job's mean inherent size.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Sequence

#: s_1..s_d: concave and strictly increasing from s_0 = 0 and s_1 = 1.
Speedup = tuple[Fraction, ...]


@dataclass(frozen=True)
class Optimum:
    """An optimal solution of (P) with at most two widths."""

    load: Fraction  #: lambda, in (0, 1]
    y: tuple[Fraction, ...]  #: [d] y*_1..y*_d, jobs on each number of servers, divided by n
    p: tuple[Fraction, ...]  #: [d] p*_i = s_i y*_i / lambda, the probability that greedy(p*) requests i servers
    mean_time: Fraction  #: D* = sum of y*_i / lambda, for jobs with mean inherent size 1
    support: tuple[int, ...]  #: I*, the widths i with y*_i > 0, ascending
    case: str  #: "i", "ii" or "iii" of Theorem 1; "i" at s_d / d, where (i) and (ii) agree
    unique: bool  #: whether (P) has no other optimal solution
    busy: Fraction  #: q_1(y*) = sum of i y*_i, the share of servers in use

    @property
    def i1(self) -> int:
        """The smallest width in I*."""
        return self.support[0]

    @property
    def i2(self) -> int:
        """The largest width in I*; i1 or i1 + 1."""
        return self.support[-1]


@dataclass(frozen=True)
class Duals:
    """An optimal dual solution of (P), which proves the optimum; see Appendix B, (35)-(38)."""

    nu: Fraction  #: of the equality, with the sign of the Lagrangian
    servers: Fraction  #: theta_0 >= 0, of q_1(y) <= 1: the rate at which D* falls as this bound rises
    widths: tuple[Fraction, ...]  #: [d] theta_i = 1 / lambda + nu s_i + theta_0 i >= 0, and 0 where y*_i > 0


def optimum(speedup: Sequence[Fraction], load: Fraction) -> Optimum | None:
    """An optimal solution of (P), or None if there is none: for a load above 1 (Proposition 1).

    Ghanbarian et al. (2025), Theorem 1, (7)-(9).

    - *speedup*: [d] s_1..s_d, concave and strictly increasing, with s_1 = 1.
    - *load*: lambda.

    Raises ValueError if the load is not above 0.
    """
    if load <= 0:
        raise ValueError(f"found a load of {load}, allowed: above 0")
    if load > 1:
        return None
    degree = len(speedup)
    if load <= speedup[-1] / degree:
        return _solution(speedup, load, {degree: load / speedup[-1]}, "i")
    # The last i with load <= s_i / i; s_i / i decreases, but perhaps not strictly at first.
    i = next(i for i in range(degree - 1, 0, -1) if load * i <= speedup[i - 1])
    here, after = speedup[i - 1] / i, speedup[i] / (i + 1)
    if load == here:
        return _solution(speedup, load, {i: load / speedup[i - 1]}, "ii")
    gap = here - after
    return _solution(
        speedup,
        load,
        {
            i: (load - after) / gap / i,  # (7)
            i + 1: (here - load) / gap / (i + 1),  # (8)
        },
        "iii",
    )


def _solution(speedup: Sequence[Fraction], load: Fraction, jobs: dict[int, Fraction], case: str) -> Optimum:
    y = tuple(jobs.get(i, Fraction(0)) for i in range(1, len(speedup) + 1))
    return Optimum(
        load=load,
        y=y,
        p=tuple(s * share / load for s, share in zip(speedup, y, strict=True)),
        mean_time=sum(jobs.values(), Fraction(0)) / load,
        support=tuple(sorted(jobs)),
        case=case,
        unique=case == "i" or not _on_a_line(speedup, jobs),
        busy=sum((i * share for i, share in jobs.items()), Fraction(0)),
    )


def _on_a_line(speedup: Sequence[Fraction], jobs: dict[int, Fraction]) -> bool:
    """Whether jobs of a used width could be replaced by jobs of its two neighbouring widths.

    Theorem 1 requires s_i - s_{i-1} > s_{i+1} - s_i > s_{i+2} - s_{i+1} in (iii); without
    s_{i+2} there is no second inequality.  It calls (ii) unique without a condition, but jobs on
    i servers can be exchanged for as many on i - 1 and i + 1 if these three lie on a line, as in
    s = (1, 3/2, 2) for lambda = 3/4.
    """
    return any(1 < i < len(speedup) and 2 * speedup[i - 1] == speedup[i - 2] + speedup[i] for i in jobs)


def duals(speedup: Sequence[Fraction], found: Optimum) -> Duals:
    """Multipliers that satisfy (35)-(38) with *found*, exactly.

    In case (ii) there are several; these are the limits from smaller loads.
    """
    load, i = found.load, found.i1
    if found.case == "i":
        nu, servers = -1 / (load * speedup[-1]), Fraction(0)
    else:
        here, after = speedup[i - 1], speedup[i]
        # (39) for i and i + 1: 1 / lambda + nu s + theta_0 i = 0.
        nu = -1 / (load * (here * (i + 1) - after * i))
        servers = -nu * (after - here)
    widths = (1 / load + nu * s + servers * i for i, s in enumerate(speedup, 1))
    return Duals(nu, servers, tuple(widths))


def knots(speedup: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
    """The breakpoints (lambda, sum of y*_i) of the number of jobs in the optimum as a function of the load.

    It is linear in lambda between (0, 0), (s_d / d, 1 / d), ..., (s_i / i, 1 / i), ..., (1, 1 / i);
    D* is this number divided by lambda.  Of widths with the same s_i / i the largest counts.
    """
    found = [(Fraction(0), Fraction(0))]
    for i in range(len(speedup), 0, -1):
        ratio = speedup[i - 1] / i
        if ratio > found[-1][0]:
            found.append((ratio, Fraction(1, i)))
    return tuple(found)
