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


def stream_key(seed: int, name: str) -> np.uint64:
    """A 64-bit key of stream *name*, for random numbers that are a function of their place."""
    sequence = np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()),))
    return np.uint64(sequence.generate_state(1, np.uint64)[0])
