"""Turns a trace into the job types and jobs of a scenario."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.kinds.reservation.traces.google_dra import DraJobs, dra_jobs
from slotscope.model.kinds.reservation.traces.recorded_jobs import capacity_of, recorded_types, taken
from slotscope.model.scenario.common import TraceWorkload
from slotscope.model.scenario.load import as_data
from slotscope.model.scenario.validation import validated
from slotscope.model.scenario.workload import RecordedWorkload
from slotscope.model.traces.formats import JOBS, playing, read_jobs
from slotscope.model.traces.google import read_task_events
from slotscope.model.traces.report import ImportReport
from slotscope.model.traces.span import run_over

#: Digits after the point that estimated workloads keep.
ESTIMATE_DIGITS = 6


def with_trace(
    scenario: ReservationScenario,
    paths: tuple[str, ...] = (),
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[ReservationScenario, RecordedWorkload, ImportReport]:
    """Read a scenario's trace: the scenario with the trace's job types, its jobs, a report.

    ``paths`` replace those of the scenario.  The workload rho_j of each type is what the
    trace offers on average: the mean number of its jobs in service if none were rejected,
    per server (Psychas & Ghaderi 2022, Section 7.2).

    Raises
    ------
    UserError
        If no path is given, a file cannot be read, or it holds no completed task.
    """
    scenario, trace, files = playing(scenario, TraceWorkload, paths, "dra-google")
    if trace.format == JOBS:
        jobs = recorded_types(scenario, trace, read_jobs(files, taken(scenario), progress, cancelled))
    else:
        if len(scenario.servers.capacity) != 1:
            raise ScenarioError(
                f"found the resources {', '.join(scenario.servers.capacity) or 'none'}, allowed: "
                "one, because the trace's tasks have one size",
                where="servers.capacity",
            )
        tasks = read_task_events(files, progress=progress, cancelled=cancelled)
        jobs = dra_jobs(tasks, time_scale=trace.time_scale, limit=trace.limit)
    changes: dict[str, Any] = {
        "job_types": _job_types(jobs, scenario),
        "run": run_over(scenario, float(jobs.time[-1])),
        "workload": trace.model_dump(mode="json"),
    }
    found = validated(ReservationScenario, as_data(scenario) | changes)
    return found, RecordedWorkload(jobs.time, jobs.type, jobs.service), jobs.report


def _job_types(jobs: DraJobs, scenario: ReservationScenario) -> list[dict[str, Any]]:
    capacities = capacity_of(scenario)  # demands are parts of it
    span = float(jobs.time[-1] - jobs.time[0]) or 1.0
    rows = []
    for number, kind in enumerate(jobs.types):
        service = jobs.service[jobs.type == number]
        offered = float(service.sum()) / span / scenario.servers.count
        rows.append(
            {
                "name": kind.name,
                "demand": {
                    one.name: str(part * one.largest) for part, one in zip(kind.demand, capacities, strict=True)
                },
                "reward": str(kind.reward),
                "priority": kind.priority,
                "workload": str(_rounded(offered)),
                "service": {"distribution": "exponential", "mean": str(_rounded(np.mean(service)))},
            }
        )
    return rows


def _rounded(value: float | np.floating[Any]) -> Fraction:
    return max(
        Fraction(round(float(value), ESTIMATE_DIGITS)).limit_denominator(10**ESTIMATE_DIGITS),
        Fraction(1, 10**ESTIMATE_DIGITS),
    )
