"""Runs with a user kernel, which is first checked event by event against its reference policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.errors import PolicyFileError
from slotscope.model.phrase import Phrase
from slotscope.model.policies.own.brought import BroughtKernel, KernelFailedError
from slotscope.model.policies.own.driver import OwnKernel
from slotscope.model.policies.own.twin import Ran
from slotscope.model.running.engine import Advance, Engine, Reason, Task
from slotscope.model.running.slices import SLICE_SECONDS
from slotscope.model.running.waiting import GivenUpError
from slotscope.model.systems.base import EVENT
from slotscope.model.systems.state import copied, differences

#: The number of events in which a kernel must agree with its reference before it is trusted.
CHECKED = 1000


def _never() -> bool:
    return False


class CheckedEngine:
    """The compiled engine of a user policy with its own kernel; see :class:`model.running.engine.Engine`.

    The first *checked* events, by default :data:`CHECKED`, are run one by one by both the kernel and the reference.
    If their states differ, or the kernel fails, the advance ends before that event with the fault.  From then on
    every event is checked, and the events before the fault are re-run by the reference alone.
    """

    name = "kernel"
    slice_seconds = SLICE_SECONDS
    watches = False

    def __init__(self, system: Any, reference: Engine, checked: int | None = None) -> None:
        self._system = system
        self._brought: BroughtKernel = system.policy.brought
        self._kernel: OwnKernel = self._brought.kind.engine(system)
        self.keyframe_every = self._kernel.keyframe_every
        self._reference = reference
        self._left: float = CHECKED if checked is None else checked
        self._parted = 0  #: the last event at which the kernel was found to be wrong; 0: none

    def another(self) -> None:
        """None: a user kernel may read data of its own, so there is no second engine."""

    def advance(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        """See :class:`model.running.engine.Engine`; also ends with :attr:`Reason.LIMIT` after the checked events."""
        past = max(self._parted - 1, task.past) - int(state.number[EVENT])
        if self._parted and past > 0:
            return self._reference.advance(state, tape[:past], task)
        if self._left > 0 and len(tape):
            return self._one_by_one(state, tape[: int(min(self._left, len(tape)))], task)
        before = copied(state)
        try:
            return self._kernel.advance(state, tape, task)
        except KernelFailedError as failed:
            if failed.ran.asked:
                return self._stopped(before)
            self._left = np.inf
            return self._found(before, tape, task, failed)

    def _found(self, before: Any, tape: np.ndarray, task: Task, failed: KernelFailedError) -> Advance:
        """Find the event at which the kernel fails: re-run the completed events, then go on event by event.

        If the kernel's process ended with it, the failing event is not run a second time.
        """
        past, ended = failed.events, failed.ran.ended
        state, samples = copied(before), np.zeros((0, self._system.sample_width))
        try:
            if past:
                state, past, _, samples = self._kernel.advance(state, tape[:past], task)[:4]
        except KernelFailedError as again:
            if again.ran.asked:
                return self._stopped(before)
            state, past, ended = before, 0, False  # it does not always fail at the same event
        if ended:
            result = self._one(state, tape[past : past + 1], task, failed)
        else:
            result = self._one_by_one(state, tape[past:], task)
        return result._replace(rows=past + result.rows, samples=np.concatenate((samples, result.samples)))

    def _one_by_one(self, state: Any, tape: np.ndarray, task: Task) -> Advance:
        samples = [np.zeros((0, self._system.sample_width))]
        result, place = Advance(state, 0, Reason.LIMIT), 0
        while place < len(tape) and result.reason is Reason.LIMIT:
            result = self._one(result.state, tape[place : place + 1], task)
            place += result.rows
            samples.append(result.samples)
        return result._replace(rows=place, samples=np.concatenate(samples))

    def _one(self, state: Any, row: np.ndarray, task: Task, failed: KernelFailedError | None = None) -> Advance:
        """Run one event by both; by the reference alone if the kernel is known to have *failed* there."""
        before, row_known = copied(state), row.copy()
        known = self._reference.advance(copied(state), row_known, task._replace(overtaken=_never))
        if known.fault is not None:
            return known
        try:
            if failed is not None:
                raise failed
            result = self._kernel.advance(state, row, task)
        except KernelFailedError as error:
            if error.ran.asked:
                return self._stopped(before)
            return self._ended(before, known, self._failed(before, error.ran))
        if differences(known.state, result.state):
            fault = self._differs(before, (row_known[0], known.state), (row[0], result.state))
            return self._ended(before, known, fault)
        self._left -= result.rows
        return result

    def _stopped(self, before: Any) -> Advance:
        fault = GivenUpError(Phrase("stopped within event {event}", event=int(before.number[EVENT]) + 1))
        return Advance(before, 0, Reason.FAULT, np.zeros((0, self._system.sample_width)), fault)

    def _ended(self, before: Any, known: Advance, fault: PolicyFileError) -> Advance:
        self._left, self._parted = np.inf, int(before.number[EVENT]) + 1
        return Advance(before, 0, Reason.FAULT, known.samples[:0], fault)

    def _differs(self, before: Any, known: tuple[Any, Any], found: tuple[Any, Any]) -> PolicyFileError:
        decided = self._kernel.decided
        mine, theirs = decided(before, known, found), decided(before, found, known)
        parts = differences(known[1], found[1])
        beyond = f", but with other {', '.join(parts)}" if mine == theirs else ""
        told = f"the reference decides: {mine}; the kernel: {theirs}{beyond}"
        return self._fault(before, told, self._brought.where)

    def _failed(self, before: Any, ran: Ran) -> PolicyFileError:
        said = self._kernel.refused(before) if ran.impossible else ran.said
        return self._fault(before, said, self._brought.place(ran.line))

    def _fault(self, before: Any, told: str, where: str) -> PolicyFileError:
        event = self._system.next_event(before)
        job = f"job {self._system.job_name(event.job)}, " if event is not None and event.job >= 0 else ""
        time = f" ({job}t = {event.time:.6g})" if event is not None else ""
        return PolicyFileError(f"at event {int(before.number[EVENT]) + 1}{time}: {told}", where=where)
