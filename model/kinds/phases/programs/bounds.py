"""All bounds on the servers of a scenario whose jobs have phases, for window and command line.

Hong, Xie & Wang (2023): the optimum of (61) and with it Nbar, the lower bound for every policy within the budget
(Theorem 2); the policy, its recurrent classes and pools (Appendices B.3 and C.2);
Lemma 7 as a check.  For jobs of fixed size also the linear program over configurations, whose
optimum is the same by Section 3.1.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from fractions import Fraction
from queue import Empty, SimpleQueue
from typing import Iterator, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from slotscope.model.errors import ScenarioError, UserError
from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import lattice_of
from slotscope.model.kinds.phases.numbers import PhaseNumbers, mean_lives, numbers_of
from slotscope.model.kinds.phases.programs.chains import Lemma7, chain_of, lemma7
from slotscope.model.kinds.phases.programs.plan import PoolPlan, ServerPlan
from slotscope.model.kinds.phases.programs.planning import classes_of, plan_of
from slotscope.model.kinds.phases.programs.policy import AT_ONCE, NOTHING, TIMERS, PolicyTable, policy_of
from slotscope.model.kinds.phases.programs.single_server import SingleServerSolution, solved
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.measures.metrics import Estimate
from slotscope.model.running.waiting import GivenUpError, waiting

#: Seconds between two answers while the program is being solved; seconds that the solver gets to stop.
PROGRESS_INTERVAL, FAREWELL = 0.5, 5.0


@dataclass(frozen=True)
class RecurrentClassRow:
    """A recurrent class of the policy's chain."""

    share: float  #: p_j
    #: configurations, passed: numbers of its waiting configurations, and of those of case 2 that it passes through
    configurations: int
    passed: int
    throughput: tuple[float, ...]  #: [I] requests of each type per unit of time by one server
    start: tuple[int, ...]  #: k0 [I]


class PhasePoint(NamedTuple):
    """The results of short runs of one policy at one scale, with 95 % intervals."""

    title: str
    scale: float  #: r
    active_servers: Estimate
    cost_rate: Estimate
    nbar: float | None  #: of the plan that JRS used; None for its peers


@dataclass(frozen=True, eq=False)
class PhasesBounds:
    """What is known so far; each later answer has all of the earlier ones, and more."""

    phases: tuple[str, ...] = ()  #: [I] names of the types
    configurations: int = 0  #: |K|; 0 if not known
    scale: Fraction = Fraction(0)  #: r
    mean_jobs: float = 0.0  #: E[Z], the mean number of real jobs in the long run, the same under every policy
    budget: float = 0.0  #: epsilon; 0 if capacities are hard
    iterations: int = 0  #: steps of the solver so far
    phi: float | None = None  #: Phi*; the best value so far while ``solved`` is False
    solved: bool = False  #: whether all that follows is known
    exact_phi: Fraction | None = None  #: Phi* as a rational if it was proved
    nbar: float | None = None  #: Nbar = r / Phi*, a lower bound on the servers of any policy within budget (Theorem 2)
    spent: float | None = None  #: h^T pi / (1 - pi(0))
    #: budget_price, type_prices: dual variables of (61)
    budget_price: float | None = None
    type_prices: tuple[float, ...] = ()
    #: certified, gap, status, method: see :class:`model.kinds.phases.programs.single_server.SingleServerSolution`
    certified: bool = False
    gap: float = 0.0
    status: str = ""
    method: str = ""
    cases: tuple[int, int, int] = (0, 0, 0)  #: numbers of configurations of cases 1, 2 and 3
    timers: int = 0  #: number of configurations with a timer
    classes: tuple[RecurrentClassRow, ...] = ()  #: recurrent classes, largest share first
    pools: tuple[PoolPlan, ...] = ()  #: pools of JRS at this scale
    lemma7: Lemma7 | None = None  #: the difference between the policy's chain and pi and u
    packing: float | None = None  #: 1 / Phi* by the program over configurations, if jobs have a fixed size; else None
    #: short runs at this scale and others (:mod:`model.kinds.phases.experiments.phase_runs`)
    points: tuple[PhasePoint, ...] = ()
    problem: str = ""  #: why something is missing, as a sentence; or empty


#: The class of what :meth:`model.kinds.spec.Kind.no_bounds` returns.
BOUNDS = PhasesBounds


def all_bounds(scenario: PhasesScenario) -> Iterator[PhasesBounds]:
    """Yield the bounds of a scenario: first |K| and the mean number of jobs, then the progress of the
    solver, then the solution; each answer can be pickled.

    A scenario without bounds raises nothing: ``problem`` says why there are none.
    """
    try:
        numbers = numbers_of(scenario)
    except ScenarioError as error:
        yield PhasesBounds(problem=f"Nothing bounds the servers yet: {error.line}.")
        return
    yield from bounds_of(numbers)


