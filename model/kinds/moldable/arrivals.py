"""Arrivals of moldable jobs: a time, a class and an inherent size for each job."""

from __future__ import annotations

import numpy as np

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.scenario.common import trace_not_read
from slotscope.model.scenario.workload import PoissonWorkload, RecordedWorkload, Workload


def workload_of(scenario: MoldableScenario, numbers: MoldableNumbers, start: float = 0.0, branch: int = 0) -> Workload:
    """The workload of a scenario from time *start* on; a block's service times are inherent sizes.

    Raises ScenarioError if the workload is a trace that has not been read.
    """
    if scenario.workload.kind == "trace":
        return _drawn_from_trace(scenario, start, branch)
    if scenario.workload.kind == "scripted":
        jobs = scenario.workload.arrivals
        return RecordedWorkload(
            np.array([float(job.time) for job in jobs]),
            np.array([scenario.class_of(job.class_name) for job in jobs], np.int32),
            np.array([float(job.size) for job in jobs]),
        )
    rates = [float(rate) * numbers.servers for rate in numbers.arrival_rates]
    distributions = [item.size for item in scenario.classes]
    return PoissonWorkload(rates, distributions, scenario.seed, start, branch)


def _drawn_from_trace(scenario: MoldableScenario, start: float, branch: int) -> Workload:
    """Jobs drawn from a trace. Raises ScenarioError if the trace has not been read."""
    if scenario.needs_trace:
        raise trace_not_read()
    from slotscope.model.kinds.moldable.traces.workload import workload_of as drawn

    return drawn(scenario, start, branch)
