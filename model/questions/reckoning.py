"""Interval arithmetic for the steps of a condition, in compiled code.

An interval has two ends, and a flag for missing numbers in it; a boolean is 0 or 1, an undecided one from 0 to 1.
Ends are rounded like all numbers between them, and rounding is monotonic, so that no result lies outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable
from slotscope.model.questions.pairing import (
    ADD,
    AND,
    EQUAL,
    KNOWN,
    LEAST,
    LESS,
    LESS_EQUAL,
    MORE,
    MOST,
    NEGATE,
    NOT,
    OR,
    REMAINDER,
    SUBTRACT,
    TIMES,
    TURNS,
    UNEQUAL,
)
from slotscope.model.questions.remainders import MOST_QUOTIENT, remainder

Array = Any


@jitable
def change(desk: Any, step: int, at: int) -> None:
    """Apply a unary step to the interval at *at* of the stack."""
    low, high = desk.low[at], desk.high[at]
    if step == KNOWN:
        desk.low[at] = 0.0 if desk.missing[at] else 1.0
        desk.high[at] = 1.0 if low <= high else 0.0
        desk.missing[at] = False
    elif step == NOT:
        desk.low[at], desk.high[at] = 1 - high, 1 - low
    elif step == NEGATE or high < 0:
        desk.low[at], desk.high[at] = -high, -low
    elif low < 0:
        desk.low[at], desk.high[at] = 0.0, max(-low, high)


@jitable
def join(desk: Any, step: int, at: int) -> None:
    """Apply a binary step to the intervals at *at* and behind it; the result is at *at*."""
    if step >= EQUAL:
        compare(desk, step, at)
        return
    low, high, less, more = desk.low[at], desk.high[at], desk.low[at + 1], desk.high[at + 1]
    missing = desk.missing[at] or desk.missing[at + 1]
    if not (low <= high and less <= more):  # an empty interval: all numbers are missing
        desk.low[at], desk.high[at], desk.missing[at] = np.inf, -np.inf, True
        return
    if not abs(low) + abs(high) + abs(less) + abs(more) < np.inf:
        desk.low[at], desk.high[at], desk.missing[at] = -np.inf, np.inf, True
        return
    if step == ADD:
        low, high = low + less, high + more
    elif step == SUBTRACT:
        low, high = low - more, high - less
    elif step == LEAST:
        low, high = min(low, less), min(high, more)
    elif step == MOST:
        low, high = max(low, less), max(high, more)
    elif step == TIMES:
        first, last = min(low * less, low * more), max(low * less, low * more)
        low, high = min(first, high * less, high * more), max(last, high * less, high * more)
    elif step == REMAINDER:
        low, high = join_remainders(low, high, less, more)
        missing |= less <= 0 <= more
    elif less <= 0 <= more:  # the divisor may be 0
        low, high, missing = -np.inf, np.inf, True
    else:
        first, last = min(low / less, low / more), max(low / less, low / more)
        low, high = min(first, high / less, high / more), max(last, high / less, high / more)
    desk.low[at], desk.high[at], desk.missing[at] = low, high, missing


@jitable
def compare(desk: Any, step: int, at: int) -> None:
    """Compare two intervals, or combine two booleans; the result is at *at*."""
    if step == TURNS:
        compare_turns(desk, at)
        return
    low, high, less, more = desk.low[at], desk.high[at], desk.low[at + 1], desk.high[at + 1]
    if step == AND:
        must, may = min(low, less) > 0, min(high, more) > 0
    elif step == OR:
        must, may = max(low, less) > 0, max(high, more) > 0
    elif step == EQUAL:
        must, may = low == high and less == more and low == less, low <= more and less <= high
    elif step == UNEQUAL:
        must, may = high < less or low > more, low < more or high > less
    elif step == LESS:
        must, may = high < less, low < more
    elif step == LESS_EQUAL:
        must, may = high <= less, low <= more
    elif step == MORE:
        must, may = low > more, high > less
    else:
        must, may = low >= more, high >= less
    desk.low[at] = 1.0 if must and not (desk.missing[at] or desk.missing[at + 1]) else 0.0
    desk.high[at] = 1.0 if may else 0.0
    desk.missing[at] = False


@jitable
def compare_turns(desk: Any, at: int) -> None:
    """Whether two numbers differ, or exactly one of them is missing, of two intervals; the result is at *at*."""
    low, high, less, more = desk.low[at], desk.high[at], desk.low[at + 1], desk.high[at + 1]
    missing, other_missing = desk.missing[at], desk.missing[at + 1]
    known, other_known = low <= high, less <= more  # whether any number is not missing
    sure = not (missing or other_missing) and (high < less or low > more)
    sure |= missing and not known and not other_missing
    sure |= other_missing and not other_known and not missing
    may = low < more or high > less or (missing and other_known) or (other_missing and known)
    desk.low[at], desk.high[at], desk.missing[at] = 1.0 if sure else 0.0, 1.0 if may else 0.0, False


@jitable
def join_remainders(low: float, high: float, less: float, more: float) -> tuple[float, float]:
    """Bounds of remainders: from the corners if all have the same integer quotient, else from the signs."""
    first, second = remainder(low, less), remainder(low, more)
    third, fourth = remainder(high, less), remainder(high, more)
    quotient = whole_quotient(low, less, first)
    same = quotient == whole_quotient(low, more, second)
    same &= quotient == whole_quotient(high, less, third) and quotient == whole_quotient(high, more, fourth)
    if same and abs(quotient) < MOST_QUOTIENT:
        return min(first, second, third, fourth), max(first, second, third, fourth)
    if low >= 0 and less > 0:
        return 0.0, min(high, more)
    return min(0.0, less), max(0.0, more)


@jitable
def whole_quotient(number: float, divisor: float, found: float) -> float:
    """The integer quotient of a number and a divisor, given the remainder *found*."""
    return float(np.floor((number - found) / divisor + 0.5))
