"""State as data: copy, compare, hash and save, written once for every kind of system.

A system's state is a NamedTuple of NumPy arrays and holds all that changes while the
system runs.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Iterator, Mapping, NamedTuple, TypeVar, cast

import numpy as np

#: A NamedTuple of arrays; the bound cannot say more than "some named tuple".
State = TypeVar("State", bound=NamedTuple)

#: Bytes that a processor fetches, or takes from another core, at once: two cache lines.
LINES = 128

#: The most bytes of a short array; of a longer one only a small part can share cache lines with others.
SHORT = 2**15

#: The alignment of arrays in bytes, as that of the system's allocator.
_PLACE = 16


def copied(state: State) -> State:
    """An independent copy."""
    return type(state)(*(array.copy() for array in state))


def apart(data: Any) -> Any:
    """The same tuple, possibly nested, with its short arrays copied to cache lines that hold nothing else.

    NumPy hands memory that one thread has freed to the next that asks.  Where two threads write to the same line (false
    sharing), each waits for the other at every number: runs of two threads took up to 1.7 times as long.
    """
    short = {id(array): array for array in arrays_of(data) if is_short(array)}
    memory = np.empty(sum(_PLACE + array.nbytes for array in short.values()) + 2 * LINES, np.uint8)
    place = LINES  # the first and the last line of the memory may be shared with others
    for key, array in short.items():
        short[key] = np.ndarray(array.shape, array.dtype, memory, place)
        short[key][...] = array
        place += -(-array.nbytes // _PLACE) * _PLACE
    return _with_arrays(data, short)


def arrays_of(data: Any) -> Iterator[np.ndarray]:
    """The arrays in a tuple, which may be nested."""
    for item in data:
        if isinstance(item, tuple):
            yield from arrays_of(item)
        elif isinstance(item, np.ndarray):
            yield item


def is_short(array: np.ndarray) -> bool:
    """Whether :func:`apart` copies an array: not a read-only one, for which sharing does no harm."""
    flags = array.flags
    return 0 < array.nbytes <= SHORT and flags.writeable and flags.c_contiguous


def _with_arrays(data: Any, arrays: Mapping[int, np.ndarray]) -> Any:
    """The same tuple with some arrays replaced, by their ``id``."""
    items = [_with_arrays(item, arrays) if isinstance(item, tuple) else arrays.get(id(item), item) for item in data]
    return type(data)(*items) if hasattr(data, "_fields") else tuple(items)


def frozen(state: State) -> State:
    """A read-only copy, as panels get it."""
    return sealed(copied(state))


def sealed(state: State) -> State:
    """The same state, made read-only."""
    for array in state:
        array.flags.writeable = False
    return state


def viewed(state: State) -> State:
    """Read-only views of a state's arrays, without a copy, as a policy gets them."""
    views = [array.view() for array in state]
    for view in views:
        view.flags.writeable = False
    return type(state)(*views)


def by_number(state: State) -> State:
    """Memory views of the same arrays, in which plain Python reads and writes single numbers four times as fast.

    They support nothing else: no slices, no arithmetic.
    """
    made: Any = type(state)
    return cast("State", made(*(memoryview(array) for array in state)))


def digest(state: NamedTuple) -> str:
    """A hash of everything in *state*: 32 hexadecimal digits.

    Equal digests mean equal states: names, types, shapes and values all enter.
    """
    return digest_of_arrays(to_arrays(state))


def digest_of_arrays(arrays: Mapping[str, np.ndarray]) -> str:
    """The digest of a state from its arrays, in their order."""
    parts: list[bytes | memoryview] = []
    for name, array in arrays.items():
        parts += _heading(name, array.dtype, array.shape), np.ascontiguousarray(array).data
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


@lru_cache(maxsize=1024)
def _heading(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """The header that is hashed before an array's bytes."""
    return f"{name}{dtype.str}{shape}".encode()


def differences(first: NamedTuple, second: NamedTuple) -> list[str]:
    """Names of the arrays in which two states differ; empty if and only if their digests are equal, but faster."""
    pairs = zip(first._fields, first, second, strict=True)
    return [name for name, mine, other in pairs if not _same(mine, other)]


#: Bytes up to which it takes longest to call NumPy's comparison.
_FEW = 2**15


def _same(mine: np.ndarray, other: np.ndarray) -> bool:
    if mine.dtype != other.dtype or mine.shape != other.shape:
        return False
    return mine.tobytes() == other.tobytes() if mine.nbytes <= _FEW else np.array_equal(_bits(mine), _bits(other))


def _bits(array: np.ndarray) -> np.ndarray:
    """An array's bits as integers: as in a digest, 0 and -0 differ, and a nan equals itself."""
    return array.view(f"u{array.itemsize}")


def all_differ(numbers: np.ndarray) -> bool:
    """Whether all numbers are distinct; for a million of them ``np.unique`` takes many times as long."""
    ordered = np.sort(numbers)
    return bool((ordered[1:] != ordered[:-1]).all())


def size_in_bytes(state: NamedTuple) -> int:
    """The memory that the state's arrays take, in bytes."""
    return sum(array.nbytes for array in state)


def to_arrays(state: NamedTuple) -> dict[str, np.ndarray]:
    """The state's arrays by name, for an ``.npz`` file."""
    return dict(zip(state._fields, state, strict=True))


def from_arrays(kind: type[State], arrays: Mapping[str, np.ndarray]) -> State:
    """The state that :func:`to_arrays` wrote. Raises KeyError if an array is missing."""
    made: Any = kind
    fields = (np.array(arrays[name]) for name in kind._fields)
    return cast("State", made(*fields))
