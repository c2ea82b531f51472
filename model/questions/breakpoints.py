"""Where a run is to stop: just before some events, and just before events at which a question holds.

A run with questions looks a few milliseconds ahead, so that it never passes the event that it is to
stop before; looking ahead costs what running those events once more does.
"""

from __future__ import annotations

from typing import NamedTuple

from slotscope.model.assembly import Bench
from slotscope.model.errors import UserError
from slotscope.model.explain import grouped
from slotscope.model.questions.asking import answers
from slotscope.model.questions.meaning import Question, understood
from slotscope.model.questions.syntax import QuestionError
from slotscope.model.questions.words import Words
from slotscope.model.timeline import NO_END, Timeline
from slotscope.model.waiting import GivenUpError

#: Events looked ahead at most, where states have to be looked at and where not.
FEW, MANY = 200, 16_384


class BreakpointList(NamedTuple):
    """All breakpoints; *asleep* are the questions that name what the present run has not."""

    events: tuple[int, ...]
    questions: tuple[str, ...]
    asleep: frozenset[str]
    fault: str = ""  #: what is wrong with the one that was typed last


class Breakpoints:
    """Breakpoints of one run after another; ``events`` are those before an event of a number."""

    def __init__(self) -> None:
        self.events: set[int] = set()
        self._asked: dict[str, Question | None] = {}  # None: the present run has no such thing
        self._bench: Bench | None = None
        self._timeline: Timeline | None = None
        self._passed = 0  # the last event before which there is no stop any more
        self._known = 0  # up to it is known where questions hold
        self._hit: tuple[int, str] | None = None
        self._careful = False  # something failed ahead: one event at a time

    # The list.

    def listed(self, fault: str = "") -> BreakpointList:
        """All of them, in order."""
        asleep = frozenset(text for text, question in self._asked.items() if question is None)
        return BreakpointList(tuple(sorted(self.events)), tuple(self._asked), asleep, fault)

    def add(self, text: str) -> None:
        """Stop just before events at which a question holds; or before the event of that number.

        Raises
        ------
        QuestionError
            If it cannot be understood.
        """
        words = text.strip()
        number = words.replace(",", "")
        if number.isascii() and number.isdigit():
            self.events.add(int(number))
        elif self._bench is not None:
            self._asked[words] = understood(words, self._words(self._bench))
            self._forget()

    def toggle(self, event: int) -> None:
        """Set or remove the one before an event."""
        self.events ^= {event}

    def remove(self, what: int | str) -> None:
        """Stop there no more."""
        if isinstance(what, int):
            self.events.discard(what)
        else:
            self._asked.pop(what, None)
            self._forget()

    def clear(self) -> None:
        """Stop nowhere."""
        self.events.clear()
        self._asked.clear()
        self._forget()

    # The run.

    def watch(self, bench: Bench, timeline: Timeline) -> None:
        """Another run: questions are asked of it, as far as it has what they name."""
        self._bench, self._timeline = bench, timeline
        words = self._words(bench)
        self._asked = {text: _in(words, text) for text in self._asked}
        self.begin()

    def begin(self) -> None:
        """The run goes on from where it stands: the next event is passed over."""
        self._forget()
        self._passed = self._here + 1
        self._known = self._passed
        self._careful = False

    def room(self) -> int | None:
        """So many events may pass before the run has to stop, or to be asked again; None: any number."""
        here = self._here
        ends = [event - 1 - here for event in self.events if event > max(here, self._passed)]
        if any(self._asked.values()):
            if self._known <= here or (self._hit is not None and self._hit[0] <= here):
                self._look_ahead()
            ends.append((self._known if self._hit is None else self._hit[0] - 1) - here)
        return max(0, min(ends)) if ends else None

    def told(self) -> str:
        """Why the run stops where it stands; nothing if it does not."""
        following = self._here + 1
        if following <= self._passed:
            return ""
        if self._hit is not None and self._hit[0] == following:
            return f"Breakpoint before event {grouped(following)}: {self._hit[1]}"
        return f"Breakpoint before event {following}." if following in self.events else ""

    @property
    def _here(self) -> int:
        return 0 if self._timeline is None else self._timeline.event

    @staticmethod
    def _words(bench: Bench) -> Words:
        return Words(bench.kind.vocabulary, bench.system)

    def _forget(self) -> None:
        """What was known of the events ahead holds no more."""
        self._hit, self._known = None, self._here

    def _look_ahead(self) -> None:
        """See where the questions hold in the next events."""
        assert self._bench is not None and self._timeline is not None
        asked = {text: question for text, question in self._asked.items() if question is not None}
        here = self._here
        most = 1 if self._careful else FEW if any(question.looks for question in asked.values()) else MANY
        self._hit = None
        try:
            part = next(answers(self._bench.system, self._timeline, tuple(asked.values()), here, here + most), None)
        except GivenUpError:
            raise
        except UserError:  # the policy fails ahead: the run comes to it by itself, and says so
            self._known = here + 1 if self._careful else here
            if not self._careful:
                self._careful = True
                self._look_ahead()
            return
        self._known = NO_END if part is None else int(part.rows["event"][-1])
        if part is not None:
            first = [(int(part.hits(place)["event"][:1].sum()), text) for place, text in enumerate(asked)]
            self._hit = min((hit for hit in first if hit[0]), default=None)


def _in(words: Words, text: str) -> Question | None:
    try:
        return understood(text, words)
    except QuestionError:
        return None