def bounds_of(numbers: PhaseNumbers) -> Iterator[PhasesBounds]:
    """As :func:`all_bounds`, for the numbers of a scenario."""
    model = numbers.model
    bounds = PhasesBounds(
        phases=model.phases, scale=numbers.scale, mean_jobs=float(numbers.mean_jobs), budget=float(model.budget)
    )
    if not any(model.arrival_rates):
        yield replace(bounds, problem="Nothing arrives but what the script says, so there is no long run to bound.")
        return
    try:
        bounds = replace(bounds, configurations=len(lattice_of(model)))
        yield bounds
        for answer in _solving(model):
            if isinstance(answer, SingleServerSolution):
                yield _with_solution(bounds, numbers, answer)
            else:
                iterations, phi = answer
                yield replace(bounds, iterations=iterations, phi=phi if phi > 0 else None)
    except UserError as error:
        yield replace(bounds, problem=f"Nothing bounds the servers: {error.line}.")


def _solving(model: JobModel) -> Iterator[SingleServerSolution | tuple[int, float]]:
    """Yield the solver's progress from time to time, and at last the solution.

    The solver runs in a thread of its own.  If no more answers are wanted it is cancelled, and this function waits
    for its end: at the exit of Python the solver would call back into objects that no longer exist.
    """
    reports: SimpleQueue[SingleServerSolution | BaseException] = SimpleQueue()
    last: list[tuple[int, float]] = []
    stop = threading.Event()

    def work() -> None:
        try:
            with waiting(lambda _: None, stop.is_set):
                reports.put(solved(model, lambda steps, phi: last.append((steps, phi))))
        except GivenUpError:
            pass
        except BaseException as error:
            reports.put(error)

    solver = threading.Thread(target=work, name="single-server problem", daemon=True)
    solver.start()
    try:
        while True:
            try:
                found = reports.get(timeout=PROGRESS_INTERVAL)
            except Empty:
                if last:
                    yield last[-1]
                continue
            if isinstance(found, BaseException):
                raise found
            yield found
            return
    finally:
        stop.set()
        solver.join(FAREWELL)


def _with_solution(bounds: PhasesBounds, numbers: PhaseNumbers, found: SingleServerSolution) -> PhasesBounds:
    model = numbers.model
    policies = [(part, policy_of(part.stationary, part.requests)) for part in found.parts]
    plan: ServerPlan = plan_of(model, numbers.scale, policies, found.certified, "solved")
    table = policy_of(found.stationary, found.requests)
    checks = [lemma7(own, chain_of(model, plan.lattice, own), part) for part, own in policies]
    classes = [
        RecurrentClassRow(
            one.share, len(one.members), len(one.vanishing), tuple(one.throughput.tolist()), tuple(one.start.tolist())
        )
        for part, own in policies
        for one in classes_of(model, part, own)
    ]
    return replace(
        bounds,
        iterations=found.iterations,
        phi=found.phi,
        solved=True,
        exact_phi=found.exact_phi,
        nbar=float(numbers.scale) * found.nbar_per_r,
        spent=found.spent,
        budget_price=None if model.hard else found.budget_price,
        type_prices=found.type_prices,
        certified=found.certified,
        gap=found.gap,
        status=found.status,
        method=found.method,
        cases=_cases(table),
        timers=int((table.rate > 0).any(axis=1).sum()),
        classes=tuple(sorted(classes, key=lambda one: -one.share)),
        pools=plan.pools,
        lemma7=Lemma7(max(check.stationary for check in checks), max(check.requests for check in checks)),
        packing=packing(model) if model.hard else None,
    )


def _cases(table: PolicyTable) -> tuple[int, int, int]:
    counts = [int((table.case == case).sum()) for case in (TIMERS, AT_ONCE, NOTHING)]
    return counts[0], counts[1], counts[2]


def packing(model: JobModel) -> float:
    """Servers per unit of r by the program over configurations, for jobs of fixed size.

    Hong, Xie & Wang (2023), Section 3.1: min sum of x_k subject to sum of k_i x_k >= rho_i, the
    mean number of jobs of each type.
    """
    rates = zip(model.arrival_rates, mean_lives(model), strict=True)
    mean = np.array([float(rate * life) for rate, life in rates])
    jobs = sparse.csr_matrix(lattice_of(model).configurations.T.astype(np.float64))
    found = linprog(np.ones(jobs.shape[1]), -jobs, -mean, method="highs")
    return float(found.fun)
