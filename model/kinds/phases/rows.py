"""The row of each event of a system whose jobs have phases, and the flags of what can happen in it."""

from __future__ import annotations

import numpy as np

# Flags of an event: what happened in it.
FLAG_ARRIVED = 1
FLAG_MATCHED = 2  # the job that arrived took a token
FLAG_OVERFLOW = 4  # it went to a backup server
FLAG_PLACED = 8  # it was placed by a policy without tokens
FLAG_MOVED = 16  # a job changed its phase
FLAG_DEPARTED = 32
FLAG_TICKED = 64  # a server's timer rang
FLAG_REQUESTED = 128  # tokens were made
FLAG_VIRTUAL = 256  # virtual jobs arrived
FLAG_OF_VIRTUAL = 512  # the job that moved or departed is virtual
FLAG_MISSED = 1024  # a paused server would have made a request
FLAG_RESUMED = 2048  # a server's pause ended
FLAG_OVERRUN = 4096  # the event's server exceeds its capacity after it
FLAG_IDLE = 8192  # a server lost its last real job

#: Flags that a policy's sub-steps set by their kind, although they are no decisions.
TOLD = {"missed_request": FLAG_MISSED, "resumed": FLAG_RESUMED}

#: One row for each event; -1 where a field does not apply.
PHASE_ROW = np.dtype(
    [
        ("event", np.int64),
        ("time", np.float64),
        ("job", np.int64),  # the job that arrived, moved or departed
        ("token", np.int64),  # the number of the token that the job took
        ("token_age", np.float64),  # how long that token had waited
        ("first_token", np.int64),  # the number of the first token made
        ("first_virtual", np.int64),  # the number of the first virtual arrival
        ("cost", np.int64),  # h over all servers after the event, in units of cost
        ("trail", np.uint64),
        ("server", np.int32),  # of the event's job or timer; FIRST_BACKUP - n for backup server n
        ("pool", np.int32),
        ("type", np.int32),  # of the job that arrived, or the phase in which the job was before
        ("phase", np.int32),  # the phase of the job after the event; I: it departed
        ("made", np.int32),  # tokens made
        ("virtual", np.int32),  # virtual arrivals
        ("tokens", np.int32),  # tokens of the job's type in its pool when it arrived
        ("active", np.int32),  # N after the event
        ("fitting", np.int32),  # servers that had room for the job (policies without tokens)
        ("flags", np.uint32),
        ("kind", np.uint8),
    ]
)
