"""The decisions on each job, at four bytes a job, and where runs on the same jobs decide differently, as data.

Several runs on the same jobs are compared by these records, without being re-run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

#: Kinds of event that only a comparison has; the value tells whether whole answers are compared, that is, also
#: the server or the number of servers.
DIFFERENCES: Mapping[str, bool] = {"different decision": False, "different answer": True}


@dataclass(frozen=True)
class Difference:
    """One arrival that lanes decide differently."""

    arrival: int  #: the number of the arrival, from 0
    job: int  #: the job's number, the same under every policy
    time: float  #: its arrival time
    type: int  #: its type, from 0
    rows: tuple[np.void, ...]  #: for each lane, the row of the event, including the columns that are costly to compute
    answers: tuple[int, ...]  #: for each lane, its decision, see :meth:`model.kinds.spec.Kind.decisions`

    def admitted(self, lane: int) -> bool:
        """Whether the job is admitted in that lane."""
        return self.answers[lane] >= 0


@dataclass(frozen=True)
class Standing:
    """The comparison of several lanes at a moment."""

    labels: tuple[str, ...]  #: the label of each lane: its policy's title, with parameters if titles are equal
    policies: tuple[str, ...]  #: each lane's policy in the form of the command line
    next_lanes: tuple[int, ...]  #: the lanes in which the next event happens
    followed: int  #: the lane whose decisions are stepped into, if it takes part in the event
    first: Difference | None  #: the first arrival of which admission or rejection differs, if there is one so far
    found: Difference | None  #: the difference that the user went to last
    decided: int  #: the number of arrivals decided in every lane
    whole: bool  #: whether *decided* counts all; False if reading the earlier decisions was given up
    bytes: int  #: memory of the decision records


#: The most jobs whose decisions are kept for each run (64 MiB); decisions on later jobs are recomputed by
#: replay when they are needed.
MOST_JOBS = 2**24

#: The number of jobs compared at a time.
STRETCH = 2**16

#: The numbers of the arrivals decided in some rows, and the answer to each, see
#: :meth:`model.kinds.spec.Kind.decisions`.
Decisions = Callable[[np.ndarray], tuple[NDArray[np.int64], NDArray[np.int32]]]


class DecisionRecord:
    """The decisions on consecutive arrivals, collected from the rows of a run as it grows.

    - *first*: The number of the first arrival of the history (0 unless the run is a fork).
    - *decisions*: Extracts the decisions from rows.
    - *most*: The most arrivals to keep.
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
        """The number of the arrival after the last one kept."""
        return self.first + self._count

    @property
    def full(self) -> bool:
        """Whether the record is full."""
        return self._count >= self._most

    @property
    def bytes(self) -> int:
        """The memory used, in bytes."""
        return self._answers.nbytes

    def append(self, rows: np.ndarray) -> None:
        """Add the decisions in *rows* that follow the known ones.

        Known decisions (in a replay) are skipped; if decisions are missing before those in *rows*, none is added.
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
        """[last - first] answers to the arrivals *first* to *last* - 1; None if some of them are not kept."""
        if first < self.first or last > self.end:
            return None
        return self._answers[first - self.first : last - self.first]


def differing(answers: Sequence[NDArray[np.int32]], where: bool) -> NDArray[np.bool_]:
    """[n] which of n arrivals are decided differently in some runs.

    By default only admission or rejection is compared; with *where* the whole answer.
    """
    first = answers[0]
    different = np.zeros(len(first), np.bool_)
    for other in answers[1:]:
        different |= (first != other) if where else ((first < 0) != (other < 0))
    return different
