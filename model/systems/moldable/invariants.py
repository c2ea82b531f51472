"""What must hold in every state of a system of moldable jobs; a violation is a sentence."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
from numpy.typing import NDArray

from model.systems.moldable.state import (
    ADMITTED,
    ARRIVED,
    BLOCKED,
    BUSY,
    DEPARTED,
    JOBS,
    NEXT_ARRIVAL,
    NOW,
    MoldableState,
)

#: A :class:`model.systems.moldable.system.MoldableSystem`.
MoldableSystem = Any

Sentences = Iterator[str]


def violations(system: MoldableSystem, state: MoldableState) -> list[str]:
    """Every invariant that a state breaks, one sentence each."""
    found = [*_servers(state), *_counts(system, state), *_times(state)]
    return found or [*_pieces(system, state), *_gaps(system, state)]


def _servers(state: MoldableState) -> Sentences:
    """Servers in use are the sum of the widths, and never above n."""
    live = state.job_number >= 0
    widths = int(state.job_width[live].sum())
    busy = int((state.server_job >= 0).sum())
    if not widths == busy == state.number[BUSY]:
        yield (f"jobs run on {widths} servers by their widths, {busy} servers have a job, counted "
               f"{state.number[BUSY]}")  # fmt: skip
    if widths > len(state.server_job):
        yield f"jobs run on {widths} servers, there are {len(state.server_job)}"
    held = np.bincount(state.server_job[state.server_job >= 0], minlength=len(live))
    for record in np.flatnonzero(held != np.where(live, state.job_width, 0)):
        yield (f"the job of server {record + 1} runs on {held[record]} servers, its width is "
               f"{state.job_width[record]}")  # fmt: skip


def _counts(system: MoldableSystem, state: MoldableState) -> Sentences:
    """X_i are the jobs by class and width; who came was blocked, or is here or has left."""
    live = state.job_number >= 0
    jobs = np.zeros_like(state.jobs)
    np.add.at(jobs, (state.job_class[live], state.job_width[live]), 1)
    if not np.array_equal(jobs, state.jobs) or jobs.sum() != state.number[JOBS]:
        yield f"jobs by class and width are {jobs.tolist()}, counted {state.jobs.tolist()}"
    tally = state.tally
    if (tally[ARRIVED] != tally[ADMITTED] + tally[BLOCKED]).any():
        yield (f"{tally[ARRIVED].tolist()} jobs arrived, {tally[ADMITTED].tolist()} got servers "
               f"and {tally[BLOCKED].tolist()} were blocked")  # fmt: skip
    if (tally[ADMITTED] != tally[DEPARTED] + state.jobs.sum(axis=1)).any():
        yield (f"{tally[ADMITTED].tolist()} jobs got servers, {tally[DEPARTED].tolist()} left and "
               f"{state.jobs.sum(axis=1).tolist()} are here")  # fmt: skip
    if tally[ARRIVED].sum() != state.number[NEXT_ARRIVAL]:
        yield f"{state.number[NEXT_ARRIVAL]} arrivals were taken, {tally[ARRIVED].sum()} jobs came"
    wide = state.job_width[live] > np.array(system.numbers.degrees)[state.job_class[live]]
    if wide.any() or (state.job_width[live] > state.job_request[live]).any():
        yield "a job runs on more servers than it asked for, or than it can"


def _times(state: MoldableState) -> Sentences:
    """Nobody came in the future or should have left."""
    live, now = state.job_number >= 0, float(state.clock[NOW])
    if (state.job_arrival[live] > now).any():
        yield "a job that runs has not arrived yet"
    if (state.job_departure[live] < now).any():
        yield "a job should have departed before"
    if np.isfinite(state.job_departure[~live]).any():
        yield "a job that is not here will depart"
    if (state.area < 0).any() or (state.level_area < 0).any() or (state.occupancy < 0).any():
        yield "an integral over time is negative"


def _runs(idle: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where runs of true values begin, and how long they are."""
    edges = np.diff(np.r_[False, idle, False].astype(np.int8))
    starts = np.flatnonzero(edges == 1)
    return starts, np.flatnonzero(edges == -1) - starts


def _pieces(system: MoldableSystem, state: MoldableState) -> Sentences:
    """The pieces of a job are its servers, all in pools that its class may use."""
    rules = system.rules
    for record in np.flatnonzero(state.job_number >= 0).tolist():
        servers: list[int] = []
        start = record
        while start >= 0 and len(servers) <= len(state.server_job):
            servers += range(start, start + int(state.run_length[start]))
            start = int(state.piece_next[start])
        mine = np.flatnonzero(state.server_job == record).tolist()
        if sorted(servers) != mine:
            yield f"the pieces of the job of server {record + 1} are not its servers"
        own = int(rules.own_pool[state.job_class[record]])
        allowed = np.zeros(len(state.server_job), bool)
        for pool in (own, int(rules.common_pool[0])):
            if pool >= 0:
                allowed[rules.pool_first[pool] : rules.pool_end[pool]] = True
        if not allowed[mine].all():
            yield f"the job of server {record + 1} runs on servers that are not for its class"


def _gaps(system: MoldableSystem, state: MoldableState) -> Sentences:
    """The lists hold every gap of their pool once, in the list of its length."""
    rules, lengths = system.rules, state.gap_head.shape[1]
    for pool in range(rules.pools):
        first, end = int(rules.pool_first[pool]), int(rules.pool_end[pool])
        starts, there = _runs(state.server_job[first:end] < 0)
        right = {first + int(s): int(n) for s, n in zip(starts, there, strict=True)}
        if sum(right.values()) != state.free[pool]:
            yield (f"pool {pool + 1} has {sum(right.values())} free servers, counted "
                   f"{state.free[pool]}")  # fmt: skip
        listed: dict[int, int] = {}
        for place in range(lengths):
            start, before = int(state.gap_head[pool, place]), -1
            while start >= 0 and start not in listed:
                listed[start] = int(state.run_length[start])
                if min(listed[start], lengths) - 1 != place or state.gap_previous[start] != before:
                    yield f"the gap of server {start + 1} is in the wrong list, or wrongly linked"
                before, start = start, int(state.gap_next[start])
        if listed != right:
            yield f"pool {pool + 1} has gaps {right}, listed {listed}"
        for start, length in right.items():
            if state.run_length[start + length - 1] != length:
                yield f"the gap of server {start + 1} has another length at its end"
