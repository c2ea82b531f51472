"""The constants of a system whose jobs have phases, from a scenario; and as arrays, for the physics.

They are exact: integers and rationals.  Hong, Xie & Wang (2023), Section 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.jobs import Cost, JobModel
from slotscope.model.kinds.phases.lattice import Lattice, cost_rate, lattice_of, whole_units
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.kinds.phases.scenario.workload import ScriptedPhases
from slotscope.model.scenario.common import trace_not_read
from slotscope.model.scenario.fields import plain
from slotscope.model.scenario.streams import stream_key

#: The number of servers of an unlimited pool.
UNLIMITED = 0


@dataclass(frozen=True, eq=False)
class PhaseNumbers:
    """A job model at scale r."""

    model: JobModel  #: phases, rates, demands and cost
    scale: Fraction  #: r: jobs of type i arrive at rate lambda_i r
    seed: int  #: of all random streams

    servers = UNLIMITED

    @property
    def phases(self) -> int:
        """I, the number of phases."""
        return len(self.model.phases)

    @property
    def resources(self) -> int:
        """D, the number of resources."""
        return len(self.model.resources)

    @cached_property
    def demand(self) -> NDArray[np.int64]:
        """[I, D] demands in whole units."""
        return np.array(whole_units(self.model)[0], np.int64).reshape(self.phases, -1)

    @cached_property
    def capacity(self) -> NDArray[np.int64]:
        """[D] capacities in whole units."""
        return np.array(whole_units(self.model)[1], np.int64)

    @cached_property
    def unit(self) -> tuple[Fraction, ...]:
        """[D] the amount of each resource in one unit."""
        pairs = zip(self.model.capacity, self.capacity, strict=True)
        return tuple(amount / int(units) for amount, units in pairs)

    @cached_property
    def peak(self) -> NDArray[np.int64]:
        """[I, D] the largest demand that a job of each type may ever have, in whole units."""
        reach = self.model.reachable
        return np.array([self.demand[sorted(phases)].max(axis=0) for phases in reach], np.int64)

    @cached_property
    def arrival_rates(self) -> tuple[Fraction, ...]:
        """[I] Lambda_i = lambda_i r."""
        return tuple(rate * self.scale for rate in self.model.arrival_rates)

    @cached_property
    def out_rate(self) -> NDArray[np.float64]:
        """[I] the total rate at which a job leaves a phase."""
        return np.array([float(rate) for rate in self.model.out_rates])

    @cached_property
    def next_phase(self) -> NDArray[np.float64]:
        """[I, I] the cumulative probabilities of a job's next phase being at most i'; the rest departs."""
        rows = []
        for moves, total in zip(self.model.moves, self.model.out_rates, strict=True):
            sums = np.cumsum([Fraction(0), *moves])[1:]
            rows.append([float(part / total) if total else 0.0 for part in sums])
        return np.array(rows)

    @cached_property
    def lattice(self) -> Lattice:
        """The configurations K. Raises ScenarioError if there are too many."""
        return lattice_of(self.model)

    @property
    def power(self) -> int:
        """The power of an overrun in h: 1, or 2 if h is quadratic; 0: h is a table."""
        return {"overrun": 1, "quadratic": 2, "table": 0}[self.model.cost.law]

    @cached_property
    def cost_unit(self) -> Fraction:
        """The cost rate of one unit of cost."""
        if self.model.hard:
            return Fraction(1)
        if self.power:
            common = lcm(*(int(units) for units in self.capacity))
            return Fraction(1, common**self.power)
        return Fraction(1, lcm(*(rate.denominator for _, rate in self.model.cost.table)))

    @cached_property
    def cost_weight(self) -> NDArray[np.int64]:
        """[D] units of cost for an overrun of one unit, or for its square, see ``power``."""
        whole = [1 / (self.cost_unit * int(units) ** self.power) for units in self.capacity]
        return np.array([0 if self.model.hard else int(units) for units in whole], np.int64)

    @cached_property
    def cost_table(self) -> NDArray[np.int64]:
        """[C] units of cost of every configuration if h is a table, else empty."""
        if self.power:
            return np.zeros(0, np.int64)
        rows = self.lattice.configurations.tolist()
        return np.array([self.cost_of(tuple(row)) for row in rows], np.int64)

    def cost_of(self, configuration: tuple[int, ...]) -> int:
        """Units of cost of a configuration, exact; each is computed once."""
        if configuration not in self._costs:
            self._costs[configuration] = int(cost_rate(self.model, configuration) / self.cost_unit)
        return self._costs[configuration]

    @cached_property
    def _costs(self) -> dict[tuple[int, ...], int]:
        return {}

    @cached_property
    def mean_jobs(self) -> Fraction:
        """E[Z]: the mean number of real jobs in the system in the long run, by Little's law."""
        return self.scale * sum(
            (rate * life for rate, life in zip(self.model.arrival_rates, self.mean_lives, strict=True)), Fraction(0)
        )

    @cached_property
    def mean_lives(self) -> tuple[Fraction, ...]:
        """[I] the mean time that a job of each type spends in the system."""
        return mean_lives(self.model)

    def warnings(self) -> tuple[str, ...]:
        """Sentences about what is allowed but may surprise; there are none."""
        return ()


