"""The solution of the single-server problem of a job model: Phi, pi and u of LP (61).

Hong, Xie & Wang (2023), Section 3.2 and Appendix C.1.  Small programs are solved by a simplex method, whose
vertex is then proved in rationals; large ones by :mod:`model.kinds.phases.programs.decomposition`, which uses
that (61) is a decision process.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import lattice_of
from slotscope.model.kinds.phases.programs import store
from slotscope.model.kinds.phases.programs.chains import chain_of, lemma7
from slotscope.model.kinds.phases.programs.decomposition import decomposed, undecided
from slotscope.model.kinds.phases.programs.policy import PolicyPart, policy_of, together
from slotscope.model.kinds.phases.programs.program import SingleServerProgram, program_of
from slotscope.model.kinds.phases.programs.simplex import WAYS, Basis, Progress, by_highs, unheard
from slotscope.model.kinds.phases.programs.vertex import Vertex, exact_vertex

#: With at most so many configurations a vertex is proved in rationals (1 s at most).
MOST_EXACT = 200
#: Largest difference in Lemma 7, relative to the largest frequency, that counts as rounding.
TRUSTED = 1e-7


@dataclass(frozen=True, eq=False)
class SingleServerSolution:
    """An optimum of (61)."""

    phi: float  #: Phi*, the throughput of one server in units of the arrival rates
    exact_phi: Fraction | None  #: Phi* as a rational if it was proved, else None
    nbar_per_r: float  #: 1 / Phi*: servers per unit of r
    #: stationary, requests: [C] pi and [C, I] u
    stationary: NDArray[np.float64]
    requests: NDArray[np.float64]
    parts: tuple[PolicyPart, ...]  #: pi and u by policy, if servers of different policies should not be mixed
    #: spent, budget: h^T pi / (1 - pi(0)), and epsilon
    spent: float
    budget: float
    budget_price: float  #: the dual variable of the budget: dPhi / d epsilon
    #: [I] the dual variables of the throughputs; their sum, weighted by the arrival rates, is 1
    type_prices: tuple[float, ...]
    #: whether the support is proved: an exact vertex, or policies whose recurrent classes are the support and whose
    #: dual bound meets Phi
    certified: bool
    gap: float  #: bound on the distance of Phi from the optimum, relative to it; 0 if exact
    status: str  #: "optimal", or a sentence about what is wrong
    method: str  #: "simplex" or "policies"
    iterations: int  #: pivots, or policies that were evaluated


def solved(model: JobModel, progress: Progress = unheard) -> SingleServerSolution:
    """The optimum of (61); from the cache if this model was solved before.

    Raises ScenarioError if there are too many configurations, or no server can serve what arrives; GivenUpError
    if the caller's wait was cancelled.
    """
    return store.kept(model, lambda: _solve(model, progress), lambda data: _from_plain(model, data))


def _from_plain(model: JobModel, data: dict[str, Any]) -> SingleServerSolution:
    """A solution from the plain data of its fields.

    Raises ValueError, TypeError, LookupError if it is not a solution of this model.
    """
    exact = data["exact_phi"]
    parts = (PolicyPart(float(part["share"]), *_arrays(model, part)) for part in data["parts"])
    stationary, requests = _arrays(model, data)
    return SingleServerSolution(
        **{
            **data,
            "exact_phi": None if exact is None else Fraction(exact),
            "stationary": stationary,
            "requests": requests,
            "parts": tuple(parts),
            "type_prices": tuple(data["type_prices"]),
        }
    )


def _arrays(model: JobModel, data: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[C] pi and [C, I] u from plain data."""
    stationary, requests = (np.array(data[name], float) for name in ("stationary", "requests"))
    configurations = len(lattice_of(model))
    if stationary.shape != (configurations,) or requests.shape != (configurations, len(model.phases)):
        raise ValueError("a solution of another model")
    return stationary, requests


def _solve(model: JobModel, progress: Progress) -> SingleServerSolution:
    program = program_of(model)
    _check(program)
    found = None
    if program.configurations <= MOST_EXACT:
        found = _exactly(program, progress)
    if found is None:
        found = _from_policies(program, progress)
    if not found.phi > 0:
        raise _nothing(program)
    return found


