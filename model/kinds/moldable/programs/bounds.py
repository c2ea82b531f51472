"""All bounds on a system of moldable jobs, for the window and the command line.

Ghanbarian et al. (2025): Theorem 1 and (Q) in rationals, the same programs by solvers, the bounds of Theorem 2,
the fluid path from an empty system; and the exact measures of policies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from slotscope.model.errors import ScenarioError, UserError
from slotscope.model.kinds.moldable.numbers import MoldableNumbers, numbers_of
from slotscope.model.kinds.moldable.programs.classes import ClassesOptimum, value_curve
from slotscope.model.kinds.moldable.programs.distance import DistanceBounds, theorem2
from slotscope.model.kinds.moldable.programs.program import ProgramAnswer, available_solvers, solve
from slotscope.model.kinds.moldable.programs.references import PolicyReference, chain_reference, erlang_reference
from slotscope.model.kinds.moldable.programs.theorem1 import Duals, Optimum, duals, knots, optimum
from slotscope.model.kinds.moldable.rules import AllocationRules
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.policies import is_own, reference_for
from slotscope.model.policies.choice import choice_text
from slotscope.model.scenario.common import PolicyChoice
from slotscope.model.scenario.validation import validated

#: Tolerances of the integration: relative to x, and in jobs per server.
RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = 1e-9, 1e-12


def fluid_path(
    target: ArrayLike, rates: ArrayLike, until: float, start: ArrayLike | None = None, points: int = 200
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The solution, from *start* on, of the fluid system to which the paper compares greedy(p*): Section 5, (12).

    dx_i/dt = lambda p*_i - s_i x_i = s_i (y*_i - x_i).  The system has unlimited servers: nothing in it
    keeps q_1(x) at or below 1.

    - *target*: [d] y*_1..y*_d, divided by n.
    - *rates*: [d] completion rates of a job on i servers: s_i, times mu_j if sizes have a mean other than 1.
    - *until*: The last time, in the unit of ``1 / rates``.
    - *start*: [d] x(0); None for an empty system.
    - *points*: The number of times, from 0 to *until*.

    Returns the times [points] and x [points, d].
    """
    from scipy.integrate import solve_ivp

    goal, rate = np.asarray(target, np.float64), np.asarray(rates, np.float64)
    first = np.zeros_like(goal) if start is None else np.asarray(start, np.float64)
    times = np.linspace(0.0, until, points)
    found = solve_ivp(
        lambda _, x: rate * (goal - x),
        (0.0, until),
        first,
        method="LSODA",  # rates may differ by orders of magnitude
        t_eval=times,
        rtol=RELATIVE_TOLERANCE,
        atol=ABSOLUTE_TOLERANCE,
        lband=0,  # the equations are not coupled
        uband=0,
    )
    return times, np.asarray(found.y.T, np.float64)


#: Points of the curve of D* over the load, besides its breakpoints.
CURVE_POINTS = 400

#: Length of a fluid path, in multiples of the longest mean execution time on it.
FLUID_TIMES = 8

#: Policies whose exact measures are computed besides those of the scenario's own policy.
COMPARED = ("greedy-p", "greedy")


