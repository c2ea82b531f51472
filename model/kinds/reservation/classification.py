"""The index, rank and group of every server, as a function of the state.

Reference: Psychas & Ghaderi (2022), Definition 4 and Section 4 (CRA).  Configurations and
indexes do not change between two runs of CRA, so that ranks and groups follow from the result
of the last CRA (k[i], X-hat and I*), which is part of the state.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Callable, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.reservation.state import EXTENDED, GREEDY_LENGTH, I_STAR, ReservationState
from slotscope.model.reporting.records import Configuration

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, eq=False)
class Classification:
    """The result of CRA for each server."""

    index: NDArray[np.int32]  #: [L] c^l; 1: the most recently assigned server of its configuration
    rank: NDArray[np.int32]  #: [L] 1..J, or J + 1 (with several pools 1..G, or G + 1)
    reject_group: NDArray[np.bool_]  #: [L]
    held: NDArray[np.int64]  #: [I] X_{k[i]}, the number of servers with each of GPA's configurations
    i_star: int  #: I*
    stack: NDArray[np.int32]  #: [L] row of the server's configuration in ``configurations``
    configurations: NDArray[np.int32]  #: [S, J] the distinct configurations of the servers


def classify(state: ReservationState) -> Classification:
    """Index, rank and group of the L servers in *state*.  The arrays are shared and read-only."""
    return _classified(
        state.configuration.tobytes(),
        state.stamp.tobytes(),
        state.greedy_configuration.tobytes(),
        state.greedy_count.tobytes(),
        state.number[I_STAR : EXTENDED + 1].tobytes(),
    )


def _kept(function: Callable[..., _Answer]) -> Callable[..., _Answer]:
    """Cache results by the bytes of the argument arrays: most events do not change them, and each asks several times.

    The last result is found by comparison, which takes a tenth of the time of hashing.
    """
    several = lru_cache(maxsize=4)(function)
    latest: list[tuple[tuple[bytes, ...], Any]] = [((), None)]

    def asked(*told: bytes) -> _Answer:
        before, answer = latest[0]
        if told != before:
            answer = several(*told)
            latest[0] = (told, answer)
        result: _Answer = answer
        return result

    return asked


@_kept
def _classified(configuration: bytes, stamp: bytes, greedy: bytes, count: bytes, number: bytes) -> Classification:
    stacks = _stacks(configuration, stamp)
    outcome, counts = np.frombuffer(number, np.int64), np.frombuffer(count, np.int64).tolist()
    found, i_star, extended = (int(outcome[place - I_STAR]) for place in (GREEDY_LENGTH, I_STAR, EXTENDED))
    surplus = len(counts) + 1
    rank = np.full(len(stacks.stack), surplus, np.int32)
    held = np.zeros(found, np.int64)
    wanted = np.frombuffer(greedy, np.int32).reshape(-1, stacks.configurations.shape[1])[:found].tolist()
    for position, row in enumerate(wanted):
        mine = stacks.servers_of(tuple(row))
        held[position] = len(mine)
        rank[mine[max(0, len(mine) - counts[position]) :]] = position + 1
    reject_group = rank == surplus if extended else (rank > i_star) & (stacks.indexes == 1)
    # If there is no result of GPA (the policy reserves nothing), there are no groups.
    reject_group &= found > 0
    for array in (rank, reject_group, held):
        array.flags.writeable = False
    return Classification(stacks.indexes, rank, reject_group, held, i_star, stacks.stack, stacks.configurations)


class _Stacks(NamedTuple):
    """The servers by configuration, those of a configuration from the most recently assigned on."""

    stack: NDArray[np.int32]  #: [L]
    indexes: NDArray[np.int32]  #: [L]
    configurations: NDArray[np.int32]  #: [S, J]
    servers: dict[Configuration, NDArray[np.int64]]  #: the servers of each configuration, in order of their index

    def servers_of(self, configuration: Configuration) -> NDArray[np.int64]:
        """Servers of a configuration in order of their index."""
        return self.servers.get(configuration, _NONE)


_NONE = np.zeros(0, np.int64)
_NONE.flags.writeable = False


def servers_of(state: ReservationState, configuration: Configuration) -> NDArray[np.int64]:
    """The servers of a configuration in order of their index, from 1 on; a read-only array."""
    stacks = _stacks(state.configuration.tobytes(), state.stamp.tobytes())
    return stacks.servers_of(configuration)


@_kept
def _stacks(configuration: bytes, stamp: bytes) -> _Stacks:
    stamps = np.frombuffer(stamp, np.int64)
    found = stacked(np.frombuffer(configuration, np.int32).reshape(len(stamps), -1), stamps)
    order, starts, stack, configurations = found
    index = np.empty(len(stack), np.int32)
    index[order] = np.arange(1, len(stack) + 1) - starts[stack[order]]
    for array in (*found, index):
        array.flags.writeable = False
    begins = [*starts.tolist(), len(stack)]
    servers = {tuple(row): order[begins[s] : begins[s + 1]] for s, row in enumerate(configurations.tolist())}
    return _Stacks(stack, index, configurations, servers)


#: Odd multipliers of a hash over the rows of a configuration table.
_FACTORS = np.random.Generator(np.random.PCG64(7)).integers(1, 2**62, 64, dtype=np.int64) * 2 + 1


def stacked(table: NDArray[np.int32], stamps: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """Group the equal rows of *table* [L, J], within a group the latest stamp first, by one sort.

    Returns the order of the rows [L]; the start of each group in it [S]; the group of each row [L]; and the distinct
    rows [S, J].  Rows are sorted by a hash, because sorting numbers is far faster than sorting rows; the result is
    checked, and rows are sorted themselves if hashes ever collide.
    """
    keys = table @ _FACTORS[: table.shape[1]]
    order, starts, stack = _sorted(keys, stamps)
    rows = table[order[starts]]
    if not (rows[stack] == table).all():
        order, starts, stack = _sorted(np.unique(table, axis=0, return_inverse=True)[1].reshape(-1), stamps)
        rows = table[order[starts]]
    return order, starts, stack, rows


def _sorted(keys: NDArray[np.int64], stamps: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    order = np.lexsort((-stamps, keys))
    ordered = keys[order]
    begins = np.ones(len(keys), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    stack = np.empty(len(keys), np.int32)
    stack[order] = np.cumsum(begins) - 1
    return order, np.flatnonzero(begins), stack