def mean_lives(model: JobModel) -> tuple[Fraction, ...]:
    """[I] the mean time to departure t_i from each phase, exact: (out_i) t_i = 1 + sum of mu_ii' t_i'.

    0 for a phase that no job ever reaches.
    """
    used = {i for i, rate in enumerate(model.arrival_rates) if rate}
    present = sorted(set().union(*(model.reachable[i] for i in used)))
    rows = [[model.out_rates[i] if i == k else -model.moves[i][k] for k in present] + [Fraction(1)] for i in present]
    for pivot in range(len(rows)):
        best = next(row for row in range(pivot, len(rows)) if rows[row][pivot])
        rows[pivot], rows[best] = rows[best], rows[pivot]
        rows[pivot] = [entry / rows[pivot][pivot] for entry in rows[pivot]]
        for other, row in enumerate(rows):
            if other != pivot and row[pivot]:
                factor = row[pivot]
                rows[other] = [a - factor * b for a, b in zip(row, rows[pivot], strict=True)]
    lives = dict(zip(present, (row[-1] for row in rows), strict=True))
    return tuple(lives.get(i, Fraction(0)) for i in range(len(model.phases)))


# Indices into ``key``: one stream of random words for each purpose.
REAL_KEY, VIRTUAL_KEY, TIMER_KEY, REQUEST_KEY, TOKEN_KEY, VIRTUAL_TOKEN_KEY, ROUTE_KEY, CHOICE_KEY = range(8)
_STREAMS = ("phases", "virtual phases", "timers", "requests", "tokens", "virtual tokens", "routes", "choices")


class PhaseTables(NamedTuple):
    """I phases, D resources, C configurations (0 without a lattice): the arrays that the physics reads."""

    demand: NDArray[np.int64]  #: [I, D] units
    peak: NDArray[np.int64]  #: [I, D] the largest demand that a job of each type may ever have, in units
    capacity: NDArray[np.int64]  #: [D] units
    weight: NDArray[np.int64]  #: [D] units of cost for an overrun of one unit, raised to the power
    power: NDArray[np.int64]  #: [1] the power of an overrun in h; 0: h is ``cost_table``
    cost_table: NDArray[np.int64]  #: [C] units of cost, if h is a table
    up: NDArray[np.int32]  #: [C, I] the lattice, see :mod:`model.kinds.phases.lattice`
    down: NDArray[np.int32]  #: [C, I]
    out_rate: NDArray[np.float64]  #: [I] total rate of leaving a phase
    next_phase: NDArray[np.float64]  #: [I, I] probability that the next phase is at most i'
    key: NDArray[np.uint64]  #: [8] keys of the streams of random words


def tables_of(numbers: PhaseNumbers, with_lattice: bool) -> PhaseTables:
    """The tables of a system; *with_lattice*: whether the policy uses observed configurations."""
    none = np.zeros((0, numbers.phases), np.int32)
    lattice = numbers.lattice if with_lattice or not numbers.power else None
    return PhaseTables(
        demand=numbers.demand,
        peak=numbers.peak,
        capacity=numbers.capacity,
        weight=numbers.cost_weight,
        power=np.array([numbers.power], np.int64),
        cost_table=numbers.cost_table,
        up=none if lattice is None else lattice.up,
        down=none if lattice is None else lattice.down,
        out_rate=numbers.out_rate,
        next_phase=numbers.next_phase,
        key=np.array([stream_key(numbers.seed, name) for name in _STREAMS], np.uint64),
    )


