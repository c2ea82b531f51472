"""Which job each server runs, kept up by compiled code while a run goes on, for questions about millions of events."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.systems.watching import Derived


def jobs_run(state: MoldableState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[1, n] the number of the job that each server runs, -1 for none; nothing is kept beside it."""
    running = np.where(state.server_job >= 0, state.job_number[state.server_job], -1)
    return running[None], np.zeros(0, np.int64)


@jitable
def follow_jobs(state: Any, derived: Any, _: Any) -> None:
    """Look up the jobs that the servers run now."""
    for server in range(derived.shape[1]):
        record = state.server_job[unsigned(server)]
        derived[0, unsigned(server)] = state.job_number[unsigned(record)] if record >= 0 else -1


RUNNING = Derived(("running",), jobs_run, follow_jobs)
