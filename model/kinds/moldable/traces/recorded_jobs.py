"""Moldable jobs from recorded jobs of any format."""

from __future__ import annotations

import numpy as np

from slotscope.model.traces.job_table import WIDTH, AskedColumns
from slotscope.model.traces.jobs import SECOND, RecordedJobs
from slotscope.model.traces.swf import ParallelJobs

#: What is taken of a table of jobs: beside its times, how many servers a job ran on.
TAKEN = AskedColumns(columns=(WIDTH,))


def parallel_jobs(jobs: RecordedJobs) -> ParallelJobs:
    """The jobs as those of a log, submitted when they arrived, on as many processors as they ran on.

    No trace of this kind tells the size of the machine; it is taken for the processors that were
    in use at most, had none waited.
    """
    machine = jobs.busiest()
    note = f"the machine is taken to have {machine:,} processors: what would be in use at most if no job waited"
    report = jobs.report.then(len(jobs), "jobs", (), (note,))
    submit = (jobs.arrival - jobs.arrival[0]) / SECOND
    return ParallelJobs(submit, np.asarray(jobs.duration / SECOND), jobs.width, machine, report)
