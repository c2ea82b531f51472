"""Axes of a figure: numbers along a line, or along a logarithmic one."""

from __future__ import annotations

import math
from typing import Sequence

from slotscope.gui.plotting.axes import NumberAxis
from slotscope.gui.plotting.scales import format_number

#: Digits at which a logarithmic axis may have ticks: the more room, the more of them.
_DIGITS = ((1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 2, 5), (1,))

#: Most ticks along a logarithmic axis.
_MOST_TICKS = 8


class LogarithmicAxis(NumberAxis):
    """Numbers whose logarithms to the base 10 are the places in the view."""

    def tickValues(self, low: float, high: float, size: float) -> list[tuple[float, list[float]]]:
        found: list[float] = []
        for digits in _DIGITS:
            found = [
                power + math.log10(digit)
                for power in range(math.floor(low), math.ceil(high) + 1)
                for digit in digits
                if low <= power + math.log10(digit) <= high
            ]
            if len(found) <= _MOST_TICKS:
                break
        return [(1.0, found)]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        return [_number(10.0**value) for value in values]


def _number(value: float) -> str:
    return format_number(value, 10.0 ** min(0, math.floor(math.log10(value))))
