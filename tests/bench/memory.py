"""The cost of memory itself: reads that depend on each other, over as many bytes as a state has."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from slotscope.model.jit import compiled, jitable, unsigned
from tests.bench.timing import Contestant, Limit, interleaved

#: Reads per round, and bytes per entry.
READS, PLACE = 100_000, 8

#: Bytes that fit the first-level cache.
NEAR = 2**13


@jitable
def followed(after: Any, start: int, reads: int) -> int:
    """The entry reached after this many reads, each of the entry that the one before names."""
    place = start
    for _ in range(reads):
        place = after[unsigned(place)]
    return int(place)


def ring(size: int) -> np.ndarray:
    """An array of this many bytes, in which each entry names another at random, so that all form one cycle."""
    order = np.random.default_rng(1).permutation(max(NEAR, size) // PLACE)
    after = np.empty(len(order), np.int64)
    after[order] = np.roll(order, 1)
    return after


def nanoseconds_of_a_read(size: int) -> float:
    """How much longer a random read takes in this many bytes than in a few that fit the cache."""
    run = compiled(followed)

    def reading(after: np.ndarray) -> Contestant:
        def work() -> float:
            run(after, 0, READS)
            return READS

        return lambda: work

    near, far = interleaved({"near": reading(ring(NEAR)), "far": reading(ring(size))}, 3).values()
    return 1e9 * (min(far) - min(near))


def grown_by_reads(few: Sequence[float], reads: float, size: int, of_what: str) -> Limit:
    """The least growth of a cost of *few* seconds with all data cached, if this many reads must wait for memory."""
    read = nanoseconds_of_a_read(size)
    what = (
        f"{reads:.2g} reads of {of_what}, {read:.0f} ns each in the {size / 1e6:.0f} MB of the state, and nothing else"
    )
    return Limit(what, [1 + reads * read / (1e9 * second) for second in few])
