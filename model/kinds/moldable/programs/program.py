"""(P) and (Q) as in the paper, formulated in PuLP and solved by its solvers.

Ghanbarian et al. (2025), Section 3, (P), and Section 6, (Q).  (P) is (Q) with one class whose
sizes have mean 1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Sequence

#: Largest deviation of a solver's objective, solution or duals from the closed form's.
SOLVER_TOLERANCE = 1e-6

#: PuLP's names of solvers, and their common names.
SOLVERS = {"HiGHS": "HiGHS", "COIN_CMD": "CBC", "PULP_CBC_CMD": "CBC"}


@dataclass(frozen=True)
class ProgramAnswer:
    """The answer of one solver."""

    solver: str  #: "HiGHS" or "CBC"
    status: str  #: "optimal", "infeasible", ..., or a sentence if the solver failed
    objective: float | None = None  #: (1 / lambda) sum of y_{i,j}; None unless optimal, like all below
    y: tuple[tuple[float, ...], ...] = ()  #: [l][d_j] y_{i,j}
    nu: tuple[float, ...] = ()  #: [l] duals of the equalities, with the sign of Appendix B
    servers: float | None = None  #: theta_0, the dual of sum of i y_{i,j} <= 1


def formulate(
    arrival_rates: Sequence[Fraction], loads: Sequence[Fraction], speedups: Sequence[Sequence[Fraction]]
) -> tuple[Any, list[list[Any]]]:
    """(Q) in PuLP; with one class and an arrival rate equal to its load it is (P).

    - *arrival_rates*, *loads*: [l] lambda_j, per server, and rho_j.
    - *speedups*: [l][d_j] s_{i,j}.

    Returns the problem and its variables y_{i,j} as [l][d_j].  The rows are named ``servers`` and ``class_1``,
    ``class_2``, ...
    """
    import pulp

    problem = pulp.LpProblem("moldable", pulp.LpMinimize)
    y = [
        [problem.add_variable(f"y_{i}_{j}", lowBound=0) for i in range(1, len(speedup) + 1)]
        for j, speedup in enumerate(speedups, 1)
    ]
    weight = 1 / float(sum(arrival_rates))
    problem += pulp.lpSum(weight * jobs for one in y for jobs in one)
    for j, (speedup, load) in enumerate(zip(speedups, loads, strict=True)):
        rate = pulp.lpSum(float(s) * jobs for s, jobs in zip(speedup, y[j], strict=True))
        problem += rate == float(load), f"class_{j + 1}"
    busy = pulp.lpSum(i * jobs for one in y for i, jobs in enumerate(one, 1))
    problem += busy <= 1, "servers"
    return problem, y


def available_solvers() -> tuple[str, ...]:
    """PuLP's names of the solvers that are available, HiGHS first, CBC at most once."""
    import pulp

    with _without_announcements():
        there = set(pulp.listSolvers(onlyAvailable=True))
    found = {SOLVERS[name]: name for name in reversed(SOLVERS) if name in there}
    return tuple(reversed(found.values()))


def solve(
    arrival_rates: Sequence[Fraction], loads: Sequence[Fraction], speedups: Sequence[Sequence[Fraction]], solver: str
) -> ProgramAnswer:
    """Solve (Q) with a solver of :func:`available_solvers`; see :func:`formulate`.

    If the solver fails, nothing is raised: the status says so.
    """
    import pulp

    problem, y = formulate(arrival_rates, loads, speedups)
    name = SOLVERS[solver]
    try:
        with _without_announcements():
            code = problem.solve(pulp.getSolver(solver, msg=False))
    except pulp.PulpSolverError as error:
        return ProgramAnswer(name, f"failed ({error})")
    status = str(pulp.LpStatus[code]).lower()
    if code != pulp.LpStatusOptimal:
        return ProgramAnswer(name, status)
    return ProgramAnswer(
        solver=name,
        status=status,
        objective=float(pulp.value(problem.objective)),
        y=tuple(tuple(float(jobs.value()) for jobs in one) for one in y),
        nu=tuple(_price(problem, f"class_{j + 1}") for j in range(len(y))),
        servers=_price(problem, "servers"),
    )


def _price(problem: Any, row: str) -> float:
    """The multiplier of a row: minus the derivative of the objective by its right-hand side."""
    return -float(problem.get_constraint_by_name(row).pi)


def _without_announcements() -> warnings.catch_warnings[None]:
    """Silence the warning of PuLP's own CBC that PuLP 4 will not include it."""
    return warnings.catch_warnings(action="ignore", category=DeprecationWarning)
