"""Jobs with a queue from Google's tasks: Psychas & Ghaderi (2019), Section VII.B.

The paper keeps tasks "that were completed without interruptions/errors", makes the larger of
CPU and memory request a job's size, decides every 100 ms, and multiplies arrival times by beta.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np

from slotscope.model.traces.google import GoogleTasks
from slotscope.model.traces.jobs import after_first
from slotscope.model.traces.slots import SlottedJobs, slotted

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

    Parameters
    ----------
    slot:
        Seconds.
    time_scale:
        beta: what arrival times are multiplied by; the paper's traffic scaling is 1 / beta.
    limit:
        Use the first *limit* jobs (after leaving others out); None uses all.
    resources:
        ``"max"``: the size is the larger of CPU and memory, [n, 1].  ``"all"``: [n, 2], both.
        In 1/:data:`model.traces.task_events.REQUEST_UNIT` of the largest machine.

    Raises
    ------
    TraceError
        If no job remains, or slots are too short.
    """
    jobs = tasks.servable()
    if limit is not None:
        jobs = jobs.keep(np.arange(len(jobs)) < limit, after_first(limit))
    size = jobs.size[:, None] if resources == "max" else np.stack((jobs.cpu, jobs.memory), axis=1)
    report = jobs.report.then(len(jobs), "jobs", (), NOTES)
    return slotted(jobs.submit, jobs.runtime, size, report, slot, time_scale)
