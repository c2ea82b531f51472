"""Turns a log of parallel jobs into the class and the workload of a scenario of moldable jobs."""

from __future__ import annotations

from fractions import Fraction
from math import fsum
from pathlib import Path
from typing import Any, Iterator, NamedTuple

import numpy as np
import numpy.typing as npt

from slotscope.model.errors import ScenarioError, TraceError
from slotscope.model.exact import LONGEST
from slotscope.model.kinds.moldable.scenario.schema import MoldableScenario
from slotscope.model.kinds.moldable.scenario.workload import TraceMoldable
from slotscope.model.scenario.load import as_data
from slotscope.model.scenario.streams import stream
from slotscope.model.scenario.validation import validated
from slotscope.model.scenario.workload import (
    BLOCK,
    JobBlock,
    RecentBlocks,
    RecordedWorkload,
    Sampler,
    Workload,
    empirical_sampler,
)
from slotscope.model.traces.formats import JOBS, playing, read_jobs
from slotscope.model.traces.job_table import WIDTH, AskedJobs
from slotscope.model.traces.jobs import SECOND, RecordedJobs, after_first
from slotscope.model.traces.report import ImportReport, LeftOut
from slotscope.model.traces.span import run_over
from slotscope.model.traces.swf import ParallelJobs, read_swf

Floats = npt.NDArray[np.float64]

#: Significant digits of estimated rates and means: more would only slow exact arithmetic.
DIGITS = 9

#: Most values that describe the distribution of sizes in the scenario; jobs are drawn from the whole log.
MOST_TOLD = 200

#: Shortest length of a record, in multiples of the shortest possible mean execution time, for jobs to fill its servers.
FULL = 25

Found = tuple[MoldableScenario, RecordedWorkload | None, ImportReport]


