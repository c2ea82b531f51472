"""Arrays in memory shared by two processes, which both may write or one may only read: views of a mapped file."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any, Callable, Literal, NamedTuple

import numpy as np

#: The alignment of arrays in bytes, the same as NumPy's.
_ALIGNED = 64

#: A folder whose files are in memory only; if it cannot be written, the usual temporary folder is used.
_IN_MEMORY = "/dev/shm"


class SharedPlace(NamedTuple):
    """Describes an array by its place in a shared buffer."""

    start: int
    kind: np.dtype[Any]
    shape: tuple[int, ...]
    writeable: bool

    def within(self, buffer: np.ndarray) -> np.ndarray:
        """The array as a view into *buffer* [bytes]."""
        size = self.kind.itemsize * prod(self.shape)
        array = buffer[self.start : self.start + size].view(self.kind).reshape(self.shape)
        array.flags.writeable = self.writeable
        return array


def _with(change: Callable[[Any], Any], thing: Any) -> Any:
    """A copy of nested tuples in which *change* is applied to all other values."""
    if not isinstance(thing, tuple) or isinstance(thing, SharedPlace):
        return change(thing)
    parts = (_with(change, part) for part in thing)
    return type(thing)(*parts) if hasattr(thing, "_fields") else tuple(parts)


class Layout:
    """The layout of tuples of arrays and numbers in a shared buffer, and their description for the other process."""

    def __init__(self, thing: Any) -> None:
        self.size = 0  #: bytes needed for all arrays
        self._at: dict[tuple[int, int], tuple[int, np.ndarray]] = {}
        #: The same tuples with a :class:`SharedPlace` for each array; views of the same bytes share one place.
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
        """What copies the arrays to *buffer* [bytes] and back; may be used any number of times."""
        found = [(array, SharedPlace(start, array.dtype, array.shape, True)) for start, array in self._at.values()]
        pairs = [(array.flags.writeable, as_bytes(array, place.within(buffer))) for array, place in found]
        return Copies([pair for _, pair in pairs], [pair for writeable, pair in pairs if writeable])


class Copies(NamedTuple):
    """Pairs (array, its place in the shared buffer): all of them, and those that the other process may write."""

    all: list[tuple[np.ndarray, ...]]
    written: list[tuple[np.ndarray, ...]]

    def put(self) -> None:
        """Copy all arrays to the shared buffer."""
        for array, place in self.all:
            place[...] = array

    def take(self) -> None:
        """Copy back what the other process may have written."""
        for array, place in self.written:
            array[...] = place


def as_bytes(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Views of the arrays as flat bytes, if all are contiguous: NumPy copies structured rows field by field."""
    if all(array.flags.c_contiguous for array in arrays):
        return tuple(array.reshape(-1).view(np.uint8) for array in arrays)
    return arrays


def seen(told: Any, buffer: np.ndarray) -> Any:
    """The tuples that a :class:`Layout` describes, in the other process: their arrays are views into *buffer*."""
    return _with(lambda item: item.within(buffer) if isinstance(item, SharedPlace) else item, told)


def mapped(path: str, mode: Literal["r", "r+"] = "r+") -> np.ndarray:
    """The bytes of a file, shared by all processes that map it; writeable with *mode* ``r+``."""
    return np.asarray(np.memmap(path, np.uint8, mode))


def lent(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Newly allocated bytes, and a read-only view of them to hand out.

    That view cannot be made writeable: an attempt to write all the same is a memory access fault.
    Raises OSError if there is no room for them.
    """
    seen_by_others: list[np.ndarray] = []
    own = shared_with(lambda path: seen_by_others.append(mapped(path, "r")), size)
    return own, seen_by_others[0]


def shared_with(tell: Callable[[str], Any], size: int) -> np.ndarray:
    """The bytes of a new file, shared with the process to which *tell* sends its path; the path is removed afterwards.

    Raises OSError if there is no room for them.
    """
    folder = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None
    try:
        path = _made(size, folder)
    except OSError:  # the folder in memory may have less room than the disk
        path = _made(size, None)
    try:
        buffer = mapped(path)
        tell(path)
    finally:
        with suppress(OSError):
            Path(path).unlink()
    return buffer


def _made(size: int, folder: str | None) -> str:
    """The path of a file whose space is allocated: to run out of it later, in a mapping, would end the process."""
    descriptor, path = tempfile.mkstemp(prefix="slotscope-", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(bytes(size))
    except OSError:
        Path(path).unlink()
        raise
    return path
