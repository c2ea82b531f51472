"""What panels and sentences may know of a system with phases besides its state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.kinds.phases.programs.rules import AFTER_PAUSE, LIMIT_IN_ALL, LIMIT_REACHED
from slotscope.model.kinds.phases.state import NOW, PhaseState


@dataclass(frozen=True, eq=False)
class PhaseFacts:
    """What is constant while one policy runs."""

    plan: Any  #: the plan of JRS (:class:`model.kinds.phases.programs.plan.ServerPlan`); None for its peers
    rules: Any  #: the plan as tables (:class:`model.kinds.phases.programs.rules.Rules`); None for the peers of JRS
    pool_of: NDArray[np.int32]  #: [L] the pool of each normal server; empty if servers are unlimited
    pools: int  #: P

    @property
    def normal_servers(self) -> int:
        """L; 0 if servers are unlimited and none is a backup server."""
        return len(self.pool_of)

    @property
    def token_limits(self) -> tuple[int, ...]:
        """[P] eta_max of each pool; empty if the policy has no plan."""
        return () if self.plan is None else tuple(int(pool.token_limit) for pool in self.plan.pools)

    @property
    def limit_in_all(self) -> bool:
        """Whether the token limit of a pool counts the tokens of all types together."""
        return self.rules is not None and bool(self.rules.option[LIMIT_IN_ALL])

    @property
    def limit_reached(self) -> bool:
        """Whether the limit is violated as soon as the number of tokens reaches it."""
        return self.rules is not None and bool(self.rules.option[LIMIT_REACHED])

    @property
    def asks_after_pause(self) -> bool:
        """Whether the end of a pause can make a server ask for jobs."""
        return self.rules is not None and bool(self.rules.option[AFTER_PAUSE])

    def first_server(self, pool: int) -> int:
        """The number of the first normal server of a pool."""
        return int(np.searchsorted(self.pool_of, pool))


@dataclass(frozen=True, eq=False)
class PhaseStanding:
    """What is derived from a state."""

    #: [P, C] normal servers of each pool in each observed configuration; C = 0 without a lattice
    present: NDArray[np.int64]
    #: [C] the share of the normal servers' time that was spent in each observed configuration
    occupancy: NDArray[np.float64]


def standing(state: PhaseState, facts: PhaseFacts) -> PhaseStanding:
    """Derive the observed configurations, now and on average, from *state*."""
    configurations = len(state.occupancy)
    present = np.zeros((facts.pools, configurations), np.int64)
    if not configurations:
        return PhaseStanding(present, state.occupancy.copy())
    np.add.at(present, (facts.pool_of, state.observed), 1)
    spent = state.occupancy.copy()
    np.add.at(spent, state.observed, state.clock[NOW] - state.observed_since)
    total = spent.sum()
    return PhaseStanding(present, spent / total if total else spent)
