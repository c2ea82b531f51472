"""The linear program (3.2) in PuLP, solved and then proved.

Psychas & Ghaderi (2022), Section 3.  Only maximal configurations matter for the value, so
only those are written into the program; if even they are too many, those that the exact method of
:mod:`model.kinds.reservation.programs.optimum` generated.  A solver works in floating point; its
vertex is then recomputed in rationals from the configurations that it uses, and proved optimal over
all feasible configurations by dual prices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Sequence

from slotscope.model.kinds.reservation.programs.greedy import check_numbers
from slotscope.model.kinds.reservation.programs.optimum import ExactOptimum, exact_optimum
from slotscope.model.programs.configurations import Configuration, ConfigurationSpace
from slotscope.model.programs.solver import OBJECTIVE_TOLERANCE, choose_solver

#: The most maximal configurations that are listed in a program (0.2 s in PuLP).
MOST_WRITTEN = 1_000
#: Shares of the servers below this are 0 up to the solver's rounding.
SHARE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class RewardProgram:
    """The solution of LP (3.2)."""

    #: the solver's value, reward per server and unit of time.  Without a working solver the exact value.
    objective: float
    exact: Fraction  #: the exact value, proved
    status: str  #: ``optimal``, or one sentence that says what is wrong
    solver: str  #: the solver used; empty if none worked
    #: configurations, servers: the configurations in use, and the share of the servers of each
    configurations: tuple[Configuration, ...]
    servers: tuple[float, ...]
    jobs: tuple[float, ...]  #: [J] y_j
    workload_duals: tuple[float, ...]  #: [J] the price of (3.2b): the marginal value of a job of each type
    server_dual: float  #: the price of (3.2d): the marginal value of a server
    #: which constraints hold with equality: ``workload j`` and ``slots j``, types from 1, and ``servers``
    binding: tuple[str, ...]


def solve_optimum(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> RewardProgram:
    """U*[rho], LP (3.2): the reward per server in the limit of many servers.

    - *space*: K, over J types.
    - *rewards*, *workload*: [J] u_j and rho_j, both >= 0.

    Raises ValueError if a length is wrong, a number negative, or a search too long.
    """
    check_numbers(space, rewards, workload)
    written = _worth_writing(space, rewards, workload)
    answer = _ask_solver(written, rewards, workload)
    proof = exact_optimum(space, rewards, workload, known=answer.support or written)
    status, objective = answer.status, answer.objective
    if not answer.solved:
        objective = float(proof.value)
    elif not math.isclose(objective, proof.value, rel_tol=OBJECTIVE_TOLERANCE, abs_tol=OBJECTIVE_TOLERANCE):
        status = f"{answer.solver} found {objective:.9g}; the optimum is {float(proof.value):.9g}"
    return RewardProgram(
        objective=objective,
        exact=proof.value,
        status=status,
        solver=answer.solver,
        configurations=tuple(configuration for configuration, _ in proof.servers),
        servers=tuple(float(share) for _, share in proof.servers),
        jobs=tuple(map(float, proof.jobs)),
        workload_duals=tuple(map(float, proof.workload_prices)),
        server_dual=float(proof.server_price),
        binding=_binding(proof, workload),
    )


def _worth_writing(
    space: ConfigurationSpace, rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> list[Configuration]:
    """The maximal configurations; if they are too many, those that suffice for an optimum."""
    try:
        return [tuple(map(int, row)) for row in space.maximal(limit=MOST_WRITTEN)]
    except ValueError:
        generated = exact_optimum(space, rewards, workload).generated
        return [*generated, (0,) * space.types]


def _binding(proof: ExactOptimum, workload: Sequence[Fraction]) -> tuple[str, ...]:
    names = []
    for j, (jobs, offered) in enumerate(zip(proof.jobs, workload, strict=True)):
        slots = sum(share * configuration[j] for configuration, share in proof.servers)
        if jobs == offered:
            names.append(f"workload {j + 1}")
        if jobs == slots:
            names.append(f"slots {j + 1}")
    return (*names, "servers")


@dataclass(frozen=True)
class _Answer:
    """A solver's answer: whether it solved the program, and the configurations that it uses."""

    solved: bool
    solver: str
    status: str
    objective: float = math.nan
    support: tuple[Configuration, ...] = ()


def _ask_solver(
    configurations: Sequence[Configuration], rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> _Answer:
    """Formulate and solve the program; after a failure the status says why."""
    import pulp

    solver, name, note = choose_solver()
    if solver is None:
        return _Answer(False, "", note)
    problem, x = formulate(configurations, rewards, workload)
    try:
        code = problem.solve(solver)
    except pulp.PulpSolverError as error:
        return _Answer(False, name, f"{name} failed ({error}); the value is exact without it")
    if code != pulp.LpStatusOptimal:
        said = pulp.LpStatus[code].lower()
        return _Answer(False, name, f"{name} says '{said}'; the value is exact without it")
    support = tuple(
        configuration
        for configuration, variable in zip(configurations, x, strict=True)
        if variable.value() > SHARE_TOLERANCE
    )
    return _Answer(True, name, note, float(pulp.value(problem.objective)), support)


def formulate(
    configurations: Sequence[Configuration], rewards: Sequence[Fraction], workload: Sequence[Fraction]
) -> tuple[Any, list[Any]]:
    """LP (3.2) in PuLP.

    - *configurations*: [C][J] the configurations that may be used.
    - *rewards*, *workload*: [J] u_j and rho_j.

    Returns the problem and its variables x_k, in the order of *configurations*.
    """
    import pulp

    types = range(len(rewards))
    problem = pulp.LpProblem("reward", pulp.LpMaximize)
    x = [problem.add_variable(f"x_{i}", lowBound=0) for i in range(len(configurations))]
    y = [problem.add_variable(f"y_{j + 1}", lowBound=0) for j in types]
    problem += pulp.lpSum(float(rewards[j]) * y[j] for j in types)  # (3.2a)
    for j in types:
        problem += y[j] <= float(workload[j]), f"workload_{j + 1}"  # (3.2b)
        # Not as a sum of products, as PuLP makes an expression of each.
        slots = pulp.LpAffineExpression({x_k: k[j] for k, x_k in zip(configurations, x, strict=True) if k[j]})
        problem += slots >= y[j], f"slots_{j + 1}"  # (3.2c)
    problem += pulp.lpSum(x) == 1, "servers"  # (3.2d)
    return problem, x
