"""The copy of a run's present state that frames show, and that is the state before of the step that follows."""

from __future__ import annotations

from typing import Any

from slotscope.model.systems.state import frozen, sealed


class Snapshot:
    """One copy, to which nobody writes, of a state that changes in place event by event; anew only after one."""

    def __init__(self) -> None:
        self._state: Any = None
        self._copy: Any = None

    def of(self, state: Any) -> Any:
        """A copy of a state between two events."""
        if self._state is not state or int(self._copy.number[0]) != int(state.number[0]):
            self.take(state, frozen(state))
        return self._copy

    def take(self, state: Any, equal: Any) -> None:
        """Another state is known to be *equal*, and nobody needs it to write to."""
        self._state, self._copy = state, sealed(equal)
