"""The row of each event of a system of moldable jobs, and the flags of what can happen in it."""

from __future__ import annotations

import numpy as np

# Flags of an event: what happened in it.
FLAG_ARRIVED = 1
FLAG_ADMITTED = 2
FLAG_BLOCKED = 4
FLAG_DEPARTED = 8
FLAG_PARTIAL = 16  # the job got fewer servers than it requested
FLAG_SPLIT = 32  # the job runs in several pieces
FLAG_FULL = 64  # after the event a job of the class would find no free server
FLAG_FREED = 128  # after the event a job of the class would find a free server, and before it would not
FLAG_BELOW = 256  # after the event, and not before, more than one job of the class runs on fewer than i1 servers

#: One row for each event; -1 where a field does not apply.
MOLDABLE_ROW = np.dtype(
    [
        ("event", np.int64),
        ("time", np.float64),
        ("job", np.int64),
        ("lasts", np.float64),  # the job's execution time; -1: the job is blocked
        ("trail", np.uint64),
        ("server", np.int32),  # the job's first server
        ("type", np.int32),  # the job's class
        ("request", np.int32),  # the number of servers that the job requested
        ("width", np.int32),  # the number of servers that it got or had; 0: blocked
        ("free", np.int32),  # free servers open to the job before the event
        ("running", np.int32),  # X_i of the job's class and width after the event
        ("busy", np.int32),  # servers in use after the event
        ("flags", np.uint16),
        ("kind", np.uint8),
    ]
)
