"""Which job each server runs, kept up by compiled code while a run goes on, for questions about millions of events."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import jitable, unsigned
from slotscope.model.kinds.moldable.rows import MOLDABLE_ROW
from slotscope.model.kinds.moldable.state import MoldableState
from slotscope.model.systems.watching import Derived, number_in, offset_of

#: Where in an event's row the first server of its job stands.
_FIRST_SERVER = offset_of(MOLDABLE_ROW, "server")


def jobs_run(state: MoldableState) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[1, n] the number of the job that each server runs, -1 for none; and [n] room for those that run another one."""
    running = np.where(state.server_job >= 0, state.job_number[state.server_job], -1)
    return running[None], np.zeros(len(running), np.int64)


@jitable
def follow_jobs(state: Any, derived: Any, kept: Any, rows: Any) -> int:
    """Look up the jobs of the servers of one event's job, or of all: later events may use its pieces again."""
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
        piece = state.piece_next[unsigned(piece)]  # that of a job that has left, too
    return told


@jitable
def look_up(state: Any, derived: Any, kept: Any, server: int, told: int) -> int:
    """Look up the job that a server runs now; and how many are *told* that run another one."""
    record = state.server_job[unsigned(server)]
    job = state.job_number[unsigned(record)] if record >= 0 else -1
    if job != derived[0, unsigned(server)]:
        derived[0, unsigned(server)] = job
        kept[unsigned(told)] = server
        told += 1
    return told


RUNNING = Derived(("running",), jobs_run, follow_jobs)
