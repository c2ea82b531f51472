"""The drivers of the kernels of the loss system: they build the kernels' arguments."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from slotscope.model.jit import jitable
from slotscope.model.kinds.reservation.kernels import best_fit, dra, events, first_fit, power_of_d, static_reservation
from slotscope.model.kinds.reservation.kernels.index import WANTED_MASK, Configurations, VariantRules, build_index
from slotscope.model.kinds.reservation.moving import tell_jobs
from slotscope.model.kinds.reservation.numbers import ReservationNumbers
from slotscope.model.kinds.reservation.ranking import rank_again
from slotscope.model.kinds.reservation.state import ReservationState
from slotscope.model.kinds.reservation.system import ReservationSystem
from slotscope.model.systems.compiled import CompiledEngine


@jitable
def follow(state: Any, derived: Any, kept: Any, rows: Any) -> int:
    """Update the ranks of the servers if they are requested; otherwise tell which job records have changed."""
    return rank_again(state, derived, kept, rows) if len(derived) > 0 else tell_jobs(state, derived, kept, rows)


class ReservationKernel(CompiledEngine):
    """The compiled twin of a reference policy; a subclass defines the kernel and its index."""

    outcomes = events.PLACES
    follow = staticmethod(follow)

    def __init__(self, system: ReservationSystem) -> None:
        self.numbers = system.numbers
        self.constants = events.CONSTANTS + len(system.numbers.capacity)
        super().__init__(system)

    def options(self) -> dict[int, int]:
        """The number of servers, and the capacity of each resource."""
        capacity = enumerate(self.numbers.capacity.tolist(), events.CONSTANTS)
        return {events.SERVERS: self.numbers.servers, **dict(capacity)}

    def index(self, state: ReservationState) -> Any:
        """The index that the kernel keeps beside a state."""
        raise TypeError(f"{type(self).__name__} keeps no index")

    def build(self, state: ReservationState) -> tuple[Any, ...]:
        """The index, and the demand of each type for each resource."""
        return self.index(state), self.numbers.demand


class DraKernel(ReservationKernel):
    """The compiled twin of :class:`..policies.dra.Reference` and of its variants."""

    kernel = staticmethod(dra.advance)
    disjoint = False

    def __init__(self, system: ReservationSystem) -> None:
        self._known = Configurations(system.numbers.types)
        self._rules = rules_of(system.policy, system.numbers)
        super().__init__(system)

    def options(self) -> dict[int, int]:
        """The options of the variants of DRA."""
        policy, fits = self.policy, self.numbers.space.fits
        return super().options() | {
            events.RESERVED: policy.reserved,
            events.FITTING: sum(1 << j for j, fitting in enumerate(fits) if fitting),
            events.GIVEN: bool(self._rules.given.any()),
            events.MIGRATES: policy.migrates,
            events.CRA_AT_EVENTS: policy.cra_at_events,
            events.RETRIES: getattr(policy, "retry", False),
            events.ENDS_WHEN_IDLE: self.system.ends_when_idle,
        }

    def index(self, state: ReservationState) -> Any:
        """Lists of servers by recency, boundaries, bit sets, and the memo of MaxReward."""
        return build_index(state, self._known, self.numbers.maximal, self._rules, self.numbers.greedy_set)

    def build(self, state: ReservationState) -> tuple[Any, ...]:
        """Also a scratch array [3, J]."""
        return *super().build(state), np.zeros((3, self.numbers.types), np.int64)

    def learn(self, index: tuple[Any, ...]) -> None:
        """Compute and memoize MaxReward over the subset of types that the kernel asked for."""
        mask = int(index[0].size[WANTED_MASK]) & (2**64 - 1)
        best = self.numbers.space.max_reward(self.numbers.reward_units, mask)
        self._known.maxima[mask] = self._known.number(best)


def rules_of(policy: Any, numbers: ReservationNumbers) -> VariantRules:
    """The parameters that distinguish a variant of DRA, taken from its reference *policy*."""
    victims = getattr(policy, "victims", ())
    # Sizes are integers, so that g(L) s_j may be rounded up.
    owed = [
        ceil(policy.reservation * size) if victims and priority > 0 else 0
        for size, priority in zip(numbers.size_units, numbers.priorities, strict=True)
    ]
    return VariantRules(
        given=np.array(getattr(policy.estimator, "jobs", [0] * numbers.types), np.int64),
        job_size=np.array(numbers.size_units, np.int64),
        owed=np.array(owed, np.int64),
        victims=np.array(victims, np.int32),
        period=np.array([getattr(policy, "period", np.inf)]),
        times=np.array(getattr(policy, "times", ()), np.float64),
    )


class FirstFitKernel(ReservationKernel):
    """The compiled twin of :class:`..policies.first_fit.Reference`."""

    kernel = staticmethod(first_fit.advance)

    def index(self, state: ReservationState) -> Any:
        """The servers with room for each type."""
        return first_fit.build_room_index(self.numbers, state)


class LossBestFitKernel(ReservationKernel):
    """The compiled twin of :class:`..policies.best_fit.Reference`."""

    kernel = staticmethod(best_fit.advance)

    def index(self, state: ReservationState) -> Any:
        """The loads of the servers, and the tournament trees of all types."""
        return best_fit.build_index(self.numbers, self.policy.loads, state)


class PowerOfDKernel(ReservationKernel):
    """The compiled twin of :class:`..policies.power_of_d.Reference`."""

    kernel = staticmethod(power_of_d.advance)

    def index(self, state: ReservationState) -> Any:
        """The loads of the servers, and the data for sampling."""
        policy = self.policy
        return power_of_d.build_index(self.numbers, policy.loads, state, policy.choices, policy.key)


class StaticReservationKernel(ReservationKernel):
    """The compiled twin of :class:`..policies.static_reservation.Reference`."""

    kernel = staticmethod(static_reservation.advance)

    def index(self, state: ReservationState) -> Any:
        """The servers with an empty slot of each type."""
        return static_reservation.build_index(self.numbers, self.policy.plan, state)
