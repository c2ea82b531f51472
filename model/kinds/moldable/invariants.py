"""What must hold after every event of a system of moldable jobs, as sentences about violations.

Ghanbarian et al. (2025), Section 2.  Everything is recomputed from the arrays, without the
code that maintains them, so that an error in either is found.  Servers and pools are numbered from 1 in
the sentences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable.numbers import DISTANCE_UNIT, MoldableNumbers
from slotscope.model.kinds.moldable.sampling import BUSY_COLUMN
from slotscope.model.kinds.moldable.state import (
    ADMITTED,
    ARRIVED,
    BELOW,
    BINS,
    BLOCKED,
    BUSY,
    DEPARTED,
    DISTANCE,
    EVENT,
    JOBS,
    NEXT_ARRIVAL,
    NOW,
    OF_ADMITTED,
    OF_DEPARTED,
    PARTIAL,
    SPLIT,
    SQUARED,
    MoldableState,
)
from slotscope.model.measures.job_records import Sentences, numbered
from slotscope.model.measures.monitors import Monitor
from slotscope.model.scenario.workload import ContinuedWorkload

#: A :class:`model.kinds.moldable.system.MoldableSystem`.
MoldableSystem = Any

#: Relative tolerance: integrals over time are sums of many differences of times.
TIME_TOLERANCE = 1e-9


# Jobs and servers.


def _records(system: MoldableSystem, state: MoldableState) -> Sentences:
    """Each record of a job has a valid class, width and request, and a job of its own."""
    live, degrees = state.job_number >= 0, np.array(system.numbers.degrees)
    numbers, classes = state.job_number[live], state.job_class[live]
    if (state.job_number < -1).any():
        yield "a record has a job with a number below 0"
    yield from numbered(numbers, system.initial_jobs + state.number[NEXT_ARRIVAL])
    if ((classes < 0) | (classes >= len(degrees))).any():
        yield f"a job is of a class that is none of {len(degrees)}"
        return
    width, request = state.job_width[live], state.job_request[live]
    for place in np.flatnonzero(width < 1)[:1]:
        yield f"{_job(system, numbers[place])} runs on no server"
    for place in np.flatnonzero(request > degrees[classes])[:1]:
        most = degrees[classes[place]]
        yield f"{_job(system, numbers[place])} asked for {request[place]} servers and can run on {most} at most"


def _requests(system: MoldableSystem, state: MoldableState) -> Sentences:
    """No job has more servers than it requested; names the first that has."""
    above = (state.job_width > state.job_request) & (state.job_number >= 0)
    for record in np.flatnonzero(above)[:1]:
        width, request = state.job_width[record], state.job_request[record]
        yield f"{_job(system, state.job_number[record])} runs on {width} servers and asked for {request}"


def _job(system: MoldableSystem, number: np.int64) -> str:
    return f"job {system.job_name(int(number))}"


def _servers(_: Any, state: MoldableState) -> Sentences:
    """The servers in use are the sum of the widths, at most n; each runs a job that is in the system."""
    live, servers = state.job_number >= 0, len(state.server_job)
    held_by = state.server_job[state.server_job >= 0]
    widths = int(state.job_width[live].sum())
    if (state.server_job < -1).any() or (held_by >= servers).any() or not live[held_by].all():
        yield "a server runs a job that is not here"
        return
    if not widths == len(held_by) == state.number[BUSY]:
        yield (
            f"jobs run on {widths} servers by their widths, {len(held_by)} servers have a job, "
            f"counted {state.number[BUSY]}"
        )
    if widths > servers:
        yield f"jobs run on {widths} servers, there are {servers}"
    held = np.bincount(held_by, minlength=servers)
    for record in np.flatnonzero(live & (held != state.job_width)):
        yield (f"the job of server {record + 1} runs on {held[record]} servers, its width is {state.job_width[record]}")
    for record in np.flatnonzero(live & (state.server_job != np.arange(servers))):
        yield f"the job of server {record + 1} is not on it"


def _jobs(system: MoldableSystem, state: MoldableState) -> Sentences:
    """X_i and the number of jobs on fewer than i1 servers agree with the jobs."""
    live = state.job_number >= 0
    jobs = np.zeros_like(state.jobs)
    np.add.at(jobs, (state.job_class[live], state.job_width[live]), 1)
    if not np.array_equal(jobs, state.jobs):
        yield f"jobs by class and width are {jobs.tolist()}, counted {state.jobs.tolist()}"
    if live.sum() != state.number[JOBS]:
        yield f"there are {live.sum()} jobs, counted {state.number[JOBS]}"
    least = system.tables.least.tolist()
    for j, name in enumerate(system.numbers.class_names):
        narrow = jobs[j, : least[j]].sum()
        if narrow != state.below[0, j]:
            yield (f"{narrow} jobs of class {name} run on fewer than {least[j]} servers, counted {state.below[0, j]}")
    if (state.below[1] < state.below[0]).any():
        yield "more jobs run on fewer than i1 servers than ever did"


# Counts.


def _conservation(_: Any, state: MoldableState) -> Sentences:
    """Conservation: jobs that arrived were blocked, are here, or departed; each event is an arrival or a departure."""
    tally, here = state.tally, state.jobs.sum(axis=1)
    if (tally[ARRIVED] != tally[ADMITTED] + tally[BLOCKED]).any():
        yield (
            f"{tally[ARRIVED].tolist()} jobs arrived, {tally[ADMITTED].tolist()} got servers "
            f"and {tally[BLOCKED].tolist()} were blocked"
        )
    if (tally[ADMITTED] != tally[DEPARTED] + here).any():
        yield (
            f"{tally[ADMITTED].tolist()} jobs got servers, {tally[DEPARTED].tolist()} left and {here.tolist()} are here"
        )
    if tally[ARRIVED].sum() != state.number[NEXT_ARRIVAL]:
        yield f"{state.number[NEXT_ARRIVAL]} arrivals were taken, {tally[ARRIVED].sum()} jobs came"
    if state.number[EVENT] != tally[ARRIVED].sum() + tally[DEPARTED].sum():
        yield (f"{tally[ARRIVED].sum()} jobs came and {tally[DEPARTED].sum()} left, in {state.number[EVENT]} events")


def _tallies(_: Any, state: MoldableState) -> Sentences:
    """Counts are not negative; partial allocations and jobs in several pieces have been counted."""
    tally, live = state.tally, np.flatnonzero(state.job_number >= 0)
    if (tally < 0).any():
        yield f"something happened {tally.min()} times"
    partial = live[state.job_width[live] < state.job_request[live]]
    split = live[state.piece_next[live] >= 0]
    for row, now, word in (
        (PARTIAL, partial, "on fewer servers than they asked for"),
        (SPLIT, split, "in several pieces"),
    ):
        here = np.bincount(state.job_class[now], minlength=tally.shape[1])
        if ((here > tally[row]) | (tally[row] - here > tally[DEPARTED])).any():
            yield (
                f"{here.tolist()} jobs run {word} and {tally[DEPARTED].tolist()} departed, "
                f"{tally[row].tolist()} did or do"
            )


# Times.


def _times(_: Any, state: MoldableState) -> Sentences:
    """No job here arrived in the future or should have departed; no integral goes beyond the present."""
    live, now = state.job_number >= 0, float(state.clock[NOW])
    arrived, departs = state.job_arrival[live], state.job_departure[live]
    if not now >= 0.0:
        yield f"the time is {now:g}"
    if not ((arrived >= 0) & (arrived <= now)).all():
        yield "a job that is here arrives later"
    if not ((departs >= now) & (departs < np.inf)).all():
        yield "a job should have departed before, or never departs"
    if not np.isposinf(state.job_departure[~live]).all():
        yield "a job that is not here will depart"
    if (state.since.max(axis=1) != state.class_since).any() or (state.class_since > now).any():
        yield "a class was last counted when no job of it came or left"


def _levels(system: MoldableSystem, state: MoldableState) -> Sentences:
    """The distance from the optimum and the other levels follow from X, exactly."""
    tables = system.tables
    away = np.abs(state.jobs * DISTANCE_UNIT - tables.target).sum(axis=1)
    if (away != state.distance).any():
        yield (
            f"||X - n y*|| is {(away / DISTANCE_UNIT).tolist()}, counted {(state.distance / DISTANCE_UNIT).tolist()}"
        )
    there = np.take_along_axis(state.jobs, tables.pair.astype(np.int64), axis=1)
    right = np.zeros_like(state.level)
    right[:, DISTANCE] = away / DISTANCE_UNIT
    right[:, SQUARED] = (tables.pair_weight * (there - tables.pair_target) ** 2).sum(axis=1)
    right[:, BELOW] = state.below[0] > 1
    if not _equal(right, state.level):
        yield f"the levels are {right.tolist()}, counted {state.level.tolist()}"


def _areas(system: MoldableSystem, state: MoldableState) -> Sentences:
    """Integrals are not negative, and at most what all servers or jobs allow."""
    now, servers = float(state.clock[NOW]), system.numbers.servers
    if not ((state.area >= 0).all() and (state.level_area >= 0).all()):
        yield f"an integral over time is {min(state.area.min(), state.level_area.min()):g}"
    busy = (np.arange(state.area.shape[1]) * _grown(state)).sum()
    if busy > servers * now * (1 + TIME_TOLERANCE):
        yield f"{busy:g} of {servers * now:g} of the servers' time was used"
    if (state.level_area[:, BELOW] > state.class_since * (1 + TIME_TOLERANCE)).any():
        yield (
            f"two jobs ran on fewer than i1 servers for {state.level_area[:, BELOW].tolist()}, "
            f"of {state.class_since.tolist()}"
        )


def _spent(_: Any, state: MoldableState) -> Sentences:
    """Little's law, Ghanbarian et al. (2025), (4), in the form that holds for every run: the integral of the
    number of jobs is the total time that jobs have spent in the system.
    """
    live, classes = state.job_number >= 0, len(state.class_since)
    of = state.job_class[live]
    since = np.bincount(of, state.clock[NOW] - state.job_arrival[live], classes)
    left = np.bincount(of, state.job_departure[live] - state.job_arrival[live], classes)
    area, sums = _grown(state).sum(axis=1), state.time_sum
    if not _equal(area, sums[OF_DEPARTED] + since):
        yield (f"the integral of the jobs is {area.tolist()}, they have spent {(sums[OF_DEPARTED] + since).tolist()}")
    if not _equal(sums[OF_ADMITTED], sums[OF_DEPARTED] + left):
        yield (
            f"execution times are {sums[OF_ADMITTED].tolist()} in all, of jobs that departed "
            f"{sums[OF_DEPARTED].tolist()} and of those here {left.tolist()}"
        )


def _grown(state: MoldableState) -> NDArray[np.float64]:
    """[l, d + 1] the integral of X_i up to the present."""
    return np.asarray(state.area + state.jobs * (state.clock[NOW] - state.since))


def _equal(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """As ``np.allclose``, which takes ten times as long for a few numbers."""
    return bool((np.abs(one - other) <= TIME_TOLERANCE * (1 + np.abs(other))).all())


def _occupancy(system: MoldableSystem, state: MoldableState) -> Sentences:
    """Time was spent only in bins that can be reached; in all bins together at most the time that passed, and exactly
    that if the bins cover all states.
    """
    tables, servers = system.tables, system.numbers.servers
    spent, whole = state.occupancy.sum(axis=(1, 2)), state.class_since
    if (state.occupancy < 0).any() or (spent > whole + TIME_TOLERANCE * (1 + whole)).any():
        yield f"{spent.tolist()} was spent in the bins, of {whole.tolist()}"
    most = np.where(tables.pair > 0, servers // np.maximum(tables.pair, 1), 0)
    last = (most - tables.bin_low) >> tables.bin_shift[:, None]
    for j, name in enumerate(system.numbers.class_names):
        used = np.argwhere(state.occupancy[j] > 0)
        if (used > last[j]).any():
            yield f"class {name} has spent time where it has more jobs than servers hold"
        covered = not tables.bin_low[j].any() and (last[j] < BINS).all()
        continued = isinstance(system.workload, ContinuedWorkload)
        if covered and not continued and not _equal(spent[j], whole[j]):
            yield f"class {name} has spent {spent[j]:g} in the bins, of {whole[j]:g}"


# Positions.


def _runs(idle: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The starts and the lengths of runs of true values."""
    edges = np.diff(np.r_[False, idle, False].astype(np.int8))
    starts = np.flatnonzero(edges == 1)
    return starts, np.flatnonzero(edges == -1) - starts