def _check(program: SingleServerProgram) -> None:
    """Refuse a model without arrivals, or with a type that fits no server. Raises ScenarioError."""
    model, lattice = program.model, program.lattice
    if not any(model.arrival_rates):
        raise ScenarioError("no type of job arrives, so there is nothing to plan", where="phases.arrival_rate")
    for name, rate, above in zip(model.phases, model.arrival_rates, lattice.up[0], strict=True):
        if rate and above < 0:
            raise ScenarioError(
                f"a job of type '{name}' does not fit a server, so it can never be served", where="phases"
            )


def _nothing(program: SingleServerProgram) -> ScenarioError:
    """The error that no server can serve anything within the budget."""
    names = ", ".join(
        name for name, rate in zip(program.model.phases, program.model.arrival_rates, strict=True) if rate
    )
    return ScenarioError(
        f"however a server is filled with jobs ({names}), its mean cost exceeds the budget "
        f"{float(program.model.budget):g}; give a larger budget or servers with more capacity",
        where="cost.budget",
    )


def _exactly(program: SingleServerProgram, progress: Progress) -> SingleServerSolution | None:
    """The vertex of the first basis that is optimal in exact arithmetic; None if no basis is."""
    for options in WAYS:
        try:
            basis = by_highs(program, progress, options)
        except ScenarioError:
            continue
        found = _from_basis(program, basis)
        if found is not None:
            return found
    return None


def _from_basis(program: SingleServerProgram, basis: Basis) -> SingleServerSolution | None:
    """The exact vertex of a basis; None if it is not optimal in exact arithmetic."""
    vertex = exact_vertex(program, basis.columns, basis.rows)
    if vertex is None:
        return None
    values = np.zeros(program.columns)
    for column, value in vertex.values.items():
        values[column] = float(value)
    stationary, requests = program.split(values)
    size, types = program.configurations, len(program.model.phases)
    exact_phi = vertex.values.get(program.columns - 1, Fraction(0))
    prices = vertex.prices
    return SingleServerSolution(
        phi=float(exact_phi),
        exact_phi=exact_phi,
        nbar_per_r=float(1 / exact_phi) if exact_phi else float("inf"),
        stationary=stationary,
        requests=requests,
        parts=(PolicyPart(1.0, stationary, requests),),
        spent=float(_spent(program, vertex)),
        budget=float(program.model.budget),
        budget_price=0.0 if program.model.hard else float(prices[program.budget_row]),
        type_prices=tuple(float(-price) for price in prices[size + 1 : size + 1 + types]),
        certified=True,
        gap=0.0,
        status="optimal",
        method="simplex",
        iterations=basis.iterations,
    )


def _spent(program: SingleServerProgram, vertex: Vertex) -> Fraction:
    """The cost per active server h^T pi / (1 - pi(0)), exact."""
    if program.model.hard:
        return Fraction(0)
    columns, size = program.exact_columns, program.configurations
    empty = vertex.values.get(0, Fraction(0))
    row = program.budget_row
    total = sum(
        (columns[k].get(row, Fraction(0)) * value for k, value in vertex.values.items() if 0 < k < size), Fraction(0)
    )
    return total / (1 - empty) if empty < 1 else Fraction(0)


def _from_policies(program: SingleServerProgram, progress: Progress) -> SingleServerSolution:
    """The optimum as a mixture of policies, if their chains agree with it (Lemma 7). Raises ScenarioError otherwise."""
    found = decomposed(program, progress)
    for part in found.parts:
        table = policy_of(part.stationary, part.requests)
        check = lemma7(table, chain_of(program.model, program.lattice, table), part)
        if max(check.stationary, check.requests) > TRUSTED * max(1.0, part.requests.max()):
            raise undecided(program)
    stationary, requests = together(found.parts)
    return SingleServerSolution(
        phi=found.phi,
        exact_phi=None,
        nbar_per_r=1 / found.phi if found.phi > 0 else float("inf"),
        stationary=stationary,
        requests=requests,
        parts=found.parts,
        spent=found.spent,
        budget=float(program.model.budget),
        budget_price=found.budget_price,
        type_prices=found.type_prices,
        certified=found.certified,
        gap=found.gap,
        status=found.status,
        method="policies",
        iterations=found.evaluations,
    )
