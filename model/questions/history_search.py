"""Questions asked of all history while nothing else is to be done: in slices, from the first event to the newest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from time import monotonic
from typing import Iterator, Sequence

from slotscope.model.errors import UserError
from slotscope.model.questions.asking import Answers, answers
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.words import Words
from slotscope.model.running.timeline import NO_END, Timeline
from slotscope.model.running.waiting import GivenUpError
from slotscope.model.systems.base import PolicySystem


class HistorySearch(ABC):
    """A walk through history with questions in mind; a subclass keeps what it finds (:meth:`take`)."""

    def __init__(self, system: PolicySystem, timeline: Timeline, words: Words) -> None:
        self._system = system
        self._timeline = timeline
        self._words = words
        self.begin(())

    def begin(self, questions: Sequence[Question]) -> None:
        """Ask these from the first event on; nothing if there are none."""
        self._questions = tuple(questions)
        self._fault, self._stopped = "", False
        self._last = self._timeline.first_event
        self._work: Iterator[Answers] = iter(())

    @abstractmethod
    def take(self, part: Answers) -> None:
        """Keep what the questions say of the next events."""

    def stop(self) -> None:
        """Search no further until something is asked."""
        self._stopped = True

    @property
    def due(self) -> bool:
        """Whether there is anything to search."""
        wanted = bool(self._questions) and not self._fault and not self._stopped
        return wanted and self._last < self._timeline.live_end

    def search(self, budget: float) -> None:
        """Search for *budget* seconds."""
        deadline = monotonic() + budget
        try:
            while self.due and monotonic() < deadline:
                self._step()
        except GivenUpError:  # something else is wanted first
            self._work = iter(())
        except UserError as error:
            self._fault = error.line

    def _step(self) -> None:
        part = next(self._work, None)
        if part is None:
            self._work = self.onwards(self._last, self._timeline.live_end)
            part = next(self._work, None)
        if part is None:
            self._stopped = True  # the run ends before
            return
        self._last = int(part.rows["event"][-1])
        self.take(part)

    def onwards(self, after: int, last: int = NO_END, along: bool = False) -> Iterator[Answers]:
        """What the questions say of the events after one, up to another or without end, see :func:`answers`."""
        return answers(self._system, self._timeline, self._questions, after, last, along=along)
