"""What was decided of each job, in four bytes a job: an answer, or that it was rejected.

Several runs on the same jobs are compared through these records, without running anything
again.
"""

from __future__ import annotations

from typing import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

#: Jobs whose decisions are kept for each run (64 MiB); those of later jobs are made again by
#: replay when they are asked for.
MOST_JOBS = 2**24

#: Jobs compared in one stretch.
STRETCH = 2**16

#: The arrivals decided in some rows, and the answer to each, see
#: :meth:`model.kinds.spec.Kind.decisions`.
Decisions = Callable[[np.ndarray], tuple[NDArray[np.int64], NDArray[np.int32]]]


class DecisionRecord:
    """The decisions on consecutive arrivals, taken from the rows of a run as it grows.

    - *first*: The number of the first arrival of the history (0 unless the run is a fork).
    - *decisions*: What was decided in rows.
    - *most*: Arrivals that are kept at most.
    """

    def __init__(self, first: int, decisions: Decisions, most: int = MOST_JOBS) -> None:
        self.first = first
        self.seen = first  #: arrivals decided so far, whether kept or not
        self._decisions = decisions
        self._most = most
        self._answers = np.zeros(1024, np.int32)
        self._count = 0

    @property
    def end(self) -> int:
        """The first arrival after those kept."""
        return self.first + self._count

    @property
    def full(self) -> bool:
        """Whether no more are kept."""
        return self._count >= self._most

    @property
    def bytes(self) -> int:
        """Memory taken."""
        return self._answers.nbytes

    def append(self, rows: np.ndarray) -> None:
        """Take the decisions of *rows* that follow those known.

        Earlier ones (a replay) are passed over; so are all where some are missing between.
        """
        numbers, answers = self._decisions(rows)
        if not len(numbers) or numbers[-1] < self.end:
            return
        self.seen = max(self.seen, int(numbers[-1]) + 1)
        known = self.end - int(numbers[0])
        if known < 0 or self.full:
            return
        fresh = answers[known:][: self._most - self._count]
        while self._count + len(fresh) > len(self._answers):
            self._answers = np.concatenate([self._answers, np.zeros_like(self._answers)])
        self._answers[self._count : self._count + len(fresh)] = fresh
        self._count += len(fresh)

    def between(self, first: int, last: int) -> NDArray[np.int32] | None:
        """[last - first] answers to the arrivals *first* to *last* - 1; None if not all kept."""
        if first < self.first or last > self.end:
            return None
        return self._answers[first - self.first : last - self.first]


def differing(answers: Sequence[NDArray[np.int32]], where: bool) -> NDArray[np.bool_]:
    """[n] which of n arrivals are not decided alike in all runs.

    Admitted or rejected is what counts; with *where* all of the answer.
    """
    first = answers[0]
    different = np.zeros(len(first), np.bool_)
    for other in answers[1:]:
        different |= (first != other) if where else ((first < 0) != (other < 0))
    return different
