"""What memory itself takes: reads that must wait for each other, of as many bytes as a state has."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from slotscope.model.jit import compiled, jitable, unsigned
from tests.bench.timing import Contestant, Limit, interleaved

#: Reads of one round, and the bytes of a place.
READS, PLACE = 100_000, 8

#: Bytes that the nearest cache holds.
NEAR = 2**13


@jitable
def followed(after: Any, start: int, reads: int) -> int:
    """Where so many reads lead, each of a place that the one before names."""
    place = start
    for _ in range(reads):
        place = after[unsigned(place)]
    return int(place)


def ring(size: int) -> np.ndarray:
    """So many bytes of places, each of which names another one at random, so that all are in one ring."""
    order = np.random.default_rng(1).permutation(max(NEAR, size) // PLACE)
    after = np.empty(len(order), np.int64)
    after[order] = np.roll(order, 1)
    return after


def nanoseconds_of_a_read(size: int) -> float:
    """How much longer it takes to read at random from so many bytes than from a few that a cache holds."""
    run = compiled(followed)

    def reading(after: np.ndarray) -> Contestant:
        def work() -> float:
            run(after, 0, READS)
            return READS

        return lambda: work

    near, far = interleaved({"near": reading(ring(NEAR)), "far": reading(ring(size))}, 3).values()
    return 1e9 * (min(far) - min(near))


def grown_by_reads(few: Sequence[float], reads: float, size: int, of_what: str) -> Limit:
    """How much more is the least for what takes *few* seconds where all is near, if it must wait for so many reads."""
    read = nanoseconds_of_a_read(size)
    what = (
        f"{reads:.2g} reads of {of_what}, {read:.0f} ns each in the {size / 1e6:.0f} MB of the state, and nothing else"
    )
    return Limit(what, [1 + reads * read / (1e9 * second) for second in few])
