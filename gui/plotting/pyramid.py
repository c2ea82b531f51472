"""A growing series of points with the minima and maxima of blocks of them.

Each level holds the extremes of complete blocks, twice as long as those of the level below.  Drawing any range uses
the level whose blocks are about a pixel wide, so the cost depends on pixels, not on points.  Blocks start at multiples
of their size, so a growing curve does not shimmer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
_FIRST_CAPACITY = 1024
# Blocks of up to 2**3 points are computed when drawn: keeping them would take more
# memory than the points themselves.
_LOWEST = 4


class Envelope(NamedTuple):
    """At ``x``, the series lies between ``low`` and ``high``; both are equal for single points."""

    x: Values
    low: Values
    high: Values
    exact: bool


class Growing:
    """An array that grows by doubling."""

    def __init__(self) -> None:
        self._values = np.empty(_FIRST_CAPACITY)
        self.size = 0

    @property
    def values(self) -> Values:
        return self._values[: self.size]

    def extend(self, values: Values) -> None:
        needed = self.size + len(values)
        if needed > len(self._values):
            grown = np.empty(max(needed, 2 * len(self._values)))
            grown[: self.size] = self.values
            self._values = grown
        self._values[self.size : needed] = values
        self.size = needed


class Pyramid:
    """Points (x, y) with x never decreasing; y may be NaN where there is nothing to show."""

    few = 1024  #: up to so many points, extremes are computed faster without blocks

    def __init__(self) -> None:
        self.version = 0  #: changes whenever the points change
        self._x = Growing()
        self._y = Growing()
        self._low: list[Growing] = []
        self._high: list[Growing] = []
        self._extremes: tuple[int, tuple[float, float] | None] = 0, None  # after the version that they belong to

    def __len__(self) -> int:
        return self._x.size

    @property
    def x(self) -> Values:
        """All x; a view that must not be written to."""
        return self._x.values

    @property
    def y(self) -> Values:
        """All y, as a view that must not be written to."""
        return self._y.values

    def append(self, x: npt.ArrayLike, y: npt.ArrayLike) -> None:
        """Add one point or many behind the last; constant time per point on average.

        Raises ValueError if the lengths differ, or x falls.
        """
        xs, ys = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        if xs.shape != ys.shape or xs.ndim != 1:
            raise ValueError(f"{xs.shape} values of x for {ys.shape} of y")
        if not len(xs):
            return
        if (len(self) and xs[0] < self._x.values[-1]) or (np.diff(xs) < 0).any():
            raise ValueError("x must not fall")
        self.version += 1
        self._x.extend(xs)
        self._y.extend(ys)

    def truncate(self, size: int) -> None:
        """Keep only the first *size* points, for going back in time."""
        self.version += size < len(self)
        self._x.size = self._y.size = max(0, min(size, len(self)))
        levels = zip(self._low, self._high, strict=True)
        for number, (low, high) in enumerate(levels, start=_LOWEST):
            low.size = high.size = min(low.size, len(self) >> number)  # some levels may lag behind

    def truncate_after(self, x: float) -> None:
        """Keep the points up to and including *x*."""
        self.truncate(int(np.searchsorted(self.x, x, side="right")))

    def replace(self, x: npt.ArrayLike, y: npt.ArrayLike) -> None:
        """Replace all points, unless the new ones are the same."""
        xs, ys = np.asarray(x, float), np.asarray(y, float)
        if xs.tobytes() != self.x.tobytes() or ys.tobytes() != self.y.tobytes():
            self.truncate(0)
            self.append(xs, ys)

    def envelope(self, first: float, last: float, pixels: int) -> Envelope:
        """The series between *first* and *last*, in about *pixels* blocks at most.

        Includes one point on either side, so that lines reach the edges.
        """
        start = max(0, int(np.searchsorted(self.x, first, side="right")) - 1)
        stop = min(len(self), int(np.searchsorted(self.x, last, side="left")) + 1)
        number = self._number(stop - start, max(1, pixels))
        if number == 0:
            y = self.y[start:stop]
            return Envelope(self.x[start:stop], y, y, exact=True)
        return self._blocks(start >> number, stop, number)

    def extremes(self) -> tuple[float, float] | None:
        """The least and the greatest finite value, or None if there is none."""
        if self._extremes[0] != self.version:
            self._extremes = self.version, self._find_extremes()
        return self._extremes[1]

    def _find_extremes(self) -> tuple[float, float] | None:
        low, high = (self.y, self.y) if len(self) <= self.few else self._least_and_greatest()
        low, high = low[np.isfinite(low)], high[np.isfinite(high)]
        return (float(low.min()), float(high.max())) if len(low) else None

    def _least_and_greatest(self) -> tuple[Values, Values]:
        """The extremes of few blocks that together cover all points."""
        self._build()
        lows, highs, covered = [], [], 0
        for number in range(self._highest, _LOWEST - 1, -1):
            # From each level only what the level above does not cover: at most one block.
            level = self._low[number - _LOWEST], self._high[number - _LOWEST]
            lows.append(level[0].values[covered >> number :])
            highs.append(level[1].values[covered >> number :])
            covered = level[0].size << number
        return np.concatenate([*lows, self.y[covered:]]), np.concatenate([*highs, self.y[covered:]])

    def at(self, x: float) -> float | None:
        """The value of the last point at or before *x*."""
        place = int(np.searchsorted(self.x, x, side="right")) - 1
        return float(self.y[place]) if place >= 0 else None

    @property
    def _highest(self) -> int:
        return _LOWEST - 1 + len(self._low)

    def _number(self, points: int, pixels: int) -> int:
        """The level (log2 of the block size) with at most *pixels* blocks, or the highest; builds levels if needed."""
        wanted = max(0, -(-points // pixels) - 1).bit_length()
        if wanted:
            self._build()
        return min(self._highest, wanted)

    def _blocks(self, begin: int, stop: int, number: int) -> Envelope:
        end = stop >> number
        low, high = self._complete(begin, end, number)
        x = self.x[np.arange(begin, end) << number]
        rest = self.y[end << number : stop]
        if len(rest):
            x = np.append(x, self.x[end << number])
            low, high = np.append(low, np.fmin.reduce(rest)), np.append(high, np.fmax.reduce(rest))
        return Envelope(x, low, high, exact=False)

    def _complete(self, begin: int, end: int, number: int) -> tuple[Values, Values]:
        if number >= _LOWEST:
            place = number - _LOWEST
            return self._low[place].values[begin:end], self._high[place].values[begin:end]
        blocks = self.y[begin << number : end << number].reshape(-1, 1 << number)
        return np.fmin.reduce(blocks, axis=1), np.fmax.reduce(blocks, axis=1)

    def _build(self) -> None:
        """Add the blocks that have become complete, level by level; done only when drawing needs them."""
        below, width = (self._y, self._y), 1 << _LOWEST
        number = 0
        while below[0].size >= width:
            if number == len(self._low):
                self._low.append(Growing())
                self._high.append(Growing())
            level = self._low[number], self._high[number]
            fresh = slice(width * level[0].size, below[0].size // width * width)
            if fresh.start == fresh.stop:
                return
            for target, source, least in zip(level, below, (np.fmin, np.fmax), strict=True):
                target.extend(least.reduce(source.values[fresh].reshape(-1, width), axis=1))
            below, width = level, 2
            number += 1
