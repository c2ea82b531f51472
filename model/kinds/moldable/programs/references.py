"""What exactly becomes of a policy: Erlang's formula where it applies, the chain where it is small.

Both are for Poisson arrivals.  Erlang's formula holds for sizes of any distribution, the chain for
exponential ones.

If every job of a pool of m servers asks for i of them and i divides m, then the free servers are
always a multiple of i, so that no job gets fewer, and the pool is Erlang's system of m / i lines.
It does not depend on the distribution of the sizes beyond their mean.  So the linear rows of Table 1 in
Ghanbarian et al. (2025) are Erlang's where 5 divides n, and so is their greedy scheme.

What the chain says of the measures that a run has is told as a run tells them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Sequence

import numpy as np

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.programs.chain import (
    MOST_STATES,
    ChainClass,
    ChainTooLargeError,
    JobChain,
    Requests,
    chain_of,
)
from slotscope.model.kinds.moldable.rules import WORDS, AllocationRules


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


def erlang_b(lines: int, offered: float) -> float:
    """The blocking probability of Erlang's system.

    - *lines*: How many jobs there is room for, N >= 0.
    - *offered*: a >= 0, the arrival rate times the mean time of a job.

    Raises ValueError if one of them is negative.
    """
    if lines < 0 or offered < 0:
        raise ValueError(f"found {lines} lines and {offered} offered, allowed: 0 or more")
    if not offered:
        return 0.0 if lines else 1.0
    blocking = 1.0
    for k in range(1, lines + 1):
        blocking = offered * blocking / (k + offered * blocking)
    return blocking


@dataclass(frozen=True)
class ErlangReference:
    """What jobs of one width meet, exactly."""

    width: int  #: i, on how many servers each runs
    lines: int  #: m / i
    offered: float  #: a, of these lines
    blocking: float  #: the share of jobs that are blocked
    mean_time: float  #: 1 / s_i, of jobs with mean inherent size 1


def fixed_width(servers: int, width: int, speedup: Sequence[Fraction], work: Fraction) -> ErlangReference | None:
    """What jobs meet that all ask for *width* of a pool of servers; None unless it divides them.

    - *servers*: m, those of the pool.
    - *width*: i.
    - *speedup*: [d] s_1..s_d.
    - *work*: The arrival rate at the pool times the mean inherent size: n rho_j.
    """
    if servers < width or servers % width:
        return None
    offered = float(work / speedup[width - 1])
    lines = servers // width
    blocking = erlang_b(lines, offered)
    return ErlangReference(width, lines, offered, blocking, float(1 / speedup[width - 1]))


@dataclass(frozen=True)
class PolicyReference:
    """What is known exactly of one policy."""

    policy: str  #: its name, with parameters such as "greedy-p:rest=common"
    pools: tuple[int, ...]  #: [l] the servers that are each class's own; 0 where all are common
    common: int  #: servers for all classes
    erlang: tuple[ErlangReference, ...] = ()  #: [l] Erlang's formula for each class; empty unless it holds for all
    blocking: float | None = None  #: P_b of all jobs by Erlang's formula
    mean_time: float | None = None  #: E[D] of accepted jobs by Erlang's formula, in units of time
    chain: ChainMeasures | None = None  #: the exact chain, for exponential sizes
    note: str = ""  #: why there is no chain, as a clause; or empty


def erlang_reference(policy: str, numbers: MoldableNumbers, rules: AllocationRules) -> PolicyReference:
    """What Erlang's formula says of a policy's rules, if anything."""
    pools, common = pools_of(rules)
    reference = PolicyReference(policy, pools, common)
    if common:
        return reference
    found = [_erlang(numbers, rules, j, size) for j, size in enumerate(pools)]
    erlang = tuple(one for one in found if one is not None)
    if len(erlang) < len(found):
        return reference
    rates = [float(rate) for rate in numbers.arrival_rates]
    accepted = [rate * (1 - one.blocking) for rate, one in zip(rates, erlang, strict=True)]
    times = [one.mean_time * float(mean) for one, mean in zip(erlang, numbers.means, strict=True)]
    work = sum(rate * time for rate, time in zip(accepted, times, strict=True))
    return PolicyReference(
        policy,
        pools,
        common,
        erlang,
        blocking=1 - sum(accepted) / sum(rates),
        mean_time=work / sum(accepted) if sum(accepted) else None,
    )


def _erlang(numbers: MoldableNumbers, rules: AllocationRules, job_class: int, servers: int) -> ErlangReference | None:
    distribution = _distribution(rules, job_class)
    if len(distribution) != 1:
        return None
    work = numbers.servers * numbers.loads[job_class]
    return fixed_width(servers, distribution[0][0], numbers.speedups[job_class], work)


def chain_reference(numbers: MoldableNumbers, rules: AllocationRules) -> tuple[ChainMeasures | None, str]:
    """What the exact chain says of a policy's rules; or why there is none, as a clause."""
    pools, common = pools_of(rules)
    classes = [
        ChainClass(float(numbers.servers * rate), float(1 / mean), tuple(map(float, speedup)), own)
        for rate, mean, speedup, own in zip(numbers.arrival_rates, numbers.means, numbers.speedups, pools, strict=True)
    ]
    targets: Sequence[Sequence[Fraction]] = ()
    if numbers.optimum is not None:
        targets = [one.y for one in numbers.optimum.classes]
    try:
        return chain_measures(classes, common, requests_of(rules), numbers.servers, targets), ""
    except ChainTooLargeError as error:
        return None, str(error)


def pools_of(rules: AllocationRules) -> tuple[tuple[int, ...], int]:
    """The servers that are each class's own, and the common ones; a pool of all is common."""
    sizes = (rules.pool_end - rules.pool_first).tolist()
    common = int(rules.common_pool[0])
    if len(rules.own_pool) > 1 and len(set(rules.own_pool.tolist())) == 1:
        return (0,) * len(rules.own_pool), sizes[0]
    return tuple(sizes[pool] for pool in rules.own_pool.tolist()), sizes[common] if common >= 0 else 0


def requests_of(rules: AllocationRules) -> Requests:
    """What each class asks for, with probabilities, from a policy's rules."""
    if len(rules.by_free):
        return lambda job_class, free: [(int(rules.by_free[job_class, free]), 1.0)]
    distributions = [_distribution(rules, j) for j in range(len(rules.own_pool))]
    return lambda job_class, _: distributions[job_class]


def _distribution(rules: AllocationRules, job_class: int) -> list[tuple[int, float]]:
    """(i, p_i) with p_i > 0; empty where the request depends on the free servers."""
    if len(rules.by_free):
        return []
    found, before = [], -1
    for i, last in zip(rules.width[job_class].tolist(), rules.last_word[job_class].tolist(), strict=True):
        if last > before:
            found.append((i, (last - before) / WORDS))
            before = last
    return found