def _pool_of(system: MoldableSystem, servers: int) -> NDArray[np.intp]:
    """[n] the pool of each server; -1: none."""
    rules = system.rules
    pools = np.searchsorted(rules.pool_end, np.arange(servers), side="right")
    return np.where(pools < rules.pools, pools, -1)


def _pieces(system: MoldableSystem, state: MoldableState) -> Sentences:
    """The pieces of a job are exactly its servers, each within a pool open to its class, its own
    pool first.
    """
    pool_of = _pool_of(system, len(state.server_job))
    for record in doubtful(system, state, pool_of).tolist():
        yield from pieces_of(system, state, pool_of, record)


def pieces_of(system: MoldableSystem, state: MoldableState, pool_of: NDArray[np.intp], record: int) -> Sentences:
    """Sentences about what is wrong with the pieces of a job; *pool_of* is [n] the pool of each server."""
    servers, common = len(state.server_job), int(system.rules.common_pool[0])
    name, width = f"the job of server {record + 1}", int(state.job_width[record])
    order, start, held = [int(system.rules.own_pool[state.job_class[record]]), common], record, 0
    while start >= 0 and held < width:
        end = start + int(state.run_length[start])
        if not start < end <= servers or (state.server_job[start:end] != record).any():
            break
        pools = set(pool_of[start:end].tolist())
        if pools & set(order) != pools or -1 in pools:
            yield f"{name} runs on servers that are not for its class"
        elif len(pools) > 1:
            yield f"a piece of {name} is in two pools"
        elif pools == {common}:
            order = [common]
        held, start = held + end - start, int(state.piece_next[start])
    if held != width or start >= 0:
        yield f"the pieces of {name} are not its servers"


