"""Named random streams: the same seed gives every policy the same jobs.

Each purpose ("arrivals", "types", "service", "policy", ...) draws from a stream of its
own, and each block of a stream can be made alone, so that a rewind needs no generator's
state and no policy can disturb the workload.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np


def stream(seed: int, name: str, *position: int) -> np.random.Generator:
    """The generator of stream *name* at a position (a block number, a replication, ...)."""
    key = (crc32(name.encode()), *position)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
