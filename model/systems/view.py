"""What policies of all kinds of system may look at: the moment, their memory, random numbers."""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from slotscope.model.scenario.streams import stream
from slotscope.model.systems.base import EVENT

#: The only place in every state's ``clock`` that all kinds have: the time of the last event.
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
        """Random numbers that a replay meets again: a function of seed, event and *name*.

        Asking twice in one event under the same name gives the same numbers twice.
        """
        return stream(self.numbers.seed, "policy", self.event, crc32(name.encode()))
