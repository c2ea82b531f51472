"""What policies of all kinds of system may read: time, event number, their memory, random numbers."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from slotscope.model.scenario.streams import stream
from slotscope.model.systems.base import EVENT

#: The index in ``clock`` that the states of all kinds share: the time of the last event.
NOW = 0


class PolicyView:
    """The state as a policy sees it; servers, types and jobs are numbered from 0."""

    def __init__(self, numbers: Any, state: Any) -> None:
        self.numbers = numbers
        self._state = state

    @property
    def now(self) -> float:
        """The time of the present event."""
        return float(self._state.clock[NOW])

    @property
    def event(self) -> int:
        """The number of events before the present one."""
        return int(self._state.number[EVENT])

    @property
    def memory(self) -> NDArray[np.float64]:
        """[m] what the policy has remembered; changed by yielding ``Remember``."""
        memory: NDArray[np.float64] = self._state.memory
        return memory

    def random(self, name: str = "") -> np.random.Generator:
        """A generator of random numbers that a replay reproduces: seeded by the run's seed, the event and *name*.

        Two calls in one event with the same name give the same numbers.
        """
        return stream(self.numbers.seed, "policy", self.event, crc32(name.encode()))
