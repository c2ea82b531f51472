"""Finds the jobs that lanes decide differently, in the records of decisions."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.comparison.differences import STRETCH, Difference, differing
from slotscope.model.comparison.lane import Lane


class DifferenceSearch:
    """Compares the decision records of lanes; arrivals are numbered from 0, equally in every lane."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self._lanes = tuple(lanes)
        self._start = self._searched = self._lanes[0].record.first
        self._first: Difference | None = None

    def taken(self) -> int:
        """The number of arrivals that every lane has had where it stands."""
        return min(lane.arrivals for lane in self._lanes)

    @property
    def whole(self) -> bool:
        """Whether all decisions of the history are recorded."""
        return all(lane.whole for lane in self._lanes)

    def leave(self, left: bool = True) -> None:
        """Stop waiting for earlier decisions (*left*), or allow reading them again."""
        for lane in self._lanes:
            lane.left = left

    @contextmanager
    def unread(self) -> Iterator[None]:
        """Within this block no earlier decisions are read; those read already are used."""
        before = [lane.left for lane in self._lanes]
        self.leave()
        try:
            yield
        finally:
            for lane, left in zip(self._lanes, before, strict=True):
                lane.left = left

    def decided(self) -> int:
        """The number of arrivals decided in the history of every lane."""
        return min(lane.decided() for lane in self._lanes)

    def first_ever(self, where: bool) -> Difference | None:
        """The first difference of all history; what was searched before is not searched again."""
        if where:
            found = self.first(self._start, self.decided(), where)
            return None if found is None else self.described(found)
        if self._first is None:
            decided = self.decided()
            found = self.first(self._searched, decided, where)
            self._searched = decided
            self._first = None if found is None else self.described(found)
        return self._first

    def first(self, first: int, last: int, where: bool) -> int | None:
        """The first of the arrivals *first* to *last* - 1 that is decided differently; None if there is none.

        By default only admission or rejection is compared; with *where* the whole answer.
        """
        for start in range(first, last, STRETCH):
            found = self._differing(start, min(start + STRETCH, last), where)
            if len(found):
                return start + int(found[0])
        return None

    def last(self, last: int, where: bool) -> int | None:
        """The last arrival before *last* that is decided differently; None if there is none."""
        self.decided()  # adds decisions that are not recorded yet
        for stop in range(last, self._start, -STRETCH):
            start = max(self._start, stop - STRETCH)
            found = self._differing(start, stop, where)
            if len(found):
                return start + int(found[-1])
        return None

    def _differing(self, first: int, last: int, where: bool) -> NDArray[np.int64]:
        answers = [lane.answers(first, last) for lane in self._lanes]
        return np.flatnonzero(differing(answers, where))

    def described(self, arrival: int) -> Difference:
        """The decision of each lane on an arrival, with its explanation."""
        rows = tuple(lane.explained(arrival) for lane in self._lanes)
        row = rows[0]
        answers = tuple(lane.answer_of(one) for lane, one in zip(self._lanes, rows, strict=True))
        return Difference(arrival, int(row["job"]), float(row["time"]), int(row["type"]), rows, answers)
