"""Converts a trace to the classes of jobs and the workload of a scenario with a queue.

Google's tasks are treated as in Psychas & Ghaderi (2019), Section VII.B: the paper keeps tasks "that were completed
without interruptions/errors", takes the larger of the CPU and memory requests as a job's size, uses slots of 100 ms,
and multiplies arrival times by beta.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from operator import le
from pathlib import Path
from typing import Any, Literal, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.kinds.queue.arrivals import RecordedSlots
from slotscope.model.kinds.queue.numbers import QueueNumbers, numbers_of
from slotscope.model.kinds.queue.scenario.arrivals import TraceSlots
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.kinds.queue.units import scaled
from slotscope.model.scenario.fields import Quantity
from slotscope.model.scenario.load import as_data
from slotscope.model.scenario.validation import validated
from slotscope.model.traces.alibaba_pods import pod_jobs, read_pods
from slotscope.model.traces.formats import JOBS, playing, read_jobs
from slotscope.model.traces.google import GoogleTasks, read_task_events
from slotscope.model.traces.job_table import AskedJobs
from slotscope.model.traces.jobs import Needed, RecordedJobs, after_first, demanded
from slotscope.model.traces.report import ImportReport
from slotscope.model.traces.slots import SlottedJobs, slotted
from slotscope.model.traces.span import run_over
from slotscope.model.traces.task_events import REQUEST_UNIT

NOTES = (
    "a job is a run from SUBMIT to FINISH, both after the trace began; of a task that was evicted "
    "or failed and submitted again, the run that was completed counts",
    "a job arrives when its task was submitted and is served as long as the task ran; tasks that "
    "had not finished when the files end are missing, so that towards the end fewer jobs are long",
)


def queue_jobs(
    tasks: GoogleTasks,
    *,
    slot: Fraction = Fraction(1, 10),
    time_scale: Fraction = Fraction(1),
    limit: int | None = 1_000_000,
    resources: Literal["max", "all"] = "max",
) -> SlottedJobs:
    """Jobs in slotted time from completed runs of tasks.

    - *slot*: Seconds.
    - *time_scale*: beta: what arrival times are multiplied by; the paper's traffic scaling is 1 / beta.
    - *limit*: Use the first *limit* jobs (after leaving others out); None uses all.
    - *resources*: ``"max"``: the size is the larger of CPU and memory, [n, 1].  ``"all"``: [n, 2], both. In
      1/:data:`model.traces.task_events.REQUEST_UNIT` of the largest machine.

    Raises TraceError if no job remains, or slots are too short.
    """
    jobs = tasks.servable()
    if limit is not None:
        jobs = jobs.keep(np.arange(len(jobs)) < limit, after_first(limit))
    size = jobs.size[:, None] if resources == "max" else np.stack((jobs.cpu, jobs.memory), axis=1)
    report = jobs.report.then(len(jobs), "jobs", (), NOTES)
    return slotted(jobs.submit, jobs.runtime, size, report, slot, time_scale)


Found = tuple[QueueScenario, RecordedSlots, ImportReport]

#: The most classes of jobs that describe a trace; if there are more sizes, neighbouring ones share a class.
MOST_CLASSES = 200

#: With several resources sizes are rounded up to multiples of 1 / PARTS of a largest server, so that the inner
#: product of two sizes fits into 64 bits.
PARTS = 3 * 2**20 * 5**3


class ResourceScale(NamedTuple):
    """The column of a resource in a trace's sizes, and the amount of one trace unit in the scenario's unit."""

    column: int
    amount: Fraction


def taken(scenario: QueueScenario, limit: int) -> AskedJobs:
    """What is read of recorded jobs: the demands of the first *limit* jobs."""
    return AskedJobs(scenario.resource_names, limit=limit)


def recorded_slots(
    scenario: QueueScenario, trace: TraceSlots, jobs: RecordedJobs
) -> tuple[SlottedJobs, tuple[ResourceScale, ...]]:
    """The recorded jobs in slotted time: their demands, arrival times and durations.

    Raises UserError if the jobs lack a resource of the scenario, or slots are too short.
    """
    names = scenario.resource_names
    pairs = zip(names, largest(scenario), strict=True)
    needed = [Needed(name, scenario.unit_of(name), most) for name, most in pairs]
    some, size, factors = demanded(jobs, needed)
    found = slotted(some.arrival, some.duration, size, some.report, trace.slot, trace.time_scale)
    return found, tuple(ResourceScale(column, factor) for column, factor in enumerate(factors))


def capacities(scenario: QueueScenario) -> list[tuple[Fraction, ...]]:
    """[P][D] the capacity of a server of each pool, in the declared units."""
    return [scenario.amounts(capacity) for _, _, capacity, _ in scenario.servers.kinds]


def largest(scenario: QueueScenario) -> list[Fraction]:
    """[D] the largest capacity of a server in each resource."""
    return [max(column) for column in zip(*capacities(scenario), strict=True)]


def with_trace(scenario: QueueScenario, paths: tuple[str, ...] = ()) -> Found:
    """Read a scenario's trace: the scenario with the trace's jobs, the workload, a report.

    ``paths`` replace those of the scenario.
    Raises UserError if the scenario uses no trace, a file cannot be read, or no job in it fits the servers.
    """
    scenario, trace, files = playing(scenario, TraceSlots, paths, "queues-google")
    if trace.format == JOBS:
        jobs, scales = recorded_slots(scenario, trace, read_jobs(files, taken(scenario, trace.limit)))
    else:
        scales = resources(scenario)  # before minutes of reading
        jobs = _read(trace, files)
    return with_jobs(scenario, jobs, scales)


def _read(trace: TraceSlots, files: Sequence[Path]) -> SlottedJobs:
    if trace.format == "alibaba-pods":
        return pod_jobs(read_pods(files), slot=trace.slot, time_scale=trace.time_scale, limit=trace.limit)
    tasks = read_task_events(files)
    return queue_jobs(tasks, slot=trace.slot, time_scale=trace.time_scale, limit=trace.limit, resources=trace.resources)


def resources(scenario: QueueScenario) -> tuple[ResourceScale, ...]:
    """[D] how a trace's sizes are converted for each resource of the scenario.

    Google's sizes are relative to the largest machine, which corresponds to the largest server; the
    sizes of pods are thousandths of a core and MiB.
    Raises ScenarioError if the servers have other resources than the trace.
    """
    trace = scenario.workload
    assert isinstance(trace, TraceSlots)
    most = largest(scenario)
    if trace.format == "google-task-events" and trace.resources == "max":
        if len(most) != 1:
            names = ", ".join(scenario.resource_names)
            raise ScenarioError(
                f"found the resources {names}, allowed: one, because a job's size "
                "is the larger of CPU and memory; or workload.resources = 'all'",
                where="servers.capacity",
            )
        return (ResourceScale(0, most[0] / REQUEST_UNIT),)
    if trace.resources == "max":
        raise ScenarioError(
            "found 'max', allowed for a list of pods: 'all', because CPU and memory have no common measure",
            where="workload.resources",
        )
    columns = [_column(name) for name in scenario.resource_names]
    if sorted(columns) != [0, 1]:
        raise ScenarioError(
            f"found the resources {', '.join(scenario.resource_names)}, allowed: "
            "two, whose names begin with 'cpu' and with 'mem'",
            where="servers.capacity",
        )
    if trace.format == "google-task-events":
        return tuple(ResourceScale(column, one / REQUEST_UNIT) for column, one in zip(columns, most, strict=True))
    pairs = zip(columns, scenario.resource_names, strict=True)
    return tuple(ResourceScale(column, _one(scenario, name, column)) for column, name in pairs)


def _column(name: str) -> int:
    starts = ("cpu", "mem")
    return next((place for place, start in enumerate(starts) if name.lower().startswith(start)), -1)


def _one(scenario: QueueScenario, name: str, column: int) -> Fraction:
    """A thousandth of a core, or a MiB, in the scenario's unit of that resource."""
    unit = scenario.unit_of(name)
    written = ("mCPU", "mvCPU") if column == 0 else ("MiB",)
    for own in written if unit else ("",):
        try:
            return Quantity((Fraction(1), own)).in_unit(unit)
        except ValueError as error:
            problem = str(error)
    raise ScenarioError(f"{problem}; pods tell {written[0]}", where=f"resources.{name}.unit")


