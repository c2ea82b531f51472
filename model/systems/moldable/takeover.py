"""Going on from another policy's state: jobs stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from model.errors import ScenarioError
from model.systems.moldable import gaps, physics
from model.systems.moldable.rules import Rules
from model.systems.moldable.state import MoldableState
from model.systems.moldable.tables import DISTANCE_UNIT

#: A :class:`model.systems.moldable.system.MoldableSystem`, which imports this module.
MoldableSystem = Any

_RESTART = "apply with a restart instead"


def check_continuation(system: MoldableSystem, other: MoldableSystem) -> None:
    """Refuse to go on from a system in which this one's jobs and servers have no place.

    Raises
    ------
    ScenarioError
        If servers, classes or speed-ups differ, jobs are recorded, or this policy divides the
        servers into other pools.
    """
    if system.scenario.workload.kind != "poisson":
        raise ScenarioError("found recorded jobs, allowed when continuing: Poisson arrivals; "
                            + _RESTART)  # fmt: skip
    mine, theirs = system.numbers, other.numbers
    kept = ("servers", "class_names", "speedups")
    changed = [name.replace("class_", "class ") for name in kept
               if getattr(mine, name) != getattr(theirs, name)]  # fmt: skip
    if changed:
        raise ScenarioError(f"found other {' and '.join(changed)}, allowed when continuing: the "
                            f"same; {_RESTART}")  # fmt: skip
    if system.rules.pools > 1 and not _same_pools(system.rules, other.rules):
        raise ScenarioError("found other pools of servers, allowed when continuing: the same, or "
                            f"one pool; {_RESTART}")  # fmt: skip


def taken_over(
    system: MoldableSystem, other: MoldableSystem, state: MoldableState
) -> MoldableState:
    """The state with which *system* goes on: only the gaps, and the distance from the optimum of
    another load, are made anew.

    Raises
    ------
    ScenarioError
        See :func:`check_continuation`.
    """
    check_continuation(system, other)
    for j in range(other.numbers.classes):
        physics.settle_class(state, other.tables, j)
    fresh: MoldableState = system.raw_state()
    kept = state._replace(
        free=fresh.free, gap_head=np.full_like(fresh.gap_head, -1), occupancy=fresh.occupancy
    )
    _retarget(system, kept)
    for pool in range(system.rules.pools):
        _link_gaps(system.rules, kept, pool)
    return kept


def _same_pools(mine: Rules, theirs: Rules) -> bool:
    fields = ("own_pool", "common_pool", "pool_first", "pool_end")
    return all(np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in fields)


def _retarget(system: MoldableSystem, state: MoldableState) -> None:
    """Distances are from this system's optimum from now on."""
    for j in range(system.numbers.classes):
        off = state.jobs[j] * DISTANCE_UNIT - system.tables.target[j]
        state.distance[j] = np.abs(off).sum()
        state.below[:, j] = state.jobs[j, : system.tables.least[j]].sum()
        physics.set_levels(state, system.tables, j)


def _link_gaps(rules: Rules, state: MoldableState, pool: int) -> None:
    """The gaps of a pool, later ones first, so that the first one is taken first."""
    first, end = int(rules.pool_first[pool]), int(rules.pool_end[pool])
    idle = np.r_[False, state.server_job[first:end] < 0, False]
    starts = np.flatnonzero(idle[1:] & ~idle[:-1])
    lengths = np.flatnonzero(idle[:-1] & ~idle[1:]) - starts
    state.free[pool] = lengths.sum()
    for start, length in zip(starts[::-1].tolist(), lengths[::-1].tolist(), strict=True):
        gaps.link(state, pool, first + start, length)
