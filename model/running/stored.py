"""States on disk: one nameless temporary file of the process, which the system removes however the process ends."""

from __future__ import annotations

import tempfile
from functools import cached_property
from math import prod
from threading import Lock
from typing import IO, Any, NamedTuple
from weakref import finalize

import numpy as np

#: Arrays begin at multiples of so many bytes.
ALIGNED = 16


class _Place(NamedTuple):
    """An array among the bytes of its state."""

    start: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class StateFile:
    """Room on disk for pieces of bytes; what one piece leaves is taken by the next that fits."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._free: list[tuple[int, int]] = []  # (start, size) of pieces that are no longer needed
        self.size = 0

    @cached_property
    def _file(self) -> IO[bytes]:
        file = tempfile.TemporaryFile(prefix="slotscope-history-")  # noqa: SIM115 as long as the process
        finalize(self, file.close)
        return file

    def write(self, content: bytes | bytearray) -> tuple[int, int]:
        """Keep some bytes; the piece that holds them.

        Raises
        ------
        OSError
            If the disk is full, or the folder for temporary files cannot be written.
        """
        with self._lock:
            fitting = next((piece for piece in self._free if piece[1] >= len(content)), None)
            start, size = fitting or (self.size, len(content))
            self._file.seek(start)
            self._file.write(content)
            self._file.flush()
            if fitting:
                self._free.remove(fitting)
            self.size = max(self.size, start + size)
            return start, size

    def read(self, start: int, size: int) -> np.ndarray:
        """[size] the bytes of a piece, in memory of their own."""
        with self._lock:
            self._file.seek(start)
            return np.fromfile(self._file, np.uint8, size)

    def release(self, piece: tuple[int, int]) -> None:
        """A piece is no longer needed."""
        self._free.append(piece)  # one step: a collector may call this at any moment


#: That of this process.
FILE = StateFile()


class StoredState:
    """A state in a file, for as long as somebody needs it.

    Raises
    ------
    OSError
        As :meth:`StateFile.write`.
    """

    def __init__(self, state: Any, file: StateFile = FILE) -> None:
        self._kind, self._file = type(state), file
        self._places: list[_Place] = []
        content = bytearray()
        for array in state:
            content += bytes(-len(content) % ALIGNED)
            self._places.append(_Place(len(content), array.dtype, array.shape))
            content += array.tobytes()
        self._size = len(content)
        piece = file.write(content)
        self._start = piece[0]
        finalize(self, file.release, piece)

    def read(self) -> Any:
        """The state again, in memory of its own."""
        content = self._file.read(self._start, self._size)
        return self._kind(*(self._array(content, place) for place in self._places))

    @staticmethod
    def _array(content: np.ndarray, place: _Place) -> np.ndarray:
        size = prod(place.shape) * place.dtype.itemsize
        return content[place.start : place.start + size].view(place.dtype).reshape(place.shape)
