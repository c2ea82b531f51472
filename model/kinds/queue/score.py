"""The unit in which Section VIII's score is counted, so that it stays a 64-bit integer."""

from __future__ import annotations

from math import gcd

from slotscope.model.kinds.queue.numbers import QueueNumbers

#: Units of a largest server that a score is counted in at most.
MOST_UNITS = 2**30


def score_unit(numbers: QueueNumbers) -> int:
    """How many units of size make one of the score; exact wherever the sizes allow it.

    Sizes of finitely many values are counted in their greatest common divisor; others, and
    those that are too fine, to 1/2^30 of a largest server.
    """
    largest = int(numbers.largest[0])
    coarse = -(-largest // MOST_UNITS)
    if not numbers.values:
        return coarse
    return max(coarse, gcd(*(units for value in numbers.values for units in value)))


def told_score(numbers: QueueNumbers, score: int) -> str:
    """A score in shares of a largest server: the sum over resources of what is needed times what is in use."""
    return f"score {score * (score_unit(numbers) / int(numbers.largest[0])) ** 2:.4g}"