def doubtful(system: MoldableSystem, state: MoldableState, pool_of: NDArray[np.intp]) -> NDArray[np.intp]:
    """The records of jobs with wrong pieces; the pieces of all jobs are followed together, step by step."""
    rules, servers = system.rules, len(state.server_job)
    common, records = int(rules.common_pool[0]), np.flatnonzero(state.job_number >= 0)
    changes = np.flatnonzero(np.diff(state.server_job, append=-2)) + 1  # where another job's servers start
    last = changes[np.searchsorted(changes, np.arange(servers), side="right")]  # [n] where the servers of each job end
    own, width = rules.own_pool[state.job_class[records]], state.job_width[records].astype(np.int64)
    sound, held = width > 0, np.zeros(len(records), np.int64)
    going, start = np.flatnonzero(sound), records[sound]  # indices of the records, and their next pieces
    while len(going):
        end, pool = start + state.run_length[start], pool_of[start]
        fits = (start < end) & (end <= last[start]) & (state.server_job[start] == records[going])
        fits &= (pool >= 0) & (pool == pool_of[np.clip(end, 1, servers) - 1])
        fits &= (pool == own[going]) | (pool == common)
        own[going[fits & (pool == common)]] = common  # from here on no piece is of its own pool
        held[going] += end - start
        start = state.piece_next[start].astype(np.intp)
        short = held[going] < width[going]
        ends_well = short == (start >= 0)
        sound[going[~fits | ~ends_well | (held[going] > width[going])]] = False
        onward = fits & short & ends_well
        going, start = going[onward], start[onward]
    return records[~sound]


