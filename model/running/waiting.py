"""Progress reports and cancellation of long work.

Long work happens deep inside, where a policy computes its plan or history is replayed; so the receiver of its reports,
the waiter, is found by a context variable and not passed through every call.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Callable, Iterator, NamedTuple

from slotscope.model.errors import UserError
from slotscope.model.phrase import Phrase

#: Seconds between two reports.
PERIOD = 0.25


class GivenUpError(UserError):
    """Long work was cancelled by the waiter."""


class Waiter(NamedTuple):
    """Receives progress reports, and can cancel the work."""

    tell: Callable[[Phrase], None]  #: takes a sentence about the progress
    wishes: Callable[[], int]  #: how often a cancellation was requested
    heard: int = 0  #: how many of these requests have been obeyed already
    counted: Callable[[Phrase, float], None] | None = None  #: takes what is being done, and the share that is done

    def stop(self) -> bool:
        """Whether the work is to be cancelled."""
        return self.wishes() > self.heard

    def look(self, doing: Phrase, share: float | None) -> None:
        """Report the progress; *share* is None if the end is unknown.

        Raises GivenUpError if the work is to be cancelled.
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
    """Within this context long work reports to *tell*, at most every :data:`PERIOD`, and checks *wishes*.

    *key* is what the user presses to stop it.  Reports with a known share all go to *counted* instead, if it is given.
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
    """Within this context the clean-up after a cancellation runs: only another request cancels that."""
    who = _waiting.get()
    token = _waiting.set(who._replace(heard=who.wishes()))
    try:
        yield
    finally:
        _waiting.reset(token)


def who_waits() -> Waiter:
    """The waiter of this context; by default one that ignores reports and never cancels."""
    return _waiting.get()


def nobody_waits() -> bool:
    """Whether there is no waiter, so that work may take its time."""
    return _waiting.get() is _NOBODY


def share_of(here: float, start: float, end: float) -> float:
    """The share of the way from *start* to *end* that is done; 0 if *end* is infinite."""
    return min(1.0, (here - start) / (end - start)) if end > start else 1.0
