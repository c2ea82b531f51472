"""What was decided of each job, in four bytes a job, and where runs on the same jobs decide differently, as data.

Several runs on the same jobs are compared through these records, without running anything again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

#: Kinds of event that only a comparison knows, and whether all of an answer counts: also which
#: server, or how many servers.
DIFFERENCES: Mapping[str, bool] = {"different decision": False, "different answer": True}


@dataclass(frozen=True)
class Difference:
    """One arrival that is not decided alike."""

    arrival: int  #: the number of the arrival, from 0
    job: int  #: the job's number, the same under every policy
    time: float  #: when it arrives
    type: int  #: its type, from 0
    rows: tuple[np.void, ...]  #: for each lane the row of the event, with all that is costly to count
    answers: tuple[int, ...]  #: for each lane what it decided, see :meth:`model.kinds.spec.Kind.decisions`

    def admitted(self, lane: int) -> bool:
        """Whether the job is admitted in that lane."""
        return self.answers[lane] >= 0


@dataclass(frozen=True)
class Standing:
    """How several lanes stand at a moment."""

    labels: tuple[str, ...]  #: what to call each lane: the policy's title, with its parameters where titles agree
    policies: tuple[str, ...]  #: each lane's policy as it is given on a command line
    next_lanes: tuple[int, ...]  #: the lanes in which the next event happens
    followed: int  #: the lane whose decisions are stepped into, where it takes part
    first: Difference | None  #: the first arrival decided differently (admitted or rejected), once there is one
    found: Difference | None  #: the one that was gone to last
    decided: int  #: arrivals decided so far in every lane
    whole: bool  #: whether these are all; not where the reading of what happened before was given up
    bytes: int  #: memory of the records of decisions


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
