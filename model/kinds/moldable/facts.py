"""What panels and sentences may know of a system of moldable jobs besides its state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.moldable.numbers import MoldableNumbers, MoldableTables
from slotscope.model.kinds.moldable.policies.base import MoldablePolicy
from slotscope.model.kinds.moldable.rules import AllocationRules
from slotscope.model.kinds.moldable.state import NOW, MoldableState


@dataclass(frozen=True, eq=False)
class MoldableFacts:
    """What stays the same while one policy runs."""

    rules: AllocationRules  #: requests and pools
    tables: MoldableTables  #: speed-ups, targets, and the bins of ``occupancy``
    #: [l] (i, p_i) that the policy draws requests by; empty where it draws none
    distributions: tuple[tuple[tuple[int, float], ...], ...]
    pool_names: tuple[str, ...]  #: [P] the class whose servers a pool's are, "common", or "" where there is one pool
    chosen: bool  #: whether the policy is a user's, which may give a job any number of those that are free
    asks: bool  #: whether the policy says for how many servers a job asks

    def has_asked(self, request: int) -> bool:
        """Whether a job with this *request* has asked for servers; that of one which has not is -1, or what it got."""
        return self.asks and request > 0

    def all_that_were_free(self, request: int, width: int) -> str:
        """What stands behind the servers that a job got, where they are fewer than it asked for."""
        return ", all that were free" if width < request and not self.chosen else ""

    def open_pools(self, job_class: int) -> tuple[int, ...]:
        """The pools whose servers a class may take: its own, then a common one."""
        pools = (int(self.rules.own_pool[job_class]), int(self.rules.common_pool[0]))
        return tuple(dict.fromkeys(pool for pool in pools if pool >= 0))

    def open_servers(self, job_class: int) -> int:
        """How many servers those are."""
        sizes = self.rules.pool_end - self.rules.pool_first
        return int(sum(sizes[pool] for pool in self.open_pools(job_class)))

    def pool_of(self, server: int) -> int:
        """The pool of a server; -1: it is in none, and idle for ever."""
        pool = int(np.searchsorted(self.rules.pool_end, server, side="right"))
        return pool if pool < self.rules.pools else -1


def facts_of(numbers: MoldableNumbers, tables: MoldableTables, policy: MoldablePolicy) -> MoldableFacts:
    """The facts of a system under a policy."""
    rules = policy.rules
    draws = policy.draws and not numbers.requests_scripted
    distributions = tuple(tuple(policy.distribution(j)) for j in range(numbers.classes)) if draws else ()
    names = ("",) if rules.pools == 1 else (*numbers.class_names, "common")[: rules.pools]
    return MoldableFacts(rules, tables, distributions, names, policy.may_fail, policy.asks)


@dataclass(frozen=True, eq=False)
class MoldableStanding:
    """What follows from a state."""

    mean_jobs: NDArray[np.float64]  #: [l, d + 1] X_i of each class on average since time 0; at time 0 as they are


def standing(state: MoldableState) -> MoldableStanding:
    """What follows from *state*."""
    now = float(state.clock[NOW])
    area = state.area + state.jobs * (now - state.since)
    return MoldableStanding(mean_jobs=area / now if now > 0 else state.jobs.astype(float))
