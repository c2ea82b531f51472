"""What bounds a scenario's reward, from the scenario alone: the programs, and a bound over time.

The bound over time is that of the infinite system on the same stream of jobs (Psychas & Ghaderi
2022, Section 7.2).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator

import numpy as np

from slotscope.model.kinds.reservation.arrivals import workload_of
from slotscope.model.kinds.reservation.bounds import Bounds, BoundSeries
from slotscope.model.kinds.reservation.initial import starting_jobs
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.programs.infinite import infinite_bound
from slotscope.model.kinds.reservation.programs.solving import solve_bounds
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.scenario.common import TraceWorkload

#: Points of a curve, unless the caller says so.
POINTS = 2_000


def upper_bound_series(scenario: ReservationScenario, until: float | None = None, points: int = POINTS) -> BoundSeries:
    """The bound from time 0 to *until* (by default the scenario's) at so many times, whatever the policy.

    Raises
    ------
    UserError
        If the scenario cannot run, or its trace has not been read.
    ValueError
        If a search is too long.
    """
    numbers = numbers_of(scenario)
    times = np.linspace(0.0, float(scenario.run.until) if until is None else until, points)
    starting = starting_jobs(scenario, numbers)
    return BoundSeries(times, infinite_bound(numbers, workload_of(scenario, numbers), times, starting))


def all_bounds(scenario: ReservationScenario) -> Iterator[Bounds]:
    """What bounds a scenario's reward: first the programs, then also the bound over time."""
    numbers = numbers_of(scenario)
    bounds = solve_bounds(numbers.pool_shares, numbers.rewards, numbers.workload)
    yield bounds
    if isinstance(scenario.workload, TraceWorkload):
        return  # its jobs are not in the scenario
    try:
        yield replace(bounds, infinite=upper_bound_series(scenario))
    except ValueError:  # a search too long: the programs stand alone
        return
