"""Drives compiled kernels: feeds them jobs, room and MaxReward values, and reads their tapes."""

from __future__ import annotations

from math import ceil
from typing import Any, Callable

import numpy as np

from model.engine import Advance, Reason, Task
from model.jit import compiled
from model.kinds.reservation.kernels import dra, events, first_fit
from model.kinds.reservation.kernels.index import WANTED_MASK, Configurations, Rules, build_index
from model.kinds.reservation.numbers import ReservationNumbers
from model.kinds.reservation.state import EVENT, NEXT_ARRIVAL, ReservationState, with_room
from model.kinds.reservation.system import ReservationSystem
from model.workload import JobBlock

_REASONS = {
    events.AT_LIMIT: Reason.LIMIT,
    events.AT_TIME: Reason.TIME,
    events.AT_FLAG: Reason.FLAG,
    events.AT_END: Reason.END,
}

_NO_JOBS = JobBlock(np.empty(0), np.empty(0, np.int32), np.empty(0), np.zeros(1, np.int64))


class Kernel:
    """A compiled twin of a reference; a subclass says which function and which index."""

    name = "kernel"
    keyframe_every = 10_000
    function: Callable[..., int]

    def __init__(self, system: ReservationSystem) -> None:
        numbers = system.numbers
        self.system = system
        self.numbers = numbers
        self.constant = np.r_[np.zeros(events.CONSTANTS, np.int64), numbers.capacity]
        self.constant[events.SERVERS] = numbers.servers
        self.constant[events.INITIAL_JOBS] = system.initial_jobs
        self._run = compiled(type(self).function)
        self.scratch: tuple[np.ndarray, ...] = ()
        self._index: Any = None
        self._index_of: tuple[int, int, int] | None = None

    def build(self, state: ReservationState) -> Any:
        """The index of a state."""
        raise TypeError(f"{type(self).__name__} builds no index")

    def learn(self, index: Any) -> None:
        """Provide the MaxReward value that the kernel asked for in *index*."""
        raise TypeError(f"{type(self).__name__} asks for no MaxReward")

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.engine.Engine`."""
        done = np.zeros(2, np.int64)
        outcome = np.zeros(events.OUTCOMES, np.int64)
        self.constant[events.STOP_FLAGS] = task.stop_flags
        self.constant[events.STRIDE] = task.stride
        self.constant[events.EXPLAIN] = task.explain
        most = len(tape) // task.stride + 1 if task.stride else 0
        samples = np.empty((most, self.system.sample_width))
        index = self._index_for(state)
        jobs = self._jobs(state)
        while True:
            code = self._run(
                state, index, jobs, self.constant, self.numbers.demand, float(task.until), tape,
                samples, done, outcome, *self.scratch,
            )  # fmt: skip
            if code == events.NEEDS_JOBS:
                jobs = self._jobs(state)
            elif code == events.NEEDS_ROOM:
                state = with_room(state)
            elif code == events.NEEDS_MAXIMUM:
                self.learn(index)
                index = self.build(state)
            else:
                break
        self._index, self._index_of = index, _identity(state)
        return Advance(state, int(done[0]), _REASONS[code], samples[: done[1]])

    def _index_for(self, state: ReservationState) -> Any:
        if self._index is None or self._index_of != _identity(state):
            self._index = self.build(state)
        return self._index

    def _jobs(self, state: ReservationState) -> JobBlock:
        block = self.system.workload.block_at(int(state.number[NEXT_ARRIVAL]))
        self.constant[events.LAST_BLOCK] = block is None
        return _NO_JOBS if block is None else block


class DraKernel(Kernel):
    """The compiled twin of :class:`..policies.dra.Reference` and of its variants."""

    function = staticmethod(dra.advance)

    def __init__(self, system: ReservationSystem) -> None:
        super().__init__(system)
        self.scratch = (np.zeros((3, system.numbers.types), np.int64),)
        self._known = Configurations(system.numbers.types)
        policy: Any = system.policy
        self._rules = rules_of(policy, system.numbers)
        self.constant[events.RESERVED] = policy.reserved
        self.constant[events.FITTING] = sum(
            1 << j for j, fits in enumerate(self.numbers.space.fits) if fits
        )
        self.constant[events.GIVEN] = bool(self._rules.given.any())
        self.constant[events.MIGRATES] = policy.migrates
        self.constant[events.CRA_AT_EVENTS] = policy.cra_at_events
        self.constant[events.RETRIES] = getattr(policy, "retry", False)
        self.constant[events.ENDS_WHEN_IDLE] = system.ends_when_idle

    def build(self, state: ReservationState) -> Any:
        """Lists by recency, boundaries, bit sets, and the memo of MaxReward."""
        return build_index(
            state, self._known, self.numbers.maximal, self._rules, self.numbers.greedy_set
        )

    def learn(self, index: Any) -> None:
        """Remember MaxReward over one more subset of types."""
        mask = int(index.size[WANTED_MASK]) & (2**64 - 1)
        best = self.numbers.space.max_reward(self.numbers.reward_units, mask)
        self._known.maxima[mask] = self._known.number(best)


def rules_of(policy: Any, numbers: ReservationNumbers) -> Rules:
    """What tells a variant of DRA from DRA, from its reference."""
    victims = getattr(policy, "victims", ())
    # Sizes are whole, so that what is missing of g(L) s_j may be rounded up.
    owed = [
        ceil(policy.reservation * size) if victims and priority > 0 else 0
        for size, priority in zip(numbers.size_units, numbers.priorities, strict=True)
    ]
    return Rules(
        given=np.array(getattr(policy.estimator, "jobs", [0] * numbers.types), np.int64),
        job_size=np.array(numbers.size_units, np.int64),
        owed=np.array(owed, np.int64),
        victims=np.array(victims, np.int32),
        period=np.array([getattr(policy, "period", np.inf)]),
        times=np.array(getattr(policy, "times", ()), np.float64),
    )


class FirstFitKernel(Kernel):
    """The compiled twin of :class:`model.kinds.reservation.policies.first_fit.Reference`."""

    function = staticmethod(first_fit.advance)

    def build(self, state: ReservationState) -> Any:
        """Which servers have room for which type."""
        return first_fit.build_room_index(self.numbers, state)


def _identity(state: ReservationState) -> tuple[int, int, int]:
    """Tells whether a state is still the one that the index was built for."""
    return id(state), int(state.number[EVENT]), int(state.trail[0])
