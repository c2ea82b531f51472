"""What a policy says in advance, as arrays that the reference and the kernel both read.

A policy for moldable jobs is a distribution of the request i of each class, drawn before the state is looked
at, or a table that says i for each number of free servers; and pools of servers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

#: All 64-bit words.
WORDS = 2**64


class AllocationRules(NamedTuple):
    """l classes, n servers, P pools, m the largest number of widths that a class may ask for."""

    width: NDArray[np.int32]  #: [l, m] widths that are drawn, ascending; the last is repeated
    last_word: NDArray[np.uint64]  #: [l, m] the last random word that leads to each of them
    by_free: NDArray[np.int32]  #: [l, n + 1] the request for each number of free servers; or [0, 0]
    own_pool: NDArray[np.int32]  #: [l] where each class's servers are
    common_pool: NDArray[np.int32]  #: [1] where all classes may go after that; -1: there is none
    pool_first: NDArray[np.int32]  #: [P] the first server of each pool
    pool_end: NDArray[np.int32]  #: [P] the first server behind it

    @property
    def pools(self) -> int:
        """P."""
        return len(self.pool_first)


def drawn(distributions: Sequence[Sequence[Fraction]]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """``width`` and ``last_word`` for distributions of the request: of each class p_1, ..., p_{d_j}.

    Of all words each width gets the whole part of its share, in order of the sums of p, so that its
    probability is off by less than 2^-63.
    """
    support = [[(i, p) for i, p in enumerate(distribution, 1) if p] for distribution in distributions]
    most = max(len(widths) for widths in support)
    width = np.zeros((len(distributions), most), np.int32)
    last = np.full((len(distributions), most), WORDS - 1, np.uint64)
    for j, widths in enumerate(support):
        total = Fraction(0)
        for place, (i, p) in enumerate(widths):
            total += p
            width[j, place:] = i
            if place < len(widths) - 1:
                last[j, place] = max(int(total * WORDS) - 1, 0)
    return width, last


def pooled(sizes: Sequence[int], own: Sequence[int], common: int = -1) -> dict[str, NDArray[np.int32]]:
    """What :class:`AllocationRules` says of pools of these *sizes*, which begin with server 0."""
    ends = np.cumsum(np.asarray(sizes, np.int64)).astype(np.int32)
    return {
        "own_pool": np.asarray(own, np.int32),
        "common_pool": np.array([common], np.int32),
        "pool_first": np.asarray(np.r_[0, ends[:-1]], np.int32),
        "pool_end": ends,
    }
