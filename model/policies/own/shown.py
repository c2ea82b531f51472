"""What a policy of one's own is shown: a state that follows the run's, and a copy of the numbers."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any, Callable, cast

import numpy as np

from slotscope.model.policies.own.mirror import Changes, Form, words_of
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
        self._form: Form | None = None
        self._seen: Any = None  # the state that was looked at last
        self._whole: np.ndarray | None = None  # the buffer of all its arrays, if they lie in one

    def follow(self, changes: Changes) -> None:
        """Come to what the state in the program is now."""
        if changes.form is not None:
            self._form, self._buffer = changes.form, bytearray(changes.words)
            self._arrays = self._form.laid_out(np.frombuffer(self._buffer, np.uint8))
            self._state = viewed(self._arrays)
        else:
            words = np.frombuffer(self._buffer, np.uint64)
            words[np.frombuffer(changes.places, np.int32)] = np.frombuffer(changes.words, np.uint64)
        self._before = bytes(self._buffer)

    def look_at(self, state: Any) -> None:
        """The same where the state is at hand, in arrays that may lie in one buffer."""
        if state is self._seen and self._whole is not None:
            words = self._whole.tobytes()
        else:
            form, words = words_of(state)
            if form != self._form:
                self.follow(Changes(words, form=form))
            base, self._seen = state[0].base, state
            self._whole = base if form.lies_in(base, state, len(words)) else None
        self._buffer[:] = self._before = words

    def viewed_by(self, part: ViewPart, numbers: Any) -> PolicyView:
        """The view of one event; *numbers* are those that a policy may look at."""
        view = cast("PolicyView", put_together(part, {STATE: self._state, NUMBERS: numbers}, self._known))
        view.__class__ = _fixed(cast(Any, part.cls))
        return view

    def changed(self) -> list[str]:
        """Names of the arrays that no longer are as they were shown; then they are again."""
        if self._buffer == self._before:
            return []
        before = cast("Form", self._form).laid_out(np.frombuffer(self._before, np.uint8))
        found = [
            name
            for name, mine, shown in zip(before._fields, self._arrays, before, strict=True)
            if mine.tobytes() != shown.tobytes()
        ]
        self._buffer[:] = self._before
        return found


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
            (vars(owner), name, value)
            for owner in parts(self.copy)
            for name, value in vars(owner).items()
            if not name.startswith("_")
        ]
        arrays = [(name, value) for _, name, value in self._pinned if isinstance(value, np.ndarray)]
        for _, array in arrays:
            array.flags.writeable = False
        self._arrays = [(name, array, _content(array)) for name, array in arrays]

    def changed(self) -> list[str]:
        """Names of the attributes that are not what they were."""
        found = [name for own, name, value in self._pinned if own.get(name) is not value]
        found += [name for name, array, content in self._arrays if _content(array) != content]
        return list(dict.fromkeys(found))


def _content(array: np.ndarray) -> Any:
    """What may change although the object stays the same."""
    return array.dtype, array.shape, array.tobytes()
