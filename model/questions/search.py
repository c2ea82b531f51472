"""A question asked of all history while nothing runs: in slices, from the first event to the newest."""

from __future__ import annotations

from time import monotonic
from typing import Iterator, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.kinds.spec import RunnableSystem
from slotscope.model.questions.asking import Answers, answers
from slotscope.model.questions.fields import Vocabulary
from slotscope.model.questions.meaning import Question, understood
from slotscope.model.questions.words import Words
from slotscope.model.timeline import Timeline
from slotscope.model.waiting import GivenUpError

#: Hits whose places are kept, from the first on, and hits whose rows are kept, up to the newest.
MOST_HITS, MOST_ROWS = 2**20, 2000


class Asked(NamedTuple):
    """What is known of a question so far."""

    text: str
    hits: int
    events: NDArray[np.int64]  #: [n] of the hits in order
    rows: np.ndarray  #: [m] of the last hits
    last: int  #: the event up to which it was asked
    searching: bool
    fault: str = ""  #: what is wrong with it, or why it cannot be asked further


class QuestionSearch:
    """The question that a run's history is asked, and its hits."""

    def __init__(self, system: RunnableSystem, timeline: Timeline, vocabulary: Vocabulary) -> None:
        self._system = system
        self._timeline = timeline
        self._vocabulary = vocabulary
        self._question: Question | None = None
        self._forget("")

    def _forget(self, text: str) -> None:
        self._text, self._fault, self._stopped = text, "", False
        self._hits, self._last = 0, self._timeline.first_event
        self._events: list[NDArray[np.int64]] = []
        self._rows = np.zeros(0, self._system.row_dtype)
        self._work: Iterator[Answers] = iter(())

    def want(self, text: str) -> None:
        """Ask this from now on; nothing if it is empty.  A mistake in it is told by :meth:`found`."""
        self._forget(text)
        self._question = None
        if not text:
            return
        try:
            self._question = understood(text, Words(self._vocabulary, self._system))
            self._question.costly = True  # the sentences of hits give all reasons
        except UserError as error:
            self._fault = error.line

    def stop(self) -> None:
        """Search no further until something is asked."""
        self._stopped = True

    @property
    def due(self) -> bool:
        """Whether there is anything to search."""
        wanted = self._question is not None and not self._fault and not self._stopped
        return wanted and self._last < self._timeline.live_end

    def follow(self) -> None:
        """While the run goes on nothing is asked: what it passes is asked once it rests."""

    def found(self) -> Asked | None:
        """What is known so far; None if nothing is asked."""
        if not self._text:
            return None
        events = np.concatenate([np.zeros(0, np.int64), *self._events])
        return Asked(self._text, self._hits, events, self._rows, self._last, self.due, self._fault)

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
        assert self._question is not None
        part = next(self._work, None)
        if part is None:
            self._work = self._onwards(self._last, self._timeline.live_end)
            part = next(self._work, None)
        if part is None:
            self._stopped = True  # the run ends before
            return
        rows = part.hits(0)
        self._last = int(part.rows["event"][-1])
        self._hits += len(rows)
        room = MOST_HITS - sum(map(len, self._events))
        self._events.append(rows["event"][:room].astype(np.int64))
        self._rows = np.concatenate([self._rows, rows[-MOST_ROWS:]])[-MOST_ROWS:]

    def _onwards(self, after: int, last: int | None = None) -> Iterator[Answers]:
        assert self._question is not None
        end = {} if last is None else {"last": last}
        return answers(self._system, self._timeline, [self._question], after, **end)

    # Going there.

    def next_after(self, event: int) -> int:
        """The first hit after an event, also where the run has not been yet.

        Raises
        ------
        UserError
            If nothing is asked, or there is none.
        GivenUpError
            If whoever waits has had enough.
        """
        self._check()
        for part in self._onwards(event):
            if len(rows := part.hits(0)):
                return int(rows["event"][0])
        raise UserError(f"found no event after event {event} at which '{self._text}' holds; the run ends before")

    def last_before(self, event: int) -> int:
        """The last hit up to an event.

        Raises
        ------
        UserError
            If nothing is asked, or there is none.
        GivenUpError
            If whoever waits has had enough.
        """
        self._check()
        end = event
        while end > self._timeline.first_event:
            start = self._timeline.keyframe_before(end)
            found = [part.hits(0)["event"] for part in self._onwards(start, end)]
            if hits := [int(each[-1]) for each in found if len(each)]:
                return hits[-1]
            end = start
        raise UserError(f"found no event up to event {event} at which '{self._text}' holds")

    def _check(self) -> None:
        if self._fault or self._question is None:
            raise UserError(
                self._fault or "nothing is asked yet; write a question into the log's search and press Return"
            )
