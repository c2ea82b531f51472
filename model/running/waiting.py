"""Work that takes long: told in words, and stopped on request.

It is called for deep inside, where a policy makes its plan or history is run again; so whoever
waits is found by context and not handed through every call.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Callable, Iterator, NamedTuple

from slotscope.model.errors import UserError
from slotscope.model.phrase import Phrase

#: Seconds between two sentences.
PERIOD = 0.25


class GivenUpError(UserError):
    """What took long was stopped by whoever waited for it."""


class Waiter(NamedTuple):
    """Who waits."""

    tell: Callable[[Phrase], None]  #: takes a sentence on how far it is
    wishes: Callable[[], int]  #: how often it was wished that it be given up
    heard: int = 0  #: how many of these wishes are fulfilled already
    counted: Callable[[Phrase, float], None] | None = None  #: takes what is being done, and which share of it is done

    def stop(self) -> bool:
        """Whether it is to be given up."""
        return self.wishes() > self.heard

    def look(self, doing: Phrase, share: float | None) -> None:
        """Tell how far it is, and whether to go on; no *share* of what has no end.

        Raises GivenUpError if it is to be given up.
        """
        percent = "" if share is None else f"{share:.0%}"
        if self.stop():
            stopped = Phrase("{doing}: stopped", doing=doing)
            raise GivenUpError(Phrase("{stopped} at {share}", stopped=stopped, share=percent) if percent else stopped)
        if self.counted is not None and share is not None:
            self.counted(doing, share)
        else:
            self.tell(Phrase("{doing}: {share}", doing=doing, share=percent) if percent else doing)


_NOBODY = Waiter(lambda _: None, lambda: 0)
_waiting: ContextVar[Waiter] = ContextVar("waiting", default=_NOBODY)


@contextmanager
def waiting(
    tell: Callable[[Phrase], None],
    wishes: Callable[[], int],
    key: str = "Esc",
    counted: Callable[[Phrase, float], None] | None = None,
) -> Iterator[None]:
    """Within, long work is told to *tell*, at most every :data:`PERIOD`, and asks for *wishes*.

    *key* is what the user presses to stop it.  *counted* is told instead, each time, of what a share is known.
    """
    last = monotonic()

    def tell_now_and_then(doing: Phrase) -> None:
        nonlocal last
        if monotonic() - last >= PERIOD:
            last = monotonic()
            tell(Phrase("{doing} ({key} stops it)", doing=doing, key=key))

    token = _waiting.set(Waiter(tell_now_and_then, wishes, counted=counted))
    try:
        yield
    finally:
        _waiting.reset(token)


@contextmanager
def waiting_on() -> Iterator[None]:
    """Within, what was given up is put right: only another wish stops that."""
    who = _waiting.get()
    token = _waiting.set(who._replace(heard=who.wishes()))
    try:
        yield
    finally:
        _waiting.reset(token)


def who_waits() -> Waiter:
    """Who waits for what is being done in this context; nobody, if nothing was said."""
    return _waiting.get()


def nobody_waits() -> bool:
    """Whether what is done now may take its time."""
    return _waiting.get() is _NOBODY


def share_of(here: float, start: float, end: float) -> float:
    """How much of the way from *start* to *end* is done; 0 where it has no end."""
    return min(1.0, (here - start) / (end - start)) if end > start else 1.0
