"""Servers by how recently they got their configuration: lists, boundaries and places.

Each configuration has a list of its servers from oldest to most recent (index 1), with a
boundary behind the effective ones (Psychas & Ghaderi 2022, Definition 9); and all servers
have places in one order of age, which the bit sets of empty slots use.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation.kernels.index import NEXT_PLACE, PRESENT
from slotscope.model.systems.bitset import insert

State = Any
Index = Any

NO_BITS = np.uint64(0)


@jitable
def move_boundary(index: Index, number: int, wanted: int) -> None:
    """Let exactly the oldest min(X, X-hat) servers of a configuration be effective."""
    while index.effective[number] > wanted:
        server = index.boundary[number]
        index.is_effective[server] = 0
        index.boundary[number] = index.older[server]
        index.effective[number] -= 1
    target = min(wanted, index.held[number])
    while index.effective[number] < target:
        server = index.boundary[number]
        server = index.newer[server] if server >= 0 else index.oldest[number]
        index.is_effective[server] = 1
        index.boundary[number] = server
        index.effective[number] += 1


@jitable
def leave_configuration(index: Index, server: int) -> None:
    """Cut a server out of its configuration's list."""
    number = index.configuration_of[server]
    newer = index.newer[server]
    older = index.older[server]
    if index.is_effective[server]:
        index.effective[number] -= 1
        if index.boundary[number] == server:
            index.boundary[number] = older
        index.is_effective[server] = 0
    if newer >= 0:
        index.older[newer] = older
    else:
        index.newest[number] = older
    if older >= 0:
        index.newer[older] = newer
    else:
        index.oldest[number] = newer
    index.held[number] -= 1
    if index.held[number] == 0:
        last = index.size[PRESENT] - 1
        place = index.present_at[number]
        moved = index.present[last]
        index.present[place] = moved
        index.present_at[moved] = place
        index.present_at[number] = -1
        index.size[PRESENT] = last


@jitable
def join_configuration(index: Index, server: int, number: int) -> None:
    """Put a server at the front (index 1) of a configuration's list."""
    first = index.newest[number]
    index.configuration_of[server] = number
    index.older[server] = first
    index.newer[server] = -1
    if first >= 0:
        index.newer[first] = server
    else:
        index.oldest[number] = server
    index.newest[number] = server
    if index.held[number] == 0:
        place = index.size[PRESENT]
        index.present[place] = number
        index.present_at[number] = place
        index.size[PRESENT] = place + 1
    index.held[number] += 1


@jitable
def next_place(index: Index, server: int) -> int:
    """Let an empty server become the youngest; its new place."""
    index.server_at[index.place[server]] = -1
    place = index.size[NEXT_PLACE]
    index.server_at[place] = server
    index.place[server] = place
    index.size[NEXT_PLACE] = place + 1
    return int(place)


@jitable
def close_ranks(state: State, index: Index) -> None:
    """Give the servers the first L places again, in the same order: O(1) amortized."""
    types = state.configuration.shape[1]
    index.free[:] = NO_BITS
    index.free_summary[:] = NO_BITS
    last = 0
    for place in range(len(index.server_at)):
        server = index.server_at[place]
        index.server_at[place] = -1
        if server >= 0:
            index.server_at[last] = server
            index.place[server] = last
            for job_type in range(types):
                if state.placement[server, job_type] < state.configuration[server, job_type]:
                    insert(index.free[job_type], index.free_summary[job_type], last)
            last += 1
    index.size[NEXT_PLACE] = last
