"""Named random streams: the same seed gives every policy the same jobs.

Each purpose ("arrivals", "types", "service", "policy", ...) draws from its own stream, and each block of a
stream can be generated separately, so that a rewind needs no generator state and no policy can affect
the workload.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

#: The number of blocks whose seeds are computed at a time.
AT_ONCE = 32

#: Constants of :class:`numpy.random.SeedSequence`: initial value and multiplier of its hashes, multipliers of its mix.
_HASH_IN, _HASH_OUT, _MIX, _SHIFT = (0x43B0D7E5, 0x931E8875), (0x8B51F9DD, 0x58F38DED), (0xCA01F9DD, 0x4973F715), 16

#: The words of its pool; and the bound of numbers that take one word of a key.
_POOL, ONE_WORD = 4, 2**32

#: Up to this many bounds, comparing each with all numbers takes a fifth of the time of a binary search, or less.
_COMPARED = 100


def stream(seed: int, name: str, *position: int) -> np.random.Generator:
    """The generator of stream *name* at a position (a block number, a replication, ...)."""
    key = (crc32(name.encode()), *position)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def stream_key(seed: int, name: str) -> np.uint64:
    """A 64-bit key of stream *name*, for random numbers that are a function of their position."""
    sequence = np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()),))
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


def drawn_classes(random: np.random.Generator, below: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """[count] independently drawn classes, from 0 up.

    - *below*: [classes - 1] the cumulative probabilities of all classes but the last, ascending.
    """
    numbers = random.random(count)
    if len(below) > _COMPARED:
        return np.searchsorted(below, numbers, side="right")
    passed = np.zeros(count, np.int8)
    for bound in below.tolist():
        passed += (numbers >= bound).view(np.int8)
    return passed.astype(np.int64)


class BlockStreams:
    """As :func:`stream`, for the blocks of one run: the last number of a position is the block's.

    Beside a kernel, which fills the caches, seeding generators by NumPy took a twentieth of a run, with Python's lock.
    """

    def __init__(self, seed: int, *position: int) -> None:
        self._seed, self._position = seed, position
        self._known: dict[tuple[Any, ...], tuple[int, NDArray[np.uint64]]] = {}

    def __call__(self, name: str, *position: int) -> np.random.Generator:
        """The generator of stream *name* at a position of this run."""
        *before, block = position
        first = block - block % AT_ONCE
        if block >= ONE_WORD:
            return stream(self._seed, name, *self._position, *position)
        known = self._known.get(place := (name, *before))
        if known is None or known[0] != first:
            key = (crc32(name.encode()), *self._position, *before)
            known = self._known[place] = first, _seeds(self._seed, key, np.arange(first, first + AT_ONCE))
        seed: Any = _Seed(known[1][block - first])
        return np.random.Generator(np.random.PCG64(seed))


class _Seed:
    """A computed seed of a generator: a ``numpy.random.bit_generator.ISeedSequence``."""

    def __init__(self, words: NDArray[np.uint64]) -> None:
        self._words = words

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> NDArray[Any]:
        """The whole seed: [4] words of 64 bits."""
        assert (n_words, dtype) == (len(self._words), np.uint64)
        return self._words


def _seeds(seed: int, key: tuple[int, ...], last: NDArray[np.int64]) -> NDArray[np.uint64]:
    """[n, 4] the words with which NumPy seeds generators, for *key* followed by each one-word number of *last* [n].

    The pool for *key* comes from NumPy; then each last number is mixed into it, and the pool is hashed.
    """
    np.random.bit_generator.ISeedSequence.register(_Seed)  # only here, as NumPy loads its random module on demand
    words = max(_POOL, _words(seed)) + sum(map(_words, key))
    pool = np.random.SeedSequence(seed, spawn_key=key).pool
    mixed = _MIX[0] * pool - _MIX[1] * _hashed(last[:, None].astype(np.uint32), _HASH_IN, _POOL * words, _POOL)
    mixed ^= mixed >> _SHIFT
    state = _hashed(np.hstack([mixed, mixed]), _HASH_OUT, 0, 2 * _POOL)
    return state.astype("<u4").view("<u8").astype(np.uint64)


def _words(number: int) -> int:
    """The number of 32-bit words that a number takes."""
    return max(1, -(-int(number).bit_length() // 32))


def _hashed(values: NDArray[np.uint32], by: tuple[int, int], before: int, count: int) -> NDArray[np.uint32]:
    """[n, count] the hashes of *values*; the multiplier advances from each hash to the next."""
    start, factor = by
    numbers = np.array([start * pow(factor, before + k, ONE_WORD) % ONE_WORD for k in range(count + 1)], np.uint32)
    hashes = (values ^ numbers[:-1]) * numbers[1:]
    return np.asarray(hashes ^ (hashes >> _SHIFT))
