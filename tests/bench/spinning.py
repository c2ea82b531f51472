"""A second thread as busy as another one was: how much a run slows down by sharing the processor alone."""

from __future__ import annotations

from threading import Event, Thread
from time import monotonic, sleep, thread_time
from types import TracebackType

import numba
import numpy as np

#: Turns in about half a millisecond, and seconds of rest when the share is exceeded.
_TURNS, _REST = 400_000, 0.0005


@numba.njit(nogil=True)
def _turn(turns: int) -> np.uint64:
    number = np.uint64(1)
    for _ in range(turns):
        number = number * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return number


class Spinning:
    """Computes for a *share* of the time, without using memory or Python's lock."""

    def __init__(self, share: float) -> None:
        self._share, self._ended = share, Event()
        self._thread = Thread(target=self._spin, daemon=True)
        _turn(1)  # compiles it

    def _spin(self) -> None:
        began, spent = monotonic(), thread_time()
        while not self._ended.is_set():
            if thread_time() - spent < self._share * (monotonic() - began):
                _turn(_TURNS)
            else:
                sleep(_REST)

    def __enter__(self) -> Spinning:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
