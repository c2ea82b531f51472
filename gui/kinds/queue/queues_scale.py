"""The sizes of jobs on an axis: the distribution's probabilities, and the intervals of the partition."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, Sequence

import numpy as np

from slotscope.gui.kinds.queue.colours import Look, size_classes
from slotscope.gui.kinds.queue.wording import Interval
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers

#: Distributions with more values than this are drawn as a histogram.
MOST_STEMS = 60
#: Intervals from which a logarithmic axis shows more than a linear one.
_MANY_INTERVALS = 6
_BEYOND = 0.75  # a logarithmic axis begins at this part of the least size


class Stem(NamedTuple):
    """A size that arrives with a positive probability."""

    share: Fraction  #: of a largest server
    probability: float
    look: int  #: the class of the size


@dataclass(frozen=True)
class SizeAxis:
    """What the axis of sizes shows of a scenario under a policy; sizes as shares of a server."""

    queues: int
    classes: tuple[tuple[int, Interval], ...]  #: look and (low, high] of each class of sizes
    looks: tuple[Look, ...]  #: [V] of each virtual queue
    intervals: tuple[Interval, ...]  #: [V] (low, high] that join each virtual queue; empty without a partition
    shares: tuple[float, ...]  #: [V] the probability that a job arrives in each of these
    stems: tuple[Stem, ...]  #: sizes with their probabilities where there are few; else empty
    rounded: Fraction | None  #: sizes up to this are rounded up to it; None where none is
    capacities: tuple[Fraction, ...]  #: of the pools of servers, the largest first
    least: Fraction  #: the smallest size, or smallest end of an interval
    resource: int  #: whose sizes these are, where there are several; the one that jobs need most

    @property
    def prefers_logarithmic(self) -> bool:
        """Whether a linear axis would leave no room for the small intervals."""
        return len(self.intervals) > _MANY_INTERVALS

    def queue_of(self, share: Fraction) -> int | None:
        """The virtual queue for a size by the partition; None without one, or out of range."""
        for queue, (low, high) in enumerate(self.intervals):
            if low < share <= high:
                return queue
        return None


def sizes_of(numbers: QueueNumbers, facts: QueueFacts) -> SizeAxis:
    """What the axis shows."""
    whole, classes = int(numbers.largest[0]), size_classes(numbers)
    resource = max(range(numbers.resources), key=numbers.sizes.mean)
    intervals = _intervals(facts, whole)
    shares = tuple(float(numbers.sizes.probability(low * whole, high * whole, resource)) for low, high in intervals)
    rounded = _rounded(facts, whole)
    ends = [high for _, high in intervals] + ([] if rounded is None else [rounded])
    least = Fraction(int(numbers.sizes.smallest[resource]), whole)
    return SizeAxis(
        queues=facts.layout.queues,
        classes=tuple(zip(classes.looks, classes.intervals, strict=True)),
        looks=classes.of_queues(numbers, facts),
        intervals=intervals,
        shares=shares,
        stems=_stems(numbers, resource),
        rounded=rounded,
        capacities=_capacities(numbers, whole),
        least=min([*ends, max(least, Fraction(1, whole))]),
        resource=resource,
    )


def _intervals(facts: QueueFacts, whole: int) -> tuple[Interval, ...]:
    """The partition; sizes below its last interval join that one's queue."""
    pairs = [(Fraction(low, whole), Fraction(high, whole)) for low, high in facts.intervals]
    if pairs:
        last = min(range(len(pairs)), key=lambda queue: pairs[queue][0])
        pairs[last] = (Fraction(0), pairs[last][1])
    return tuple(pairs)


def _rounded(facts: QueueFacts, whole: int) -> Fraction | None:
    if not facts.intervals:
        return None
    least = int(facts.layout.room_of(np.ones((1, 1), np.int64))[0, 0])
    return Fraction(least, whole) if least > 1 else None


def _stems(numbers: QueueNumbers, resource: int) -> tuple[Stem, ...]:
    if not 0 < numbers.types <= MOST_STEMS:
        return ()
    looks = size_classes(numbers).of(np.array(numbers.values, np.int64)).tolist()
    return tuple(
        Stem(numbers.fraction(value[resource], resource), float(probability), look)
        for value, probability, look in zip(numbers.values, numbers.probabilities, looks, strict=True)
    )


def _capacities(numbers: QueueNumbers, whole: int) -> tuple[Fraction, ...]:
    found = {Fraction(max(pool.capacity), whole) for pool in numbers.pools}
    return tuple(sorted(found, reverse=True))


class SizeScale:
    """Sizes from 0, or on a logarithmic axis from *least*, to 1, between two abscissas."""

    def __init__(self, left: float, right: float, logarithmic: bool, least: Fraction) -> None:
        self.left, self.right, self.logarithmic = left, right, logarithmic
        self.low = _BEYOND * float(least) if logarithmic else 0.0
        self._low_log = math.log(self.low) if logarithmic else 0.0

    def x(self, share: Fraction | float) -> float:
        """Where a size is; sizes below the axis are at its end."""
        value = max(float(share), self.low)
        part = 1 - math.log(value) / self._low_log if self.logarithmic else value
        return self.left + part * (self.right - self.left)

    def share(self, x: float) -> float:
        """The size at an abscissa, within the axis."""
        part = min(1.0, max(0.0, (x - self.left) / (self.right - self.left)))
        return math.exp((1 - part) * self._low_log) if self.logarithmic else part

    def told(self, x: float) -> Fraction:
        """The size at an abscissa with no more digits than a pixel bears."""
        here, beside = self.share(x), self.share(x + 1)
        pixel = max(beside - here, here - self.share(x - 1), 1e-9)
        decimals = max(2, math.ceil(-math.log10(pixel)))
        return max(Fraction(1, 10**decimals), Fraction(f"{here:.{decimals}f}"))


def bins(numbers: QueueNumbers, sizes: SizeAxis, scale: SizeScale, count: int) -> tuple[list[float], list[float]]:
    """[count + 1] edges in pixels, equally far apart, and [count] probabilities between them."""
    whole = int(numbers.largest[0])
    edges = np.linspace(scale.left, scale.right, count + 1).tolist()
    shares = [Fraction(scale.share(x)) * whole for x in edges]
    # What is below a logarithmic axis is shown in its first bin, what is at the end in the last.
    shares[0], shares[-1] = Fraction(0), Fraction(whole)
    distribution = numbers.sizes
    return edges, [float(distribution.probability(low, high, sizes.resource)) for low, high in pairwise(shares)]


def ends(sizes: SizeAxis) -> list[Fraction]:
    """The sizes that are written below the axis, the most important first."""
    if not sizes.intervals:
        marks = [Fraction(1), Fraction(1, 2), Fraction(1, 4), Fraction(3, 4)]
        return [*marks, *(Fraction(1, 2**power) for power in range(3, 21))]
    found = {high for _, high in sizes.intervals}
    if sizes.rounded is not None:
        found.add(sizes.rounded)
    return sorted(found, reverse=True)


def spaced(
    places: Sequence[float], widths: Sequence[float], low: float, high: float, gap: float
) -> list[tuple[int, float]]:
    """Which labels can stand, and their left ends; the first have precedence."""
    taken: list[tuple[float, float]] = []
    kept: list[tuple[int, float]] = []
    for number, (place, width) in enumerate(zip(places, widths, strict=True)):
        left = min(max(place - width / 2, low), high - width)
        if all(left >= end + gap or left + width + gap <= start for start, end in taken):
            taken.append((left, left + width))
            kept.append((number, left))
    return kept
