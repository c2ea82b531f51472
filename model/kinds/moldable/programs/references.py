"""Exact measures of policies: by Erlang's formula if it applies, by the Markov chain if that is small.

Both need Poisson arrivals.  Erlang's formula holds for any distribution of sizes, the chain for
exponential sizes.

If every job of a pool of m servers requests i of them and i divides m, then the number of free servers is
always a multiple of i, so that no job gets fewer, and the pool is Erlang's loss system with m / i lines.
The size distribution matters only through its mean.  So the linear rows of Table 1 in
Ghanbarian et al. (2025) follow from Erlang's formula if 5 divides n, and so does their greedy scheme.

The measures from the chain have the same names and units as those of a run.
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
    """Exact stationary measures; those of shape [l] and [l][d_j] are by class."""

    states: int  #: states of the chain; the total over all classes' chains if these are independent
    #: blocking, class_blocking: P_b of all jobs, and of each class [l]
    blocking: float
    class_blocking: tuple[float, ...]
    #: mean_time, class_times: E[D], the mean execution time of accepted jobs, in units of time; None if none is
    #: accepted
    mean_time: float | None
    class_times: tuple[float | None, ...]
    partial: float  #: the share of arriving jobs that get some servers, but fewer than they request
    busy: float  #: E[q_1], the share of servers in use
    jobs: tuple[tuple[float, ...], ...]  #: [l][d_j] E[x_{i,j}], divided by n
    distance: float | None  #: E||x - y*||, the sum over all classes and widths; None if there is no y*
    squared: float | None  #: E[sum over I* of s_i (x_i - y*_i)^2], see (19); None if there is no y*
    #: [l] P(more than one job of the class runs on fewer than i1 servers), 0 according to Lemma 2; empty if there
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

    Classes without common servers are independent, and solved one by one.

    - *classes*, *common*, *requests*: See :func:`model.kinds.moldable.programs.chain.chain_of`.
    - *servers*: n, by which numbers of jobs are divided.
    - *targets*: [l][d_j] y*_{i,j}, divided by n; empty if there is none.
    - *most_states*: The largest total number of states.

    Raises ChainTooLargeError if there are more states.
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
    """The contribution of one class."""

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
    """The mean time by Little's law; None if no job is accepted."""
    return jobs / accepted if accepted else None


def erlang_b(lines: int, offered: float) -> float:
    """The blocking probability of Erlang's loss system.

    - *lines*: The number of lines N >= 0.
    - *offered*: The offered load a >= 0, the arrival rate times the mean time of a job.

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
    """Erlang's loss system for jobs of one width, exactly."""

    width: int  #: i, the number of servers of each job
    lines: int  #: m / i
    offered: float  #: a, the load offered to these lines
    blocking: float  #: the share of jobs that are blocked
    mean_time: float  #: 1 / s_i, of jobs with mean inherent size 1


def fixed_width(servers: int, width: int, speedup: Sequence[Fraction], work: Fraction) -> ErlangReference | None:
    """Erlang's loss system for a pool whose jobs all request *width* servers; None unless *width* divides the pool.

    - *servers*: m, the servers of the pool.
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
    """The exact measures of one policy."""

    policy: str  #: its name, with parameters such as "greedy-p:rest=common"
    pools: tuple[int, ...]  #: [l] the number of each class's own servers; 0 if all are common
    common: int  #: servers for all classes
    erlang: tuple[ErlangReference, ...] = ()  #: [l] Erlang's formula for each class; empty unless it holds for all
    blocking: float | None = None  #: P_b of all jobs by Erlang's formula
    mean_time: float | None = None  #: E[D] of accepted jobs by Erlang's formula, in units of time
    chain: ChainMeasures | None = None  #: the exact chain, for exponential sizes
    note: str = ""  #: why there is no chain, as a clause; or empty


def erlang_reference(policy: str, numbers: MoldableNumbers, rules: AllocationRules) -> PolicyReference:
    """The measures of a policy's rules by Erlang's formula, if it applies."""
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
    """The measures of a policy's rules by the exact chain; or None and a clause that says why."""
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
    """The numbers of each class's own servers, and of the common ones; a single pool of all classes is common."""
    sizes = (rules.pool_end - rules.pool_first).tolist()
    common = int(rules.common_pool[0])
    if len(rules.own_pool) > 1 and len(set(rules.own_pool.tolist())) == 1:
        return (0,) * len(rules.own_pool), sizes[0]
    return tuple(sizes[pool] for pool in rules.own_pool.tolist()), sizes[common] if common >= 0 else 0


def requests_of(rules: AllocationRules) -> Requests:
    """The requests of each class with their probabilities, from a policy's rules."""
    if len(rules.by_free):
        return lambda job_class, free: [(int(rules.by_free[job_class, free]), 1.0)]
    distributions = [_distribution(rules, j) for j in range(len(rules.own_pool))]
    return lambda job_class, _: distributions[job_class]


def _distribution(rules: AllocationRules, job_class: int) -> list[tuple[int, float]]:
    """The pairs (i, p_i) with p_i > 0; empty if the request depends on the free servers."""
    if len(rules.by_free):
        return []
    found, before = [], -1
    for i, last in zip(rules.width[job_class].tolist(), rules.last_word[job_class].tolist(), strict=True):
        if last > before:
            found.append((i, (last - before) / WORDS))
            before = last
    return found
