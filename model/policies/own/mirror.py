"""The state of a run, followed by the process of the policies: only words that have changed are sent."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

#: Arrays begin at multiples of so many bytes, which are a word.
_WORD = 8


class Form(NamedTuple):
    """How the arrays of a state lie in one buffer."""

    kind: type
    arrays: tuple[tuple[str, tuple[int, ...]], ...]  #: type and shape of each

    def laid_out(self, buffer: np.ndarray) -> Any:
        """A state whose arrays are parts of *buffer* [bytes]."""
        parts, start = [], 0
        for kind, shape in self.arrays:
            end = start + np.dtype(kind).itemsize * int(np.prod(shape))
            parts.append(buffer[start:end].view(kind).reshape(shape))
            start = -(-end // _WORD) * _WORD
        return self.kind(*parts)


class Changes(NamedTuple):
    """What brings a state to another one: words and their places, or all of them with the form."""

    words: bytes
    places: bytes = b""
    form: Form | None = None


class Mirror:
    """What the other process knows of a state."""

    def __init__(self) -> None:
        self._form: Form | None = None
        self._words = b""

    @property
    def whole(self) -> Changes:
        """All that it was told last."""
        return Changes(self._words, form=self._form)

    def changes(self, state: Any) -> Changes:
        """What it must be told to know *state*."""
        parts: list[Any] = []
        for array in state:
            parts += (array, bytes(-array.nbytes % _WORD))
        words = b"".join(parts)
        before, self._words = self._words, words
        form = Form(type(state), tuple((array.dtype.str, array.shape) for array in state))
        if form != self._form:
            self._form = form
            return Changes(words, form=form)
        now = np.frombuffer(words, np.uint64)
        places = np.flatnonzero(now != np.frombuffer(before, np.uint64))
        return Changes(now[places].tobytes(), places.astype(np.int32).tobytes())
