"""What a policy of one's own is shown: a state that follows the run's, and a copy of the numbers."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any, Callable, cast

import numpy as np

from slotscope.model.policies.own.mirror import Changes
from slotscope.model.policies.own.wire import NUMBERS, STATE, ViewPart, put_together
from slotscope.model.systems.state import viewed
from slotscope.model.systems.view import PolicyView


class Shown:
    """A state as it is in the program, and the view that a policy has of it.

    A read-only array can be made writeable again, but what is written then is seen by :meth:`changed`.
    All arrays lie in one buffer, which makes the comparison after each sub-step cheap.
    """

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}

    def follow(self, changes: Changes) -> None:
        """Come to what the state in the program is now."""
        if changes.form is not None:
            self._form = changes.form
            self._buffer = np.zeros(len(changes.words), np.uint8)
            self._buffer[:] = np.frombuffer(changes.words, np.uint8)
            self._words = self._buffer.view(np.uint64)
            self._arrays = self._form.laid_out(self._buffer)
            self._state = viewed(self._arrays)
        else:
            self._words[np.frombuffer(changes.places, np.int32)] = np.frombuffer(changes.words, np.uint64)
        self._before = self._buffer.tobytes()

    def viewed_by(self, part: ViewPart, numbers: Any) -> PolicyView:
        """The view of one event; *numbers* are those that a policy may look at."""
        view = cast("PolicyView", put_together(part, {STATE: self._state, NUMBERS: numbers}, self._known))
        view.__class__ = _fixed(cast(Any, part.cls))
        return view

    def changed(self) -> list[str]:
        """Names of the arrays that no longer are as they were shown."""
        if self._buffer.tobytes() == self._before:
            return []
        before = self._form.laid_out(np.frombuffer(self._before, np.uint8))
        return [
            name
            for name, mine, shown in zip(before._fields, self._arrays, before, strict=True)
            if mine.tobytes() != shown.tobytes()
        ]


@cache
def _fixed(kind: Any) -> Any:
    """The kind of view with attributes that cannot be set."""

    def refuse(_: PolicyView, name: str, __: Any) -> None:
        raise AttributeError(f"view.{name} cannot be set: a policy yields decisions instead")

    return type(kind.__name__, (kind,), {"__setattr__": refuse})


class PrivateNumbers:
    """A copy of a scenario's numbers, of which it is known when it was changed.

    *parts* gives the objects that numbers consist of.
    """

    def __init__(self, numbers: Any, parts: Callable[[Any], tuple[Any, ...]]) -> None:
        self.copy = deepcopy(numbers)
        self._pinned = [
            (owner, name, value, _content(value))
            for owner in parts(self.copy)
            for name, value in vars(owner).items()
            if not name.startswith("_")
        ]

    def changed(self) -> list[str]:
        """Names of the attributes that are not what they were."""
        found = (
            name
            for owner, name, value, content in self._pinned
            if vars(owner).get(name) is not value or _content(value) != content
        )
        return list(dict.fromkeys(found))


def _content(value: Any) -> Any:
    """What may change although the object stays the same."""
    if not isinstance(value, np.ndarray):
        return None
    value.flags.writeable = False
    return value.dtype.str, value.shape, value.tobytes()
