"""Counter-based random numbers: one 64-bit word for each (key, job, draw), without a generator's state.

A policy that chooses at random must choose the same after a rewind, in a fork and in the
compiled twin.  So each word is a function of the run's key, the job's number and the number of words
drawn for that job before.  The words are the outputs of splitmix64 (Steele, Lea & Flood 2014, Fast
splittable pseudorandom number generators), seeded for each job from key and job.

The same finalizer updates the running hash of all events, so that the digest of a state covers its history.
"""

from __future__ import annotations

from typing import Any

from slotscope.model.jit import jitable, parts_of, unsigned

#: The increment of splitmix64.
STEP = 0x9E3779B97F4A7C15
LOW_HALF = 0xFFFFFFFF
FIRST_FACTOR, SECOND_FACTOR = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
ALL_BITS = 0xFFFFFFFFFFFFFFFF


@jitable
def scrambled(word: Any) -> Any:
    """The finalizer of splitmix64, a permutation of the 64-bit words; Python's integers are cut to 64 bits."""
    word = ((word ^ (word >> 30)) * FIRST_FACTOR) & ALL_BITS
    word = ((word ^ (word >> 27)) * SECOND_FACTOR) & ALL_BITS
    return word ^ (word >> 31)


@jitable
def random_word(key: Any, job: int, draw: int) -> Any:
    """The 64-bit word number *draw* >= 0 of a job; *key* is a 64-bit word, too."""
    return word_at(start_of(key, job), draw)


@jitable
def start_of(key: Any, job: int) -> Any:
    """The seed of a job's words, for callers that take several of them by :func:`word_at`.

    Plain Python uses its own integers, cut to 64 bits, in a fifth of the time that NumPy's take.
    """
    return scrambled(unsigned(key) ^ ((unsigned(job) * STEP) & ALL_BITS))


@jitable
def word_at(start: Any, draw: int) -> Any:
    """The word number *draw* >= 0 of the seed *start*."""
    return scrambled((start + unsigned(draw + 1) * STEP) & ALL_BITS)


@jitable
def below(word: Any, bound: int) -> int:
    """A number from 0 to *bound* - 1 (bound < 2^32) from a word: floor(word * bound / 2^64).

    Each number is the result of floor(2^64 / bound) words or of one more, so that its probability is off by less than
    2^-64.
    """
    many = unsigned(bound)
    low = ((word & unsigned(LOW_HALF)) * many) >> 32
    return int(((word >> 32) * many + low) >> 32)


#: 2^-53: the step of the numbers that :func:`uniform` returns.
RESOLUTION = 2.0**-53
ROOT_OF_HALF = 0.7071067811865476
LOG_2 = 0.6931471805599453


@jitable
def uniform(word: Any) -> float:
    """A number in (0, 1] from a word."""
    return float((word >> 11) + unsigned(1)) * RESOLUTION


@jitable
def exponential(word: Any) -> float:
    """A standard exponential variate from a word: -log(u), u = :func:`uniform`.

    The logarithm is computed by its series, log m = 2 artanh((m - 1) / (m + 1)), within 2^-52 of its value: sums and
    products are the same on every machine, compiled or not, which the C library's ``log`` is not.
    """
    mantissa, exponent = parts_of(uniform(word))
    if mantissa < ROOT_OF_HALF:
        mantissa *= 2.0
        exponent -= 1
    ratio = (mantissa - 1.0) / (mantissa + 1.0)
    square = ratio * ratio
    fourth = square * square
    # Two independent sums, which the processor computes in parallel.
    series = ((((1 / 21 * fourth + 1 / 17) * fourth + 1 / 13) * fourth + 1 / 9) * fourth + 1 / 5) * fourth + 1.0
    other = ((((1 / 23 * fourth + 1 / 19) * fourth + 1 / 15) * fourth + 1 / 11) * fourth + 1 / 7) * fourth + 1 / 3
    return -(2.0 * ratio * (series + square * other) + exponent * LOG_2)


@jitable
def mixed(trail: Any, value: int) -> Any:
    """One step of a 64-bit running hash (the finalizer of splitmix64)."""
    return scrambled(trail ^ unsigned(value))
