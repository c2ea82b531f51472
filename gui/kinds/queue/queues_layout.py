"""The layout of the virtual queues' lanes and their jobs, and the axis of job sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from slotscope.gui.kinds.queue.colours import Look, size_classes
from slotscope.gui.kinds.queue.wording import Interval
from slotscope.model.kinds.queue.facts import QueueFacts
from slotscope.model.kinds.queue.numbers import QueueNumbers

#: Most values of a distribution that is drawn as stems; with more it is drawn as a histogram.
MOST_STEMS = 60
#: With more intervals than this, a logarithmic axis is the default.
_MANY_INTERVALS = 6
_BEYOND = 0.75  # a logarithmic axis begins at this multiple of the least size


class Stem(NamedTuple):
    """A size that arrives with positive probability."""

    share: Fraction  #: of a largest server
    probability: float
    look: int  #: the class of the size


@dataclass(frozen=True)
class SizeAxis:
    """The content of the axis of sizes, by scenario and policy; sizes are shares of a largest server."""

    queues: int
    classes: tuple[tuple[int, Interval], ...]  #: look and interval (low, high] of each class of sizes
    looks: tuple[Look, ...]  #: [V] the look of each virtual queue
    intervals: tuple[Interval, ...]  #: [V] sizes (low, high] that join each virtual queue; empty without a partition
    shares: tuple[float, ...]  #: [V] the probability that a job's size is in each of these intervals
    stems: tuple[Stem, ...]  #: the sizes with their probabilities if these are few; else empty
    rounded: Fraction | None  #: sizes below this are rounded up to it; None if no size is rounded
    capacities: tuple[Fraction, ...]  #: capacities of the pools of servers, the largest first
    least: Fraction  #: the smallest size, or smallest upper end of an interval
    resource: int  #: the resource of these sizes: the one of which jobs need most on average

    @property
    def prefers_logarithmic(self) -> bool:
        """Whether a linear axis would leave no room for the small intervals."""
        return len(self.intervals) > _MANY_INTERVALS

    def queue_of(self, share: Fraction) -> int | None:
        """The virtual queue for a size by the partition; None without a partition or outside its intervals."""
        for queue, (low, high) in enumerate(self.intervals):
            if low < share <= high:
                return queue
        return None


def sizes_of(numbers: QueueNumbers, facts: QueueFacts) -> SizeAxis:
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
    """The intervals of the partition; the last is extended to 0, as smaller sizes join its queue."""
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
    """An axis of sizes up to 1, from 0 or (logarithmic) from just below *least*, between two x in pixels."""

    def __init__(self, left: float, right: float, logarithmic: bool, least: Fraction) -> None:
        self.left, self.right, self.logarithmic = left, right, logarithmic
        self.low = _BEYOND * float(least) if logarithmic else 0.0
        self._low_log = math.log(self.low) if logarithmic else 0.0

    def x(self, share: Fraction | float) -> float:
        """The x of a size; sizes below the axis are at its left end."""
        value = max(float(share), self.low)
        part = 1 - math.log(value) / self._low_log if self.logarithmic else value
        return self.left + part * (self.right - self.left)

    def share(self, x: float) -> float:
        """The size at *x*, limited to the axis."""
        part = min(1.0, max(0.0, (x - self.left) / (self.right - self.left)))
        return math.exp((1 - part) * self._low_log) if self.logarithmic else part

    def told(self, x: float) -> Fraction:
        """The size at *x*, with only as many digits as one pixel resolves."""
        here, beside = self.share(x), self.share(x + 1)
        pixel = max(beside - here, here - self.share(x - 1), 1e-9)
        decimals = max(2, math.ceil(-math.log10(pixel)))
        return max(Fraction(1, 10**decimals), Fraction(f"{here:.{decimals}f}"))


def bins(numbers: QueueNumbers, sizes: SizeAxis, scale: SizeScale, count: int) -> tuple[list[float], list[float]]:
    """The histogram: [count + 1] equidistant edges in pixels, and [count] probabilities between them."""
    whole = int(numbers.largest[0])
    edges = np.linspace(scale.left, scale.right, count + 1).tolist()
    shares = [Fraction(scale.share(x)) * whole for x in edges]
    # The first bin includes the sizes below a logarithmic axis, the last one those at its end.
    shares[0], shares[-1] = Fraction(0), Fraction(whole)
    distribution = numbers.sizes
    return edges, [float(distribution.probability(low, high, sizes.resource)) for low, high in pairwise(shares)]


def ends(sizes: SizeAxis) -> list[Fraction]:
    """The sizes to be labelled below the axis, the most important first."""
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
    """(index, left end) of the labels that fit without overlap; earlier labels have precedence."""
    taken: list[tuple[float, float]] = []
    kept: list[tuple[int, float]] = []
    for number, (place, width) in enumerate(zip(places, widths, strict=True)):
        left = min(max(place - width / 2, low), high - width)
        if all(left >= end + gap or left + width + gap <= start for start, end in taken):
            taken.append((left, left + width))
            kept.append((number, left))
    return kept


#: At most this many jobs of a queue are drawn.
MOST_CELLS = 72
#: The number of just placed jobs that fit into the gate between a queue and the servers.
GATE_CELLS = 3

MARGIN, GAP = 10.0, 8.0
_CELL, _SPACE = 11.0, 3.0
_INSET = 3.0  # pixels between a lane's edge and its jobs
_LEAST_CELL = 3.0  # least height of a job in pixels
_LANE_SPACE = 5.0
_LEAST_LINES, _MOST_LINES = 1.45, 5.0  # least and largest height of a lane, in lines of text
_FEW, _MOST_OF_FEW = 2, 8.0  # up to this many lanes may be higher: greatest height, in lines of text
_HEADER_LINES = 1.5
_BAR_SHARE, _LEAST_BAR, _MOST_BAR = 0.2, 70.0, 260.0
_WITH_BAR, _WITH_INTERVALS = 400.0, 520.0  # least widths of the widget for bars, and for intervals


class LaneText(NamedTuple):
    """The room that the lanes' texts take: a line's height, and the widths of texts, in pixels."""

    line: float  #: height of a line
    names: float
    intervals: float
    numbers: float
    more: float  #: width of the words at a break
    brief: float  #: the short words at a break
    scale: float = 1.0  #: size of fonts and marks relative to the usual one


class LanesLayout:
    """The layout of *lanes* lanes in *width* x *height* pixels."""

    def __init__(self, width: float, height: float, lanes: int, text: LaneText) -> None:
        self.text, self.lanes = text, max(1, lanes)
        self.width = width
        scale = text.scale
        self.pitch = (_CELL + _SPACE) * scale
        self.cell = _CELL * scale
        self.header = _HEADER_LINES * text.line
        self.has_intervals = text.intervals > 0 and width >= _WITH_INTERVALS * scale
        self.has_bars = width >= _WITH_BAR * scale
        self._lane_height = self._fitted(height)
        self._place_columns()

    def _fitted(self, height: float) -> float:
        line = self.text.line
        least, most = _LEAST_LINES * line, _MOST_LINES * line
        if self.lanes <= _FEW:
            most = _MOST_OF_FEW * line
        return min(most, max(least, (height - self.header) / self.lanes - _LANE_SPACE))

    def _place_columns(self) -> None:
        text = self.text
        self.name_left = MARGIN
        self.interval_left = MARGIN + text.line + text.names + GAP
        right = self.interval_left + (text.intervals + GAP if self.has_intervals else 0.0)
        self.number_right = right + text.numbers
        self.gate_left = self.number_right + GAP
        self.jobs_left = self.gate_left + GATE_CELLS * self.pitch + GAP
        self.bar_right = self.width - MARGIN
        bar = min(_MOST_BAR * text.scale, max(_LEAST_BAR * text.scale, _BAR_SHARE * self.width))
        self.bar_left = self.bar_right - bar if self.has_bars else self.bar_right
        self.jobs_right = self.bar_left - (GAP if self.has_bars else 0.0)

    # Lanes.

    @property
    def full_height(self) -> float:
        """The height of the header and all lanes."""
        return self.header + self.lanes * (self._lane_height + _LANE_SPACE)

    def lane(self, number: int) -> QRectF:
        """The rectangle of a lane, from the gate to the right end of the jobs."""
        top = self.header + number * (self._lane_height + _LANE_SPACE)
        return QRectF(self.gate_left, top, self.jobs_right - self.gate_left, self._lane_height)

    def lanes_in(self, top: float, bottom: float) -> range:
        """The lanes that are at least partly between two y."""
        step = self._lane_height + _LANE_SPACE
        first = math.floor((top - self.header) / step)
        last = math.ceil((bottom - self.header) / step)
        return range(min(max(0, first), self.lanes), min(max(0, last), self.lanes))

    # Jobs.

    def shown(self, length: int) -> int:
        """The number of jobs drawn of a queue of this length; if not all, there is room for a break and its words."""
        room = self.jobs_right - self.jobs_left + self.pitch - self.cell
        if length <= min(MOST_CELLS, int(room // self.pitch)):
            return length
        words = self.text.more if self.has_bars else self.text.brief
        left = self.jobs_right - self.jobs_left - words - self.words_after(True)
        return max(1, min(MOST_CELLS, int(left // self.pitch)))

    @property
    def most(self) -> int:
        """The largest number of jobs that are drawn of any queue."""
        room = self.jobs_right - self.jobs_left + self.pitch - self.cell
        return max(1, min(MOST_CELLS, int(room // self.pitch)))

    def job(self, lane: int, place: int, share: float) -> QRectF:
        """The rectangle of a waiting job of *share* of the lane's height; *place* counts from the head of the line."""
        return self._standing(lane, self.jobs_left + place * self.pitch, share)

    def placed(self, lane: int, place: int, share: float) -> QRectF:
        """The rectangle of a job that has just been placed; the latest, at place 0, is next to the head of the line."""
        left = self.jobs_left - GAP - (place + 1) * self.pitch + (self.pitch - self.cell)
        return self._standing(lane, left, share)

    @staticmethod
    def gate_cells(placed: int) -> int:
        """How many placed jobs the gate shows; if not all fit, one cell is left for a number."""
        return placed if placed <= GATE_CELLS else GATE_CELLS - 1

    def deep(self, lane: int, shown: int, share: float) -> QRectF:
        """The rectangle of a named job that waits behind the break."""
        return self._standing(lane, self.jobs_left + (shown + 1) * self.pitch, share)

    def gap(self, lane: int, shown: int) -> QRectF:
        """The rectangle of the break behind the jobs drawn."""
        box = self.lane(lane)
        left = self.jobs_left + shown * self.pitch
        return QRectF(left, box.top(), max(0.0, self.jobs_right - left), box.height())

    def words_after(self, deep: bool) -> float:
        """The distance of the words from the start of a break; *deep*: with a job in between."""
        return 2.6 * self.pitch if deep else self.pitch

    def _standing(self, lane: int, left: float, share: float) -> QRectF:
        box = self.lane(lane)
        most = box.height() - 2 * _INSET
        height = min(most, max(_LEAST_CELL * self.text.scale, share * most))
        return QRectF(left, box.bottom() - _INSET - height, self.cell, height)

    def job_at(self, point: QPointF, shown: list[int]) -> tuple[int, int] | None:
        """Lane and place of the job at a point, or None; *shown* has the number of jobs drawn in each lane.

        A job's target is as high as its lane, so that small jobs are easy to hit.
        """
        for lane in self.lanes_in(point.y(), point.y() + 1):
            box = self.lane(lane)
            place = math.floor((point.x() - self.jobs_left) / self.pitch)
            if box.top() <= point.y() <= box.bottom() and 0 <= place < shown[lane]:
                return lane, place
        return None

    # Lengths.

    def bar(self, lane: int, share: float) -> QRectF:
        """The bar of a queue's length, with a minimum width so that even one job is visible."""
        box = self.lane(lane)
        width = (self.bar_right - self.bar_left) * share
        height = min(box.height(), 0.9 * self.text.line)
        return QRectF(self.bar_left, box.center().y() - height / 2, max(width, 1.5) if share else 0.0, height)


def length_share(length: int, most: float, logarithmic: bool) -> float:
    """The share of the longest bar's width for a queue of *length*."""
    if length <= 0:
        return 0.0
    if logarithmic:
        return math.log1p(length) / math.log1p(max(most, 1.0))
    return length / max(most, 1.0)


def length_ticks(most: float, logarithmic: bool) -> list[float]:
    """The lengths marked on the axis of the bars."""
    if not logarithmic:
        return [0.0, most] if most % 2 else [0.0, most / 2, most]
    powers = [10.0**power for power in range(math.floor(math.log10(max(most, 1.0))) + 1)]
    every = max(1, math.ceil(len(powers) / 4))
    return [0.0, *powers[::-1][::every][::-1]]
