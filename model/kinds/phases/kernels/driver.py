"""Drives the compiled kernels for phases: feeds them jobs and room, reads their tapes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Callable

import numpy as np

from model.engine import Advance, Reason, Task
from model.jit import compiled
from model.kinds.phases.kernels import fitting, loop, requesting
from model.kinds.phases.kernels.fits import fits_of
from model.kinds.phases.state import EVENT, NEXT_ARRIVAL, PhaseState
from model.kinds.phases.system import PhaseSystem
from model.workload import JobBlock

_REASONS = {
    loop.AT_LIMIT: Reason.LIMIT,
    loop.AT_TIME: Reason.TIME,
    loop.AT_FLAG: Reason.FLAG,
    loop.AT_END: Reason.END,
}

_NO_JOBS = JobBlock(np.empty(0), np.empty(0, np.int32), np.empty(0), np.zeros(1, np.int64))


class PhaseKernel:
    """A compiled twin of a reference; a subclass says which function, and what it keeps."""

    name = "kernel"
    keyframe_every = 10_000
    function: Callable[..., int]

    def __init__(self, system: PhaseSystem) -> None:
        self.system = system
        self.policy: Any = system.policy
        self.constant = np.zeros(loop.CONSTANTS, np.int64)
        self.constant[loop.MOST_TOKENS] = self.policy.most_tokens
        self._run = compiled(type(self).function)
        self._index: tuple[Any, ...] = ()
        self._index_of: tuple[int, int, int] | None = None

    def build(self, state: PhaseState) -> tuple[Any, ...]:
        """What the function is given beside state, tables and jobs."""
        raise TypeError(f"{type(self).__name__} builds no index")

    def advance(self, state: PhaseState, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.engine.Engine`."""
        done = np.zeros(2, np.int64)
        outcome = np.zeros(loop.OUTCOMES, np.int64)
        self.constant[loop.INITIAL_JOBS] = self.system.initial_jobs
        self.constant[loop.STOP_FLAGS] = task.stop_flags
        self.constant[loop.STRIDE] = task.stride
        self.constant[loop.EXPLAIN] = task.explain
        most = len(tape) // task.stride + 1 if task.stride else 0
        samples = np.empty((most, self.system.sample_width))
        index, jobs = self._index_for(state), self._jobs(state)
        while True:
            code = self._run(
                state, self.system.tables, *index, jobs, self.constant, float(task.until), tape,
                samples, done, outcome,
            )  # fmt: skip
            if code == loop.NEEDS_JOBS:
                jobs = self._jobs(state)
            elif code == loop.NEEDS_ROOM:
                state = self.system.prepared(state)
                index = self.build(state)
            else:
                break
        self._index, self._index_of = index, _identity(state)
        return Advance(state, int(done[0]), _REASONS[code], samples[: done[1]])

    def _index_for(self, state: PhaseState) -> tuple[Any, ...]:
        return self._index if self._index_of == _identity(state) else self.build(state)

    def _jobs(self, state: PhaseState) -> JobBlock:
        block: JobBlock | None = self.system.workload.block_at(int(state.number[NEXT_ARRIVAL]))
        self.constant[loop.LAST_BLOCK] = block is None
        return _NO_JOBS if block is None else block


class RequestingKernel(PhaseKernel):
    """The compiled twin of JRS."""

    function = staticmethod(requesting.advance)

    def build(self, state: PhaseState) -> tuple[Any, ...]:
        """The rules, and scratch: all that JRS looks at stands in the state."""
        scratch = np.zeros(self.system.numbers.phases, np.int64)
        return self.policy.rules, scratch, np.zeros(requesting.STEPS, np.int64)


class FittingKernel(PhaseKernel):
    """The compiled twin of the policies without tokens."""

    function = staticmethod(fitting.advance)

    def __init__(self, system: PhaseSystem) -> None:
        super().__init__(system)
        policy, constant = self.policy, self.constant
        constant[loop.RULE] = fitting.RULES.index(policy.name)
        constant[loop.DRAWS] = getattr(policy, "draws", 0)
        share = getattr(policy, "share", Fraction(0))
        constant[loop.SHARE_NUMERATOR] = share.numerator
        constant[loop.SHARE_DENOMINATOR] = share.denominator

    def build(self, state: PhaseState) -> tuple[Any, ...]:
        """Which servers are busy, and which have room for which type."""
        return (fits_of(state, self.policy, self.system.numbers),)


def _identity(state: PhaseState) -> tuple[int, int, int]:
    """Tells whether a state is still the one that the index was built for."""
    return id(state), int(state.number[EVENT]), int(state.trail[0])
