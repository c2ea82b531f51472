"""Copies of a run's state in the program and in the policy process, kept equal by sending only changed words."""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple, cast

import numpy as np

#: The alignment of arrays in the buffer, in bytes; such a unit is a word.
_WORD = 8


class Form(NamedTuple):
    """The layout of a state's arrays in one buffer."""

    kind: type
    arrays: tuple[tuple[str, tuple[int, ...]], ...]  #: (type, shape) of each

    def laid_out(self, buffer: np.ndarray) -> Any:
        """A state whose arrays are views into *buffer* [bytes]."""
        parts, start = [], 0
        for kind, shape in self.arrays:
            end = start + np.dtype(kind).itemsize * prod(shape)
            parts.append(buffer[start:end].view(kind).reshape(shape))
            start = -(-end // _WORD) * _WORD
        return self.kind(*parts)


class Changes(NamedTuple):
    """The changes from one state to another: the changed words and their places, or all words with the form."""

    words: bytes
    places: bytes = b""
    form: Form | None = None


NOTHING = Changes(b"")


def words_of(state: Any) -> tuple[Form, bytes]:
    """The layout of a state in one buffer, and the contents of this buffer."""
    parts: list[Any] = []
    for array in state:
        parts += (array, bytes(-array.nbytes % _WORD))
    return Form(type(state), tuple((array.dtype.str, array.shape) for array in state)), b"".join(parts)


class Mirror:
    """The last state that both processes know."""

    def __init__(self) -> None:
        self._form: Form | None = None
        self._words = b""

    @property
    def whole(self) -> Changes:
        """The whole state that was sent last."""
        return Changes(self._words, form=self._form)

    def changes(self, state: Any) -> Changes:
        """The changes to send so that the other process knows *state*; notes it as known."""
        form, words = words_of(state)
        before, self._words = self._words, words
        if form != self._form:
            self._form = form
            return Changes(words, form=form)
        now = np.frombuffer(words, np.uint64)
        places = np.flatnonzero(now != np.frombuffer(before, np.uint64))
        return Changes(now[places].tobytes(), places.astype(np.int32).tobytes())

    def learn(self, changes: Changes) -> None:
        """Apply the changes that the other process has sent."""
        if changes.form is not None:
            self._form, self._words = changes.form, changes.words
        elif changes.places:
            words = np.frombuffer(bytearray(self._words), np.uint64)
            words[np.frombuffer(changes.places, np.int32)] = np.frombuffer(changes.words, np.uint64)
            self._words = words.tobytes()

    def follow(self, changes: Changes) -> Any:
        """The state after the changes that the other process has sent, in newly allocated arrays."""
        self.learn(changes)
        return cast("Form", self._form).laid_out(np.frombuffer(bytearray(self._words), np.uint8))
