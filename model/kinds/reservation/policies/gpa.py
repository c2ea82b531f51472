"""The greedy placement algorithm.

Reference
    Psychas & Ghaderi (2022), Section 3.1.
Implements
    Algorithm 1, lines 1-13.
Symbols
    Y-hat  ``reference``       [J] workload reference vector
    r      ``left``            [J] jobs left
    N      ``servers_left``    servers left
    J[i]   ``candidates``      bit set of the candidate job types
    k[i]   ``configuration``   MaxReward of the feasible configurations over J[i]
    j*     ``exhausted``       the type that is used up first
    X-hat  ``count``           servers that should have configuration k[i]
Deviations
    Ties in line 7 go to the lowest type (the paper: arbitrary).  After a tie, line 8 can be negative,
    because a type that stays a candidate may be over-served: the count is then 0.
    Types that fit no server are never candidates.
    Several pools of servers (left open by Section 9): each iteration uses, of the pools with servers
    left, the one with the largest MaxReward (ties: the first pool).  If the servers of this pool run
    out before a type does, later iterations leave out the pool instead of j*; once no pool has servers
    left, the algorithm continues as with one pool.  A configuration that two pools share is listed
    once, with both pools.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, Sequence

from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.policies.common import listing
from slotscope.model.reporting.records import Configuration, Line, Record, written_once

PSEUDOCODE = listing("""
    <b>function</b> GPA(Ŷ)
      <i>r</i> ← Ŷ
      <i>N</i> ← <i>L</i>
      <i>i</i> ← 1, 𝒥[1] = 𝒥
      <b>while</b> 𝒥[<i>i</i>] ≠ ∅ <b>do</b>
        <i>k</i>[<i>i</i>] ← MaxReward(𝒦<sup>𝒥[<i>i</i>]</sup>)
        <i>j</i>* ← argmin<sub><i>j</i>: <i>k<sub>j</sub></i>[<i>i</i>] &gt; 0</sub> ⌈<i>r<sub>j</sub></i> / \
<i>k<sub>j</sub></i>[<i>i</i>]⌉
        X̂<sub><i>k</i>[<i>i</i>]</sub> ← max(0, min(⌈<i>r<sub>j*</sub></i> / <i>k<sub>j*</sub></i>[<i>i</i>]⌉, \
<i>N</i>)) || min(⌈..⌉, <i>N</i>)
        <i>r</i> ← <i>r</i> − X̂<sub><i>k</i>[<i>i</i>]</sub> <i>k</i>[<i>i</i>]
        <i>N</i> ← <i>N</i> − X̂<sub><i>k</i>[<i>i</i>]</sub>
        𝒥[<i>i</i>+1] ← 𝒥[<i>i</i>] − {<i>j</i>*}
        <i>i</i> ← <i>i</i> + 1
      <b>return</b> X̂<sub><i>k</i>[<i>i</i>]</sub>, <i>i</i> = 1..<i>J</i>
""")

#: The lines of the sub-steps, made once: making a :class:`Line` takes longer than making its record.
STARTED, FOUND, COUNTED = Line(1, 2), Line(1, 6), Line(1, 8)


def texts_for(numbers: ReservationNumbers) -> dict[Line, str]:
    """The pseudocode lines that differ if some type fits no server, or there are several pools."""
    texts = {}
    if not all(any(fits) for fits in zip(*(pool.space.fits for pool in numbers.pools), strict=True)):
        texts[Line(1, 4)] = "<i>i</i> ← 1, 𝒥[1] = the types that fit a server"
    if len(numbers.pools) > 1:
        texts[Line(1, 3)] = "<i>N</i> ← <i>L</i> of each pool"
        texts[Line(1, 6)] = "<i>k</i>[<i>i</i>] ← MaxReward(𝒦<sup>𝒥[<i>i</i>]</sup>) of the best pool"
        texts[Line(1, 11)] = "𝒥[<i>i</i>+1] ← 𝒥[<i>i</i>] − {<i>j</i>*} unless <i>N</i> ran out"
    return texts


@written_once
class Assigned:
    """The result of one iteration: k[i], X-hat_{k[i]}, and the pools whose servers should have k[i]."""

    configuration: Configuration
    count: int
    pools: tuple[int, ...] = (0,)


class GreedyPlacement(NamedTuple):
    """The result of a run of GPA."""

    records: tuple[Record, ...]  #: one for each sub-step
    assigned: tuple[Assigned, ...]  #: (k[i], X-hat) for i = 1, 2, ...


def steps(numbers: ReservationNumbers, reference: Sequence[int]) -> GreedyPlacement:
    """Run GPA on Y-hat, the workload *reference* vector [J]."""
    return _kept(numbers, tuple(map(int, reference)))


@lru_cache(maxsize=64)  # a job comes and one of its type leaves: a quarter of all calls were there shortly before
def _kept(numbers: ReservationNumbers, reference: Configuration) -> GreedyPlacement:
    left = list(reference)  # line 2
    servers_left = [pool.count for pool in numbers.pools]  # line 3
    candidates = numbers.fitting  # line 4
    counts: dict[Configuration, int] = {}
    places: dict[Configuration, int] = {}
    values: dict[str, Any]
    pools: dict[Configuration, list[int]] = {}
    records = [Record("greedy_start", STARTED, {"jobs_left": tuple(left), "servers": numbers.servers})]
    while candidates:  # line 5
        pool, configuration, wanted = _best(numbers, candidates, tuple(map(bool, servers_left)))  # line 6
        position = places.setdefault(configuration, len(places) + 1)
        values = {"i": position, "configuration": configuration, "candidates": candidates}
        records.append(Record("configuration_found", FOUND, values))
        needed, exhausted = min([(-(-left[j] // k), j) for j, k in wanted])  # line 7
        there = servers_left[pool]
        count = max(0, min(needed, there))  # line 8
        for j, k in wanted:
            left[j] -= count * k  # line 9
        servers_left[pool] -= count  # line 10
        if needed <= count or there == 0 or not any(servers_left):
            candidates &= ~(1 << exhausted)  # line 11
        counts[configuration] = counts.get(configuration, 0) + count
        pools.setdefault(configuration, []).append(pool)
        values = {
            "i": position,
            "configuration": configuration,
            "count": counts[configuration],
            "exhausted": exhausted,
            "jobs_left": tuple(left),
            "servers_left": sum(servers_left),
        }
        records.append(Record("count_found", COUNTED, values))
    assigned = [Assigned(k, count, tuple(dict.fromkeys(pools[k]))) for k, count in counts.items()]
    return GreedyPlacement(tuple(records), tuple(assigned))


@lru_cache(maxsize=1024)
def _best(
    numbers: ReservationNumbers, candidates: int, any_left: tuple[bool, ...]
) -> tuple[int, Configuration, tuple[tuple[int, int], ...]]:
    """Line 6: the pool to be used next, its MaxReward configuration k over the candidates, and all (j, k_j > 0)."""
    units = numbers.reward_units
    found = []
    for number, pool in enumerate(numbers.pools):
        fitting = sum(1 << j for j, fits in enumerate(pool.space.fits) if fits) & candidates
        if fitting:
            configuration = pool.space.max_reward(units, fitting)
            reward = sum(u * k for u, k in zip(units, configuration, strict=True))
            found.append((any_left[number], reward, -number, configuration))
    _, _, number, configuration = max(found)
    return -number, configuration, tuple((j, k) for j, k in enumerate(configuration) if k > 0)
