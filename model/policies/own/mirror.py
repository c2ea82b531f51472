"""The state of a run, in the program and in the process of the policies: only words that have changed are sent."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple, cast

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
            end = start + np.dtype(kind).itemsize * prod(shape)
            parts.append(buffer[start:end].view(kind).reshape(shape))
            start = -(-end // _WORD) * _WORD
        return self.kind(*parts)


class Changes(NamedTuple):
    """What brings a state to another one: words and their places, or all of them with the form."""

    words: bytes
    places: bytes = b""
    form: Form | None = None


NOTHING = Changes(b"")


def words_of(state: Any) -> tuple[Form, bytes]:
    """How a state lies in one buffer, and what is in that."""
    parts: list[Any] = []
    for array in state:
        parts += (array, bytes(-array.nbytes % _WORD))
    return Form(type(state), tuple((array.dtype.str, array.shape) for array in state)), b"".join(parts)


class Mirror:
    """What both processes know of a state."""

    def __init__(self) -> None:
        self._form: Form | None = None
        self._words = b""

    @property
    def whole(self) -> Changes:
        """All that it was told last."""
        return Changes(self._words, form=self._form)

    def changes(self, state: Any) -> Changes:
        """What it must be told to know *state*."""
        form, words = words_of(state)
        before, self._words = self._words, words
        if form != self._form:
            self._form = form
            return Changes(words, form=form)
        now = np.frombuffer(words, np.uint64)
        places = np.flatnonzero(now != np.frombuffer(before, np.uint64))
        return Changes(now[places].tobytes(), places.astype(np.int32).tobytes())

    def learn(self, changes: Changes) -> None:
        """Take note of what the other process has told of it."""
        if changes.form is not None:
            self._form, self._words = changes.form, changes.words
        elif changes.places:
            words = np.frombuffer(bytearray(self._words), np.uint64)
            words[np.frombuffer(changes.places, np.int32)] = np.frombuffer(changes.words, np.uint64)
            self._words = words.tobytes()

    def follow(self, changes: Changes) -> Any:
        """The state as the other process has told of it: in arrays of its own."""
        self.learn(changes)
        return cast("Form", self._form).laid_out(np.frombuffer(bytearray(self._words), np.uint8))
