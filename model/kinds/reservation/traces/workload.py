"""Converts a trace to the job types and jobs of a scenario.

Google's tasks are converted to jobs by the preprocessing of Psychas & Ghaderi (2022), Section 7.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Iterator

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.kinds.reservation.scenario.schema import ReservationScenario
from slotscope.model.scenario.common import MOST_TYPES, TraceWorkload
from slotscope.model.scenario.load import as_data
from slotscope.model.scenario.validation import validated
from slotscope.model.scenario.workload import RecordedWorkload
from slotscope.model.traces.formats import JOBS, playing, read_jobs
from slotscope.model.traces.google import GoogleTasks, read_task_events
from slotscope.model.traces.job_table import PRIORITY, TYPE, AskedJobs
from slotscope.model.traces.jobs import Integers, Needed, RecordedJobs, after_first, demanded
from slotscope.model.traces.report import ImportReport
from slotscope.model.traces.span import run_over
from slotscope.model.traces.task_events import REQUEST_UNIT

#: Microseconds in a second.
MICROSECONDS = 10**6
#: Reward per size of priorities 0, 1 and 2: Psychas & Ghaderi (2022), Section 7.2.
REWARD_FACTOR = {0: 1, 1: 3, 2: 9}


@dataclass(frozen=True)
class RewardedType:
    """A job type of Section 7.2: the tasks of equal priority and rounded size."""

    demand: tuple[Fraction, ...]  #: [D] the demand for each resource as a share of a server: a power of 1/2, or 0
    priority: int  #: 0, 1 or 2
    reward: Fraction  #: per unit of time, the size times 1, 3 or 9
    name: str  #: such as ``"priority 2, size 1/16"``

    @property
    def size(self) -> Fraction:
        """The largest demand."""
        return max(self.demand)


@dataclass(frozen=True, eq=False)
class DraJobs:
    """The jobs of Section 7.2, in the order of arrival."""

    types: tuple[RewardedType, ...]  #: the types that occur, by descending priority, then descending size
    time: npt.NDArray[np.float64]  #: float64 [n], seconds after the first arrival, in compressed time
    type: npt.NDArray[np.int32]  #: int32 [n], index into *types*
    service: npt.NDArray[np.float64]  #: float64 [n], seconds > 0, in compressed time
    report: ImportReport  #: the import's report, including what this step left out


def halvings(size: int) -> int:
    """The largest k with size <= 2^-k: rounding *size* up gives 2^-k, exactly.

    *size* is in 1/:data:`REQUEST_UNIT`, from 1 to :data:`REQUEST_UNIT`.  Psychas &
    Ghaderi (2022), Section 7.2: "rounding it up to the closest power of 1/2".
    """
    if not 0 < size <= REQUEST_UNIT:
        raise ValueError(f"size {size} is not in 1 .. {REQUEST_UNIT}")
    # 2^k <= REQUEST_UNIT / size if and only if 2^k <= the integer part of the quotient.
    return int(REQUEST_UNIT // size).bit_length() - 1


def dra_jobs(tasks: GoogleTasks, *, time_scale: Fraction | int = 1, limit: int | None = 1_000_000) -> DraJobs:
    """Jobs for DRA as in Psychas & Ghaderi (2022), Section 7.2.

    A task's size is the larger of its CPU and memory request, rounded up to a power of
    1/2.  Tasks of priorities 0, 1 and 2 become jobs whose reward is the size times 1, 3 and 9; the
    paper gives no factor for other priorities, so tasks with these are left out.  A job arrives when
    its task was submitted, and its service time is the task's run time (finish - schedule).

    - *time_scale*: The factor of time compression: *time_scale* seconds of the trace become one second, for
      arrivals and service alike.
    - *limit*: Use the first *limit* jobs (after leaving others out); None uses all.

    Raises TraceError if *time_scale* or *limit* is not positive, or no job remains.
    """
    if time_scale <= 0:
        raise TraceError(f"found {time_scale}; allowed is a number above 0", where="time_scale")
    if limit is not None and limit < 1:
        raise TraceError(f"found {limit}; allowed is 1 or more, or no limit", where="limit")
    jobs = tasks.servable()
    factors = ", ".join(str(priority) for priority in REWARD_FACTOR)
    rewarded = np.isin(jobs.priority, list(REWARD_FACTOR))
    jobs = jobs.keep(rewarded, f"of a priority other than {factors}")
    if limit is not None:
        jobs = jobs.keep(np.arange(len(jobs)) < limit, after_first(limit))
    if not len(jobs):
        raise TraceError(
            f"none of {tasks.report.rows} rows leads to a completed run of priority {factors}; "
            "read more parts of the trace, from the first one on",
            where=", ".join(tasks.report.files[:3]),
        )
    types, type_of = _types(jobs)
    return DraJobs(
        types=types,
        time=seconds(jobs.submit - jobs.submit[0], time_scale),
        type=type_of,
        service=seconds(jobs.runtime, time_scale),
        report=jobs.report.then(len(jobs), "jobs", ()),
    )


def seconds(microseconds: npt.NDArray[np.int64], time_scale: Fraction | int) -> npt.NDArray[np.float64]:
    """float64 [n] seconds of compressed time: *time_scale* seconds of the trace become one."""
    second = Fraction(time_scale) * MICROSECONDS
    scaled = microseconds.astype(np.float64) * second.denominator / second.numerator
    return np.asarray(scaled, dtype=np.float64)


def _types(jobs: GoogleTasks) -> tuple[tuple[RewardedType, ...], npt.NDArray[np.int32]]:
    """The types of *jobs* and the index of each job's type, int32 [n]."""
    sizes, size_of = np.unique(jobs.size, return_inverse=True)
    exponent = np.array([halvings(int(size)) for size in sizes], dtype=np.int64)[size_of]
    keys, type_of = np.unique(np.stack((-jobs.priority.astype(np.int64), exponent)), axis=1, return_inverse=True)
    return tuple(_rewarded(-int(p), int(k)) for p, k in keys.T), type_of.ravel().astype(np.int32)


