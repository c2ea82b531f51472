"""A system with a user policy in the policy process, which runs hundreds of events per request."""

from __future__ import annotations

from collections import deque
from functools import cache
from time import monotonic
from typing import Any, Generator, cast

import numpy as np

from slotscope.model.errors import PolicyError
from slotscope.model.kinds.spec import kind_named
from slotscope.model.policies.own.guard import GuardedPolicy
from slotscope.model.policies.own.kind import Occasion, kind_of
from slotscope.model.policies.own.loaded import Loaded, Source
from slotscope.model.policies.own.mirror import NOTHING, Changes, Mirror
from slotscope.model.policies.own.policy import OwnPolicy
from slotscope.model.policies.own.shown import Shown
from slotscope.model.policies.own.wire import BLOCKS, NearAdvance, SystemParts, copied_apart, is_fixed, told
from slotscope.model.reporting.records import Record
from slotscope.model.running.engine import Advance, Reason, ReferenceEngine, Task
from slotscope.model.running.waiting import GivenUpError
from slotscope.model.systems.view import PolicyView


class MissingJobsError(Exception):
    """An arrival is needed whose block of jobs was not sent."""


class SentJobs:
    """A workload made of the blocks that the program has sent; a block None marks the end."""

    def __init__(self) -> None:
        self._blocks: deque[Any] = deque(maxlen=BLOCKS)

    def take(self, blocks: tuple[Any, ...]) -> None:
        """Add blocks."""
        self._blocks.extend(blocks)

    def block_at(self, arrival: int) -> Any:
        """See :class:`model.scenario.workload.Workload`. Raises MissingJobsError if that block was not sent."""
        for block in self._blocks:
            if block is not None and 0 <= arrival - int(block.first[0]) < len(block.time):
                return block
        if None in self._blocks:
            return None
        raise MissingJobsError


class NearPolicy(OwnPolicy):
    """A user policy called in its own process, under the guard *guarded*."""

    def __init__(self, source: Source, loaded: Loaded, guarded: GuardedPolicy) -> None:
        super().__init__(source, loaded)
        self.made(guarded.attributes)
        self.guarded, self.shown = guarded, Shown()

    def called(self, occasion: Occasion, view: PolicyView, *arguments: Any) -> Generator[Record, None, None]:
        """See :class:`.policy.OwnPolicy`; arguments beside the state are copied, as when sent through pipes."""
        guarded, shown = self.guarded, self.shown
        shown.look_at(view._state)
        given = arguments if is_fixed(arguments) else copied_apart(arguments)
        call = guarded.called(occasion, shown, view, given)
        try:
            for record in guarded.steps(call, told=False):
                try:
                    yield record
                except PolicyError as error:  # the system refuses the decision
                    raise call.fault(error.message) from None
                if type(record) is not Record:
                    shown.look_at(view._state)
        except BaseException:
            guarded.left(call)
            raise


class NearRun:
    """A system with a user policy, in the policy process.

    The *rows* of its events are written to shared memory: if the process ends, they tell how many events had happened.
    """

    def __init__(
        self, source: Source, loaded: Loaded, guarded: GuardedPolicy, parts: SystemParts, rows: np.ndarray
    ) -> None:
        kind = kind_named(parts.scenario.system)
        policy: NearPolicy = near(cast(Any, kind_of(loaded.system).base))(source, loaded, guarded)
        self._jobs, self._mirror = SentJobs(), Mirror()
        self._system = kind.system(parts.scenario, guarded.real, self._jobs, policy)
        self._system.rename_jobs(parts.initial_jobs, parts.names)
        self._rows = rows.view(self._system.row_dtype)
        self._engine, self._guarded, self._shown = ReferenceEngine(self._system, keeps=False), guarded, policy.shown

    def advance(
        self, changes: Changes, blocks: tuple[Any, ...], events: int, task: Task, seconds: float
    ) -> NearAdvance:
        """Run at most *events* events: those that *seconds* suffice for, before the first whose jobs are missing.

        If the policy fails, the events before the failure are re-run, which costs less than keeping every state.
        """
        self._jobs.take(blocks)
        tape, until = self._rows[:events], monotonic() + seconds
        in_time = task._replace(overtaken=lambda: monotonic() > until)
        self._mirror.learn(changes)
        fault = None
        try:
            result: Advance | None = self._engine.advance(self._before(), tape, in_time)
        except (PolicyError, GivenUpError, MissingJobsError) as error:
            result = self._again(tape[: np.count_nonzero(tape["event"])], task)
            if isinstance(error, PolicyError) and result is not None:
                fault, result = told(error), result._replace(reason=Reason.FAULT)
        if result is None:
            return NearAdvance(0, np.zeros((0, self._system.sample_width)), Reason.LIMIT, NOTHING, None)
        return NearAdvance(result.rows, result.samples, result.reason, self._mirror.changes(result.state), fault)

    def _before(self) -> Any:
        """The state last received from the program, in memory where the policy sees its changes."""
        return self._shown.hold(self._mirror.whole)

    def _again(self, tape: np.ndarray, task: Task) -> Advance | None:
        """Re-run the events; None if the policy now fails at one of them."""
        self._guarded.renew()
        try:
            return self._engine.advance(self._before(), tape, task)
        except PolicyError:
            return None


@cache
def near(base: Any) -> Any:
    """The class of policies called in their process for a kind of system, derived from the kind's *base*."""
    return type("NearPolicy", (NearPolicy, base), {})
