"""Figure 5 of Psychas & Ghaderi (2019): mean queue against traffic scaling, on the Google trace."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil
from pathlib import Path
from typing import Mapping

import numpy as np

from slotscope.model.kinds.queue.experiments.queue_runs import CUTS, WARMUP_CUTS, WARMUP_SHARE, sums_of_the_queue
from slotscope.model.kinds.queue.scenario.arrivals import TraceSlots
from slotscope.model.kinds.queue.scenario.schema import QueueScenario
from slotscope.model.kinds.queue.traces.workload import queue_jobs, resources, with_jobs
from slotscope.model.lab.inputs import check_inputs, content, given_content, under
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import Options, Outcomes, finished
from slotscope.model.lab.results import Curve, Figure, Result, Row
from slotscope.model.lab.simulation import with_servers
from slotscope.model.running.assembly import assemble
from slotscope.model.scenario.load import as_data, edited
from slotscope.model.scenario.validation import validated
from slotscope.model.traces.google import GoogleTasks, read_task_events
from slotscope.model.traces.report import ImportReport
from slotscope.model.traces.slots import SlottedJobs
from slotscope.model.traces.task_events import REQUEST_UNIT

NAME = "queues-fig5"
SCENARIO = "queues-google"

POLICIES: Mapping[str, str] = {"BF-J/S": "bf-js", "VQS-BF": "vqs-bf", "VQS": "vqs", "FIFO-FF": "fifo-ff"}

#: The values of the paper's traffic scaling 1 / beta, from the least to the largest.
SCALES: Mapping[str, tuple[str, ...]] = {
    "quick": ("1", "1.2", "1.4", "1.6"),
    "paper": ("1", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"),
}
DENSEST = SCALES["paper"][-1]

#: The mean load at the largest traffic scaling, as a share of all servers.
FULL = 0.95

#: The least number of servers, also for a part of the trace with few jobs.
FEWEST_SERVERS = 2

PAPER = (
    'The paper, with 1000 servers and a million tasks: "as traffic scaling increases, BF-J/S and '
    "VQS-BF have a clear advantage over the other schemes, with VQS-BF also yielding a small "
    'improvement". It gives no numbers.'
)


@dataclass(frozen=True, eq=False)
class QueueTraceFacts:
    """The properties of a trace that the experiment uses."""

    #: by traffic scaling, the mean load in servers from the first arrival to the last, if no job waited
    loads: Mapping[str, float]
    servers: int  #: L, chosen by the loads
    #: jobs, slots: the number of jobs, and of slots from the first arrival to the last at scaling 1
    jobs: int
    slots: int
    report: ImportReport


def facts(trace: tuple[str, ...]) -> QueueTraceFacts:
    """The facts of a trace, which is read only once for each content of its files.

    Raises UserError if no file is given, or one cannot be used.
    """
    return _facts(trace, given_content(trace))


@lru_cache(maxsize=1)
def _facts(trace: tuple[str, ...], text: str) -> QueueTraceFacts:
    usual = jobs_at(trace, text, "1")
    loads = {scaling: mean_load(jobs_at(trace, text, scaling)) for scaling in SCALES["paper"]}
    servers = max(ceil(float(f"{loads[DENSEST] / FULL:.2g}")), FEWEST_SERVERS)
    return QueueTraceFacts(loads, servers, len(usual), usual.slots, usual.report)


@lru_cache(maxsize=1)
def _tasks(trace: tuple[str, ...], _content: str) -> GoogleTasks:
    """Read the tasks of a trace; cached, because reading takes longer than many runs."""
    return read_task_events([Path(path) for path in trace])


def jobs_at(trace: tuple[str, ...], text: str, scaling: str) -> SlottedJobs:
    """The jobs of a trace of content *text* at a traffic scaling."""
    workload = _scenario(1, scaling).workload
    assert isinstance(workload, TraceSlots)
    return queue_jobs(_tasks(trace, text), slot=workload.slot, time_scale=workload.time_scale, limit=workload.limit)


def mean_load(jobs: SlottedJobs) -> float:
    """The mean load in servers up to the last arrival, if no job waited."""
    served = np.minimum(jobs.service, jobs.slots - jobs.slot)
    return float((jobs.size[:, 0] / REQUEST_UNIT * served).sum()) / jobs.slots


def _scenario(servers: int, scaling: str) -> QueueScenario:
    scenario = with_servers(SCENARIO, servers)
    workload = as_data(scenario)["workload"] | {"time_scale": str(1 / Fraction(scaling))}
    return validated(QueueScenario, as_data(edited(scenario, {"workload": workload})))


def parts(scale: str, options: Options) -> list[Part]:
    """One part for each policy and traffic scaling; runs on a trace are deterministic, so one each is enough."""
    return list(_cells(scale, options).values())


def _cells(scale: str, options: Options) -> dict[tuple[str, str], Part]:
    trace, policies = options.trace, options.beside(POLICIES)
    known = facts(trace)
    return {
        (name, scaling): _part(name, policy, scaling, known, trace)
        for scaling in SCALES[scale]
        for name, policy in policies.items()
    }


def _part(name: str, policy: str, scaling: str, known: QueueTraceFacts, trace: tuple[str, ...]) -> Part:
    settings = {
        **under(policy),
        "scaling": scaling,
        "servers": known.servers,
        "scenario": as_data(_scenario(known.servers, scaling)),
        "trace": list(trace),
        "content": content(trace),
    }
    return Part.of(__name__, 1, settings, f"{name}, scaling {scaling}", known.jobs)


def carry_out(part: Part) -> Outcome:
    """[:data:`CUTS`] the mean queue in equal batches up to the last arrival; and the number of slots."""
    settings = part.settings
    jobs = jobs_at(tuple(settings["trace"]), settings["content"], settings["scaling"])
    opened = _scenario(settings["servers"], settings["scaling"])
    scenario, recorded, _ = with_jobs(opened, jobs, resources(opened))
    slots = ceil(jobs.slots / CUTS) * CUTS
    bench = assemble(scenario, settings["policy"], part.seed, recorded)
    check_inputs(part)
    areas = sums_of_the_queue(bench, slots)
    return {"slots": slots, "queue": [area * CUTS / slots for area in areas]}


def result(scale: str, options: Options, outcomes: Outcomes) -> Result:
    """The average queue of each policy at each scaling, and the queues over time at the largest scaling."""
    known = facts(options.trace)
    found = {key: outcomes[part] for key, part in _cells(scale, options).items() if finished([part], outcomes)}
    means = {key: float(np.mean(outcome["queue"][WARMUP_CUTS:])) for key, outcome in found.items()}
    rows = [
        Row(
            "average_queue",
            mean,
            float("nan"),
            at={"policy": name, "traffic_scaling": float(scaling), "L": known.servers},
        )
        for (name, scaling), mean in means.items()
    ]
    rows += [
        Row(
            "mean_load_over_servers",
            known.loads[scaling] / known.servers,
            at={"traffic_scaling": float(scaling), "L": known.servers},
        )
        for scaling in SCALES[scale]
    ]
    names = tuple(options.beside(POLICIES))
    figures = (_over_scaling(names, means, known.servers), _over_time(names, found, known.servers))
    return Result(NAME, scale, tuple(rows), figures, (PAPER, *_chosen(known)))


def _chosen(known: QueueTraceFacts) -> tuple[str, ...]:
    return (
        f"The trace: {known.jobs:,} completed jobs in {known.slots:,} slots of 100 ms; the paper uses a million in "
        f"1.5 days. If none waited, they would fill {known.loads['1']:.0f} servers on average at scaling 1 and "
        f"{known.loads[DENSEST]:.0f} at {DENSEST}. The {known.servers} servers are chosen so that the latter is about "
        f"{FULL:.0%} of them: jobs come in bursts, so that some wait even at scaling 1.",
        "Scaling compresses the times of arrivals, not the services. Averages leave out the first "
        f"{WARMUP_SHARE:.0%} of the time until the last arrival. A trace is one run, and no steady "
        "state: there is no interval, and no verdict on growth.",
        "Only tasks that were completed within the files count, so that long tasks are missing, "
        "the more so towards the end; servers are empty at first.",
    )


def _over_scaling(names: tuple[str, ...], means: Mapping[tuple[str, str], float], servers: int) -> Figure:
    curves = []
    for name in names:
        mine = {float(scaling): mean for (policy, scaling), mean in means.items() if policy == name}
        if mine:
            curves.append(Curve(name, tuple(mine), tuple(mine.values())))
    return Figure(
        name=NAME,
        title=f"Average queue on the Google trace, {servers} servers",
        x_label="traffic scaling 1/β",
        y_label="jobs that wait",
        curves=tuple(curves),
        planned=names,
    )


def _over_time(names: tuple[str, ...], found: Mapping[tuple[str, str], Outcome], servers: int) -> Figure:
    curves = []
    for (name, scaling), outcome in found.items():
        if scaling == DENSEST:
            middle = (np.arange(CUTS) + 0.5) * outcome["slots"] / CUTS
            curves.append(Curve(name, tuple(middle.tolist()), tuple(outcome["queue"])))
    return Figure(
        name=f"{NAME}-time",
        title=f"Google trace at scaling {DENSEST}, {servers} servers: queues over time",
        x_label="slot of 100 ms",
        y_label="jobs that wait",
        curves=tuple(curves),
        planned=names,
    )
