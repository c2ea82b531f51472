"""The unit of Section VIII's score, chosen so that the score fits into a 64-bit integer."""

from __future__ import annotations

from math import gcd

from slotscope.model.kinds.queue.numbers import QueueNumbers

#: The most score units of a largest server.
MOST_UNITS = 2**30


def score_unit(numbers: QueueNumbers) -> int:
    """The number of size units in one unit of the score; the score is exact if the sizes allow it.

    For finitely many sizes it is their greatest common divisor; for others, and if that is too small,
    1/2^30 of a largest server.
    """
    largest = int(numbers.largest[0])
    coarse = -(-largest // MOST_UNITS)
    if not numbers.values:
        return coarse
    return max(coarse, gcd(*(units for value in numbers.values for units in value)))


def told_score(numbers: QueueNumbers, score: int) -> str:
    """A score as text, in shares of a largest server: the sum over the resources of demand times capacity in use."""
    return f"score {score * (score_unit(numbers) / int(numbers.largest[0])) ** 2:.4g}"
