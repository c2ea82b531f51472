"""Work that takes long while a run is opened: told in words, and stopped on request.

What is opened calls for such work deep inside, where a policy makes its plan; so whoever waits is
found by context and not handed through every call.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Callable, Iterator, NamedTuple

#: Seconds between two sentences.
PERIOD = 0.5


class Waiting(NamedTuple):
    """Who waits."""

    tell: Callable[[str], None]  #: takes a sentence on how far it is
    stop: Callable[[], bool]  #: whether it is to be given up


_NOBODY = Waiting(lambda _: None, lambda: False)
_waiting: ContextVar[Waiting] = ContextVar("waiting", default=_NOBODY)


@contextmanager
def waiting(tell: Callable[[str], None], stop: Callable[[], bool]) -> Iterator[None]:
    """Within, long work is told to *tell*, at most every :data:`PERIOD`, and asks *stop*."""
    last = monotonic()

    def tell_now_and_then(text: str) -> None:
        nonlocal last
        if monotonic() - last >= PERIOD:
            last = monotonic()
            tell(text)

    token = _waiting.set(Waiting(tell_now_and_then, stop))
    try:
        yield
    finally:
        _waiting.reset(token)


def who_waits() -> Waiting:
    """Who waits for what is being done in this context; nobody, if nothing was said."""
    return _waiting.get()
