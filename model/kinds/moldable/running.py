"""Which job each server runs, kept up by compiled code while a run goes on, for questions about millions of events."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.systems.base import EVENT
from slotscope.model.systems.watching import BLOCK, Derived, differs


def jobs_run(state: MoldableState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[1, n] the number of the job that each server runs, -1 for none; and what that follows from, as it was last.

    That is [n] the servers that run another one, the number of the event, and [n] the record of each server's job, two
    in a word.
    """
    servers = len(state.server_job)
    running = np.where(state.server_job >= 0, state.job_number[state.server_job], -1)
    kept = np.zeros(servers + 1 + (servers + 1) // 2, np.int64)
    kept[servers] = state.number[EVENT]
    kept[servers + 1 :].view(np.int32)[:servers] = state.server_job
    return running[None], kept


@jitable
def follow_jobs(state: Any, derived: Any, kept: Any) -> int:
    """Look up the jobs of the servers whose record is another one, or of all: no event gives a record from one job to
    another, but several do.
    """
    servers, told = derived.shape[1], 0
    were, every = kept[servers + 1 :].view(np.int32), state.number[EVENT] > kept[servers] + 1
    kept[servers] = state.number[EVENT]
    whole = servers // BLOCK * BLOCK
    for first in range(0, whole, BLOCK):
        if every or differs(state.server_job, were, first):
            told = look_up(state, derived, kept, were, first, first + BLOCK, told)
    return look_up(state, derived, kept, were, whole, servers, told)


@jitable
def look_up(state: Any, derived: Any, kept: Any, were: Any, first: int, end: int, told: int) -> int:
    """Look up the jobs that some servers run now; and how many are *told* that run another one."""
    for server in range(first, end):
        record = state.server_job[unsigned(server)]
        were[unsigned(server)] = record
        job = state.job_number[unsigned(record)] if record >= 0 else -1
        if job != derived[0, unsigned(server)]:
            derived[0, unsigned(server)] = job
            kept[unsigned(told)] = server
            told += 1
    return told


RUNNING = Derived(("running",), jobs_run, follow_jobs)
