"""A run whose decisions are answered from outside, one at a time: what an environment of reinforcement learning is.

The policy of such a run stops its event in the middle, with a sub-step of the kind :data:`ASKED`, and
goes on with an answer.  Each room has one, ``answered.py``, which says what is observed, what is
allowed, and what is earned in the sense of its paper.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.forks.overruled import under
from slotscope.model.kinds.rooms import ROOMS
from slotscope.model.reporting.records import Record
from slotscope.model.scenario.load import Scenario
from slotscope.model.session.bench import open_bench
from slotscope.model.systems.view import NOW

#: The kind of the sub-step at which a policy waits for its answer.
ASKED = "asked"


class Answered:
    """What a policy whose decisions are answered has, beside the base class of its kind."""

    stands_for: str  #: a policy of its kind, whose settings it takes
    actions: int  #: answers are 0 ... actions - 1.
    observed: int  #: numbers in an observation, each from 0 to 1
    otherwise: int  #: what an answer that is not allowed counts as
    answer: int = 0  #: the last one
    earned: float = 0.0  #: at once by decisions, beside :attr:`rate`, since it was last taken
    observation: NDArray[np.float32]  #: [observed] at the present question
    allowed: NDArray[np.bool_]  #: [actions] at the present question
    rate: Callable[[Any], float]  #: what is earned in a unit of time in which the state stays as it is

    def question(self, observation: Sequence[Any], allowed: NDArray[np.bool_]) -> Iterator[Record]:
        """Wait for an answer; afterwards :attr:`answer` is one that is allowed."""
        flat = np.concatenate([np.ravel(part) for part in observation])
        self.observation, self.allowed = np.clip(flat, 0, 1).astype(np.float32), allowed
        yield Record(ASKED, None, {})
        if not allowed[self.answer]:
            self.answer = self.otherwise


def squashed(count: Any) -> Any:
    """A count from 0 on as a number in [0, 1): n / (1 + n)."""
    return np.asarray(count) / (1.0 + np.asarray(count))


def one_of(number: int, count: int) -> NDArray[np.float64]:
    """[count] all 0, but 1 at *number*."""
    return np.asarray(np.eye(count)[number])


class AnsweredRun:
    """A scenario that runs from question to question."""

    def __init__(self, scenario: Scenario, seed: int, trace: tuple[str, ...] = ()) -> None:
        module, name = ROOMS[scenario.system].answered
        answered = getattr(import_module(module), name)
        bench = open_bench(scenario, answered.stands_for, seed, trace)
        self.policy: Any = answered(bench.numbers, bench.system.policy)  #: with the present question
        self.policy.observation = np.zeros(self.policy.observed, np.float32)
        self.policy.allowed = np.arange(self.policy.actions) == self.policy.otherwise
        self._system = under(bench.system, self.policy)
        self._state = self._system.prepared(self._system.raw_state())
        for _ in self._system.start(self._state):
            pass
        self._records: Iterator[Record] = iter(())
        self.events = 0  #: of the run so far

    @property
    def time(self) -> float:
        """Of the present event."""
        return float(self._state.clock[NOW])

    def onward(self, answer: int | None = None) -> tuple[float, bool]:
        """Give the answer, and run to the next question: what was earned on the way, and whether none follows.

        Raises UserError if the run cannot go on.
        """
        if answer is not None:
            self.policy.answer = answer
        earned = 0.0
        while not any(record.kind == ASKED for record in self._records):
            self._state = self._system.prepared(self._state)
            event = self._system.next_event(self._state)
            if event is None:
                return earned + self._taken(), True
            earned += self.policy.rate(self._state) * (event.time - self.time)
            self._records = self._system.run(self._state, event, np.zeros(1, self._system.row_dtype))
            self.events += 1
        return earned + self._taken(), False

    def _taken(self) -> float:
        earned, self.policy.earned = self.policy.earned, 0.0
        return float(earned)
