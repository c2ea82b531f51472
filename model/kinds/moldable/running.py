"""The job on each server, kept up to date by compiled code during a run, for questions about millions of events."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable.rows import MOLDABLE_ROW
from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.systems.watching import Derived, number_in, offset_of

#: Offset in an event's row of the first server of its job.
_FIRST_SERVER = offset_of(MOLDABLE_ROW, "server")


def jobs_run(state: MoldableState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[1, n] the number of the job on each server, -1 for none; and [n] room for the servers whose job changes."""
    running = np.where(state.server_job >= 0, state.job_number[state.server_job], -1)
    return running[None], np.zeros(len(running), np.int64)


@jitable
def follow_jobs(state: Any, derived: Any, kept: Any, rows: Any) -> int:
    """Update the servers of one event's job, or all servers: later events may reuse its pieces."""
    servers, told = derived.shape[1], 0
    if len(rows) != 1:
        for server in range(servers):
            told = look_up(state, derived, kept, server, told)
        return told
    record = number_in(rows[0], _FIRST_SERVER)
    piece = record
    was = derived[0, record] if record >= 0 else -1
    while piece >= 0:
        server = piece
        while server < servers and (
            state.server_job[unsigned(server)] == record or (was >= 0 and derived[0, unsigned(server)] == was)
        ):
            told = look_up(state, derived, kept, server, told)
            server += 1
        piece = state.piece_next[unsigned(piece)]  # also set for a job that has departed
    return told


@jitable
def look_up(state: Any, derived: Any, kept: Any, server: int, told: int) -> int:
    """Update the job of a server; return the number of changed servers *told* so far."""
    record = state.server_job[unsigned(server)]
    job = state.job_number[unsigned(record)] if record >= 0 else -1
    if job != derived[0, unsigned(server)]:
        derived[0, unsigned(server)] = job
        kept[unsigned(told)] = server
        told += 1
    return told


RUNNING = Derived(("running",), jobs_run, follow_jobs)
