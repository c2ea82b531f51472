"""What a step of a condition makes of numbers, and of intervals in which numbers lie, in compiled code.

An interval has its ends, and may have numbers that are missing; a truth is 1, one of things that differ from 0 to 1.
Ends are rounded as all that lies between them, so that nothing is ever outside.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from slotscope.model.jit import jitable, unsigned
from slotscope.model.questions.pairing import (
    ABS,
    ADD,
    AND,
    DIVIDE,
    EQUAL,
    KNOWN,
    LEAST,
    LESS,
    LESS_EQUAL,
    MORE,
    MORE_EQUAL,
    MOST,
    NEGATE,
    NOT,
    OR,
    SUBTRACT,
    TIMES,
    UNEQUAL,
)

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
    elif less <= 0 <= more:  # a divisor that may be nought
        low, high, missing = -np.inf, np.inf, True
    elif step == DIVIDE:
        first, last = min(low / less, low / more), max(low / less, low / more)
        low, high = min(first, high / less, high / more), max(last, high / less, high / more)
    elif low == high and less == more:
        low = high = remainder(low, less)
    else:
        low, high = min(0.0, less), max(0.0, more)
    desk.low[at], desk.high[at], desk.missing[at] = low, high, missing


@jitable
def compare(desk: Any, step: int, at: int) -> None:
    """Two intervals become a truth."""
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
def remainder(number: float, divisor: float) -> float:
    """As NumPy has it: of the divisor's sign; missing where that is 0."""
    if divisor == 0:
        return np.nan
    found = float(np.fmod(number, divisor))
    return found + divisor if found != 0 and (found < 0) != (divisor < 0) else found


@jitable
def change_numbers(one: Array, step: int) -> None:
    """What a step makes of a number, or truth, at each place of a block, in its place."""
    for place in range(len(one)):
        at = unsigned(place)
        if step == NEGATE:
            one[at] = -one[at]
        elif step == NOT:
            one[at] = 1 - one[at]
        elif step == ABS:
            one[at] = abs(one[at])
        else:
            one[at] = 1.0 if one[at] == one[at] else 0.0


@jitable
def join_numbers(one: Array, other: Array, step: int) -> None:
    """What a step makes of two numbers, or truths, at each place of a block, in place of the first."""
    for place in range(len(one)):
        at = unsigned(place)
        if step == ADD:
            one[at] = one[at] + other[at]
        elif step == SUBTRACT:
            one[at] = one[at] - other[at]
        elif step in (TIMES, AND):
            one[at] = one[at] * other[at]
        elif step == OR:
            one[at] = max(one[at], other[at])
        elif step == EQUAL:
            one[at] = 1.0 if one[at] == other[at] else 0.0
        elif step == UNEQUAL:
            one[at] = 1.0 if one[at] < other[at] or one[at] > other[at] else 0.0
        elif step == LESS:
            one[at] = 1.0 if one[at] < other[at] else 0.0
        elif step == LESS_EQUAL:
            one[at] = 1.0 if one[at] <= other[at] else 0.0
        elif step == MORE:
            one[at] = 1.0 if one[at] > other[at] else 0.0
        elif step == MORE_EQUAL:
            one[at] = 1.0 if one[at] >= other[at] else 0.0
        elif step == LEAST:
            one[at] = one[at] if one[at] < other[at] else other[at] if other[at] <= one[at] else np.nan
        elif step == MOST:
            one[at] = one[at] if one[at] > other[at] else other[at] if other[at] >= one[at] else np.nan
        elif step == DIVIDE:
            one[at] = one[at] / other[at] if other[at] != 0 else np.nan
        else:
            one[at] = remainder(one[at], other[at])