#: Largest mean number of jobs in the system that a run may have.
MOST_MEAN_JOBS = 1_000_000

#: Bounds on the demand of the jobs on one server, in whole units, and on the cost rate of one server, so that
#: sums over all servers are exact in 64 bits.
MOST_UNITS, MOST_COST_UNITS = 2**42, 2**42


def numbers_of(scenario: PhasesScenario) -> PhaseNumbers:
    """The constant numbers of a validated scenario.

    With a script r is 1 and the arrival rates are 0: the script has all arrivals.
    Raises ScenarioError if amounts or costs have too many digits for exact units, if there would be more than
    :data:`MOST_MEAN_JOBS` jobs on average, or if the scenario's trace has not been read.
    """
    if not scenario.phases:
        raise trace_not_read()
    model = job_model(scenario)
    _check_units(model)
    workload = scenario.workload
    if isinstance(workload, ScriptedPhases):
        without = replace(model, arrival_rates=(Fraction(0),) * len(model.phases))
        return PhaseNumbers(without, Fraction(1), scenario.seed)
    scale = workload.scale
    numbers = PhaseNumbers(model, scale, scenario.seed)
    if numbers.mean_jobs > MOST_MEAN_JOBS:
        most = scale * MOST_MEAN_JOBS / numbers.mean_jobs
        raise ScenarioError(
            f"found {plain(scale)}, which makes {float(numbers.mean_jobs):,.0f} jobs in the system on average, "
            f"allowed: at most {MOST_MEAN_JOBS:,}; a scale of {float(most):.3g} would do",
            where="workload.scale",
        )
    return numbers


def job_model(scenario: PhasesScenario) -> JobModel:
    """The job model of a validated scenario that has phases; exact."""
    phases = scenario.phases
    names = scenario.phase_names
    return JobModel(
        phases=names,
        resources=scenario.resource_names,
        demand=tuple(scenario.demand_of(phase) for phase in phases),
        capacity=scenario.capacity,
        most_jobs=scenario.servers.most_jobs,
        hard=scenario.hard,
        arrival_rates=tuple(phase.arrival_rate for phase in phases),
        departure_rates=tuple(phase.departure_rate for phase in phases),
        moves=tuple(tuple(phase.to.get(name, Fraction(0)) for name in names) for phase in phases),
        cost=_cost(scenario),
        budget=(scenario.cost and scenario.cost.budget) or Fraction(0),
    )


def _cost(scenario: PhasesScenario) -> Cost:
    cost = scenario.cost
    if cost is None:
        return Cost()
    listed = ((scenario.configuration_of(item), item.rate) for item in cost.rates)
    return Cost(cost.law, tuple(sorted((place, rate) for place, rate in listed if rate)))


def _check_units(model: JobModel) -> None:
    """Refuse amounts and costs that would overflow as whole units. Raises ScenarioError."""
    demand, capacity = whole_units(model)
    most = [model.most_jobs * max(column) for column in zip(*demand, strict=True)]
    if max(*most, *capacity) > MOST_UNITS:
        raise ScenarioError(
            "found amounts with too fine a common measure; write demands and capacities with fewer digits",
            where="servers.capacity",
        )
    if _cost_units(model, most, capacity) > MOST_COST_UNITS:
        raise ScenarioError(
            "found costs with too fine a common measure; write capacities and demands, or the "
            "rates of the table, with fewer digits",
            where="cost",
        )


def _cost_units(model: JobModel, most: list[int], capacity: tuple[int, ...]) -> int:
    """An upper bound on the cost rate of one server, in the units of :class:`PhaseNumbers`."""
    if model.hard:
        return 0
    if model.cost.law == "table":
        rates = [rate for _, rate in model.cost.table]
        return int(max(rates, default=Fraction(0)) * lcm(*(rate.denominator for rate in rates)))
    power = 1 if model.cost.law == "overrun" else 2
    common = lcm(*capacity)
    return sum((use * (common // has)) ** power for use, has in zip(most, capacity, strict=True))
