"""What a user policy sees: the state, read-only, and a copy of the numbers."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from operator import is_
from typing import Any, Callable, Mapping, cast

import numpy as np

from slotscope.model.policies.own.mirror import Changes, Form, words_of
from slotscope.model.policies.own.shared import lent
from slotscope.model.policies.own.wire import NUMBERS, STATE, ViewPart, copied_apart, is_fixed, put_together
from slotscope.model.systems.view import PolicyView


class Shown:
    """A copy of the program's state, and the view that a policy has of it.

    All arrays lie in one block of memory, of which the policy gets a read-only mapping.
    """

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._form: Form | None = None
        self._bytes: Any = None
        self._seen: Any = None  # the last state passed to look_at, if its arrays lie in this memory

    def follow(self, changes: Changes) -> None:
        """Apply the *changes* of the program's state."""
        if changes.form is None:
            words = self._bytes.view(np.uint64)
            words[np.frombuffer(changes.places, np.int32)] = np.frombuffer(changes.words, np.uint64)
            return
        if changes.form != self._form:
            self._form, (self._bytes, seen) = changes.form, lent(len(changes.words))
            self._state = self._form.laid_out(seen)
        self._bytes[:] = np.frombuffer(changes.words, np.uint8)

    def hold(self, changes: Changes) -> Any:
        """A writeable state in this memory, where the policy sees a run change it; *changes* must be a whole state."""
        self.follow(changes)
        return cast("Form", self._form).laid_out(self._bytes)

    def look_at(self, state: Any) -> None:
        """Show *state*: nothing to do if its arrays lie in this memory, as they do until one of them has to grow."""
        if state is self._seen:
            return
        here = all(array.base is self._bytes for array in state)
        self._seen = state if here else None
        if not here:
            form, words = words_of(state)
            self.follow(Changes(words, form=form))

    def viewed_by(self, part: ViewPart, numbers: Any) -> PolicyView:
        """The view for one event from the parts that were sent; *numbers* are the policy's copy."""
        view = cast("PolicyView", put_together(part, {STATE: self._state, NUMBERS: numbers}, self._known))
        view.__class__ = _fixed(cast(Any, part.cls))
        return view

    def like(self, view: PolicyView, numbers: Any) -> PolicyView:
        """The view for one event from the system's *view*; *numbers* are the policy's copy."""
        stand_ins = {id(view._state): self._state, id(view.numbers): numbers}
        return cast("PolicyView", _like(view, _fixed(cast(Any, type(view))), stand_ins, self._known))


def _like(thing: Any, kind: Any, stand_ins: Mapping[int, Any], known: dict[str, Any]) -> Any:
    """A copy of *thing* as a *kind*; *stand_ins* by id replace some objects, *known* keeps copies from before."""
    made = object.__new__(kind)
    own = vars(made)
    for name, value in vars(thing).items():
        if (stand_in := stand_ins.get(id(value))) is not None:
            own[name] = stand_in
        elif is_fixed(value):
            own[name] = value
        elif hasattr(value, "_state"):  # a part of the view with its own reference to the state
            own[name] = _like(value, type(value), stand_ins, known.setdefault(name, {}))
        else:
            if name not in known or known[name][0] is not value:
                known[name] = value, copied_apart(value)
            own[name] = known[name][1]
    return made


@cache
def _fixed(kind: Any) -> Any:
    """A subclass of the kind of view whose attributes cannot be set."""

    def refuse(_: PolicyView, name: str, __: Any) -> None:
        raise AttributeError(f"view.{name} cannot be set: a policy yields decisions instead")

    return type(kind.__name__, (kind,), {"__setattr__": refuse})


class PrivateNumbers:
    """A copy of a scenario's numbers that detects changes to it.

    *parts* gives the objects that the numbers consist of.
    """

    def __init__(self, numbers: Any, parts: Callable[[Any], tuple[Any, ...]]) -> None:
        self.copy = deepcopy(numbers)
        self._pinned: list[tuple[dict[str, Any], tuple[str, ...], tuple[Any, ...]]] = []
        for owner in parts(self.copy):
            own = vars(owner)
            names = tuple(name for name in own if not name.startswith("_"))
            self._pinned.append((own, names, tuple(map(own.get, names))))
        every = (pair for _, names, values in self._pinned for pair in zip(names, values, strict=True))
        arrays = [(name, value) for name, value in every if isinstance(value, np.ndarray)]
        for _, array in arrays:
            array.flags.writeable = False
        self._arrays = [(name, array, array.dtype, array.shape, array.tobytes()) for name, array in arrays]

    def changed(self) -> list[str]:
        """The names of the attributes that have changed."""
        found = []
        for own, names, values in self._pinned:
            if not all(map(is_, map(own.get, names), values)):
                found += [name for name, value in zip(names, values, strict=True) if own.get(name) is not value]
        found += [
            name
            for name, array, kind, shape, content in self._arrays
            if array.tobytes() != content or array.shape != shape or array.dtype != kind
        ]
        return list(dict.fromkeys(found))