def _gaps(system: MoldableSystem, state: MoldableState) -> Sentences:
    """The lists hold every gap of their pool exactly once, in the list of its length; servers in no pool
    are idle.
    """
    for pool in range(system.rules.pools):
        first, end = int(system.rules.pool_first[pool]), int(system.rules.pool_end[pool])
        starts, there = _runs(state.server_job[first:end] < 0)
        right = {first + int(s): int(n) for s, n in zip(starts, there, strict=True)}
        if sum(right.values()) != state.free[pool]:
            yield (f"pool {pool + 1} has {sum(right.values())} free servers, counted {state.free[pool]}")
        yield from _listed(state, pool, right)
        for start, length in right.items():
            if state.run_length[start + length - 1] != length:
                yield f"the gap of server {start + 1} has another length at its end"
    outside = _pool_of(system, len(state.server_job)) < 0
    for server in np.flatnonzero(outside & (state.server_job >= 0)):
        yield f"server {server + 1} is in no pool and runs a job"


def _listed(state: MoldableState, pool: int, right: dict[int, int]) -> Sentences:
    """The lists of a pool by length contain exactly the gaps *right*, correctly linked."""
    lengths = state.gap_head.shape[1]
    listed: dict[int, int] = {}
    for place in range(lengths):
        start, before = int(state.gap_head[pool, place]), -1
        while start >= 0 and start not in listed:
            listed[start] = int(state.run_length[start])
            if min(listed[start], lengths) - 1 != place or state.gap_previous[start] != before:
                yield f"the gap of server {start + 1} is in the wrong list, or wrongly linked"
            before, start = start, int(state.gap_next[start])
        if start >= 0:
            yield f"the gap of server {start + 1} is listed twice"
    if listed != right:
        yield f"pool {pool + 1} has gaps {right}, listed {listed}"


