"""The row of each event of a loss system with slots, and the flags of what can happen in it."""

from __future__ import annotations

import numpy as np

# Flags of an event: what happened in it.
FLAG_ADMITTED = 1
FLAG_REJECTED = 2
FLAG_DEPARTED = 4
FLAG_MIGRATED = 8
FLAG_REASSIGNED = 16
FLAG_I_STAR = 32  # I* changed
FLAG_GREEDY = 64  # GPA's configurations or counts changed
FLAG_PREEMPTED = 128

#: One row for each event; -1 where a field does not apply or was not computed.
EVENT_ROW = np.dtype(
    [
        ("event", np.int64),
        ("time", np.float64),
        ("job", np.int64),
        ("moved", np.int64),  # the job that migrated
        ("trail", np.uint64),
        ("server", np.int32),
        ("source", np.int32),  # the server that the migrated job came from
        ("reassigned", np.int32),  # the number of servers that were reassigned
        ("first_reassigned", np.int32),
        ("empty_slots", np.int32),  # of the type, all on Reject Group servers (at a rejection)
        ("servers_with_room", np.int32),  # servers whose free resources would hold the job
        ("preempted", np.int32),  # the number of jobs that were preempted; ``moved`` is the first of them
        ("i_star", np.int16),
        ("type", np.int16),
        ("flags", np.uint16),
        ("kind", np.uint8),
    ]
)
