"""Drives a compiled kernel: feeds it jobs, room and MaxReward values, and reads its tape."""

from __future__ import annotations

from typing import Any

import numpy as np

from model.engine import Advance, Reason, Task
from model.jit import compiled
from model.kernels import dra
from model.kernels.index import WANTED_MASK, Configurations, Index, build_index
from model.systems.reservation.state import EVENT, NEXT_ARRIVAL, ReservationState, with_room
from model.systems.reservation.system import ReservationSystem
from model.workload import JobBlock

_REASONS = {
    dra.AT_LIMIT: Reason.LIMIT,
    dra.AT_TIME: Reason.TIME,
    dra.AT_FLAG: Reason.FLAG,
    dra.AT_END: Reason.END,
}

_NO_JOBS = JobBlock(np.empty(0), np.empty(0, np.int32), np.empty(0), np.zeros(1, np.int64))


class DraKernel:
    """The compiled twin of :class:`model.policies.dra.Reference`."""

    name = "kernel"

    def __init__(self, system: ReservationSystem) -> None:
        self._system = system
        self._numbers = system.numbers
        self._run = compiled(dra.advance)
        self._known = Configurations(system.numbers.types)
        self._index: Index | None = None
        self._index_of: tuple[int, int, int] | None = None
        self._scratch = np.zeros((3, system.numbers.types), np.int64)
        self._constant = np.r_[np.zeros(dra.CONSTANTS, np.int64), system.numbers.capacity]
        self._constant[dra.SERVERS] = system.numbers.servers
        self._constant[dra.RESERVED] = system.policy.reserved  # type: ignore[attr-defined]
        self._constant[dra.INITIAL_JOBS] = len(system.starting)
        self._constant[dra.FITTING] = sum(
            1 << j for j, fits in enumerate(system.numbers.space.fits) if fits
        )

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.engine.Engine`."""
        done = np.zeros(2, np.int64)
        outcome = np.zeros(dra.OUTCOMES, np.int64)
        self._constant[dra.STOP_FLAGS] = task.stop_flags
        self._constant[dra.STRIDE] = task.stride
        self._constant[dra.EXPLAIN] = task.explain
        most = len(tape) // task.stride + 1 if task.stride else 0
        samples = np.empty((most, self._system.sample_width))
        index = self._index_for(state)
        jobs = self._jobs(state)
        while True:
            code = self._run(
                state, index, jobs, self._constant, self._numbers.demand, task.until, tape,
                samples, done, outcome, self._scratch,
            )  # fmt: skip
            if code == dra.NEEDS_JOBS:
                jobs = self._jobs(state)
            elif code == dra.NEEDS_ROOM:
                state = with_room(state)
            elif code == dra.NEEDS_MAXIMUM:
                index = self._learn(state, int(index.size[WANTED_MASK]))
            else:
                break
        self._index, self._index_of = index, _identity(state)
        return Advance(state, int(done[0]), _REASONS[code], samples[: done[1]])

    def _index_for(self, state: ReservationState) -> Index:
        if self._index is None or self._index_of != _identity(state):
            self._index = build_index(state, self._known)
        return self._index

    def _jobs(self, state: ReservationState) -> JobBlock:
        block = self._system.workload.block_at(int(state.number[NEXT_ARRIVAL]))
        self._constant[dra.LAST_BLOCK] = block is None
        return _NO_JOBS if block is None else block

    def _learn(self, state: ReservationState, mask: int) -> Index:
        mask &= 2**64 - 1
        best = self._numbers.space.max_reward(self._numbers.reward_units, mask)
        self._known.maxima[mask] = self._known.number(best)
        return build_index(state, self._known)


def _identity(state: ReservationState) -> tuple[int, int, int]:
    """Tells whether a state is still the one that the index was built for."""
    return id(state), int(state.number[EVENT]), int(state.trail[0])


__all__ = ["DraKernel"]