class DrawnWorkload:
    """Jobs of one class without end, whose interarrival times and sizes are independent draws.

    - *gaps*, *sizes*: Samplers of the interarrival time and of the inherent size, in seconds.
    - *seed*, *start*, *branch*: As for :class:`model.scenario.workload.PoissonWorkload`.
    """

    def __init__(self, gaps: Sampler, sizes: Sampler, seed: int, start: float = 0.0, branch: int = 0) -> None:
        self._gaps, self._sizes = gaps, sizes
        self._seed, self._branch = seed, branch
        self._starts = [start]
        self._recent: RecentBlocks[JobBlock] = RecentBlocks()

    def block_at(self, arrival: int) -> JobBlock:
        """See :class:`model.scenario.workload.Workload`; there is no last block."""
        return self._recent.at(arrival // BLOCK, self._made)

    def _made(self, position: int) -> JobBlock:
        while len(self._starts) <= position:
            self._starts.append(float(self._times(len(self._starts) - 1)[-1]))
        service = self._sizes(stream(self._seed, "service", self._branch, position), BLOCK)
        first = np.array([position * BLOCK], np.int64)
        return JobBlock(self._times(position), np.zeros(BLOCK, np.int32), service, first)

    def _times(self, position: int) -> Floats:
        # Always summed in the same order, so that a block has the same times whenever it is made.
        gaps = self._gaps(stream(self._seed, "arrivals", self._branch, position), BLOCK)
        return np.asarray(self._starts[position] + np.cumsum(gaps))


def parallel_jobs(jobs: RecordedJobs) -> ParallelJobs:
    """The recorded jobs as a log's, submitted at their arrivals and run on as many processors as recorded.

    The trace does not tell the size of the machine; it is taken to be the largest number of processors
    in use if no job had waited.
    """
    machine = jobs.busiest()
    note = f"the machine is taken to have {machine:,} processors: what would be in use at most if no job waited"
    report = jobs.report.then(len(jobs), "jobs", (), (note,))
    submit = (jobs.arrival - jobs.arrival[0]) / SECOND
    return ParallelJobs(submit, np.asarray(jobs.duration / SECOND), jobs.width, machine, report)


class _ScenarioLog(NamedTuple):
    """What a scenario uses of a log; times are in seconds."""

    time: Floats  #: [n] arrival times, from 0 for the first, not scaled
    size: Floats  #: [n] inherent sizes
    machine: int
    report: ImportReport

    @property
    def gap(self) -> float:
        """The mean interarrival time."""
        return float(self.time[-1]) / (len(self.time) - 1)


def with_trace(scenario: MoldableScenario, paths: tuple[str, ...] = ()) -> Found:
    """Read a scenario's trace: the scenario with the trace's load, its jobs, a report.

    ``paths`` replace those of the scenario.  The returned scenario has the number of
    servers, and its class the arrival rate, and the mean and the distribution of the sizes.  If arrivals or sizes
    are drawn there are no recorded jobs (None): they depend on the seed, and :func:`workload_of`
    makes them.
    Raises UserError if the scenario takes no trace, a file cannot be read, or it gives no arrival rate.
    """
    scenario, trace, _ = playing(scenario, TraceMoldable, paths, "moldable-swf")
    log = _used(scenario, trace, _read(trace))
    found = _told(scenario, trace, log)
    report = log.report.then(len(log.time), "jobs", (), _notes(found, log, scenario.classes[0].degree))
    if trace.arrivals == "recorded" and trace.sizes == "recorded":
        return found, RecordedWorkload(*_arrays(_times(found, log), log.size)), report
    return found, None, report


def workload_of(scenario: MoldableScenario, start: float = 0.0, branch: int = 0) -> Workload:
    """The jobs of a scenario that :func:`with_trace` has returned, from time *start* on.

    Its files are read again unless they were read recently.  The workload is endless if both interarrival times and
    sizes are drawn; otherwise it ends with the log.
    Raises UserError if a file cannot be read, or recorded jobs would have to continue at another time.
    """
    trace = scenario.workload
    assert isinstance(trace, TraceMoldable)
    if branch and "recorded" in (trace.arrivals, trace.sizes):
        raise ScenarioError(
            "found recorded jobs, allowed when a run goes on with other settings: arrivals "
            "'resampled' or 'poisson' and sizes 'resampled'; run it from the start instead",
            where="workload",
        )
    log = _used(scenario, trace, _read(trace))
    sizes = empirical_sampler(log.size, fsum(log.size) / len(log.size))
    if trace.arrivals == "recorded":
        drawn = sizes(stream(scenario.seed, "service", branch, 0), len(log.size))
        return RecordedWorkload(*_arrays(_times(scenario, log), log.size if trace.sizes == "recorded" else drawn))
    gaps = _gaps(scenario, trace, log)
    if trace.sizes == "resampled":
        return DrawnWorkload(gaps, sizes, scenario.seed, start, branch)
    times = np.cumsum(gaps(stream(scenario.seed, "arrivals", branch, 0), len(log.size)))
    return RecordedWorkload(*_arrays(start + times, log.size))


def _gaps(scenario: MoldableScenario, trace: TraceMoldable, log: _ScenarioLog) -> Sampler:
    """The sampler of interarrival times: exponential, or from the log; with the scenario's rate."""
    mean = _mean_gap(scenario)
    if trace.arrivals == "poisson":
        return lambda random, n: mean * random.standard_exponential(n)
    return empirical_sampler(np.diff(log.time), mean)


def _mean_gap(scenario: MoldableScenario) -> float:
    assert scenario.servers.count is not None
    return float(1 / (scenario.arrival_rates[0] * scenario.servers.count))


def _times(scenario: MoldableScenario, log: _ScenarioLog) -> Floats:
    """The log's arrival times, with interarrival times scaled to the scenario's rate."""
    trace = scenario.workload
    assert isinstance(trace, TraceMoldable)
    return log.time if trace.load is None else log.time * (_mean_gap(scenario) / log.gap)


def _arrays(time: Floats, size: Floats) -> tuple[Floats, npt.NDArray[np.int32], Floats]:
    return time, np.zeros(len(time), np.int32), size


def _read(trace: TraceMoldable) -> ParallelJobs:
    """The jobs of a log."""
    paths = [Path(path) for path in trace.paths]
    if trace.format == JOBS:
        return parallel_jobs(read_jobs(paths, AskedJobs(columns=(WIDTH,), limit=trace.limit)))
    return read_swf(paths)


def _used(scenario: MoldableScenario, trace: TraceMoldable, jobs: ParallelJobs) -> _ScenarioLog:
    """The first jobs of a log, with their inherent sizes.

    Raises TraceError if there are fewer than two, or all arrived at the same time.
    """
    count = min(len(jobs), trace.limit)
    if count < 2 or jobs.submit[count - 1] == jobs.submit[0]:
        found = f"{count:,} jobs that can be used" if count != 1 else "one job that can be used"
        told = "".join(f"; {item.counted}: {item.reason}" for item in jobs.report.left_out)
        raise TraceError(
            f"found {found}{', all of one time' if count > 1 else ''}, allowed: jobs "
            f"of several times, from which a rate can be told{told}",
            where=jobs.report.files[0],
        )
    size = jobs.run[:count] * _factors(scenario, trace, jobs.processors[:count])
    out = LeftOut(after_first(count), len(jobs) - count, "jobs")
    report = jobs.report.then(count, "jobs", (out,))
    return _ScenarioLog(jobs.submit[:count] - jobs.submit[0], size, jobs.machine, report)


def _factors(scenario: MoldableScenario, trace: TraceMoldable, processors: npt.NDArray[np.int64]) -> Floats:
    """[n] the ratio of each job's run time on one processor to its recorded run time."""
    if trace.work == "run time":
        return np.ones(len(processors))
    if trace.work == "linear":
        return processors.astype(np.float64)
    speedup = np.array([float(factor) for factor in scenario.speedup_of(0)])
    return np.asarray(speedup[np.minimum(processors, len(speedup)) - 1])


def rounded(value: float) -> Fraction:
    """A rate or a mean rounded to :data:`DIGITS` significant digits."""
    return Fraction(f"{value:.{DIGITS - 1}e}")


def _told(scenario: MoldableScenario, trace: TraceMoldable, log: _ScenarioLog) -> MoldableScenario:
    """The scenario with the number of servers, arrival rate and sizes that are used.

    Raises ScenarioError if the log's machine is too large for a run.
    """
    servers = scenario.servers.count or log.machine
    mean = rounded(fsum(log.size) / len(log.size))
    rate = rounded(1 / (log.gap * servers)) if trace.load is None else trace.load / mean
    if len(str(rate)) > LONGEST:
        rate = rounded(float(rate))
    groups = np.array_split(np.sort(log.size), min(len(log.size), MOST_TOLD))
    size = {
        "distribution": "empirical",
        "values": [str(rounded(float(group.mean()))) for group in groups],
        "mean": str(mean),
    }
    job_class = as_data(scenario)["classes"][0] | {"arrival_rate": str(rate), "size": size}
    job_class["speedup"] = _up_to(servers, job_class["speedup"])
    job_class.pop("share", None)
    gap = log.gap if trace.load is None else float(1 / (rate * servers))
    changes: dict[str, Any] = {
        "run": run_over(scenario, gap * (len(log.time) - 1)),
        "servers": {"count": servers},
        "classes": [job_class],
        "workload": trace.model_dump(mode="json", exclude_none=True),
    }
    return validated(MoldableScenario, as_data(scenario) | changes)


def _up_to(servers: int, speedup: Any) -> Any:
    """A speed-up as data, cut to the number of servers, as a log's machine can be smaller than the degree."""
    if isinstance(speedup, list):
        return speedup[:servers]
    return speedup | {"degree": min(speedup["degree"], servers)}


def _too_few(scenario: MoldableScenario, jobs: int, machine: str) -> Iterator[str]:
    """Warnings that a record ends before many of its jobs can have been executed."""
    span, shortest = _mean_gap(scenario) * (jobs - 1), float(scenario.mean_of(0) / max(scenario.speedup_of(0)))
    if span < FULL * shortest:
        assert scenario.servers.count is not None
        enough = Fraction(f"{scenario.servers.count * span / (FULL * shortest):.0e}")
        fewer = f"; choose fewer, such as servers.count = {int(enough)}" if enough >= 1 else ""
        yield (
            f"they come within {span:,.6g} s, where one takes {shortest:,.6g} s or more on average: "
            f"too few to fill {machine}{fewer}"
        )


def _notes(scenario: MoldableScenario, log: _ScenarioLog, degree: int) -> Iterator[str]:
    trace = scenario.workload
    assert isinstance(trace, TraceMoldable)
    gap, mean, servers = _mean_gap(scenario), float(scenario.mean_of(0)), scenario.servers.count
    told = {"speed-up": "run time times speed-up", "linear": "run time times processors", "run time": "run time"}[
        trace.work
    ]
    machine = "1 server" if servers == 1 else f"{servers:,} servers"
    yield (
        f"the inherent size of a job is its {told}, {mean:,.6g} s on average; with {gap:,.6g} s from one arrival to "
        f"the next they offer {machine} a load of {float(scenario.load):.4g}"
    )
    if trace.load is not None:
        yield f"times between arrivals are scaled by {gap / log.gap:.4g}"
        if "recorded" in (trace.arrivals, trace.sizes):  # others are endless
            yield from _too_few(scenario, len(log.time), machine)
    if scenario.classes[0].degree < degree:
        yield f"a job runs on {machine} at most, where the speed-up is told for {degree:,}"
    if log.machine != servers:
        processors = "1 processor" if log.machine == 1 else f"{log.machine:,} processors"
        yield f"the log's machine has {processors}"
