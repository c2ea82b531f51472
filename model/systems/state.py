"""State as data: copy, compare, hash and save, written once for every kind of system.

A system's state is a NamedTuple of NumPy arrays and holds all that changes while the
system runs.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, Mapping, NamedTuple, TypeVar, cast

import numpy as np

#: A NamedTuple of arrays; the bound cannot say more than "some named tuple".
State = TypeVar("State", bound=NamedTuple)


def copied(state: State) -> State:
    """An independent copy."""
    return type(state)(*(array.copy() for array in state))


def frozen(state: State) -> State:
    """A copy whose arrays refuse to be written: what panels are given."""
    return sealed(copied(state))


def sealed(state: State) -> State:
    """The same state, whose arrays refuse to be written from here on."""
    for array in state:
        array.flags.writeable = False
    return state


def viewed(state: State) -> State:
    """Read-only views of a state's arrays, without copying: what a policy is shown."""
    views = [array.view() for array in state]
    for view in views:
        view.flags.writeable = False
    return type(state)(*views)


def by_number(state: State) -> State:
    """The same arrays, of which plain Python gets and sets single numbers four times as fast.

    That is all that can be done with them: none can be cut or added up.
    """
    made: Any = type(state)
    return cast("State", made(*(memoryview(array) for array in state)))


def digest(state: NamedTuple) -> str:
    """A hash of everything in *state*: 32 hexadecimal digits.

    Equal digests mean equal states: names, types, shapes and values all enter.
    """
    return digest_of_arrays(to_arrays(state))


def digest_of_arrays(arrays: Mapping[str, np.ndarray]) -> str:
    """The digest of a state that has these arrays, in their order."""
    parts: list[bytes | memoryview] = []
    for name, array in arrays.items():
        parts += _heading(name, array.dtype, array.shape), np.ascontiguousarray(array).data
    return hashlib.blake2b(b"".join(parts), digest_size=16).hexdigest()


@lru_cache(maxsize=1024)
def _heading(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """What stands before an array in what is hashed."""
    return f"{name}{dtype.str}{shape}".encode()


def differences(first: NamedTuple, second: NamedTuple) -> list[str]:
    """Names of the arrays in which two states differ; without any their digests are equal, which take longer."""
    pairs = zip(first._fields, first, second, strict=True)
    return [name for name, mine, other in pairs if not _same(mine, other)]


def _same(mine: np.ndarray, other: np.ndarray) -> bool:
    return mine.dtype == other.dtype and np.array_equal(_bits(mine), _bits(other))


def _bits(array: np.ndarray) -> np.ndarray:
    """The words of an array: a digest tells zeros of both signs apart, and knows what is no number again."""
    return array.view(f"u{array.itemsize}")


def all_differ(numbers: np.ndarray) -> bool:
    """Whether no number occurs twice; ``np.unique`` takes many times as long for a million of them."""
    ordered = np.sort(numbers)
    return bool((ordered[1:] != ordered[:-1]).all())


def size_in_bytes(state: NamedTuple) -> int:
    """Memory that the state's arrays take."""
    return sum(array.nbytes for array in state)


def to_arrays(state: NamedTuple) -> dict[str, np.ndarray]:
    """The state's arrays by name, for an ``.npz`` file."""
    return dict(zip(state._fields, state, strict=True))


def from_arrays(kind: type[State], arrays: Mapping[str, np.ndarray]) -> State:
    """The state that :func:`to_arrays` wrote. Raises KeyError if an array is missing."""
    made: Any = kind
    fields = (np.array(arrays[name]) for name in kind._fields)
    return cast("State", made(*fields))
