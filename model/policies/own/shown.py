"""What a policy of one's own is shown: copies, so that the run itself is out of its reach."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from typing import Any, Callable, cast

import numpy as np

from slotscope.model.state import overwrite, viewed
from slotscope.model.systems.view import PolicyView

#: Bytes to whose multiples the arrays of the copy are aligned.
_ALIGNED = 16


class ShownView:
    """A view of a copy of the state, kept equal to it.

    A read-only array can be made writeable again, but what is written then stays in the copy
    and is seen by :meth:`changed`.  All arrays of the copy lie in one buffer, which makes the
    comparison after each sub-step cheap.
    """

    def __init__(self, view: PolicyView, numbers: Any) -> None:
        self._real = view._state
        arrays: tuple[np.ndarray, ...] = tuple(self._real)
        ends = np.cumsum([-(-array.nbytes // _ALIGNED) * _ALIGNED for array in arrays])
        self._buffer = np.zeros(int(ends[-1]), np.uint8)
        parts = []
        for start, array in zip((0, *ends[:-1]), arrays, strict=True):
            part = self._buffer[start : start + array.nbytes]
            parts.append(part.view(array.dtype).reshape(array.shape))
        self._copy = type(self._real)(*parts)
        self.refresh()
        self.view = view.looking_at(numbers, viewed(self._copy))
        self.view.__class__ = _fixed(cast(Any, type(view)))

    def refresh(self) -> None:
        """Follow what a decision has done."""
        overwrite(self._copy, self._real)
        self._shown = self._buffer.tobytes()

    def changed(self) -> list[str]:
        """Names of the arrays that no longer are as they were shown."""
        if self._buffer.tobytes() == self._shown:
            return []
        return [name for name in self._real._fields if _differ(getattr(self._copy, name), getattr(self._real, name))]


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


def _differ(mine: np.ndarray, real: np.ndarray) -> bool:
    return mine.tobytes() != real.tobytes()