def with_jobs(scenario: QueueScenario, jobs: SlottedJobs, scales: tuple[ResourceScale, ...]) -> Found:
    """A scenario whose jobs are those of a trace that has been read; as :func:`with_trace`.

    ``scales`` say what the jobs' sizes are in the scenario's resources.
    Raises UserError if no job fits a server, or sizes are too fine for exact units.
    """
    sizes, size_of = np.unique(jobs.size, axis=0, return_inverse=True)
    size_of = size_of.ravel()
    amounts, rounded = _amounts(scenario, sizes, scales)
    fits = _fitting(scenario, amounts)
    if not fits.all():
        if not fits.any():
            raise TraceError("no job of the trace fits a server", where="servers.capacity")
        return with_jobs(scenario, jobs.keep(fits[size_of], "larger than every server"), scales)
    found = _told(scenario, jobs, amounts, size_of)
    numbers = numbers_of(found)
    units = np.array([scaled(amount, numbers.unit) for amount in amounts], np.int64)
    recorded = RecordedSlots(jobs.slot.astype(np.float64), units[size_of], jobs.service.astype(np.float64))
    notes = [_offered(numbers)]
    if rounded:
        notes.append(f"sizes are rounded up to 1/{PARTS:,} of a largest server")
    return found, recorded, jobs.report.then(len(jobs), "jobs", (), notes)


