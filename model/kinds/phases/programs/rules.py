"""A plan as tables, which the reference implementation of JRS and its kernel both read."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.lattice import Lattice
from slotscope.model.kinds.phases.programs.plan import PoolPlan, ServerPlan
from slotscope.model.kinds.phases.programs.policy import TIMERS

# Indices into ``option``.
LIMIT_IN_ALL, LIMIT_REACHED, AFTER_PAUSE = range(3)
OPTIONS = 3

# Values of LIMIT_IN_ALL, for one limit over all types: which token turns into a virtual job, any or a requested one.
ANY_TOKEN, TOKEN_ASKED_FOR = 1, 2


class PhaseRules(NamedTuple):
    """The tables of P pools, C configurations, I phases, L normal servers."""

    case: NDArray[np.int8]  #: [P, C] the case of Appendix C.2
    rate: NDArray[np.float64]  #: [P, C] total rate of the timers at a configuration
    timer: NDArray[np.float64]  #: [P, C, I] case 1: probability that the timer that rings is of type at most i
    choice: NDArray[np.float64]  #: [P, C, I] case 2: probability that the requested type is at most i
    asks: NDArray[np.int32]  #: [P, C, I] jobs that a tick requests outside case 1
    limit: NDArray[np.int64]  #: [P] eta_max
    pool_of: NDArray[np.int32]  #: [L] the pool of each normal server
    route: NDArray[np.float64]  #: [I, P] probability that a job goes to a pool of number at most p
    option: NDArray[np.int64]  #: [OPTIONS] 0: off


def rules_of(plan: ServerPlan, options: NDArray[np.int64], recovery_rate: float, patch: bool) -> PhaseRules:
    """The tables of a plan; with B.3's *patch*, and with timers of *recovery_rate* in transient configurations."""
    pools = [_Pool(pool, plan.lattice, recovery_rate, patch) for pool in plan.pools]
    return PhaseRules(
        case=np.array([pool.case for pool in plan.pools], np.int8),
        rate=np.array([pool.rate for pool in pools]),
        timer=np.array([cumulative(pool.rate) for pool in plan.pools]),
        choice=np.array([cumulative(pool.choice) for pool in plan.pools]),
        asks=np.array([pool.asks for pool in pools], np.int32),
        limit=np.array([pool.token_limit for pool in plan.pools], np.int64),
        pool_of=np.repeat(np.arange(len(pools), dtype=np.int32), [pool.servers for pool in plan.pools]),
        route=cumulative(np.array([pool.route for pool in plan.pools]).T),
        option=options,
    )


def cumulative(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """[..., n] cumulative shares of the weights; from the last positive weight on exactly 1."""
    sums = np.cumsum(weights, axis=-1)
    total = sums[..., -1:]
    shares = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
    return np.ascontiguousarray(np.where((sums >= total) & (total > 0), 1.0, shares))


class _Pool:
    """The timers of one pool: those of case 1, B.3's patch at 0, and recovery."""

    def __init__(self, pool: PoolPlan, lattice: Lattice, recovery_rate: float, patch: bool) -> None:
        self.rate = np.where(pool.case == TIMERS, pool.rate.sum(axis=1), 0.0)
        self.asks = np.zeros(pool.rate.shape, np.int32)
        if recovery_rate > 0:
            self._recover(pool, lattice, recovery_rate)
        if patch and pool.patch is not None and pool.case[0] != TIMERS:
            self.rate[0] = pool.patch_rate
            self.asks[0] = pool.patch

    def _recover(self, pool: PoolPlan, lattice: Lattice, rate: float) -> None:
        """Outside case 1 request the fewest jobs that lead back to the class, at *rate*.

        After a pause a server also rests in a configuration of case 2.
        """
        asks = ways_back(pool, lattice)
        lost = np.flatnonzero((pool.case != TIMERS) & (asks.sum(axis=1) > 0))
        self.rate[lost] = rate
        self.asks[lost] = asks[lost]


def ways_back(pool: PoolPlan, lattice: Lattice) -> NDArray[np.int32]:
    """[C, I] the fewest jobs of arriving types that lead from each configuration into the class.

    Of equally few the first type; 0 if there is no way.  Found by breadth-first search backwards from the class.
    """
    arriving = np.flatnonzero(pool.route > 0)
    asks = np.zeros(lattice.configurations.shape, np.int32)
    reached = pool.case == TIMERS
    frontier = reached
    while frontier.any():
        fresh = np.zeros(len(lattice), bool)
        for i in arriving:
            above = lattice.up[:, i]
            steps = (above >= 0) & frontier[above] & ~reached & ~fresh
            asks[steps] = asks[above[steps]]
            asks[steps, i] += 1
            fresh |= steps
        reached = reached | fresh
        frontier = fresh
    return asks
