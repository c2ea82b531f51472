"""What bounds a scenario's reward, from the scenario alone: the programs, and a bound over time.

The bound over time is that of the infinite system on the same stream of jobs (Psychas & Ghaderi
2022, Section 7.2).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation.arrivals import workload_of
from slotscope.model.kinds.reservation.bounds import Bounds, BoundSeries
from slotscope.model.kinds.reservation.initial import starting_jobs
from slotscope.model.kinds.reservation.numbers import numbers_of
from slotscope.model.kinds.reservation.programs.infinite import infinite_bound
from slotscope.model.kinds.reservation.programs.solving import solve_bounds
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.scenario.common import TraceWorkload
from slotscope.model.scenario.workload import RecordedWorkload

#: Points of a curve, unless the caller says so.
POINTS = 2_000


def upper_bound_series(
    scenario: ReservationScenario,
    seed: int | None = None,
    until: float | None = None,
    points: int = POINTS,
    recorded: RecordedWorkload | None = None,
) -> BoundSeries:
    """The bound from time 0 to *until* (by default the scenario's), whatever the policy.

    Parameters
    ----------
    scenario, seed:
        What runs; the stream of jobs depends on nothing else.
    until, points:
        The last time, and how many times are looked at.
    recorded:
        The jobs of a trace that was read before.

    Raises
    ------
    UserError
        If the scenario cannot run, or its trace has not been read.
    ValueError
        If a search is too long.
    """
    if isinstance(scenario.workload, TraceWorkload) and recorded is None:
        raise ScenarioError(
            "found a trace that has not been read; give its files with --trace PATH", where="workload.paths"
        )
    if seed is not None:
        scenario = scenario.model_copy(update={"seed": seed})
    numbers = numbers_of(scenario)
    workload = recorded if recorded is not None else workload_of(scenario, numbers)
    end = float(scenario.run.until) if until is None else until
    times = np.linspace(0.0, end, points)
    starting = starting_jobs(scenario, numbers)
    return BoundSeries(times, infinite_bound(numbers, workload, times, starting))


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