def _fitting(scenario: QueueScenario, amounts: list[tuple[Fraction, ...]]) -> npt.NDArray[np.bool_]:
    """[m] whether each of *amounts* fits some server."""
    servers = capacities(scenario)
    found = [any(all(map(le, amount, server)) for server in servers) for amount in amounts]
    return np.array(found)


def _amounts(
    scenario: QueueScenario, sizes: npt.NDArray[np.int64], scales: tuple[ResourceScale, ...]
) -> tuple[list[tuple[Fraction, ...]], bool]:
    """[m][D] distinct sizes in the scenario's units; and whether one had to be rounded up."""
    exact = [tuple(scale.amount * row[scale.column] for scale in scales) for row in sizes.tolist()]
    if len(scales) == 1:
        return exact, False
    parts = [most / PARTS for most in largest(scenario)]
    rounded = [tuple(ceil(amount / part) * part for amount, part in zip(row, parts, strict=True)) for row in exact]
    return rounded, rounded != exact


def _told(
    scenario: QueueScenario, jobs: SlottedJobs, amounts: list[tuple[Fraction, ...]], size_of: npt.NDArray[np.int64]
) -> QueueScenario:
    """The scenario with classes of jobs whose shares, sizes and mean services are the trace's."""
    order = sorted(range(len(amounts)), key=lambda place: (max(amounts[place]), amounts[place]))
    counts = np.bincount(size_of, minlength=len(amounts)).tolist()
    work = np.zeros(len(amounts), np.int64)
    np.add.at(work, size_of, jobs.service)
    groups = [group.tolist() for group in np.array_split(order, min(len(order), MOST_CLASSES))]
    trace = scenario.workload.model_dump(mode="json", exclude_none=True)
    changes: dict[str, Any] = {
        "jobs": [_class(group, amounts, counts, work.tolist(), len(jobs)) for group in groups],
        "run": run_over(scenario, float(jobs.slot[-1])),
        "workload": trace | {"arrival_rate": str(Fraction(len(jobs), jobs.slots))},
    }
    return validated(QueueScenario, as_data(scenario) | changes)


def _class(
    group: list[int], amounts: list[tuple[Fraction, ...]], counts: list[int], work: list[int], jobs: int
) -> dict[str, Any]:
    many = sum(counts[place] for place in group)
    mean = Fraction(sum(work[place] for place in group), many)
    return {
        "share": str(Fraction(many, jobs)),
        "size": {
            "distribution": "empirical",
            "values": [[str(amount) for amount in amounts[place]] for place in group],
            "counts": [counts[place] for place in group],
        },
        "service": {"distribution": "geometric", "mean": str(mean)},
    }


def _offered(numbers: QueueNumbers) -> str:
    return (
        f"the work of all jobs, those of the last ones included, is {float(numbers.intensity):.1%} of what the "
        f"{numbers.servers:,} servers can do from the first arrival to the last"
    )
