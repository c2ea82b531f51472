"""Continuing from the state of another policy: jobs stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.errors import ScenarioError
from slotscope.model.kinds.moldable import gaps, physics
from slotscope.model.kinds.moldable.numbers import DISTANCE_UNIT, MoldableTables
from slotscope.model.kinds.moldable.rules import AllocationRules
from slotscope.model.kinds.moldable.state import NOW, MoldableState

#: A :class:`model.kinds.moldable.system.MoldableSystem`, which imports this module.
MoldableSystem = Any

_RESTART = "run it from the start instead"


def check_continuation(system: MoldableSystem, other: MoldableSystem) -> None:
    """Refuse to continue from a system whose jobs and servers do not fit this one.

    Raises ScenarioError if servers, classes or speed-ups differ, or this policy divides the servers into other
    pools.
    """
    mine, theirs = system.numbers, other.numbers
    kept = {"servers": "servers", "class_names": "classes", "speedups": "speed-ups"}
    changed = [word for name, word in kept.items() if getattr(mine, name) != getattr(theirs, name)]
    if changed:
        raise ScenarioError(f"found other {' and '.join(changed)}, allowed when continuing: the same; {_RESTART}")
    if system.rules.pools > 1 and not _same_pools(system.rules, other.rules):
        raise ScenarioError(f"found other pools of servers, allowed when continuing: the same, or one pool; {_RESTART}")


def taken_over(system: MoldableSystem, other: MoldableSystem, state: MoldableState) -> MoldableState:
    """The state with which *system* continues.

    Jobs stay, and so does everything that keeps its meaning: if the pools differ, the gaps are listed anew,
    and if the optimum differs, the distances from it are computed anew.
    Raises ScenarioError: see :func:`check_continuation`.
    """
    check_continuation(system, other)
    if not _same_targets(system.tables, other.tables):
        state = _retargeted(system, other, state)
    if not _same_pools(system.rules, other.rules):
        state = _repooled(system, state)
    if system.scenario.policy != other.scenario.policy:
        state = state._replace(memory=np.zeros(system.policy.memory))
    return state


def _same_pools(mine: AllocationRules, theirs: AllocationRules) -> bool:
    fields = ("own_pool", "common_pool", "pool_first", "pool_end")
    return all(np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in fields)


def _same_targets(mine: MoldableTables, theirs: MoldableTables) -> bool:
    fields = (name for name in mine._fields if name != "key")
    return all(np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in fields)


def _retargeted(system: MoldableSystem, other: MoldableSystem, state: MoldableState) -> MoldableState:
    """Measure distances from this system's optimum from now on, with bins of ``occupancy`` around it."""
    for j in range(other.numbers.classes):
        physics.settle_class(state, other.tables, j)
    state.area[...] += state.jobs * (state.clock[NOW] - state.since)
    state.since[...] = state.clock[NOW]
    state.occupancy[...] = 0.0
    for j in range(system.numbers.classes):
        off = state.jobs[j] * DISTANCE_UNIT - system.tables.target[j]
        state.distance[j] = np.abs(off).sum()
        state.below[:, j] = state.jobs[j, : system.tables.least[j]].sum()
        physics.set_levels(state, system.tables, j)
    return state


def _repooled(system: MoldableSystem, state: MoldableState) -> MoldableState:
    """*state* with the gaps of this system's pools."""
    fresh: MoldableState = system.raw_state()
    state = state._replace(free=fresh.free, gap_head=np.full_like(fresh.gap_head, -1))
    for pool in range(system.rules.pools):
        _link_gaps(system.rules, state, pool)
    return state


def _link_gaps(rules: AllocationRules, state: MoldableState, pool: int) -> None:
    """List the gaps of a pool, the later ones first, so that the first gap is taken first."""
    first, end = int(rules.pool_first[pool]), int(rules.pool_end[pool])
    idle = np.r_[False, state.server_job[first:end] < 0, False]
    starts = np.flatnonzero(idle[1:] & ~idle[:-1])
    lengths = np.flatnonzero(idle[:-1] & ~idle[1:]) - starts
    state.free[pool] = lengths.sum()
    for start, length in zip(starts[::-1].tolist(), lengths[::-1].tolist(), strict=True):
        gaps.link(state, pool, first + start, length)