def _rewarded(priority: int, exponent: int) -> RewardedType:
    size = Fraction(1, 2**exponent)
    name = f"priority {priority}, size {size}"
    return RewardedType((size,), priority, size * REWARD_FACTOR[priority], name)


#: Decimals of estimated workloads.
ESTIMATE_DIGITS = 6
#: Marks of a demand that exceeds a server's capacity, or is 0.
_TOO_LARGE, _NOTHING = -1, -2


def taken(scenario: ReservationScenario, limit: int) -> AskedJobs:
    """What is read of recorded jobs: the demands, the priority and the type of the first *limit*."""
    return AskedJobs(tuple(scenario.servers.capacity), (PRIORITY, TYPE), limit)


def capacity_of(scenario: ReservationScenario) -> list[Needed]:
    """[D] the capacity of a server for each resource, in the declared units.

    Raises ScenarioError if the servers have configurations instead, or pools.
    """
    if not scenario.servers.capacity or scenario.servers.pools:
        raise ScenarioError("found no capacity, or pools; allowed for a trace: a capacity", where="servers.capacity")
    units = {name: scenario.unit_of(name) for name in scenario.servers.capacity}
    return [Needed(name, units[name], one.in_unit(units[name])) for name, one in scenario.servers.capacity.items()]


def recorded_types(scenario: ReservationScenario, trace: TraceWorkload, jobs: RecordedJobs) -> DraJobs:
    """Recorded jobs with their types: jobs with equal type, priority and rounded demand have the same type.

    Demands are rounded up to a power of 1/2 of a server.  The reward of a type is its largest demand as a share of
    a server, times 1, 3 or 9 for priority 0, 1 or 2; the paper has no factor for others.
    Only jobs of the :data:`MOST_TYPES` most frequent types are kept.
    Raises UserError if the trace lacks a resource of the scenario, or no job is left.
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
    """[n] the largest k with amount * part <= 2^-k, or one of the two marks; *part* is a unit's share of a server."""
    values, places = np.unique(amounts, return_inverse=True)
    found = [_exponent(value * part) for value in values.tolist()]
    return np.array(found, np.int64)[places.ravel()]


def _exponent(part: Fraction) -> int:
    if not part:
        return _NOTHING
    return _TOO_LARGE if part > 1 else int(1 / part).bit_length() - 1


def _type(key: list[int], names: tuple[str, ...], needed: list[Needed]) -> RewardedType:
    """The type of a key: minus the priority, [D] exponents, and an index in *names*."""
    priority, exponents = -key[0], key[1:-1]
    demand = tuple(Fraction(0) if one == _NOTHING else Fraction(1, 2**one) for one in exponents)
    sizes = ", ".join(f"{one.name} {part}" for one, part in zip(needed, demand, strict=True))
    label = f"{names[key[-1]]}, " if names else ""
    return RewardedType(demand, priority, max(demand) * REWARD_FACTOR[priority], f"{label}priority {priority}, {sizes}")


def with_trace(
    scenario: ReservationScenario, paths: tuple[str, ...] = ()
) -> tuple[ReservationScenario, RecordedWorkload, ImportReport]:
    """Read a scenario's trace: the scenario with the trace's job types, its jobs, a report.

    ``paths`` replace those of the scenario.  The workload rho_j of each type is the
    trace's mean: the mean number of its jobs in service if none were rejected,
    per server (Psychas & Ghaderi 2022, Section 7.2).
    Raises UserError if no path is given, a file cannot be read, or it has no completed task.
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
    capacities = capacity_of(scenario)  # demands are shares of it
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
