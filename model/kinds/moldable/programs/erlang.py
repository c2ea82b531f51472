"""Erlang's loss formula, and where moldable jobs obey it.

If every job of a pool of m servers asks for i of them and i divides m, then the free servers are
always a multiple of i, so that no job gets fewer, and the pool is Erlang's system of m / i lines.
It does not depend on the distribution of the sizes beyond their mean.  So the linear rows of Table 1 in
Ghanbarian et al. (2025) are Erlang's where 5 divides n, and so is their greedy scheme.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Sequence


def erlang_b(lines: int, offered: float) -> float:
    """The blocking probability of Erlang's system.

    Parameters
    ----------
    lines:
        How many jobs there is room for, N >= 0.
    offered:
        a >= 0, the arrival rate times the mean time of a job.

    Raises
    ------
    ValueError
        If one of them is negative.
    """
    if lines < 0 or offered < 0:
        raise ValueError(f"found {lines} lines and {offered} offered, allowed: 0 or more")
    if not offered:
        return 0.0 if lines else 1.0
    blocking = 1.0
    for k in range(1, lines + 1):
        blocking = offered * blocking / (k + offered * blocking)
    return blocking


@dataclass(frozen=True)
class ErlangReference:
    """What jobs of one width meet, exactly.

    Attributes
    ----------
    width:
        i, on how many servers each runs.
    lines:
        m / i.
    offered:
        a, of these lines.
    blocking:
        The share of jobs that are blocked.
    mean_time:
        1 / s_i, of jobs with mean inherent size 1.
    """

    width: int
    lines: int
    offered: float
    blocking: float
    mean_time: float


def fixed_width(servers: int, width: int, speedup: Sequence[Fraction], work: Fraction) -> ErlangReference | None:
    """What jobs meet that all ask for *width* of a pool of servers; None unless it divides them.

    Parameters
    ----------
    servers:
        m, those of the pool.
    width:
        i.
    speedup:
        [d] s_1..s_d.
    work:
        The arrival rate at the pool times the mean inherent size: n rho_j.
    """
    if servers < width or servers % width:
        return None
    offered = float(work / speedup[width - 1])
    lines = servers // width
    blocking = erlang_b(lines, offered)
    return ErlangReference(width, lines, offered, blocking, float(1 / speedup[width - 1]))
