"""Runs an experiment part by part, keeps what is finished, and can stop and go on at any moment.

Nothing here prints or handles signals: a command, or a thread of the window, watches through
``progress`` and ``partial`` and stops it through ``cancelled``.
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
    """How far an experiment is."""

    #: done, total: parts
    done: int
    total: int
    kept: int  #: parts among *done* that were finished by an earlier run
    share: float  #: of the whole work, from 0 to 1; parts count by their length
    seconds_left: float | None  #: an estimate, None before there is anything to estimate from


class StoppedError(UserError):
    """An experiment was stopped; what is finished is kept."""


def _ignore(*_: object) -> None:
    """For those who do not want to know."""


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
    """Carry out the parts of *plan* that are not finished yet.

    The result depends on nothing but the plan, the scale and the options: neither on the
    executor, nor on what the store already held.

    - *executor*: Who does the work; by default this process, part after part.
    - *store*: Where finished parts are kept and found; None keeps nothing.
    - *progress*: Told at the start and after each part.
    - *cancelled*: Asked several times a second (by :class:`ThisProcess` between parts).
    - *partial*: Called at the start and after each part with how many parts are done, of how many, and their
      outcomes, which are the callee's to keep: ``plan.result`` makes a result of them.

    Raises StoppedError once *cancelled* says so; finished parts stay in the store; UserError if a part cannot be
    carried out or kept.
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
    """What *store* holds of some parts; nothing without a store."""
    if store is None:
        return {}
    return {part: store.outcome(part) for part in parts if store.holds(part)}


class _Watch:
    """Estimates the time left from the lengths of the parts that this run has finished.

    The first one, which goes alone and may have to compile, tells only until there is another.
    """

    def __init__(self, parts: Sequence[Part], kept: Outcomes, abreast: int) -> None:
        self._total = len(parts)
        self._length = sum(part.length for part in parts) or 1.0
        self._kept = len(kept)
        self._kept_length = sum(part.length for part in kept)
        self._abreast = abreast
        self._start = monotonic()
        self._first = (0.0, 0.0)  # when the first part was finished, and how long it is

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
        """Seconds for a remaining length, after so many in which *mine* was done."""
        alone, first = self._first
        if mine == first or passed == alone:
            return passed * remaining / (mine * self._abreast)
        in_hand = min((self._abreast - 1) * self._length / self._total, remaining) / 2
        return (passed - alone) * (remaining - in_hand) / (mine - first + in_hand)
