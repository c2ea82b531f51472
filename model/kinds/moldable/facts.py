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
    """What is constant while one policy runs."""

    rules: AllocationRules  #: requests and pools
    tables: MoldableTables  #: speed-ups, targets, and the bins of ``occupancy``
    #: [l] (i, p_i), the distribution from which the policy draws requests; empty if it draws none
    distributions: tuple[tuple[tuple[int, float], ...], ...]
    pool_names: tuple[str, ...]  #: [P] the class that a pool belongs to, "common", or "" if there is one pool
    chosen: bool  #: whether the policy is user-written, and may give a job any number of free servers
    asks: bool  #: whether the policy tells how many servers a job requests

    def has_asked(self, request: int) -> bool:
        """Whether a job requested servers; otherwise its *request* is -1, or the number that it got."""
        return self.asks and request > 0

    def all_that_were_free(self, request: int, width: int) -> str:
        """The clause that explains why a job got fewer servers than it requested; empty if it did not."""
        return ", all that were free" if width < request and not self.chosen else ""

    def open_pools(self, job_class: int) -> tuple[int, ...]:
        """The pools that are open to a class: its own, then the common one."""
        pools = (int(self.rules.own_pool[job_class]), int(self.rules.common_pool[0]))
        return tuple(dict.fromkeys(pool for pool in pools if pool >= 0))

    def open_servers(self, job_class: int) -> int:
        """The number of servers in these pools."""
        sizes = self.rules.pool_end - self.rules.pool_first
        return int(sum(sizes[pool] for pool in self.open_pools(job_class)))

    def pool_of(self, server: int) -> int:
        """The pool of a server; -1: it is in none, and always idle."""
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
    """What is derived from a state."""

    mean_jobs: NDArray[np.float64]  #: [l, d + 1] the mean of X_i of each class since time 0; at time 0 X_i itself


def standing(state: MoldableState) -> MoldableStanding:
    """Derive the mean allocations from *state*."""
    now = float(state.clock[NOW])
    area = state.area + state.jobs * (now - state.since)
    return MoldableStanding(mean_jobs=area / now if now > 0 else state.jobs.astype(float))
