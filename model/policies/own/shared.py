"""Arrays that two processes work on, or that one may only read: laid out in a file that is in the memory of both."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any, Callable, Literal, NamedTuple

import numpy as np

#: Arrays begin at multiples of so many bytes, as NumPy's own do.
_ALIGNED = 64

#: Where a file is memory and nothing else; the usual folder is the other choice.
_IN_MEMORY = "/dev/shm"


class SharedPlace(NamedTuple):
    """Stands for an array."""

    start: int
    kind: np.dtype[Any]
    shape: tuple[int, ...]
    writeable: bool

    def within(self, buffer: np.ndarray) -> np.ndarray:
        """The array as a part of *buffer* [bytes]."""
        size = self.kind.itemsize * prod(self.shape)
        array = buffer[self.start : self.start + size].view(self.kind).reshape(self.shape)
        array.flags.writeable = self.writeable
        return array


def _with(change: Callable[[Any], Any], thing: Any) -> Any:
    """Tuples as they are, and in them what *change* makes of all else."""
    if not isinstance(thing, tuple) or isinstance(thing, SharedPlace):
        return change(thing)
    parts = (_with(change, part) for part in thing)
    return type(thing)(*parts) if hasattr(thing, "_fields") else tuple(parts)


class Layout:
    """Tuples of arrays and numbers, as the other process is told them."""

    def __init__(self, thing: Any) -> None:
        self.size = 0  #: the bytes that all need
        self._at: dict[tuple[int, int], tuple[int, np.ndarray]] = {}
        #: The same with a :class:`SharedPlace` for each array; views of one array have one place.
        self.told = _with(self._place, thing)

    def _place(self, item: Any) -> Any:
        if not isinstance(item, np.ndarray):
            return item
        key = item.ctypes.data, item.nbytes
        start, known = self._at.get(key, (self.size, item))
        if key not in self._at:
            self.size += -(-item.nbytes // _ALIGNED) * _ALIGNED
        self._at[key] = start, known if known.flags.writeable else item
        return SharedPlace(start, item.dtype, item.shape, item.flags.writeable)

    def copies(self, buffer: np.ndarray) -> Copies:
        """What copies the arrays to *buffer* [bytes] and back, as often as one likes."""
        found = [(array, SharedPlace(start, array.dtype, array.shape, True)) for start, array in self._at.values()]
        pairs = [(array.flags.writeable, as_bytes(array, place.within(buffer))) for array, place in found]
        return Copies([pair for _, pair in pairs], [pair for writeable, pair in pairs if writeable])


class Copies(NamedTuple):
    """Arrays, each with where the other process sees it: all, and those that it may write."""

    all: list[tuple[np.ndarray, ...]]
    written: list[tuple[np.ndarray, ...]]

    def put(self) -> None:
        """Show the other process the arrays as they are."""
        for array, place in self.all:
            place[...] = array

    def take(self) -> None:
        """Take over what it has written."""
        for array, place in self.written:
            array[...] = place


def as_bytes(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The same bytes in a row, where all arrays lie in one piece: NumPy copies structured rows field by field."""
    if all(array.flags.c_contiguous for array in arrays):
        return tuple(array.reshape(-1).view(np.uint8) for array in arrays)
    return arrays


def seen(told: Any, buffer: np.ndarray) -> Any:
    """What :class:`Layout` was told of, in the other process: its arrays are parts of *buffer*."""
    return _with(lambda item: item.within(buffer) if isinstance(item, SharedPlace) else item, told)


def mapped(path: str, mode: Literal["r", "r+"] = "r+") -> np.ndarray:
    """The bytes of a file, which whoever maps it sees written, and writes with *mode* ``r+``."""
    return np.asarray(np.memmap(path, np.uint8, mode))


def lent(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Fresh bytes, and the same ones for whoever must not change them.

    Those cannot be made writeable: the processor itself stops what tries all the same.
    Raises OSError if there is no room for them.
    """
    seen_by_others: list[np.ndarray] = []
    own = shared_with(lambda path: seen_by_others.append(mapped(path, "r")), size)
    return own, seen_by_others[0]


def shared_with(tell: Callable[[str], Any], size: int) -> np.ndarray:
    """Fresh bytes of a file that only this process has, and whoever *tell* lets map it.

    Raises OSError if there is no room for them.
    """
    folder = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None
    try:
        path = _made(size, folder)
    except OSError:  # there is less of it than of memory
        path = _made(size, None)
    try:
        buffer = mapped(path)
        tell(path)
    finally:
        with suppress(OSError):
            Path(path).unlink()
    return buffer


def _made(size: int, folder: str | None) -> str:
    """The path of a file that has its room: none is short of it later, where that would be the end."""
    descriptor, path = tempfile.mkstemp(prefix="slotscope-", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(bytes(size))
    except OSError:
        Path(path).unlink()
        raise
    return path
