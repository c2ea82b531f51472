"""Where the lanes of virtual queues and their jobs are, in the widget's coordinates."""

from __future__ import annotations

import math
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF

#: Most jobs that are drawn of one queue.
MOST_CELLS = 72
#: Placed jobs that the gate between a queue and the servers has room for.
GATE_CELLS = 3

MARGIN, GAP = 10.0, 8.0
_CELL, _SPACE = 11.0, 3.0
_INSET = 3.0  # between a lane's edge and its jobs
_LEAST_CELL = 3.0  # height of the smallest job
_LANE_SPACE = 5.0
_LEAST_LINES, _MOST_LINES = 1.45, 5.0  # height of a lane, in lines of text
_FEW, _MOST_OF_FEW = 2, 8.0  # so many lanes may be higher
_HEADER_LINES = 1.5
_BAR_SHARE, _LEAST_BAR, _MOST_BAR = 0.2, 70.0, 260.0
_WITH_BAR, _WITH_INTERVALS = 400.0, 520.0  # widths from which there is room for these


class LaneText(NamedTuple):
    """What the texts of the lanes take, in pixels."""

    line: float  #: height of a line
    names: float
    intervals: float
    numbers: float
    more: float  #: the words at a break
    brief: float  #: the same where there is little room
    scale: float = 1.0  #: how much larger than usual type and marks are


class LanesLayout:
    """The places of *lanes* lanes in *width* x *height* pixels."""

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
        """What all lanes take."""
        return self.header + self.lanes * (self._lane_height + _LANE_SPACE)

    def lane(self, number: int) -> QRectF:
        """The ground of a lane: from the gate to the end of the jobs."""
        top = self.header + number * (self._lane_height + _LANE_SPACE)
        return QRectF(self.gate_left, top, self.jobs_right - self.gate_left, self._lane_height)

    def lanes_in(self, top: float, bottom: float) -> range:
        """The lanes that can be seen between two heights."""
        step = self._lane_height + _LANE_SPACE
        first = math.floor((top - self.header) / step)
        last = math.ceil((bottom - self.header) / step)
        return range(min(max(0, first), self.lanes), min(max(0, last), self.lanes))

    # Jobs.

    def shown(self, length: int) -> int:
        """How many jobs of a queue of this length are drawn; fewer than all leave a break."""
        room = self.jobs_right - self.jobs_left + self.pitch - self.cell
        if length <= min(MOST_CELLS, int(room // self.pitch)):
            return length
        words = self.text.more if self.has_bars else self.text.brief
        left = self.jobs_right - self.jobs_left - words - self.words_after(True)
        return max(1, min(MOST_CELLS, int(left // self.pitch)))

    @property
    def most(self) -> int:
        """The most jobs that are drawn of any queue."""
        room = self.jobs_right - self.jobs_left + self.pitch - self.cell
        return max(1, min(MOST_CELLS, int(room // self.pitch)))

    def job(self, lane: int, place: int, share: float) -> QRectF:
        """A job that is *share* of the lane's height, at a place counted from the head."""
        return self._standing(lane, self.jobs_left + place * self.pitch, share)

    def placed(self, lane: int, place: int, share: float) -> QRectF:
        """A job that has just left for a server; the latest stands next to the head."""
        left = self.jobs_left - GAP - (place + 1) * self.pitch + (self.pitch - self.cell)
        return self._standing(lane, left, share)

    @staticmethod
    def gate_cells(placed: int) -> int:
        """How many jobs the gate shows; the place of the last is for a number if there are more."""
        return placed if placed <= GATE_CELLS else GATE_CELLS - 1

    def deep(self, lane: int, shown: int, share: float) -> QRectF:
        """A job that is pointed at behind the break."""
        return self._standing(lane, self.jobs_left + (shown + 1) * self.pitch, share)

    def gap(self, lane: int, shown: int) -> QRectF:
        """The break behind the jobs that are drawn."""
        box = self.lane(lane)
        left = self.jobs_left + shown * self.pitch
        return QRectF(left, box.top(), max(0.0, self.jobs_right - left), box.height())

    def words_after(self, deep: bool) -> float:
        """How far behind a break the words stand, perhaps with a job before them."""
        return 2.6 * self.pitch if deep else self.pitch

    def _standing(self, lane: int, left: float, share: float) -> QRectF:
        box = self.lane(lane)
        most = box.height() - 2 * _INSET
        height = min(most, max(_LEAST_CELL * self.text.scale, share * most))
        return QRectF(left, box.bottom() - _INSET - height, self.cell, height)

    def job_at(self, point: QPointF, shown: list[int]) -> tuple[int, int] | None:
        """Lane and place of the job at a point, where so many are drawn; it is easily hit."""
        for lane in self.lanes_in(point.y(), point.y() + 1):
            box = self.lane(lane)
            place = math.floor((point.x() - self.jobs_left) / self.pitch)
            if box.top() <= point.y() <= box.bottom() and 0 <= place < shown[lane]:
                return lane, place
        return None

    # Lengths.

    def bar(self, lane: int, share: float) -> QRectF:
        """The bar of a queue's length; any job at all can be seen."""
        box = self.lane(lane)
        width = (self.bar_right - self.bar_left) * share
        height = min(box.height(), 0.9 * self.text.line)
        return QRectF(self.bar_left, box.center().y() - height / 2, max(width, 1.5) if share else 0.0, height)


def length_share(length: int, most: float, logarithmic: bool) -> float:
    """How much of the longest bar's room a queue of *length* takes."""
    if length <= 0:
        return 0.0
    if logarithmic:
        return math.log1p(length) / math.log1p(max(most, 1.0))
    return length / max(most, 1.0)


def length_ticks(most: float, logarithmic: bool) -> list[float]:
    """The lengths that are marked below the bars' heading."""
    if not logarithmic:
        return [0.0, most] if most % 2 else [0.0, most / 2, most]
    powers = [10.0**power for power in range(math.floor(math.log10(max(most, 1.0))) + 1)]
    every = max(1, math.ceil(len(powers) / 4))
    return [0.0, *powers[::-1][::every][::-1]]
