"""Formatting of numbers, ranges that change rarely, and spreading of labels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Sequence

from slotscope.model.reporting.explain import THIN_SPACE, units

MINUS = "\u2212"
_STEPS = 5
_LARGEST_PLAIN = 1e12
_MOST_DECIMALS = 9

#: Size of the cache of formatted numbers: most stay the same from frame to frame.
MOST_TEXTS = 4096


@lru_cache(MOST_TEXTS)
def format_number(value: float, resolution: float = 1.0) -> str:
    """*value* with the digits that *resolution* justifies, and thousands separated.

    ``format_number(1234567.89, 0.1)`` is ``1 234 567.9`` with thin spaces.
    """
    if not math.isfinite(value):
        return "\u2013"
    decimals = max(0, -math.floor(math.log10(resolution) + 1e-9)) if resolution > 0 else 0
    text = f"{value:.3g}" if abs(value) >= _LARGEST_PLAIN or decimals > _MOST_DECIMALS else f"{value:,.{decimals}f}"
    if text.startswith("-") and not any(digit in text for digit in "123456789"):
        text = text.removeprefix("-")
    return text.replace(",", THIN_SPACE).replace("-", MINUS)


def time_axis(unit: str) -> str:
    """The label of a time axis with this unit, or without one if empty."""
    return f"time ({units(unit)})" if unit else "time"


def step_up(value: float) -> float:
    """The smallest of ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... that is at least *value* > 0."""
    power = 10.0 ** math.floor(math.log10(value))
    for factor in (1.0, 2.0, 5.0):
        if value <= factor * power * (1 + 1e-12):
            return factor * power
    return 10.0 * power


class SteppedRange:
    """An axis range that grows in steps of 1, 2, 5, so that axes are rarely rebuilt."""

    def __init__(self, low: float = 0.0, high: float = 1.0, *, from_zero: bool = True) -> None:
        self._start = (low, high)
        self.from_zero = from_zero  #: whether 0 is always included
        self.low, self.high = low, high

    def reset(self) -> None:
        """Go back to the initial range."""
        self.low, self.high = self._start

    def include(self, low: float, high: float) -> bool:
        """Grow to include *low* and *high*; returns whether anything changed."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return False
        if self.from_zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if self.low <= low and high <= self.high:
            return False
        low, high = min(low, self.low), max(high, self.high)
        return self._set(self._outward(low, high, step_up((high - low) / _STEPS)))

    def follow(self, low: float, high: float, running: bool) -> bool:
        """Include *low* and *high*; the earlier range is kept only while *running*. Returns whether it changed."""
        before = self.low, self.high
        if not running:
            self.reset()
        self.include(low, high)
        return (self.low, self.high) != before

    def fit(self, low: float, high: float) -> bool:
        """Set the smallest stepped range from *low* to *high*; returns whether anything changed."""
        if not (math.isfinite(low) and math.isfinite(high)):
            return False
        if self.from_zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high <= low:
            low, high = (low, low + 1.0) if low == 0 else (low - abs(low) / 2, low + abs(low) / 2)
        return self._set(self._outward(low, high, step_up((high - low) / _STEPS)))

    def _set(self, bounds: tuple[float, float]) -> bool:
        changed = bounds != (self.low, self.high)
        self.low, self.high = bounds
        return changed

    @staticmethod
    def _outward(low: float, high: float, step: float) -> tuple[float, float]:
        return (math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step)


def spread(targets: Sequence[float], size: float, low: float, high: float) -> list[float]:
    """Centres of labels of height *size*, near their *targets*, within *low* to *high*, not overlapping.

    Least squares for the given order of heights (pool adjacent violators): labels that would overlap form a block
    around the mean of their targets.  The labels must fit: ``len(targets) * size <= high - low``.
    """
    order = sorted(range(len(targets)), key=lambda place: targets[place])
    span = high - low - size * len(targets)
    blocks: list[tuple[float, int]] = []
    for rank, place in enumerate(order):
        # With the room of the labels below subtracted, "not overlapping" becomes "not decreasing".
        blocks.append((targets[place] - low - size * (rank + 0.5), 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (first, many), (second, more) = blocks[-2:]
            blocks[-2:] = [((first * many + second * more) / (many + more), many + more)]
    free = [min(max(mean, 0.0), max(span, 0.0)) for mean, count in blocks for _ in range(count)]
    centres = [0.0] * len(targets)
    for rank, place in enumerate(order):
        centres[place] = low + free[rank] + size * (rank + 0.5)
    return centres
