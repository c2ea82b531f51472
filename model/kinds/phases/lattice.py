"""The configurations of a server as a lattice: all k in K in lexicographic order, with their neighbours.

Hong, Xie & Wang (2023), Section 2: K holds every k with sum(k) <= K_max; with hard capacities
(Section 3.1) the demand of k must also be within the capacity of every resource.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import comb, lcm

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.jobs import JobModel

#: With more configurations the single-server problem is refused.
MOST_CONFIGURATIONS = 20_000


@dataclass(frozen=True, eq=False)
class Lattice:
    """C configurations of I phases."""

    configurations: NDArray[np.int32]  #: [C, I] in lexicographic order; the first is 0
    up: NDArray[np.int32]  #: [C, I] the index of k + e_i, -1 if it is not in K
    down: NDArray[np.int32]  #: [C, I] the index of k - e_i, -1 if k_i = 0

    def __len__(self) -> int:
        return len(self.configurations)

    @cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        return {tuple(row): place for place, row in enumerate(self.configurations.tolist())}

    def place(self, configuration: tuple[int, ...]) -> int:
        """The index of a configuration, -1 if it is not in K."""
        return self._places.get(tuple(configuration), -1)


def count_configurations(model: JobModel) -> int:
    """|K| without hard capacities: the binomial coefficient of K_max + I over I."""
    return comb(model.most_jobs + len(model.phases), len(model.phases))


@lru_cache(maxsize=16)
def lattice_of(model: JobModel) -> Lattice:
    """The configurations of a job model. Raises ScenarioError if there are more than :data:`MOST_CONFIGURATIONS`."""
    rows = _hard(model) if model.hard else _simplex(model)
    order = {tuple(row): place for place, row in enumerate(rows.tolist())}
    up = np.full(rows.shape, -1, np.int32)
    down = np.full(rows.shape, -1, np.int32)
    for row, place in order.items():
        for i in range(len(row)):
            above = order.get((*row[:i], row[i] + 1, *row[i + 1 :]), -1)
            up[place, i] = above
            if above >= 0:
                down[above, i] = place
    return Lattice(rows, up, down)


def _simplex(model: JobModel) -> NDArray[np.int32]:
    """[C, I] every k with sum(k) <= K_max, in lexicographic order."""
    count = count_configurations(model)
    if count > MOST_CONFIGURATIONS:
        raise too_many(model, count)
    rows = np.zeros((1, 0), np.int32)
    for _ in model.phases:
        room = model.most_jobs - rows.sum(axis=1) + 1
        repeated = np.repeat(rows, room, axis=0)
        starts = np.repeat(np.cumsum(room) - room, room)
        last = (np.arange(len(repeated)) - starts).astype(np.int32)
        rows = np.column_stack([repeated, last])
    return rows


def _hard(model: JobModel) -> NDArray[np.int32]:
    """[C, I] every k with sum(k) <= K_max that fits the capacity, in lexicographic order."""
    demand, capacity = whole_units(model)
    found: list[tuple[int, ...]] = []
    most = model.most_jobs

    def extend(prefix: tuple[int, ...], left: tuple[int, ...], jobs: int) -> None:
        i = len(prefix)
        if i == len(demand):
            found.append(prefix)
            if len(found) > MOST_CONFIGURATIONS:
                raise too_many(model, len(found))
            return
        count = 0
        while jobs + count <= most and min(left, default=0) >= 0:
            extend((*prefix, count), left, jobs + count)
            count += 1
            left = tuple(has - need for has, need in zip(left, demand[i], strict=True))

    extend((), capacity, 0)
    return np.array(found, np.int32)


def whole_units(model: JobModel) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """[I][D] demands and [D] capacities as integers, in the largest unit of each resource that makes them so."""
    units = [
        lcm(limit.denominator, *(row[d].denominator for row in model.demand)) for d, limit in enumerate(model.capacity)
    ]
    demand = [tuple(int(row[d] * unit) for d, unit in enumerate(units)) for row in model.demand]
    return demand, tuple(int(limit * unit) for limit, unit in zip(model.capacity, units, strict=True))


def too_many(model: JobModel, count: int) -> ScenarioError:
    """The error that |K| is too large, with a K_max that would be small enough."""
    phases = len(model.phases)
    fits = next(
        limit for limit in range(model.most_jobs, -1, -1) if comb(limit + phases, phases) <= MOST_CONFIGURATIONS
    )
    known = f"at least {count:,}" if model.hard else f"{count:,}"
    return ScenarioError(
        f"found {model.most_jobs}, which makes {known} configurations of {phases} phases, "
        f"allowed: at most {MOST_CONFIGURATIONS:,}; most_jobs = {fits} or fewer phases would do",
        where="servers.most_jobs",
    )


def cost_units(model: JobModel, lattice: Lattice) -> tuple[NDArray[np.int64], Fraction]:
    """[C] the cost rate h of every configuration as an integer, and the value of one unit."""
    rates = [cost_rate(model, tuple(row)) for row in lattice.configurations.tolist()]
    common = lcm(*(rate.denominator for rate in rates))
    return np.array([int(rate * common) for rate in rates], np.int64), Fraction(1, common)


def cost_rate(model: JobModel, configuration: tuple[int, ...]) -> Fraction:
    """The cost rate h(k), exact."""
    if model.hard:
        return Fraction(0)
    if model.cost.law == "table":
        return dict(model.cost.table).get(configuration, Fraction(0))
    total = Fraction(0)
    for d, capacity in enumerate(model.capacity):
        use = sum((n * row[d] for n, row in zip(configuration, model.demand, strict=True)), Fraction(0))
        excess = max(Fraction(0), use - capacity) / capacity
        total += excess if model.cost.law == "overrun" else excess**2
    return total
