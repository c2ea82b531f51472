"""Which servers are shown together, what is on them, and where a job's pieces are; independent of pixels.

A piece is a run of consecutive servers of one job; a strip is the part of a piece in one row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from slotscope.model.kinds.moldable.facts import MoldableFacts
from slotscope.model.kinds.moldable.state import MoldableState

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class PoolSection(NamedTuple):
    """Servers under a caption: a pool, or those in no pool."""

    pool: int  #: the pool; -1: none, so that the servers are always idle
    first: int  #: the first server
    end: int  #: the first server after the section

    @property
    def size(self) -> int:
        """Number of servers."""
        return self.end - self.first


def sections_of(facts: MoldableFacts, servers: int) -> tuple[PoolSection, ...]:
    """The pools that have servers, in order, and the servers in no pool."""
    rules = facts.rules
    bounds = zip(rules.pool_first.tolist(), rules.pool_end.tolist(), strict=True)
    found = [PoolSection(pool, first, end) for pool, (first, end) in enumerate(bounds) if end > first]
    behind = int(rules.pool_end.max(initial=0))
    return (*found, PoolSection(-1, behind, servers)) if behind < servers else tuple(found)


@dataclass(frozen=True, eq=False)
class MoldableContent:
    """The contents of some servers of a section."""

    record: Integers  #: [S] the job's record; -1: the server is free
    width: Integers  #: [S] the width of the job; 0: there is none
    share: Floats  #: [S] the elapsed part of the job's execution time, from 0 to 1
    #: left, right: [S] whether the server with the next lower, or higher, number runs the same job
    left: Flags
    right: Flags
    partial: Flags  #: [S] whether the job got fewer servers than it asked for


def content_of(state: MoldableState, time: float, section: PoolSection, index: Integers) -> MoldableContent:
    """The contents of the servers with these indices in a section."""
    servers = section.first + index
    record = state.server_job[servers].astype(np.int64)
    busy = record >= 0
    job = np.where(busy, record, 0)
    left = busy & (index > 0) & (state.server_job[np.maximum(servers - 1, 0)] == record)
    following = np.minimum(servers + 1, len(state.server_job) - 1)
    right = busy & (index < section.size - 1) & (state.server_job[following] == record)
    width = np.where(busy, state.job_width[job], 0).astype(np.int64)
    partial = busy & (width < state.job_request[job])
    return MoldableContent(record, width, np.where(busy, shares(state, job, time), 0.0), left, right, partial)


def shares(state: MoldableState, records: Integers, time: float) -> Floats:
    """The elapsed part of each job's execution time, from 0 to 1."""
    lasts = state.job_departure[records] - state.job_arrival[records]
    passed = time - state.job_arrival[records]
    known = np.isfinite(lasts) & (lasts > 0)
    share = np.divide(passed, lasts, out=np.ones_like(lasts), where=known)
    return np.asarray(np.clip(share, 0.0, 1.0), np.float64)


def pieces_of(state: MoldableState, record: int) -> list[tuple[int, int]]:
    """The first server and the length of each piece of a present job."""
    found, start = [], record
    while start >= 0:
        found.append((start, int(state.run_length[start])))
        start = int(state.piece_next[start])
    return found


def record_of(state: MoldableState, job: int) -> int | None:
    """The record of a job, given its number; None if it is not in the system."""
    found = np.flatnonzero(state.job_number == job)
    return int(found[0]) if len(found) else None


@dataclass(frozen=True, eq=False)
class Strips:
    """The strips of pieces in rows."""

    #: start, length: [R] index of the first server, and number of servers
    start: Integers
    length: Integers
    record: Integers  #: [R] of the job


def strips_of(content: MoldableContent, index: Integers, columns: int) -> Strips:
    """The strips of the servers *index* [S], ascending, in rows of *columns*."""
    row = index // columns
    fresh = np.ones(len(index), bool)
    fresh[1:] = ~content.left[1:] | (np.diff(row) != 0) | (np.diff(index) != 1)
    starts = np.flatnonzero(fresh)
    length = np.diff(np.append(starts, len(index)))
    busy = content.record[starts] >= 0
    return Strips(index[starts][busy], length[busy], content.record[starts][busy])
