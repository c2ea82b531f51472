"""The job model: phases, rates, demands and the cost of contention, exact.

Hong, Xie & Wang (2023), Section 2.  The single-server problem depends on nothing else: the scale r and the
seed are not part of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

Rates = tuple[Fraction, ...]


@dataclass(frozen=True)
class Cost:
    """The cost rate h of a configuration."""

    #: "overrun": the sum over resources of max(0, use - capacity) / capacity; "quadratic": the sum of its squares;
    #: "table": as listed, 0 elsewhere
    law: str = "overrun"
    table: tuple[tuple[tuple[int, ...], Fraction], ...] = ()  #: pairs of a configuration [I] and its rate, for "table"


@dataclass(frozen=True)
class JobModel:
    """I phases and D resources on equal servers.  Hashable: equal models have equal plans."""

    #: phases, resources: [I] and [D] names
    phases: tuple[str, ...]
    resources: tuple[str, ...]
    demand: tuple[Rates, ...]  #: [I][D] the demand of a job in each phase
    capacity: Rates  #: [D] what each server has
    most_jobs: int  #: K_max, the service limit
    hard: bool  #: whether capacities are hard: no server may ever hold more (no cost, no budget)
    arrival_rates: Rates  #: [I] lambda_i: arrivals of type i per unit of time for r = 1
    departure_rates: Rates  #: [I] mu_i: rate of departure from phase i
    moves: tuple[Rates, ...]  #: [I][I] mu_ii': rate of moves from phase i to i'; 0 on the diagonal
    cost: Cost  #: h
    budget: Fraction  #: epsilon; 0 if ``hard``

    @cached_property
    def out_rates(self) -> Rates:
        """[I] the total rate at which a job leaves a phase."""
        pairs = zip(self.departure_rates, self.moves, strict=True)
        return tuple(leave + sum(row, Fraction(0)) for leave, row in pairs)

    @cached_property
    def reachable(self) -> tuple[frozenset[int], ...]:
        """[I] the phases that a job in each phase may still visit, that phase included."""
        found = []
        for start in range(len(self.phases)):
            seen, todo = {start}, [start]
            while todo:
                row = self.moves[todo.pop()]
                fresh = [i for i, rate in enumerate(row) if rate and i not in seen]
                seen.update(fresh)
                todo += fresh
            found.append(frozenset(seen))
        return tuple(found)

    @cached_property
    def peak(self) -> tuple[Rates, ...]:
        """[I][D] the largest demand for each resource that a job of each type may ever have."""
        return tuple(
            tuple(max(self.demand[i][d] for i in phases) for d in range(len(self.resources)))
            for phases in self.reachable
        )