def _idle_servers(numbers: MoldableNumbers, _: Any, samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """[n] the number of idle servers."""
    return np.asarray(numbers.servers - samples[:, BUSY_COLUMN])


#: Ghanbarian et al. (2025).
MONITORS = (
    Monitor(
        "records",
        "A job runs on as many servers as it was given, never more than it asked for",
        "",
        "Section 2",
        (_records, _requests),
        decided=(_requests,),
    ),
    Monitor(
        "capacity",
        "The servers in use are the sum of the jobs' widths, and no more than there are",
        "Σ_i i X_i ≤ n",
        "Section 2",
        (_servers,),
        slack=_idle_servers,
        unit="idle servers",
    ),
    Monitor("counts", "X_i counts the jobs that run on i servers", "X_i(t)", "Section 2", (_jobs,), stage=1),
    Monitor(
        "conservation",
        "Who came was blocked, is here, or has left",
        "",
        "Section 2",
        (_conservation, _tallies, _times),
        stage=1,
    ),
    Monitor(
        "distance",
        "The distance from the optimum is that of the jobs which are here",
        "|X_i − n y*_i|",
        "Section 5",
        (_levels,),
        stage=1,
    ),
    Monitor(
        "little",
        "The jobs in the system, summed over time, are the time that jobs have spent in it",
        "λ(1 − P_b) E[D] = E[Σ x_i]",
        "(4), Little's law",
        (_areas, _spent, _occupancy),
        stage=1,
    ),
    Monitor(
        "places",
        "Every server is a piece of one job, or part of one gap of its pool",
        "",
        "the program's own",
        (_pieces, _gaps),
        stage=1,
    ),
)
