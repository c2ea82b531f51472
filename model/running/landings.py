"""Digests of the states at which a run rested: a replay that lands there again must reach the same digest."""

from __future__ import annotations

from typing import Any, Callable

from slotscope.model.errors import ReplayError
from slotscope.model.systems.state import differences, digest

#: The most digests that are remembered.
MOST_MARKS = 10_000


class Landings:
    """Digests by event; *on_drift* gives the advice for a digest that differs from the one recorded."""

    def __init__(self, on_drift: Callable[[], str]) -> None:
        self.verified = 0  #: landings at which the digest was the one recorded
        self.owed: Any = None  #: a state whose digest is still to be taken, as displaying it came first
        self._on_drift = on_drift
        self._doubt = ""  # another possible cause of a drift
        self._digests: dict[int, str] = {}

    def owe(self, state: Any) -> None:
        """Take the digest of a state later; at once, if there is one to compare it with."""
        self.settle()
        if int(state.number[0]) in self._digests:
            self.take(state)
        else:
            self.owed = state

    def settle(self) -> None:
        """Take the digest that is owed, if there is one."""
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
        """Adopt the digest that was saved with a state; *doubt*: why the saved run may not be the one that is replayed.

        Raises ReplayError if the state has another digest.
        """
        event, found = int(state.number[0]), digest(state)
        if recorded != found:
            said = f"the state has the digest {found}, saved was {recorded}: one of them was changed since"
            raise ReplayError(said, where=f"event {event}")
        self.verified += 1
        self._digests[event], self._doubt = recorded, doubt

    def share(self, past: Landings, last: int) -> None:
        """Adopt the digests of another run, up to event *last*."""
        past.settle()
        self._digests = {event: mark for event, mark in past._digests.items() if event <= last}

    def verify(self, known: Any, state: Any) -> None:
        """Compare a replayed state with the one that was kept. Raises ReplayError if they differ."""
        if differences(known, state):
            self.compare(int(state.number[0]), digest(state), digest(known))
        else:
            self.verified += 1

    def compare(self, event: int, found: str, recorded: str) -> None:
        """Compare a digest with the one recorded; raises ReplayError if they differ."""
        if recorded != found:
            said = f"found the digest {found}, recorded {recorded}: the replay has drifted"
            raise ReplayError(f"{said}; {self._doubt}{self._on_drift()}", where=f"event {event}")
        self.verified += 1
