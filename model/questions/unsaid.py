"""Finds names in ``said[name]`` under which the policy says no number: such a question holds nowhere, silently."""

from __future__ import annotations

import re
from typing import Iterator

from slotscope.model.phrase import Phrase
from slotscope.model.questions.asking import answers
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from slotscope.model.running.timeline import Timeline
from slotscope.model.systems.base import PolicySystem

#: The number of events, from the first on, that are checked for what the policy says if a question holds at none.
HEARD = 2000

_SAID = re.compile(r"\bsaid\s*\[\s*(\w+)\s*\]")


def said_in(text: str) -> tuple[str, ...]:
    """The names in the ``said[name]`` of a question, in order."""
    return tuple(dict.fromkeys(_SAID.findall(text)))


class Hearing:
    """Checks, from the first event on, for which names in a question the policy says no number.

    Attributes
    ----------
    left:
        The names for which none was said so far.
    last:
        The last event that was checked.
    """

    def __init__(self, system: PolicySystem, timeline: Timeline, words: Words, text: str) -> None:
        self._system, self._timeline, self._words = system, timeline, words
        self.left, self.last = said_in(text), timeline.first_event

    def told(self) -> tuple[Phrase, ...]:
        """A sentence for each name under which no number was said so far."""
        count = self.last - self._timeline.first_event
        return tuple(_missing(name, count) for name in self.left) if count else ()

    def lacks(self, last: int) -> bool:
        """Whether there are events up to *last* left to check."""
        return bool(self.left) and self.last < self._end(last)

    def _end(self, last: int) -> int:
        return min(last, self._timeline.first_event + HEARD)

    def parts(self, last: int) -> Iterator[None]:
        """Check on up to event *last*, at most the first :data:`HEARD` events, slice by slice."""
        names = self.left
        known = [understood(f"known(said[{name}])", self._words) for name in names]
        for part in answers(self._system, self._timeline, known, self.last, self._end(last)):
            said = {name for number, name in enumerate(names) if len(part.hits(number))}
            self.left = tuple(name for name in self.left if name not in said)
            self.last = int(part.rows["event"][-1])
            yield
            if not self.left:
                return


def _missing(name: str, count: int) -> Phrase:
    return Phrase(
        "said[{name}] is missing: the policy says no number of that name in the first {count} events",
        name=name,
        count=count,
    )
