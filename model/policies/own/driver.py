"""What runs a kernel of one's own, for all kinds of system.

A kind's own loop, in which the function of a policy's file stands where the kind's own policies differ.  A
room says which loop (``loop``), what stands where in it (``hooks``), and what its index gets (``shown``).
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.policies.own.brought import FarLoop
from slotscope.model.systems.compiled import CompiledEngine
from slotscope.model.systems.state import viewed

#: What stands in a loop in the place of which of its functions.
Hooks = Mapping[Callable[..., Any], Callable[..., Any]]


class KernelInput(NamedTuple):
    """What a function of the user's is given in every kind of system, and what it has answered."""

    state: Any  #: the state, of which only ``memory`` can be written
    data: Any  #: what the policy's ``kernel_data`` is
    told: NDArray[np.int64]  #: the numbers of the last answer


class OwnKernel(CompiledEngine):
    """The compiled twin of a policy whose file has a ``kernel``.

    What the function answers is checked in the loop before anything is written.  Where it cannot be, the loop
    raises :class:`.sound.ImpossibleDecisionError`, and the state is of no use any more.
    """

    loop: ClassVar[Callable[..., int]]  #: the kind's loop over events
    answers: ClassVar[int] = 1  #: how many whole numbers the function answers
    #: What stands in the loop in the place of which functions, around the compiled function.
    hooks: Callable[[Any], Hooks]
    refused: Callable[[Any], str]  #: why the last answer is impossible: (the state before the event)
    #: What was decided in an event: (the state before it, the row and the state after it by one engine, both by the
    #: other).
    decided: Callable[[Any, tuple[Any, Any], tuple[Any, Any]], str]

    def __init__(self, system: Any) -> None:
        self.told = np.zeros(self.answers, np.int64)  #: those of its last answer
        self._shown_of: Any = None
        super().__init__(system)

    watchable = False

    def twin(self) -> Callable[..., int]:
        """The loop with the function in it."""
        self._far = FarLoop(self.policy.brought, type(self))
        return self._far

    def asked(self, state: Any, *arguments: Any) -> KernelInput:
        """What the function is given of a state; *arguments* are such as it gets between state and data."""
        self._shown_of = state  # kept, so that no other state is taken for the one whose arrays are shown
        shown = viewed(state)._replace(memory=state.memory)
        self._far.example = (shown, *arguments, self.policy.kernel_data)
        return KernelInput(shown, self.policy.kernel_data, self.told)
