"""What the exact chain of a small system says of the measures that a run has."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Sequence

import numpy as np

from slotscope.model.kinds.moldable.programs.chain import MOST_STATES, ChainClass, JobChain, Requests, chain_of


@dataclass(frozen=True)
class ChainMeasures:
    """Exact stationary measures; [l] and [l][d_j] are for each class."""

    states: int  #: of the chain, or of the chains of all classes together where these do not meet
    #: blocking, class_blocking: P_b, of all jobs and of each class [l]
    blocking: float
    class_blocking: tuple[float, ...]
    #: mean_time, class_times: E[D], the mean execution time of accepted jobs, in units of time; None where none is
    #: accepted
    mean_time: float | None
    class_times: tuple[float | None, ...]
    partial: float  #: the share of arriving jobs that get fewer servers than they ask for, but some
    busy: float  #: E[q_1], the share of servers in use
    jobs: tuple[tuple[float, ...], ...]  #: [l][d_j] E[x_{i,j}], divided by n
    distance: float | None  #: E||x - y*||, the sum over all classes and widths; None where there is no y*
    squared: float | None  #: E[sum over I* of s_i (x_i - y*_i)^2], see (19); None where there is no y*
    #: [l] P(more than one job of the class is on fewer than i1 servers), which Lemma 2 takes to be 0; empty where there
    #: is no y*
    narrow: tuple[float, ...]


def chain_measures(
    classes: Sequence[ChainClass],
    common: int,
    requests: Requests,
    servers: int,
    targets: Sequence[Sequence[Fraction]] = (),
    most_states: int = MOST_STATES,
) -> ChainMeasures:
    """The measures of the chain of classes with pools; see :mod:`.chain`.

    Classes without common servers do not meet, and are solved one by one.

    - *classes*, *common*, *requests*: See :func:`model.kinds.moldable.programs.chain.chain_of`.
    - *servers*: n, by which numbers of jobs are divided.
    - *targets*: [l][d_j] y*_{i,j}, divided by n; empty if there is none.
    - *most_states*: How many states there may be in all.

    Raises ChainTooLargeError if there are more.
    """
    if common:
        chain = chain_of(classes, common, requests, most_states)
        parts = [(chain, j) for j in range(len(classes))]
        states = len(chain.states)
    else:
        parts, states = [], 0
        for j, one in enumerate(classes):
            own = chain_of([one], 0, _of_class(requests, j), most_states, states)
            parts.append((own, 0))
            states += len(own.states)
    rows = [
        _class_measures(chain, place, servers, targets[j] if targets else ()) for j, (chain, place) in enumerate(parts)
    ]
    return _together(classes, servers, states, rows)


def _of_class(requests: Requests, job_class: int) -> Requests:
    return lambda _, free: requests(job_class, free)


@dataclass(frozen=True)
class _Row:
    """What a class adds."""

    blocking: float
    partial: float
    jobs: tuple[float, ...]
    distance: float
    squared: float
    narrow: float
    has_target: bool


def _class_measures(chain: JobChain, job_class: int, servers: int, target: Sequence[Fraction]) -> _Row:
    jobs = chain.jobs(job_class) / servers
    speedup = np.array(chain.classes[job_class].speedup)
    goal = np.array([float(share) for share in target] or np.zeros(jobs.shape[1]))
    off = jobs - goal
    used = np.flatnonzero(goal)
    below = chain.jobs(job_class)[:, : used[0] if len(used) else 0].sum(axis=1)
    return _Row(
        blocking=float(chain.mean(chain.blocked)[job_class]),
        partial=float(chain.mean(chain.partial)[job_class]),
        jobs=tuple(chain.mean(jobs).tolist()),
        distance=float(chain.mean(np.abs(off).sum(axis=1))),
        squared=float(chain.mean((speedup * off**2)[:, used].sum(axis=1))),
        narrow=float(chain.mean(np.asarray(below > 1, np.float64))),
        has_target=bool(len(used)),
    )


def _together(classes: Sequence[ChainClass], servers: int, states: int, rows: Sequence[_Row]) -> ChainMeasures:
    rates = [one.arrival_rate for one in classes]
    accepted = [rate * (1 - row.blocking) for rate, row in zip(rates, rows, strict=True)]
    partial = sum(rate * row.partial for rate, row in zip(rates, rows, strict=True))
    jobs = [servers * sum(row.jobs) for row in rows]
    targeted = all(row.has_target for row in rows)
    return ChainMeasures(
        states=states,
        blocking=1 - sum(accepted) / sum(rates),
        class_blocking=tuple(row.blocking for row in rows),
        mean_time=_little(sum(jobs), sum(accepted)),
        class_times=tuple(map(_little, jobs, accepted)),
        partial=partial / sum(rates),
        busy=sum(i * share for row in rows for i, share in enumerate(row.jobs, 1)),
        jobs=tuple(row.jobs for row in rows),
        distance=sum(row.distance for row in rows) if targeted else None,
        squared=sum(row.squared for row in rows) if targeted else None,
        narrow=tuple(row.narrow for row in rows) if targeted else (),
    )


def _little(jobs: float, accepted: float) -> float | None:
    """Little's law."""
    return jobs / accepted if accepted else None