@dataclass(frozen=True, eq=False)
class ClassBounds:
    """The bounds for one class of jobs."""

    name: str  #: the name of the class
    #: speedup, ratios: [d] s_i, and s_i / i
    speedup: tuple[Fraction, ...]
    ratios: tuple[Fraction, ...]
    #: arrival_rate, mean, load: lambda_j, 1 / mu_j and rho_j
    arrival_rate: Fraction
    mean: Fraction
    load: Fraction
    #: (lambda, sum of y*_i) at the breakpoints of D*, see :func:`model.kinds.moldable.programs.theorem1.knots`
    knots: tuple[tuple[Fraction, Fraction], ...]
    curve: NDArray[np.float64]  #: [points, 2] loads and D*, in units of time, with the breakpoints among them
    share: Fraction | None = None  #: b_j; 1 with one class.  None, like all below, if there is no optimum.
    servers: int | None = None  #: b_j n, rounded down
    #: the solution of (P); with several classes that for the class's own servers, with the load rho_j / b_j
    optimum: Optimum | None = None
    #: y, p: [d] y*_{i,j}, divided by n, and p*_{i,j}
    y: tuple[Fraction, ...] = ()
    p: tuple[Fraction, ...] = ()
    mean_time: Fraction | None = None  #: D*_j, in units of time
    duals: Duals | None = None  #: multipliers of ``optimum``
    value: tuple[tuple[Fraction, Fraction], ...] = ()  #: (b, f_j(b)) at the breakpoints of f_j
    #: Theorem 2 for its own servers, in multiples of the mean size; None also if b_j n is not an integer
    theorem2: DistanceBounds | None = None
    #: fluid_times, fluid: [T] and [T, |I*|] the solution of (12) from an empty system: x_i for i in I*
    fluid_times: NDArray[np.float64] | None = None
    fluid: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class MoldableBounds:
    """What is known so far; each later answer has all of the earlier ones, and more."""

    servers: int = 0  #: n; 0 if nothing is known
    load: Fraction = Fraction(0)  #: rho, the sum of rho_j; 0 if not known
    classes: tuple[ClassBounds, ...] = ()  #: [l]
    solved: bool = False  #: whether (P), or (Q) for several classes, has a solution, which is then given
    solution: ClassesOptimum | None = None  #: of (Q); with one class it is the same as the class's ``optimum``
    mean_time: Fraction | None = None  #: D*, the least mean execution time of all jobs, in units of time: the objective
    answers: tuple[ProgramAnswer, ...] = ()  #: the solvers' answers to the same program, in units of time
    #: the largest deviation of a solver's objective from ``mean_time``, relative to it; None before there is one
    off: float | None = None
    #: poisson, exponential: whether arrivals are Poisson, and whether inherent sizes are exponential as well
    poisson: bool = False
    exponential: bool = False
    references: tuple[PolicyReference, ...] = ()  #: exact measures of policies, the scenario's own first
    finished: bool = False  #: whether this is the last answer
    problem: str = ""  #: why something is missing, as a sentence; or empty


#: The class of what :meth:`model.kinds.spec.Kind.no_bounds` returns.
BOUNDS = MoldableBounds


def all_bounds(scenario: MoldableScenario) -> Iterator[MoldableBounds]:
    """Yield the bounds of a scenario: the closed form, then the solvers' answers, then the exact measures of policies.

    Each answer can be pickled.  A scenario without bounds raises nothing: ``problem``
    says why there are none.
    """
    try:
        numbers = numbers_of(scenario)
    except ScenarioError as error:
        yield MoldableBounds(problem=f"Nothing bounds the jobs yet: {error.line}.", finished=True)
        return
    yield from bounds_of(scenario, numbers)


def bounds_of(scenario: MoldableScenario, numbers: MoldableNumbers) -> Iterator[MoldableBounds]:
    """As :func:`all_bounds`, for the numbers of a scenario."""
    poisson = scenario.workload.kind == "poisson"
    distributions = {item.size.distribution for item in scenario.classes}
    bounds = MoldableBounds(
        servers=numbers.servers,
        load=numbers.load,
        classes=tuple(_class_bounds(numbers, j) for j in range(numbers.classes)),
        poisson=poisson,
        exponential=poisson and distributions == {"exponential"},
        problem=_problem(numbers),
    )
    if numbers.optimum is not None:
        bounds = _with_solution(bounds, numbers, numbers.optimum)
    yield bounds
    if all(numbers.loads):
        bounds = _with_solvers(bounds, numbers)
        yield bounds
    if poisson:
        for better in _with_references(bounds, scenario, numbers):
            bounds = better
            yield bounds
    yield replace(bounds, finished=True)


def _problem(numbers: MoldableNumbers) -> str:
    program = "(P)" if numbers.classes == 1 else "(Q)"
    if not all(numbers.loads):
        return f"It is not known how many jobs arrive, so that {program} cannot be written down."
    if numbers.load > 1:
        return (
            f"{program} has no solution: the load is {float(numbers.load):.6g}, above 1 "
            "(Proposition 1). Whatever the policy does, jobs are blocked."
        )
    return ""


def _class_bounds(numbers: MoldableNumbers, j: int) -> ClassBounds:
    speedup, mean = numbers.speedups[j], numbers.means[j]
    return ClassBounds(
        name=numbers.class_names[j],
        speedup=speedup,
        ratios=tuple(s / i for i, s in enumerate(speedup, 1)),
        arrival_rate=numbers.arrival_rates[j],
        mean=mean,
        load=numbers.loads[j],
        knots=knots(speedup),
        curve=time_curve(speedup, mean),
    )


