"""Jobs with a queue from recorded jobs of any format."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from slotscope.model.kinds.queue.scenario.arrivals import TraceSlots
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.traces.job_table import AskedColumns
from slotscope.model.traces.jobs import Needed, RecordedJobs, demanded
from slotscope.model.traces.slots import SlottedJobs, slotted


class ResourceScale(NamedTuple):
    """Where a resource stands in a trace's sizes, and what one unit of it is in the scenario's."""

    column: int
    amount: Fraction


def taken(scenario: QueueScenario) -> AskedColumns:
    """What is taken of a table of jobs: the demands."""
    return AskedColumns(scenario.resource_names)


def recorded_slots(
    scenario: QueueScenario, trace: TraceSlots, jobs: RecordedJobs
) -> tuple[SlottedJobs, tuple[ResourceScale, ...]]:
    """The first jobs in slotted time, with what they need, as they arrived and for as long as they lasted.

    Raises
    ------
    UserError
        If a resource of the scenario is not told, or slots are too short.
    """
    names = scenario.resource_names
    pairs = zip(names, largest(scenario), strict=True)
    needed = [Needed(name, scenario.unit_of(name), most) for name, most in pairs]
    some, size, factors = demanded(jobs.first(trace.limit), needed)
    found = slotted(some.arrival, some.duration, size, some.report, trace.slot, trace.time_scale)
    return found, tuple(ResourceScale(column, factor) for column, factor in enumerate(factors))


def capacities(scenario: QueueScenario) -> list[tuple[Fraction, ...]]:
    """[P][D] what a server of each kind has, in the declared units."""
    return [scenario.amounts(capacity) for _, _, capacity, _ in scenario.servers.kinds]


def largest(scenario: QueueScenario) -> list[Fraction]:
    """[D] the most that a server has of each resource."""
    return [max(column) for column in zip(*capacities(scenario), strict=True)]
