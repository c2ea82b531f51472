"""Names under which a policy says no number, though a question asks for it: it holds nowhere then, as if it were so."""

from __future__ import annotations

import re
from typing import Iterator

from slotscope.model.phrase import Phrase
from slotscope.model.questions.asking import answers
from slotscope.model.questions.understanding import understood
from slotscope.model.questions.words import Words
from slotscope.model.running.timeline import Timeline
from slotscope.model.systems.base import PolicySystem

#: Events from the first on at which is heard what the policy says, where a question about it holds at none.
HEARD = 2000

_SAID = re.compile(r"\bsaid\s*\[\s*(\w+)\s*\]")


def said_in(text: str) -> tuple[str, ...]:
    """The names in a question of which a policy says a number, in order."""
    return tuple(dict.fromkeys(_SAID.findall(text)))


class Hearing:
    """Hears from the first event on which of the names in a question the policy says no number of.

    Attributes
    ----------
    left:
        Those of which none was said so far.
    last:
        The event up to which was heard.
    """

    def __init__(self, system: PolicySystem, timeline: Timeline, words: Words, text: str) -> None:
        self._system, self._timeline, self._words = system, timeline, words
        self.left, self.last = said_in(text), timeline.first_event

    def told(self) -> tuple[Phrase, ...]:
        """A sentence for each name of which no number was said."""
        count = self.last - self._timeline.first_event
        return tuple(_missing(name, count) for name in self.left) if count else ()

    def lacks(self, last: int) -> bool:
        """Whether something is to be heard yet up to an event."""
        return bool(self.left) and self.last < self._end(last)

    def _end(self, last: int) -> int:
        return min(last, self._timeline.first_event + HEARD)

    def parts(self, last: int) -> Iterator[None]:
        """Go on up to an event, of the first :data:`HEARD`, part by part."""
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
