"""Base class of the engines that run user kernels, for all kinds of system.

The engine is a kind's compiled loop in which the policy file's function replaces the function in which the kind's
policies differ.  Each kind sets the loop (``loop``) and what replaces which of its functions (``hooks``).
"""

from __future__ import annotations

from typing import Any, Callable, ClassVar, Mapping, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.policies.own.brought import FarLoop
from slotscope.model.systems.compiled import CompiledEngine
from slotscope.model.systems.state import viewed

#: The replacements in a loop: from each replaced function to the one that replaces it.
Hooks = Mapping[Callable[..., Any], Callable[..., Any]]


class KernelInput(NamedTuple):
    """What the user's function receives in every kind of system, and its last answer."""

    state: Any  #: the state, of which only ``memory`` is writeable
    data: Any  #: the policy's ``kernel_data``
    told: NDArray[np.int64]  #: the whole numbers of the last answer


class OwnKernel(CompiledEngine):
    """The compiled twin of a policy whose file has a ``kernel``.

    The loop checks the function's answer before it writes anything.  If the answer is impossible, the loop
    raises :class:`.sound.ImpossibleDecisionError`, and the state is invalid.
    """

    loop: ClassVar[Callable[..., int]]  #: the kind's loop over events
    answers: ClassVar[int] = 1  #: how many whole numbers the function returns
    #: The replacements in the loop, built around the compiled function.
    hooks: Callable[[Any], Hooks]
    refused: Callable[[Any], str]  #: why the last answer is impossible: (the state before the event)
    #: What was decided in an event: (the state before it, (row, state after) by one engine, (row, state after) by
    #: the other).
    decided: Callable[[Any, tuple[Any, Any], tuple[Any, Any]], str]

    def __init__(self, system: Any) -> None:
        self.told = np.zeros(self.answers, np.int64)  #: the function's last answer
        self._shown_of: Any = None
        super().__init__(system)

    watchable = False

    def twin(self) -> Callable[..., int]:
        """The loop with the user's function in it."""
        self._far = FarLoop(self.policy.brought, type(self))
        return self._far

    def asked(self, state: Any, *arguments: Any) -> KernelInput:
        """The function's input for a state; *arguments* are examples of those that it gets between state and data."""
        self._shown_of = state  # kept alive, so that no other state gets the id of the one whose arrays are shown
        shown = viewed(state)._replace(memory=state.memory)
        self._far.example = (shown, *arguments, self.policy.kernel_data)
        return KernelInput(shown, self.policy.kernel_data, self.told)
