"""One row for each event of a system of moldable jobs, and what can happen in it."""

from __future__ import annotations

import numpy as np

# Flags of an event: what happened in it.
FLAG_ARRIVED = 1
FLAG_ADMITTED = 2
FLAG_BLOCKED = 4
FLAG_DEPARTED = 8
FLAG_PARTIAL = 16  # the job got fewer servers than it asked for
FLAG_SPLIT = 32  # the job runs in several pieces
FLAG_FULL = 64  # after the event no job of its class would find a free server
FLAG_FREED = 128  # after the event one would, and before none would have
FLAG_BELOW = 256  # from now on more than one job of the class runs on fewer than i1 servers

#: One row for each event; -1 where a field does not apply.
MOLDABLE_ROW = np.dtype(
    [
        ("event", np.int64),
        ("time", np.float64),
        ("job", np.int64),
        ("lasts", np.float64),  # the job's execution time; -1: it is blocked
        ("trail", np.uint64),
        ("server", np.int32),  # the job's first server
        ("type", np.int32),  # the job's class
        ("request", np.int32),  # the servers that it asked for
        ("width", np.int32),  # the servers that it got or had; 0: blocked
        ("free", np.int32),  # free servers open to it before the event
        ("running", np.int32),  # X_i of its class and width after the event
        ("busy", np.int32),  # servers in use after the event
        ("flags", np.uint16),
        ("kind", np.uint8),
    ]
)
