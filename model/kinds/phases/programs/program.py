"""LP (61) as a sparse matrix, in floats and in rationals.

Hong, Xie & Wang (2023), Appendix C.1.  The columns are pi over K, then u_i(k) for every type that
arrives and every k with k + e_i in K, then Phi.  (61) has further u_i(k), and sums over ``1_o`` instead;
but summing (57) over all k shows that the flow out of K is 0, and a type that never arrives is never
requested because its throughput is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from slotscope.model.kinds.phases.jobs import JobModel
from slotscope.model.kinds.phases.lattice import Lattice, cost_units, lattice_of


@dataclass(frozen=True, eq=False)
class Transitions:
    """The transitions that jobs make by themselves, from configuration ``source`` to ``target``."""

    #: source, target: [T] indices in K
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    jobs: NDArray[np.int64]  #: [T] the number of jobs that can make the transition: k_i
    rate: NDArray[np.int64]  #: [T] the rate of each of these jobs, as an index into ``rates``
    rates: tuple[Fraction, ...]  #: the distinct rates, exact

    @cached_property
    def total(self) -> NDArray[np.float64]:
        """[T] the rate k_i mu of each transition."""
        floats = np.array([float(rate) for rate in self.rates] or [0.0])
        return np.asarray(self.jobs * floats[self.rate], np.float64)


def transitions_of(model: JobModel, lattice: Lattice) -> Transitions:
    """Departures and moves of (54) and (55): a transition for each configuration and each rate above 0."""
    counts = lattice.configurations
    parts: list[tuple[NDArray[np.int64], ...]] = []
    rates: list[Fraction] = []
    for i in range(len(model.phases)):
        source = np.flatnonzero(counts[:, i])
        less = lattice.down[source, i]
        steps = [(less, model.departure_rates[i])]
        steps += [(lattice.up[less, to], rate) for to, rate in enumerate(model.moves[i])]
        for target, rate in steps:
            if rate:
                parts.append(
                    (
                        source,
                        target.astype(np.int64),
                        counts[source, i].astype(np.int64),
                        np.full(len(source), len(rates)),
                    )
                )
                rates.append(rate)
    if not parts:
        empty = np.zeros(0, np.int64)
        return Transitions(empty, empty, empty, empty, ())
    joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Transitions(joined[0], joined[1], joined[2], joined[3], tuple(rates))


@dataclass(frozen=True, eq=False)
class SingleServerProgram:
    """LP (61): maximize Phi.

    Rows: (57) for each configuration [C], the sum of pi, the throughput of each type [I], and
    the budget, unless capacities are hard.
    """

    #: model, lattice: those that the program is for
    model: JobModel
    lattice: Lattice
    #: request_from, request_type: [U] configuration and type of each column u_i(k)
    request_from: NDArray[np.int64]
    request_type: NDArray[np.int64]
    #: row, column, count, factor: [N] entries ``count * factors[factor]``; entries at the same place are added
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    count: NDArray[np.int64]
    factor: NDArray[np.int64]
    factors: tuple[Fraction, ...]  #: the distinct factors, exact

    @property
    def configurations(self) -> int:
        """C = |K|, the number of configurations."""
        return len(self.lattice)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.configurations + 1 + len(self.model.phases) + (not self.model.hard)

    @property
    def columns(self) -> int:
        """The number of columns; the last is Phi."""
        return self.configurations + len(self.request_from) + 1

    @property
    def budget_row(self) -> int:
        """The row of the budget; -1 if capacities are hard."""
        return -1 if self.model.hard else self.rows - 1

    @cached_property
    def matrix(self) -> sparse.csc_matrix:
        """[rows, columns] the matrix in floats."""
        values = self.count * np.array([float(number) for number in self.factors])[self.factor]
        shape = (self.rows, self.columns)
        return sparse.csc_matrix((values, (self.row, self.column)), shape=shape)

    @cached_property
    def exact_columns(self) -> list[dict[int, Fraction]]:
        """The columns of the matrix, exact: row -> entry."""
        found: list[dict[int, Fraction]] = [{} for _ in range(self.columns)]
        entries = zip(self.row.tolist(), self.column.tolist(), self.count.tolist(), self.factor.tolist(), strict=True)
        for row, column, count, factor in entries:
            entry = found[column].get(row, Fraction(0)) + count * self.factors[factor]
            found[column][row] = entry
        return [{row: entry for row, entry in column.items() if entry} for column in found]

    def right_side(self, row: int) -> Fraction:
        """The right-hand side of a row; the row of the budget is an inequality (<=), all others are equations."""
        if row == self.configurations:
            return Fraction(1)
        return self.model.budget if row == self.budget_row else Fraction(0)

    def split(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The values of the columns as pi [C] and u [C, I]."""
        configurations = self.configurations
        requests = np.zeros((configurations, len(self.model.phases)))
        requests[self.request_from, self.request_type] = values[configurations:-1]
        return values[:configurations].copy(), requests


def program_of(model: JobModel) -> SingleServerProgram:
    """LP (61) of a job model. Raises ScenarioError if there are too many configurations."""
    lattice = lattice_of(model)
    entries = _Entries()
    size, types = len(lattice), len(model.phases)
    moves = transitions_of(model, lattice)
    first = entries.numbers(moves.rates)
    entries.add(moves.target, moves.source, moves.jobs, moves.rate + first)
    entries.add(moves.source, moves.source, -moves.jobs, moves.rate + first)
    one = entries.numbers((Fraction(1),))
    entries.add(size, np.arange(size), 1, one)
    arriving = np.array([rate > 0 for rate in model.arrival_rates])
    kind, start = np.nonzero((lattice.up.T >= 0) & arriving[:, None])
    column = size + np.arange(len(kind))
    entries.add(start, column, -1, one)
    entries.add(lattice.up[start, kind].astype(np.int64), column, 1, one)
    entries.add(size + 1 + kind, column, 1, one)
    phi = size + len(kind)
    for i, rate in enumerate(model.arrival_rates):
        entries.add(size + 1 + i, phi, -1, entries.numbers((rate,)))
    if not model.hard:
        units, unit = cost_units(model, lattice)
        entries.add(size + 1 + types, np.arange(size), units, entries.numbers((unit,)))
        entries.add(size + 1 + types, 0, 1, entries.numbers((model.budget,)))
    row, column, count, factor = entries.arrays()
    return SingleServerProgram(model, lattice, start, kind, row, column, count, factor, tuple(entries.factors))


class _Entries:
    """Collects the entries of the matrix."""

    def __init__(self) -> None:
        self.factors: list[Fraction] = []
        self._parts: list[list[NDArray[np.int64]]] = []

    def numbers(self, factors: tuple[Fraction, ...]) -> int:
        """Add some factors; return the index of the first."""
        self.factors += factors
        return len(self.factors) - len(factors)

    def add(
        self,
        row: NDArray[np.int64] | int,
        column: NDArray[np.int64] | int,
        count: NDArray[np.int64] | int,
        factor: NDArray[np.int64] | int,
    ) -> None:
        """Add entries; the arguments are broadcast."""
        parts = np.broadcast_arrays(row, column, count, factor)
        self._parts.append([part.ravel().astype(np.int64) for part in parts])

    def arrays(self) -> list[NDArray[np.int64]]:
        """The rows, columns, counts and factors of all entries that are not 0."""
        joined = [np.concatenate(column) for column in zip(*self._parts, strict=True)]
        there = joined[2] != 0
        return [column[there] for column in joined]
