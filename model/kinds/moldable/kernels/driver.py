"""Drives the compiled kernel for moldable jobs: feeds it jobs and reads its tape."""

from __future__ import annotations

import numpy as np

from model.engine import Advance, Reason, Task
from model.jit import compiled
from model.kinds.moldable.kernels import loop
from model.kinds.moldable.kernels.calendar import Calendar, calendar_of
from model.kinds.moldable.state import EVENT, NEXT_ARRIVAL, MoldableState
from model.kinds.moldable.system import MoldableSystem
from model.workload import JobBlock

_REASONS = {
    loop.AT_LIMIT: Reason.LIMIT,
    loop.AT_TIME: Reason.TIME,
    loop.AT_FLAG: Reason.FLAG,
    loop.AT_END: Reason.END,
}

_NO_JOBS = JobBlock(np.empty(0), np.empty(0, np.int32), np.empty(0), np.zeros(1, np.int64))


class MoldableKernel:
    """The compiled twin of every policy for moldable jobs."""

    name = "kernel"
    keyframe_every = 10_000

    def __init__(self, system: MoldableSystem) -> None:
        self.system = system
        self.constant = np.zeros(loop.CONSTANTS, np.int64)
        self._run = compiled(loop.advance)
        self._rate = system.numbers.rate or 1.0
        self._calendar: Calendar | None = None
        self._calendar_of: tuple[int, int, int] | None = None

    def advance(self, state: MoldableState, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.engine.Engine`."""
        system, constant = self.system, self.constant
        done = np.zeros(2, np.int64)
        constant[loop.INITIAL_JOBS] = system.initial_jobs
        constant[loop.STOP_FLAGS] = task.stop_flags
        constant[loop.STRIDE] = task.stride
        most = len(tape) // task.stride + 1 if task.stride else 0
        samples = np.empty((most, system.sample_width))
        calendar = self._calendar
        if calendar is None or self._calendar_of != _identity(state):
            calendar = calendar_of(state, self._rate)
        code = loop.NEEDS_JOBS
        while code == loop.NEEDS_JOBS:
            code = self._run(
                state, system.tables, system.rules, calendar, self._jobs(state), constant,
                float(task.until), tape, samples, done,
            )  # fmt: skip
        self._calendar, self._calendar_of = calendar, _identity(state)
        return Advance(state, int(done[0]), _REASONS[code], samples[: done[1]])

    def _jobs(self, state: MoldableState) -> JobBlock:
        block: JobBlock | None = self.system.workload.block_at(int(state.number[NEXT_ARRIVAL]))
        self.constant[loop.LAST_BLOCK] = block is None
        return _NO_JOBS if block is None else block


def _identity(state: MoldableState) -> tuple[int, int, int]:
    """Tells whether a state is still the one that the calendar was made for."""
    return id(state), int(state.number[EVENT]), int(state.trail[0])
