"""A state on disk: its arrays one after the other in a file of its own, which goes when nobody needs it."""

from __future__ import annotations

import tempfile
from math import prod
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np

#: Arrays begin at multiples of so many bytes.
ALIGNED = 16


class _Place(NamedTuple):
    """An array in the file."""

    start: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


class StoredState:
    """Writes a state into a folder.

    Raises
    ------
    OSError
        If the disk is full, or the folder cannot be written.
    """

    def __init__(self, folder: Path, state: Any) -> None:
        self._kind = type(state)
        self._places: list[_Place] = []
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            self._path = Path(file.name)
            self._gone = finalize(self, self._path.unlink, missing_ok=True)
            for array in state:
                file.write(bytes(-file.tell() % ALIGNED))
                self._places.append(_Place(file.tell(), array.dtype, array.shape))
                file.write(np.ascontiguousarray(array).data)

    def read(self) -> Any:
        """The state again, in memory of its own."""
        content = np.fromfile(self._path, np.uint8)
        return self._kind(*(self._array(content, place) for place in self._places))

    @staticmethod
    def _array(content: np.ndarray, place: _Place) -> np.ndarray:
        size = prod(place.shape) * place.dtype.itemsize
        return content[place.start : place.start + size].view(place.dtype).reshape(place.shape)
