"""A lane, one of several runs on the same jobs: a session and the record of its decisions.

Also the labels of policies that run side by side.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.api import Session
from slotscope.model.comparison.differences import MOST_JOBS, DecisionRecord
from slotscope.model.policies.choice import value_text
from slotscope.model.reporting.explain import raised
from slotscope.model.reporting.records import ARRIVAL
from slotscope.model.running.engine import Task
from slotscope.model.running.timeline import NO_END
from slotscope.model.scenario.common import PolicyChoice
from slotscope.model.systems.state import copied


def labels_of(titles: Sequence[str], choices: Sequence[PolicyChoice]) -> tuple[str, ...]:
    """The title of each policy, with the parameters that distinguish it from others of the same title."""
    return tuple(
        title if titles.count(title) == 1 else f"{title}, {_own(choice, choices)}"
        for title, choice in zip(titles, choices, strict=True)
    )


def _own(mine: PolicyChoice, choices: Sequence[PolicyChoice]) -> str:
    others = [one.parameters for one in choices if one.name == mine.name]
    differ = [
        _told(key, value) for key, value in mine.parameters.items() if any(other.get(key) != value for other in others)
    ]
    return ", ".join(differ) or "as given"


def _told(key: str, value: Any) -> str:
    """A parameter as a short label, such as "factor 3", "factor log²" or "no patch"."""
    word = key.rpartition("_")[2]
    if isinstance(value, bool):
        return word if value else f"no {word}"
    return f"{word} {raised(value_text(value))}"


class Lane:
    """A session whose decisions are recorded from now on.

    Earlier decisions are added by a replay when they are first needed.
    """

    def __init__(self, session: Session, most: int = MOST_JOBS) -> None:
        self.session = session
        self.line = session.timeline
        first = self._arrivals(self.line.first_state)
        # Not a bound method: the timeline holds the record, which would then hold the lane, and so the timeline.
        self._decisions = partial(session.bench.kind.decisions, initial_jobs=self.initial_jobs)
        self.record = DecisionRecord(first, self._decisions, most)
        if self.compares:
            self.line.observe = self.record.append
        self.whole = self.line.live_end == self.line.first_event  #: whether all of history is recorded
        self.left = False  #: whether the user has stopped waiting for that

    @property
    def compares(self) -> bool:
        """Whether decisions on jobs can be compared with those of other lanes."""
        return self.session.bench.kind.compares_decisions

    def _arrivals(self, state: Any) -> int:
        return self.session.bench.system.arrivals(state)

    def answer_of(self, row: np.void) -> int:
        """The answer to the job in an arrival's row."""
        return int(self._decisions(np.array([row]))[1][0])

    @property
    def initial_jobs(self) -> int:
        """The number of jobs numbered before the first arrival."""
        return self.session.bench.system.initial_jobs

    @property
    def arrivals(self) -> int:
        """The number of arrivals up to where the lane stands."""
        return self._arrivals(self.line.state)

    def decided(self) -> int:
        """The number of arrivals decided in all of history; if reading was given up, of those recorded."""
        if not (self.whole or self.left):
            self._fill()
        return self.record.seen if self.whole else self.record.end

    def _fill(self) -> None:
        """Record the decisions from before recording began, by a replay on a copy; if given up, it resumes later."""
        for rows in self._replay(self.record.end):
            self.record.append(rows)
            if self.record.full:
                break
        self.record.seen = max(self.record.seen, self._last_arrival())
        self.whole = True

    def _last_arrival(self) -> int:
        return self._arrivals(self.line.fork_at(self.line.live_end))

    def answers(self, first: int, last: int) -> NDArray[np.int32]:
        """[last - first] the answers to the arrivals *first* to *last* - 1, from the record or by replay."""
        kept = self.record.between(first, last)
        if kept is not None:
            return kept
        found = np.zeros(last - first, np.int32)
        for rows in self._replay(first):
            numbers, answers = self._decisions(rows)
            wanted = (numbers >= first) & (numbers < last)
            found[numbers[wanted] - first] = answers[wanted]
            if len(numbers) and numbers[-1] >= last - 1:
                break
        return found

    def _replay(self, arrival: int) -> Iterator[np.ndarray]:
        """The rows from before an arrival to the end of history, by a replay on a copy."""
        for stretch in self.line.onwards(self._before(arrival), self.line.live_end):
            yield stretch.rows

    def _before(self, arrival: int) -> Any:
        """A copy of the latest available state before an arrival."""
        if self.arrivals <= arrival:
            near = self.line.latest(lambda state: self._arrivals(state) <= arrival)
            here = self.line.state
            return copied(here) if here.number[0] > near.number[0] else near
        return self.line.latest(lambda state: self._arrivals(state) <= arrival)

    def explained(self, arrival: int) -> np.void:
        """The row of an arrival's event, with the numbers that explain it; the run does not move."""
        state = self._before(arrival)
        time = arrival_time(self.session, arrival)
        for reached, *_ in self.line.onwards(state, NO_END, Task(float(np.nextafter(time, -np.inf)))):
            state = reached
        row = np.zeros(1, self.session.bench.system.row_dtype)
        wanted = arrival + self.initial_jobs
        while row[0]["kind"] != ARRIVAL or row[0]["job"] != wanted:
            state = self.line.engine.advance(state, row, Task(explain=True)).state
        found: np.void = row[0]
        return found


def arrival_time(session: Session, arrival: int) -> float:
    """The time of an arrival, which does not depend on the policy."""
    block = session.bench.system.workload.block_at(arrival)
    if block is None:
        raise ValueError(f"the workload has no arrival number {arrival}")
    return float(block.time[arrival - int(block.first[0])])