def time_curve(speedup: tuple[Fraction, ...], mean: Fraction) -> NDArray[np.float64]:
    """[points, 2] loads in (0, 1] and D* at each, in units of time.

    The breakpoints s_i / i are among the loads; up to s_d / d D* is constant.
    """
    bends = np.array(knots(speedup), np.float64)
    loads = np.union1d(np.linspace(0, 1, CURVE_POINTS + 1)[1:], bends[1:, 0])
    jobs = np.interp(loads, bends[:, 0], bends[:, 1])
    return np.column_stack([loads, float(mean) * jobs / loads])


def _with_solution(bounds: MoldableBounds, numbers: MoldableNumbers, solution: ClassesOptimum) -> MoldableBounds:
    classes = []
    total = sum(numbers.arrival_rates, Fraction(0))
    for j, one in enumerate(solution.classes):
        known = bounds.classes[j]
        single = optimum(known.speedup, known.load) if numbers.classes == 1 else None
        share, within = (Fraction(1), single) if single else (one.share, one.within)
        times, path = _fluid(known, one.y, within.support)
        own = share * numbers.servers
        whole = own.denominator == 1
        classes.append(
            replace(
                known,
                share=share,
                servers=floor(own),
                optimum=within,
                y=one.y,
                p=one.p,
                mean_time=one.mean_time,
                duals=duals(known.speedup, within),
                value=value_curve(known.load, total, known.speedup),
                theorem2=theorem2(int(own), known.speedup, within) if whole else None,
                fluid_times=times,
                fluid=path,
            )
        )
    return replace(bounds, classes=tuple(classes), solved=True, solution=solution, mean_time=solution.objective)


def _fluid(
    known: ClassBounds, y: tuple[Fraction, ...], support: tuple[int, ...]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    target = [float(y[i - 1]) for i in support]
    rates = [float(known.speedup[i - 1] / known.mean) for i in support]
    return fluid_path(target, rates, FLUID_TIMES / min(rates))


def _with_solvers(bounds: MoldableBounds, numbers: MoldableNumbers) -> MoldableBounds:
    answers = tuple(
        solve(numbers.arrival_rates, numbers.loads, numbers.speedups, solver) for solver in available_solvers()
    )
    off = None
    if bounds.mean_time is not None:
        best = float(bounds.mean_time)
        found = [answer.objective for answer in answers if answer.objective is not None]
        off = max((abs(value / best - 1) for value in found), default=None)
    return replace(bounds, answers=answers, off=off)


def _with_references(
    bounds: MoldableBounds, scenario: MoldableScenario, numbers: MoldableNumbers
) -> Iterator[MoldableBounds]:
    """Erlang's formula for all policies first, then their Markov chains one by one."""
    named = list(_rules(scenario, numbers))
    references = [erlang_reference(name, numbers, rules) for name, rules in named]
    bounds = replace(bounds, references=tuple(references))
    yield bounds
    for place, (_, rules) in enumerate(named):
        chain, note = chain_reference(numbers, rules)
        references[place] = replace(references[place], chain=chain, note=note)
        bounds = replace(bounds, references=tuple(references))
        yield bounds


def _rules(scenario: MoldableScenario, numbers: MoldableNumbers) -> Iterator[tuple[str, AllocationRules]]:
    """The rules of the scenario's policy and of the compared ones, as far as they exist.

    User-written policies are left out: no file is executed here, and their rules do not determine the requests.
    """
    choices = [scenario.policy, *(PolicyChoice(name=name) for name in COMPARED)]
    choices = [choice for choice in choices if not is_own(choice.name)]
    for name, choice in {choice_text(choice): choice for choice in choices}.items():
        try:
            yield name, rules_for(choice, numbers)
        except UserError:
            continue  # a run under the policy reports why


def rules_for(choice: PolicyChoice, numbers: MoldableNumbers) -> AllocationRules:
    """A policy's rules: how many servers it requests, and from which pools.

    Raises UserError if the policy is unknown or for other systems, its parameters are wrong, or it needs a solution
    of (P) and there is none.
    """
    reference = reference_for(choice.name, "moldable")
    try:
        parameters = validated(reference.schema, choice.parameters)
    except ScenarioError as error:
        place = f"policy.parameters.{error.where}" if error.where else "policy.parameters"
        raise ScenarioError(error.message, where=place) from None
    try:
        rules: AllocationRules = reference(numbers, parameters).rules
    except ValueError as error:
        raise ScenarioError(str(error), where="policy.parameters") from None
    return rules
