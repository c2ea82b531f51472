"""The fluid system that greedy(p*) is compared with.

Ghanbarian et al. (2025), Section 5, (12): dx_i/dt = lambda p*_i - s_i x_i = s_i (y*_i - x_i).  It
describes servers without number: nothing in it keeps q_1(x) at or below 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: What the integration may be off by, relative to x and in jobs per server.
RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-9, 1e-12


def fluid_path(
    target: ArrayLike, rates: ArrayLike, until: float, start: ArrayLike | None = None, points: int = 200
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The solution of (12) from *start* on.

    Parameters
    ----------
    target:
        [d] y*_1..y*_d, divided by n.
    rates:
        [d] at which a job on i servers is completed: s_i, times mu_j where sizes have another mean
        than 1.
    until:
        The last time, in the unit of ``1 / rates``.
    start:
        [d] x(0); None for an empty system.
    points:
        How many times, from 0 to *until*.

    Returns
    -------
    The times [points] and x [points, d].
    """
    from scipy.integrate import solve_ivp

    goal, rate = np.asarray(target, np.float64), np.asarray(rates, np.float64)
    first = np.zeros_like(goal) if start is None else np.asarray(start, np.float64)
    times = np.linspace(0.0, until, points)
    found = solve_ivp(
        lambda _, x: rate * (goal - x),
        (0.0, until),
        first,
        method="LSODA",  # rates may lie far apart
        t_eval=times,
        rtol=RELATIVE_TOLERANCE,
        atol=ABSOLUTE_TOLERANCE,
        lband=0,  # the widths do not act on each other
        uband=0,
    )
    return times, np.asarray(found.y.T, np.float64)
