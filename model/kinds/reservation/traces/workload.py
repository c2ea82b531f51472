"""Turns a trace into the job types and jobs of a scenario."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Iterator

import numpy as np

from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.kinds.reservation.traces.google_dra import REWARD_FACTOR, DraJobs, RewardedType, dra_jobs, seconds
from slotscope.model.scenario.common import MOST_TYPES, TraceWorkload
from slotscope.model.scenario.load import as_data
from slotscope.model.scenario.validation import validated
from slotscope.model.scenario.workload import RecordedWorkload
from slotscope.model.traces.formats import JOBS, playing, read_jobs
from slotscope.model.traces.google import read_task_events
from slotscope.model.traces.job_table import PRIORITY, TYPE, AskedJobs
from slotscope.model.traces.jobs import Integers, Needed, RecordedJobs, demanded
from slotscope.model.traces.report import ImportReport
from slotscope.model.traces.span import run_over

#: Digits after the point that estimated workloads keep.
ESTIMATE_DIGITS = 6
#: What is left of a demand that needs more than a server has, or nothing of it.
_TOO_LARGE, _NOTHING = -1, -2


def taken(scenario: ReservationScenario, limit: int) -> AskedJobs:
    """What is taken of recorded jobs: the demands, the priority and the type of the first ones."""
    return AskedJobs(tuple(scenario.servers.capacity), (PRIORITY, TYPE), limit)


def capacity_of(scenario: ReservationScenario) -> list[Needed]:
    """[D] what a server has of each resource, in the declared units.

    Raises ScenarioError if the servers have configurations instead, or pools.
    """
    if not scenario.servers.capacity or scenario.servers.pools:
        raise ScenarioError("found no capacity, or pools; allowed for a trace: a capacity", where="servers.capacity")
    units = {name: scenario.unit_of(name) for name in scenario.servers.capacity}
    return [Needed(name, units[name], one.in_unit(units[name])) for name, one in scenario.servers.capacity.items()]


def recorded_types(scenario: ReservationScenario, trace: TraceWorkload, jobs: RecordedJobs) -> DraJobs:
    """Recorded jobs with their types: those of one type, priority and rounded demand are of one.

    A demand is rounded up to a power of 1/2 of a server.  The reward of a type is the largest part of
    a server that it needs, times 1, 3 or 9 for priority 0, 1 or 2; the paper has no factor for others.
    Beyond the :data:`MOST_TYPES` most frequent types jobs are left out.
    Raises UserError if a resource of the scenario is not told, or no job is left.
    """
    factors = ", ".join(str(priority) for priority in REWARD_FACTOR)
    jobs = jobs.keep(np.isin(jobs.priority, list(REWARD_FACTOR)), f"of a priority other than {factors}")
    needed = capacity_of(scenario)
    jobs, size, units = demanded(jobs, needed)
    parts = [_exponents(column, unit / one.largest) for column, unit, one in zip(size.T, units, needed, strict=True)]
    exponent = np.column_stack(parts)
    fits = (exponent != _TOO_LARGE).all(axis=1)
    if not fits.any():
        raise TraceError("found no job that fits a server", where=jobs.report.files[0])
    jobs, exponent = jobs.keep(fits, "larger than a server"), exponent[fits]
    table = np.column_stack((-jobs.priority, exponent, jobs.type))
    _, type_of, counts = np.unique(table, axis=0, return_inverse=True, return_counts=True)
    often = np.isin(type_of.ravel(), np.argsort(-counts, kind="stable")[:MOST_TYPES])
    table = table[often]
    jobs = jobs.keep(often, f"of types beyond the {MOST_TYPES} most frequent")
    keys, type_of = np.unique(table, axis=0, return_inverse=True)
    return DraJobs(
        types=tuple(_type(key, jobs.names, needed) for key in keys.tolist()),
        time=seconds(jobs.arrival - jobs.arrival[0], trace.time_scale),
        type=type_of.ravel().astype(np.int32),
        service=seconds(jobs.duration, trace.time_scale),
        report=jobs.report,
    )


def _exponents(amounts: Integers, part: Fraction) -> Integers:
    """[n] the largest k with amount * part <= 2^-k, or one of the two marks; *part* is of a server."""
    values, places = np.unique(amounts, return_inverse=True)
    found = [_exponent(value * part) for value in values.tolist()]
    return np.array(found, np.int64)[places.ravel()]


def _exponent(part: Fraction) -> int:
    if not part:
        return _NOTHING
    return _TOO_LARGE if part > 1 else int(1 / part).bit_length() - 1


def _type(key: list[int], names: tuple[str, ...], needed: list[Needed]) -> RewardedType:
    """The type of one key: minus the priority, [D] exponents, and a place in *names*."""
    priority, exponents = -key[0], key[1:-1]
    demand = tuple(Fraction(0) if one == _NOTHING else Fraction(1, 2**one) for one in exponents)
    sizes = ", ".join(f"{one.name} {part}" for one, part in zip(needed, demand, strict=True))
    label = f"{names[key[-1]]}, " if names else ""
    return RewardedType(demand, priority, max(demand) * REWARD_FACTOR[priority], f"{label}priority {priority}, {sizes}")


def with_trace(
    scenario: ReservationScenario, paths: tuple[str, ...] = ()
) -> tuple[ReservationScenario, RecordedWorkload, ImportReport]:
    """Read a scenario's trace: the scenario with the trace's job types, its jobs, a report.

    ``paths`` replace those of the scenario.  The workload rho_j of each type is what the
    trace offers on average: the mean number of its jobs in service if none were rejected,
    per server (Psychas & Ghaderi 2022, Section 7.2).
    Raises UserError if no path is given, a file cannot be read, or it holds no completed task.
    """
    scenario, trace, files = playing(scenario, TraceWorkload, paths, "dra-google")
    if trace.format == JOBS:
        jobs = recorded_types(scenario, trace, read_jobs(files, taken(scenario, trace.limit)))
    else:
        if len(scenario.servers.capacity) != 1:
            raise ScenarioError(
                f"found the resources {', '.join(scenario.servers.capacity) or 'none'}, allowed: "
                "one, because the trace's tasks have one size",
                where="servers.capacity",
            )
        jobs = dra_jobs(read_task_events(files), time_scale=trace.time_scale, limit=trace.limit)
    changes: dict[str, Any] = {
        "job_types": list(_job_types(jobs, scenario)),
        "run": run_over(scenario, float(jobs.time[-1])),
        "workload": trace.model_dump(mode="json"),
    }
    found = validated(ReservationScenario, as_data(scenario) | changes)
    return found, RecordedWorkload(jobs.time, jobs.type, jobs.service), jobs.report


def _job_types(jobs: DraJobs, scenario: ReservationScenario) -> Iterator[dict[str, Any]]:
    capacities = capacity_of(scenario)  # demands are parts of it
    span = float(jobs.time[-1] - jobs.time[0]) or 1.0
    for number, kind in enumerate(jobs.types):
        service = jobs.service[jobs.type == number]
        offered = float(service.sum()) / span / scenario.servers.count
        yield {
            "name": kind.name,
            "demand": {one.name: str(part * one.largest) for part, one in zip(kind.demand, capacities, strict=True)},
            "reward": str(kind.reward),
            "priority": kind.priority,
            "workload": str(_rounded(offered)),
            "service": {"distribution": "exponential", "mean": str(_rounded(np.mean(service)))},
        }


def _rounded(value: float | np.floating[Any]) -> Fraction:
    return max(
        Fraction(round(float(value), ESTIMATE_DIGITS)).limit_denominator(10**ESTIMATE_DIGITS),
        Fraction(1, 10**ESTIMATE_DIGITS),
    )
