"""What a step of a condition makes of intervals in which numbers lie, in compiled code.

An interval has its ends, and may have numbers that are missing; a truth is 1, one of things that differ from 0 to 1.
Ends are rounded as all that lies between them, so that nothing is ever outside.
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
    """An interval becomes another one."""
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
    """Two intervals become one."""
    if step >= EQUAL:
        compare(desk, step, at)
        return
    low, high, less, more = desk.low[at], desk.high[at], desk.low[at + 1], desk.high[at + 1]
    missing = desk.missing[at] or desk.missing[at + 1]
    if not (low <= high and less <= more):  # there is no number at all
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
    elif less <= 0 <= more:  # a divisor that may be nought
        low, high, missing = -np.inf, np.inf, True
    else:
        first, last = min(low / less, low / more), max(low / less, low / more)
        low, high = min(first, high / less, high / more), max(last, high / less, high / more)
    desk.low[at], desk.high[at], desk.missing[at] = low, high, missing


@jitable
def compare(desk: Any, step: int, at: int) -> None:
    """Two intervals become a truth."""
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
    """Two intervals become the truth that of two numbers one is another, or one alone is missing."""
    low, high, less, more = desk.low[at], desk.high[at], desk.low[at + 1], desk.high[at + 1]
    missing, other_missing = desk.missing[at], desk.missing[at + 1]
    known, other_known = low <= high, less <= more  # whether there is any number
    sure = not (missing or other_missing) and (high < less or low > more)
    sure |= missing and not known and not other_missing
    sure |= other_missing and not other_known and not missing
    may = low < more or high > less or (missing and other_known) or (other_missing and known)
    desk.low[at], desk.high[at], desk.missing[at] = 1.0 if sure else 0.0, 1.0 if may else 0.0, False


@jitable
def join_remainders(low: float, high: float, less: float, more: float) -> tuple[float, float]:
    """Between what remainders lie; where all have one quotient they are a number less a multiple of the divisor."""
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
    """How many times a divisor was taken off a number, up to *found*."""
    return float(np.floor((number - found) / divisor + 0.5))
