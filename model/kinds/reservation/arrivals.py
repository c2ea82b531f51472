"""The workload of a scenario of the loss system."""

from __future__ import annotations

import numpy as np

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.scenario.common import ScriptedWorkload, TraceWorkload, trace_not_read
from slotscope.model.scenario.workload import PoissonWorkload, RecordedWorkload, Workload


def workload_of(
    scenario: ReservationScenario, numbers: ReservationNumbers, start: float = 0.0, branch: int = 0
) -> Workload:
    """The workload of a scenario from time *start* on; see :class:`PoissonWorkload`.

    Raises ScenarioError if the workload is a trace that has not been read.
    """
    kind = scenario.workload
    if isinstance(kind, TraceWorkload):
        raise trace_not_read()
    if isinstance(kind, ScriptedWorkload):
        number = {name: j for j, name in enumerate(numbers.type_names)}
        return RecordedWorkload(
            np.array([float(job.time) for job in kind.arrivals]),
            np.array([number[job.type] for job in kind.arrivals], np.int32),
            np.array([np.inf if job.service is None else float(job.service) for job in kind.arrivals]),
        )
    rates = [float(rate) * numbers.servers for rate in numbers.rates]
    distributions = [item.service for item in scenario.job_types]
    return PoissonWorkload(rates, distributions, scenario.seed, start, branch)
