"""The digests of places where a run rested: who lands there again must find the same one."""

from __future__ import annotations

from typing import Any, Callable

from slotscope.model.errors import ReplayError
from slotscope.model.systems.state import differences, digest

#: Digests remembered of places where the run rested.
MOST_MARKS = 10_000


class Landings:
    """Digests by event; *on_drift* says what to do about another one than was recorded."""

    def __init__(self, on_drift: Callable[[], str]) -> None:
        self.verified = 0  #: landings at which the digest was that recorded
        self.owed: Any = None  #: a state whose digest is not taken yet: what it shows comes first
        self._on_drift = on_drift
        self._doubt = ""  # what else a drift may come from
        self._digests: dict[int, str] = {}

    def owe(self, state: Any) -> None:
        """Take the digest of a state later, unless it is to be compared."""
        self.settle()
        if int(state.number[0]) in self._digests:
            self.take(state)
        else:
            self.owed = state

    def settle(self) -> None:
        """Take the digest that was left for later."""
        owed, self.owed = self.owed, None
        if owed is not None:
            self.take(owed)

    def take(self, state: Any) -> str:
        """The digest of a state; checked against the one recorded there before.

        Raises ReplayError if the two differ.
        """
        found, event = digest(state), int(state.number[0])
        recorded = self._digests.get(event)
        if recorded is not None:
            self.compare(event, found, recorded)
        elif len(self._digests) >= MOST_MARKS:
            del self._digests[next(iter(self._digests))]
        self._digests[event] = found
        return found

    def adopt(self, state: Any, recorded: str, doubt: str = "") -> None:
        """Take over the digest that was saved with a state; *doubt*: why what was saved may not be what ran.

        Raises ReplayError if the state has another one.
        """
        event, found = int(state.number[0]), digest(state)
        if recorded != found:
            said = f"the state has the digest {found}, saved was {recorded}: one of them was changed since"
            raise ReplayError(said, where=f"event {event}")
        self.verified += 1
        self._digests[event], self._doubt = recorded, doubt

    def share(self, past: Landings, last: int) -> None:
        """Take over those of another run, up to event *last*."""
        past.settle()
        self._digests = {event: mark for event, mark in past._digests.items() if event <= last}

    def verify(self, known: Any, state: Any) -> None:
        """A state that was kept is come to again. Raises ReplayError if it is another one."""
        if differences(known, state):
            self.compare(int(state.number[0]), digest(state), digest(known))
        else:
            self.verified += 1

    def compare(self, event: int, found: str, recorded: str) -> None:
        """Refuse a digest that is not the one recorded; raises as :meth:`take`."""
        if recorded != found:
            said = f"found the digest {found}, recorded {recorded}: the replay has drifted"
            raise ReplayError(f"{said}; {self._doubt}{self._on_drift()}", where=f"event {event}")
        self.verified += 1
