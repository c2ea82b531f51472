"""What exactly becomes of a policy: Erlang's formula where it applies, the chain where it is small.

Both are for Poisson arrivals.  Erlang's formula holds for sizes of any distribution, the chain for
exponential ones.

If every job of a pool of m servers asks for i of them and i divides m, then the free servers are
always a multiple of i, so that no job gets fewer, and the pool is Erlang's system of m / i lines.
It does not depend on the distribution of the sizes beyond their mean.  So the linear rows of Table 1 in
Ghanbarian et al. (2025) are Erlang's where 5 divides n, and so is their greedy scheme.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Sequence

from slotscope.model.kinds.moldable.numbers import MoldableNumbers
from slotscope.model.kinds.moldable.programs.chain import ChainClass, ChainTooLargeError, Requests
from slotscope.model.kinds.moldable.programs.chain_measures import ChainMeasures, chain_measures
from slotscope.model.kinds.moldable.rules import WORDS, AllocationRules


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
