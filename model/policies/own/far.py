"""The engine of user policies: it runs hundreds of events per request in the policy process."""

from __future__ import annotations

from collections import deque
from operator import is_
from typing import Any, cast

import numpy as np

from slotscope.model.policies.own import limits
from slotscope.model.policies.own.host import HOST, Child, LostError
from slotscope.model.policies.own.hosted import HostedPolicy
from slotscope.model.policies.own.mirror import Mirror
from slotscope.model.policies.own.shared import shared_with
from slotscope.model.policies.own.wire import BLOCKS, NearAdvance, SystemParts, error_of
from slotscope.model.running.engine import Advance, Reason, ReferenceEngine, Task
from slotscope.model.running.slices import Slices
from slotscope.model.systems.base import EVENT, NEXT_ARRIVAL, PolicySystem

#: Seconds that one request should take: long enough to be worth its overhead, short enough to stop between two.
REQUEST = 0.05

#: The most events of one request.
MOST = 1024


class FarEngine(ReferenceEngine):
    """Runs a user policy; see :class:`model.running.engine.Engine`.

    Each request runs a batch of events in the policy process, where a copy of the system calls the policy directly.
    A slow event, and the events of a batch during which that process ends, are run by this process's system
    instead, which requests their sub-steps one by one: so progress is reported, the user can stop the event, and
    the line and event that ended the process are known.
    """

    slice_seconds = REQUEST

    def __init__(self, system: PolicySystem) -> None:
        super().__init__(system)
        self._near, self._policy = system, cast("HostedPolicy", system.policy)
        self._slices = Slices(seconds=REQUEST)
        self._child: Child | None = None  # the process that has such a system, in the mirror's state
        self._told: Any = None  # the replaceable parts of this system that were last sent to it
        self._mirror, self._sent = Mirror(), deque[int | None](maxlen=BLOCKS)
        self._rows = np.zeros(0, system.row_dtype)  # in memory that both processes share

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.running.engine.Engine`."""
        result, rows, samples = self._some(state, tape, task), 0, []
        while True:
            rows += result.rows
            samples.append(result.samples)
            going_on = result.reason is Reason.LIMIT and result.rows and rows < len(tape)
            if not going_on or task.overtaken():
                return result._replace(rows=rows, samples=np.concatenate(samples))
            result = self._some(result.state, tape[rows:], task)

    def _some(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """Run as many events as one request does."""
        if self._slow or not len(tape):
            return super().advance(state, tape[:1], task)
        result = Advance(state, 0, Reason.LIMIT)

        def run(room: int) -> int:
            nonlocal result
            result = self._requested(state, tape[:room], task)
            return result.rows

        try:
            self._slices.take(run)
        except LostError as lost:
            return self._lost(state, tape, task, lost)
        if not result.rows and result.reason is Reason.LIMIT:
            return super().advance(state, tape[:1], task)
        return result

    def _lost(self, state: Any, tape: np.ndarray, task: Task, lost: LostError) -> Advance:
        """Re-run the events in single steps, up to the one in which the process ended; after Esc run none again."""
        past = int(np.count_nonzero(self._rows["event"]))
        ended_after = int(state.number[EVENT]) + past
        if lost.asked:
            none = np.zeros((0, self._near.sample_width))
            return Advance(state, 0, Reason.FAULT, none, self._policy.left_in(ended_after, lost))
        self._policy.note_end(ended_after, lost)
        return super().advance(state, tape[: past + 1], task)

    def _requested(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """Run the events in the policy process."""
        policy, seconds = self._policy, limits.LIMITS.seconds + REQUEST
        with HOST.lock:
            self._rows[:] = np.zeros((), tape.dtype)
            child = HOST.child
            self._prepare(child)
            self._child = None  # until both sides are known to be in step again
            events = min(len(tape), len(self._rows))
            told = self._mirror.changes(state), self._jobs(state, events), events, _plain(task), REQUEST
            stretch: NearAdvance = HOST.ask("run", policy.number, *told, seconds=seconds, of=child)
            after, self._child = self._mirror.follow(stretch.changes), child
        tape[: stretch.rows] = self._rows[: stretch.rows]
        policy.renewed |= stretch.fault is not None
        fault = None if stretch.fault is None else error_of(stretch.fault)
        return Advance(after, stretch.rows, stretch.reason, stretch.samples, fault)

    def _prepare(self, child: Child) -> None:
        """Set up a system like this one in the process *child*, unless it is there."""
        system, policy = self._near, self._policy
        exchanged = system.workload, system.names, system.initial_jobs
        if child is self._child and all(map(is_, exchanged, self._told)):
            return
        policy.stand_in(child)
        parts = SystemParts(system.scenario, system.initial_jobs, system.job_names())

        def tell(path: str) -> None:
            seconds = limits.LIMITS.seconds_to_load
            HOST.ask("ready", policy.number, policy.source, parts, path, seconds=seconds, of=child)

        rows = shared_with(tell, MOST * system.row_dtype.itemsize)
        self._rows, self._told = rows.view(system.row_dtype), exchanged
        self._mirror, self._sent = Mirror(), deque(maxlen=BLOCKS)

    def _jobs(self, state: Any, events: int) -> tuple[Any, ...]:
        """The blocks of the workload that the next events may need and that the process does not have yet."""
        arrival = int(state.number[NEXT_ARRIVAL])
        blocks = [self._near.workload.block_at(arrival)]
        if blocks[0] is not None and arrival + events >= blocks[0].end:
            blocks.append(self._near.workload.block_at(blocks[0].end))
        found = []
        for block in blocks:
            start = None if block is None else int(block.first[0])
            if start not in self._sent:
                self._sent.append(start)
                found.append(block)
        return tuple(found)


def _plain(task: Task) -> Task:
    """The parts of a task that can be sent to another process."""
    return Task(task.until, task.stop_flags, task.stride, task.explain)
