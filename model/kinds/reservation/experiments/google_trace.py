"""Common parts of the experiments on Google's trace: the policies, facts about the trace, its limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Mapping

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.experiments import infinite_system
from slotscope.model.kinds.reservation.traces.workload import dra_jobs
from slotscope.model.lab import simulation
from slotscope.model.lab.inputs import given_content
from slotscope.model.lab.parts import Part
from slotscope.model.lab.simulation import with_servers
from slotscope.model.traces.google import read_task_events
from slotscope.model.traces.report import ImportReport

SCENARIO = "dra-google"

#: The curves: name and policy (None: the upper bound, LP (3.1) with the infinite system's jobs).
POLICIES: Mapping[str, str | None] = {
    "upper bound": None,
    "DRA+Preemption": "dra-preemption:reservation_factor=log^1.1",
    "DRA": "dra:reservation_factor=log^1.1",
    "power of 5 choices": "power-of-d:choices=5",
}

#: The only policy with random numbers of its own, and therefore the only one with replications.
RANDOM = "power of 5 choices"

#: The share of the trace that is left out as warm-up, as the servers are empty at first.
WARMUP_SHARE = 0.1


@dataclass(frozen=True, eq=False)
class LossTraceFacts:
    """Facts about a trace."""

    last: float  #: seconds from the first arrival to the last
    load: float  #: the mean total size of the jobs in service if none were rejected, in servers
    #: time, size, priority: [n] those of each job
    time: NDArray[np.float64]
    size: NDArray[np.float64]
    priority: NDArray[np.int64]
    report: ImportReport  #: what was read and left out


def facts(trace: tuple[str, ...]) -> LossTraceFacts:
    """The facts about a trace, cached by the content of its files.

    Raises UserError if no file is given, or one cannot be used.
    """
    return _facts(trace, given_content(trace))


@lru_cache(maxsize=1)
def _facts(trace: tuple[str, ...], _content: str) -> LossTraceFacts:
    jobs = dra_jobs(read_task_events([Path(path) for path in trace]))
    size = np.array([float(kind.size) for kind in jobs.types])[jobs.type]
    priority = np.array([kind.priority for kind in jobs.types])[jobs.type]
    last = float(jobs.time[-1])
    served = np.minimum(jobs.service, last - jobs.time)
    load = float((size * served).sum()) / (last or 1.0)
    return LossTraceFacts(last, load, jobs.time, size, priority, jobs.report)


def servers_for(trace: LossTraceFacts, share: float) -> int:
    """The number of servers that could hold *share* of the mean load, rounded to two digits, at least 5."""
    return max(int(float(f"{share * trace.load:.2g}")), 5)


def runs(
    name: str,
    policy: str | None,
    servers: int,
    trace: tuple[str, ...],
    replications: int,
    times: tuple[float, ...] = (),
) -> list[Part]:
    """Parts that run the whole trace under a policy, in :data:`POLICIES` or added; one part if it is deterministic."""
    last = facts(trace).last
    return simulation.simulations(
        with_servers(SCENARIO, servers),
        range(1, 1 + (replications if name == RANDOM else 1)),
        WARMUP_SHARE * last,
        last,
        f"{name}, L = {servers}",
        policy,
        times,
        trace,
        infinite_system.WORK if policy is None else simulation.WORK,
    )


def limits(trace: LossTraceFacts) -> tuple[str, ...]:
    """Sentences on what the given trace cannot show."""
    total = float(trace.size.sum())
    shares = ", ".join(
        f"{float(trace.size[trace.priority == priority].sum()) / total:.1%} of priority {priority}"
        for priority in (0, 1, 2)
    )
    several = len(trace.report.files)
    return (
        f"The trace: {len(trace.time):,} completed jobs from {several} file{'s' if several > 1 else ''}, the first "
        f"{trace.last:,.0f} s; the paper uses a million. By size, {shares} arrive; only jobs of priority 0 can be "
        "preempted.",
        "Only tasks that were completed within the files count, so that long tasks are missing, the more so towards "
        f"the end; servers are empty at first. Means leave out the first {WARMUP_SHARE:.0%}.",
        f"On a trace all but {RANDOM} is determined, so there is no interval; {RANDOM} is "
        "repeated with other samples of servers.",
    )
