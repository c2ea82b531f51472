"""A run whose decisions are made from outside, one at a time, as an environment of reinforcement learning needs it.

The policy of such a run pauses in the middle of an event, with a sub-step of the kind :data:`ASKED`, and goes on with
an answer.  Each room has such a policy in ``answered.py``, which defines observations, allowed actions, and the reward
in the sense of its paper.
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
    """The mixin of a policy whose decisions are answered from outside."""

    stands_for: str  #: a policy of its kind, whose parameters it takes
    actions: int  #: answers are 0 ... actions - 1.
    observed: int  #: the length of an observation, whose numbers are from 0 to 1
    otherwise: int  #: the answer taken in place of one that is not allowed
    answer: int = 0  #: the last answer
    earned: float = 0.0  #: the immediate rewards of decisions, beside :attr:`rate`, since they were last collected
    observation: NDArray[np.float32]  #: [observed] at the present question
    allowed: NDArray[np.bool_]  #: [actions] the mask of allowed actions at the present question
    rate: Callable[[Any], float]  #: the reward per unit of time while the state stays as it is

    def question(self, observation: Sequence[Any], allowed: NDArray[np.bool_]) -> Iterator[Record]:
        """Pause for an answer; afterwards :attr:`answer` is an allowed one."""
        flat = np.concatenate([np.ravel(part) for part in observation])
        self.observation, self.allowed = np.clip(flat, 0, 1).astype(np.float32), allowed
        yield Record(ASKED, None, {})
        if not allowed[self.answer]:
            self.answer = self.otherwise


def squashed(count: Any) -> Any:
    """Map a count n >= 0 to [0, 1): n / (1 + n)."""
    return np.asarray(count) / (1.0 + np.asarray(count))


def one_of(number: int, count: int) -> NDArray[np.float64]:
    """[count] the one-hot encoding of *number*."""
    return np.asarray(np.eye(count)[number])


class AnsweredRun:
    """A run of a scenario that advances from question to question."""

    def __init__(self, scenario: Scenario, seed: int, trace: tuple[str, ...] = ()) -> None:
        module, name = ROOMS[scenario.system].answered
        answered = getattr(import_module(module), name)
        bench = open_bench(scenario, answered.stands_for, seed, trace)
        self.policy: Any = answered(bench.numbers, bench.system.policy)  #: holds the present question
        self.policy.observation = np.zeros(self.policy.observed, np.float32)
        self.policy.allowed = np.arange(self.policy.actions) == self.policy.otherwise
        self._system = under(bench.system, self.policy)
        self._state = self._system.prepared(self._system.raw_state())
        for _ in self._system.start(self._state):
            pass
        self._records: Iterator[Record] = iter(())
        self.events = 0  #: the number of events so far

    @property
    def time(self) -> float:
        """The time of the present event."""
        return float(self._state.clock[NOW])

    def onward(self, answer: int | None = None) -> tuple[float, bool]:
        """Give the answer, and run to the next question; returns the reward on the way, and whether the run has ended.

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
