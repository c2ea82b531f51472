"""The search of the log: the hits of a question in all history, and jumps to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from time import monotonic
from typing import Iterator, NamedTuple, Sequence

import numpy as np
from numpy.typing import NDArray

from slotscope.model.errors import UserError
from slotscope.model.phrase import Phrase
from slotscope.model.questions.asking import Answers, answers
from slotscope.model.questions.meaning import Question
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.unsaid import Hearing
from slotscope.model.questions.words import Words
from slotscope.model.running.timeline import NO_END, Timeline
from slotscope.model.running.waiting import GivenUpError
from slotscope.model.systems.base import PolicySystem


class HistorySearch(ABC):
    """Answers questions over all history, slice by slice; a subclass keeps the answers (:meth:`take`)."""

    def __init__(self, system: PolicySystem, timeline: Timeline, words: Words) -> None:
        self._system = system
        self._timeline = timeline
        self._words = words
        self.begin(())

    def begin(self, questions: Sequence[Question]) -> None:
        """Restart with these questions from the first event on; none end the search."""
        self._questions = tuple(questions)
        self._fault, self._stopped = "", False
        self._last = self._timeline.first_event
        self._work: Iterator[Answers] = iter(())

    @abstractmethod
    def take(self, part: Answers) -> None:
        """Keep the answers about the next events."""

    def stop(self) -> None:
        """Stop the search until the next :meth:`begin`."""
        self._stopped = True

    @property
    def due(self) -> bool:
        """Whether there is anything to search."""
        wanted = bool(self._questions) and not self._fault and not self._stopped
        return wanted and self._last < self._timeline.live_end

    def search(self, budget: float) -> None:
        """Search for about *budget* seconds; an error ends the search and is kept as its fault."""
        deadline = monotonic() + budget
        try:
            while self.due and monotonic() < deadline:
                self._step()
        except GivenUpError:  # interrupted by something more urgent
            self.drop()
        except UserError as error:
            self._fault = error.line

    def drop(self) -> None:
        """Drop the slice that is under way; it is started again when it is needed."""
        self._work = iter(())

    def _step(self) -> None:
        part = next(self._work, None)
        if part is None:
            self._work = self.onwards(self._last, self._timeline.live_end)
            part = next(self._work, None)
        if part is None:
            self._stopped = True  # the run has ended
            return
        self._last = int(part.rows["event"][-1])
        self.take(part)

    def onwards(self, after: int, last: int = NO_END, along: bool = False) -> Iterator[Answers]:
        """The answers about the events after *after* up to *last*, see :func:`answers`."""
        return answers(self._system, self._timeline, self._questions, after, last, along=along)


#: Most hits whose event numbers are kept, from the first on; and most whose rows are kept, around the present event.
MOST_HITS, MOST_ROWS = 2**20, 2000

#: Hits on either side of the present event whose rows are fetched if they are not kept.
NEAR = 200


class Asked(NamedTuple):
    """What a search has found so far."""

    text: str
    hits: int
    events: NDArray[np.int64]  #: [n] event numbers of the hits, in order
    rows: np.ndarray  #: [m] rows of hits around the present event
    last: int  #: the event up to which was searched
    searching: bool
    fault: str = ""  #: what is wrong with it, or why the search cannot go on
    #: if it holds nowhere, why that may be: comparisons with values out of range, numbers that the policy never says
    missing: tuple[Phrase, ...] = ()


class _Fetch(NamedTuple):
    """A search under way for the rows of hits whose event numbers are known."""

    rows: list[np.ndarray]
    work: Iterator[Answers]


def _within(events: NDArray[np.int64], rows: np.ndarray) -> bool:
    """Whether sorted *events* lie between the first and the last of some rows; False if there are none."""
    return len(events) > 0 < len(rows) and bool(rows["event"][0] <= events[0] and events[-1] <= rows["event"][-1])


class QuestionSearch(HistorySearch):
    """The question of the log, and its hits in a run's history."""

    def __init__(self, system: PolicySystem, timeline: Timeline, words: Words) -> None:
        self.text = ""  #: the question as typed; empty: none
        super().__init__(system, timeline, words)

    def begin(self, questions: Sequence[Question]) -> None:
        """Restart with these questions from the first event on."""
        super().begin(questions)
        self._hits = 0
        self._notes = tuple(note for question in questions for note in question.notes)
        self._events = np.zeros(0, np.int64)
        self._newest = self._around = np.zeros(0, self._system.row_dtype)  # rows of the last hits, and of others
        self._fetch: _Fetch | None = None
        self._hearing = Hearing(self._system, self._timeline, self._words, self.text if questions else "")
        self._heard: Iterator[None] = iter(())

    def want(self, text: str) -> None:
        """Search for this question from now on; an empty one ends the search.  :meth:`found` reports its mistakes."""
        self.text = text
        self.begin(())
        if not text:
            return
        try:
            question = understood(text, self._words)
        except UserError as error:
            self._fault = error.line
        else:
            question.costly = True  # the log's sentences about hits need all counts
            self.begin([question])

    def follow(self) -> None:
        """Do nothing while the run goes on: the events that it passes are searched once it rests."""

    def found(self) -> Asked | None:
        """The hits so far; None if there is no question."""
        if not self.text:
            return None
        near = self._near(NEAR)
        rows = self._around if _within(near, self._around) and not _within(near, self._newest) else self._newest
        missing = () if self._hits or self.due else (*self._notes, *self._hearing.told())
        return Asked(self.text, self._hits, self._events, rows, self._last, super().due, self._fault, missing)

    def take(self, part: Answers) -> None:
        """Add the hits among the next events."""
        rows = part.hits(0)
        self._hits += len(rows)
        room = MOST_HITS - len(self._events)
        if len(rows) and room > 0:
            self._events = np.concatenate([self._events, rows["event"][:room].astype(np.int64)])
        if len(rows):
            self._newest = np.concatenate([self._newest, rows[-MOST_ROWS:]])[-MOST_ROWS:]

    # The rows around the present event.

    @property
    def due(self) -> bool:
        """Whether anything is left to search, to fetch around the present event, or to check (:class:`Hearing`)."""
        return super().due or self._fetch is not None or self._lacks() or self._hears()

    def drop(self) -> None:
        """Drop also the fetch of rows and the check of what the policy says."""
        super().drop()
        self._fetch = None
        self._heard = iter(())

    def _hears(self) -> bool:
        """Whether to check for names that the policy never says: only if the question holds nowhere so far."""
        return not (self._hits or self._fault or self._stopped) and self._hearing.lacks(self._last)

    def _near(self, most: int) -> NDArray[np.int64]:
        """Up to *most* hits on either side of the present event; none if this is beyond the hits that are kept."""
        place = int(np.searchsorted(self._events, self._timeline.event, "right"))
        beyond = place == len(self._events) < self._hits
        return self._events[:0] if beyond else self._events[max(0, place - most) : place + most]

    def _lacks(self) -> bool:
        near = self._near(NEAR)
        known = _within(near, self._newest) or _within(near, self._around)
        return len(near) > 0 and not (known or self._fault or self._stopped)

    def _step(self) -> None:
        """Fetch rows around the present event first: the search of a long history may be stopped before its end."""
        if self._fetch is None and not self._lacks():
            if super().due:
                super()._step()
            elif next(self._heard, self) is self:
                self._heard = self._hearing.parts(self._last)
            return
        if self._fetch is None:
            wanted = self._near(MOST_ROWS // 2)
            self._fetch = _Fetch([], self.onwards(int(wanted[0]) - 1, int(wanted[-1])))
        part = next(self._fetch.work, None)
        if part is not None:
            self._fetch.rows.append(part.hits(0))
        else:
            self._around, self._fetch = np.concatenate(self._fetch.rows), None

    # Going there.

    def next_after(self, event: int, along: bool = False) -> int:
        """The first hit after an event, also ahead of the run; with *along* the run advances with the search.

        Raises
        ------
        UserError
            If there is no question, or no hit before the run ends.
        GivenUpError
            If the caller's wait was cancelled.
        """
        self._check()
        for part in self.onwards(event, along=along):
            if len(rows := part.hits(0)):
                return int(rows["event"][0])
        raise UserError(f"found no event after event {event} at which '{self.text}' holds; the run ends before")

    def last_before(self, event: int) -> int:
        """The last hit up to an event, itself included.

        Raises
        ------
        UserError
            If there is no question, or no hit up to the event.
        GivenUpError
            If the caller's wait was cancelled.
        """
        self._check()
        end = event
        while end > self._timeline.first_event:
            start = self._timeline.keyframe_before(end)
            found = [part.hits(0)["event"] for part in self.onwards(start, end)]
            if hits := [int(each[-1]) for each in found if len(each)]:
                return hits[-1]
            end = start
        raise UserError(f"found no event up to event {event} at which '{self.text}' holds")

    def _check(self) -> None:
        if self._fault or not self._questions:
            raise UserError(
                self._fault or "nothing is asked yet; write a question into the log's search and press Return"
            )
