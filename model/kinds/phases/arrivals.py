"""Arrivals of jobs with phases: a time and a type for each job, independent of the policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.common import Deterministic
from slotscope.model.scenario.workload import PoissonWorkload, RecordedWorkload


def workload_of(scenario: PhasesScenario, numbers: PhaseNumbers, start: float = 0.0, branch: int = 0) -> Any:
    """The workload of a scenario: Poisson arrivals with rates Lambda_i, also for a trace; empty for a script.

    The service of a job is its path through the phases, which the system draws; the service times of the
    workload's blocks are not used.
    """
    if scenario.workload.kind == "scripted":
        return RecordedWorkload(np.zeros(0), np.zeros(0, np.int32), np.zeros(0))
    return poisson(numbers, start, branch)


def poisson(numbers: PhaseNumbers, start: float = 0.0, branch: int = 0) -> PoissonWorkload:
    """Poisson arrivals of every type, at the rates Lambda_i."""
    rates = [float(rate) for rate in numbers.arrival_rates]
    distributions = [Deterministic(distribution="deterministic")] * numbers.phases
    return PoissonWorkload(rates, distributions, numbers.seed, start, branch)
