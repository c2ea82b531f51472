"""Index, rank and group of every server, as a function of the state.

Reference: Psychas & Ghaderi (2022), Definition 4 and Section 4 (CRA).  Between two runs of
CRA, configurations and indexes do not change, so ranks and groups follow from the outcome
of the last CRA (k[i], X-hat and I*) that the state keeps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.state import EXTENDED, GREEDY_LENGTH, I_STAR, ReservationState


@dataclass(frozen=True, eq=False)
class Classification:
    """What CRA says about each server."""

    index: NDArray[np.int32]  #: [L] c^l, 1 is the most recently assigned of its configuration
    rank: NDArray[np.int32]  #: [L] 1..J, or J + 1 (with several pools 1..G, or G + 1)
    reject_group: NDArray[np.bool_]  #: [L]
    held: NDArray[np.int64]  #: [I] X_{k[i]}, servers of each configuration of GPA
    i_star: int  #: I*
    stack: NDArray[np.int32]  #: [L] number of the server's configuration among those present
    configurations: NDArray[np.int32]  #: [S, J] the configurations present


def classify(state: ReservationState) -> Classification:
    """Index, rank and group of the L servers in *state*."""
    configurations, stack = distinct_rows(state.configuration)
    index = indexes(stack, state.stamp)
    present = np.bincount(stack, minlength=len(configurations))
    surplus = len(state.greedy_count) + 1
    found = int(state.number[GREEDY_LENGTH])
    rank = np.full(len(stack), surplus, np.int32)
    held = np.zeros(found, np.int64)
    for position in range(found):
        same = np.flatnonzero((configurations == state.greedy_configuration[position]).all(axis=1))
        if len(same):
            mine = np.flatnonzero(stack == same[0])
            held[position] = present[same[0]]
            wanted = index[mine] > held[position] - state.greedy_count[position]
            rank[mine[wanted]] = position + 1
    i_star = int(state.number[I_STAR])
    extended = state.number[EXTENDED]
    reject_group = rank == surplus if extended else (rank > i_star) & (index == 1)
    # Without a result of GPA (a policy that reserves nothing) there are no groups.
    reject_group &= found > 0
    return Classification(index, rank, reject_group, held, i_star, stack, configurations)


#: Odd multipliers of a hash over the rows of a configuration table.
_FACTORS = np.random.Generator(np.random.PCG64(7)).integers(1, 2**62, 64, dtype=np.int64) * 2 + 1


def distinct_rows(table: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The distinct rows of *table* [L, J], and for each row the number of its distinct one.

    The rows are told apart by a hash, because sorting numbers is far faster than sorting
    rows; the result is checked, and sorted by rows should two of them ever collide.
    """
    with np.errstate(over="ignore"):
        keys = table @ _FACTORS[: table.shape[1]]
    _, first, stack = np.unique(keys, return_index=True, return_inverse=True)
    rows = table[first]
    if not (rows[stack] == table).all():
        rows, stack = np.unique(table, axis=0, return_inverse=True)
    return rows, stack.reshape(-1).astype(np.int32)


def indexes(stack: NDArray[np.int32], stamp: NDArray[np.int64]) -> NDArray[np.int32]:
    """[L] index of each server among those of its configuration, 1 the most recent."""
    order = np.lexsort((-stamp, stack))
    ordered = stack[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(ordered)])
    result = np.empty(len(stack), np.int32)
    result[order] = np.arange(len(ordered)) - np.repeat(starts, lengths) + 1
    return result
