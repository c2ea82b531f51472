"""LP (61) by HiGHS's simplex method, called directly, and by any solver of PuLP.

Hong, Xie & Wang (2023), Appendix C.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.programs.program import SingleServerProgram
from slotscope.model.phrase import Phrase
from slotscope.model.running.waiting import GivenUpError, Waiter, nobody_waits, who_waits

#: HiGHS's feasibility tolerances; the entries of pi span many powers of ten.
TIGHT = 1e-10
#: Options of HiGHS that lead to different bases if rounding decides.
PRIMAL = 4
WAYS: tuple[Mapping[str, Any], ...] = (
    {},
    {"presolve": "off"},
    {"simplex_strategy": PRIMAL},
    {"presolve": "off", "simplex_strategy": PRIMAL},
    {"presolve": "off", "simplex_scale_strategy": 0},
)
#: Called by a solver at work with its iterations and the best Phi so far.
Progress = Callable[[int, float], None]


def unheard(_steps: int, _phi: float) -> None:
    """The :data:`Progress` of callers that need no progress."""


def check_wanted() -> None:
    """Stop solving if the caller's wait was cancelled. Raises GivenUpError if so."""
    if who_waits().stop():
        raise GivenUpError(Phrase("{doing}: stopped", doing=Phrase("Solving the single-server problem")))


@dataclass(frozen=True, eq=False)
class Basis:
    """The final basis of the simplex method."""

    phi: float  #: Phi
    #: values, prices: [columns] and [rows] the vertex and its dual variables, in floats
    values: NDArray[np.float64]
    prices: NDArray[np.float64]
    #: columns, rows: the basic columns, and the rows whose slack is basic
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    iterations: int  #: pivots


def by_highs(program: SingleServerProgram, progress: Progress = unheard, options: Mapping[str, Any] = WAYS[0]) -> Basis:
    """Solve with HiGHS, with further *options* of it.

    Raises ScenarioError if HiGHS does not end with an optimum; GivenUpError if the caller's wait was cancelled.
    """
    import highspy

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("solver", "simplex")
    for tolerance in ("primal_feasibility_tolerance", "dual_feasibility_tolerance"):
        solver.setOptionValue(tolerance, TIGHT)
    for name, value in options.items():
        solver.setOptionValue(name, value)
    solver.passModel(_model(program, highspy))
    if not nobody_waits():
        _listen(solver, progress, who_waits())
    solver.run()
    check_wanted()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        said = solver.modelStatusToString(status).lower()
        raise ScenarioError(f"HiGHS says '{said}' of the single-server problem (61)")
    solution, basis, info = solver.getSolution(), solver.getBasis(), solver.getInfo()
    basic = highspy.HighsBasisStatus.kBasic
    return Basis(
        phi=-float(info.objective_function_value),
        values=np.array(solution.col_value),
        prices=-np.array(solution.row_dual),
        columns=tuple(n for n, status in enumerate(basis.col_status) if status == basic),
        rows=tuple(n for n, status in enumerate(basis.row_status) if status == basic),
        iterations=int(info.simplex_iteration_count),
    )


def _model(program: SingleServerProgram, highspy: Any) -> Any:
    """(61) in the form of HiGHS: a minimum; each row between two limits."""
    matrix = program.matrix
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = program.columns, program.rows
    gain = np.zeros(program.columns)
    gain[-1] = -1.0
    right = np.array([float(program.right_side(row)) for row in range(program.rows)])
    lower = right.copy()
    if program.budget_row >= 0:
        lower[program.budget_row] = -np.inf
    model.col_cost_, model.col_lower_ = gain, np.zeros(program.columns)
    model.col_upper_ = np.full(program.columns, np.inf)
    model.row_lower_, model.row_upper_ = lower, right
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = matrix.indptr
    model.a_matrix_.index_ = matrix.indices
    model.a_matrix_.value_ = matrix.data
    return model


def _listen(solver: Any, progress: Progress, who: Waiter) -> None:
    """Report pivots to *progress*, and interrupt the solver if the wait was cancelled."""

    def interrupt(event: Any) -> None:
        told = event.data_out
        if isfinite(told.objective_function_value):  # not before the first step
            progress(int(told.simplex_iteration_count), -float(told.objective_function_value))
        if who.stop():
            event.data_in.user_interrupt = True

    solver.cbSimplexInterrupt.subscribe(interrupt)


def formulate(program: SingleServerProgram) -> tuple[Any, Any]:
    """(61) in PuLP, as in the paper: the problem, and its columns by name.

    The columns are ``pi_k``, ``u_i_k`` and ``Phi``, where k is the configuration's numbers of jobs.
    """
    import pulp

    model, lattice = program.model, program.lattice
    types = range(len(model.phases))
    names = ["_".join(map(str, row)) for row in lattice.configurations.tolist()]
    problem = pulp.LpProblem("single_server", pulp.LpMaximize)
    pi = [problem.add_variable(f"pi_{name}", lowBound=0) for name in names]
    u: list[dict[int, Any]] = [{} for _ in types]
    for k, i in zip(program.request_from.tolist(), program.request_type.tolist(), strict=True):
        u[i][k] = problem.add_variable(f"u_{i + 1}_{names[k]}", lowBound=0)
    phi = problem.add_variable("Phi", lowBound=0)
    problem += phi
    for k in range(len(lattice)):
        problem += _balance(program, k, pi, u) == 0, f"balance_{names[k]}"  # (57), (59)
    problem += pulp.lpSum(pi) == 1, "distribution"
    for i in types:
        problem += pulp.lpSum(u[i].values()) == float(model.arrival_rates[i]) * phi, f"type_{i + 1}"
    if not model.hard:
        weights = program.matrix[program.budget_row].toarray().ravel()
        cost = pulp.lpSum(weight * share for weight, share in zip(weights, pi, strict=False))
        problem += cost <= float(model.budget), "budget"  # h pi <= epsilon (1 - pi(0))
    return problem, problem.variablesDict()


def _balance(program: SingleServerProgram, k: int, pi: list[Any], u: list[dict[int, Any]]) -> Any:
    """The left side of (57) for one configuration: the flow into it less the flow out of it."""
    import pulp

    model, lattice = program.model, program.lattice
    here = lattice.configurations[k].tolist()
    parts: list[Any] = []
    for i, (above, below) in enumerate(zip(lattice.up[k].tolist(), lattice.down[k].tolist(), strict=True)):
        parts.append(-here[i] * float(model.out_rates[i]) * pi[k])
        if below >= 0:
            parts += [u[i][below]] if below in u[i] else []
            for to, rate in enumerate(model.moves):
                source = int(lattice.up[below, to])
                if rate[i] and source >= 0:  # a job moves from phase `to` to phase i
                    parts.append((here[to] + 1) * float(rate[i]) * pi[source])
        if above >= 0:
            parts.append((here[i] + 1) * float(model.departure_rates[i]) * pi[above])
            parts += [-u[i][k]] if k in u[i] else []
    return pulp.lpSum(parts)
