"""Arrivals of jobs with phases: job by job a time and a type, whatever the policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.kinds.phases.numbers import PhaseNumbers
from slotscope.model.kinds.phases.scenario.schema import PhasesScenario
from slotscope.model.scenario.common import Deterministic
from slotscope.model.scenario.workload import PoissonWorkload, RecordedWorkload


def workload_of(scenario: PhasesScenario, numbers: PhaseNumbers, start: float = 0.0, branch: int = 0) -> Any:
    """The workload of a scenario: Poisson with rates Lambda_i, also with those of a trace.

    Beside a script there is none.

    A job's service is its path through the phases, which the system draws; the services of the
    blocks are not used.
    """
    if scenario.workload.kind == "scripted":
        return RecordedWorkload(np.zeros(0), np.zeros(0, np.int32), np.zeros(0))
    return poisson(numbers, start, branch)


def poisson(numbers: PhaseNumbers, start: float = 0.0, branch: int = 0) -> PoissonWorkload:
    """Poisson arrivals of every type."""
    rates = [float(rate) for rate in numbers.arrival_rates]
    distributions = [Deterministic(distribution="deterministic")] * numbers.phases
    return PoissonWorkload(rates, distributions, numbers.seed, start, branch)
