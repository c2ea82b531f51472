"""Runs an experiment part by part; what is finished is kept, and a run can stop and resume at any moment.

This module neither prints nor handles signals: a command, or a thread of the window, watches it
through ``progress`` and ``partial`` and stops it through ``cancelled``.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from time import monotonic
from types import MappingProxyType
from typing import Callable, Sequence

from slotscope.model.errors import UserError
from slotscope.model.lab.executor import Cancelled, Executor, ThisProcess
from slotscope.model.lab.parts import Outcome, Part
from slotscope.model.lab.plan import NO_OPTIONS, Options, Outcomes, Plan, result_of
from slotscope.model.lab.results import Result
from slotscope.model.lab.store import Store


@dataclass(frozen=True)
class Status:
    """The progress of an experiment."""

    #: done, total: numbers of parts
    done: int
    total: int
    kept: int  #: parts among *done* that an earlier run has finished
    share: float  #: of the whole work, from 0 to 1, with parts weighted by their length
    seconds_left: float | None  #: an estimate, None while there is no data for one


class StoppedError(UserError):
    """An experiment was stopped; its finished parts are kept."""


def _ignore(*_: object) -> None:
    """A callback that does nothing."""


def _never() -> bool:
    return False


def run_plan(
    plan: Plan,
    scale: str = "quick",
    options: Options = NO_OPTIONS,
    executor: Executor | None = None,
    store: Store | None = None,
    progress: Callable[[Status], None] = _ignore,
    cancelled: Cancelled = _never,
    partial: Callable[[int, int, Outcomes], None] = _ignore,
) -> Result:
    """Run the parts of *plan* that are not finished yet.

    The result depends only on the plan, the scale and the options: neither on the executor, nor on
    what the store already held.

    - *executor*: Runs the parts; by default this process, one after the other.
    - *store*: Keeps finished parts; None keeps nothing.
    - *progress*: Called at the start and after each part.
    - *cancelled*: Called several times a second (by :class:`ThisProcess` between parts).
    - *partial*: Called at the start and after each part: (parts done, parts in total, outcomes so far). The outcomes
      are a copy that the callee may keep; ``plan.result`` makes a result of them.

    Raises StoppedError once *cancelled* returns True, with finished parts kept in the store; UserError if a part
    cannot be run or kept.
    """
    parts = plan.parts(scale, options)
    outcomes = kept_outcomes(parts, store)
    executor = executor or ThisProcess()
    watch = _Watch(parts, outcomes, executor.abreast)

    def tell() -> None:
        progress(watch.status(outcomes))
        partial(len(outcomes), len(parts), MappingProxyType(dict(outcomes)))

    tell()
    waiting = [part for part in parts if part not in outcomes]
    with closing(executor.run(waiting, cancelled)) as finished:
        for part, outcome in finished:
            if store is not None:
                store.add(part, outcome)
            outcomes[part] = outcome
            tell()
    if len(outcomes) < len(parts):
        kept = f", which are kept in {store.path}" if store is not None and outcomes else ""
        raise StoppedError(f"stopped after {len(outcomes)} of {len(parts)} parts{kept}")
    return result_of(plan, scale, options, outcomes)


def kept_outcomes(parts: Sequence[Part], store: Store | None) -> dict[Part, Outcome]:
    """The outcomes of those *parts* that *store* holds; empty without a store."""
    if store is None:
        return {}
    return {part: store.outcome(part) for part in parts if store.holds(part)}


class _Watch:
    """Estimates the time left from the lengths of the parts that this run has finished.

    The first part runs alone and may have to compile: it is used only until a second one is finished.
    """

    def __init__(self, parts: Sequence[Part], kept: Outcomes, abreast: int) -> None:
        self._total = len(parts)
        self._length = sum(part.length for part in parts) or 1.0
        self._kept = len(kept)
        self._kept_length = sum(part.length for part in kept)
        self._abreast = abreast
        self._start = monotonic()
        self._first = (0.0, 0.0)  # (seconds until the first part was finished, its length)

    def status(self, outcomes: Outcomes) -> Status:
        length = sum(part.length for part in outcomes)
        mine, passed = length - self._kept_length, monotonic() - self._start
        left = None
        if mine > 0:
            if not self._first[1]:
                self._first = passed, mine
            left = self._left(mine, passed, max(self._length - length, 0.0))
        return Status(len(outcomes), self._total, self._kept, min(length / self._length, 1.0), left)

    def _left(self, mine: float, passed: float, remaining: float) -> float:
        """Seconds for the *remaining* length; *passed* are the seconds in which the length *mine* was done."""
        alone, first = self._first
        if mine == first or passed == alone:
            return passed * remaining / (mine * self._abreast)
        in_hand = min((self._abreast - 1) * self._length / self._total, remaining) / 2
        return (passed - alone) * (remaining - in_hand) / (mine - first + in_hand)
