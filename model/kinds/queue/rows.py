"""The event rows of a queueing system, one for each busy slot, and their flags."""

from __future__ import annotations

import numpy as np

# Flags of a slot: what happened in it.
FLAG_ARRIVED = 1
FLAG_PLACED = 2
FLAG_DEPARTED = 4
FLAG_RENEWED = 8  # a server got another active configuration
FLAG_STALLED = 16
FLAG_WAITS = 32  # a job that arrived in it waits
FLAG_EMPTY = 64  # the queue became empty
FLAG_EVICTED = 128

#: One row for each busy slot; -1 where a field does not apply or was not computed.
QUEUE_ROW = np.dtype(
    [
        ("event", np.int64),
        ("time", np.float64),
        ("job", np.int64),  # the first job placed, or else arrived, or else departed
        ("kept", np.int64),  # the first job that arrived in the slot and waits
        ("kept_size", np.int64),  # the room that it needs, in units of the first resource
        ("best_residual", np.int64),  # the largest residual capacity of a server (only if requested)
        ("waiting", np.int64),  # Q(t+1)
        ("trail", np.uint64),
        ("arrived", np.int32),
        ("departed", np.int32),
        ("placed", np.int32),
        ("renewed", np.int32),  # servers that got another active configuration
        ("stalled", np.int32),  # servers that were stalled
        ("server", np.int32),  # where the first job was placed, else where the first one left
        ("serving", np.int32),  # servers whose active configuration has k_j > 0 for the kept job's j
        ("kept_queue", np.int16),
        ("flags", np.uint16),
        ("kind", np.uint8),
    ]
)
