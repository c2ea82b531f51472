"""The main loop of the policy process: it answers the program's requests, one at a time."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
from contextlib import suppress
from importlib import invalidate_caches
from io import FileIO, TextIOWrapper
from operator import attrgetter
from pathlib import Path
from time import monotonic
from traceback import format_exc
from typing import Any, BinaryIO, Callable, Iterator, cast

from slotscope.model.errors import PolicyError, PolicyFileError, UserError
from slotscope.model.policies.own import limits, watch
from slotscope.model.policies.own.call import Call
from slotscope.model.policies.own.ending import OUT_OF_MEMORY, end, stay_one, tell_ends
from slotscope.model.policies.own.faults import said_by
from slotscope.model.policies.own.guard import GuardedPolicy
from slotscope.model.policies.own.loaded import Loaded, PolicyClass, Source
from slotscope.model.policies.own.mirror import Changes
from slotscope.model.policies.own.near import NearRun
from slotscope.model.policies.own.shared import mapped
from slotscope.model.policies.own.shown import Shown
from slotscope.model.policies.own.twin import Kernels
from slotscope.model.policies.own.watch import CodeStoppedError
from slotscope.model.policies.own.wire import (
    Answer,
    Batch,
    NearAdvance,
    Query,
    SystemParts,
    ViewPart,
    packed,
    put,
    take,
    told,
)
from slotscope.model.reporting.records import Record
from slotscope.model.running.engine import Task

#: The prctl option of Linux that sets the signal sent to a process when its parent ends.
_PR_SET_PDEATHSIG = 1


class Policies:
    """The state of the process; each public method is a verb of :class:`.wire.Query`, as are those of ``kernels``."""

    def __init__(self) -> None:
        self.kernels = Kernels()
        self._policies: dict[int, GuardedPolicy] = {}
        self._shown: dict[tuple[int, int], Shown] = {}
        self._calls: dict[tuple[int, int], tuple[Call, Iterator[Record]]] = {}
        self._runs: dict[int, NearRun] = {}

    def load(self, source: Source) -> Loaded:
        """What a file declares about its policy."""
        return PolicyClass.of(source).loaded

    def validate(self, source: Source, given: dict[str, Any]) -> dict[str, Any]:
        """The parameters as parsed by the file's schema, as plain data."""
        return PolicyClass.of(source).validated(given).model_dump(mode="json")

    def make(self, source: Source, policy: int, numbers: Any, given: dict[str, Any]) -> dict[str, Any]:
        """Make a policy for a scenario; return the attributes that the program needs."""
        self._policies[policy] = made = PolicyClass.of(source).made(numbers, given)
        return made.attributes

    def renew(self, policy: int, _event: int) -> None:
        """Execute a policy's file anew if what it has changed cannot be undone otherwise."""
        self._policies[policy].renew()

    def begin(
        self,
        policy: int,
        event: int,
        patience: float,
        changes: Changes,
        occasion: str,
        part: ViewPart,
        arguments: tuple[Any, ...],
    ) -> Batch:
        """Call a policy on an occasion; *event* identifies what it is shown.

        Returns the records up to its next decision, or those of *patience* seconds.
        """
        guarded, place = self._policies[policy], (policy, event)
        shown = self._shown.setdefault(place, Shown())
        shown.follow(changes)
        (known,) = (one for one in guarded.kind.occasions if one.name == occasion)
        call = guarded.called(known, shown, part, arguments)
        self._calls[place] = call, guarded.steps(call)
        return self._batch(place, patience)

    def go_on(self, policy: int, event: int, patience: float, changes: Changes) -> Batch:
        """Resume the policy after a decision that has changed the state by *changes*."""
        self._shown[policy, event].follow(changes)
        return self._batch((policy, event), patience)

    def refuse(self, policy: int, event: int, why: str) -> None:
        """Raise PolicyFileError: the last decision is impossible, *why* says the reason."""
        raise self._calls[policy, event][0].fault(why)

    def ready(self, policy: int, source: Source, parts: SystemParts, path: str) -> None:
        """Set up a system in this process that a policy runs in; it writes its rows to the file at *path*."""
        self._runs[policy] = NearRun(source, self.load(source), self._policies[policy], parts, mapped(path))

    def run(
        self, policy: int, changes: Changes, blocks: tuple[Any, ...], events: int, task: Task, seconds: float
    ) -> NearAdvance:
        """Run events in that system, see :meth:`.near.NearRun.advance`."""
        self._policies[policy].renew()
        return self._runs[policy].advance(changes, blocks, events, task, seconds)

    def drop(self, policy: int, event: int | None) -> None:
        """Forget a policy, or one of its events that was abandoned halfway."""
        gone = [place for place in self._shown if place == (policy, event) or (event is None and place[0] == policy)]
        for place in gone:
            call, _ = self._calls.pop(place, (None, None))
            if call is not None:
                self._policies[policy].left(call)
            del self._shown[place]
        if event is None:
            self._policies.pop(policy, None)
            self._runs.pop(policy, None)
            self.kernels.drop(policy)

    def _batch(self, place: tuple[int, int], patience: float) -> Batch:
        call, steps = self._calls[place]
        found: list[tuple[Any, ...]] = []
        until = monotonic() + patience
        try:
            for record in steps:
                found.append(packed(record))
                if type(record) is not Record or monotonic() > until:
                    return Batch(found, call.line, False)
        except PolicyError as error:
            return Batch(found, call.line, True, told(error))
        del self._calls[place]
        return Batch(found, call.line, True)


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until the program is gone."""
    policies = Policies()
    put(answers, Answer())
    with suppress(EOFError, OSError):
        while True:
            request: Query = take(requests)
            if request.limits is not None:
                limits.put_in_force(request.limits)
            if request.path is not None:
                sys.path[:] = request.path
                invalidate_caches()
            if request.asked:
                watch.interrupt()
            for policy, event in request.dropped:
                policies.drop(policy, event)
            answer = _answer(attrgetter(request.verb)(policies), request.arguments)
            try:
                put(answers, answer)
            except (pickle.PicklingError, AttributeError, TypeError, ValueError) as error:
                fault = PolicyFileError(f"it has what cannot leave its process: {said_by(error)}")
                put(answers, Answer(fault=told(fault)))


def _answer(verb: Callable[..., Any], arguments: tuple[Any, ...]) -> Answer:
    try:
        return Answer(verb(*arguments))
    except UserError as error:
        return Answer(fault=told(error), spoilt=isinstance(error.__cause__, CodeStoppedError))
    except MemoryError:
        end(OUT_OF_MEMORY)
    except Exception:
        return Answer(broken=format_exc())


def main(parent: int) -> None:
    """Serve the program with the process number *parent*, through the pipes at standard input and output."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)  # what a policy prints must not go to the answers
    unbuffered = FileIO(2, "wb", closefd=False)  # so that output before a crash is not lost
    sys.stdout = sys.stderr = TextIOWrapper(cast("BinaryIO", unbuffered), "utf-8", "replace", write_through=True)
    _end_with(parent)
    signal.signal(signal.SIGINT, lambda *_: watch.interrupt())
    tell_ends()
    stay_one()
    serve(requests, answers)
    end(0)  # without waiting for threads that a policy started


def _end_with(parent: int) -> None:
    """End with the program, even while C code hangs; be the first to be killed if the machine runs out of memory."""
    with suppress(Exception):  # Linux only
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        Path("/proc/self/oom_score_adj").write_text("1000")
    if os.name == "posix" and os.getppid() != parent:
        end(0)
