"""The constant numbers of a scenario whose jobs have phases."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import lcm

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.phases.jobs import Cost, JobModel
from slotscope.model.kinds.phases.lattice import whole_units
from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.kinds.phases.scenario.workload import ScriptedPhases
from slotscope.model.scenario.fields import plain

#: Jobs in the system at a time, on average, that a run may have.
MOST_MEAN_JOBS = 1_000_000

#: Bounds on whole units, so that sums over all servers are exact in 64 bits: of what the jobs on
#: one server need, and of the cost rate of one server.
MOST_UNITS, MOST_COST_UNITS = 2**42, 2**42


def numbers_of(scenario: PhasesScenario) -> PhaseNumbers:
    """The constant numbers of a validated scenario.

    Under a script r is 1 and nothing arrives at random: the script has all arrivals.
    Raises ScenarioError if amounts or costs are written too finely for exact units, more jobs would be in the
    system than memory can hold, or the scenario's trace has not been read.
    """
    if not scenario.phases:
        raise ScenarioError(
            "found a trace that has not been read; give its files with --trace PATH", where="workload.paths"
        )
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
    """Refuse amounts and costs that would overflow as whole units."""
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
    """A bound on the cost rate of one server, in the units of :class:`PhaseNumbers`."""
    if model.hard:
        return 0
    if model.cost.law == "table":
        rates = [rate for _, rate in model.cost.table]
        return int(max(rates, default=Fraction(0)) * lcm(*(rate.denominator for rate in rates)))
    power = 1 if model.cost.law == "overrun" else 2
    common = lcm(*capacity)
    return sum((use * (common // has)) ** power for use, has in zip(most, capacity, strict=True))
