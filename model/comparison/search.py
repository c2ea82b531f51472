"""Finds the jobs that several lanes do not decide alike, without running them again."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.comparison.differences import STRETCH, Difference, differing
from slotscope.model.comparison.lane import Lane


class DifferenceSearch:
    """Compares the records of lanes; arrivals are numbered from 0, the same in every lane."""

    def __init__(self, lanes: Sequence[Lane]) -> None:
        self._lanes = tuple(lanes)
        self._start = self._searched = self._lanes[0].record.first
        self._first: Difference | None = None

    def taken(self) -> int:
        """Arrivals that every lane has taken where it stands."""
        return min(lane.arrivals for lane in self._lanes)

    @property
    def whole(self) -> bool:
        """Whether all that was decided is known."""
        return all(lane.whole for lane in self._lanes)

    def leave(self, left: bool = True) -> None:
        """Whoever waits for what was decided before has had enough; or wants to know it after all."""
        for lane in self._lanes:
            lane.left = left

    @contextmanager
    def unread(self) -> Iterator[None]:
        """Meanwhile what was decided before is known as far as it was read, and none of it is read."""
        before = [lane.left for lane in self._lanes]
        self.leave()
        try:
            yield
        finally:
            for lane, left in zip(self._lanes, before, strict=True):
                lane.left = left

    def decided(self) -> int:
        """Arrivals decided in all of every lane's history."""
        return min(lane.decided() for lane in self._lanes)

    def first_ever(self, where: bool) -> Difference | None:
        """The first of all history; what was searched once is not searched again."""
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
        """The first arrival of *first* to *last* - 1 not decided alike.

        Admitted or rejected is what counts; with *where* all of the answer.
        """
        for start in range(first, last, STRETCH):
            found = self._differing(start, min(start + STRETCH, last), where)
            if len(found):
                return start + int(found[0])
        return None

    def last(self, last: int, where: bool) -> int | None:
        """The last arrival before *last* not decided alike."""
        self.decided()  # what was not recorded yet is filled in
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
        """What each lane did with an arrival, and why."""
        rows = tuple(lane.explained(arrival) for lane in self._lanes)
        row = rows[0]
        answers = tuple(lane.answer_of(one) for lane, one in zip(self._lanes, rows, strict=True))
        return Difference(arrival, int(row["job"]), float(row["time"]), int(row["type"]), rows, answers)
