"""Allocation rules of policies, as arrays that the reference implementation and the kernel both read.

The rules of a policy for moldable jobs are a distribution of the request i of each class, drawn independently of the
state, or a table of i by the number of free servers; and pools of servers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

#: The number of 64-bit words.
WORDS = 2**64


class AllocationRules(NamedTuple):
    """l classes, n servers, P pools, m the largest number of widths that a class may request."""

    width: NDArray[np.int32]  #: [l, m] the widths that are drawn, ascending; the last one is repeated
    last_word: NDArray[np.uint64]  #: [l, m] the last random word that leads to each width
    by_free: NDArray[np.int32]  #: [l, n + 1] the request for each number of free servers; [0, 0] if requests are drawn
    own_pool: NDArray[np.int32]  #: [l] the pool of each class
    common_pool: NDArray[np.int32]  #: [1] the pool that all classes may use after their own; -1: none
    pool_first: NDArray[np.int32]  #: [P] the first server of each pool
    pool_end: NDArray[np.int32]  #: [P] the server after the last one of each pool

    @property
    def pools(self) -> int:
        """P, the number of pools."""
        return len(self.pool_first)


def drawn(distributions: Sequence[Sequence[Fraction]]) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """``width`` and ``last_word`` for distributions of the request: p_1, ..., p_{d_j} for each class.

    The words are divided among the widths at the floors of the cumulative sums of p, so that
    probabilities are off by less than 2^-63.
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
    """The fields of :class:`AllocationRules` for consecutive pools of the given *sizes*, from server 0 on."""
    ends = np.cumsum(np.asarray(sizes, np.int64)).astype(np.int32)
    return {
        "own_pool": np.asarray(own, np.int32),
        "common_pool": np.array([common], np.int32),
        "pool_first": np.asarray(np.r_[0, ends[:-1]], np.int32),
        "pool_end": ends,
    }
