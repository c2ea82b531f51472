"""Remainders equal to NumPy's to the last bit, without the bit-by-bit division of the C library's ``fmod``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from slotscope.model.jit import at_hand, compiled, jitable, unsigned

Array = Any

#: Numbers in a block.
BLOCK = 64

#: Bounds of quotients, and of divisors' magnitudes, within which multiplication gives the exact remainder.
MOST_QUOTIENT, SMALL, LARGE = 2.0**50, 1e-150, 1e150

#: Added and subtracted again, it rounds to the nearest integer; and the factor that splits a number's bits in two.
TO_WHOLE, SPLIT = 1.5 * 2.0**52, 2.0**27 + 1


#: Below this many numbers NumPy alone computes the remainders: compiled code is not even looked for.
FEW = 500


def remainders(left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """*left* % *right*, nan where the divisor is 0.  NumPy's own are the same, and take ten times as long."""
    if max(left.size, right.size) < FEW or not at_hand(compiled(find_remainders)):
        return np.asarray(np.mod(left, np.where(right == 0, np.nan, right)))
    numbers, divisors = (np.ascontiguousarray(one, np.float64) for one in np.broadcast_arrays(left, right))
    found = np.array(numbers)
    compiled(find_remainders)(found.reshape(-1), divisors.reshape(-1))
    return found


def find_remainders(numbers: Array, divisors: Array) -> None:
    """Replace each number by its remainder."""
    whole = len(numbers) // BLOCK * BLOCK
    for first in range(0, whole, BLOCK):
        find_in_block(numbers[first : first + BLOCK], divisors[first : first + BLOCK])
    for at in range(whole, len(numbers)):
        numbers[at] = remainder(numbers[at], divisors[at])


@jitable
def find_in_block(one: Array, other: Array) -> None:
    """As :func:`find_remainders`, for one block: vectorized if all pairs are plain, else one by one."""
    plain = True
    for at in range(BLOCK):
        plain &= is_plain(one[unsigned(at)], other[unsigned(at)])
    if plain:
        for at in range(BLOCK):
            one[unsigned(at)] = plain_remainder(one[unsigned(at)], other[unsigned(at)])
    else:
        for at in range(BLOCK):
            one[unsigned(at)] = remainder(one[unsigned(at)], other[unsigned(at)])


@jitable
def remainder(number: float, divisor: float) -> float:
    """The remainder as NumPy defines it: with the divisor's sign; nan where the divisor is 0."""
    if is_plain(number, divisor):
        return plain_remainder(number, divisor)
    if divisor == 0:
        return np.nan
    found = float(np.fmod(number, divisor))
    return found + divisor if found != 0 and (found < 0) != (divisor < 0) else found


@jitable
def is_plain(number: float, divisor: float) -> bool:
    """Whether :func:`plain_remainder` is exact: no intermediate result overflows or loses bits."""
    size = abs(divisor)
    missing = (size == 0) | (number != number) | (divisor != divisor)  # noqa: PLR0124
    return missing | (size > SMALL) & (size < LARGE) & (abs(number) < MOST_QUOTIENT * size)


@jitable
def plain_remainder(number: float, divisor: float) -> float:
    """The same without the C library's bit-by-bit division, by operations that vectorize.

    The nearest integer quotient times the divisor is known exactly as a sum of two numbers (Dekker 1971), and its
    difference from the number is exact, too (Sterbenz 1974).
    """
    quotient = (number / divisor + TO_WHOLE) - TO_WHOLE
    product = quotient * divisor
    one, other = quotient * SPLIT, divisor * SPLIT
    high, more = one - (one - quotient), other - (other - divisor)
    low, less = quotient - high, divisor - more
    rest = ((high * more - product) + high * less + low * more) + low * less
    found = (number - product) - rest
    # From the remainder of the nearest quotient to that of the truncated one, and then, as NumPy does, of the floor.
    size = abs(divisor)
    found = found + size if (number >= 0) & (found < 0) else found - size if (number < 0) & (found > 0) else found
    return found + divisor if (found != 0) & ((found < 0) != (divisor < 0)) else found
